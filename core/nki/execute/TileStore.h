// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/nki/execute/Executor.h"
#include "core/nki/program/Program.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace accelopt::nki {

/// How the four bytes of an element of a storage are to be taken. 32-bit integers keep their bits;
/// every other type is kept as the float32 that it stands for.
enum class ElementFormat : std::uint8_t { Float, Int32, UInt32 };

inline ElementFormat elementFormat(DType type)
{
    return type == DType::Int32    ? ElementFormat::Int32
           : type == DType::UInt32 ? ElementFormat::UInt32
                                   : ElementFormat::Float;
}

/// The memory of the storages that are alive. Buffers go back into a pool by size, so that a loop's
/// tiles use the same, cached memory again and again.
class TileStore
{
public:
    TileStore(const Program &program, std::span<const InputData> inputs);

    /// Memory of the storage, made on the first call: filled with the initial value, or NaN
    /// (integers: the smallest) unless `Contents::Overwritten` says that the caller writes all of
    /// it. Null when there is none.
    enum class Contents : std::uint8_t { Kept, Overwritten };
    float *acquire(StorageId storage, Contents contents = Contents::Kept);
    bool alive(StorageId storage) const { return m_data[std::size_t(storage)] != nullptr; }
    void release(StorageId storage);
    std::int64_t peakBytes() const { return m_peak; }

private:
    struct Free
    {
        void operator()(float *memory) const { std::free(memory); }
    };
    using Buffer = std::unique_ptr<float[], Free>;

    float *given(StorageId storage);

    const Program &m_program;
    std::span<const InputData> m_inputs;
    std::vector<float *> m_data;                        ///< by storage; null: not alive
    std::vector<Buffer> m_owned;                        ///< by storage
    std::map<std::int64_t, std::vector<Buffer>> m_pool; ///< by elements
    std::int64_t m_bytes = 0;
    std::int64_t m_peak = 0;
};

} // namespace accelopt::nki
