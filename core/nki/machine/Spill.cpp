// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Spill.h"

#include "core/nki/machine/LoopTree.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <unordered_map>
#include <unordered_set>

namespace accelopt::nki {

namespace {

constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();

/// How an instruction touches a tile.
struct Access
{
    std::int32_t position = 0;
    bool reads = false;
    bool writes = false;
    bool replaces = false; ///< writes all of it without reading: what was there is lost
};

struct Tile
{
    std::int32_t firstAccess = 0; ///< into the access list
    std::int32_t nextAccess = 0;  ///< of those, the next one to come
    std::int32_t endAccess = 0;
    StorageId slot = -1;    ///< its place in HBM once saved
    std::int32_t place = 0; ///< of the last writer
    std::int32_t nextUse = kNever;
    bool inputHome = true; ///< all writers are loads of inputs
    bool resident = false;
    bool dirty = false;  ///< the copy in HBM is older
    bool filled = false; ///< has a value (in SBUF or in HBM)
    bool fresh = false;  ///< its loads have been issued, its room not yet taken
};

/// Candidate for eviction: farthest next use first, then the higher storage.
struct Candidate
{
    std::int32_t nextUse;
    StorageId storage;
    bool operator<(const Candidate &other) const
    {
        return nextUse != other.nextUse ? nextUse < other.nextUse : storage < other.storage;
    }
};

class Spilling
{
public:
    Spilling(Lowered &lowered, const MachineTable &table)
        : m_lowered(lowered),
          m_capacity(table.spillCapacityBytesPerPartition),
          m_readOnly(readOnlyStorages(lowered)),
          m_tiles(lowered.storages.size())
    {}

    void run()
    {
        collectAccesses();
        findCarriedAccumulators();
        if (!m_carriedLoops.empty() || exceedsCapacity()) {
            m_result.reserve(m_lowered.instructions.size() + m_lowered.instructions.size() / 4);
            for (std::size_t n = 0; n < m_lowered.instructions.size(); ++n)
                visit(std::int32_t(n));
            m_lowered.instructions = std::move(m_result);
        }
    }

private:
    bool inSbuf(StorageId storage) const
    {
        return m_lowered.storages[std::size_t(storage)].memory == Memory::Sbuf;
    }
    std::int64_t bytesOf(StorageId storage) const
    {
        return m_lowered.storages[std::size_t(storage)].bytesPerPartition();
    }

    /// The accesses of one instruction, one per tile.
    template <typename Visit> void forEachAccess(std::int32_t position, Visit &&visit) const
    {
        const LoweredInstruction &i = m_lowered.instructions[std::size_t(position)];
        const auto outputs = m_lowered.outputsOf(i);
        const auto inputs = m_lowered.inputsOf(i);
        const bool rereads = readsDestination(m_lowered, i);
        for (std::size_t n = 0; n < outputs.size(); ++n) {
            if (!inSbuf(outputs[n].storage))
                continue;
            Access access{position, rereads, true, false};
            for (const Operand &input : inputs)
                access.reads = access.reads || input.storage == outputs[n].storage;
            access.replaces = !access.reads && i.mask < 0 && overwritesAll(m_lowered, outputs[n]);
            visit(outputs[n].storage, access);
        }
        for (std::size_t n = 0; n < inputs.size(); ++n) {
            const StorageId storage = inputs[n].storage;
            const auto same = [storage](const Operand &operand) {
                return operand.storage == storage;
            };
            if (!inSbuf(storage) || std::ranges::any_of(outputs, same) ||
                std::any_of(inputs.begin(), inputs.begin() + std::ptrdiff_t(n), same))
                continue;
            visit(storage, Access{position, true, false, false});
        }
    }

    void collectAccesses()
    {
        std::vector<std::int32_t> count(m_tiles.size() + 1, 0);
        const auto instructions = std::int32_t(m_lowered.instructions.size());
        for (std::int32_t n = 0; n < instructions; ++n) {
            forEachAccess(
                n, [&](StorageId storage, const Access &) { ++count[std::size_t(storage)]; });
            const LoweredInstruction &i = m_lowered.instructions[std::size_t(n)];
            if (!isInputLoad(m_lowered, i, m_readOnly))
                for (const Operand &output : m_lowered.outputsOf(i))
                    m_tiles[std::size_t(output.storage)].inputHome = false;
        }
        std::int32_t start = 0;
        for (std::size_t s = 0; s < m_tiles.size(); ++s) {
            m_tiles[s].firstAccess = m_tiles[s].nextAccess = m_tiles[s].endAccess = start;
            start += count[s];
        }
        m_accesses.resize(std::size_t(start));
        for (std::int32_t n = 0; n < instructions; ++n)
            forEachAccess(n, [&](StorageId storage, const Access &access) {
                Tile &tile = m_tiles[std::size_t(storage)];
                m_accesses[std::size_t(tile.endAccess++)] = access;
            });
    }

