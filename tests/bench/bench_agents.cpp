// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// How much faster do the offline agents make kernels? Searches every task, one after the other,
// from our own baseline and, with a folder, from the kernel file there whose name begins with the
// task's (a published kernel); prints a line for each search, then a table of the speedups with the
// rewrites that gave them and the geometric means. Only speedups that the second judgement at the
// end of the search confirmed count in a mean; the others are named apart.
//
//     bench_agents [--preset quick] [--shape published] [--task NAME]... [--only ours|published]
//                  [--unchecked] [--plans] [--keep FOLDER] [FOLDER]
//
// --unchecked leaves the numbers of candidates unchecked (the structure is still checked), which
// needs no reference tensors: for work on the agents, and nothing to quote. --plans prints every
// plan with its outcome, --keep writes the best kernels.
#include "core/agents/OfflineAgent.h"
#include "core/bench/TaskLoader.h"
#include "core/bench/TensorCache.h"
#include "core/nki/machine/Machine.h"
#include "core/nki/syntax/Lexer.h"
#include "core/profiling/ReferenceMaker.h"
#include "core/profiling/SimPool.h"
#include "core/runner/SearchRunner.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

using namespace accelopt;
using Clock = std::chrono::steady_clock;

namespace {

struct Options
{
    std::string preset = "quick";
    std::string shape = "published";
    std::vector<std::string> tasks;
    std::string only; ///< "ours" or "published"; empty: both
    bool unchecked = false;
    bool plans = false;
    std::filesystem::path keep;
    std::filesystem::path folder;
};

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string readText(const std::filesystem::path &path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// Events and texts in memory.
class MemoryJournal : public search::Journal
{
public:
    Result<void> append(std::span<Event> events, std::span<const Text> texts) override
    {
        for (Event &event : events)
            event.sequence = ++m_sequence;
        for (const Text &text : texts)
            m_texts[text.id] = text.bytes;
        return {};
    }
    Result<std::string> text(const TextId &id) override { return m_texts[id]; }

private:
    std::int64_t m_sequence = 0;
    std::map<TextId, std::string> m_texts;
};

/// The planner with a stopwatch.
class TimedAgent : public search::Role
{
public:
    explicit TimedAgent(const Task &task) : m_agent(agents::modelContextOf(task)) {}
    void plan(const CallId &call, search::PlannerQuestion question,
              std::function<void(search::RoleReply<search::PlannerAnswer>)> done) override
    {
        const auto start = Clock::now();
        m_agent.plan(call, std::move(question), [&](auto reply) {
            planning += secondsSince(start);
            if (!reply.answer)
                said = describe(reply.answer.error());
            done(std::move(reply));
        });
    }
    void write(const CallId &call, search::ExecutorQuestion question,
               std::function<void(search::RoleReply<search::ExecutorAnswer>)> done) override
    {
        m_agent.write(call, std::move(question), [&](auto reply) {
            if (!reply.answer)
                said = describe(reply.answer.error());
            done(std::move(reply));
        });
    }
    void summarize(const CallId &call, search::SummarizerQuestion question,
                   std::function<void(search::RoleReply<search::SummarizerAnswer>)> done) override
    {
        m_agent.summarize(call, std::move(question), std::move(done));
    }
    int callsAtOnce() const override { return 1; }
    void cancelAll() override { m_agent.cancelAll(); }

    double planning = 0; ///< seconds
    std::string said;    ///< the last failure

private:
    agents::OfflineAgent m_agent;
};

/// Judges without looking at numbers.
class UncheckedPool : public search::Profiler
{
public:
    explicit UncheckedPool(profiling::SimPool &pool) : m_pool(pool) {}
    void judge(search::JudgeQuestion question,
               std::function<void(Result<search::JudgeAnswer>)> done) override
    {
        profiling::PoolQuestion asked;
        asked.source = std::move(question.source);
        asked.check = oracle::NumberCheck::None;
        m_pool.ask(std::move(asked), [done](Result<profiling::JudgeReply> reply) {
            if (!reply)
                done(tl::unexpected(reply.error()));
            else
                done(search::JudgeAnswer{reply->verdict, reply->profile});
        });
    }
    int kernelsAtOnce() const override { return m_pool.kernelsAtOnce(); }
    void cancelAll() override { m_pool.cancelAll(); }

private:
    profiling::SimPool &m_pool;
};

/// Names of the rewrites that led from the baseline to a kernel, in order.
std::string lineage(const search::State &state, const KernelId &best)
{
    std::vector<std::string> steps;
    for (const search::KernelRecord *at = search::kernel(state, best); at && at->first;
         at = search::kernel(state, at->parent))
        if (const search::PlanRecord *plan = search::plan(state, at->first->slot.plan))
            steps.push_back(agents::joinedNames(agents::namesIn(plan->plan.directive)));
    std::string words;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
        words += (words.empty() ? "" : " > ") + *step;
    return words.empty() ? "-" : words;
}

void printPlans(const search::State &state)
{
    for (const search::IterationRecord &iteration : state.iterations)
        for (const search::PlanRecord &plan : iteration.plans) {
            if (plan.plan.title.empty())
                continue;
            const search::KernelRecord *parent = search::kernel(state, plan.plan.parent);
            fmt::print("    {} from {:.4f} ms: {}", planId(plan.plan.slot).value,
                       parent ? parent->profile.latencyMs : 0, plan.plan.title);
            for (const search::AttemptRecord &attempt : plan.attempts) {
                const search::KernelRecord *kernel = search::kernel(state, attempt.kernel());
                if (!kernel)
                    fmt::print(" -> {}", attempt.failure);
                else if (kernel->rankable)
                    fmt::print(" -> {:.4f} ms{}", kernel->profile.latencyMs,
                               kernel->parent == plan.plan.parent ? "" : " (known)");
                else
                    fmt::print(" -> {} {}", name(kernel->verdict.status),
                               kernel->verdict.reasons.empty()
                                   ? ""
                                   : kernel->verdict.reasons[0].rule + ": " +
                                         kernel->verdict.reasons[0].message);
            }
            fmt::print("\n");
        }
}

struct Outcome
{
    double before = 0;
    double best = 0;
    bool confirmed = false; ///< by the full second judgement, the baseline counts as 1
    std::string rewrites;
    double speedup() const { return before / best; }
};

/// What the two starting points of a task came to.
struct Row
{
    std::string task;
    std::map<std::string, Outcome> outcomes; ///< by "ours" and "published"
};

Result<Outcome> searchTask(const std::string &start, const std::string &source, const Task &task,
                           const Options &options)
{
    ACCELOPT_TRY(RunConfig config, preset(options.preset));
    config.shape = options.shape;
    ACCELOPT_TRY(bench::TensorCache cache, bench::TensorCache::open());
    profiling::ReferenceMaker references(std::move(cache));
    profiling::SimPoolOptions poolOptions;
    poolOptions.task = task;
    poolOptions.device = config.device;
    poolOptions.program = QStringLiteral(ACCELOPT_BIN_DIR "/nkisim");
    profiling::SimPool pool(poolOptions, &references);
    UncheckedPool unchecked(pool);
    TimedAgent agent(task);
    MemoryJournal journal;
    runner::SearchRunner runner(
        search::State{}, &journal,
        runner::Players{&agent, &agent, &agent,
                        options.unchecked ? static_cast<search::Profiler *>(&unchecked) : &pool});

    RunOpened opened;
    opened.config = config;
    opened.task = task.name;
    opened.taskHash = task.hash;
    opened.modelVersion = nki::Machine::modelVersion();
    opened.baseline = nki::kernelIdentity(source);
    std::vector<Text> texts{makeText(source)};
    opened.baselineText = texts.front().id;
    QEventLoop loop;
    std::string trouble;
    QObject::connect(&runner, &runner::SearchRunner::finishedRun, &loop, &QEventLoop::quit);
    QObject::connect(&runner, &runner::SearchRunner::blocked, &loop,
                     [&](const QString &message, int) {
                         trouble = message.toStdString();
                         loop.quit();
                     });
    const auto began = Clock::now();
    ACCELOPT_CHECK(runner.record({opened}, std::move(texts), "engine"));
    runner.advance(runner::Advance::Run);
    if (!runner.finished())
        loop.exec();
    if (!trouble.empty())
        return fail(ErrorCode::Environment, trouble);

    const search::State &state = runner.state();
    const search::KernelRecord *first = search::kernel(state, opened.baseline);
    const search::KernelRecord *best = search::kernel(state, state.best);
    if (!first || !best || !first->rankable) {
        return fail(ErrorCode::NotGood,
                    first && !first->verdict.reasons.empty()
                        ? first->verdict.reasons[0].rule + ": " + first->verdict.reasons[0].message
                        : std::string("the first kernel could not be judged"));
    }
    const Outcome outcome{first->profile.latencyMs, best->profile.latencyMs,
                          !options.unchecked && best->confirmation && best->confirmation->confirmed,
                          lineage(state, state.best)};
    fmt::print(
        "{:<24} {:<9} {:>9.4f} {:>9.4f} {:>7.3f}x {:>6.1f} {:>6.1f} {:>4} {:>4} {:>6.1f} {:>6.1f} "
        "{}  {}\n",
        task.name, start, outcome.before, outcome.best, outcome.speedup(),
        first->profile.percentOfPeak.value_or(0), best->profile.percentOfPeak.value_or(0),
        state.counts.distinct, state.counts.duplicates, secondsSince(began), agent.planning,
        options.unchecked   ? "unchecked"
        : outcome.confirmed ? "confirmed"
                            : "NOT CONFIRMED",
        outcome.rewrites);
    if (options.plans) {
        printPlans(state);
        fmt::print("    the agents' last word: {}\n", agent.said);
    }
    std::fflush(stdout);
    if (!options.keep.empty()) {
        std::filesystem::create_directories(options.keep);
        ACCELOPT_TRY(const std::string text, journal.text(best->text));
        std::ofstream(options.keep / (task.name + "_" + start + ".py"), std::ios::binary) << text;
    }
    return outcome;
}

/// The speedups side by side, the means of those that count, and those that do not. False when
/// there is none.
bool printTable(const std::vector<Row> &rows, const Options &options)
{
    fmt::print("\n{:<24} {:>8} {:>10}  rewrites (ours | published)\n", "speedup", "ours",
               "published");
    std::map<std::string, std::vector<double>> counted;
    std::string apart;
    bool any = false;
    for (const Row &row : rows) {
        std::map<std::string, std::string> figures;
        std::map<std::string, std::string> rewrites;
        for (const char *start : {"ours", "published"}) {
            const auto found = row.outcomes.find(start);
            if (found == row.outcomes.end())
                continue;
            any = true;
            const Outcome &outcome = found->second;
            figures[start] = fmt::format("{:.3f}x", outcome.speedup());
            rewrites[start] = outcome.rewrites;
            // Nothing found is a speedup of 1, which needs no confirmation.
            if (options.unchecked || outcome.confirmed || outcome.best == outcome.before)
                counted[start].push_back(std::log(outcome.speedup()));
            else
                apart += fmt::format("{}{} ({}) {:.3f}x", apart.empty() ? "" : ", ", row.task,
                                     start, outcome.speedup());
        }
        fmt::print("{:<24} {:>8} {:>10}  {} | {}\n", row.task, figures["ours"],
                   figures["published"], rewrites["ours"], rewrites["published"]);
    }
    for (const auto &[start, logarithms] : counted) {
        double sum = 0;
        for (const double logarithm : logarithms)
            sum += logarithm;
        fmt::print("geometric mean of {} {} speedups, {}: {:.4f}x\n", logarithms.size(),
                   options.unchecked ? "UNCHECKED" : "confirmed", start,
                   std::exp(sum / static_cast<double>(logarithms.size())));
    }
    if (!apart.empty())
        fmt::print("not confirmed, not counted: {}\n", apart);
    return any;
}

Options readOptions(int argc, char **argv)
{
    Options options;
    for (int n = 1; n < argc; ++n) {
        const std::string argument = argv[n];
        const auto next = [&] { return n + 1 < argc ? std::string(argv[++n]) : std::string(); };
        if (argument == "--preset")
            options.preset = next();
        else if (argument == "--shape")
            options.shape = next();
        else if (argument == "--task")
            options.tasks.push_back(next());
        else if (argument == "--only")
            options.only = next();
        else if (argument == "--unchecked")
            options.unchecked = true;
        else if (argument == "--plans")
            options.plans = true;
        else if (argument == "--keep")
            options.keep = next();
        else
            options.folder = argument;
    }
    return options;
}

/// The file of the folder whose name begins with the task's.
std::string kernelOf(const std::string &task, const std::filesystem::path &folder)
{
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        // Not another task with a longer name: a shape follows, in capitals.
        if (entry.path().extension() == ".py" && name.starts_with(task + "_") &&
            name.size() > task.size() + 1 && std::isupper(name[task.size() + 1]) != 0)
            files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files.empty() ? std::string() : readText(files.front());
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    const Options options = readOptions(argc, argv);
    const std::filesystem::path tasks = std::filesystem::path(ACCELOPT_SOURCE_DIR) / "nkibench";
    std::vector<std::string> names = options.tasks;
    if (names.empty())
        for (const auto &entry : std::filesystem::directory_iterator(tasks))
            if (std::filesystem::exists(entry.path() / "task.json"))
                names.push_back(entry.path().filename().string());
    std::ranges::sort(names);

    fmt::print("preset {}, shape {}; simulated ms, % of peak before and after, kernels and "
               "repetitions, seconds in all and for planning\n",
               options.preset, options.shape);
    const auto began = Clock::now();
    std::vector<Row> rows;
    for (const std::string &name : names) {
        const Result<Task> task = bench::loadTask(tasks / name, options.shape);
        if (!task) {
            fmt::print("{:<24} {}\n", name, describe(task.error()));
            continue;
        }
        rows.push_back({name, {}});
        for (const char *start : {"ours", "published"}) {
            if (!options.only.empty() && options.only != start)
                continue;
            std::string source;
            if (std::string_view(start) == "published") {
                if (!options.folder.empty())
                    source = kernelOf(name, options.folder);
            } else if (const Result<std::string> baseline = bench::readBaseline(*task)) {
                source = *baseline;
            }
            if (source.empty())
                continue;
            const Result<Outcome> outcome = searchTask(start, source, *task, options);
            if (outcome)
                rows.back().outcomes.emplace(start, *outcome);
            else
                fmt::print("{:<24} {:<9} {}\n", name, start, describe(outcome.error()));
        }
    }
    const bool any = printTable(rows, options);
    fmt::print("{:.0f} s\n", secondsSince(began));
    return any ? 0 : 1;
}
