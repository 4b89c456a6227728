// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/RunOptions.h"
#include "app/workbench/Screenshot.h"
#include "core/store/RunReader.h"
#include "widgets/run/RunDocument.h"
#include "widgets/theme/Theme.h"
#include "widgets/window/CommandTable.h"
#include "widgets/window/WorkbenchWindow.h"

#include <CLI/CLI.hpp>
#include <QApplication>
#include <QFile>
#include <QFileInfo>
#include <cstdio>

namespace accelopt::workbench {

namespace {

struct Options
{
    std::string file;
    std::string select;
    std::vector<std::string> compare;
    std::string theme;
    std::string size;
    std::string screenshot;
    std::string layout; ///< empty: as it was left, or search
    std::string pane;   ///< of the lower half; empty: as it was left, or the comparison
    bool run = false;
};

int tell(const std::string &message, int status)
{
    std::fprintf(stderr, "accelopt-workbench: %s\n", message.c_str());
    return status;
}

Result<QSize> sizeOf(const std::string &text)
{
    int width = 0;
    int height = 0;
    char rest = 0;
    if (std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest) != 2 || width < 640 ||
        height < 400 || width > 16384 || height > 16384)
        return fail(ErrorCode::WrongUse, "--size takes a width and a height like 1600x1000",
                    "Give at least 640x400");
    return QSize(width, height);
}

widgets::ThemeKind themeOf(const std::string &name)
{
    if (name == "light")
        return widgets::ThemeKind::Light;
    if (name == "dark")
        return widgets::ThemeKind::Dark;
    if (name == "contrast")
        return widgets::ThemeKind::HighContrast;
    // Otherwise as the desktop has it.
    return QApplication::palette().color(QPalette::Window).lightness() < 128
               ? widgets::ThemeKind::Dark
               : widgets::ThemeKind::Light;
}

/// Without a display a picture can still be made, and nothing else.
void chooseDisplay(const Options &options)
{
    if (!options.screenshot.empty() && qEnvironmentVariableIsEmpty("DISPLAY") &&
        qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") &&
        qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
}

/// Selects what the command line names once the run is there.
void applySelection(widgets::WorkbenchWindow &window, const Options &options)
{
    const QString select = QString::fromStdString(options.select);
    if (!select.isEmpty() && !window.select(select)) {
        tell("the run has no kernel " + options.select +
                 "; name one by its number (k12), by baseline or best, or by six digits of its "
                 "hash",
             2);
        QCoreApplication::exit(2);
        return;
    }
    if (options.compare.size() == 2 &&
        !window.compare(QString::fromStdString(options.compare[0]),
                        QString::fromStdString(options.compare[1]))) {
        tell("the run lacks one of the kernels " + options.compare[0] + " and " +
                 options.compare[1] + "; name them by number (k12), baseline or best",
             2);
        QCoreApplication::exit(2);
    }
}

int show(int argc, char **argv, Options options, const RunOptions &runOptions)
{
    runner::RunRequest request;
    const bool resumes = options.run && runOptions.resumes();
    if (resumes) {
        if (runOptions.out().empty())
            return tell("--resume needs the run file; name it with --out FILE", 2);
        options.file = runOptions.out();
        options.run = false;
    }
    if (options.run) {
        Result<runner::RunRequest> wanted = runOptions.request();
        if (!wanted)
            return tell(describe(wanted.error()), exitStatus(wanted.error().code));
        request = std::move(*wanted);
    }
    QSize size;
    if (!options.size.empty()) {
        const Result<QSize> wanted = sizeOf(options.size);
        if (!wanted)
            return tell(describe(wanted.error()), 2);
        size = *wanted;
    }
    if (!options.file.empty()) {
        // Said here rather than in an empty window.
        const auto reader = store::RunReader::openForReading(options.file);
        if (!reader)
            return tell(describe(reader.error()), exitStatus(reader.error().code));
    }

    chooseDisplay(options);
    QApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("accelopt-workbench"));
    QCoreApplication::setApplicationVersion(QStringLiteral(ACCELOPT_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("io.github.accelopt.Workbench"));
    widgets::Theme theme(themeOf(options.theme));
    theme.apply(application);
    const auto programFolder = std::filesystem::path(
        QFile::encodeName(QCoreApplication::applicationDirPath()).constData());
    widgets::WorkbenchWindow window(programFolder, &theme);
    if (size.isValid())
        window.resize(size);
    if (options.screenshot.empty()) {
        // A picture shows what the command line says and nothing that was left from before.
        const bool named = !options.file.empty() || options.run;
        window.keepSession(named ? widgets::Reopen::Look : widgets::Reopen::LastRun);
        if (!options.theme.empty())
            theme.setKind(themeOf(options.theme));
        if (size.isValid())
            window.resize(size);
    }
    for (const widgets::Layout layout : {widgets::Layout::Search, widgets::Layout::Compare,
                                         widgets::Layout::Teach, widgets::Layout::Present})
        if (widgets::name(layout).toStdString() == options.layout)
            window.setLayoutKind(layout);

    if (!options.pane.empty())
        window.showLower(QString::fromStdString(options.pane));

    bool selected = options.file.empty() && !options.run;
    QObject::connect(&window.document(), &widgets::RunDocument::caughtUp, &window, [&] {
        if (std::exchange(selected, true))
            return;
        applySelection(window, options);
        // A finished run, and one that another process writes, is only shown.
        if (resumes)
            window.commands().perform(QStringLiteral("run.run"));
    });
    if (options.run) {
        QObject::connect(&window.driver(), &widgets::SearchDriver::refused, &window,
                         [&](const QString &message, int status) {
                             if (window.document().isOpen())
                                 return; // a later search; the window says it
                             tell(message.toStdString(), status);
                             QCoreApplication::exit(status);
                         });
        window.startSearch(request);
    } else if (!options.file.empty()) {
        window.openFile(QFile::decodeName(options.file.c_str()));
    }
    window.show();

    std::unique_ptr<Screenshot> screenshot;
    if (!options.screenshot.empty()) {
        const auto ready = [&] {
            if (!selected)
                return false;
            if (options.run && window.driver().status() != widgets::SearchDriver::Status::Finished)
                return false;
            return !window.document().isOpen() || window.settled();
        };
        screenshot = std::make_unique<Screenshot>(
            &window, QFile::decodeName(options.screenshot.c_str()), ready);
        QObject::connect(screenshot.get(), &Screenshot::saved, &application,
                         [] { QCoreApplication::exit(0); });
        QObject::connect(
            screenshot.get(), &Screenshot::failed, &application,
            [](const QString &message) { QCoreApplication::exit(tell(message.toStdString(), 2)); });
    }
    return QApplication::exec();
}

} // namespace

} // namespace accelopt::workbench

