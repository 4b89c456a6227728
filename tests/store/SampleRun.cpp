// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/store/SampleRun.h"

#include "core/domain/Hash.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>

namespace accelopt::tests {

namespace {

Verdict verdictOf(VerdictStatus status, const std::string &message = {})
{
    Verdict verdict;
    verdict.status = status;
    if (!message.empty())
        verdict.reasons.push_back({"numbers", "tolerance", message, "", {}});
    return verdict;
}

Profile profileOf(double latencyMs)
{
    Profile profile;
    profile.device = "trn1";
    profile.modelVersion = "1";
    profile.tableHash = "cafe";
    profile.latencyMs = latencyMs;
    profile.intervalMs = {latencyMs * 0.9, latencyMs * 1.1};
    profile.bound = "memory";
    profile.percentOfPeak = 50 / latencyMs;
    return profile;
}

KernelJudged judged(const std::string &kernel, double latencyMs)
{
    return {KernelId(kernel), JudgePurpose::Search, verdictOf(VerdictStatus::Correct),
            profileOf(latencyMs)};
}

Usage usageOf(std::int64_t prompt, std::int64_t completion, double usd)
{
    Usage usage;
    usage.calls = 1;
    usage.promptTokens = prompt;
    usage.completionTokens = completion;
    usage.usd = usd;
    return usage;
}

/// Collects one batch; texts come into being with the events that name them.
class BatchMaker
{
public:
    TextId text(const std::string &bytes)
    {
        m_batch.texts.push_back(makeText(bytes));
        return m_batch.texts.back().id;
    }
    BatchMaker &add(EventBody body, const std::string &actor = "offline")
    {
        m_batch.events.push_back(eventOf(std::move(body), actor));
        return *this;
    }
    Batch take() { return std::move(m_batch); }

private:
    Batch m_batch;
};

Batch planned(const std::string &call, PlanSlot slot, const std::string &parent)
{
    BatchMaker maker;
    PlanMade made;
    made.call = CallId(call);
    made.plan.slot = slot;
    made.plan.parent = KernelId(parent);
    made.plan.title = "Hoist the load of " + call;
    made.plan.text = "Load once before the loop.";
    made.plan.author = "offline";
    made.usage = usageOf(100, 20, 0.01);
    made.answer = maker.text("answer of " + call);
    return maker.add(made).take();
}

Batch attempted(const std::string &call, PlanSlot slot, const std::string &kernel)
{
    BatchMaker maker;
    AttemptMade made;
    made.call = CallId(call);
    made.slot = {slot, 0};
    made.kernel = KernelId(kernel);
    made.text = maker.text("def kernel(): # " + kernel);
    made.usage = usageOf(200, 50, 0.02);
    return maker.add(made).take();
}

Batch decided(Decision decision, const std::string &kernel, const std::string &item)
{
    PersonDecided body;
    body.decision = decision;
    body.kernel = KernelId(kernel);
    body.item = ItemId(item);
    body.reason = "because";
    body.title = "Better title";
    body.strategy = "Better text";
    return BatchMaker().add(body, "human").take();
}

Batch summarized(const std::string &call, int iteration, int rank, const std::string &fast)
{
    PairSummarized body;
    body.call = CallId(call);
    body.iteration = iteration;
    body.rank = rank;
    body.item.id = ItemId(fmt::format("e{}.{}", iteration, rank));
    body.item.title = "Load once";
    body.item.strategy = "Hoist loads out of loops.";
    body.item.before = "for: load";
    body.item.after = "load; for";
    body.item.speedup = 1.25;
    body.item.slow = KernelId("k0");
    body.item.fast = KernelId(fast);
    body.item.iteration = iteration;
    body.item.tags = {{"rewrite", "hoist"}};
    return BatchMaker().add(body).take();
}

} // namespace

Event eventOf(EventBody body, std::string actor)
{
    Event event;
    event.actor = std::move(actor);
    event.body = std::move(body);
    return event;
}

Batch openedRun()
{
    BatchMaker maker;
    RunOpened opened;
    opened.task = "silu";
    opened.taskHash = "beef";
    opened.software = "0.1.0";
    opened.modelVersion = "1";
    opened.baseline = KernelId("k0");
    opened.baselineText = maker.text("def kernel(): # k0");
    return maker.add(opened, "engine").take();
}

std::vector<Batch> sampleRun()
{
    const PlanSlot first{0, 0, 0};
    const PlanSlot second{0, 0, 1};
    const PlanSlot third{1, 0, 0};
    std::vector<Batch> run;
    run.push_back(openedRun());
    run.push_back(BatchMaker().add(judged("k0", 2.0), "nkisim").take());
    run.push_back(BatchMaker()
                      .add(CallStarted{CallId("p1"), RoleName::Planner}, "engine")
                      .add(CallStarted{CallId("p2"), RoleName::Planner}, "engine")
                      .add(CallStarted{CallId("p2"), RoleName::Planner}, "engine")
                      .take());
    run.push_back(planned("p1", first, "k0"));
    run.push_back(planned("p2", second, "k0"));
    run.push_back(attempted("x1", first, "k1"));
    run.push_back(attempted("x2", second, "k2"));
    run.push_back(BatchMaker().add(judged("k1", 1.0), "nkisim").take());
    run.push_back(
        BatchMaker()
            .add(KernelJudged{KernelId("k2"), JudgePurpose::Search,
                              verdictOf(VerdictStatus::Wrong, "row 3 differs"), Profile()},
                 "nkisim")
            .take());
    run.push_back(summarized("s1", 0, 0, "k1"));
    run.push_back(BatchMaker().add(TimePassed{2.5}, "engine").take());
    run.push_back(planned("p3", third, "k1"));
    run.push_back(attempted("x3", third, "k1"));
    CallFailed failed;
    failed.call = CallId("p4");
    failed.slot = {1, 0, 1};
    failed.reason = "no answer";
    failed.usage = usageOf(100, 0, 0.005);
    run.push_back(BatchMaker()
                      .add(CallStarted{CallId("p4"), RoleName::Planner}, "engine")
                      .add(failed)
                      .take());
    PairSummarized declined;
    declined.call = CallId("s2");
    declined.iteration = 1;
    declined.declined = true;
    run.push_back(BatchMaker().add(declined).take());
    run.push_back(decided(Decision::PinKernel, "k1", ""));
    run.push_back(decided(Decision::DropKernel, "k2", ""));
    run.push_back(decided(Decision::ApproveItem, "", "e0.0"));
    run.push_back(decided(Decision::EditItem, "", "e0.0"));
    run.push_back(BatchMaker().add(RunFinished{"first bound reached"}, "engine").take());
    run.push_back(BatchMaker().add(RunContinued{RunConfig()}, "human").take());
    KernelJudged confirmed = judged("k1", 1.01);
    confirmed.purpose = JudgePurpose::Confirmation;
    run.push_back(BatchMaker().add(confirmed, "nkisim").take());
    run.push_back(BatchMaker()
                      .add(TimePassed{1.5}, "engine")
                      .add(RunFinished{"2 iterations done"}, "engine")
                      .take());
    return run;
}

Batch randomBatch(std::mt19937 &random)
{
    const auto below = [&random](int bound) {
        return std::uniform_int_distribution<int>(0, bound - 1)(random);
    };
    const PlanSlot slot{below(3), below(2), below(3)};
    const std::string kernel = fmt::format("k{}", below(6));
    const std::string call = fmt::format("c{}", below(20));
    switch (below(8)) {
    case 0: return planned(call, slot, kernel);
    case 1: return attempted(call, slot, kernel);
    case 2: return BatchMaker().add(judged(kernel, 0.5 + below(8)), "nkisim").take();
    case 3: return summarized(call, slot.iteration, below(3), kernel);
    case 4:
        return decided(static_cast<Decision>(below(10)), kernel,
                       fmt::format("e{}.{}", below(3), below(3)));
    case 5: return BatchMaker().add(CallStarted{CallId(call), RoleName::Executor}).take();
    case 6:
        return BatchMaker()
            .add(KernelJudged{KernelId(kernel), JudgePurpose::Search,
                              verdictOf(VerdictStatus::NotCompiling, "line 3"), Profile()})
            .take();
    default: return BatchMaker().add(TimePassed{0.25 * below(9)}).add(RunFinished{"enough"}).take();
    }
}

std::string randomBytes(std::mt19937 &random, std::size_t count)
{
    std::uniform_int_distribution<int> byte(0, 255);
    std::string bytes(count, '\0');
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<char>(byte(random)); });
    return bytes;
}

