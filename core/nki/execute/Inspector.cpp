// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/execute/Inspector.h"

#include "core/nki/program/MaskWalk.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace accelopt::nki {

namespace {

/// The names of the `for` loops around a place, outermost first; what stands in a function is not
/// inside the loops around the function's call.
std::vector<std::string> loopVariables(const SyntaxTree &tree, const SourcePlace &place)
{
    const auto contains = [&](const SourcePlace &outer) {
        const auto begin = std::pair(outer.line, outer.column);
        const auto end = std::pair(outer.endLine, outer.endColumn);
        return begin <= std::pair(place.line, place.column) &&
               std::pair(place.endLine, place.endColumn) <= end;
    };
    std::vector<std::string> names;
    NodeId at = tree.root();
    for (bool found = true; found;) {
        found = false;
        for (const NodeId child : tree[at].children) {
            if (!contains(tree[child].place))
                continue;
            if (tree[at].kind == NodeKind::For && tree[child].kind == NodeKind::Block)
                names.emplace_back(tree.text(tree[at].children[0]));
            at = child;
            found = true;
            break;
        }
    }
    return names;
}

/// Errors of elements against the scale of their row.
class ElementErrors
{
public:
    ElementErrors(const ExpectedValues &expected, double limit)
        : m_expected(expected),
          m_limit(limit)
    {}

    /// 0 for what is within the limit.
    double of(std::int64_t element, float value)
    {
        const double should = m_expected.elements[element];
        const double difference = std::abs(double(value) - should);
        if (difference <= m_limit * std::abs(should) || (std::isnan(value) && std::isnan(should)) ||
            double(value) == should)
            return 0;
        const double error = difference / std::max(std::abs(should), scaleOf(element));
        if (std::isnan(error))
            return INFINITY;
        return error > m_limit ? error : 0;
    }

private:
    /// Root mean square of the row that an element belongs to.
    double scaleOf(std::int64_t element)
    {
        const std::int64_t length = std::max<std::int64_t>(m_expected.rowLength, 1);
        const std::int64_t row = element / length;
        if (row == m_row)
            return m_scale;
        const std::int64_t first = row * length;
        const std::int64_t last = std::min(first + length, m_expected.count);
        double sum = 0;
        for (std::int64_t i = first; i < last; ++i)
            sum += double(m_expected.elements[i]) * double(m_expected.elements[i]);
        m_row = row;
        m_scale = std::sqrt(sum / double(std::max<std::int64_t>(last - first, 1)));
        return m_scale;
    }

    const ExpectedValues &m_expected;
    double m_limit;
    std::int64_t m_row = -1; ///< the last one asked for
    double m_scale = 0;
};

/// The lowest address that a region can reach.
std::int64_t lowestAddress(const AccessPattern &pattern, std::int64_t offset)
{
    for (int axis = 0; axis < pattern.rank; ++axis)
        offset += std::min<std::int64_t>(0, pattern.stride[std::size_t(axis)] *
                                                (pattern.size[std::size_t(axis)] - 1));
    return offset;
}

} // namespace

std::int64_t InspectedTile::columns() const
{
    std::int64_t count = 1;
    for (const std::int64_t size : freeAxes)
        count *= size;
    return count;
}

std::string InspectedTile::describe() const
{
    std::string text =
        fmt::format("{}[{}{}{}] {} in {}", tensor, partitions, freeAxes.empty() ? "" : " x ",
                    fmt::join(freeAxes, " x "), name(dtype), name(memory));
    if (block > 0)
        text += fmt::format(", block {}", block);
    if (memory != Memory::Hbm)
        text +=
            fmt::format(", partitions {} to {}", firstPartition, firstPartition + partitions - 1);
    return text + fmt::format(", from element {}", firstElement);
}

std::string InspectedInstance::loopsText() const
{
    std::vector<std::string> parts;
    for (const InspectedLoop &loop : loops)
        parts.push_back(loop.variable.empty() ? fmt::format("pass {}", loop.pass)
                                              : fmt::format("{} = {}", loop.variable, loop.pass));
    return fmt::format("{}", fmt::join(parts, ", "));
}

Inspector::Inspector(const Program &program, const Dependences &dependences, const SyntaxTree *tree)
    : m_program(program),
      m_dependences(dependences),
      m_tree(tree)
{}

