// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/window/WorkbenchWindow.h"

#include "core/domain/Hash.h"
#include "core/search/Fold.h"
#include "core/search/Next.h"
#include "core/search/Questions.h"
#include "core/store/RunFile.h"
#include "widgets/diff/DiffView.h"
#include "widgets/models/KernelOrder.h"
#include "widgets/run/RunDocument.h"
#include "widgets/theme/Theme.h"
#include "widgets/tree/KernelTreeCanvas.h"
#include "widgets/window/KernelListPane.h"
#include "widgets/window/SelectionHub.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTimer>
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <malloc.h>
#include <thread>
#include <time.h>
#include <unistd.h>

// Prints what the window costs: until it shows, until a run of 30,000 kernels is open, for one step
// of panning, for painting the whole tree, filtering, comparing, and how long the GUI thread is
// held up while 500 kernels arrive in a second. Runs without a display.

namespace {

using namespace accelopt;
using namespace accelopt::widgets;

constexpr int kKernels = 30'000;
constexpr int kArrivals = 500;

template <typename T> T orExit(Result<T> result)
{
    if (!result) {
        fmt::print(stderr, "{}\n", describe(result.error()));
        std::exit(exitStatus(result.error().code));
    }
    if constexpr (!std::is_void_v<T>)
        return std::move(*result);
}

double residentMegabytes()
{
    std::ifstream file("/proc/self/statm");
    double all = 0, resident = 0;
    file >> all >> resident;
    return resident * double(sysconf(_SC_PAGESIZE)) / 1e6;
}

/// Answers everything the engine asks, so that the run is one that a search could have written.
class Searcher
{
public:
    Searcher()
    {
        RunOpened opened;
        opened.task = "silu";
        opened.config.beamWidth = 8;
        opened.config.plansPerCandidate = 25;
        opened.config.attemptsPerPlan = 1;
        opened.config.iterations = 1000;
        opened.config.patience = 0;
        opened.modelVersion = "1";
        opened.baseline = KernelId(sha256("baseline"));
        opened.baselineText = text("def kernel(x):\n    nl.store(x, nl.load(x))\n");
        add(opened);
    }

    /// Goes on with a run that one of these has written.
    explicit Searcher(store::RunFile &file) : m_events(orExit(file.eventsAfter(0)))
    {
        m_state = search::fold(m_events);
        m_flushed = m_events.size();
        m_count = m_state.counts.written;
    }

    /// Goes on until so many kernels are written.
    void run(int kernels)
    {
        while (m_state.counts.written < kernels)
            for (const search::Command &command : search::next(m_state, {64, 64})) {
                answer(command);
                if (m_state.counts.written >= kernels)
                    break;
            }
    }

    /// Writes what is new.
    void flush(store::RunFile &file)
    {
        orExit(file.append(std::span(m_events).subspan(m_flushed), m_texts));
        m_flushed = m_events.size();
        m_texts.clear();
    }

private:
    TextId text(const std::string &bytes)
    {
        m_texts.push_back(makeText(bytes));
        return m_texts.back().id;
    }

    void add(EventBody body)
    {
        Event event{std::int64_t(m_events.size()) + 1, "bench", 0, std::move(body)};
        search::apply(m_state, event);
        m_events.push_back(std::move(event));
    }

