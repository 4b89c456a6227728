// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/SshFailure.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <vector>

namespace accelopt::profiling {
namespace {

constexpr int kShellNotFound = 127;
constexpr int kShellSignal = 128; ///< a shell's status for a command that was killed is above this
constexpr std::size_t kMostTold = 300;

std::vector<std::string> linesOfLog(const std::string &log)
{
    std::vector<std::string> lines;
    std::string line;
    for (const char c : log + "\n") {
        if (c == '\r')
            continue;
        if (c != '\n') {
            line += c;
            continue;
        }
        // What -v adds is for us, not for people.
        if (!line.empty() && !line.starts_with("debug") && !line.starts_with("OpenSSH_"))
            lines.push_back(line);
        line.clear();
    }
    return lines;
}

std::optional<std::string> lineWith(const std::vector<std::string> &lines, std::string_view part)
{
    for (const std::string &line : lines)
        if (line.find(part) != std::string::npos)
            return line.substr(0, kMostTold);
    return std::nullopt;
}

/// What failed before anybody was logged in.
std::optional<SshFailure> beforeLogin(const std::vector<std::string> &lines,
                                      const std::string &host)
{
    const auto has = [&](std::string_view part) { return lineWith(lines, part); };
    if (const auto line = has("Bad configuration option"))
        return SshFailure{SshClass::Config, *line, "correct your ssh configuration"};
    for (const char *part : {"ControlPath too long", "unix_listener: cannot bind", "terminating,"})
        if (const auto line = has(part))
            return SshFailure{SshClass::Config, *line, "correct your ssh configuration"};
    if (const auto line = has("Control socket connect"))
        return SshFailure{SshClass::Config, *line,
                          "your own connection sharing has left a dead socket: remove it, or leave "
                          "ControlMaster out of the host's options"};
    if (has("Session open refused by peer"))
        return SshFailure{
            SshClass::Handshake,
            fmt::format("{} takes no further session over the shared connection", host),
            "raise MaxSessions there, or leave ControlMaster out of the host's options"};
    if (has("read from master failed"))
        return SshFailure{SshClass::Lost, fmt::format("the shared connection to {} broke", host),
                          "it is made again by itself"};
    if (has("REMOTE HOST IDENTIFICATION HAS CHANGED"))
        return SshFailure{
            SshClass::HostKeyChanged,
            fmt::format("{} is not the host that was known under this name: its key "
                        "has changed",
                        host),
            "find out why before anything else; if it was set up anew, remove the old "
            "key with ssh-keygen -R"};
    if (has("host key is known") || has("Host key verification failed"))
        return SshFailure{
            SshClass::HostKeyUnknown, fmt::format("nobody has confirmed the key of {} yet", host),
            fmt::format("log in once with `ssh {}` and compare the fingerprint", host)};
    if (has("UNKNOWN port 65535") || has("stdio forwarding failed")) {
        std::string said;
        for (const std::string &line : lines)
            if (line.find("kex_exchange_identification") == std::string::npos &&
                line.find("UNKNOWN port 65535") == std::string::npos)
                said += (said.empty() ? "" : "; ") + line;
        return SshFailure{SshClass::Proxy,
                          fmt::format("the way to {} by ProxyCommand or jump host failed: {}", host,
                                      said.empty() ? "it said nothing" : said.substr(0, kMostTold)),
                          "try the ProxyCommand of your ssh configuration by hand"};
    }
    if (const auto line = has("UNPROTECTED PRIVATE KEY FILE"))
        return SshFailure{SshClass::Auth, "ssh refuses a private key that others may read",
                          "chmod 600 the key file"};
    if (has("Permission denied (")) {
        const auto missing = has("not accessible");
        return SshFailure{SshClass::Auth,
                          missing ? fmt::format("{} does not let you in; {}", host, *missing)
                                  : fmt::format("{} does not let you in", host),
                          fmt::format("make `ssh {}` work without a question, for example with "
                                      "ssh-add",
                                      host)};
    }
    if (has("Could not resolve hostname"))
        return SshFailure{SshClass::Unreachable, fmt::format("the name of {} is not known", host),
                          "check the host's name and your network"};
    struct Word
    {
        const char *part;
        const char *said;
    };
    constexpr Word kWords[] = {
        {"Connection refused", "refuses connections; it may still be booting"},
        {"No route to host", "cannot be reached: there is no way to its address"},
        {"Network is unreachable", "cannot be reached: there is no network to it"},
        {"timed out during banner exchange", "accepts connections but says nothing"},
        {"Connection timed out", "does not answer"},
        {"Operation timed out", "does not answer"},
    };
    for (const Word &word : kWords)
        if (has(word.part))
            return SshFailure{SshClass::Unreachable, fmt::format("{} {}", host, word.said),
                              "check that the host runs and that its address is right"};
    if (has("kex_exchange_identification") || has("Connection reset by") ||
        has("Connection closed by"))
        return SshFailure{SshClass::Handshake,
                          fmt::format("{} hung up before the login: no ssh server, or too many "
                                      "connections at once",
                                      host),
                          "try again later, and check the port"};
    return std::nullopt;
}

} // namespace

SshFailure classifySsh(const SshEnd &end, const std::string &host)
{
    if (end.how == SshEnd::How::NotStarted)
        return {SshClass::Setup, "there is no ssh program that can be started",
                "install the OpenSSH client"};
    if (end.how == SshEnd::How::Ended)
        return {SshClass::Cancelled, "the connection was ended", {}};
    // What a ProxyCommand says is not in ssh's log.
    const std::vector<std::string> lines = linesOfLog(end.log + "\n" + end.errors);
    const auto logHas = [&](std::string_view part) {
        return end.log.find(part) != std::string::npos;
    };
    if (!logHas("Authenticated to")) {
        if (auto failure = beforeLogin(lines, host))
            return std::move(*failure);
        // Over a connection of the user's own the login is another process's, and nobody says more.
        if (logHas("mux_client"))
            return {SshClass::Lost,
                    fmt::format("the shared connection to {} ended, or what ran there did", host),
                    "leave ControlMaster out of the host's options to be told more"};
        return {SshClass::Handshake,
                fmt::format("ssh to {} ended with status {}: {}", host, end.status,
                            lines.empty() ? "it said nothing" : lines.back().substr(0, kMostTold)),
                fmt::format("try `ssh {}` by hand", host)};
    }
    const std::string errors = end.errors.substr(0, kMostTold);
    const bool killedUnderShell = logHas("rtype exit-status") && end.status > kShellSignal &&
                                  end.errors.find("Killed") != std::string::npos;
    if (logHas("rtype exit-signal") || killedUnderShell)
        return {SshClass::RemoteSignal,
                fmt::format("the worker on {} was killed; it may have been short of memory", host),
                "look at the host's kernel log"};
    if (logHas("rtype exit-status")) {
        if (end.status == kShellNotFound)
            return {SshClass::WorkerMissing,
                    fmt::format("python3 is not found on {}: {}", host, errors),
                    "install Python 3, or name it in \"python\" of hosts.json"};
        return {SshClass::RemoteExit,
                fmt::format("the worker on {} ended with status {}{}{}", host, end.status,
                            errors.empty() ? "" : ": ", errors),
                "if it ended at once, look whether a shell start-up file there exits"};
    }
    return {SshClass::Lost,
            logHas("Timeout, server") ? fmt::format("{} has stopped answering", host)
                                      : fmt::format("the connection to {} broke", host),
            "it is made again by itself"};
}

bool mayReconnect(SshClass kind)
{
    switch (kind) {
    case SshClass::Unreachable:
    case SshClass::Handshake:
    case SshClass::Proxy:
    case SshClass::RemoteExit:
    case SshClass::RemoteSignal:
    case SshClass::Lost: return true;
    default: return false;
    }
}

std::string_view name(SshClass kind)
{
    constexpr std::string_view kNames[] = {"setup",           "config",        "unreachable",
                                           "handshake",       "proxy",         "hostkey_changed",
                                           "hostkey_unknown", "auth",          "worker_missing",
                                           "remote_exit",     "remote_signal", "lost",
                                           "cancelled"};
    static_assert(std::size(kNames) == std::size_t(SshClass::Cancelled) + 1);
    return kNames[std::size_t(kind)];
}

Error toError(const SshFailure &failure)
{
    return {ErrorCode::Environment, failure.message, failure.hint, std::string(name(failure.kind))};
}

} // namespace accelopt::profiling
