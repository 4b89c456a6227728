// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace accelopt::report::tests {

/// Events of a made-up run, one after the other, a second apart.
class RunStory
{
public:
    RunConfig config;
    std::string task = "silu";
    std::string modelVersion = "m1";
    bool simulated = true;
    double tieMargin = 0;
    std::map<std::string, double> counters; ///< of the kernels judged from here on

    const std::vector<Event> &events() const { return m_events; }
    const std::vector<Text> &texts() const { return m_texts; }
    void add(EventBody body) { m_events.push_back({0, "engine", m_clock += 1, std::move(body)}); }

    void open()
    {
        RunOpened opened;
        opened.task = task;
        opened.config = config;
        opened.modelVersion = modelVersion;
        opened.baseline = KernelId("base");
        opened.baselineText = source("base");
        add(opened);
    }
    Plan plan(PlanSlot slot, const std::string &parent, const std::string &rewrite = {},
              std::vector<ItemId> items = {}, double usd = 0)
    {
        PlanMade made;
        made.call = CallId(planId(slot).value + ".plan");
        made.plan.slot = slot;
        made.plan.parent = KernelId(parent);
        made.plan.title = "Plan " + planId(slot).value;
        if (!rewrite.empty())
            made.plan.directive = "{\"rewrite\":\"" + rewrite + "\"}";
        made.plan.usedItems = std::move(items);
        made.usage = {1, 100, 0, 10, usd, usd > 0 ? 0 : 1};
        add(made);
        return made.plan;
    }
    void write(AttemptSlot slot, const std::string &kernel, double usd = 0)
    {
        AttemptMade made;
        made.call = CallId(describe(slot) + ".write");
        made.slot = slot;
        made.kernel = KernelId(kernel);
        made.text = source(kernel);
        made.usage = {1, 200, 0, 20, usd, usd > 0 ? 0 : 1};
        add(made);
    }
    void correct(const std::string &kernel, double latencyMs,
                 JudgePurpose purpose = JudgePurpose::Search)
    {
        KernelJudged judged;
        judged.kernel = KernelId(kernel);
        judged.purpose = purpose;
        judged.verdict.status = VerdictStatus::Correct;
        judged.verdict.simulated = simulated;
        judged.profile.device = config.device;
        judged.profile.simulated = simulated;
        judged.profile.modelVersion = modelVersion;
        judged.profile.latencyMs = latencyMs;
        judged.profile.intervalMs = {0.9 * latencyMs, 1.1 * latencyMs};
        judged.profile.tieMargin = tieMargin;
        judged.profile.percentOfPeak = 100 / latencyMs;
        judged.profile.counters = counters;
        add(judged);
    }
    void failing(const std::string &kernel, VerdictStatus status, const std::string &why = "why")
    {
        KernelJudged judged;
        judged.kernel = KernelId(kernel);
        judged.verdict.status = status;
        judged.verdict.reasons = {{"numbers", "tolerance", why, "", {}}};
        add(judged);
    }
    void item(int iteration, int rank, bool positive, const std::string &rewrite,
              const std::string &title = "Load wider tiles")
    {
        PairSummarized summarized;
        summarized.call = CallId("summary");
        summarized.iteration = iteration;
        summarized.rank = rank;
        summarized.item.id = ItemId("e" + std::to_string(iteration) + "." + std::to_string(rank));
        summarized.item.iteration = iteration;
        summarized.item.positive = positive;
        summarized.item.title = title;
        summarized.item.speedup = 1.25;
        if (!rewrite.empty())
            summarized.item.tags["rewrite"] = rewrite;
        add(summarized);
    }

    /// Two iterations: the first finds `fast` (2 ms), repeats the baseline and writes one wrong
    /// kernel; the second finds `faster` (1.6 ms) and `slow` (5 ms) from `fast`.
    void tell()
    {
        open();
        add(CallStarted{CallId("x"), RoleName::Planner});
        correct("base", 4);
        plan({0, 0, 0}, "base", "widen", {}, 0.5);
        plan({0, 0, 1}, "base", "hoist");
        plan({0, 0, 2}, "base", "fuse");
        write({{0, 0, 0}, 0}, "fast", 0.25);
        write({{0, 0, 1}, 0}, "base");
        write({{0, 0, 2}, 0}, "wrong");
        counters = {{"hbm_read_bytes", 100}};
        correct("fast", 2);
        failing("wrong", VerdictStatus::Wrong, "row 3 differs");
        add(TimePassed{10});
        item(0, 0, true, "widen");
        item(0, 1, false, "fuse", "Fuse the loops");
        plan({1, 0, 0}, "fast", "widen", {ItemId("e0.0"), ItemId("e0.1")});
        plan({1, 0, 1}, "fast", "fuse", {ItemId("e0.0"), ItemId("e0.1")});
        plan({1, 1, 0}, "base", "hoist", {ItemId("e0.0"), ItemId("e0.1")});
        add(CallFailed{
            CallId("c"), RoleName::Planner, {1, 1, 1}, 0, "no", {1, 0, 0, 0, 0, 1}, {}, {}});
        write({{1, 0, 0}, 0}, "faster");
        write({{1, 0, 1}, 0}, "slow");
        write({{1, 1, 0}, 0}, "fast");
        counters = {{"hbm_read_bytes", 50}};
        correct("faster", 1.6);
        counters = {{"hbm_read_bytes", 150}};
        correct("slow", 5);
        add(TimePassed{6});
        correct("faster", 1.6, JudgePurpose::Confirmation);
        add(RunFinished{"2 iterations done"});
    }

private:
    TextId source(const std::string &kernel)
    {
        m_texts.push_back(makeText("def kernel(x):\n    return '" + kernel + "'\n"));
        return m_texts.back().id;
    }

    double m_clock = 1000;
    std::vector<Event> m_events;
    std::vector<Text> m_texts;
};

} // namespace accelopt::report::tests
