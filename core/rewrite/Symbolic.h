// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace accelopt::rewrite {

/// A whole number written with names: a polynomial in loop variables and sizes that are not known.
/// Two expressions that mean the same for every value of the names compare equal.
class Symbolic
{
public:
    /// Zero.
    Symbolic() = default;
    Symbolic(
        std::int64_t value); // NOLINT(google-explicit-constructor): numbers are the common case
    static Symbolic named(const std::string &name);

    std::optional<std::int64_t> constant() const;
    bool operator==(const Symbolic &) const = default;
    bool mentions(const std::string &name) const;

    /// Nothing when a coefficient leaves 64 bits or the polynomial has more than 64 terms.
    static std::optional<Symbolic> sum(const Symbolic &a, const Symbolic &b);
    static std::optional<Symbolic> difference(const Symbolic &a, const Symbolic &b);
    static std::optional<Symbolic> product(const Symbolic &a, const Symbolic &b);
    /// a // b when both are constants or b divides every coefficient of a.
    static std::optional<Symbolic> quotient(const Symbolic &a, const Symbolic &b);

    /// The factor of each name, and of "" the constant; nothing when names are multiplied.
    std::optional<std::map<std::string, std::int64_t>> linear() const;

    /// A readable spelling, also the name of an expression that is kept whole.
    std::string text() const;

private:
    // Sorted names of a term -> its coefficient; no zero coefficients.
    std::map<std::vector<std::string>, std::int64_t> m_terms;
};

} // namespace accelopt::rewrite
