// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/execute/Interpreter.h"
#include "core/nki/execute/ScalarFunctions.h"
#include "core/nki/program/MaskWalk.h"

#include <algorithm>
#include <array>
#include <limits>

namespace accelopt::nki {

namespace {

constexpr std::int64_t kChunk = 4096; ///< values per step: all operands stay in the first cache
constexpr std::size_t kMaximumArguments = 4;
constexpr auto kNaN = std::numeric_limits<float>::quiet_NaN();

/// Rsqrt and Abs take the data, wherever it stands.
bool isUnary(AluOp op)
{
    return op == AluOp::Rsqrt || op == AluOp::Abs;
}

template <typename Real> Real ordered(AluOp op, bool reverse, Real data, Real operand)
{
    return reverse && !isUnary(op) ? aluValue(op, operand, data) : aluValue(op, data, operand);
}

/// What an elementwise instruction makes of one element; `argument` in the order of its inputs
/// (LoopReduce: the destination first).
template <typename Real> Real elementOf(Opcode opcode, const Parameters &p, const Real *argument)
{
    std::size_t next = 1;
    const auto operand0 = [&] {
        return p.operand0IsConstant ? Real(p.constant0) : argument[next++];
    };
    const auto operand1 = [&] {
        return p.operand1IsConstant ? Real(p.constant1) : argument[next++];
    };
    switch (opcode) {
    case Opcode::Memset: return Real(p.constant0);
    case Opcode::Activation: {
        const Real scale = operand0();
        const Real bias = operand1();
        return activationValue(p.function, argument[0] * scale + bias);
    }
    case Opcode::TensorScalar: {
        const Real first = ordered(p.op0, p.reverse0, argument[0], operand0());
        return p.op1 == AluOp::None ? first : ordered(p.op1, p.reverse1, first, operand1());
    }
    case Opcode::ScalarTensorTensor: {
        const Real first = ordered(p.op0, p.reverse0, argument[0], operand0());
        return ordered(p.op1, p.reverse1, first, argument[next]);
    }
    case Opcode::TensorTensor: return aluValue(p.op0, argument[0], argument[1]);
    case Opcode::LoopReduce:
        return p.firstPass ? argument[1] : aluValue(p.op0, argument[0], argument[1]);
    case Opcode::Reciprocal: return Real(1) / argument[0];
    case Opcode::Select: {
        const Real a = operand0();
        const Real b = operand1();
        return argument[0] != 0 ? a : b;
    }
    default: return argument[0];
    }
}

void applyOp(AluOp op, bool reverse, float *out, rows::Source data, rows::Source operand,
             std::int64_t n)
{
    if (reverse && !isUnary(op))
        rows::binary(op, out, operand, data, n);
    else
        rows::binary(op, out, data, operand, n);
}

/// One operand of byRows: rows, or what they were gathered into.
struct Lane
{
    Rows rows;
    bool gathered = false;
};

/// Copies a strided row together.
void gatherRow(float *out, const float *in, std::int64_t step, std::int64_t n)
{
    for (std::int64_t k = 0; k < n; ++k)
        out[k] = in[k * step];
}

} // namespace

template <typename Function>
void Interpreter::byRows(View &out, std::span<const View> inputs, const View *reduction,
                         AluOp reduceOp, Function &&function)
{
    std::int64_t rowCount = out.partitions();
    std::int64_t length = out.freeCount();
    if (rowCount == 0 || length == 0)
        return;
    const std::int64_t total = rowCount * length;
    std::array<Lane, kMaximumArguments> lanes;
    m_staged.resize(std::max(m_staged.size(), kMaximumArguments + 1));
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        const View &in = inputs[k];
        Lane &lane = lanes[k];
        lane.rows = Rows::of(in, rowCount, length);
        // Where an input overlaps the destination other than element for element, it is read first.
        const bool overlaps = in.storage == out.storage && in.data == out.data &&
                              !in.sameRegion(out) && in.count() > 1;
        if (lane.rows.kind != Rows::Kind::General && !overlaps)
            continue;
        Values &staged = m_staged[k];
        staged.resize(std::size_t(std::max(in.count(), total)));
        in.gather(staged.data());
        const std::int64_t count = in.count();
        if (count != total && lane.rows.kind == Rows::Kind::General)
            std::fill(staged.begin() + count, staged.end(), kNaN);
        const std::int64_t partitions = count == total ? rowCount : in.partitions();
        const std::int64_t freeCount = count == total ? length : in.freeCount();
        const bool uniform = freeCount == 1 && length > 1;
        lane.rows = {uniform ? Rows::Kind::Uniform : Rows::Kind::Contiguous, staged.data(),
                     partitions == 1 ? 0 : freeCount, 1};
    }
    Lane target;
    target.rows = Rows::of(out, rowCount, length);
    Values &result = m_staged[kMaximumArguments];
    const bool whole =
        target.rows.kind == Rows::Kind::General || target.rows.kind == Rows::Kind::Uniform;
    if (whole) {
        result.resize(std::size_t(total));
        target.rows = {Rows::Kind::Contiguous, result.data(), length, 1};
    }

