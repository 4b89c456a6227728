// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"

#include <string>
#include <string_view>

namespace accelopt::profiling {

/// Why a connection by the system's ssh is not there or no longer there.
enum class SshClass {
    Setup,          ///< there is no ssh
    Config,         ///< the user's ssh configuration is wrong
    Unreachable,    ///< the host is not there, not yet or not from here
    Handshake,      ///< something answered that does not speak ssh, or refused to
    Proxy,          ///< the ProxyCommand or jump host failed
    HostKeyChanged, ///< the host is not the one that was known: nothing is done automatically
    HostKeyUnknown, ///< nobody has confirmed this host yet
    Auth,           ///< the host does not let this user in
    WorkerMissing,  ///< logged in, but what should run there is not there
    RemoteExit,     ///< what ran there ended with a status of its own
    RemoteSignal,   ///< what ran there was killed
    Lost,           ///< the connection broke after it had been good
    Cancelled,      ///< we ended it
};

/// What is known of an ssh process that ended.
struct SshEnd
{
    enum class How { Exited, NotStarted, Crashed, Ended };
    How how = How::Exited; ///< Ended: by us
    int status = 0;
    std::string log;    ///< what ssh -v -E wrote
    std::string errors; ///< standard error: the remote program's, and little of ssh's
};

struct SshFailure
{
    SshClass kind = SshClass::Lost;
    std::string message; ///< for people: what happened, in ssh's own words where it has some
    std::string hint;    ///< what to do
};

/// Tells the cases apart by ssh's log of a direct connection; `host` is how the user names it.
SshFailure classifySsh(const SshEnd &end, const std::string &host);

/// Whether connecting again may help.
bool mayReconnect(SshClass kind);
/// "unreachable", "auth", ... for tests and logs.
std::string_view name(SshClass kind);
/// As an Error for whoever asked.
Error toError(const SshFailure &failure);

} // namespace accelopt::profiling
