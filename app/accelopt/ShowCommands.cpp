// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/Commands.h"
#include "app/accelopt/RunSummary.h"
#include "app/accelopt/SeveralRuns.h"
#include "app/accelopt/Terminal.h"
#include "core/report/CsvFolder.h"
#include "core/report/CsvTables.h"
#include "core/report/HtmlReport.h"
#include "core/report/TextDiff.h"
#include "core/search/Canonical.h"
#include "core/search/Fold.h"
#include "core/search/KernelNames.h"
#include "core/search/Why.h"
#include "core/store/RunReader.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace accelopt::cli {

namespace {

struct ShowOptions
{
    std::string file;
    std::string why;
    bool kernels = false;
    bool asJson = false;
};

struct ExportOptions
{
    std::vector<std::string> files;
    std::string html;
    std::string csv;
    std::string kernel;
    std::string patch;
    std::string patchedFile = "kernel.py"; ///< the file that the patch names
    std::string canonical;
};

struct Opened
{
    store::RunReader reader;
    search::State state;
    search::KernelNames names;
};

Result<Opened> open(const std::string &file)
{
    ACCELOPT_TRY(store::RunReader reader, store::RunReader::openForReading(file));
    ACCELOPT_TRY(const std::vector<Event> events, reader.eventsAfter(0));
    Opened opened{std::move(reader), search::fold(events), search::KernelNames(events)};
    if (opened.state.phase == search::Phase::NotOpened)
        return fail(ErrorCode::Format, fmt::format("the run file {} holds no run yet", file),
                    "wait until its writer has begun, or name another file");
    return opened;
}

tl::unexpected<Error> cannotWrite(const std::string &path, const std::string &why)
{
    return fail(ErrorCode::Environment, fmt::format("{} cannot be written ({})", path, why),
                "choose a file in a folder you may write, with room");
}

/// "-" is standard output.
Result<void> writeFile(const std::string &path, const std::string &text)
{
    if (path == "-") {
        Terminal::result(text);
        return {};
    }
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        return fail(ErrorCode::WrongUse,
                    fmt::format("{} is a folder, and a file is to be written", path),
                    "name a file");
    // Written beside and renamed, so that a full disk never leaves half a file.
    const std::string temporary = path + ".part";
    {
        std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
        out << text;
        out.flush();
        if (!out) {
            const std::string why = std::strerror(errno);
            std::filesystem::remove(temporary, ignored);
            return cannotWrite(path, why);
        }
    }
    std::error_code error;
    std::filesystem::rename(temporary, path, error);
    if (error) {
        std::filesystem::remove(temporary, ignored);
        return cannotWrite(path, error.message());
    }
    return {};
}

/// Every kernel of the run by the names that people have for it.
int showKernels(const Opened &opened, Output output)
{
    const search::State &state = opened.state;
    nlohmann::json list = nlohmann::json::array();
    std::vector<std::vector<std::string>> rows{
        {"kernel", "hash", "verdict", "ms", "speedup", "plan"}};
    for (const KernelId &id : opened.names.kernels()) {
        const search::KernelRecord *record = search::kernel(state, id);
        if (record == nullptr)
            continue;
        const std::string name = opened.names.name(id);
        const std::string verdict = record->judged
                                        ? std::string(accelopt::name(record->verdict.status))
                                        : std::string("not judged");
        const double speedup = search::speedupOverBaseline(state, id);
        const auto *plan = record->first ? search::plan(state, record->first->slot.plan) : nullptr;
        const std::string title = plan != nullptr ? plan->plan.title : std::string();
        const bool best = id == state.best;
        rows.push_back({name + (best ? " (best)" : ""), shortId(id), verdict,
                        record->rankable ? fmt::format("{:.4g}", record->profile.latencyMs) : "-",
                        speedup > 0 ? fmt::format("{:.3f}x", speedup) : "-", title});
        list.push_back(
            {{"name", name},
             {"kernel", id.value},
             {"best", best},
             {"verdict", record->judged ? nlohmann::json(verdict) : nlohmann::json()},
             {"latency",
              record->rankable ? nlohmann::json(record->profile.latencyMs) : nlohmann::json()},
             {"speedup", speedup > 0 ? nlohmann::json(speedup) : nlohmann::json()},
             {"parent", record->parent.empty() ? nlohmann::json()
                                               : nlohmann::json(opened.names.name(record->parent))},
             {"plan", title}});
    }
    if (output == Output::Json)
        Terminal::result(nlohmann::json{{"kernels", list}}.dump(2));
    else
        Terminal::result(table(rows, Columns::FiguresAndText));
    return 0;
}

/// Kernels are told of by the beginning of their hash; people know them by number.
std::string withNumbers(std::string sentence, const search::KernelNames &names)
{
    for (const KernelId &id : names.kernels()) {
        const std::string hash = shortId(id);
        const std::string named = fmt::format("{} ({})", names.name(id), hash);
        for (std::size_t at = sentence.find(hash); at != std::string::npos;
             at = sentence.find(hash, at + named.size()))
            sentence.replace(at, hash.size(), named);
    }
    return sentence;
}

int showWhy(const Opened &opened, const ShowOptions &options)
{
    const KernelId named = opened.names.find(options.why, opened.state);
    std::vector<std::string> sentences =
        search::why(opened.state, named.empty() ? options.why : named.value);
    if (sentences.empty())
        return tell({ErrorCode::WrongUse,
                     fmt::format("the run knows nothing named '{}'", options.why),
                     "name a kernel (k3, baseline, best, or the beginning of its hash; `--kernels` "
                     "lists them), a plan (i2.c0.p3), a lesson (e2.0) or an iteration (i2)",
                     {}});
    for (std::string &sentence : sentences)
        sentence = withNumbers(std::move(sentence), opened.names);
    if (options.asJson) {
        nlohmann::json document{{"id", options.why}, {"why", sentences}};
        if (!named.empty())
            document["kernel"] = named.value;
        Terminal::result(document.dump(2));
        return 0;
    }
    if (!named.empty())
        Terminal::result(
            fmt::format("{} is the kernel {}.", opened.names.name(named), shortId(named)));
    for (const std::string &sentence : sentences)
        Terminal::result(sentence);
    return 0;
}

int show(const ShowOptions &options)
{
    if (std::error_code ignored; std::filesystem::is_directory(options.file, ignored)) {
        if (!options.why.empty() || options.kernels)
            return tell({ErrorCode::WrongUse,
                         "--why and --kernels ask about one run",
                         "name one of the run files in the folder",
                         {}});
        return showSeveral(options.file, options.asJson ? Output::Json : Output::Text);
    }
    auto opened = open(options.file);
    if (!opened)
        return tell(opened.error());
    if (!options.why.empty())
        return showWhy(*opened, options);
    if (options.kernels)
        return showKernels(*opened, options.asJson ? Output::Json : Output::Text);
    const RunSummary summary = summarize(opened->state, options.file, 0);
    if (options.asJson) {
        nlohmann::json runs = nlohmann::json::array({toJson(summary)});
        Terminal::result(nlohmann::json{
            {"runs", runs},
            {"geometric_mean_speedup",
             summary.bestSpeedup ? nlohmann::json(*summary.bestSpeedup) : nlohmann::json()}}
                             .dump(2));
        return 0;
    }
    std::string text = toText(summary);
    if (opened->reader.writer())
        text += "another process is writing this run now\n";
    if (!opened->reader.notice().empty())
        text += opened->reader.notice() + '\n';
    for (const std::string &complaint : opened->state.complaints)
        text += "note: " + complaint + '\n';
    Terminal::result(text);
    return 0;
}

/// The run files that were named; a folder stands for those directly in it, by name.
Result<std::vector<std::string>> runFiles(const std::vector<std::string> &named)
{
    std::vector<std::string> files;
    for (const std::string &name : named) {
        std::error_code error;
        if (!std::filesystem::is_directory(name, error)) {
            files.push_back(name);
            continue;
        }
        std::vector<std::string> found;
        for (std::filesystem::directory_iterator entry(name, error), end; !error && entry != end;
             entry.increment(error))
            if (entry->path().extension() == ".accelopt")
                found.push_back(entry->path().string());
        if (error || found.empty())
            return fail(ErrorCode::WrongUse,
                        fmt::format("the folder {} holds no run file (*.accelopt)", name),
                        "name run files, or a folder with some");
        std::sort(found.begin(), found.end());
        files.insert(files.end(), found.begin(), found.end());
    }
    return files;
}

/// Figures of several runs, as tables and on one page.
Result<void> exportFigures(const ExportOptions &options, const std::vector<std::string> &files)
{
    std::vector<report::RunFigures> runs;
    for (const std::string &file : files) {
        ACCELOPT_TRY(store::RunReader reader, store::RunReader::openForReading(file));
        ACCELOPT_TRY(report::RunFigures figures, report::readFigures(reader));
        runs.push_back(std::move(figures));
    }
    if (!options.csv.empty())
        ACCELOPT_CHECK(report::writeCsvFolder(options.csv, report::csvTables(runs)));
    if (!options.html.empty() && files.size() > 1)
        ACCELOPT_CHECK(writeFile(options.html, report::htmlOverview(runs)));
    return {};
}

/// The best kernel and its patch on the baseline.
Result<void> exportBest(const ExportOptions &options, Opened &opened)
{
    const auto *best = search::kernel(opened.state, opened.state.best);
    if (best == nullptr)
        return fail(ErrorCode::NotGood, "the run has no correct kernel yet");
    ACCELOPT_TRY(const std::string source, opened.reader.text(best->text));
    if (!options.kernel.empty())
        ACCELOPT_CHECK(writeFile(options.kernel, source));
    if (options.patch.empty())
        return {};
    if (best->id == opened.state.opened.baseline)
        return fail(ErrorCode::NotGood,
                    "the run found nothing faster than the baseline, so there is no patch",
                    "`accelopt show` says what it tried");
    ACCELOPT_TRY(const std::string before, opened.reader.text(opened.state.opened.baselineText));
    ACCELOPT_TRY(const std::string patch,
                 report::unifiedPatch(before, source, options.patchedFile));
    return writeFile(options.patch, patch);
}

int exportRun(const ExportOptions &options)
{
    const auto files = runFiles(options.files);
    if (!files)
        return tell(files.error());
    const bool onlyOfOne =
        !options.kernel.empty() || !options.patch.empty() || !options.canonical.empty();
    if (!onlyOfOne && options.html.empty() && options.csv.empty())
        return tell({ErrorCode::WrongUse,
                     "nothing to export was named",
                     "add --html FILE, --csv FOLDER, --kernel FILE, --patch FILE or --canonical "
                     "FILE",
                     {}});
    if (files->size() > 1 && onlyOfOne)
        return tell({ErrorCode::WrongUse,
                     "a kernel, a patch and a canonical form are those of one run, and several "
                     "were named",
                     "name one run file, or ask for --csv or --html",
                     {}});
    if (!options.csv.empty() || files->size() > 1)
        if (const auto written = exportFigures(options, *files); !written)
            return tell(written.error());
    if (files->size() > 1 || (!onlyOfOne && options.html.empty()))
        return 0;

    auto opened = open(files->front());
    if (!opened)
        return tell(opened.error());
    const auto text = [&](const TextId &id) {
        return opened->reader.text(id).value_or(std::string());
    };
    if (!options.html.empty()) {
        const auto html = report::htmlReport(opened->reader);
        if (!html)
            return tell(html.error());
        if (const auto written = writeFile(options.html, *html); !written)
            return tell(written.error());
    }
    if (!options.kernel.empty() || !options.patch.empty())
        if (const auto written = exportBest(options, *opened); !written)
            return tell(written.error());
    if (!options.canonical.empty()) {
        const std::string document = search::canonical(opened->state, text).dump(1);
        if (const auto written = writeFile(options.canonical, document + "\n"); !written)
            return tell(written.error());
    }
    return 0;
}

} // namespace