std::vector<InstructionId> Inspector::instancesAt(int line) const
{
    std::vector<InstructionId> found;
    for (std::size_t i = 0; i < m_program.instructions.size(); ++i) {
        const SourcePlace &place = m_program.placeOf(m_program.instructions[i]);
        if (place.line <= line && line <= place.endLine)
            found.push_back(InstructionId(i));
    }
    return found;
}

InspectedTile Inspector::tileOf(const Operand &operand) const
{
    const Storage &storage = m_program.storage(operand);
    const AccessPattern &pattern = m_program.pattern(operand);
    InspectedTile tile;
    tile.tensor = name(storage.memory);
    if (storage.tensor >= 0) {
        const Tensor &tensor = m_program.tensors[std::size_t(storage.tensor)];
        if (!tensor.name.empty())
            tile.tensor = tensor.name;
        tile.block = operand.storage - tensor.firstStorage;
    }
    tile.memory = storage.memory;
    tile.dtype = storage.dtype;
    tile.partitions = pattern.partitions();
    for (int axis = 1; axis < pattern.rank; ++axis)
        tile.freeAxes.push_back(pattern.size[std::size_t(axis)]);
    const std::int64_t row =
        storage.memory == Memory::Hbm ? 0 : std::max<std::int64_t>(storage.freeElements, 1);
    tile.firstPartition = row == 0 ? 0 : operand.offset / row;
    tile.firstElement = row == 0 ? operand.offset : operand.offset % row;
    return tile;
}

InspectedInstance Inspector::describe(InstructionId id) const
{
    const Instruction &instruction = m_program.instructions[std::size_t(id)];
    InspectedInstance instance;
    instance.instruction = id;
    instance.opcode = instruction.opcode;
    instance.engine = instruction.engine;
    instance.place = m_program.placeOf(instruction);
    for (std::int32_t at = instruction.iteration; at > 0;
         at = m_program.iterations[std::size_t(at)].parent) {
        const Iteration &iteration = m_program.iterations[std::size_t(at)];
        instance.loops.push_back({iteration.kind, iteration.index, {}});
    }
    std::reverse(instance.loops.begin(), instance.loops.end());
    if (m_tree != nullptr) {
        // The loops of the text are the innermost ones; calls may add others around them. A loop
        // over a list is none of the program's, and then nobody can tell which is which.
        const std::vector<std::string> names = loopVariables(*m_tree, instance.place);
        if (names.size() <= instance.loops.size())
            for (std::size_t k = 0; k < names.size(); ++k)
                instance.loops[instance.loops.size() - names.size() + k].variable = names[k];
    }
    for (const Operand &operand : m_program.outputsOf(instruction)) {
        instance.tiles.push_back(tileOf(operand));
        instance.tiles.back().destination = true;
    }
    for (const Operand &operand : m_program.inputsOf(instruction))
        instance.tiles.push_back(tileOf(operand));
    return instance;
}

Result<InspectedInstance> Inspector::inspect(InstructionId id, std::span<const InputData> inputs,
                                             const Window &window) const
{
    InspectedInstance instance = describe(id);
    const auto show = [&](std::size_t operand, std::span<const float> values) {
        InspectedTile &tile = instance.tiles[operand];
        const std::int64_t columns = tile.columns();
        Excerpt excerpt;
        excerpt.firstRow = std::clamp<std::int64_t>(window.firstRow, 0, tile.partitions - 1);
        excerpt.firstColumn = std::clamp<std::int64_t>(window.firstColumn, 0, columns - 1);
        excerpt.rows = std::clamp<std::int64_t>(window.rows, 0, tile.partitions - excerpt.firstRow);
        excerpt.columns =
            std::clamp<std::int64_t>(window.columns, 0, columns - excerpt.firstColumn);
        for (std::int64_t row = 0; row < excerpt.rows; ++row)
            for (std::int64_t column = 0; column < excerpt.columns; ++column)
                excerpt.values.push_back(values[std::size_t((excerpt.firstRow + row) * columns +
                                                            excerpt.firstColumn + column)]);
        tile.values = std::move(excerpt);
    };
    ACCELOPT_CHECK(Executor(m_program, m_dependences).observe(id, inputs, show));
    return instance;
}

