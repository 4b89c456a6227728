// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/check/Dependences.h"

#include "core/nki/check/DependenceBuilder.h"
#include "core/nki/program/MaskWalk.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::nki {

namespace {

// Trainium 1: 192 KiB less the 16 KiB the runtime keeps (NKI Direct Allocation Guide), and one PSUM
// bank.
constexpr std::int64_t kSbufBytesPerPartition = 180224;
constexpr std::int64_t kPsumBankBytes = 2048;
constexpr std::int32_t kMaximumPartitions = 128;
constexpr std::size_t kMaximumProblems = 8;
/// Reads of undefined contents that are looked at one by one.
constexpr std::size_t kMaximumUndefined = 4096;

/// Operators for which the order of the passes of a loop does not matter.
bool isAssociative(AluOp op)
{
    switch (op) {
    case AluOp::Add:
    case AluOp::Subtract:
    case AluOp::Multiply:
    case AluOp::Maximum:
    case AluOp::Minimum:
    case AluOp::LogicalAnd:
    case AluOp::LogicalOr:
    case AluOp::LogicalXor:
    case AluOp::BitwiseAnd:
    case AluOp::BitwiseOr:
    case AluOp::BitwiseXor: return true;
    default: return false;
    }
}

bool sameRegion(const Operand &a, const Operand &b)
{
    return a.storage == b.storage && a.offset == b.offset && a.pattern == b.pattern;
}

/// "[3, 0, 17]" for a linear number in a tensor of this shape.
std::string indexText(std::int64_t linear, const std::vector<std::int64_t> &shape)
{
    std::vector<std::int64_t> index(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        index[axis] = linear % std::max<std::int64_t>(shape[axis], 1);
        linear /= std::max<std::int64_t>(shape[axis], 1);
    }
    return fmt::format("[{}]", fmt::join(index, ", "));
}

std::string elementsText(std::int64_t count)
{
    return count == 1 ? "1 element" : fmt::format("{} elements", count);
}

} // namespace

DependenceBuilder::DependenceBuilder(const Program &program)
    : m_program(program),
      m_writers(program),
      m_given(program.storages.size())
{
    for (std::size_t id = 0; id < m_given.size(); ++id) {
        const StorageRole role = program.storages[id].role;
        const Tensor *tensor = tensorOf(StorageId(id));
        m_given[id] = role == StorageRole::Input || role == StorageRole::Constant ||
                      (tensor != nullptr && tensor->initialised);
    }
    m_result.m_outputWriters.resize(program.outputs.size());
}

Dependences DependenceBuilder::build()
{
    checkCapacity();
    if (!m_writers.complete())
        report(Problem::TooLarge, -1,
               "The kernel's tensors are too large, or are used in too small pieces, to be "
               "followed element "
               "by element",
               "Use larger tiles, or whole rows of tensors.");
    const std::size_t count = m_program.instructions.size();
    m_result.m_start.reserve(count + 1);
    m_result.m_producers.reserve(2 * count);
    m_result.m_start.push_back(0);
    for (std::size_t id = 0; id < count; ++id)
        visit(InstructionId(id));
    checkUndefined();
    checkOutputs();

    std::stable_sort(m_found.begin(), m_found.end(),
                     [](const Found &a, const Found &b) { return a.problem < b.problem; });
    if (m_found.size() > kMaximumProblems)
        m_found.resize(kMaximumProblems);
    for (Found &found : m_found)
        m_result.m_problems.push_back(std::move(found.reason));
    return std::move(m_result);
}

