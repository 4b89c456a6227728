// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/check/RegionShape.h"
#include "core/nki/program/Program.h"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace accelopt::nki {

/// Remembers for each element of each storage which instruction wrote it last. Elements are kept in
/// granules: the largest blocks that no instruction of the program takes apart, so that a tile that
/// is always used whole is one entry and the bookkeeping stays exact.
class WriterMap
{
public:
    /// Number of an instruction plus 1; 0 where nothing was written.
    using Entry = std::uint32_t;

    struct Layout
    {
        std::int64_t firstEntry = 0;
        std::int64_t row = 1; ///< elements per partition; everything when linear
        std::int64_t partitions = 1;
        std::int64_t freeGranule = 0; ///< elements; 0 until first used
        std::int64_t partitionGranule = 0;
        std::int64_t freeEntries = 1; ///< per row of entries
        std::int64_t entries = 1;
        double perRow = 1; ///< 1 / row, and so on: an exact multiple needs no division
        double perFreeGranule = 1;
        double perPartitionGranule = 1;
        bool linear = false;
        bool tracked = false; ///< something writes it, or it may be read uninitialised
    };

    /// Most entries kept for one program; about 512 MB.
    static constexpr std::int64_t kMaximumEntries = std::int64_t(1) << 27;

    explicit WriterMap(const Program &program);

    const Layout &layout(StorageId storage) const { return m_layouts[std::size_t(storage)]; }
    /// False where the storage is so large and so finely used that it cannot be followed.
    bool complete() const { return m_complete; }
    /// Whether an operand without a mask stays inside its storage.
    bool inside(const Operand &operand);

    /// Calls `visit(Entry *first, n)` for each run of granules of a region that is inside its
    /// storage.
    template <typename Visit> void forEachSpan(const Operand &operand, Visit &&visit);
    /// The granule of one element, for storages that masked instructions use.
    Entry *entryOf(StorageId storage, std::int64_t address);
    const Entry *entries(StorageId storage) const
    {
        return m_entries.get() + layout(storage).firstEntry;
    }

private:
    void measure(const Instruction &instruction);
    void widen(const Operand &operand, bool single);
    void place();
    const RegionShape &shapeOf(const Operand &operand, const Layout &layout)
    {
        return layout.linear ? m_shapes.linear(operand.pattern)
                             : m_shapes.partitioned(operand.pattern, layout.row);
    }
    static std::int64_t exact(std::int64_t value, double reciprocal)
    {
        return std::int64_t(double(value) * reciprocal + 0.5);
    }
    /// floor(value / row) where the reciprocal may be off in its last bit.
    static std::int64_t rowOf(std::int64_t value, const Layout &layout)
    {
        auto row = std::int64_t(double(value) * layout.perRow);
        if (row * layout.row > value)
            --row;
        else if ((row + 1) * layout.row <= value)
            ++row;
        return row;
    }
    struct Free
    {
        void operator()(Entry *memory) const { std::free(memory); }
    };

    const Program &m_program;
    RegionShapes m_shapes;
    std::vector<Layout> m_layouts;
    std::unique_ptr<Entry[], Free>
        m_entries; ///< from calloc: pages that are never touched cost nothing
    bool m_complete = true;
};

template <typename Visit> void WriterMap::forEachSpan(const Operand &operand, Visit &&visit)
{
    const Layout &layout = m_layouts[std::size_t(operand.storage)];
    Entry *const first = m_entries.get() + layout.firstEntry;
    const RegionShape &shape = shapeOf(operand, layout);
    if (shape.empty)
        return;
    if (layout.entries == 1) {
        visit(first, std::int64_t(1));
        return;
    }
    const std::int64_t address = operand.offset + shape.shift;
    const std::int64_t partition = layout.linear ? 0 : rowOf(address, layout);
    const std::int64_t begin = exact(address - partition * layout.row, layout.perFreeGranule);
    const std::int64_t run = exact(shape.run, layout.perFreeGranule);
    const std::int64_t firstRow = exact(partition, layout.perPartitionGranule);
    // Steps over more than one partition make the partition granule 1.
    const std::int64_t rows = shape.partitionStep == 1
                                  ? exact(shape.partitions, layout.perPartitionGranule)
                                  : shape.partitions;
    for (std::int64_t row = 0; row < rows; ++row) {
        Entry *position =
            first + (firstRow + row * shape.partitionStep) * layout.freeEntries + begin;
        if (shape.axisCount == 0) {
            visit(position, run);
            continue;
        }
        std::array<std::int64_t, AccessPattern::kMaximumRank> step{};
        std::array<std::int64_t, AccessPattern::kMaximumRank> index{};
        for (int axis = 0; axis < shape.axisCount; ++axis)
            step[std::size_t(axis)] =
                exact(shape.axes[std::size_t(axis)].stride, layout.perFreeGranule);
        while (true) {
            visit(position, run);
            int axis = shape.axisCount - 1;
            for (; axis >= 0; --axis) {
                const auto a = std::size_t(axis);
                position += step[a];
                if (++index[a] < shape.axes[a].size)
                    break;
                position -= step[a] * shape.axes[a].size;
                index[a] = 0;
            }
            if (axis < 0)
                break;
        }
    }
}

} // namespace accelopt::nki