Occupancy Inspector::occupancy(std::size_t mostPoints) const
{
    const std::size_t count = m_program.instructions.size();
    Occupancy occupancy;
    if (count == 0 || mostPoints == 0)
        return occupancy;
    std::vector<InstructionId> first(m_program.storages.size(), kNoInstruction);
    std::vector<InstructionId> last(m_program.storages.size(), kNoInstruction);
    for (std::size_t i = 0; i < count; ++i) {
        const Instruction &instruction = m_program.instructions[i];
        for (const auto &operands :
             {m_program.outputsOf(instruction), m_program.inputsOf(instruction)})
            for (const Operand &operand : operands) {
                InstructionId &begin = first[std::size_t(operand.storage)];
                begin = begin == kNoInstruction ? InstructionId(i) : begin;
                last[std::size_t(operand.storage)] = InstructionId(i);
            }
    }
    // What begins and ends at each instruction.
    std::vector<std::int64_t> sbuf(count + 1, 0);
    std::vector<std::int64_t> psum(count + 1, 0);
    for (std::size_t s = 0; s < m_program.storages.size(); ++s) {
        const Storage &storage = m_program.storages[s];
        if (first[s] == kNoInstruction || storage.memory == Memory::Hbm)
            continue;
        auto &changes = storage.memory == Memory::Sbuf ? sbuf : psum;
        changes[std::size_t(first[s])] += storage.bytesPerPartition();
        changes[std::size_t(last[s]) + 1] -= storage.bytesPerPartition();
    }
    const std::size_t each = (count + mostPoints - 1) / mostPoints;
    std::int64_t sbufNow = 0;
    std::int64_t psumNow = 0;
    for (std::size_t i = 0; i < count; ++i) {
        sbufNow += sbuf[i];
        psumNow += psum[i];
        if (i % each == 0)
            occupancy.points.push_back({InstructionId(i), 0, 0});
        Occupancy::Point &point = occupancy.points.back();
        point.sbufBytes = std::max(point.sbufBytes, sbufNow);
        point.psumBytes = std::max(point.psumBytes, psumNow);
        if (sbufNow > occupancy.mostSbufBytes) {
            occupancy.mostSbufBytes = sbufNow;
            occupancy.mostSbufAt = InstructionId(i);
        }
        if (psumNow > occupancy.mostPsumBytes) {
            occupancy.mostPsumBytes = psumNow;
            occupancy.mostPsumAt = InstructionId(i);
        }
    }
    return occupancy;
}

std::vector<std::int64_t> Inspector::selectedOf(const Instruction &instruction) const
{
    const Operand &operand = m_program.outputsOf(instruction).front();
    const AccessPattern &pattern = m_program.pattern(operand);
    std::vector<std::int64_t> addresses = addressesOf(pattern, operand.offset);
    if (instruction.mask < 0)
        return addresses;
    std::vector<std::int64_t> selected;
    forEachSelected(m_program.masks[std::size_t(instruction.mask)], pattern,
                    [&](std::int64_t n) { selected.push_back(addresses[std::size_t(n)]); });
    return selected;
}

InstructionId Inspector::writerOf(std::int32_t output, std::int64_t element) const
{
    const auto &writers = m_dependences.outputWriters();
    if (output < 0 || std::size_t(output) >= writers.size())
        return kNoInstruction;
    for (auto it = writers[std::size_t(output)].rbegin(); it != writers[std::size_t(output)].rend();
         ++it) {
        const Instruction &instruction = m_program.instructions[std::size_t(*it)];
        const Operand &operand = m_program.outputsOf(instruction).front();
        const AccessPattern &pattern = m_program.pattern(operand);
        const std::int64_t lowest = lowestAddress(pattern, operand.offset);
        if (element < lowest || element > lowest + pattern.extent())
            continue;
        const std::vector<std::int64_t> written = selectedOf(instruction);
        if (std::find(written.begin(), written.end(), element) != written.end())
            return *it;
    }
    return kNoInstruction;
}