    void answer(const search::Command &command)
    {
        if (const auto *plan = std::get_if<search::AskPlanner>(&command)) {
            PlanMade made;
            made.call = plan->call;
            made.plan.slot = plan->slot;
            made.plan.title = "Widen the tile to " + std::to_string(m_count % 2048);
            made.plan.text = "Make the tile wider.";
            add(made);
        } else if (const auto *write = std::get_if<search::AskExecutor>(&command)) {
            AttemptMade made;
            made.call = write->call;
            made.slot = write->slot;
            ++m_count;
            made.kernel = KernelId(sha256(std::to_string(m_count)));
            made.text = text(fmt::format("def kernel(x):\n    tile = {}\n", m_count));
            add(made);
        } else if (const auto *judge = std::get_if<search::Judge>(&command)) {
            KernelJudged judged;
            judged.kernel = judge->kernel;
            judged.purpose = judge->purpose;
            judged.verdict.status = VerdictStatus::Correct;
            judged.profile.device = "trn1";
            judged.profile.modelVersion = "1";
            // Slowly better, with much that is worse.
            judged.profile.latencyMs =
                10.0 / (1 + m_count / 5000.0) * (1 + 0.01 * double((m_count * 7919) % 100));
            judged.profile.bound = m_count % 3 == 0 ? "memory" : "vector";
            judged.profile.counters = {{"hbm_read_bytes", 1e8},
                                       {"hbm_write_bytes", 1e8},
                                       {"dma_active_time_percent", 0.5},
                                       {"vector_engine_active_time_percent", 0.7}};
            if (m_count % 10 == 9) {
                judged.verdict.status = VerdictStatus::Wrong;
                judged.verdict.reasons.push_back({"numbers", "tolerance", "row 3 differs", "", {}});
                judged.profile = {};
            }
            add(judged);
        } else if (const auto *pair = std::get_if<search::AskSummarizer>(&command)) {
            PairSummarized summarized;
            summarized.call = pair->call;
            summarized.iteration = pair->iteration;
            summarized.rank = pair->rank;
            summarized.item.title = "Widen tiles";
            summarized.item.strategy = "Wider tiles cost less.";
            add(summarized);
        } else {
            fmt::print(stderr, "the made-up run ended before it had enough kernels\n");
            std::exit(1);
        }
    }

    search::State m_state;
    std::vector<Event> m_events;
    std::vector<Text> m_texts;
    std::size_t m_flushed = 0;
    int m_count = 0;
};

/// Time by the clock, and time that the processor really spent: on a busy machine only the second
/// says something about the program.
struct Cost
{
    double wallMs = 0;
    double cpuMs = 0;
};

double processorMs(clockid_t clock)
{
    timespec now{};
    clock_gettime(clock, &now);
    return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
}

template <typename Work>
Cost costOf(int times, Work work, clockid_t clock = CLOCK_THREAD_CPUTIME_ID)
{
    QElapsedTimer timer;
    timer.start();
    const double before = processorMs(clock);
    for (int i = 0; i < times; ++i)
        work(i);
    return {double(timer.nsecsElapsed()) / 1e6 / times, (processorMs(clock) - before) / times};
}

void print(const char *what, const Cost &cost, double target)
{
    fmt::print("window: {:>8.2f} ms ({:.2f} of processor) for {} (target {:g} ms){}\n", cost.wallMs,
               cost.cpuMs, what, target, cost.wallMs <= target ? "" : "  MISSED");
    std::fflush(stdout);
}

template <typename Ready> void waitFor(Ready ready)
{
    while (!ready())
        QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
}

} // namespace