void DependenceBuilder::visit(InstructionId id)
{
    const Instruction &instruction = m_program.instructions[std::size_t(id)];
    m_sources.clear();
    const bool masked = instruction.mask >= 0;
    if (masked) {
        const AccessPattern &box = maskBox(m_program, instruction);
        m_box = box.count();
        m_selected.clear();
        forEachSelected(m_program.masks[std::size_t(instruction.mask)], box,
                        [this](std::int64_t number) { m_selected.push_back(number); });
    }
    // The two operands of a product have axes of their own: its mask is about the result.
    const bool maskedInputs = masked && instruction.opcode != Opcode::Matmul;
    for (const Operand &input : m_program.inputsOf(instruction))
        if (usable(instruction, input, maskedInputs))
            read(id, input, maskedInputs, accumulatesInto(instruction, input));
    const auto outputs = m_program.outputsOf(instruction);
    if (readsDestination(m_program, instruction) && !outputs.empty() &&
        usable(instruction, outputs[0], masked))
        read(id, outputs[0], masked, true);
    for (const Operand &output : outputs)
        if (usable(instruction, output, masked))
            write(id, output, masked);

    if (m_sources.size() > 1) {
        std::sort(m_sources.begin(), m_sources.end());
        m_sources.erase(std::unique(m_sources.begin(), m_sources.end()), m_sources.end());
    }
    m_result.m_producers.insert(m_result.m_producers.end(), m_sources.begin(), m_sources.end());
    m_result.m_start.push_back(std::int64_t(m_result.m_producers.size()));
}

bool DependenceBuilder::usable(const Instruction &instruction, const Operand &operand, bool masked)
{
    if (masked && m_program.pattern(operand).count() == m_box)
        return true; // each selected element is looked at by itself
    if (m_writers.inside(operand))
        return true;
    report(Problem::OutOfBound, instruction.place,
           fmt::format("The access {} at element {} reaches outside of {}, which has {}",
                       m_program.pattern(operand).describe(), operand.offset,
                       tensorName(operand.storage),
                       elementsText(m_program.storage(operand).elements())),
           "Keep every index inside the tensor's shape, or mask the rest off.");
    return false;
}

template <typename Visit>
void DependenceBuilder::forEachMasked(const Operand &operand, Visit &&visit)
{
    const std::vector<std::int64_t> addresses =
        addressesOf(m_program.pattern(operand), operand.offset);
    const std::int64_t elements = m_program.storage(operand).elements();
    for (const std::int64_t number : m_selected) {
        const std::int64_t address = addresses[std::size_t(number)];
        if (address >= 0 && address < elements)
            visit(m_writers.entryOf(operand.storage, address));
    }
}

void DependenceBuilder::read(InstructionId id, const Operand &operand, bool masked,
                             bool ownDestination)
{
    const WriterMap::Layout &layout = m_writers.layout(operand.storage);
    if (!layout.tracked)
        return;
    // A tile that is written and read whole has one entry: the usual case, without a walk.
    WriterMap::Entry last = 0;
    std::int64_t missing = 0;
    if (masked && m_program.pattern(operand).count() == m_box) {
        forEachMasked(operand, [&](const WriterMap::Entry *entry) {
            if (*entry == 0)
                ++missing;
            else if (*entry != last)
                noteRead(id, operand, last = *entry, ownDestination);
        });
    } else {
        const std::int64_t granule = layout.freeGranule * layout.partitionGranule;
        m_writers.forEachSpan(operand, [&](const WriterMap::Entry *first, std::int64_t count) {
            for (const WriterMap::Entry *entry = first; entry != first + count; ++entry) {
                if (*entry == 0)
                    missing += granule;
                else if (*entry != last)
                    noteRead(id, operand, last = *entry, ownDestination);
            }
        });
    }
    if (missing == 0 || m_given[std::size_t(operand.storage)] != 0)
        return;
    const Instruction &instruction = m_program.instructions[std::size_t(id)];
    m_undefined.push_back({id, operand.storage});
    if (m_undefinedReasons.size() >= kMaximumUndefined)
        return;
    const bool told =
        std::any_of(m_undefinedReasons.begin(), m_undefinedReasons.end(), [&](const auto &one) {
            return one.place == instruction.place && one.storage == operand.storage;
        });
    if (!told)
        m_undefinedReasons.push_back({id, operand.storage, instruction.place, missing});
}