store::RunFileOptions countingClock()
{
    store::RunFileOptions options;
    options.clock = [next = 1000.0]() mutable { return next++; };
    return options;
}

void writeRun(const std::filesystem::path &file, const std::vector<Batch> &batches)
{
    auto run = store::RunFile::create(file, countingClock());
    if (!run)
        throw std::runtime_error(describe(run.error()));
    for (Batch batch : batches)
        if (const auto outcome = run->append(batch.events, batch.texts); !outcome)
            throw std::runtime_error(describe(outcome.error()));
    if (const auto outcome = run->close(); !outcome)
        throw std::runtime_error(describe(outcome.error()));
}

void writeSampleRun(const std::filesystem::path &file)
{
    static const std::string bytes = [&file] {
        writeRun(file, sampleRun());
        return readBytes(file);
    }();
    writeBytes(file, bytes);
}

std::string viewsAsText(store::RunFile &file)
{
    std::string text;
    for (const std::string_view name : store::viewTableNames()) {
        const auto table = file.viewTable(name);
        if (!table)
            return describe(table.error());
        text += fmt::format("[{}] {}\n", name, fmt::join(table->columns, " "));
        for (const auto &row : table->rows) {
            for (const store::ViewTable::Value &value : row)
                text += std::visit(
                    [](const auto &content) {
                        if constexpr (std::is_same_v<std::decay_t<decltype(content)>,
                                                     std::monostate>)
                            return std::string("- ");
                        else
                            return fmt::format("{} ", content);
                    },
                    value);
            text += '\n';
        }
    }
    return text;
}

std::string folderAsText(const std::filesystem::path &folder)
{
    std::vector<std::string> lines;
    for (const auto &entry : std::filesystem::directory_iterator(folder))
        lines.push_back(fmt::format("{} {}\n", entry.path().filename().string(),
                                    entry.is_regular_file() ? sha256(readBytes(entry.path()))
                                                            : std::string("folder")));
    std::sort(lines.begin(), lines.end());
    return fmt::format("{}", fmt::join(lines, ""));
}

std::string readBytes(const std::filesystem::path &file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void writeBytes(const std::filesystem::path &file, const std::string &bytes)
{
    std::ofstream stream(file, std::ios::binary | std::ios::trunc);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

} // namespace accelopt::tests
