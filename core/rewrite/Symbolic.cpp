// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/Symbolic.h"

#include <algorithm>

namespace accelopt::rewrite {
namespace {

constexpr std::size_t kMaximumTerms = 64;
constexpr std::size_t kMaximumDegree = 16;

} // namespace

Symbolic::Symbolic(std::int64_t value)
{
    if (value != 0)
        m_terms[{}] = value;
}

Symbolic Symbolic::named(const std::string &name)
{
    Symbolic result;
    result.m_terms[{name}] = 1;
    return result;
}

std::optional<std::int64_t> Symbolic::constant() const
{
    if (m_terms.empty())
        return 0;
    if (m_terms.size() == 1 && m_terms.begin()->first.empty())
        return m_terms.begin()->second;
    return std::nullopt;
}

bool Symbolic::mentions(const std::string &name) const
{
    return std::any_of(m_terms.begin(), m_terms.end(), [&](const auto &term) {
        return std::find(term.first.begin(), term.first.end(), name) != term.first.end();
    });
}

std::optional<Symbolic> Symbolic::sum(const Symbolic &a, const Symbolic &b)
{
    Symbolic result = a;
    for (const auto &[names, coefficient] : b.m_terms) {
        std::int64_t total = 0;
        if (__builtin_add_overflow(result.m_terms[names], coefficient, &total))
            return std::nullopt;
        if (total == 0)
            result.m_terms.erase(names);
        else
            result.m_terms[names] = total;
    }
    if (result.m_terms.size() > kMaximumTerms)
        return std::nullopt;
    return result;
}

std::optional<Symbolic> Symbolic::difference(const Symbolic &a, const Symbolic &b)
{
    const std::optional<Symbolic> negative = product(b, Symbolic(-1));
    return negative ? sum(a, *negative) : std::nullopt;
}

std::optional<Symbolic> Symbolic::product(const Symbolic &a, const Symbolic &b)
{
    Symbolic result;
    for (const auto &[leftNames, left] : a.m_terms)
        for (const auto &[rightNames, right] : b.m_terms) {
            Symbolic term;
            std::vector<std::string> names = leftNames;
            names.insert(names.end(), rightNames.begin(), rightNames.end());
            std::sort(names.begin(), names.end());
            std::int64_t coefficient = 0;
            if (names.size() > kMaximumDegree || __builtin_mul_overflow(left, right, &coefficient))
                return std::nullopt;
            term.m_terms[names] = coefficient;
            const std::optional<Symbolic> total = sum(result, term);
            if (!total)
                return std::nullopt;
            result = *total;
        }
    return result;
}

std::optional<Symbolic> Symbolic::quotient(const Symbolic &a, const Symbolic &b)
{
    const std::optional<std::int64_t> divisor = b.constant();
    if (!divisor || *divisor <= 0)
        return std::nullopt;
    if (const std::optional<std::int64_t> value = a.constant()) {
        const std::int64_t floor = *value / *divisor - (*value % *divisor < 0 ? 1 : 0);
        return Symbolic(floor);
    }
    Symbolic result;
    for (const auto &[names, coefficient] : a.m_terms) {
        if (coefficient % *divisor != 0)
            return std::nullopt;
        result.m_terms[names] = coefficient / *divisor;
    }
    return result;
}

std::optional<std::map<std::string, std::int64_t>> Symbolic::linear() const
{
    std::map<std::string, std::int64_t> result;
    for (const auto &[names, coefficient] : m_terms) {
        if (names.size() > 1)
            return std::nullopt;
        result[names.empty() ? std::string() : names.front()] = coefficient;
    }
    return result;
}

std::string Symbolic::text() const
{
    if (m_terms.empty())
        return "0";
    std::string result;
    for (const auto &[names, coefficient] : m_terms) {
        if (!result.empty())
            result += " + ";
        std::string term;
        if (coefficient != 1 || names.empty())
            term = std::to_string(coefficient);
        for (const std::string &name : names)
            term += (term.empty() ? "" : "*") + name;
        result += term;
    }
    return result;
}

} // namespace accelopt::rewrite