void DependenceBuilder::noteRead(InstructionId id, const Operand &operand, WriterMap::Entry entry,
                                 bool ownDestination)
{
    const auto writer = InstructionId(entry - 1);
    m_sources.push_back(writer);
    const Instruction &instruction = m_program.instructions[std::size_t(id)];
    const std::int32_t here = instruction.iteration;
    const std::int32_t there = m_program.instructions[std::size_t(writer)].iteration;
    if (here == there || ownDestination)
        return;
    const Tensor *tensor = tensorOf(operand.storage);
    if (!inParallelPasses(there, here, tensor == nullptr ? 0 : tensor->iteration))
        return;
    report(Problem::NeedsSequential, instruction.place,
           fmt::format("Pass {} of a parallel loop reads what pass {} wrote to {} (line {})",
                       m_passB, m_passA, tensorName(operand.storage),
                       m_program.placeOf(m_program.instructions[std::size_t(writer)]).line),
           "The passes of nl.affine_range may run in any order: use nl.sequential_range where one "
           "needs "
           "another's result.");
}

void DependenceBuilder::write(InstructionId id, const Operand &operand, bool masked)
{
    const WriterMap::Layout &layout = m_writers.layout(operand.storage);
    const Instruction &instruction = m_program.instructions[std::size_t(id)];
    const Tensor *tensor = tensorOf(operand.storage);
    if (tensor != nullptr && tensor->output >= 0) {
        auto &writers = m_result.m_outputWriters[std::size_t(tensor->output)];
        if (writers.empty() || writers.back() != id)
            writers.push_back(id);
    } else if (const StorageRole role = m_program.storage(operand).role;
               role == StorageRole::Input || role == StorageRole::Constant) {
        report(Problem::WritesInput, instruction.place,
               fmt::format("{} is {} and must not be written", tensorName(operand.storage),
                           role == StorageRole::Input ? "an input of the kernel" : "a constant"),
               "Write to a tensor made with nl.ndarray(..., buffer=nl.shared_hbm) and return that "
               "one.");
        return;
    }
    if (!layout.tracked)
        return;
    const auto mine = WriterMap::Entry(id + 1);
    WriterMap::Entry last = 0;
    const auto put = [&](WriterMap::Entry *entry) {
        if (*entry != 0 && *entry != last && *entry != mine)
            noteOverwrite(id, operand, last = *entry);
        *entry = mine;
    };
    if (masked && m_program.pattern(operand).count() == m_box)
        forEachMasked(operand, put);
    else
        m_writers.forEachSpan(operand, [&](WriterMap::Entry *first, std::int64_t count) {
            for (WriterMap::Entry *entry = first; entry != first + count; ++entry)
                put(entry);
        });
}

void DependenceBuilder::noteOverwrite(InstructionId id, const Operand &operand,
                                      WriterMap::Entry entry)
{
    const Instruction &instruction = m_program.instructions[std::size_t(id)];
    const Instruction &writer = m_program.instructions[std::size_t(entry) - 1];
    if (instruction.iteration == writer.iteration)
        return;
    const Tensor *tensor = tensorOf(operand.storage);
    if (accumulates(instruction) || !inParallelPasses(writer.iteration, instruction.iteration,
                                                      tensor == nullptr ? 0 : tensor->iteration))
        return;
    report(
        Problem::OutputDependence, instruction.place,
        fmt::format(
            "Passes {} and {} of a parallel loop write the same elements of {} (lines {} and {})",
            m_passA, m_passB, tensorName(operand.storage), m_program.placeOf(writer).line,
            m_program.placeOf(instruction).line),
        "Index the destination with the loop's variable, make the tensor inside the loop, or use "
        "nl.sequential_range.");
}

