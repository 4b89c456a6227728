// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"

#include <string>
#include <string_view>
#include <vector>

namespace accelopt::profiling {

/// What judges kernels on a host: the simulator there, or the Neuron SDK and the hardware.
enum class JudgeWith { Simulator, Neuron };

/// A host on which kernels are judged, reached by the system's ssh.
struct HostProfile
{
    std::string name;
    std::string ssh; ///< as behind the word ssh in a terminal: an alias, or user@address
    std::vector<std::string> options; ///< further options for ssh, such as -F FILE
    std::string python = "python3";   ///< on the host
    std::string nkisim = "nkisim";    ///< on the host: a program on its PATH, or a path
    int workers = 0;                  ///< simulator processes there; 0: one per core
    /// After so many seconds without a sign of life the far side ends what it does.
    double leaseSeconds = 90;
    JudgeWith judgeWith = JudgeWith::Simulator;
    std::string neuronPython = "python3"; ///< of the SDK's environment
    int compileAtOnce = 4;                ///< kernels compiled side by side by the SDK
    double keepGigabytes = 4;             ///< of compiled kernels and their profiles there
};

/// Reads the text of a hosts.json; `where` names it in messages. Format error otherwise.
Result<std::vector<HostProfile>> readHosts(std::string_view text, const std::string &where);

} // namespace accelopt::profiling
