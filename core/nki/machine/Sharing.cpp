// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Sharing.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace accelopt::nki {

namespace {

/// 128 bits of hash: equal keys are taken for equal values.
struct Key
{
    std::uint64_t a = 0x9e3779b97f4a7c15ULL;
    std::uint64_t b = 0xc2b2ae3d27d4eb4fULL;
    bool operator==(const Key &) const = default;

    void mix(std::uint64_t word)
    {
        a = (a ^ word) * 0xd6e8feb86659fd93ULL;
        a ^= a >> 29;
        b = (b + word) * 0xff51afd7ed558ccdULL;
        b ^= b >> 33;
    }
    void mix(const Key &key)
    {
        mix(key.a);
        mix(key.b);
    }
};
struct KeyHash
{
    std::size_t operator()(const Key &key) const noexcept
    {
        return std::size_t(key.a ^ (key.b << 1));
    }
};

Key keyOf(const Parameters &p)
{
    Key key;
    key.mix(std::uint64_t(p.op0) | std::uint64_t(p.op1) << 8 | std::uint64_t(p.reduceOp) << 16 |
            std::uint64_t(p.function) << 24 | std::uint64_t(p.reducedAxes) << 32);
    key.mix(std::uint64_t(p.reverse0) | std::uint64_t(p.reverse1) << 1 |
            std::uint64_t(p.accumulate) << 2 | std::uint64_t(p.implicitTranspose) << 3 |
            std::uint64_t(p.firstPass) << 4 | std::uint64_t(p.negate) << 5 |
            std::uint64_t(p.operand0IsConstant) << 6 | std::uint64_t(p.operand1IsConstant) << 7);
    key.mix(std::bit_cast<std::uint64_t>(p.constant0));
    key.mix(std::bit_cast<std::uint64_t>(p.constant1));
    for (const std::int64_t value : p.iota)
        key.mix(std::uint64_t(value));
    return key;
}

/// What the pass knows of a storage.
struct StorageState
{
    std::int32_t firstWrite = -1;
    std::int32_t lastWrite = -1;
    std::int32_t writersLeft = 0;
    bool shareable = true; ///< all writers so far can be shared
    bool loadsOnly = true; ///< all writers are loads of inputs
    bool readDirectly = false;
    bool known = false; ///< complete and shareable: `content` is valid
    Key signature;      ///< of the writes so far
    Key content;
    StorageId same = -1; ///< the first storage with this content
};

class Sharing
{
public:
    Sharing(Lowered &lowered, const MachineTable &table, const std::vector<bool> &asWritten)
        : m_lowered(lowered),
          m_table(table),
          m_asWritten(asWritten),
          m_readOnly(readOnlyStorages(lowered)),
          m_states(lowered.storages.size())
    {
        m_parameterKeys.reserve(lowered.program->parameters.size());
        for (const Parameters &parameters : lowered.program->parameters)
            m_parameterKeys.push_back(keyOf(parameters));
    }

    void run()
    {
        findWriters();
        for (std::size_t n = 0; n < m_lowered.instructions.size(); ++n)
            visit(m_lowered.instructions[n], std::int32_t(n));
        markDuplicates();
        keepLoadsThatDoNotFit();
        redirectReaders();
        m_lowered.compact();
    }

private:
    void findWriters()
    {
        for (std::size_t n = 0; n < m_lowered.instructions.size(); ++n)
            for (const Operand &output : m_lowered.outputsOf(m_lowered.instructions[n])) {
                StorageState &state = m_states[std::size_t(output.storage)];
                if (state.firstWrite < 0) {
                    state.firstWrite = std::int32_t(n);
                    const Storage &storage = m_lowered.storages[std::size_t(output.storage)];
                    start(state.signature, storage);
                }
                state.lastWrite = std::int32_t(n);
                ++state.writersLeft;
            }
    }

    void start(Key &key, const Storage &storage) const
    {
        key.mix(std::uint64_t(storage.memory) | std::uint64_t(storage.dtype) << 8 |
                std::uint64_t(storage.partitions) << 16);
        key.mix(std::uint64_t(storage.freeElements));
        if (storage.tensor >= 0) {
            const Tensor &tensor = m_lowered.program->tensors[std::size_t(storage.tensor)];
            key.mix(tensor.initialised ? std::bit_cast<std::uint64_t>(tensor.initialValue) : 1);
        }
    }

    bool mayShare(const LoweredInstruction &i) const
    {
        if (m_asWritten[std::size_t(i.iteration)] || readsDestination(m_lowered, i) || i.mask >= 0)
            return false;
        switch (i.opcode) {
        case Opcode::Store:
        case Opcode::Matmul:
        case Opcode::LoopReduce: return false;
        case Opcode::Transpose: return !m_lowered.parametersOf(i).implicitTranspose;
        case Opcode::PartitionBroadcast: {
            const StorageState &row = m_states[std::size_t(m_lowered.inputsOf(i)[0].storage)];
            return row.firstWrite >= 0 &&
                   m_lowered.instructions[std::size_t(row.firstWrite)].iteration == 0;
        }
        default: break;
        }
        for (const Operand &output : m_lowered.outputsOf(i))
            if (m_lowered.storage(output).memory == Memory::Hbm)
                return false;
        return true;
    }