    /// Cheap upper bound first: most kernels never fill SBUF.
    bool exceedsCapacity() const
    {
        std::vector<std::int64_t> change(m_lowered.instructions.size() + 1, 0);
        for (std::size_t s = 0; s < m_tiles.size(); ++s) {
            const Tile &tile = m_tiles[s];
            if (tile.firstAccess == tile.endAccess)
                continue;
            const std::int64_t bytes = bytesOf(StorageId(s));
            change[std::size_t(m_accesses[std::size_t(tile.firstAccess)].position)] += bytes;
            change[std::size_t(m_accesses[std::size_t(tile.endAccess - 1)].position) + 1] -= bytes;
        }
        std::int64_t live = 0;
        for (const std::int64_t bytes : change) {
            live += bytes;
            if (live > m_capacity)
                return true;
        }
        return false;
    }

    void findCarriedAccumulators()
    {
        std::unordered_map<std::int32_t, std::int64_t> bytes;
        std::vector<std::int32_t> counted(m_tiles.size(), -1);
        for (std::size_t s = 0; s < m_tiles.size(); ++s) {
            const Tile &tile = m_tiles[s];
            std::int32_t lastWrite = -1;
            for (std::int32_t a = tile.firstAccess; a < tile.endAccess; ++a) {
                const Access &access = m_accesses[std::size_t(a)];
                if (!access.writes)
                    continue;
                const std::int32_t iteration = iterationAt(access.position);
                if (access.reads && lastWrite >= 0) {
                    const std::int32_t loop = carryingLoop(lastWrite, iteration);
                    if (loop >= 0 && counted[s] != loop) {
                        counted[s] = loop;
                        bytes[loop] += bytesOf(StorageId(s));
                    }
                }
                lastWrite = iteration;
            }
        }
        for (const auto &[loop, carried] : bytes)
            if (2 * carried > m_capacity)
                m_carriedLoops.insert(loop);
    }

    std::int32_t iterationAt(std::int32_t position) const
    {
        return m_lowered.instructions[std::size_t(position)].iteration;
    }

    /// The sequential loop whose passes separate the two iterations, or -1.
    std::int32_t carryingLoop(std::int32_t from, std::int32_t to) const
    {
        const Parting parting = part(*m_lowered.program, from, to);
        if (parting.first < 0 || parting.second < 0)
            return -1;
        const Iteration &first = m_lowered.iteration(parting.first);
        const Iteration &second = m_lowered.iteration(parting.second);
        return first.loop == second.loop && second.kind == LoopKind::Sequential ? second.loop : -1;
    }

    void visit(std::int32_t position)
    {
        m_now = position;
        const LoweredInstruction i = m_lowered.instructions[std::size_t(position)];
        const bool inputLoad = isInputLoad(m_lowered, i, m_readOnly);
        m_touched.clear(); // transfers add operands, so the accesses are noted down first
        forEachAccess(position, [&](StorageId storage, const Access &access) {
            m_touched.emplace_back(storage, access);
        });
        for (const auto &[storage, access] : m_touched)
            if (!(inputLoad && m_tiles[std::size_t(storage)].inputHome))
                prepare(storage, access, i);
        makeRoom(i.iteration);
        m_result.push_back(i);
        for (const auto &[storage, access] : m_touched)
            finish(storage, access, i, inputLoad);
    }

    /// Sees to it that the tile has room and, where its value matters, its value.
    void prepare(StorageId storage, const Access &access, const LoweredInstruction &i)
    {
        Tile &tile = m_tiles[std::size_t(storage)];
        if (access.reads && access.writes && tile.resident && carried(tile, access))
            evict(storage, i.iteration);
        if (tile.resident)
            return;
        const bool needsValue = tile.filled && !access.replaces;
        if (needsValue && !tile.fresh)
            reload(storage, tile, i);
        tile.fresh = false;
        tile.resident = true;
        m_used += bytesOf(storage);
    }

    bool carried(const Tile &tile, const Access &access) const
    {
        if (m_carriedLoops.empty() || tile.nextAccess == tile.firstAccess)
            return false;
        // The last write before this access.
        for (std::int32_t a = tile.nextAccess - 1; a >= tile.firstAccess; --a) {
            const Access &earlier = m_accesses[std::size_t(a)];
            if (!earlier.writes)
                continue;
            const std::int32_t loop =
                carryingLoop(iterationAt(earlier.position), iterationAt(access.position));
            return loop >= 0 && m_carriedLoops.contains(loop);
        }
        return false;
    }

