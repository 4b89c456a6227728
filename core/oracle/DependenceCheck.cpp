// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/oracle/DependenceCheck.h"

#include "core/oracle/LayoutTrial.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <tuple>

namespace accelopt::oracle {
namespace {

using nki::InstructionId;

/// An axis that is needed everywhere is followed in finer blocks than it was learnt with.
constexpr std::int64_t kFineBlocks = 64;
constexpr std::int64_t kCoarseBlocks = 8;
/// Programs with more instructions are followed in coarse blocks, to bound the memory.
constexpr std::size_t kManyInstructions = 1'000'000;

/// A set of blocks of all learnt axes.
using Word = std::uint64_t;
constexpr std::int64_t kWordBits = 64;

/// The block of n that an index of an axis lies in.
std::int64_t blockOf(std::int64_t index, std::int64_t size, std::int64_t blocks)
{
    return ((index + 1) * blocks - 1) / size;
}

/// An axis of a tensor cut into at most 64 blocks.
struct BlockedAxis
{
    std::int64_t inner = 1; ///< elements from one index to the next
    std::int64_t size = 1;
    std::int64_t blocks = 1;

    BlockedAxis(const Shape &shape, std::size_t axis, std::int64_t blockCount)
        : size(shape[axis]),
          blocks(blockCount)
    {
        for (std::size_t i = axis + 1; i < shape.size(); ++i)
            inner *= shape[i];
    }

    static Word upTo(std::int64_t block) // inclusive
    {
        return block + 1 >= kWordBits ? ~Word(0) : (Word(1) << (block + 1)) - 1;
    }

    /// The blocks that a run of elements touches.
    Word touched(std::int64_t first, std::int64_t length) const
    {
        const std::int64_t begin = first / inner;
        const std::int64_t count = (first + length - 1) / inner - begin + 1;
        if (count >= size)
            return upTo(blocks - 1);
        const std::int64_t from = begin % size;
        const std::int64_t to = from + count - 1;
        const Word afterFrom = ~(upTo(blockOf(from, size, blocks)) >> 1);
        if (to < size)
            return afterFrom & upTo(blockOf(to, size, blocks));
        return (afterFrom & upTo(blocks - 1)) | upTo(blockOf(to - size, size, blocks));
    }
};

/// Gathers the blocks of one axis that many runs touch. Most runs lie in the block of the one
/// before them, or at the same indices of another row; dividing for each anew would cost more than
/// all the rest.
class TouchedBlocks
{
public:
    explicit TouchedBlocks(const BlockedAxis &axis) : m_axis(axis) {}

    void add(std::int64_t first, std::int64_t length)
    {
        if (first >= m_low && first + length <= m_high)
            return;
        if (length == m_lastLength && (first - m_lastFirst) % (m_axis.inner * m_axis.size) == 0)
            return;
        const Word touched = m_axis.touched(first, length);
        m_blocks |= touched;
        m_lastFirst = first;
        m_lastLength = length;
        if ((touched & (touched - 1)) != 0)
            return;
        const std::int64_t index = first / m_axis.inner;
        const std::int64_t start = index - index % m_axis.size;
        const std::int64_t block = blockOf(index - start, m_axis.size, m_axis.blocks);
        m_low = (start + block * m_axis.size / m_axis.blocks) * m_axis.inner;
        m_high = (start + (block + 1) * m_axis.size / m_axis.blocks) * m_axis.inner;
    }
    bool has(std::size_t block) const { return (m_blocks >> block & 1) != 0; }

private:
    const BlockedAxis &m_axis;
    Word m_blocks = 0;
    std::int64_t m_low = 0; ///< elements of the block that the last run lay in
    std::int64_t m_high = 0;
    std::int64_t m_lastFirst = 0;
    std::int64_t m_lastLength = -1;
};

/// One learnt axis with its place in the sets.
struct Followed
{
    const LearntDependence::Axis *learnt = nullptr;
    std::int64_t blocks = 1;
    std::int64_t firstBit = 0;
    BlockedAxis place;
};

/// What each block of an axis of a result needs.
struct Needs
{
    std::size_t axis = 0;
    BlockedAxis place;
    std::vector<std::vector<Word>> byBlock;
};

class DependenceFollower
{
public:
    DependenceFollower(const Task &task, const TaskLayout &layout, const nki::Program &program,
                       const nki::Dependences &dependences, const FinalWrites &finalWrites)
        : m_task(task),
          m_layout(layout),
          m_program(program),
          m_dependences(dependences),
          m_finalWrites(finalWrites)
    {
        std::int64_t bits = 0;
        for (const LearntDependence::Axis &axis : task.dependence->axes) {
            const Shape &shape = task.arguments[axis.argument].shape;
            const std::int64_t blocks =
                axis.everywhere
                    ? std::min(shape[axis.axis], program.instructions.size() > kManyInstructions
                                                     ? kCoarseBlocks
                                                     : kFineBlocks)
                    : axis.blocks;
            const Followed followed{&axis, blocks, bits, BlockedAxis(shape, axis.axis, blocks)};
            bits += followed.blocks;
            m_followed.push_back(followed);
        }
        m_words = std::size_t((bits + kWordBits - 1) / kWordBits);
    }

