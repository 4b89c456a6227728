// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/rewrite/EngineLoad.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace accelopt::agents {

/// One change to a kernel.
struct Step
{
    enum class Kind {
        Place,      ///< a rewrite at one place, which the parameters name
        Everywhere, ///< a rewrite wherever it promises a gain while the engines are `busy`
        Tune,       ///< another value of a number, order or kind that the tuner found
    };
    Kind kind = Kind::Place;
    std::string rewrite; ///< empty for Tune
    nlohmann::json parameters;
    rewrite::EngineLoad busy;

    /// The name that experience is kept under: the rewrite's, or "tune".
    std::string name() const;
};

/// The steps that a plan's directive names, in order. NotGood error when it is no directive of the
/// offline agents. Forms: {"rewrite": NAME, "parameters": {...}}; {"rewrite": NAME, "everywhere":
/// true, "busy_ms": [tensor, vector, scalar, dma]}; {"tune": {...}}; {"steps": [one of these,
/// ...]}.
Result<std::vector<Step>> stepsOf(const std::string &directive);
/// The directive of these steps, in the same spelling for the same steps.
std::string directiveOf(const std::vector<Step> &steps);
/// A directive in that spelling, whoever wrote it; the text itself when it is not JSON.
std::string canonicalDirective(const std::string &directive);
/// Names of the steps without repetitions, in order; none when it is no directive of ours.
std::vector<std::string> namesIn(const std::string &directive);
/// Names joined as a tag holds them: "fold-into-activation+widen-tile".
std::string joinedNames(const std::vector<std::string> &names);
std::vector<std::string> namesOfTag(const std::string &tag);

/// Microseconds are enough, and make a directive readable.
rewrite::EngineLoad rounded(rewrite::EngineLoad load);

} // namespace accelopt::agents
