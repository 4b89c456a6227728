// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/search/State.h"

#include <map>
#include <set>
#include <vector>

namespace accelopt::widgets {

/// A run as far as its events were taken in: the state, and the numbers by which people know its
/// kernels. A value: made on one thread, it can be handed to another.
struct RunIndex
{
    search::State state;
    /// Kernels in the order in which the log first names them, the baseline first. An event that
    /// made no sense for the state leaves no kernel behind; its number stays unused.
    std::vector<KernelId> kernels;
    std::map<KernelId, int> numbers;
    double firstSeconds = 0; ///< Unix time of the first event; 0 before there is one
    double lastSeconds = 0;

    /// Takes one event in; names of kernels that it is about go to `changed`, if that is given.
    void take(const Event &event, std::set<KernelId> *changed = nullptr);

private:
    void add(const KernelId &kernel, std::set<KernelId> *changed);
};

} // namespace accelopt::widgets