    std::vector<Reason> run()
    {
        follow();
        const auto &writers = m_dependences.outputWriters();
        for (std::size_t result = 0; result < writers.size() && result < m_task.results.size();
             ++result) {
            learnNeeds(result);
            for (const InstructionId store : writers[result])
                checkStore(result, store);
        }
        return std::move(m_reasons);
    }

private:
    static void setBit(std::vector<Word> &set, std::int64_t bit)
    {
        set[std::size_t(bit / kWordBits)] |= Word(1) << (bit % kWordBits);
    }
    static bool bitOf(const Word *set, std::int64_t bit)
    {
        return (set[bit / kWordBits] >> (bit % kWordBits) & 1) != 0;
    }

    /// The blocks that a region of an argument touches.
    const std::vector<Word> &blocksOf(std::size_t argument, const nki::Operand &operand)
    {
        auto [found, isNew] =
            m_regions.try_emplace(std::tuple(argument, operand.pattern, operand.offset));
        if (!isNew)
            return found->second;
        std::vector<Word> &set = found->second;
        set.assign(m_words, 0);
        std::vector<std::pair<const Followed *, TouchedBlocks>> touched;
        for (const Followed &axis : m_followed)
            if (axis.learnt->argument == argument)
                touched.emplace_back(&axis, TouchedBlocks(axis.place));
        const std::int64_t elements = elementCount(m_task.arguments[argument].shape);
        nki::forEachRun(m_program.pattern(operand), operand.offset,
                        [&](std::int64_t first, std::int64_t length) {
                            // Under a mask a box may reach beyond the tensor.
                            const std::int64_t end = std::min(first + length, elements);
                            first = std::max<std::int64_t>(first, 0);
                            if (first >= end)
                                return;
                            for (auto &[axis, blocks] : touched)
                                blocks.add(first, end - first);
                        });
        for (const auto &[axis, blocks] : touched)
            for (std::int64_t block = 0; block < axis->blocks; ++block)
                if (blocks.has(std::size_t(block)))
                    setBit(set, axis->firstBit + block);
        return set;
    }

    /// Producers stand before their readers, so that one pass from the start knows everything.
    void follow()
    {
        m_sets.assign(m_program.instructions.size() * m_words, 0);
        for (std::size_t i = 0; i < m_program.instructions.size(); ++i) {
            Word *const set = m_sets.data() + i * m_words;
            for (const InstructionId producer : m_dependences.producers(InstructionId(i))) {
                const Word *const other = m_sets.data() + std::size_t(producer) * m_words;
                for (std::size_t word = 0; word < m_words; ++word)
                    set[word] |= other[word];
            }
            for (const nki::Operand &operand : m_program.inputsOf(m_program.instructions[i])) {
                const nki::Storage &storage = m_program.storage(operand);
                if (storage.role != nki::StorageRole::Input || storage.tensor < 0)
                    continue;
                const std::int32_t parameter =
                    m_program.tensors[std::size_t(storage.tensor)].parameter;
                if (parameter < 0 || std::size_t(parameter) >= m_task.arguments.size())
                    continue;
                const std::vector<Word> &blocks = blocksOf(std::size_t(parameter), operand);
                for (std::size_t word = 0; word < m_words; ++word)
                    set[word] |= blocks[word];
            }
        }
    }

    /// What each block of each axis of the result needs.
    void learnNeeds(std::size_t result)
    {
        m_always.assign(m_words, 0);
        m_needs.clear();
        for (const Followed &axis : m_followed) {
            if (axis.learnt->everywhere)
                for (std::int64_t block = 0; block < axis.blocks; ++block)
                    setBit(m_always, axis.firstBit + block);
            for (const LearntDependence::Reach &reach : axis.learnt->reaches) {
                if (reach.result != result)
                    continue;
                const std::size_t blocks = reach.reached.front().size();
                auto &needs = needsOf(result, reach.axis, blocks);
                for (std::size_t from = 0; from < reach.reached.size(); ++from)
                    for (std::size_t to = 0; to < blocks; ++to)
                        if (reach.reached[from][to])
                            setBit(needs[to], axis.firstBit + std::int64_t(from));
            }
        }
    }