int main(int argc, char **argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QTemporaryDir folder;
    const std::filesystem::path path =
        folder.filePath(QStringLiteral("long.accelopt")).toStdString();
    {
        Searcher searcher;
        auto file = orExit(store::RunFile::create(path));
        for (int written = 2000; written <= kKernels; written += 2000) {
            searcher.run(written);
            searcher.flush(file);
        }
        orExit(file.close());
    }
    malloc_trim(0); // what the run was made with is no memory of the window's

    QElapsedTimer timer;
    timer.start();
    const double before = processorMs(CLOCK_PROCESS_CPUTIME_ID);
    QApplication application(argc, argv);
    Theme theme(ThemeKind::Light);
    theme.apply(application);
    WorkbenchWindow window(ACCELOPT_BIN_DIR, &theme);
    window.resize(1920, 1080);
    window.show();
    waitFor([&] { return window.isVisible(); });
    window.grab();
    print("the first window",
          {double(timer.elapsed()), processorMs(CLOCK_PROCESS_CPUTIME_ID) - before}, 300);

    print("opening 30,000 kernels",
          costOf(
              1,
              [&](int) {
                  window.openFile(QString::fromStdString(path.string()));
                  waitFor([&] { return window.settled(); });
                  window.grab();
              },
              CLOCK_PROCESS_CPUTIME_ID),
          1000);
    fmt::print("window: {:>8.0f} MB in memory (target 400 MB)\n", residentMegabytes());

    KernelTreeCanvas &tree = window.tree();
    QScrollBar *across = tree.horizontalScrollBar();
    QWidget *canvas = tree.viewport();
    print("moving the pointer over the tree",
          costOf(200,
                 [&](int i) {
                     window.hub().setHovered(
                         window.document().kernels()[std::size_t(kKernels - 1 - i)]);
                     canvas->repaint();
                 }),
          1);
    print("one step of panning",
          costOf(200,
                 [&](int i) {
                     across->setValue(across->maximum() / 2 + i * 4);
                     canvas->repaint();
                 }),
          1);
    for (int i = 0; i < 20; ++i)
        tree.zoomBy(0.8);
    print("painting as much of the tree as can be",
          costOf(10,
                 [&](int) {
                     tree.setFilter({}); // everything is painted anew
                     canvas->repaint();
                 }),
          25);
    print("the chips of the tree",
          costOf(10,
                 [&](int i) {
                     tree.setFilter(i % 2 == 0 ? std::set{FilterChip::MemoryBound}
                                               : std::set<FilterChip>());
                 }),
          30);
    auto *list = window.findChild<KernelListPane *>();
    print("filtering the list",
          costOf(6,
                 [&](int i) {
                     list->shown()->setFilter(i % 2 == 0 ? QStringLiteral("tile to 17")
                                                         : QString());
                 }),
          30);

    std::string left, right;
    for (int line = 0; line < 2000; ++line) {
        left += fmt::format("    tile_{} = nl.load(x[{}:{}])\n", line, line, line * 128);
        right += fmt::format("    tile_{} = nl.load(x[{}:{}])\n", line, line,
                             line % 3 == 0 ? line * 256 : line * 128);
    }
    print("comparing two kernels of 2,000 lines",
          costOf(5,
                 [&](int i) {
                     const QString title = QString::number(i);
                     window.diff().compare(left, title, i % 2 == 0 ? right : left, title);
                     window.diff().repaint();
                 }),
          30);

    // How long the GUI thread is held up, seen from a timer that should fire every millisecond.
    std::vector<double> gaps;
    QElapsedTimer beat;
    QTimer heart;
    heart.setTimerType(Qt::PreciseTimer);
    QObject::connect(&heart, &QTimer::timeout, [&] {
        gaps.push_back(std::max(0.0, double(beat.nsecsElapsed()) / 1e6 - 1));
        beat.restart();
    });
    const std::size_t known = window.document().kernels().size();
    auto file = orExit(store::RunFile::openForWriting(path));
    Searcher searcher(file);
    waitFor([&] { return window.document().writer().written; });
    beat.start();
    heart.start(1);
    std::thread writer([&] {
        for (int i = 1; i <= kArrivals / 10; ++i) {
            searcher.run(kKernels + 10 * i);
            searcher.flush(file);
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    });
    waitFor([&] { return window.document().kernels().size() >= known + kArrivals; });
    heart.stop();
    writer.join();
    orExit(file.close());
    std::sort(gaps.begin(), gaps.end());
    const auto printStall = [](const char *what, double ms, double target) {
        fmt::print("window: {:>8.2f} ms for {} (target {:g} ms){}\n", ms, what, target,
                   ms <= target ? "" : "  MISSED");
    };
    printStall("the 99th percentile of stalls while 500 kernels arrive",
               gaps[gaps.size() * 99 / 100], 16);
    printStall("the longest stall while 500 kernels arrive", gaps.back(), 50);
    return 0;
}
