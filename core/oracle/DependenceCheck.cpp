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

/// Calls `visit(block)` for the blocks of an axis that a run of elements touches.
template <typename Visit>
void forEachBlock(std::int64_t first, std::int64_t length, const Shape &shape, std::size_t axis,
                  std::int64_t blocks, Visit &&visit)
{
    std::int64_t inner = 1;
    for (std::size_t i = axis + 1; i < shape.size(); ++i)
        inner *= shape[i];
    const std::int64_t size = shape[axis];
    const std::int64_t begin = first / inner;
    const std::int64_t count = (first + length - 1) / inner - begin + 1;
    if (count >= size) {
        for (std::int64_t block = 0; block < blocks; ++block)
            visit(block);
        return;
    }
    const std::int64_t from = begin % size;
    const std::int64_t to = (begin + count - 1) % size;
    const std::int64_t firstBlock = blockOf(from, size, blocks);
    const std::int64_t lastBlock = blockOf(to, size, blocks);
    if (from <= to) {
        for (std::int64_t block = firstBlock; block <= lastBlock; ++block)
            visit(block);
        return;
    }
    for (std::int64_t block = firstBlock; block < blocks; ++block)
        visit(block);
    for (std::int64_t block = 0; block <= lastBlock; ++block)
        visit(block);
}

/// One learnt axis with its place in the sets.
struct Followed
{
    const LearntDependence::Axis *learnt = nullptr;
    std::int64_t blocks = 1;
    std::int64_t firstBit = 0;
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
            Followed followed{&axis, axis.blocks, bits};
            if (axis.everywhere)
                followed.blocks = std::min(
                    task.arguments[axis.argument].shape[axis.axis],
                    program.instructions.size() > kManyInstructions ? kCoarseBlocks : kFineBlocks);
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
        const Shape &shape = m_task.arguments[argument].shape;
        const std::int64_t elements = elementCount(shape);
        nki::forEachRun(m_program.pattern(operand), operand.offset,
                        [&](std::int64_t first, std::int64_t length) {
                            // Under a mask a box may reach beyond the tensor.
                            const std::int64_t end = std::min(first + length, elements);
                            first = std::max<std::int64_t>(first, 0);
                            if (first >= end)
                                return;
                            for (const Followed &axis : m_followed)
                                if (axis.learnt->argument == argument)
                                    forEachBlock(first, end - first, shape, axis.learnt->axis,
                                                 axis.blocks, [&](std::int64_t block) {
                                                     setBit(set, axis.firstBit + block);
                                                 });
                        });
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
                auto &needs = m_needs[{reach.axis, std::int64_t(blocks)}];
                needs.resize(blocks, std::vector<Word>(m_words, 0));
                for (std::size_t from = 0; from < reach.reached.size(); ++from)
                    for (std::size_t to = 0; to < blocks; ++to)
                        if (reach.reached[from][to])
                            setBit(needs[to], axis.firstBit + std::int64_t(from));
            }
        }
    }

    void checkStore(std::size_t result, InstructionId store)
    {
        const Shape &shape = m_task.results[result].shape;
        std::vector<Word> need = m_always;
        std::int64_t firstElement = -1;
        m_finalWrites.visit(store, [&](const WrittenRun &run) {
            if (firstElement < 0)
                firstElement = run.first;
            for (const auto &[place, needs] : m_needs)
                forEachBlock(run.first, run.length, shape, place.first, place.second,
                             [&, &blocks = needs](std::int64_t block) {
                                 for (std::size_t word = 0; word < m_words; ++word)
                                     need[word] |= blocks[std::size_t(block)][word];
                             });
        });
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
    /// By axis of the result and its number of blocks: what each block needs.
    std::map<std::pair<std::size_t, std::int64_t>, std::vector<std::vector<Word>>> m_needs;
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