int main(int argc, char **argv)
{
    using namespace accelopt::workbench;
    Options options;
    RunOptions runOptions;
    CLI::App program("Watch, steer and understand searches for faster NKI kernels.");
    program.set_version_flag("--version", "accelopt-workbench " ACCELOPT_VERSION);
    CLI::Option *file = program.add_option("FILE", options.file, "a run file");
    program.add_option("--open", options.file, "a run file")->excludes(file);
    program.add_option("--select", options.select,
                       "kernel to show: a number (k12), baseline, best, or digits of its hash");
    program.add_option("--compare", options.compare, "two kernels to compare")->expected(2);
    program
        .add_option("--theme", options.theme,
                    "light, dark or contrast; else as it was left, or as the desktop has it")
        ->check(CLI::IsMember({"light", "dark", "contrast"}));
    program.add_option("--size", options.size, "size of the window, like 1600x1000");
    program.add_option("--screenshot", options.screenshot,
                       "save a picture of the window to this file and leave");
    program.add_option("--layout", options.layout, "search, compare, teach or present")
        ->check(CLI::IsMember({"search", "compare", "teach", "present"}));
    program
        .add_option("--pane", options.pane,
                    "below the tree: diff, charts, timeline, scratchpad, whatif, jobs or board")
        ->check(
            CLI::IsMember({"diff", "charts", "timeline", "scratchpad", "whatif", "jobs", "board"}));
    program.add_flag("--run", options.run, "begin a new search and show it");
    runOptions.addTo(program);
    try {
        program.parse(argc, argv);
    } catch (const CLI::CallForHelp &help) {
        return program.exit(help);
    } catch (const CLI::CallForVersion &version) {
        return program.exit(version);
    } catch (const CLI::ParseError &error) {
        return tell(std::string(error.what()) + ". See accelopt-workbench --help.", 2);
    }
    if (!options.run && runOptions.given())
        return tell("options of a search were given without --run; add --run to begin one", 2);
    if (options.run && !options.file.empty())
        return tell("--run begins a new search, so it goes without a run file; name the new file "
                    "with --out",
                    2);
    return show(argc, argv, options, runOptions);
}
