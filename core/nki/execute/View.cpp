// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/execute/View.h"

#include "core/nki/execute/RowKernels.h"
#include "core/nki/program/MaskWalk.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace accelopt::nki {

namespace {

/// The walk of a pattern: the innermost axis apart, which has the elements, around it the other
/// axes.
struct Walk
{
    std::int64_t length = 1;
    std::int64_t stride = 1;
    int axes = 0;
    std::array<std::int64_t, AccessPattern::kMaximumRank> size{};
    std::array<std::int64_t, AccessPattern::kMaximumRank> step{};
    bool empty = false;

    explicit Walk(const AccessPattern &pattern)
    {
        bool first = true;
        for (int axis = pattern.rank - 1; axis >= 0; --axis) {
            const std::int64_t n = pattern.size[std::size_t(axis)];
            const std::int64_t s = pattern.stride[std::size_t(axis)];
            empty = empty || n == 0;
            if (n == 1)
                continue;
            if (first) {
                length = n;
                stride = s;
                first = false;
            } else if (axes == 0 && s == length * stride) {
                length *= n;
            } else if (axes > 0 && s == size[std::size_t(axes - 1)] * step[std::size_t(axes - 1)]) {
                size[std::size_t(axes - 1)] *= n;
            } else {
                size[std::size_t(axes)] = n;
                step[std::size_t(axes)] = s;
                ++axes;
            }
        }
    }

    /// visit(address of the row's first element) for each row, in order; axes[0] is the innermost.
    template <typename Visit> void forEachRow(std::int64_t offset, Visit &&visit) const
    {
        if (empty)
            return;
        std::array<std::int64_t, AccessPattern::kMaximumRank> index{};
        std::int64_t position = offset;
        while (true) {
            visit(position);
            int axis = 0;
            for (; axis < axes; ++axis) {
                const auto a = std::size_t(axis);
                position += step[a];
                if (++index[a] < size[a])
                    break;
                position -= step[a] * size[a];
                index[a] = 0;
            }
            if (axis == axes)
                return;
        }
    }
};

template <typename Real> Real valueOf(float element, ElementFormat format)
{
    switch (format) {
    case ElementFormat::Int32: return Real(std::bit_cast<std::int32_t>(element));
    case ElementFormat::UInt32: return Real(std::bit_cast<std::uint32_t>(element));
    case ElementFormat::Float: break;
    }
    return Real(element);
}

template <typename Real> float elementOf(Real value, DType type)
{
    switch (elementFormat(type)) {
    case ElementFormat::Int32:
        return std::bit_cast<float>(std::int32_t(rounded(double(value), type)));
    case ElementFormat::UInt32:
        return std::bit_cast<float>(std::uint32_t(rounded(double(value), type)));
    case ElementFormat::Float: break;
    }
    return float(rounded(value, type));
}

} // namespace

bool View::inside() const
{
    std::int64_t first = offset;
    for (int axis = 0; axis < pattern.rank; ++axis)
        if (pattern.size[std::size_t(axis)] > 1 && pattern.stride[std::size_t(axis)] < 0)
            first += (pattern.size[std::size_t(axis)] - 1) * pattern.stride[std::size_t(axis)];
    return count() == 0 || (first >= 0 && first + pattern.extent() < elements);
}

template <typename Real> void View::gather(Real *out) const
{
    if (!inside()) {
        gather(out, addressesOf(pattern, offset));
        return;
    }
    const Walk walk(pattern);
    const ElementFormat kind = format();
    walk.forEachRow(offset, [&](std::int64_t position) {
        const float *in = data + position;
        if (kind == ElementFormat::Float) {
            if (walk.stride == 1 && std::is_same_v<Real, float>) {
                rows::copy(reinterpret_cast<float *>(out), in, walk.length);
            } else if (walk.stride == 0) {
                std::fill(out, out + walk.length, Real(*in));
            } else {
                for (std::int64_t k = 0; k < walk.length; ++k)
                    out[k] = Real(in[k * walk.stride]);
            }
        } else {
            for (std::int64_t k = 0; k < walk.length; ++k)
                out[k] = valueOf<Real>(in[k * walk.stride], kind);
        }
        out += walk.length;
    });
}

template <typename Real> void View::scatter(const Real *values) const
{
    if (!inside()) {
        scatter(values, addressesOf(pattern, offset));
        return;
    }
    const Walk walk(pattern);
    walk.forEachRow(offset, [&](std::int64_t position) {
        float *out = data + position;
        if (std::is_same_v<Real, float> && !exactInteger()) {
            if (walk.stride == 1) {
                rows::copy(out, reinterpret_cast<const float *>(values), walk.length);
                rows::round(out, walk.length, dtype);
            } else {
                for (std::int64_t k = 0; k < walk.length; ++k)
                    out[k * walk.stride] = rounded(float(values[k]), dtype);
            }
        } else {
            for (std::int64_t k = 0; k < walk.length; ++k)
                out[k * walk.stride] = elementOf(values[k], dtype);
        }
        values += walk.length;
    });
}

template <typename Real> void View::gather(Real *out, std::span<const std::int64_t> addresses) const
{
    for (std::size_t k = 0; k < addresses.size(); ++k)
        out[k] = addresses[k] >= 0 && addresses[k] < elements
                     ? valueOf<Real>(data[addresses[k]], format())
                     : std::numeric_limits<Real>::quiet_NaN();
}

template <typename Real>
void View::scatter(const Real *values, std::span<const std::int64_t> addresses) const
{
    for (std::size_t k = 0; k < addresses.size(); ++k)
        if (addresses[k] >= 0 && addresses[k] < elements)
            data[addresses[k]] = elementOf(values[k], dtype);
}

void View::poison() const
{
    const std::vector<float> values(std::size_t(count()), std::numeric_limits<float>::quiet_NaN());
    scatter(values.data());
}

template void View::gather(float *) const;
template void View::gather(double *) const;
template void View::scatter(const float *) const;
template void View::scatter(const double *) const;
template void View::gather(float *, std::span<const std::int64_t>) const;
template void View::gather(double *, std::span<const std::int64_t>) const;
template void View::scatter(const float *, std::span<const std::int64_t>) const;
template void View::scatter(const double *, std::span<const std::int64_t>) const;

Rows Rows::of(const View &view, std::int64_t rows, std::int64_t length)
{
    Rows result;
    result.base = view.data + view.offset;
    const AccessPattern &pattern = view.pattern;
    const std::int64_t partitions = pattern.partitions();
    const std::int64_t freeCount = pattern.freeCount();
    if (!view.inside() || (partitions != rows && partitions != 1) ||
        (freeCount != length && freeCount != 1))
        return result;
    result.rowStride = partitions == 1 || pattern.rank == 0 ? 0 : pattern.stride[0];
    if (freeCount == 1) {
        result.kind = length == 1 ? Kind::Contiguous : Kind::Uniform;
        return result;
    }
    std::int64_t merged = 1;
    std::int64_t step = 0;
    for (int axis = pattern.rank - 1; axis >= 1; --axis) {
        const std::int64_t n = pattern.size[std::size_t(axis)];
        const std::int64_t s = pattern.stride[std::size_t(axis)];
        if (n == 1)
            continue;
        if (merged == 1)
            step = s;
        else if (s != merged * step)
            return result;
        merged *= n;
    }
    result.step = step;
    result.kind = step == 1 ? Kind::Contiguous : step == 0 ? Kind::Uniform : Kind::Strided;
    return result;
}

} // namespace accelopt::nki
