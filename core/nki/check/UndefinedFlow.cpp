// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/check/UndefinedFlow.h"

#include "core/nki/program/MaskWalk.h"

#include <algorithm>
#include <array>

namespace accelopt::nki {

namespace {

/// About a second's worth; a kernel that exceeds it reads undefined contents almost everywhere.
constexpr std::int64_t kMaximumWork = 300'000'000;
constexpr std::int64_t kMaximumElements = std::int64_t(1) << 26;

/// The earlier of two origins; 0 means none.
std::int32_t merged(std::int32_t a, std::int32_t b)
{
    return a == 0 ? b : b == 0 ? a : std::min(a, b);
}

/// Whether an affine select takes its data at each element of the box.
std::vector<bool> takesData(const Parameters &p, const AccessPattern &box)
{
    std::vector<bool> result;
    const auto total = std::size_t(box.count());
    result.reserve(total);
    std::array<std::int64_t, AccessPattern::kMaximumRank> index{};
    while (result.size() < total) {
        std::int64_t value = p.iota[0];
        for (std::size_t axis = 0; axis < AccessPattern::kMaximumRank; ++axis)
            value += p.iota[axis + 1] * index[axis];
        switch (p.op0) {
        case AluOp::Equal: result.push_back(value == 0); break;
        case AluOp::NotEqual: result.push_back(value != 0); break;
        case AluOp::Greater: result.push_back(value > 0); break;
        case AluOp::Less: result.push_back(value < 0); break;
        case AluOp::LessEqual: result.push_back(value <= 0); break;
        default: result.push_back(value >= 0);
        }
        for (int axis = box.rank - 1; axis >= 0; --axis) {
            if (++index[std::size_t(axis)] < box.size[std::size_t(axis)])
                break;
            index[std::size_t(axis)] = 0;
        }
    }
    return result;
}

/// For each element of a reduction's data the number of the result it goes into.
std::vector<std::int64_t> resultNumbers(const AccessPattern &data, std::uint8_t reducedAxes)
{
    const unsigned reduced = reducedAxes == 0 ? 0xfeU : unsigned(reducedAxes);
    AccessPattern numbers = data;
    std::int64_t stride = 1;
    for (std::size_t axis = std::size_t(data.rank); axis-- > 0;) {
        const bool stays = (reduced >> axis & 1U) == 0;
        numbers.stride[axis] = stays ? stride : 0;
        if (stays)
            stride *= data.size[axis];
    }
    return addressesOf(numbers, 0);
}

} // namespace

UndefinedFlow::UndefinedFlow(const Program &program, std::span<const UninitialisedRead> reads)
    : m_program(program),
      m_index(program.storages.size(), -1)
{
    for (const UninitialisedRead &read : reads) {
        const std::int64_t elements = program.storages[std::size_t(read.storage)].elements();
        m_work += elements;
        if (elements > kMaximumElements || m_work > kMaximumWork) {
            m_work = kMaximumWork + 1;
            return;
        }
        if (flagsOf(read.storage) == nullptr)
            makeFlags(read.storage, kUnread);
    }
}

UndefinedFlow::Flags *UndefinedFlow::flagsOf(StorageId storage)
{
    const std::int32_t index = m_index[std::size_t(storage)];
    return index < 0 ? nullptr : &m_flags[std::size_t(index)];
}

UndefinedFlow::Flags &UndefinedFlow::makeFlags(StorageId storage, Flag initial)
{
    m_index[std::size_t(storage)] = std::int32_t(m_flags.size());
    m_flags.emplace_back(std::size_t(m_program.storages[std::size_t(storage)].elements()), initial);
    return m_flags.back();
}

std::optional<std::vector<InstructionId>> UndefinedFlow::readersThatMatter()
{
    for (std::size_t id = 0; id < m_program.instructions.size(); ++id) {
        if (m_work > kMaximumWork)
            return std::nullopt;
        if (touches(m_program.instructions[id]))
            visit(InstructionId(id));
    }
    std::sort(m_matter.begin(), m_matter.end());
    m_matter.erase(std::unique(m_matter.begin(), m_matter.end()), m_matter.end());
    return m_matter;
}

bool UndefinedFlow::touches(const Instruction &instruction) const
{
    const std::size_t count = std::size_t(instruction.outputs) + instruction.inputs;
    for (std::size_t k = 0; k < count; ++k)
        if (m_index[std::size_t(
                m_program.operands[std::size_t(instruction.firstOperand) + k].storage)] >= 0)
            return true;
    return false;
}

void UndefinedFlow::visit(InstructionId id)
{
    const Instruction &instruction = m_program.instructions[std::size_t(id)];
    const auto outputs = m_program.outputsOf(instruction);
    // What a mask leaves out neither takes part nor is written.
    std::vector<bool> selected;
    if (instruction.mask >= 0) {
        const AccessPattern &box = maskBox(m_program, instruction);
        selected.resize(std::size_t(box.count()));
        forEachSelected(m_program.masks[std::size_t(instruction.mask)], box,
                        [&](std::int64_t number) { selected[std::size_t(number)] = true; });
    }
    const auto leaveOut = [&](Flags &flags) {
        if (flags.size() == selected.size())
            for (std::size_t k = 0; k < flags.size(); ++k)
                flags[k] = selected[k] ? flags[k] : 0;
    };
    std::vector<Flags> inputs;
    for (const Operand &input : m_program.inputsOf(instruction)) {
        inputs.push_back(read(id, input));
        if (instruction.opcode != Opcode::Matmul)
            leaveOut(inputs.back());
    }
    if (outputs.empty())
        return;
    const Flags previous =
        readsDestination(m_program, instruction) ? read(id, outputs[0]) : Flags{};
    Flags result = resultOf(instruction, inputs, previous);
    leaveOut(result);
    write(instruction, outputs[0], result);
    if (outputs.size() > 1) {
        // The reduction beside an elementwise result: one value per row.
        const AccessPattern &box = m_program.pattern(outputs[0]);
        const std::int64_t length = std::max<std::int64_t>(box.freeCount(), 1);
        Flags rows(std::size_t(m_program.pattern(outputs[1]).count()));
        for (std::size_t k = 0; k < result.size(); ++k) {
            const std::size_t row = k / std::size_t(length);
            if (row < rows.size())
                rows[row] = merged(rows[row], result[k]);
        }
        write(instruction, outputs[1], rows);
    }
}

/// Flags of an operand's elements in order; empty where all are defined.
UndefinedFlow::Flags UndefinedFlow::read(InstructionId id, const Operand &operand)
{
    const Flags *flags = flagsOf(operand.storage);
    if (flags == nullptr)
        return {};
    const std::vector<std::int64_t> addresses =
        addressesOf(m_program.pattern(operand), operand.offset);
    m_work += std::int64_t(addresses.size());
    Flags result(addresses.size());
    bool any = false;
    for (std::size_t k = 0; k < addresses.size(); ++k) {
        if (addresses[k] < 0 || addresses[k] >= std::int64_t(flags->size()))
            continue; // masked off
        const Flag flag = (*flags)[std::size_t(addresses[k])];
        result[k] = flag == kUnread ? id + 1 : flag;
        any = any || flag != 0;
    }
    return any ? result : Flags{};
}

UndefinedFlow::Flags UndefinedFlow::resultOf(const Instruction &instruction,
                                             std::span<const Flags> inputs,
                                             const Flags &previous) const
{
    const AccessPattern &box = m_program.pattern(m_program.outputsOf(instruction)[0]);
    const Parameters &parameters = m_program.parametersOf(instruction);
    const auto total = std::size_t(box.count());
    Flags result(total);
    if (previous.size() == total)
        result = previous;
    const auto everywhere = [&](const Flags &flags) {
        Flag origin = 0;
        for (const Flag flag : flags)
            origin = merged(origin, flag);
        for (Flag &flag : result)
            flag = merged(flag, origin);
    };
    const auto operands = m_program.inputsOf(instruction);
    for (std::size_t n = 0; n < inputs.size(); ++n) {
        const Flags &flags = inputs[n];
        if (flags.empty())
            continue;
        const AccessPattern &pattern = m_program.pattern(operands[n]);
        const auto partitions = std::size_t(pattern.partitions());
        const auto length = std::size_t(pattern.freeCount());
        const auto boxLength = std::size_t(std::max<std::int64_t>(box.freeCount(), 1));
        switch (instruction.opcode) {
        case Opcode::Matmul: {
            // An undefined element of a row of the contraction spoils its column of the stationary
            // operand's result rows, or of the moving operand's result columns.
            Flags columns(length);
            for (std::size_t k = 0; k < flags.size(); ++k)
                columns[k % length] = merged(columns[k % length], flags[k]);
            for (std::size_t k = 0; k < total; ++k) {
                const std::size_t place = n == 0 ? k / boxLength : k % boxLength;
                if (place < length)
                    result[k] = merged(result[k], columns[place]);
            }
            break;
        }
        case Opcode::Transpose:
            if (flags.size() != total) {
                everywhere(flags);
                break;
            }
            for (std::size_t k = 0; k < total; ++k)
                result[k % length * partitions + k / length] = flags[k];
            break;
        case Opcode::PartitionReduce:
            for (std::size_t k = 0; k < flags.size() && total == length; ++k)
                result[k % length] = merged(result[k % length], flags[k]);
            break;
        case Opcode::Reduce: {
            const std::vector<std::int64_t> numbers =
                resultNumbers(pattern, parameters.reducedAxes);
            for (std::size_t k = 0; k < flags.size(); ++k)
                if (numbers[k] < std::int64_t(total))
                    result[std::size_t(numbers[k])] =
                        merged(result[std::size_t(numbers[k])], flags[k]);
            break;
        }
        case Opcode::Scan:
        case Opcode::BatchNormStats:
        case Opcode::BatchNormAggregate:
        case Opcode::Max8: {
            Flags rows(partitions);
            for (std::size_t k = 0; k < flags.size(); ++k)
                rows[k / length] = merged(rows[k / length], flags[k]);
            for (std::size_t k = 0; k < total; ++k)
                if (k / boxLength < partitions)
                    result[k] = merged(result[k], rows[k / boxLength]);
            break;
        }
        case Opcode::Shuffle: everywhere(flags); break;
        default: {
            const std::vector<bool> taken = instruction.opcode == Opcode::AffineSelect
                                                ? takesData(parameters, box)
                                                : std::vector<bool>();
            if (flags.size() == total) {
                for (std::size_t k = 0; k < total; ++k)
                    if (taken.empty() || taken[k])
                        result[k] = merged(result[k], flags[k]);
            } else if (length == 1 && partitions == std::size_t(box.partitions())) {
                for (std::size_t k = 0; k < total; ++k)
                    result[k] = merged(result[k], flags[k / boxLength]);
            } else if (partitions == 1 && length == boxLength) {
                for (std::size_t k = 0; k < total; ++k)
                    result[k] = merged(result[k], flags[k % boxLength]);
            } else {
                everywhere(flags);
            }
        }
        }
    }
    return result;
}

void UndefinedFlow::write(const Instruction &instruction, const Operand &operand,
                          const Flags &flags)
{
    const bool undefined = std::any_of(flags.begin(), flags.end(), [](Flag f) { return f != 0; });
    Flags *target = flagsOf(operand.storage);
    if (target == nullptr && !undefined)
        return;
    if (target == nullptr)
        target = &makeFlags(operand.storage, 0);
    const std::int32_t tensor = m_program.storage(operand).tensor;
    const bool returned = tensor >= 0 && m_program.tensors[std::size_t(tensor)].output >= 0;
    const std::vector<std::int64_t> addresses =
        addressesOf(m_program.pattern(operand), operand.offset);
    m_work += std::int64_t(addresses.size());
    const auto put = [&](std::int64_t number) {
        const auto k = std::size_t(number);
        if (k >= flags.size() || addresses[k] < 0 || addresses[k] >= std::int64_t(target->size()))
            return;
        (*target)[std::size_t(addresses[k])] = flags[k];
        if (returned && flags[k] > 0 && (m_matter.empty() || m_matter.back() != flags[k] - 1))
            m_matter.push_back(flags[k] - 1);
    };
    const bool aboutThis = instruction.mask >= 0 && maskBox(m_program, instruction).count() ==
                                                        std::int64_t(addresses.size());
    if (aboutThis)
        forEachSelected(m_program.masks[std::size_t(instruction.mask)],
                        maskBox(m_program, instruction), put);
    else
        for (std::int64_t k = 0; k < std::int64_t(addresses.size()); ++k)
            put(k);
}

} // namespace accelopt::nki