    const auto forAll = [&](auto &&visit) {
        visit(target.rows);
        for (std::size_t k = 0; k < inputs.size(); ++k)
            visit(lanes[k].rows);
    };
    if (reduction == nullptr && length == 1 && rowCount > 1) {
        // A column: walk down the partitions instead of taking rows of one element each.
        forAll([](Rows &r) {
            r.kind = r.rowStride == 1   ? Rows::Kind::Contiguous
                     : r.rowStride == 0 ? Rows::Kind::Uniform
                                        : Rows::Kind::Strided;
            r.step = r.rowStride;
        });
        length = rowCount;
        rowCount = 1;
    } else if (reduction == nullptr && rowCount > 1) {
        bool joined = true;
        forAll([&](const Rows &r) {
            joined = joined && ((r.kind == Rows::Kind::Contiguous && r.rowStride == length) ||
                                (r.kind == Rows::Kind::Uniform && r.rowStride == 0));
        });
        if (joined) {
            length = total;
            rowCount = 1;
        }
    }

    // Scratch: one part per operand that is strided, one for the result.
    const std::int64_t chunk = reduction != nullptr ? length : std::min(length, kChunk);
    m_scratch.resize(std::size_t(chunk) * (kMaximumArguments + 2));
    m_reduced.resize(reduction != nullptr ? std::size_t(rowCount) : 0);
    const bool direct = target.rows.kind == Rows::Kind::Contiguous;
    float *const part = m_scratch.data() + std::size_t(chunk) * kMaximumArguments;
    float *const temporary = part + chunk;
    for (std::int64_t row = 0; row < rowCount; ++row) {
        for (std::int64_t begin = 0; begin < length; begin += chunk) {
            const std::int64_t n = std::min(chunk, length - begin);
            std::array<rows::Source, kMaximumArguments> source;
            for (std::size_t k = 0; k < inputs.size(); ++k) {
                const Rows &r = lanes[k].rows;
                const float *base = r.base + row * r.rowStride;
                if (r.kind == Rows::Kind::Uniform) {
                    source[k] = {base, 0};
                } else if (r.kind == Rows::Kind::Contiguous) {
                    source[k] = {base + begin, 1};
                } else {
                    float *copy = m_scratch.data() + std::size_t(chunk) * k;
                    gatherRow(copy, base + begin * r.step, r.step, n);
                    source[k] = {copy, 1};
                }
            }
            float *to = direct ? target.rows.base + row * target.rows.rowStride + begin : part;
            function(to, source.data(), temporary, n);
            if (reduction != nullptr)
                m_reduced[std::size_t(row)] = rows::reduce(reduceOp, to, n);
            if (whole)
                continue; // rounded when it is scattered
            rows::round(to, n, out.dtype);
            if (!direct) {
                float *base =
                    target.rows.base + row * target.rows.rowStride + begin * target.rows.step;
                for (std::int64_t k = 0; k < n; ++k)
                    base[k * target.rows.step] = to[k];
            }
        }
    }
    if (whole)
        out.scatter(result.data());
    if (reduction != nullptr)
        reduction->scatter(m_reduced.data());
}

