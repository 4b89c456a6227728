// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/domain/Task.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace accelopt::bench {

/// A .npy file mapped read-only into memory: NumPy's format versions 1 and 2, little-endian
/// float32, float64 or int32, C order. Movable, not copyable; the spans live as long as the object.
class NpyFile
{
public:
    /// Fails with Environment when the file cannot be read and with Format when it is of another
    /// kind or cut short.
    static Result<NpyFile> open(const std::filesystem::path &path);

    NpyFile(NpyFile &&other) noexcept;
    NpyFile &operator=(NpyFile &&other) noexcept;
    NpyFile(const NpyFile &) = delete;
    NpyFile &operator=(const NpyFile &) = delete;
    ~NpyFile();

    const DTypeName &dtype() const { return m_dtype; }
    const Shape &shape() const { return m_shape; }
    std::int64_t elements() const { return elementCount(m_shape); }
    /// The elements as bytes, row-major.
    std::span<const std::byte> bytes() const;
    /// The elements as T (float, double or std::int32_t); empty when that is not the element type.
    template <typename T> std::span<const T> values() const;

private:
    NpyFile() = default;
    void release();

    const std::byte *m_map = nullptr;
    std::size_t m_mapBytes = 0;
    std::size_t m_dataOffset = 0;
    DTypeName m_dtype;
    Shape m_shape;
};

/// Bytes of one element of "float32", "float64" or "int32"; 0 for other types.
std::size_t npyElementBytes(const DTypeName &dtype);

/// Writes a version-1 .npy file. `data` must be exactly the elements of the shape, row-major. Fails
/// with Environment when the disk refuses, with Internal when size or type do not fit.
Result<void> writeNpy(const std::filesystem::path &path, const DTypeName &dtype, const Shape &shape,
                      std::span<const std::byte> data);

} // namespace accelopt::bench
