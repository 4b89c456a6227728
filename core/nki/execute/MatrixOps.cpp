// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/execute/Interpreter.h"
#include "core/nki/program/MaskWalk.h"

#include <algorithm>
#include <cblas.h>

namespace accelopt::nki {

namespace {

struct Matrix
{
    const float *values = nullptr;
    std::int64_t leading = 0; ///< elements from one row to the next
};

/// The rows of a region where they already lie as a matrix does, or packed into `packed`.
Matrix matrixOf(const View &view, std::int64_t rowCount, std::int64_t length,
                std::vector<float> &packed)
{
    const Rows rows = Rows::of(view, rowCount, length);
    if (!view.exactInteger() && rows.kind == Rows::Kind::Contiguous && rows.rowStride >= length)
        return {rows.base, rows.rowStride};
    packed.resize(std::size_t(rowCount * length));
    view.gather(packed.data());
    return {packed.data(), length};
}

} // namespace

void Interpreter::writeResult(const Instruction &instruction, View &out, const Values &values)
{
    if (instruction.mask < 0) {
        out.scatter(values.data());
        return;
    }
    const std::vector<std::int64_t> addresses = addressesOf(out.pattern, out.offset);
    std::vector<std::int64_t> targets;
    Values selected;
    const Mask &mask = m_program.masks[std::size_t(instruction.mask)];
    const AccessPattern &box = maskBox(m_program, instruction);
    // Only a mask about the result itself picks elements of it.
    if (box.count() != out.count()) {
        out.scatter(values.data());
        return;
    }
    forEachSelected(mask, box, [&](std::int64_t number) {
        targets.push_back(addresses[std::size_t(number)]);
        selected.push_back(values[std::size_t(number)]);
    });
    out.scatter(selected.data(), targets);
}

void Interpreter::matmul(const Instruction &instruction, View &out, const View &stationary,
                         const View &moving)
{
    const std::int64_t k = stationary.partitions();
    const std::int64_t m = stationary.freeCount();
    const std::int64_t n = moving.freeCount();
    if (k == 0 || m == 0 || n == 0 || moving.partitions() != k || out.count() != m * n) {
        out.poison();
        return;
    }
    const Matrix a = matrixOf(stationary, k, m, m_packedA);
    const Matrix b = matrixOf(moving, k, n, m_packedB);
    const bool accumulate = m_program.parametersOf(instruction).accumulate && !out.unwrittenZeros;
    const Rows target = Rows::of(out, m, n);
    const bool direct = instruction.mask < 0 && !out.exactInteger() &&
                        target.kind == Rows::Kind::Contiguous && (target.rowStride >= n || m == 1);
    float *c = target.base;
    std::int64_t leading = std::max(target.rowStride, n);
    if (!direct) {
        m_result.resize(std::size_t(m * n));
        if (accumulate)
            out.gather(m_result.data());
        c = m_result.data();
        leading = n;
    }
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, int(m), int(n), int(k), 1.0F, a.values,
                int(a.leading), b.values, int(b.leading), accumulate ? 1.0F : 0.0F, c,
                int(leading));
    if (!direct) {
        writeResult(instruction, out, m_result);
    } else if (out.dtype != DType::Float32) {
        for (std::int64_t row = 0; row < m; ++row)
            rows::round(c + row * leading, n, out.dtype);
    }
}

void Interpreter::transpose(const Instruction &instruction, View &out, const View &in)
{
    const std::int64_t rowCount = in.partitions();
    const std::int64_t length = in.freeCount();
    if (out.count() != rowCount * length) {
        out.poison();
        return;
    }
    const Matrix from = matrixOf(in, rowCount, length, m_packedA);
    const Rows target = Rows::of(out, length, rowCount);
    const bool direct = instruction.mask < 0 && !out.exactInteger() && in.storage != out.storage &&
                        target.kind == Rows::Kind::Contiguous && target.rowStride >= rowCount;
    float *to = target.base;
    std::int64_t leading = target.rowStride;
    if (!direct) {
        m_result.resize(std::size_t(rowCount * length));
        to = m_result.data();
        leading = rowCount;
    }
    constexpr std::int64_t kBlock = 16; // a block's lines of both sides fit the first cache
    for (std::int64_t r0 = 0; r0 < rowCount; r0 += kBlock)
        for (std::int64_t c0 = 0; c0 < length; c0 += kBlock)
            for (std::int64_t c = c0; c < std::min(c0 + kBlock, length); ++c)
                for (std::int64_t r = r0; r < std::min(r0 + kBlock, rowCount); ++r)
                    to[c * leading + r] = from.values[r * from.leading + c];
    if (!direct) {
        writeResult(instruction, out, m_result);
    } else if (out.dtype != DType::Float32 && out.dtype != in.dtype) {
        for (std::int64_t row = 0; row < length; ++row)
            rows::round(to + row * leading, rowCount, out.dtype);
    }
}

void Interpreter::shuffle(const Instruction &instruction, View &out, const View &in)
{
    constexpr std::int64_t kQuadrant = 32;
    constexpr std::int64_t kLeave = 255;
    const std::int64_t length = in.freeCount();
    if (out.freeCount() != length) {
        out.poison();
        return;
    }
    const Parameters &p = m_program.parametersOf(instruction);
    Values from(std::size_t(in.count()));
    Values to(std::size_t(out.count()));
    in.gather(from.data());
    out.gather(to.data());
    for (std::int64_t partition = 0; partition < out.partitions(); ++partition) {
        const std::int64_t lane = partition % kQuadrant;
        const std::int64_t choice = p.iota[lane / 8] >> (8 * (lane % 8)) & 0xff;
        const std::int64_t source = partition - lane + choice;
        if (choice != kLeave && source < in.partitions())
            rows::copy(to.data() + partition * length, from.data() + source * length, length);
    }
    writeResult(instruction, out, to);
}

} // namespace accelopt::nki
