// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/HostProfile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace accelopt::profiling {
namespace {

using Json = nlohmann::json;

const std::set<std::string> kHostFields = {
    "name",          "ssh",        "options",       "python",          "nkisim",        "workers",
    "lease_seconds", "judge_with", "neuron_python", "compile_at_once", "keep_gigabytes"};

Result<HostProfile> readHost(const Json &json, const std::string &where)
{
    for (const auto &[field, value] : json.items())
        if (!kHostFields.contains(field))
            return fail(ErrorCode::Format,
                        fmt::format("{}: there is no field \"{}\"", where, field),
                        "see the user guide for the fields of hosts.json");
    HostProfile host;
    json.at("name").get_to(host.name);
    host.ssh = json.value("ssh", host.name);
    host.options = json.value("options", host.options);
    host.python = json.value("python", host.python);
    host.nkisim = json.value("nkisim", host.nkisim);
    host.workers = json.value("workers", host.workers);
    host.leaseSeconds = json.value("lease_seconds", host.leaseSeconds);
    if (host.name.empty() || host.name == "sim" ||
        host.name.find_first_of(" ,:/") != std::string::npos)
        return fail(ErrorCode::Format,
                    fmt::format("{}: a name must be one word, and not sim", where),
                    "rename the entry");
    // What goes into the far shell's line must not be able to be anything but a path.
    if (host.python.empty() ||
        host.python.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789/._-+~") != std::string::npos)
        return fail(ErrorCode::Format,
                    fmt::format("{}: \"python\" is not a plain path: {}", where, host.python),
                    "name the interpreter without blanks and signs");
    const std::string with = json.value("judge_with", std::string("nkisim"));
    if (with != "nkisim" && with != "neuron")
        return fail(ErrorCode::Format,
                    fmt::format("{}: \"judge_with\" is nkisim or neuron, not {}", where, with),
                    "correct it");
    host.judgeWith = with == "neuron" ? JudgeWith::Neuron : JudgeWith::Simulator;
    host.neuronPython = json.value("neuron_python", host.neuronPython);
    host.compileAtOnce = json.value("compile_at_once", host.compileAtOnce);
    host.keepGigabytes = json.value("keep_gigabytes", host.keepGigabytes);
    if (host.compileAtOnce < 1 || !(host.keepGigabytes > 0))
        return fail(
            ErrorCode::Format,
            fmt::format("{}: \"compile_at_once\" is at least 1, \"keep_gigabytes\" above 0", where),
            "correct them");
    if (host.workers < 0 || host.leaseSeconds < 1)
        return fail(
            ErrorCode::Format,
            fmt::format("{}: \"workers\" is at least 0, \"lease_seconds\" at least 1", where),
            "correct them");
    return host;
}

} // namespace

Result<std::vector<HostProfile>> readHosts(std::string_view text, const std::string &where)
{
    std::vector<HostProfile> hosts;
    int index = 0;
    try {
        const Json json = Json::parse(text);
        for (const Json &entry : json.at("hosts")) {
            ++index;
            ACCELOPT_TRY(HostProfile host,
                         readHost(entry, fmt::format("{}, entry {}", where, index)));
            for (const HostProfile &other : hosts)
                if (other.name == host.name)
                    return fail(ErrorCode::Format,
                                fmt::format("{}: the name {} is taken", where, host.name),
                                "rename one of the two");
            hosts.push_back(std::move(host));
        }
    } catch (const Json::exception &exception) {
        return fail(ErrorCode::Format,
                    index == 0 ? fmt::format("{} is not of the form {{\"hosts\": [...]}}", where)
                               : fmt::format("{}, entry {} is not understood", where, index),
                    "see the user guide for the fields of hosts.json", exception.what());
    }
    return hosts;
}

} // namespace accelopt::profiling
