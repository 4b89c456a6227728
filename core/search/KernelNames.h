// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/search/State.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace accelopt::search {

/// What people call the kernels of a run, in the window and in the terminal: "baseline", "k1",
/// "k2", ... in the order in which they were first written; also "best", and the beginning of a
/// kernel's hash. A number never changes while the run grows.
class KernelNames
{
public:
    KernelNames() = default;
    /// Of all kernels that these events bring.
    explicit KernelNames(std::span<const Event> events);
    /// The next event of the log.
    void add(const Event &event);

    /// Every kernel, by number; the first one is the baseline.
    const std::vector<KernelId> &kernels() const { return m_kernels; }
    /// 0 for the baseline; -1 for a kernel that was never written.
    int number(const KernelId &id) const;
    /// "baseline" or "k7"; the beginning of the hash for a kernel that was never written.
    std::string name(const KernelId &id) const;
    /// The kernel that a person names: "baseline", "best", "k7" or "7",
    /// or a beginning of at least six digits of one hash only. Capital letters and blanks around
    /// it do not matter. Empty when there is none.
    KernelId find(std::string_view text, const State &state) const;

private:
    void add(const KernelId &id);

    std::vector<KernelId> m_kernels;
    std::map<KernelId, int> m_numbers;
};

} // namespace accelopt::search