    /// Hash of what the instruction computes; false when an input is not known.
    bool valueKey(const LoweredInstruction &i, std::int32_t position, Key &key) const
    {
        key.mix(std::uint64_t(i.opcode) | std::uint64_t(i.outputs) << 8 |
                std::uint64_t(i.inputs) << 16);
        key.mix(m_parameterKeys[std::size_t(i.parameters)]);
        for (const Operand &input : m_lowered.inputsOf(i)) {
            key.mix(std::uint64_t(input.pattern));
            key.mix(std::uint64_t(input.offset));
            if (m_readOnly[std::size_t(input.storage)]) {
                key.mix(std::uint64_t(input.storage));
                continue;
            }
            const StorageState &state = m_states[std::size_t(input.storage)];
            if (!state.known || state.lastWrite >= position)
                return false;
            key.mix(state.content);
        }
        return true;
    }

    void visit(const LoweredInstruction &i, std::int32_t position)
    {
        Key key;
        const bool shared = mayShare(i) && valueKey(i, position, key);
        const bool load = isInputLoad(m_lowered, i, m_readOnly);
        std::uint64_t which = 0;
        for (const Operand &output : m_lowered.outputsOf(i)) {
            StorageState &state = m_states[std::size_t(output.storage)];
            state.shareable = state.shareable && shared;
            state.loadsOnly = state.loadsOnly && load;
            if (shared) {
                state.signature.mix(key);
                state.signature.mix(which);
                state.signature.mix(std::uint64_t(output.pattern));
                state.signature.mix(std::uint64_t(output.offset));
            }
            ++which;
            if (--state.writersLeft == 0 && state.shareable)
                complete(output.storage, state);
        }
    }

    void complete(StorageId id, StorageState &state)
    {
        state.known = true;
        state.content = state.signature;
        const auto [found, added] = m_first.try_emplace(state.signature, id);
        if (added)
            return;
        // The tile that stays must be complete before the other one begins.
        if (m_states[std::size_t(found->second)].lastWrite < state.firstWrite)
            state.same = found->second;
    }

    void markDuplicates()
    {
        // A tile with one writer that has another output of its own is kept whole.
        for (bool changed = true; changed;) {
            changed = false;
            for (const LoweredInstruction &i : m_lowered.instructions) {
                if (i.outputs < 2)
                    continue;
                const auto duplicate = [&](const Operand &output) {
                    return m_states[std::size_t(output.storage)].same >= 0;
                };
                const auto outputs = m_lowered.outputsOf(i);
                if (std::ranges::all_of(outputs, duplicate) ||
                    std::ranges::none_of(outputs, duplicate))
                    continue;
                for (const Operand &output : outputs)
                    m_states[std::size_t(output.storage)].same = -1;
                changed = true;
            }
        }
        for (LoweredInstruction &i : m_lowered.instructions)
            i.removed =
                i.outputs > 0 && m_states[std::size_t(m_lowered.outputsOf(i)[0].storage)].same >= 0;
        for (const LoweredInstruction &i : m_lowered.instructions)
            if (!i.removed)
                for (const Operand &input : m_lowered.inputsOf(i))
                    m_states[std::size_t(input.storage)].readDirectly = true;
    }

    StorageId keptFor(StorageId storage) const
    {
        const StorageId same = m_states[std::size_t(storage)].same;
        return same >= 0 ? same : storage;
    }

    /// Loads again where the tiles that sharing would keep do not fit together.
    void keepLoadsThatDoNotFit()
    {
        const std::size_t count = m_lowered.instructions.size();
        std::vector<std::int32_t> lastRead(m_states.size(), -1);
        for (std::size_t n = 0; n < count; ++n) {
            const LoweredInstruction &i = m_lowered.instructions[n];
            if (i.removed)
                continue;
            for (const Operand &input : m_lowered.inputsOf(i))
                lastRead[std::size_t(keptFor(input.storage))] = std::int32_t(n);
        }
        std::vector<std::int64_t> live(count + 1, 0);
        for (std::size_t s = 0; s < m_states.size(); ++s) {
            const Storage &storage = m_lowered.storages[s];
            if (storage.memory != Memory::Sbuf || m_states[s].firstWrite < 0 ||
                m_states[s].same >= 0 || lastRead[s] < m_states[s].firstWrite)
                continue;
            live[std::size_t(m_states[s].firstWrite)] += storage.bytesPerPartition();
            live[std::size_t(lastRead[s]) + 1] -= storage.bytesPerPartition();
        }
        std::int64_t sum = 0;
        for (std::int64_t &bytes : live)
            bytes = sum += bytes;
        for (StorageState &state : m_states)
            if (state.same >= 0 && state.loadsOnly && state.readDirectly &&
                live[std::size_t(state.firstWrite)] > m_table.sinkBytesPerPartition)
                state.same = -1;
        for (LoweredInstruction &i : m_lowered.instructions)
            if (i.removed && m_states[std::size_t(m_lowered.outputsOf(i)[0].storage)].same < 0)
                i.removed = false;
    }

    void redirectReaders()
    {
        for (const LoweredInstruction &i : m_lowered.instructions) {
            if (i.removed)
                continue;
            for (Operand &input : m_lowered.inputsOf(i))
                input.storage = keptFor(input.storage);
        }
    }

    Lowered &m_lowered;
    const MachineTable &m_table;
    const std::vector<bool> &m_asWritten;
    std::vector<bool> m_readOnly;
    std::vector<StorageState> m_states;
    std::vector<Key> m_parameterKeys; ///< by index into Program::parameters
    std::unordered_map<Key, StorageId, KeyHash> m_first;
};

} // namespace

void shareValues(Lowered &lowered, const MachineTable &table, const std::vector<bool> &asWritten)
{
    Sharing(lowered, table, asWritten).run();
}

} // namespace accelopt::nki