void DependenceBuilder::checkUndefined()
{
    if (m_undefined.empty())
        return;
    const auto readers = UndefinedFlow(m_program, m_undefined).readersThatMatter();
    bool told = false;
    for (const Undefined &undefined : m_undefinedReasons) {
        if (readers && !std::binary_search(readers->begin(), readers->end(), undefined.reader))
            continue;
        const Instruction &instruction = m_program.instructions[std::size_t(undefined.reader)];
        report(Problem::UninitialisedRead, undefined.place,
               fmt::format(
                   "{} of {} {} read by {} before anything was written there, and what comes of "
                   "it gets into the result",
                   elementsText(undefined.missing), tensorName(undefined.storage),
                   undefined.missing == 1 ? "is" : "are", name(instruction.opcode)),
               "Memory starts with undefined contents: write every element first, or make the "
               "tensor with "
               "nl.zeros or nl.full.");
        told = true;
    }
    if (!told && readers && !readers->empty()) {
        // Only readers matter that were not kept for a message of their own.
        const Instruction &reader = m_program.instructions[std::size_t(readers->front())];
        report(Problem::UninitialisedRead, reader.place,
               fmt::format(
                   "{} reads memory before anything was written there, and what comes of it gets "
                   "into the result",
                   name(reader.opcode)),
               "Write every element first, or make the tensor with nl.zeros or nl.full.");
    }
}

bool DependenceBuilder::accumulatesInto(const Instruction &instruction, const Operand &input) const
{
    if (instruction.outputs == 0 || !sameRegion(m_program.outputsOf(instruction)[0], input))
        return false;
    const Parameters &parameters = m_program.parametersOf(instruction);
    switch (instruction.opcode) {
    case Opcode::TensorTensor: return isAssociative(parameters.op0);
    case Opcode::ScalarTensorTensor: return isAssociative(parameters.op1);
    default: return false;
    }
}

bool DependenceBuilder::accumulates(const Instruction &instruction) const
{
    if (readsDestination(m_program, instruction))
        return true;
    for (const Operand &input : m_program.inputsOf(instruction))
        if (accumulatesInto(instruction, input))
            return true;
    return false;
}

bool DependenceBuilder::inParallelPasses(std::int32_t a, std::int32_t b,
                                         std::int32_t tensorIteration)
{
    if (a == m_pairA && b == m_pairB && tensorIteration == m_pairTensor)
        return m_pairAnswer;
    m_pairA = a;
    m_pairB = b;
    m_pairTensor = tensorIteration;
    m_pairAnswer = false;
    const auto &iterations = m_program.iterations;
    const auto at = [&](std::int32_t id) -> const Iteration & {
        return iterations[std::size_t(id)];
    };
    while (at(a).depth > at(b).depth)
        a = at(a).parent;
    while (at(b).depth > at(a).depth)
        b = at(b).parent;
    if (a == b)
        return false; // one pass encloses the other
    while (at(a).parent != at(b).parent) {
        a = at(a).parent;
        b = at(b).parent;
    }
    if (at(a).loop != at(b).loop ||
        (at(a).kind != LoopKind::Affine && at(a).kind != LoopKind::Program))
        return false;
    std::int32_t common = at(a).parent;
    while (common > tensorIteration && at(common).depth > at(tensorIteration).depth)
        common = at(common).parent;
    if (common != tensorIteration)
        return false; // made inside one of the passes
    m_passA = at(a).index;
    m_passB = at(b).index;
    m_pairAnswer = true;
    return true;
}

void DependenceBuilder::checkCapacity()
{
    for (const Tensor &tensor : m_program.tensors) {
        if (tensor.blocks < 1 || std::size_t(tensor.firstStorage) >= m_program.storages.size())
            continue;
        const Storage &storage = m_program.storages[std::size_t(tensor.firstStorage)];
        if (storage.memory == Memory::Hbm)
            continue;
        const bool psum = storage.memory == Memory::Psum;
        const std::int64_t limit = psum ? kPsumBankBytes : kSbufBytesPerPartition;
        const std::string_view what = psum ? "err_psum_tile_too_large" : "err_sbuf_tile_too_large";
        std::string message;
        if (storage.bytesPerPartition() > limit)
            message = fmt::format("A tile of '{}' needs {} bytes in each partition; {} has {}",
                                  tensor.name, storage.bytesPerPartition(),
                                  psum ? "a PSUM bank" : "SBUF", limit);
        else if (storage.partitions > kMaximumPartitions)
            message = fmt::format("A tile of '{}' has {} partitions; the machine has {}",
                                  tensor.name, storage.partitions, kMaximumPartitions);
        if (message.empty() || m_found.size() >= kMaximumProblems)
            continue;
        Found found{Problem::TooLarge, {}};
        found.reason.layer = "structure";
        found.reason.rule =
            storage.partitions > kMaximumPartitions && storage.bytesPerPartition() <= limit
                ? "err_num_partition_exceed_arch_limit"
                : std::string(what);
        found.reason.message = std::move(message);
        found.reason.hint = fmt::format("At most {} {} elements fit in a partition of one tile: "
                                        "split the free dimension into block "
                                        "dimensions (left of nl.par_dim) or smaller tiles.",
                                        limit / byteSize(storage.dtype), name(storage.dtype));
        found.reason.place = tensor.place;
        m_found.push_back(std::move(found));
    }
}

