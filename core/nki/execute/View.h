// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/execute/TileStore.h"
#include "core/nki/program/AccessPattern.h"
#include "core/nki/program/DType.h"

#include <cstdint>
#include <span>
#include <vector>

namespace accelopt::nki {

/// An operand with its memory: where a region's elements are and how to take them.
struct View
{
    float *data = nullptr;     ///< of the storage
    std::int64_t elements = 0; ///< of the storage
    std::int64_t offset = 0;
    AccessPattern pattern;
    DType dtype = DType::Float32;
    StorageId storage = -1;
    bool unwrittenZeros = false; ///< a destination that stands for zeros without having been filled
    PatternId id = -1;           ///< of the pattern, for comparing regions

    ElementFormat format() const { return elementFormat(dtype); }
    bool exactInteger() const { return format() != ElementFormat::Float; }
    std::int64_t count() const { return pattern.count(); }
    std::int64_t partitions() const { return pattern.partitions(); }
    std::int64_t freeCount() const { return pattern.freeCount(); }
    bool sameRegion(const View &other) const
    {
        return storage == other.storage && offset == other.offset && id == other.id;
    }

    /// Whether every element lies in the storage. A masked instruction's box may reach further.
    bool inside() const;

    /// The region's elements in the order of its axes. Real is float or double.
    template <typename Real> void gather(Real *out) const;
    /// Writes them back, rounded to the storage's type.
    template <typename Real> void scatter(const Real *values) const;
    /// The same for elements at given addresses; addresses outside of the storage read NaN and are
    /// not written.
    template <typename Real> void gather(Real *out, std::span<const std::int64_t> addresses) const;
    template <typename Real>
    void scatter(const Real *values, std::span<const std::int64_t> addresses) const;
    /// NaN everywhere: the result of an instruction whose operands do not fit each other.
    void poison() const;
};

/// A region seen as rows of equal length, the way the engines walk it: one row per partition.
struct Rows
{
    enum class Kind : std::uint8_t {
        Contiguous, ///< row r is base[r * rowStride ...]
        Uniform,    ///< one value per row, repeated
        Strided,    ///< every `step`-th element
        General,    ///< must be gathered first
    };
    Kind kind = Kind::General;
    float *base = nullptr;
    std::int64_t rowStride = 0;
    std::int64_t step = 1;

    static Rows of(const View &view, std::int64_t rows, std::int64_t length);
};

} // namespace accelopt::nki
