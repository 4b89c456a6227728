// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Hazards.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace accelopt::nki {

namespace {

/// Of more accesses to one storage, the oldest are forgotten: they lie so far back that the window
/// has passed them.
constexpr std::size_t kMostWrites = 32;
constexpr std::size_t kMostReads = 8;

/// A region of a storage: partitions and free elements; in HBM free elements only.
struct Region
{
    std::int64_t firstPartition = 0;
    std::int64_t endPartition = 1;
    std::int64_t first = 0;
    std::int64_t end = 1;

    bool overlaps(const Region &o) const
    {
        return first < o.end && o.first < end && firstPartition < o.endPartition &&
               o.firstPartition < endPartition;
    }
    bool covers(const Region &o) const
    {
        return first <= o.first && end >= o.end && firstPartition <= o.firstPartition &&
               endPartition >= o.endPartition;
    }
};

Region regionOf(const Lowered &lowered, const Operand &operand)
{
    const AccessPattern &pattern = lowered.pattern(operand);
    const Storage &storage = lowered.storage(operand);
    const bool onChip = storage.memory != Memory::Hbm && storage.freeElements > 0;
    Region region;
    std::int64_t reach = 1;
    for (int axis = onChip ? 1 : 0; axis < pattern.rank; ++axis)
        reach +=
            (pattern.size[std::size_t(axis)] - 1) * std::abs(pattern.stride[std::size_t(axis)]);
    if (onChip) {
        region.firstPartition = operand.offset / storage.freeElements;
        region.endPartition = region.firstPartition + pattern.partitions();
        region.first = operand.offset % storage.freeElements;
    } else {
        region.first = operand.offset;
    }
    region.end = region.first + reach;
    return region;
}

struct Touch
{
    std::int32_t instruction;
    Region region;
};

struct Touches
{
    std::vector<Touch> writes;
    std::vector<Touch> reads;
};

/// Bytes (SBUF) or banks (PSUM) that are free from the end of some instructions on.
struct Room
{
    std::int64_t size = 0;
    std::int32_t lastReader = -1;
    std::int32_t lastWriter = -1;
};

/// Physical tiles of the tensors declared at one place of the source.
struct Buffers
{
    std::int64_t inUse = 0;
    std::deque<Room> free; ///< longest free first
};

/// One memory: what is free, longest free first.
class Memories
{
public:
    explicit Memories(std::int64_t size) { m_free.push_back({size, -1, -1}); }

    /// Calls wait(instruction) for those whose room it takes. Where there is not enough (what the
    /// kernel holds at once exceeds the memory), takes nothing from nobody.
    template <typename Wait> std::int64_t take(std::int64_t size, Wait &&wait)
    {
        std::int64_t taken = 0;
        while (taken < size && !m_free.empty()) {
            Room &room = m_free.front();
            const std::int64_t part = std::min(size - taken, room.size);
            wait(room.lastReader);
            wait(room.lastWriter);
            taken += part;
            room.size -= part;
            if (room.size == 0)
                m_free.pop_front();
        }
        return taken;
    }
    void give(const Room &room)
    {
        if (room.size > 0)
            m_free.push_back(room);
    }

private:
    std::deque<Room> m_free;
};

/// By storage: number of the place of the source that declares it, -1 for none.
std::vector<std::int32_t> declarations(const Lowered &lowered)
{
    std::map<std::pair<int, std::string_view>, std::int32_t> numbers;
    std::vector<std::int32_t> ofTensor;
    for (const Tensor &tensor : lowered.program->tensors) {
        const auto number = std::int32_t(numbers.size());
        ofTensor.push_back(
            numbers.try_emplace({tensor.place.line, tensor.name}, number).first->second);
    }
    std::vector<std::int32_t> result;
    for (const Storage &storage : lowered.storages)
        result.push_back(storage.tensor >= 0 ? ofTensor[std::size_t(storage.tensor)] : -1);
    return result;
}

class HazardFinder
{
public:
    HazardFinder(const Lowered &lowered, const MachineTable &table)
        : m_lowered(lowered),
          m_bankBytes(table.psumBanks > 0 ? table.psumBytesPerPartition / table.psumBanks : 0),
          m_bufferCount(table.buffers),
          m_declaration(declarations(lowered)),
          m_touches(lowered.storages.size()),
          m_room(lowered.storages.size()),
          m_sbuf(table.roomBytesPerPartition),
          m_psum(std::max(1, table.psumBanks))
    {
        m_hazards.firstEdge.assign(lowered.instructions.size(), -1);
        m_hazards.waitsFor.assign(lowered.instructions.size(), 0);
        m_hazards.edges.reserve(4 * lowered.instructions.size());
    }