void DependenceBuilder::checkOutputs()
{
    for (const std::int32_t id : m_program.outputs) {
        const Tensor &tensor = m_program.tensors[std::size_t(id)];
        const WriterMap::Layout &layout = m_writers.layout(tensor.firstStorage);
        const Storage &storage = m_program.storages[std::size_t(tensor.firstStorage)];
        if (!layout.tracked || storage.elements() == 0 ||
            m_given[std::size_t(tensor.firstStorage)] != 0)
            continue;
        const WriterMap::Entry *entries = m_writers.entries(tensor.firstStorage);
        const std::int64_t missing =
            std::count(entries, entries + layout.entries, WriterMap::Entry(0)) * layout.freeGranule;
        if (missing == 0)
            continue;
        const std::int64_t first =
            (std::find(entries, entries + layout.entries, WriterMap::Entry(0)) - entries) *
            layout.freeGranule;
        Found found{Problem::NotWritten, {}};
        found.reason.layer = "structure";
        found.reason.rule = "err_tensor_output_not_written_to";
        found.reason.message =
            missing == storage.elements()
                ? fmt::format("The output '{}' is never written", tensor.name)
                : fmt::format("{} of {} of the output '{}' {} never written, the first at index {}",
                              missing, elementsText(storage.elements()), tensor.name,
                              missing == 1 ? "is" : "are", indexText(first, tensor.shape));
        found.reason.hint =
            "Store to every element of what the kernel returns; check the bounds of the loops "
            "and masks around the store.";
        found.reason.place = tensor.place;
        m_found.push_back(std::move(found));
    }
}

void DependenceBuilder::report(Problem problem, std::int32_t place, std::string message,
                               std::string hint)
{
    const auto key = std::pair(problem, place);
    if (std::find(m_reported.begin(), m_reported.end(), key) != m_reported.end())
        return;
    // A kernel with hundreds of wrong lines is told the first ones of each kind.
    if (std::count_if(m_reported.begin(), m_reported.end(), [&](const auto &one) {
            return one.first == problem;
        }) >= std::ptrdiff_t(kMaximumProblems))
        return;
    m_reported.push_back(key);
    constexpr std::string_view kRules[] = {
        "err_tensor_access_out_of_bound",        "tensor_too_large",
        "err_cannot_update_immutable_parameter", "uninitialised_read",
        "err_unexpected_output_dependencies",    "needs_sequential_range",
        "err_tensor_output_not_written_to",
    };
    Found found{problem, {}};
    found.reason.layer = "structure";
    found.reason.rule = kRules[std::size_t(problem)];
    found.reason.message = std::move(message);
    found.reason.hint = std::move(hint);
    if (place >= 0)
        found.reason.place = m_program.places[std::size_t(place)];
    m_found.push_back(std::move(found));
}

const Tensor *DependenceBuilder::tensorOf(StorageId storage) const
{
    const std::int32_t tensor = m_program.storages[std::size_t(storage)].tensor;
    return tensor < 0 ? nullptr : &m_program.tensors[std::size_t(tensor)];
}

std::string DependenceBuilder::tensorName(StorageId storage) const
{
    const Tensor *tensor = tensorOf(storage);
    return tensor == nullptr || tensor->name.empty() ? "a tile" : "'" + tensor->name + "'";
}

Dependences analyse(const Program &program)
{
    return DependenceBuilder(program).build();
}

} // namespace accelopt::nki
