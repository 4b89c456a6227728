// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/HandMadeRun.h"

#include "core/domain/Hash.h"
#include "core/search/Calls.h"

namespace accelopt::tests {

const char *const kBaselineText = "def kernel(x):\n"
                                  "    for i in nl.affine_range(4):\n"
                                  "        tile = nl.load(x[i])\n"
                                  "        y = tile * sigmoid(tile)\n"
                                  "        nl.store(x[i], y)\n";
const char *const kFasterText = "def kernel(x):\n"
                                "    tile = nl.load(x)\n"
                                "    y = nl.silu(tile)\n"
                                "    nl.store(x, y)\n";

namespace {

Profile profileOf(double latencyMs)
{
    Profile profile;
    profile.device = "trn1";
    profile.modelVersion = "1";
    profile.tableHash = "cafe";
    profile.latencyMs = latencyMs;
    profile.intervalMs = {latencyMs * 0.9, latencyMs * 1.1};
    profile.tieMargin = 0.02;
    profile.bound = "memory";
    profile.percentOfPeak = 50 / latencyMs;
    profile.counters = {{"tensor_engine_active_time_percent", 0.0},
                        {"vector_engine_active_time_percent", 0.4 / latencyMs},
                        {"scalar_engine_active_time_percent", 0.2},
                        {"gpsimd_engine_active_time_percent", 0.0},
                        {"dma_active_time_percent", 0.6}};
    profile.findings = {{"small-transfers",
                         "transfers of 2 KiB, below 64 KiB",
                         "each transfer has a fixed cost",
                         "load larger tiles",
                         {}}};
    return profile;
}

KernelJudged correct(const KernelId &kernel, double latencyMs)
{
    Verdict verdict;
    verdict.status = VerdictStatus::Correct;
    verdict.figures = {{"relative_l2", 3e-7}, {"checked_share", 1}};
    return {kernel, JudgePurpose::Search, verdict, profileOf(latencyMs)};
}

PlanMade plan(const PlanSlot &slot, const KernelId &parent, const std::string &title)
{
    PlanMade made;
    made.call = search::planCall(slot);
    made.plan.slot = slot;
    made.plan.parent = parent;
    made.plan.title = title;
    made.plan.text = "Do this: " + title + ".";
    made.plan.author = "offline";
    return made;
}

AttemptMade attempt(const PlanSlot &slot, const KernelId &kernel, const TextId &text)
{
    AttemptMade made;
    made.slot = {slot, 0};
    made.call = search::writeCall({made.slot, 0});
    made.kernel = kernel;
    made.text = text;
    return made;
}

} // namespace

RunParts handMadeRun()
{
    RunParts parts;
    HandMadeRun &run = parts.run;
    run.baseline = KernelId(sha256("baseline"));
    run.faster = KernelId(sha256("faster"));
    run.wrong = KernelId(sha256("wrong"));
    run.best = KernelId(sha256("best"));
    const auto text = [&parts](std::string bytes) {
        parts.texts.push_back(makeText(std::move(bytes)));
        return parts.texts.back().id;
    };
    const TextId baselineText = text(kBaselineText);
    const TextId fasterText = text(kFasterText);
    const TextId wrongText = text("def kernel(x):\n    nl.store(x, x[1])  # <b>not bold</b>\n");
    const TextId bestText = text(std::string(kFasterText) + "    # wide tiles\n");

    RunOpened opened;
    opened.task = "silu";
    opened.config.beamWidth = 1;
    opened.config.plansPerCandidate = 4;
    opened.config.attemptsPerPlan = 1;
    opened.config.iterations = 2;
    opened.modelVersion = "1";
    opened.software = "0.1.0";
    opened.baseline = run.baseline;
    opened.baselineText = baselineText;
    auto &first = parts.first;
    first.push_back(opened);
    first.push_back(correct(run.baseline, 2.0));
    first.push_back(plan({0, 0, 0}, run.baseline, "Load once"));
    first.push_back(plan({0, 0, 1}, run.baseline, "Store the <b>wrong</b> thing"));
    first.push_back(plan({0, 0, 2}, run.baseline, "Load once again"));
    CallFailed failed;
    failed.call = search::planCall({0, 0, 3});
    failed.slot = {0, 0, 3};
    failed.reason = "no idea is left";
    first.push_back(failed);
    first.push_back(attempt({0, 0, 0}, run.faster, fasterText));
    first.push_back(attempt({0, 0, 1}, run.wrong, wrongText));
    first.push_back(attempt({0, 0, 2}, run.faster, fasterText));

    auto &rest = parts.rest;
    rest.push_back(correct(run.faster, 1.0));
    Verdict wrong;
    wrong.status = VerdictStatus::Wrong;
    wrong.reasons.push_back({"numbers",
                             "tolerance",
                             "row 3 differs from the reference",
                             "store the row that was loaded",
                             {2, 5, 2, 13}});
    rest.push_back(KernelJudged{run.wrong, JudgePurpose::Search, wrong, {}});
    PairSummarized pair;
    pair.call = search::summaryCall(0, 0);
    pair.item.id = ItemId("e0.0");
    pair.item.title = "Load once";
    pair.item.strategy = "Hoist loads out of loops.";
    pair.item.before = "for i: load";
    pair.item.after = "load";
    pair.item.speedup = 2;
    pair.item.slow = run.baseline;
    pair.item.fast = run.faster;
    pair.item.plan = planId({0, 0, 0});
    rest.push_back(pair);
    // The repetition makes a pair too, of which there is nothing more to learn.
    PairSummarized again;
    again.call = search::summaryCall(0, 1);
    again.rank = 1;
    again.declined = true;
    rest.push_back(again);
    rest.push_back(plan({1, 0, 0}, run.faster, "Widen the tile"));
    rest.push_back(attempt({1, 0, 0}, run.best, bestText));
    rest.push_back(correct(run.best, 0.8));
    for (int i = 1; i < 4; ++i) {
        failed.call = search::planCall({1, 0, i});
        failed.slot = {1, 0, i};
        rest.push_back(failed);
    }
    return parts;
}

Result<void> appendTo(store::RunFile &file, const std::vector<EventBody> &bodies,
                      const std::vector<Text> &texts)
{
    std::vector<Event> events;
    for (const EventBody &body : bodies)
        events.push_back({0, "test", 0, body});
    return file.append(events, texts);
}

Result<HandMadeRun> writeHandMadeRun(const std::filesystem::path &path)
{
    RunParts parts = handMadeRun();
    parts.run.file = path;
    ACCELOPT_TRY(store::RunFile file, store::RunFile::create(path));
    ACCELOPT_CHECK(appendTo(file, parts.first, parts.texts));
    ACCELOPT_CHECK(appendTo(file, parts.rest, {}));
    ACCELOPT_CHECK(file.close());
    return parts.run;
}

} // namespace accelopt::tests
