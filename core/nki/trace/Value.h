// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/program/DType.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace accelopt::nki {

/// What a Python value of the traced kernel can be. Everything a kernel can hold is one of these;
/// there is no way to a file, a process or a module that is not listed in Modules.cpp.
enum class ValueKind : std::uint8_t {
    Unbound,
    OutOfScope, ///< a tile bound inside a loop, read after it
    None,
    Ellipsis,
    Bool,
    Int,
    Float,
    DTypeName,
    MemoryName, ///< nl.sbuf, nl.psum, nl.hbm, ...
    EngineName, ///< nisa.vector_engine, ...
    Symbol,     ///< an enumerator that only has a name (nisa.oob_mode.skip)
    String,
    Tuple,
    List,
    Dict,
    Slice,
    DynamicSlice,       ///< nl.ds
    PartitionDimension, ///< nl.par_dim(n)
    Range,
    Index,
    MaskExpression,
    Tensor,
    Array, ///< a numpy array of constants
    Module,
    Function, ///< one of ours (FunctionTable)
    UserFunction,
    BoundMethod,
    Class,    ///< of the kernel file
    Instance, ///< of one of those, or a group of named values
    Launch,   ///< a kernel with its grid of programs: kernel[2, 4]
};
std::string_view pythonTypeName(ValueKind kind);

/// A reference-counted thing behind a Value. Counts are not atomic: a trace lives on one thread.
struct Object
{
    std::uint32_t references = 0;
    virtual ~Object() = default;
};

/// A Python value in 16 bytes.
class Value
{
public:
    Value() = default;
    Value(const Value &other)
        : m_kind(other.m_kind),
          m_flags(other.m_flags),
          m_tag(other.m_tag),
          m_bits(other.m_bits)
    {
        if (isObject())
            ++m_bits.object->references;
    }
    Value(Value &&other) noexcept
        : m_kind(std::exchange(other.m_kind, ValueKind::Unbound)),
          m_flags(other.m_flags),
          m_tag(other.m_tag),
          m_bits(other.m_bits)
    {}
    Value &operator=(Value other) noexcept
    {
        std::swap(m_kind, other.m_kind);
        std::swap(m_flags, other.m_flags);
        std::swap(m_tag, other.m_tag);
        std::swap(m_bits, other.m_bits);
        return *this;
    }
    ~Value()
    {
        if (isObject() && --m_bits.object->references == 0)
            letGo(m_bits.object);
    }

    static Value none() { return Value(ValueKind::None); }
    static Value ellipsis() { return Value(ValueKind::Ellipsis); }
    static Value outOfScope() { return Value(ValueKind::OutOfScope); }
    static Value boolean(bool b) { return integerOf(ValueKind::Bool, b ? 1 : 0); }
    static Value integer(std::int64_t i) { return integerOf(ValueKind::Int, i); }
    static Value number(double d)
    {
        Value value(ValueKind::Float);
        value.m_bits.number = d;
        return value;
    }
    static Value dtype(DType type) { return integerOf(ValueKind::DTypeName, std::int64_t(type)); }
    static Value integerOf(ValueKind kind, std::int64_t i)
    {
        Value value(kind);
        value.m_bits.integer = i;
        return value;
    }
    /// Takes a reference to the object.
    static Value object(ValueKind kind, Object *object)
    {
        Value value(kind);
        value.m_bits.object = object;
        ++object->references;
        return value;
    }

    ValueKind kind() const { return m_kind; }
    bool is(ValueKind kind) const { return m_kind == kind; }
    bool isNumber() const
    {
        return m_kind == ValueKind::Int || m_kind == ValueKind::Float || m_kind == ValueKind::Bool;
    }
    bool isInteger() const { return m_kind == ValueKind::Int || m_kind == ValueKind::Bool; }
    std::int64_t asInteger() const { return m_bits.integer; }
    double asNumber() const
    {
        return m_kind == ValueKind::Float ? m_bits.number : double(m_bits.integer);
    }
    DType asDType() const { return DType(m_bits.integer); }
    template <typename T> T &as() const { return *static_cast<T *>(m_bits.object); }

    /// Set on numbers that depend on the index of an affine or sequential loop.
    bool fromLoop() const { return (m_flags & 1) != 0; }
    Value &&withLoop(bool fromLoop) &&
    {
        m_flags = std::uint8_t((m_flags & ~1) | (fromLoop ? 1 : 0));
        return std::move(*this);
    }
    /// For a loop index: the iteration it stands for (index into Program::iterations); 0 otherwise.
    std::int32_t loopIteration() const { return m_kind == ValueKind::Int ? m_tag : 0; }
    Value &&withLoopIteration(std::int32_t iteration) &&
    {
        m_tag = iteration;
        return std::move(*this);
    }

private:
    explicit Value(ValueKind kind) : m_kind(kind) {}
    static void letGo(Object *object);
    /// par_dim is the one late kind that holds its number itself.
    bool isObject() const
    {
        return m_kind >= ValueKind::Symbol && m_kind != ValueKind::PartitionDimension;
    }

    ValueKind m_kind = ValueKind::Unbound;
    std::uint8_t m_flags = 0;
    std::int32_t m_tag = 0;
    union {
        std::int64_t integer;
        double number;
        Object *object;
    } m_bits{0};
};

/// Most items of a sequence and letters of a text: more is no kernel.
inline constexpr std::size_t kMostItems = 1'000'000;

Value makeString(std::string text);
Value makeTuple(std::vector<Value> items);
Value makeList(std::vector<Value> items);
Value makeSymbol(std::string name);

/// The value as Python's repr would show it, for messages and print(); long ones are cut.
std::string toText(const Value &value, bool quoteStrings = false);

} // namespace accelopt::nki
