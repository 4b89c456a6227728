// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/Commands.h"
#include "app/accelopt/Terminal.h"
#include "core/bench/TaskLoader.h"
#include "core/bench/TensorCache.h"
#include "core/nki/syntax/SyntaxHelper.h"
#include "core/oracle/Mutants.h"
#include "core/profiling/DependenceLearner.h"
#include "core/profiling/ReferenceMaker.h"
#include "core/profiling/SimPool.h"
#include "core/runner/KernelFile.h"

#include <CLI/CLI.hpp>
#include <QElapsedTimer>
#include <QEventLoop>
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

namespace accelopt::cli {
namespace {

using nlohmann::json;
using oracle::KernelVariant;

struct OracleOptions
{
    std::string task;
    std::string shape;
    std::string kernel;
    std::string device = "trn1";
    bool learn = false;
    bool asJson = false;
};

/// What became of one changed kernel.
struct Judged
{
    KernelVariant variant;
    profiling::JudgeReply reply;

    const Verdict &verdict() const { return reply.verdict; }
    std::string layer() const
    {
        return verdict().reasons.empty() ? std::string() : verdict().reasons.front().layer;
    }
};

/// Judges many kernels of one task side by side.
class OracleBench
{
public:
    static Result<std::unique_ptr<OracleBench>> open(const Task &task, const std::string &device)
    {
        ACCELOPT_TRY(bench::TensorCache cache, bench::TensorCache::open());
        auto made = std::make_unique<OracleBench>();
        made->m_task = task;
        made->m_references = std::make_unique<profiling::ReferenceMaker>(std::move(cache));
        QObject::connect(made->m_references.get(), &profiling::ReferenceMaker::progress,
                         made->m_references.get(),
                         [](const QString &text) { Terminal::progress(text.toStdString()); });
        profiling::SimPoolOptions options;
        options.task = task;
        options.device = device;
        made->m_pool = std::make_unique<profiling::SimPool>(options, made->m_references.get());
        std::random_device random;
        const auto secret = [&] { return (std::uint64_t(random()) << 28) ^ random(); };
        made->m_inputs = profiling::allInputs(task, secret());
        made->m_inputs.push_back({secret(), {}});
        made->m_samplingSeed = secret();
        return made;
    }

    Result<std::vector<Judged>> judge(std::vector<KernelVariant> variants)
    {
        // At a small shape every element is compared, elsewhere what a confirmation pays for.
        constexpr std::int64_t kSmallElements = 1 << 23;
        constexpr double kConfirmationFlops = 2e10;
        std::int64_t elements = 0;
        for (const TaskResult &result : m_task.results)
            elements += elementCount(result.shape);
        std::vector<Judged> judged(variants.size());
        std::optional<Error> failure;
        std::size_t open = variants.size();
        QEventLoop loop;
        for (std::size_t i = 0; i < variants.size(); ++i) {
            profiling::PoolQuestion question;
            question.source = variants[i].source;
            question.inputs = m_inputs;
            question.check =
                elements <= kSmallElements ? oracle::NumberCheck::Full : oracle::NumberCheck::Quick;
            question.quickFlops = kConfirmationFlops;
            question.samplingSeed = m_samplingSeed;
            question.lines = oracle::LineCosts::Omit;
            judged[i].variant = std::move(variants[i]);
            m_pool->ask(std::move(question), [&, i](Result<profiling::JudgeReply> reply) {
                if (!reply)
                    failure = reply.error();
                else if (reply->error)
                    failure = *reply->error;
                else
                    judged[i].reply = std::move(*reply);
                if (--open == 0)
                    loop.quit();
                Terminal::progress(
                    fmt::format("{} of {} kernels judged", judged.size() - open, judged.size()));
            });
        }
        if (open > 0)
            loop.exec();
        Terminal::clearProgress();
        if (failure)
            return tl::unexpected(*failure);
        return judged;
    }

private:
    Task m_task;
    std::unique_ptr<profiling::ReferenceMaker> m_references;
    std::unique_ptr<profiling::SimPool> m_pool;
    std::vector<profiling::InputChoice> m_inputs;
    std::uint64_t m_samplingSeed = 0;
};

/// Whether the two computed the same values to the last bit, as far as was looked.
bool sameNumbers(const Verdict &a, const Verdict &b)
{
    for (const char *figure : {"mean_relative_l2", "relative_l2", "worst_element"}) {
        const auto here = a.figures.find(figure);
        const auto there = b.figures.find(figure);
        if (here == a.figures.end() || there == b.figures.end() || here->second != there->second)
            return false;
    }
    return true;
}

/// The whole report on one task.
struct OracleReport
{
    std::vector<Judged> caught;
    std::vector<Judged> survivors;
    std::vector<Judged> unchanged; ///< mutants that compute the very same
    std::vector<Judged> accepted;
    std::vector<Judged> falseAlarms;
    std::vector<Judged> notUsable; ///< variants that do not compile with these shapes
    double seconds = 0;