    /// The needs of the blocks of one axis of the result.
    std::vector<std::vector<Word>> &needsOf(std::size_t result, std::size_t axis,
                                            std::size_t blocks)
    {
        for (Needs &known : m_needs)
            if (known.axis == axis && std::size_t(known.place.blocks) == blocks)
                return known.byBlock;
        const BlockedAxis place(m_task.results[result].shape, axis, std::int64_t(blocks));
        m_needs.push_back(
            {axis, place, std::vector<std::vector<Word>>(blocks, std::vector<Word>(m_words, 0))});
        return m_needs.back().byBlock;
    }

    void checkStore(std::size_t result, InstructionId store)
    {
        std::vector<Word> need = m_always;
        std::int64_t firstElement = -1;
        std::vector<TouchedBlocks> touched;
        for (const Needs &axis : m_needs)
            touched.emplace_back(axis.place);
        m_finalWrites.visit(store, [&](const WrittenRun &run) {
            if (firstElement < 0)
                firstElement = run.first;
            for (TouchedBlocks &axis : touched)
                axis.add(run.first, run.length);
        });
        for (std::size_t i = 0; i < m_needs.size(); ++i)
            for (std::size_t block = 0; block < m_needs[i].byBlock.size(); ++block)
                if (touched[i].has(block))
                    for (std::size_t word = 0; word < m_words; ++word)
                        need[word] |= m_needs[i].byBlock[block][word];
        if (firstElement < 0)
            return;
        const Word *const found = m_sets.data() + std::size_t(store) * m_words;
        bool missing = false;
        for (std::size_t word = 0; word < m_words; ++word)
            missing = missing || (need[word] & ~found[word]) != 0;
        if (missing)
            tell(result, store, firstElement, need.data(), found);
    }

    void tell(std::size_t result, InstructionId store, std::int64_t firstElement, const Word *need,
              const Word *found)
    {
        for (const Followed &axis : m_followed) {
            std::int64_t first = -1;
            std::int64_t last = -1;
            for (std::int64_t block = 0; block < axis.blocks; ++block) {
                const std::int64_t bit = axis.firstBit + block;
                if (!bitOf(need, bit) || bitOf(found, bit)) {
                    if (first >= 0)
                        break;
                    continue;
                }
                first = first < 0 ? block : first;
                last = block;
            }
            if (first < 0 || m_told.contains(axis.firstBit))
                continue;
            m_told[axis.firstBit] = true;
            m_reasons.push_back(reason(result, store, firstElement, axis, first, last));
        }
    }

    Reason reason(std::size_t result, InstructionId store, std::int64_t firstElement,
                  const Followed &axis, std::int64_t first, std::int64_t last) const
    {
        const TaskArgument &argument = m_task.arguments[axis.learnt->argument];
        const std::int64_t size = argument.shape[axis.learnt->axis];
        std::vector<std::string> index(argument.shape.size(), ":");
        index[axis.learnt->axis] =
            fmt::format("{}:{}", first * size / axis.blocks, (last + 1) * size / axis.blocks);
        const Shape &shape = m_layout.results[result];
        Shape at(shape.size());
        for (std::size_t i = shape.size(); i-- > 0;) {
            at[i] = firstElement % shape[i];
            firstElement /= shape[i];
        }
        return {
            "dependence", "input_ignored",
            fmt::format("what is stored from {}{} on ignores {}[{}], on which the task's result "
                        "depends there",
                        m_task.results[result].name, describe(at), argument.name,
                        fmt::join(index, ", ")),
            fmt::format("let every block of {} reach the results that depend on it (indices of "
                        "the shape {})",
                        argument.name, describe(argument.shape)),
            m_program.placeOf(m_program.instructions[std::size_t(store)])};
    }

    const Task &m_task;
    const TaskLayout &m_layout;
    const nki::Program &m_program;
    const nki::Dependences &m_dependences;
    const FinalWrites &m_finalWrites;
    std::vector<Followed> m_followed;
    std::size_t m_words = 0;
    std::vector<Word> m_sets; ///< per instruction
    std::map<std::tuple<std::size_t, nki::PatternId, std::int64_t>, std::vector<Word>> m_regions;
    std::vector<Word> m_always; ///< needed by every element of the result
    std::vector<Needs> m_needs; ///< of the result at hand
    std::map<std::int64_t, bool> m_told;
    std::vector<Reason> m_reasons;
};

} // namespace

std::vector<Reason> missingDependences(const Task &task, const TaskLayout &layout,
                                       const nki::Program &program,
                                       const nki::Dependences &dependences,
                                       const FinalWrites &finalWrites)
{
    if (!task.dependence || task.dependence->axes.empty())
        return {};
    return DependenceFollower(task, layout, program, dependences, finalWrites).run();
}

} // namespace accelopt::oracle