void Interpreter::elementwise(const Instruction &instruction, std::span<View> outputs,
                              std::span<const View> inputs)
{
    const Parameters &p = m_program.parametersOf(instruction);
    View &out = outputs[0];
    bool exact = out.exactInteger();
    for (const View &in : inputs)
        exact = exact || in.exactInteger();
    std::array<View, kMaximumArguments> argument;
    std::size_t count = 0;
    if (instruction.opcode == Opcode::LoopReduce)
        argument[count++] = out;
    for (const View &in : inputs)
        if (count < kMaximumArguments)
            argument[count++] = in;
    const std::span<const View> arguments{argument.data(), count};
    if (exact) {
        byElements<double>(instruction, outputs, arguments);
        return;
    }
    if (instruction.mask >= 0) {
        byElements<float>(instruction, outputs, arguments);
        return;
    }
    const View *reduction =
        outputs.size() > 1 && instruction.opcode != Opcode::Copy ? &outputs[1] : nullptr;
    const AluOp reduceOp = p.reduceOp == AluOp::None ? AluOp::Add : p.reduceOp;
    const auto constant0 = float(p.constant0);
    const auto constant1 = float(p.constant1);
    const auto operand0 = [&](const rows::Source *s, std::size_t &next) {
        return p.operand0IsConstant ? rows::Source{&constant0, 0} : s[next++];
    };
    const auto operand1 = [&](const rows::Source *s, std::size_t &next) {
        return p.operand1IsConstant ? rows::Source{&constant1, 0} : s[next++];
    };
    const auto copyRow = [](float *to, rows::Source from, std::int64_t n) {
        if (from.step == 0)
            rows::fill(to, *from.value, n);
        else
            rows::copy(to, from.value, n);
    };

    switch (instruction.opcode) {
    case Opcode::Memset:
        byRows(out, {}, nullptr, reduceOp,
               [&](float *to, const rows::Source *, float *, std::int64_t n) {
                   rows::fill(to, constant0, n);
               });
        return;
    case Opcode::Activation:
        byRows(out, arguments, reduction, reduceOp,
               [&](float *to, const rows::Source *s, float *temporary, std::int64_t n) {
                   std::size_t next = 1;
                   const rows::Source scale = operand0(s, next);
                   const rows::Source bias = operand1(s, next);
                   if (s[0].step == 1 && scale.step == 0 && bias.step == 0) {
                       rows::scaleAndShift(temporary, s[0].value, *scale.value, *bias.value, n);
                   } else {
                       rows::binary(AluOp::Multiply, temporary, s[0], scale, n);
                       rows::binary(AluOp::Add, temporary, {temporary, 1}, bias, n);
                   }
                   rows::activation(p.function, to, temporary, n);
               });
        return;
    case Opcode::TensorScalar:
        byRows(out, arguments, reduction, reduceOp,
               [&](float *to, const rows::Source *s, float *temporary, std::int64_t n) {
                   std::size_t next = 1;
                   const rows::Source a = operand0(s, next);
                   if (p.op1 == AluOp::None) {
                       applyOp(p.op0, p.reverse0, to, s[0], a, n);
                       return;
                   }
                   const rows::Source b = operand1(s, next);
                   applyOp(p.op0, p.reverse0, temporary, s[0], a, n);
                   applyOp(p.op1, p.reverse1, to, {temporary, 1}, b, n);
               });
        return;
    case Opcode::ScalarTensorTensor:
        byRows(out, arguments, reduction, reduceOp,
               [&](float *to, const rows::Source *s, float *temporary, std::int64_t n) {
                   std::size_t next = 1;
                   const rows::Source a = operand0(s, next);
                   applyOp(p.op0, p.reverse0, temporary, s[0], a, n);
                   applyOp(p.op1, p.reverse1, to, {temporary, 1}, s[next], n);
               });
        return;
    case Opcode::TensorTensor:
        byRows(out, arguments, reduction, reduceOp,
               [&](float *to, const rows::Source *s, float *, std::int64_t n) {
                   rows::binary(p.op0, to, s[0], s[1], n);
               });
        return;
    case Opcode::LoopReduce:
        byRows(out, p.firstPass ? arguments.subspan(1) : arguments, nullptr, reduceOp,
               [&](float *to, const rows::Source *s, float *, std::int64_t n) {
                   if (p.firstPass)
                       copyRow(to, s[0], n);
                   else
                       rows::binary(p.op0, to, s[0], s[1], n);
               });
        return;
    case Opcode::Reciprocal: {
        byRows(out, arguments, nullptr, reduceOp,
               [&](float *to, const rows::Source *s, float *, std::int64_t n) {
                   const float one = 1.0F;
                   rows::binary(AluOp::Divide, to, {&one, 0}, s[0], n);
               });
        return;
    }
    case Opcode::Select:
        byRows(out, arguments, nullptr, reduceOp,
               [&](float *to, const rows::Source *s, float *, std::int64_t n) {
                   std::size_t next = 1;
                   const rows::Source a = operand0(s, next);
                   const rows::Source b = operand1(s, next);
                   for (std::int64_t k = 0; k < n; ++k)
                       to[k] = s[0].value[k * s[0].step] != 0.0F ? a.value[k * a.step]
                                                                 : b.value[k * b.step];
               });
        return;
    default:
        byRows(out, arguments.subspan(0, std::min<std::size_t>(count, 1)), nullptr, reduceOp,
               [&](float *to, const rows::Source *s, float *, std::int64_t n) {
                   copyRow(to, s[0], n);
               });
    }
}

