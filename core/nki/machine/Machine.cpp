// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Machine.h"

#include "core/domain/Hash.h"
#include "core/domain/Resources.h"
#include "core/nki/machine/MachineTable.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace accelopt::nki {

namespace {

constexpr std::string_view kFolder = "resources/devices/";

std::string knownDevices()
{
    std::string names;
    for (const auto &[path, text] : embeddedFiles()) {
        if (!path.starts_with(kFolder) || !path.ends_with(".json"))
            continue;
        if (!names.empty())
            names += ", ";
        names += path.substr(kFolder.size(), path.size() - kFolder.size() - 5);
    }
    return names;
}

} // namespace

Result<Machine> Machine::load(const std::string &device)
{
    const std::string path = std::string(kFolder) + device + ".json";
    const std::string_view text = resource(path);
    if (text.empty()) {
        return fail(ErrorCode::WrongUse, fmt::format("unknown device '{}'", device),
                    fmt::format("known devices: {}", knownDevices()));
    }
    ACCELOPT_TRY(MachineTable table, MachineTable::parse(text, path));
    Machine machine;
    machine.m_device = device;
    machine.m_tableHash = sha256(nlohmann::json::parse(text).at("machine").dump());
    machine.m_table = std::make_shared<const MachineTable>(std::move(table));
    return machine;
}

Result<Machine> Machine::with(const std::map<std::string, double> &values) const
{
    std::map<std::string, TableNumber> numbers = m_table->numbers;
    nlohmann::json changes = nlohmann::json::object();
    for (const auto &[path, value] : values) {
        const auto found = numbers.find(path);
        if (found == numbers.end()) {
            return fail(ErrorCode::WrongUse,
                        fmt::format("{}: the table has no number '{}'", m_device, path),
                        "paths are those of the section \"machine\" of the device's file");
        }
        if (found->second.value == value)
            continue;
        found->second.value = value;
        found->second.source = "given";
        found->second.fitted = true;
        changes[path] = value;
    }
    Machine machine = *this;
    if (changes.empty())
        return machine;
    ACCELOPT_TRY(MachineTable table, MachineTable::build(std::move(numbers), m_device));
    machine.m_table = std::make_shared<const MachineTable>(std::move(table));
    machine.m_tableHash = sha256(m_tableHash + changes.dump());
    return machine;
}

std::string Machine::modelVersion()
{
    return "2";
}

} // namespace accelopt::nki
