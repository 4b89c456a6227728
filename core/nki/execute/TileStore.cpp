// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/execute/TileStore.h"

#include "core/nki/execute/RowKernels.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

namespace accelopt::nki {

namespace {

/// The four bytes that stand for a value of this type.
float bitsOf(double value, DType type)
{
    const double kept = rounded(value, type);
    switch (elementFormat(type)) {
    case ElementFormat::Int32: return std::bit_cast<float>(std::int32_t(kept));
    case ElementFormat::UInt32: return std::bit_cast<float>(std::uint32_t(kept));
    case ElementFormat::Float: break;
    }
    return float(kept);
}

/// What stands in memory that nothing has written.
float undefinedBits(DType type)
{
    return elementFormat(type) == ElementFormat::Float
               ? std::numeric_limits<float>::quiet_NaN()
               : std::bit_cast<float>(std::numeric_limits<std::int32_t>::min());
}

} // namespace

TileStore::TileStore(const Program &program, std::span<const InputData> inputs)
    : m_program(program),
      m_inputs(inputs),
      m_data(program.storages.size()),
      m_owned(program.storages.size())
{}

float *TileStore::given(StorageId storage)
{
    const Storage &s = m_program.storages[std::size_t(storage)];
    const std::int32_t parameter = m_program.tensors[std::size_t(s.tensor)].parameter;
    const float *elements = nullptr;
    std::int64_t count = 0;
    if (s.role == StorageRole::Constant && parameter >= 0 &&
        std::size_t(parameter) < m_program.constants.size()) {
        elements = m_program.constants[std::size_t(parameter)].data();
        count = std::int64_t(m_program.constants[std::size_t(parameter)].size());
    } else if (s.role == StorageRole::Input && parameter >= 0 &&
               std::size_t(parameter) < m_inputs.size()) {
        elements = m_inputs[std::size_t(parameter)].elements;
        count = m_inputs[std::size_t(parameter)].count;
    }
    // Only what has another type than float32, may be written, or is too short needs memory of its
    // own.
    const bool written = m_program.tensors[std::size_t(s.tensor)].output >= 0;
    if (elements != nullptr && count >= s.elements() && s.dtype == DType::Float32 && !written)
        return m_data[std::size_t(storage)] = const_cast<float *>(elements);
    Buffer &buffer = m_owned[std::size_t(storage)];
    buffer.reset(static_cast<float *>(
        std::malloc(std::size_t(std::max<std::int64_t>(s.elements(), 1)) * 4)));
    if (!buffer)
        return nullptr;
    m_bytes += s.elements() * 4;
    m_peak = std::max(m_peak, m_bytes);
    const std::int64_t known = elements == nullptr ? 0 : std::min(count, s.elements());
    if (elementFormat(s.dtype) == ElementFormat::Float) {
        rows::copy(buffer.get(), elements, known);
        rows::round(buffer.get(), known, s.dtype);
    } else {
        for (std::int64_t k = 0; k < known; ++k)
            buffer[std::size_t(k)] = bitsOf(double(elements[k]), s.dtype);
    }
    std::fill(buffer.get() + known, buffer.get() + s.elements(), undefinedBits(s.dtype));
    return m_data[std::size_t(storage)] = buffer.get();
}

float *TileStore::acquire(StorageId storage, Contents contents)
{
    float *&data = m_data[std::size_t(storage)];
    if (data != nullptr)
        return data;
    const Storage &s = m_program.storages[std::size_t(storage)];
    if (s.role == StorageRole::Input || s.role == StorageRole::Constant)
        return given(storage);
    const std::int64_t elements = std::max<std::int64_t>(s.elements(), 1);
    Buffer &buffer = m_owned[std::size_t(storage)];
    const auto pooled = m_pool.find(elements);
    if (pooled != m_pool.end() && !pooled->second.empty()) {
        buffer = std::move(pooled->second.back());
        pooled->second.pop_back();
    } else {
        // A multiple of the cache line, aligned to it.
        const std::size_t bytes = (std::size_t(elements) * 4 + 63) / 64 * 64;
        buffer.reset(static_cast<float *>(std::aligned_alloc(64, bytes)));
        if (!buffer)
            return nullptr;
        m_bytes += std::int64_t(bytes);
        m_peak = std::max(m_peak, m_bytes);
    }
    data = buffer.get();
    if (contents == Contents::Kept) {
        const Tensor &tensor = m_program.tensors[std::size_t(s.tensor)];
        std::fill(data, data + elements,
                  tensor.initialised ? bitsOf(tensor.initialValue, s.dtype)
                                     : undefinedBits(s.dtype));
    }
    return data;
}

void TileStore::release(StorageId storage)
{
    m_data[std::size_t(storage)] = nullptr;
    Buffer &buffer = m_owned[std::size_t(storage)];
    if (!buffer)
        return;
    const std::int64_t elements =
        std::max<std::int64_t>(m_program.storages[std::size_t(storage)].elements(), 1);
    // Whole tensors in HBM are given back; they seldom have a successor of the same size.
    if (m_program.storages[std::size_t(storage)].memory == Memory::Hbm) {
        m_bytes -= elements * 4;
        buffer.reset();
    } else {
        m_pool[elements].push_back(std::move(buffer));
    }
}

} // namespace accelopt::nki