void addShowCommands(CLI::App &program, Action &action)
{
    auto options = std::make_shared<ShowOptions>();
    CLI::App *showCommand = program.add_subcommand("show", "what a run came to");
    showCommand->add_option("FILE", options->file, "the run file")->required();
    showCommand->add_option("--why", options->why,
                            "why a kernel (k3, best, baseline, a hash), plan or lesson became "
                            "what it is");
    showCommand->add_flag("--kernels", options->kernels,
                          "list the kernels with their names, verdicts and speedups");
    showCommand->add_flag("--json", options->asJson, "print one JSON document");
    showCommand->callback([&action, options] { action = [options] { return show(*options); }; });

    auto exportOptions = std::make_shared<ExportOptions>();
    CLI::App *exportCommand = program.add_subcommand("export", "write parts of a run to files");
    exportCommand
        ->add_option("FILE", exportOptions->files,
                     "the run file; several, or a folder of them, for --csv and --html")
        ->required();
    exportCommand->add_option("--html", exportOptions->html, "a report in one self-contained file");
    exportCommand->add_option("--csv", exportOptions->csv,
                              "a folder for the figures as tables, one CSV file for each");
    exportCommand->add_option("--kernel", exportOptions->kernel, "the best kernel");
    exportCommand->add_option("--patch", exportOptions->patch,
                              "the best kernel as a patch on the baseline; - is standard output");
    exportCommand
        ->add_option("--patch-name", exportOptions->patchedFile,
                     "the file that the patch is for, as `git apply` is to find it")
        ->capture_default_str();
    exportCommand->add_option("--canonical", exportOptions->canonical,
                              "the run without times and costs: equal for equal runs");
    exportCommand->callback([&action, exportOptions] {
        action = [exportOptions] { return exportRun(*exportOptions); };
    });
}

} // namespace accelopt::cli
