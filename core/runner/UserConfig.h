// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/agents/ModelProfile.h"
#include "core/domain/Result.h"
#include "core/profiling/HostProfile.h"

#include <filesystem>
#include <string>
#include <vector>

namespace accelopt::runner {

/// Where a person's own settings are: $ACCELOPT_CONFIG, else $XDG_CONFIG_HOME/accelopt, else
/// ~/.config/accelopt.
std::filesystem::path configFolder();

/// The models of models.json in the folder above, then the one of the environment ("env"). No file
/// is no models. Fails with what readModels() says.
Result<std::vector<agents::ModelProfile>> configuredModels();

/// The model of a name; WrongUse error that lists the names there are.
Result<agents::ModelProfile> configuredModel(const std::string &name);

/// The hosts of hosts.json in the folder above; no file is no hosts.
Result<std::vector<profiling::HostProfile>> configuredHosts();

/// The host of a name; WrongUse error that lists the names there are.
Result<profiling::HostProfile> configuredHost(const std::string &name);

/// Names of the environment variables that hold keys, and of all that describe a model: no host is
/// shown them.
std::vector<std::string> secretVariables();

/// The text of a file in the configuration folder; empty when there is none. Environment error when
/// it cannot be read.
Result<std::string> configText(const std::string &fileName);

} // namespace accelopt::runner
