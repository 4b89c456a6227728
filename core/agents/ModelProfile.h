// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/domain/Search.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace accelopt::agents {

/// US dollars for a million tokens.
struct ModelPrices
{
    double input = 0;
    double cached = 0; ///< of the prompt, where the server found it in its prefix cache
    double output = 0;
};

/// Who answers prompts under a name: a model behind an OpenAI-compatible server, or an outside
/// program. There is no place for a key here, only for the name of the environment variable that
/// holds it.
struct ModelProfile
{
    std::string name;
    std::string address; ///< up to and with "/v1"; empty for a program
    std::string model;   ///< as the server names it
    std::string keyVariable;
    std::vector<std::string> command; ///< program and arguments; empty for a server
    std::optional<ModelPrices> prices;
    int callsAtOnce = 4;
    int maxTokens = 16384; ///< most tokens of one answer, thinking included
    std::optional<double> temperature;
    double firstByteSeconds = 180; ///< of silence before the answer begins
    double idleSeconds = 60;       ///< of silence within the answer
    double callSeconds = 1800;     ///< for a call with all its retries
    int retries = 5;               ///< after failures of the network or the server
    bool tellPeak = true;          ///< % of peak and bound in prompts
    bool tellFindings = true;      ///< findings of the profile in prompts
    bool tellLines = true;         ///< time and bytes per line in prompts
};

/// Reads the text of a models.json; `where` names it in messages. Fails with Format, naming the
/// entry and the field, and with WrongUse when a key stands in it.
Result<std::vector<ModelProfile>> readModels(std::string_view text, const std::string &where);

/// The model "env" of the environment variables ACCELOPT_MODEL_ADDRESS, ACCELOPT_MODEL,
/// ACCELOPT_MODEL_KEY_VARIABLE, ACCELOPT_MODEL_CALLS and ACCELOPT_MODEL_PRICE_IN, _CACHED, _OUT;
/// nothing when there is no address.
Result<std::optional<ModelProfile>> modelOfEnvironment();

/// The key of a server: from the environment, else from the keychain under the variable's name.
/// Empty when none is wanted; fails with Environment when neither has it.
Result<std::string> keyOf(const ModelProfile &profile);

/// Dollars for what was used; nothing when no price is known.
std::optional<double> priceOf(const ModelProfile &profile, const Usage &usage);

} // namespace accelopt::agents