    Hazards find()
    {
        findEnds();
        for (std::size_t n = 0; n < m_lowered.instructions.size(); ++n)
            visit(std::int32_t(n));
        return std::move(m_hazards);
    }

private:
    /// Notes down where the stay of each on-chip tile ends: at its last access, and before it is
    /// loaded again.
    void findEnds()
    {
        std::vector<std::int32_t> lastAccess(m_lowered.storages.size(), -1);
        for (std::size_t n = 0; n < m_lowered.instructions.size(); ++n) {
            const LoweredInstruction &i = m_lowered.instructions[n];
            const bool again = i.origin == Origin::SpillReload || i.origin == Origin::InputReload;
            for (const Operand &output : m_lowered.outputsOf(i)) {
                std::int32_t &last = lastAccess[std::size_t(output.storage)];
                if (again && last >= 0 &&
                    m_lowered.instructions[std::size_t(last)].origin != Origin::InputReload)
                    m_ends.emplace_back(last, output.storage);
                last = std::int32_t(n);
            }
            for (const Operand &input : m_lowered.inputsOf(i))
                lastAccess[std::size_t(input.storage)] = std::int32_t(n);
        }
        for (std::size_t s = 0; s < lastAccess.size(); ++s)
            if (lastAccess[s] >= 0)
                m_ends.emplace_back(lastAccess[s], StorageId(s));
        std::ranges::sort(m_ends);
    }

    void wait(std::int32_t before, std::int32_t after)
    {
        if (before < 0 || before == after)
            return;
        std::int32_t &first = m_hazards.firstEdge[std::size_t(before)];
        if (first >= 0 && m_hazards.edges[std::size_t(first)].after == after)
            return;
        m_hazards.edges.push_back({after, first});
        first = std::int32_t(m_hazards.edges.size()) - 1;
        ++m_hazards.waitsFor[std::size_t(after)];
    }

    void visit(std::int32_t n)
    {
        const LoweredInstruction &i = m_lowered.instructions[std::size_t(n)];
        for (const Operand &input : m_lowered.inputsOf(i))
            read(input, n);
        const bool rereads = readsDestination(m_lowered, i);
        for (const Operand &output : m_lowered.outputsOf(i)) {
            settle(output.storage, n);
            write(output, n, rereads);
        }
        for (; m_nextEnd < m_ends.size() && m_ends[m_nextEnd].first == n; ++m_nextEnd)
            leave(m_ends[m_nextEnd].second, n);
    }

    void read(const Operand &operand, std::int32_t n)
    {
        Touches &touches = m_touches[std::size_t(operand.storage)];
        const bool onChip = m_lowered.storage(operand).memory != Memory::Hbm;
        if (touches.writes.empty() && !onChip)
            return;
        const Region region = regionOf(m_lowered, operand);
        for (const Touch &write : touches.writes)
            if (write.region.overlaps(region))
                wait(write.instruction, n);
        if (!onChip)
            return;
        const Engine engine = m_lowered.instructions[std::size_t(n)].engine;
        for (Touch &read : touches.reads) {
            if (m_lowered.instructions[std::size_t(read.instruction)].engine == engine &&
                region.covers(read.region)) {
                read = {n, region};
                return;
            }
        }
        if (touches.reads.size() == kMostReads)
            touches.reads.erase(touches.reads.begin());
        touches.reads.push_back({n, region});
    }

