// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/execute/Interpreter.h"
#include "core/nki/execute/ScalarFunctions.h"
#include "core/nki/program/MaskWalk.h"

#include <algorithm>
#include <array>
#include <functional>

namespace accelopt::nki {

namespace {

/// A data pattern with the axes that stay first and those that are reduced last.
struct Reduction
{
    AccessPattern pattern;
    std::int64_t results = 1; ///< all axes that stay, the partitions among them
    std::int64_t each = 1;    ///< elements joined into one result

    Reduction(const AccessPattern &data, std::uint8_t reducedAxes)
    {
        // Nothing named means all free axes.
        const unsigned reduced = reducedAxes == 0 ? 0xfeU : unsigned(reducedAxes);
        pattern.rank = data.rank;
        std::size_t place = 0;
        for (const bool last : {false, true})
            for (std::size_t axis = 0; axis < std::size_t(data.rank); ++axis)
                if (((reduced >> axis & 1U) != 0) == last) {
                    pattern.size[place] = data.size[axis];
                    pattern.stride[place++] = data.stride[axis];
                    (last ? each : results) *= data.size[axis];
                }
    }
};

AluOp operatorOf(const Parameters &p)
{
    return p.op0 != AluOp::None ? p.op0 : p.reduceOp != AluOp::None ? p.reduceOp : AluOp::Add;
}

template <typename Real> Real joined(AluOp op, const Real *values, std::int64_t n)
{
    Real result = op == AluOp::Subtract && n > 0 ? values[0] : identityOf<Real>(op);
    for (std::int64_t k = op == AluOp::Subtract ? 1 : 0; k < n; ++k)
        result = aluValue(op, result, values[k]);
    return result;
}

/// Rows that already lie one after the other, or copies of them.
struct RowData
{
    const float *values = nullptr;
    std::int64_t stride = 0;
};

RowData rowsOf(const View &view, std::int64_t rowCount, std::int64_t length,
               std::vector<float> &copy)
{
    const Rows rows = Rows::of(view, rowCount, length);
    if (rows.kind == Rows::Kind::Contiguous && !view.exactInteger())
        return {rows.base, rows.rowStride};
    copy.resize(std::size_t(rowCount * length));
    view.gather(copy.data());
    return {copy.data(), length};
}

/// state = op1(op0(a, state), b) along each row. Eight rows go together, because each step waits
/// for the one before; in pieces, because rows that lie a multiple of 4096 bytes apart would push
/// each other out of the cache.
template <typename Step>
void scanRows(float *out, RowData a, RowData b, const float *initial, std::int64_t rowCount,
              std::int64_t length, Step &&step)
{
    constexpr std::int64_t kTogether = 8;
    constexpr std::int64_t kPiece = 64;
    constexpr std::int64_t kPitch = kPiece + 16;
    std::array<float, kTogether * kPitch> as{};
    std::array<float, kTogether * kPitch> bs{};
    for (std::int64_t first = 0; first < rowCount; first += kTogether) {
        const std::int64_t together = std::min(kTogether, rowCount - first);
        std::array<float, kTogether> state{};
        for (std::int64_t r = 0; r < together; ++r)
            state[std::size_t(r)] = initial[first + r];
        for (std::int64_t begin = 0; begin < length; begin += kPiece) {
            const std::int64_t n = std::min(kPiece, length - begin);
            for (std::int64_t r = 0; r < together; ++r) {
                rows::copy(as.data() + r * kPitch, a.values + (first + r) * a.stride + begin, n);
                rows::copy(bs.data() + r * kPitch, b.values + (first + r) * b.stride + begin, n);
            }
            for (std::int64_t t = 0; t < n; ++t)
                for (std::int64_t r = 0; r < kTogether; ++r) { // unused rows hold zeros
                    float &s = state[std::size_t(r)];
                    s = step(as[std::size_t(r * kPitch + t)], s, bs[std::size_t(r * kPitch + t)]);
                    bs[std::size_t(r * kPitch + t)] = s;
                }
            for (std::int64_t r = 0; r < together; ++r)
                rows::copy(out + (first + r) * length + begin, bs.data() + r * kPitch, n);
        }
    }
}

} // namespace

template <typename Real>
void Interpreter::reduceExactly(const Instruction &instruction, View &out, const View &in)
{
    const Parameters &p = m_program.parametersOf(instruction);
    const AluOp op = operatorOf(p);
    const Reduction reduction(in.pattern, p.reducedAxes);
    View ordered = in;
    ordered.pattern = reduction.pattern;
    std::vector<std::int64_t> addresses = addressesOf(ordered.pattern, ordered.offset);
    if (instruction.mask >= 0) {
        // The mask speaks of the data's own axes: mark what it leaves out, then put the marks in
        // order, too.
        std::vector<std::uint8_t> chosen(addresses.size());
        forEachSelected(m_program.masks[std::size_t(instruction.mask)], in.pattern,
                        [&](std::int64_t number) { chosen[std::size_t(number)] = 1; });
        AccessPattern numbers = reduction.pattern; // the same walk over the data's linear numbers
        std::array<std::int64_t, AccessPattern::kMaximumRank> own{};
        std::int64_t stride = 1;
        for (std::size_t axis = std::size_t(in.pattern.rank); axis-- > 0;) {
            own[axis] = stride;
            stride *= in.pattern.size[axis];
        }
        const unsigned reduced = p.reducedAxes == 0 ? 0xfeU : unsigned(p.reducedAxes);
        std::size_t place = 0;
        for (const bool last : {false, true})
            for (std::size_t axis = 0; axis < std::size_t(in.pattern.rank); ++axis)
                if (((reduced >> axis & 1U) != 0) == last)
                    numbers.stride[place++] = own[axis];
        const std::vector<std::int64_t> order = addressesOf(numbers, 0);
        for (std::size_t k = 0; k < addresses.size(); ++k)
            if (chosen[std::size_t(order[k])] == 0)
                addresses[k] = -1;
    }
    std::vector<Real> values(addresses.size());
    in.gather(values.data(), addresses);
    std::vector<Real> results(std::size_t(reduction.results));
    for (std::size_t r = 0; r < results.size(); ++r) {
        Real *first = values.data() + std::int64_t(r) * reduction.each;
        std::int64_t count = 0; // what the mask left out does not take part
        for (std::int64_t k = 0; k < reduction.each; ++k)
            if (addresses[r * std::size_t(reduction.each) + std::size_t(k)] >= 0)
                first[count++] = first[k];
        results[r] = joined(op, first, count) * (p.negate ? Real(-1) : Real(1));
    }
    if (out.count() == reduction.results)
        out.scatter(results.data());
    else
        out.poison();
}

void Interpreter::reduce(const Instruction &instruction, View &out, const View &in)
{
    const Parameters &p = m_program.parametersOf(instruction);
    if (in.exactInteger() || out.exactInteger()) {
        reduceExactly<double>(instruction, out, in);
        return;
    }
    if (instruction.mask >= 0) {
        reduceExactly<float>(instruction, out, in);
        return;
    }
    const AluOp op = operatorOf(p);
    const Reduction reduction(in.pattern, p.reducedAxes);
    if (out.count() != reduction.results) {
        out.poison();
        return;
    }
    View ordered = in;
    ordered.pattern = reduction.pattern;
    m_result.resize(std::size_t(reduction.results));
    // Where the reduced elements lie one after the other, they are read where they are.
    const bool rowsAreFree = reduction.pattern.contiguousRun(false) >= reduction.each;
    const Rows inRows = rowsAreFree ? Rows::of(ordered, in.partitions(), in.freeCount()) : Rows{};
    if (inRows.kind == Rows::Kind::Contiguous) {
        const std::int64_t perRow = reduction.results / in.partitions();
        for (std::int64_t row = 0; row < in.partitions(); ++row)
            for (std::int64_t k = 0; k < perRow; ++k)
                m_result[std::size_t(row * perRow + k)] = rows::reduce(
                    op, inRows.base + row * inRows.rowStride + k * reduction.each, reduction.each);
    } else {
        m_packedA.resize(std::size_t(in.count()));
        ordered.gather(m_packedA.data());
        for (std::int64_t r = 0; r < reduction.results; ++r)
            m_result[std::size_t(r)] =
                rows::reduce(op, m_packedA.data() + r * reduction.each, reduction.each);
    }
    if (p.negate)
        for (float &value : m_result)
            value = -value;
    out.scatter(m_result.data());
}

void Interpreter::partitionReduce(const Instruction &instruction, View &out, const View &in)
{
    const Parameters &p = m_program.parametersOf(instruction);
    const AluOp op = operatorOf(p);
    const std::int64_t length = in.freeCount();
    if (out.count() != length) {
        out.poison();
        return;
    }
    std::vector<double> values(std::size_t(in.count()));
    in.gather(values.data());
    std::vector<double> results(values.begin(), values.begin() + length);
    for (std::int64_t partition = 1; partition < in.partitions(); ++partition)
        for (std::int64_t k = 0; k < length; ++k) {
            double &result = results[std::size_t(k)];
            result = aluValue(op, result, values[std::size_t(partition * length + k)]);
            if (!in.exactInteger())
                result = double(float(result)); // the engine's registers are float32
        }
    out.scatter(results.data());
}

void Interpreter::scan(const Instruction &instruction, View &out, std::span<const View> inputs)
{
    const Parameters &p = m_program.parametersOf(instruction);
    const std::int64_t rowCount = inputs[0].partitions();
    const std::int64_t length = inputs[0].freeCount();
    const std::int64_t total = rowCount * length;
    if (inputs[1].count() != total || out.count() != total) {
        out.poison();
        return;
    }
    Values initial(std::size_t(rowCount), float(p.constant0));
    if (!p.operand0IsConstant && inputs.size() > 2 && inputs[2].count() == rowCount)
        inputs[2].gather(initial.data());
    m_result.resize(std::size_t(total));
    float *to = m_result.data();
    const RowData a = rowsOf(inputs[0], rowCount, length, m_packedA);
    const RowData b = rowsOf(inputs[1], rowCount, length, m_packedB);
    if (p.op0 == AluOp::Multiply && p.op1 == AluOp::Add)
        scanRows(to, a, b, initial.data(), rowCount, length,
                 [](float x, float state, float y) { return x * state + y; });
    else
        scanRows(to, a, b, initial.data(), rowCount, length, [&p](float x, float state, float y) {
            const float first = p.reverse0 ? aluValue(p.op0, state, x) : aluValue(p.op0, x, state);
            return p.reverse1 ? aluValue(p.op1, y, first) : aluValue(p.op1, first, y);
        });
    writeResult(instruction, out, m_result);
}

void Interpreter::batchNormStats(const Instruction &, View &out, const View &in)
{
    constexpr std::int64_t kResults = 6;
    const std::int64_t length = in.freeCount();
    if (out.count() != in.partitions() * kResults) {
        out.poison();
        return;
    }
    m_packedA.resize(std::size_t(in.count()));
    in.gather(m_packedA.data());
    Values results(std::size_t(out.count()));
    for (std::int64_t row = 0; row < in.partitions(); ++row)
        for (std::int64_t parity = 0; parity < 2; ++parity) {
            // Count, mean and variance times count, of the even and then of the odd elements.
            Values part;
            for (std::int64_t k = parity; k < length; k += 2)
                part.push_back(m_packedA[std::size_t(row * length + k)]);
            const auto count = std::int64_t(part.size());
            const float mean =
                count == 0 ? 0.0F : rows::reduce(AluOp::Add, part.data(), count) / float(count);
            for (float &value : part)
                value = (value - mean) * (value - mean);
            float *result = results.data() + row * kResults + parity * 3;
            result[0] = float(count);
            result[1] = mean;
            result[2] = rows::reduce(AluOp::Add, part.data(), count);
        }
    out.scatter(results.data());
}

void Interpreter::batchNormAggregate(const Instruction &, View &out, const View &in)
{
    const std::int64_t length = in.freeCount();
    if (out.count() != in.partitions() * 2) {
        out.poison();
        return;
    }
    Values data(std::size_t(in.count()));
    in.gather(data.data());
    Values results(std::size_t(out.count()));
    for (std::int64_t row = 0; row < in.partitions(); ++row) {
        const float *triple = data.data() + row * length;
        double count = 0;
        double sum = 0;
        for (std::int64_t k = 0; k + 2 < length; k += 3) {
            count += double(triple[k]);
            sum += double(triple[k]) * double(triple[k + 1]);
        }
        const double mean = sum / count;
        double squares = 0; // about the common mean
        for (std::int64_t k = 0; k + 2 < length; k += 3) {
            const double apart = double(triple[k + 1]) - mean;
            squares += double(triple[k + 2]) + double(triple[k]) * apart * apart;
        }
        results[std::size_t(row * 2)] = float(mean);
        results[std::size_t(row * 2 + 1)] = float(squares / count);
    }
    out.scatter(results.data());
}

void Interpreter::max8(const Instruction &, View &out, const View &in)
{
    constexpr std::int64_t kLargest = 8;
    const std::int64_t length = in.freeCount();
    if (length < kLargest || out.count() != in.partitions() * kLargest) {
        out.poison();
        return;
    }
    Values data(std::size_t(in.count()));
    in.gather(data.data());
    Values results(std::size_t(out.count()));
    for (std::int64_t row = 0; row < in.partitions(); ++row) {
        float *first = data.data() + row * length;
        // NaN has no place in an order: it counts as the largest, so that it is not lost.
        std::partial_sort(first, first + kLargest, first + length,
                          [](float a, float b) { return a != a ? b == b : a > b; });
        std::copy(first, first + kLargest, results.data() + row * kLargest);
    }
    out.scatter(results.data());
}

} // namespace accelopt::nki
