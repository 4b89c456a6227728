// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/run/RunIndex.h"

#include "core/search/Fold.h"

namespace accelopt::widgets {

void RunIndex::add(const KernelId &kernel, std::set<KernelId> *changed)
{
    if (numbers.emplace(kernel, int(kernels.size())).second)
        kernels.push_back(kernel);
    if (changed != nullptr)
        changed->insert(kernel);
}

void RunIndex::take(const Event &event, std::set<KernelId> *changed)
{
    search::apply(state, event);
    if (const auto *run = std::get_if<RunOpened>(&event.body))
        add(run->baseline, changed);
    else if (const auto *attempt = std::get_if<AttemptMade>(&event.body))
        add(attempt->kernel, changed);
    else if (const auto *judged = std::get_if<KernelJudged>(&event.body); judged && changed)
        changed->insert(judged->kernel);
    else if (const auto *decided = std::get_if<PersonDecided>(&event.body); decided && changed)
        if (!decided->kernel.empty())
            changed->insert(decided->kernel);
    if (firstSeconds <= 0)
        firstSeconds = event.unixSeconds;
    lastSeconds = event.unixSeconds;
}

} // namespace accelopt::widgets