    void write(const Operand &operand, std::int32_t n, bool rereads)
    {
        Touches &touches = m_touches[std::size_t(operand.storage)];
        const bool onChip = m_lowered.storage(operand).memory != Memory::Hbm;
        const Region region = regionOf(m_lowered, operand);
        if (onChip || rereads) {
            for (const Touch &read : touches.reads)
                if (read.region.overlaps(region))
                    wait(read.instruction, n);
            for (const Touch &write : touches.writes)
                if (write.region.overlaps(region))
                    wait(write.instruction, n);
            std::erase_if(touches.reads,
                          [&](const Touch &read) { return region.covers(read.region); });
            std::erase_if(touches.writes,
                          [&](const Touch &write) { return region.covers(write.region); });
        }
        if (touches.writes.size() == kMostWrites)
            touches.writes.erase(touches.writes.begin());
        touches.writes.push_back({n, region});
    }

    std::int64_t sizeOf(const Storage &storage) const
    {
        if (storage.memory == Memory::Sbuf)
            return storage.bytesPerPartition();
        if (storage.memory == Memory::Psum && m_bankBytes > 0)
            return (storage.bytesPerPartition() + m_bankBytes - 1) / m_bankBytes;
        return 0;
    }

    /// A tile that is written while it has no room takes some.
    void settle(StorageId id, std::int32_t n)
    {
        Room &room = m_room[std::size_t(id)];
        const Storage &storage = m_lowered.storages[std::size_t(id)];
        if (room.size > 0 || storage.memory == Memory::Hbm)
            return;
        Memories &memory = storage.memory == Memory::Sbuf ? m_sbuf : m_psum;
        room.size = memory.take(sizeOf(storage), [&](std::int32_t before) { wait(before, n); });
        const std::int32_t declaration = m_declaration[std::size_t(id)];
        if (declaration < 0 || storage.memory != Memory::Sbuf)
            return;
        Buffers &buffers = m_buffers[declaration];
        ++buffers.inUse;
        if (buffers.free.empty() ||
            buffers.inUse + std::int64_t(buffers.free.size()) <= m_bufferCount)
            return; // one more
        wait(buffers.free.front().lastReader, n);
        wait(buffers.free.front().lastWriter, n);
        buffers.free.pop_front();
    }

    /// The tile's stay ends with instruction n.
    void leave(StorageId id, std::int32_t n)
    {
        Room &room = m_room[std::size_t(id)];
        const Storage &storage = m_lowered.storages[std::size_t(id)];
        if (room.size == 0)
            return;
        room.lastReader = n;
        const Touches &touches = m_touches[std::size_t(id)];
        // Another engine may be at it still.
        const Engine engine = m_lowered.instructions[std::size_t(n)].engine;
        room.lastWriter = -1;
        for (const auto *list : {&touches.reads, &touches.writes})
            for (const Touch &touch : *list)
                if (m_lowered.instructions[std::size_t(touch.instruction)].engine != engine)
                    room.lastWriter = std::max(room.lastWriter, touch.instruction);
        (storage.memory == Memory::Sbuf ? m_sbuf : m_psum).give(room);
        const std::int32_t declaration = m_declaration[std::size_t(id)];
        if (declaration >= 0 && storage.memory == Memory::Sbuf) {
            Buffers &buffers = m_buffers[declaration];
            --buffers.inUse;
            buffers.free.push_back(room);
        }
        room = {};
    }

    const Lowered &m_lowered;
    std::int64_t m_bankBytes;
    std::int64_t m_bufferCount;
    std::vector<std::int32_t> m_declaration;             ///< by storage
    std::unordered_map<std::int32_t, Buffers> m_buffers; ///< by declaration
    std::vector<Touches> m_touches;
    std::vector<Room> m_room;
    std::vector<std::pair<std::int32_t, StorageId>> m_ends; ///< ascending
    std::size_t m_nextEnd = 0;
    Memories m_sbuf;
    Memories m_psum;
    Hazards m_hazards;
};

} // namespace

Hazards findHazards(const Lowered &lowered, const MachineTable &table)
{
    return HazardFinder(lowered, table).find();
}

} // namespace accelopt::nki