    bool good() const { return survivors.empty() && falseAlarms.empty(); }
};

Result<OracleReport> examine(const Task &task, const std::string &source, const std::string &device)
{
    QElapsedTimer timer;
    timer.start();
    nki::SyntaxHelper helper;
    ACCELOPT_TRY(const nki::Parsed parsed, helper.parse(source));
    if (!parsed)
        return fail(ErrorCode::Format, "the kernel is not Python: " + parsed.error().message);
    ACCELOPT_TRY(const auto bench, OracleBench::open(task, device));
    std::vector<KernelVariant> all = oracle::honestVariants(*parsed);
    const std::size_t honest = all.size();
    for (KernelVariant &mutant : oracle::mutants(*parsed))
        all.push_back(std::move(mutant));
    ACCELOPT_TRY(std::vector<Judged> judged, bench->judge(std::move(all)));
    const Verdict own = judged.front().verdict();
    if (!own.correct())
        return fail(ErrorCode::WrongUse,
                    fmt::format("the kernel itself is {}: {}", name(own.status),
                                own.reasons.empty() ? std::string() : own.reasons.front().message),
                    "Give a right kernel with --kernel.");
    OracleReport report;
    for (std::size_t i = 0; i < judged.size(); ++i) {
        Judged &one = judged[i];
        const VerdictStatus status = one.verdict().status;
        const bool right = status == VerdictStatus::Correct;
        std::vector<Judged> &where =
            i < honest ? (right || status == VerdictStatus::Suspicious ? report.accepted
                          : status == VerdictStatus::Wrong             ? report.falseAlarms
                                                                       : report.notUsable)
            : !right   ? report.caught
            : sameNumbers(one.verdict(), own) ? report.unchanged
                                              : report.survivors;
        where.push_back(std::move(one));
    }
    report.seconds = double(timer.elapsed()) / 1000;
    return report;
}

json listJson(const std::vector<Judged> &judged)
{
    json list = json::array();
    for (const Judged &one : judged) {
        json entry = {{"kind", one.variant.kind},
                      {"what", one.variant.what},
                      {"line", one.variant.place.line},
                      {"verdict", name(one.verdict().status)},
                      {"figures", one.verdict().figures}};
        if (!one.verdict().reasons.empty()) {
            entry["layer"] = one.layer();
            entry["rule"] = one.verdict().reasons.front().rule;
            entry["message"] = one.verdict().reasons.front().message;
        }
        list.push_back(std::move(entry));
    }
    return list;
}

std::map<std::string, int> byLayer(const std::vector<Judged> &judged)
{
    std::map<std::string, int> layers;
    for (const Judged &one : judged)
        ++layers[one.layer()];
    return layers;
}

json reportJson(const OracleReport &report, const Task &task)
{
    return {{"task", task.name},
            {"shape", task.shapeName},
            {"simulated", true},
            {"dependence_learnt", task.dependence.has_value()},
            {"seconds", report.seconds},
            {"caught_by_layer", byLayer(report.caught)},
            {"caught", listJson(report.caught)},
            {"survivors", listJson(report.survivors)},
            {"unchanged", listJson(report.unchanged)},
            {"honest_accepted", listJson(report.accepted)},
            {"false_alarms", listJson(report.falseAlarms)},
            {"not_usable", listJson(report.notUsable)},
            {"good", report.good()}};
}

void addLines(std::string &text, const std::string &title, const std::vector<Judged> &judged)
{
    for (const Judged &one : judged) {
        text += fmt::format("{}: line {}: {} ({})\n", title, one.variant.place.line,
                            one.variant.what, one.variant.kind);
        if (!one.verdict().reasons.empty())
            text += "  " + one.verdict().reasons.front().message + '\n';
    }
}

std::string reportText(const OracleReport &report, const Task &task)
{
    std::map<std::string, std::map<std::string, int>> kinds;
    std::map<std::string, int> layers = byLayer(report.caught);
    for (const Judged &one : report.caught)
        ++kinds[one.variant.kind][one.layer()];
    std::vector<std::vector<std::string>> rows{{"wrong kernels", "caught"}};
    for (const auto &[layer, count] : layers)
        rows[0].push_back(layer);
    const auto row = [&](const std::string &title, const std::map<std::string, int> &counts) {
        int sum = 0;
        std::vector<std::string> line{title, {}};
        for (const auto &[layer, count] : layers) {
            const auto found = counts.find(layer);
            line.push_back(found == counts.end() ? std::string("-")
                                                 : fmt::format("{}", found->second));
            sum += found == counts.end() ? 0 : found->second;
        }
        line[1] = fmt::format("{}", sum);
        rows.push_back(std::move(line));
    };
    for (const auto &[kind, counts] : kinds)
        row(kind, counts);
    row("all", layers);
    std::string text = table(rows);
    addLines(text, "NOT CAUGHT", report.survivors);
    addLines(text, "FALSE ALARM", report.falseAlarms);
    text += fmt::format(
        "{} on {}, shape {} (simulated): {} wrong kernels caught, {} not caught, {} "
        "that change nothing; {} right ones accepted, {} refused, {} that do not "
        "compile at this shape; {:.1f} s\n",
        report.good() ? "good" : "NOT GOOD", task.name, task.shapeName, report.caught.size(),
        report.survivors.size(), report.unchanged.size(), report.accepted.size(),
        report.falseAlarms.size(), report.notUsable.size(), report.seconds);
    if (!task.dependence)
        text += fmt::format("what the task's reference depends on has not been learnt: "
                            "accelopt oracle {} --learn\n",
                            task.name);
    return text;
}

int learn(const OracleOptions &options, const Task &task)
{
    const auto text = profiling::learnDependence(task);
    if (!text)
        return tell(text.error());
    const std::filesystem::path file = std::filesystem::path(task.folder) / "dependence.json";
    std::ofstream stream(file, std::ios::binary);
    stream << *text;
    stream.close();
    if (!stream)
        return tell({ErrorCode::Environment,
                     fmt::format("cannot write {}", file.string()),
                     "the task's folder must be writable to keep what was learnt",
                     {}});
    Terminal::message(fmt::format("learnt from the shape {} of {}: {}", task.shapeName,
                                  options.task, file.string()));
    return 0;
}

/// The smallest shape by its tensors, as far as names tell: "lab" where there is one.
Result<Task> taskFor(const OracleOptions &options)
{
    if (!options.shape.empty())
        return loadTask(options.task, options.shape);
    if (auto lab = loadTask(options.task, "lab"))
        return lab;
    return loadTask(options.task, "");
}

int oracleCommand(const OracleOptions &options)
{
    Result<Task> task = taskFor(options);
    if (!task)
        return tell(task.error());
    if (options.learn) {
        if (const int status = learn(options, *task); status != 0)
            return status;
        task = taskFor(options);
        if (!task)
            return tell(task.error());
    }
    const Result<std::string> source =
        options.kernel.empty() ? bench::readBaseline(*task) : runner::readKernel(options.kernel);
    if (!source)
        return tell(source.error());
    const auto report = examine(*task, *source, options.device);
    if (!report)
        return tell(report.error());
    Terminal::result(options.asJson ? reportJson(*report, *task).dump(2)
                                    : reportText(*report, *task));
    return report->good() ? 0 : 1;
}

} // namespace

void addOracleCommand(CLI::App &program, Action &action)
{
    auto options = std::make_shared<OracleOptions>();
    CLI::App *command = program.add_subcommand(
        "oracle", "which wrong kernels the check catches, and whether it lets right ones pass");
    command->add_option("TASK", options->task, "the task (see `accelopt tasks`)")->required();
    command->add_option("--shape", options->shape, "shape of the task: lab (default) or published");
    command->add_option("--kernel", options->kernel,
                        "a right kernel to change, instead of the task's baseline");
    command->add_option("--device", options->device, "trn1 or trn2")->capture_default_str();
    command->add_flag("--learn", options->learn,
                      "first learn from the reference which inputs each result depends on");
    command->add_flag("--json", options->asJson, "print one JSON document");
    command->callback(
        [&action, options] { action = [options] { return oracleCommand(*options); }; });
}

} // namespace accelopt::cli