    void makeRoom(std::int32_t iteration)
    {
        std::vector<Candidate> inUse;
        while (m_used > m_capacity && !m_candidates.empty()) {
            const Candidate candidate = m_candidates.top();
            m_candidates.pop();
            const Tile &tile = m_tiles[std::size_t(candidate.storage)];
            if (!tile.resident || tile.nextUse != candidate.nextUse)
                continue; // outdated entry
            if (candidate.nextUse == m_now) {
                inUse.push_back(candidate); // an operand of this very instruction
                continue;
            }
            evict(candidate.storage, iteration);
        }
        for (const Candidate &candidate : inUse)
            m_candidates.push(candidate);
    }

    void evict(StorageId storage, std::int32_t iteration)
    {
        Tile &tile = m_tiles[std::size_t(storage)];
        if (tile.dirty && !tile.inputHome) {
            if (tile.slot < 0) {
                Storage slot = m_lowered.storages[std::size_t(storage)];
                slot.memory = Memory::Hbm;
                slot.role = StorageRole::Scratch;
                slot.freeElements *= slot.partitions;
                slot.partitions = 1;
                slot.tensor = -1;
                tile.slot = m_lowered.addStorage(slot);
            }
            transfer(Opcode::Store, Origin::SpillSave, storage, tile.slot, tile.place, iteration);
        }
        tile.dirty = false;
        tile.resident = false;
        m_used -= bytesOf(storage);
    }

    void reload(StorageId storage, const Tile &tile, const LoweredInstruction &reader)
    {
        if (tile.slot >= 0) {
            transfer(Opcode::Load, Origin::SpillReload, storage, tile.slot, reader.place,
                     reader.iteration);
            return;
        }
        // Its loads once more. They stand before the current access, after the last time all was
        // replaced.
        for (std::int32_t a = tile.nextAccess - 1; a >= tile.firstAccess; --a) {
            const Access &access = m_accesses[std::size_t(a)];
            if (!access.writes)
                continue;
            LoweredInstruction load = m_lowered.instructions[std::size_t(access.position)];
            load.origin = Origin::InputReload;
            load.iteration = reader.iteration;
            load.place = reader.place;
            m_result.push_back(load);
            if (access.replaces)
                return;
        }
    }

    void transfer(Opcode opcode, Origin origin, StorageId tile, StorageId slot, std::int32_t place,
                  std::int32_t iteration)
    {
        LoweredInstruction made;
        made.opcode = opcode;
        made.engine = Engine::Dma;
        made.origin = origin;
        made.place = place;
        made.iteration = iteration;
        const Operand onChip = m_lowered.whole(tile);
        const Operand inHbm{slot, onChip.pattern, 0};
        const bool save = opcode == Opcode::Store;
        m_lowered.setOperands(made, {save ? &inHbm : &onChip, 1}, {save ? &onChip : &inHbm, 1});
        m_result.push_back(made);
    }

    void finish(StorageId storage, const Access &access, const LoweredInstruction &i,
                bool inputLoad)
    {
        Tile &tile = m_tiles[std::size_t(storage)];
        ++tile.nextAccess;
        if (access.writes) {
            tile.filled = true;
            tile.place = i.place;
            if (inputLoad && tile.inputHome) {
                if (!tile.resident)
                    tile.fresh = true;
            } else {
                tile.dirty = true;
            }
        }
        tile.nextUse = kNever;
        if (tile.nextAccess < tile.endAccess) {
            const Access &next = m_accesses[std::size_t(tile.nextAccess)];
            if (!next.replaces)
                tile.nextUse = next.position;
        }
        if (!tile.resident)
            return;
        if (tile.nextUse == kNever) { // its value is not needed any more
            tile.resident = false;
            tile.dirty = false;
            m_used -= bytesOf(storage);
            return;
        }
        m_candidates.push({tile.nextUse, storage});
    }

    Lowered &m_lowered;
    std::int64_t m_capacity;
    std::vector<bool> m_readOnly;
    std::vector<Tile> m_tiles;
    std::vector<Access> m_accesses;
    std::unordered_set<std::int32_t> m_carriedLoops;
    std::priority_queue<Candidate> m_candidates;
    std::vector<std::pair<StorageId, Access>> m_touched; ///< by the current instruction
    std::vector<LoweredInstruction> m_result;
    std::int64_t m_used = 0;
    std::int32_t m_now = 0;
};

} // namespace

void spill(Lowered &lowered, const MachineTable &table)
{
    Spilling(lowered, table).run();
}

} // namespace accelopt::nki
