// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/check/WriterMap.h"

#include "core/nki/program/MaskWalk.h"

#include <numeric>

namespace accelopt::nki {

namespace {

/// gcd(granule, value) with the usual case, that nothing changes, first.
void divide(std::int64_t &granule, std::int64_t value)
{
    if (value != 0 && value % granule != 0)
        granule = std::gcd(granule, value);
}

} // namespace

WriterMap::WriterMap(const Program &program)
    : m_program(program),
      m_shapes(program.patterns),
      m_layouts(program.storages.size())
{
    for (std::size_t id = 0; id < m_layouts.size(); ++id) {
        const Storage &storage = program.storages[id];
        Layout &layout = m_layouts[id];
        layout.linear = storage.memory == Memory::Hbm || storage.elements() == 0;
        layout.partitions = layout.linear ? 1 : storage.partitions;
        layout.row = layout.linear ? storage.elements() : storage.freeElements;
        layout.freeGranule = std::max<std::int64_t>(layout.row, 1);
        layout.partitionGranule = std::max<std::int64_t>(layout.partitions, 1);
        layout.perRow = 1.0 / double(layout.freeGranule);
        const bool given =
            storage.role == StorageRole::Input || storage.role == StorageRole::Constant;
        const bool returned =
            storage.tensor >= 0 && program.tensors[std::size_t(storage.tensor)].output >= 0;
        layout.tracked = !given || returned;
    }
    for (const Instruction &instruction : program.instructions)
        measure(instruction);
    place();
}

void WriterMap::measure(const Instruction &instruction)
{
    const std::int64_t box = instruction.mask < 0 ? 0 : maskBox(m_program, instruction).count();
    for (const Operand &operand : m_program.outputsOf(instruction))
        widen(operand, instruction.mask >= 0 && m_program.pattern(operand).count() == box);
    for (const Operand &operand : m_program.inputsOf(instruction))
        widen(operand, instruction.mask >= 0 && m_program.pattern(operand).count() == box);
}

void WriterMap::widen(const Operand &operand, bool single)
{
    Layout &layout = m_layouts[std::size_t(operand.storage)];
    if (!layout.tracked || layout.row == 0)
        return;
    if (single) {
        layout.freeGranule = 1;
        layout.partitionGranule = 1;
        return;
    }
    if (!layout.linear) {
        const RegionShape &shape = m_shapes.partitioned(operand.pattern, layout.row);
        if (operand.offset == 0 && shape.byPartition && shape.run == layout.row &&
            shape.partitions == layout.partitions)
            return;
        const std::int64_t address = operand.offset + shape.shift;
        const std::int64_t partition = address / layout.row;
        const std::int64_t begin = address - partition * layout.row;
        if (shape.byPartition && address >= 0 && begin + shape.freeExtent < layout.row) {
            divide(layout.freeGranule, begin);
            divide(layout.freeGranule, shape.divisor);
            divide(layout.partitionGranule, partition);
            divide(layout.partitionGranule, shape.partitionStep == 1 ? shape.partitions : 1);
            return;
        }
        // A region that runs from one partition into the next: take the storage as one row.
        const Storage &storage = m_program.storage(operand);
        layout.linear = true;
        layout.partitions = 1;
        layout.partitionGranule = 1;
        layout.row = storage.elements();
        layout.freeGranule = 1;
        return;
    }
    if (layout.freeGranule == 1)
        return;
    const RegionShape &shape = m_shapes.linear(operand.pattern);
    divide(layout.freeGranule, std::abs(operand.offset + shape.shift));
    divide(layout.freeGranule, shape.divisor);
}

void WriterMap::place()
{
    std::int64_t total = 0;
    for (Layout &layout : m_layouts) {
        if (!layout.tracked || layout.row == 0) {
            layout.firstEntry = 0;
            layout.entries = 1;
            continue;
        }
        layout.freeEntries = layout.row / layout.freeGranule;
        const std::int64_t rows = layout.partitions / layout.partitionGranule;
        if (layout.freeEntries > kMaximumEntries / rows ||
            total + layout.freeEntries * rows > kMaximumEntries) {
            m_complete = false;
            layout.tracked = false;
            continue;
        }
        layout.entries = layout.freeEntries * rows;
        layout.perFreeGranule = 1.0 / double(layout.freeGranule);
        layout.perPartitionGranule = 1.0 / double(layout.partitionGranule);
        // Entry 0 belongs to the storages that are not followed.
        layout.firstEntry = total + 1;
        total += layout.entries;
    }
    m_entries.reset(static_cast<Entry *>(std::calloc(std::size_t(total) + 1, sizeof(Entry))));
    if (!m_entries) {
        m_complete = false;
        for (Layout &layout : m_layouts)
            layout.tracked = false;
    }
}

bool WriterMap::inside(const Operand &operand)
{
    const Layout &layout = m_layouts[std::size_t(operand.storage)];
    const Storage &storage = m_program.storage(operand);
    const RegionShape &shape = shapeOf(operand, layout);
    const std::int64_t address = operand.offset + shape.shift;
    return shape.empty || (address >= 0 && address + shape.extent < storage.elements());
}

WriterMap::Entry *WriterMap::entryOf(StorageId storage, std::int64_t address)
{
    const Layout &layout = m_layouts[std::size_t(storage)];
    Entry *const first = m_entries.get() + layout.firstEntry;
    if (layout.entries == 1)
        return first;
    const std::int64_t partition = layout.linear ? 0 : rowOf(address, layout);
    return first + partition / layout.partitionGranule * layout.freeEntries +
           (address - partition * layout.row) / layout.freeGranule;
}

} // namespace accelopt::nki