template <typename Real>
void Interpreter::byElements(const Instruction &instruction, std::span<View> outputs,
                             std::span<const View> inputs)
{
    const Parameters &p = m_program.parametersOf(instruction);
    View &out = outputs[0];
    const std::int64_t total = out.count();
    const std::int64_t length = std::max<std::int64_t>(out.freeCount(), 1);
    std::vector<std::int64_t> selected;
    if (instruction.mask >= 0)
        forEachSelected(m_program.masks[std::size_t(instruction.mask)], out.pattern,
                        [&](std::int64_t number) { selected.push_back(number); });
    else
        for (std::int64_t number = 0; number < total; ++number)
            selected.push_back(number);

    std::array<std::vector<Real>, kMaximumArguments> argument;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        const View &in = inputs[k];
        const std::vector<std::int64_t> addresses = addressesOf(in.pattern, in.offset);
        std::vector<std::int64_t> wanted;
        wanted.reserve(selected.size());
        for (const std::int64_t number : selected) {
            // Operands of one element per partition, or of one partition, repeat.
            std::int64_t place = number;
            if (std::int64_t(addresses.size()) != total) {
                const std::int64_t row = in.partitions() == 1 ? 0 : number / length;
                place = in.freeCount() == 1 ? row : row * in.freeCount() + number % length;
            }
            wanted.push_back(place < std::int64_t(addresses.size()) ? addresses[std::size_t(place)]
                                                                    : -1);
        }
        argument[k].resize(selected.size());
        in.gather(argument[k].data(), wanted);
    }
    std::vector<Real> result(selected.size());
    for (std::size_t n = 0; n < selected.size(); ++n) {
        std::array<Real, kMaximumArguments> values{};
        for (std::size_t k = 0; k < inputs.size(); ++k)
            values[k] = argument[k][n];
        result[n] = elementOf(instruction.opcode, p, values.data());
    }
    std::vector<std::int64_t> targets = addressesOf(out.pattern, out.offset);
    for (std::size_t n = 0; n < selected.size(); ++n)
        targets[n] =
            targets[std::size_t(selected[n])]; // selected[n] >= n: never read after it is replaced
    targets.resize(selected.size());
    out.scatter(result.data(), targets);
    if (outputs.size() > 1) {
        const AluOp op = p.reduceOp == AluOp::None ? AluOp::Add : p.reduceOp;
        std::vector<Real> reduced(std::size_t(out.partitions()), identityOf<Real>(op));
        for (std::size_t n = 0; n < selected.size(); ++n) {
            Real &sum = reduced[std::size_t(selected[n] / length)];
            sum = aluValue(op, sum, result[n]);
        }
        outputs[1].scatter(reduced.data());
    }
}