std::vector<bool> Inspector::laterWrites(std::int32_t output, InstructionId store,
                                         std::int64_t first, std::int64_t count) const
{
    std::vector<bool> written(std::size_t(count), false);
    for (const InstructionId writer : m_dependences.outputWriters()[std::size_t(output)]) {
        if (writer <= store)
            continue;
        const Instruction &instruction = m_program.instructions[std::size_t(writer)];
        const Operand &operand = m_program.outputsOf(instruction).front();
        const AccessPattern &pattern = m_program.pattern(operand);
        const std::int64_t lowest = lowestAddress(pattern, operand.offset);
        if (lowest >= first + count || lowest + pattern.extent() < first)
            continue;
        for (const std::int64_t element : selectedOf(instruction))
            if (element >= first && element < first + count)
                written[std::size_t(element - first)] = true;
    }
    return written;
}

Inspector::Window Inspector::positionOf(InstructionId writer, std::int64_t element) const
{
    const Instruction &instruction = m_program.instructions[std::size_t(writer)];
    const Operand &operand = m_program.outputsOf(instruction).front();
    const AccessPattern &pattern = m_program.pattern(operand);
    const std::vector<std::int64_t> addresses = addressesOf(pattern, operand.offset);
    const auto at = std::find(addresses.begin(), addresses.end(), element) - addresses.begin();
    const std::int64_t columns = std::max<std::int64_t>(pattern.freeCount(), 1);
    Window window;
    window.firstRow = at / columns;
    window.firstColumn = at % columns;
    return window;
}

Result<std::optional<WrongElement>> Inspector::firstWrong(std::span<const InputData> inputs,
                                                          std::span<const ExpectedValues> expected,
                                                          double limit) const
{
    const Executor executor(m_program, m_dependences);
    std::optional<WrongElement> wrong;
    for (std::size_t output = 0; output < expected.size() && !wrong; ++output) {
        const ExpectedValues &should = expected[output];
        if (output >= m_dependences.outputWriters().size())
            break;
        std::vector<InstructionId> stores = m_dependences.outputWriters()[output];
        const auto firstOf = [&](InstructionId id) {
            const Operand &to =
                m_program.outputsOf(m_program.instructions[std::size_t(id)]).front();
            return lowestAddress(m_program.pattern(to), to.offset);
        };
        ElementErrors errors(should, limit);
        std::stable_sort(stores.begin(), stores.end(),
                         [&](InstructionId a, InstructionId b) { return firstOf(a) < firstOf(b); });
        const auto take = [&](const StoredRegion &region) {
            const Instruction &instruction =
                m_program.instructions[std::size_t(region.instruction)];
            const AccessPattern &pattern = m_program.patterns[region.pattern];
            const std::vector<std::int64_t> addresses = addressesOf(pattern, region.offset);
            const std::int64_t lowest = lowestAddress(pattern, region.offset);
            std::vector<bool> overwritten; // by a later store; worked out when first asked for
            const auto lasts = [&](std::int64_t element) {
                if (overwritten.empty())
                    overwritten = laterWrites(std::int32_t(output), region.instruction, lowest,
                                              pattern.extent() + 1);
                return !overwritten[std::size_t(element - lowest)];
            };
            const auto look = [&](std::int64_t n) {
                const std::int64_t element = addresses[std::size_t(n)];
                if (element >= should.count || std::size_t(n) >= region.values.size() ||
                    (wrong && wrong->element <= element))
                    return;
                const float value = region.values[std::size_t(n)];
                const double error = errors.of(element, value);
                // A value that does not last is nobody's concern.
                if (error > 0 && lasts(element))
                    wrong = WrongElement{std::int32_t(output),     element, value,
                                         should.elements[element], error,   region.instruction};
            };
            if (instruction.mask >= 0)
                forEachSelected(m_program.masks[std::size_t(instruction.mask)], pattern, look);
            else
                for (std::int64_t n = 0; n < std::int64_t(addresses.size()); ++n)
                    look(n);
            return true;
        };
        // A kernel is mostly wrong from the start: few stores first, then twice as many.
        std::size_t done = 0;
        for (std::size_t batch = 1; done < stores.size(); batch *= 2) {
            const std::size_t end = std::min(stores.size(), done + batch);
            ACCELOPT_CHECK(executor.run(std::span(stores).subspan(done, end - done), inputs, take));
            done = end;
            if (wrong && (done == stores.size() || firstOf(stores[done]) > wrong->element))
                break;
        }
    }
    return wrong;
}

} // namespace accelopt::nki
