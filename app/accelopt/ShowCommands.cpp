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
    bool asJson = false;
};

struct ExportOptions
{
    std::vector<std::string> files;
    std::string html;
    std::string csv;
    std::string kernel;
    std::string patch;
    std::string canonical;
};

struct Opened
{
    store::RunReader reader;
    search::State state;
};

Result<Opened> open(const std::string &file)
{
    ACCELOPT_TRY(store::RunReader reader, store::RunReader::openForReading(file));
    ACCELOPT_TRY(const std::vector<Event> events, reader.eventsAfter(0));
    Opened opened{std::move(reader), search::fold(events)};
    if (opened.state.phase == search::Phase::NotOpened)
        return fail(ErrorCode::Format, fmt::format("the run file {} holds no run yet", file),
                    "wait until its writer has begun, or name another file");
    return opened;
}

Result<void> writeFile(const std::string &path, const std::string &text)
{
    // Written beside and renamed, so that a full disk never leaves half a file.
    const std::string temporary = path + ".part";
    {
        std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
        out << text;
        out.flush();
        if (!out) {
            const std::string why = std::strerror(errno);
            std::error_code ignored;
            std::filesystem::remove(temporary, ignored);
            return fail(ErrorCode::Environment, fmt::format("{} cannot be written ({})", path, why),
                        "choose a folder you may write, with room");
        }
    }
    std::error_code error;
    std::filesystem::rename(temporary, path, error);
    if (error) {
        std::filesystem::remove(temporary, error);
        return fail(ErrorCode::Environment,
                    fmt::format("{} cannot be written ({})", path, error.message()),
                    "choose a folder you may write, with room");
    }
    return {};
}

int show(const ShowOptions &options)
{
    if (std::error_code ignored; std::filesystem::is_directory(options.file, ignored)) {
        if (!options.why.empty())
            return tell({ErrorCode::WrongUse,
                         "--why asks about one run",
                         "name one of the run files in the folder",
                         {}});
        return showSeveral(options.file, options.asJson ? Output::Json : Output::Text);
    }
    auto opened = open(options.file);
    if (!opened)
        return tell(opened.error());
    if (!options.why.empty()) {
        const std::vector<std::string> sentences = search::why(opened->state, options.why);
        if (sentences.empty())
            return tell({ErrorCode::WrongUse,
                         fmt::format("the run knows nothing named '{}'", options.why),
                         "name a kernel, a plan (i2.c0.p3), a lesson (e2.0) or an iteration (i2)",
                         {}});
        if (options.asJson) {
            Terminal::result(nlohmann::json{{"id", options.why}, {"why", sentences}}.dump(2));
        } else {
            for (const std::string &sentence : sentences)
                Terminal::result(sentence);
        }
        return 0;
    }
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
    if (!options.kernel.empty() || !options.patch.empty()) {
        const auto *best = search::kernel(opened->state, opened->state.best);
        if (best == nullptr)
            return tell({ErrorCode::NotGood, "the run has no correct kernel yet", {}, {}});
        const std::string source = text(best->text);
        if (!options.kernel.empty())
            if (const auto written = writeFile(options.kernel, source); !written)
                return tell(written.error());
        if (!options.patch.empty()) {
            const auto patch =
                report::unifiedPatch(text(opened->state.opened.baselineText), source, "kernel.py");
            if (!patch)
                return tell(patch.error());
            if (const auto written = writeFile(options.patch, *patch); !written)
                return tell(written.error());
        }
    }
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
                            "why a kernel, plan or lesson became what it is");
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
                              "the best kernel as a patch on the baseline");
    exportCommand->add_option("--canonical", exportOptions->canonical,
                              "the run without times and costs: equal for equal runs");
    exportCommand->callback([&action, exportOptions] {
        action = [exportOptions] { return exportRun(*exportOptions); };
    });
}

} // namespace accelopt::cli