void Interpreter::affine(const Instruction &instruction, View &out, std::span<const View> inputs)
{
    const Parameters &p = m_program.parametersOf(instruction);
    const auto total = std::size_t(out.count());
    std::vector<double> values(total);
    std::vector<double> data(total, double(kNaN));
    if (!inputs.empty() && inputs[0].count() == std::int64_t(total))
        inputs[0].gather(data.data());
    std::size_t number = 0;
    std::array<std::int64_t, AccessPattern::kMaximumRank> index{};
    while (number < total) {
        std::int64_t affineValue = p.iota[0];
        for (std::size_t axis = 0; axis < AccessPattern::kMaximumRank; ++axis)
            affineValue += p.iota[axis + 1] * index[axis];
        if (instruction.opcode == Opcode::Iota) {
            values[number] = double(affineValue);
        } else {
            const AluOp comparison = p.op0 == AluOp::None ? AluOp::GreaterEqual : p.op0;
            values[number] =
                aluValue(comparison, double(affineValue), 0.0) != 0.0 ? data[number] : p.constant0;
        }
        ++number;
        for (int axis = out.pattern.rank - 1; axis >= 0; --axis) {
            if (++index[std::size_t(axis)] < out.pattern.size[std::size_t(axis)])
                break;
            index[std::size_t(axis)] = 0;
        }
    }
    if (instruction.mask < 0) {
        out.scatter(values.data());
        return;
    }
    const std::vector<std::int64_t> addresses = addressesOf(out.pattern, out.offset);
    std::vector<std::int64_t> targets;
    std::vector<double> selected;
    forEachSelected(m_program.masks[std::size_t(instruction.mask)], out.pattern,
                    [&](std::int64_t n) {
                        targets.push_back(addresses[std::size_t(n)]);
                        selected.push_back(values[std::size_t(n)]);
                    });
    out.scatter(selected.data(), targets);
}

void Interpreter::carryOut(const Instruction &instruction, std::span<View> outputs,
                           std::span<const View> inputs)
{
    View &out = outputs[0];
    switch (instruction.opcode) {
    case Opcode::Matmul: matmul(instruction, out, inputs[0], inputs[1]); return;
    case Opcode::Transpose: transpose(instruction, out, inputs[0]); return;
    case Opcode::Shuffle: shuffle(instruction, out, inputs[0]); return;
    case Opcode::Reduce: reduce(instruction, out, inputs[0]); return;
    case Opcode::PartitionReduce: partitionReduce(instruction, out, inputs[0]); return;
    case Opcode::Scan: scan(instruction, out, inputs); return;
    case Opcode::BatchNormStats: batchNormStats(instruction, out, inputs[0]); return;
    case Opcode::BatchNormAggregate: batchNormAggregate(instruction, out, inputs[0]); return;
    case Opcode::Max8: max8(instruction, out, inputs[0]); return;
    case Opcode::Iota:
    case Opcode::AffineSelect: affine(instruction, out, inputs); return;
    default: elementwise(instruction, outputs, inputs);
    }
}

} // namespace accelopt::nki
