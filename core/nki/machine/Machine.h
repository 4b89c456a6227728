// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Profile.h"
#include "core/domain/Result.h"
#include "core/nki/check/Dependences.h"
#include "core/nki/program/Program.h"

#include <map>
#include <memory>
#include <string>

namespace accelopt::nki {

struct MachineTable;

/// A Trainium core as data: clocks, memories, costs (resources/devices/<name>.json, section
/// "machine").
class Machine
{
public:
    /// Fails with WrongUse for an unknown device, naming the known ones.
    static Result<Machine> load(const std::string &device);
    /// This machine with other values for some numbers of its table, by their paths
    /// ("dma/engines"). Its table hash tells it from the shipped one. Fails with WrongUse for a
    /// path that the table does not have, with Format for a value it cannot have.
    Result<Machine> with(const std::map<std::string, double> &values) const;
    const std::string &device() const { return m_device; }
    /// Version of the cost model: changes whenever the same table would give other figures.
    static std::string modelVersion();
    /// SHA-256 of the device's table.
    const std::string &tableHash() const { return m_tableHash; }
    const MachineTable &table() const { return *m_table; }

private:
    std::string m_device;
    std::string m_tableHash;
    std::shared_ptr<const MachineTable> m_table;
};

/// What the machine makes of a program: counters with neuron-profile's names, latency, findings,
/// costs by line. `bound` and `percentOfPeak` of the profile stay empty: they need the task.
Profile simulate(const Program &program, const Dependences &dependences, const Machine &machine);

} // namespace accelopt::nki
