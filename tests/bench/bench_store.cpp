// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/RunFile.h"
#include "core/store/RunReader.h"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <random>
#include <unistd.h>

// Prints what the run file costs: transactions per second as a run writes them, bytes per event,
// and what a follower's look and a full read take. Give a folder to measure another disk than that
// of the current one.

namespace {

using namespace accelopt;
using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A text like a kernel: lines of code, of which some differ from those of the other kernels.
std::string kernelText(std::mt19937 &random)
{
    std::string text = "@nki.jit\ndef kernel(x):\n";
    for (int line = 0; line < 120; ++line)
        text += fmt::format("    tile_{} = nl.load(x[{}:{}, ix], mask=(ix < {}))\n", line,
                            random() % 64, random() % 4096, line * 128);
    return text;
}

Profile profileLike(std::mt19937 &random)
{
    Profile profile;
    profile.device = "trn1";
    profile.modelVersion = "1";
    profile.latencyMs = 1.0 + static_cast<double>(random() % 1000) / 1000;
    for (int i = 0; i < 40; ++i)
        profile.counters[fmt::format("counter_number_{}", i)] = static_cast<double>(random());
    for (int i = 0; i < 30; ++i)
        profile.lines.push_back(
            {i, double(random() % 1000), double(random()), double(random()), 1});
    return profile;
}

/// The two appends that one kernel of a search causes: written, judged.
struct Appends
{
    std::vector<Event> attempt;
    std::vector<Text> texts;
    std::vector<Event> judged;
};

Appends oneKernel(int number, std::mt19937 &random)
{
    Appends appends;
    appends.texts.push_back(makeText(kernelText(random)));
    AttemptMade attempt;
    attempt.call = CallId(fmt::format("c{}", number));
    attempt.kernel = KernelId(appends.texts.back().id.value);
    attempt.text = appends.texts.back().id;
    attempt.slot = {{number / 100, number % 3, number % 12}, 0};
    KernelJudged judged;
    judged.kernel = attempt.kernel;
    judged.verdict.status = VerdictStatus::Correct;
    judged.profile = profileLike(random);
    Event event;
    event.actor = "bench";
    event.body = attempt;
    appends.attempt.push_back(event);
    event.body = judged;
    appends.judged.push_back(event);
    return appends;
}

template <typename T> T orExit(Result<T> result)
{
    if (!result) {
        fmt::print(stderr, "{}\n", describe(result.error()));
        std::exit(exitStatus(result.error().code));
    }
    if constexpr (!std::is_void_v<T>)
        return std::move(*result);
}

} // namespace

int main(int argc, char **argv)
{
    constexpr int kKernels = 1000;
    const std::filesystem::path folder = argc > 1 ? argv[1] : ".";
    const std::filesystem::path file = folder / fmt::format("bench_store-{}.run", getpid());
    std::mt19937 random(1);
    std::vector<Appends> work;
    std::size_t textBytes = 0;
    for (int i = 0; i < kKernels; ++i) {
        work.push_back(oneKernel(i, random));
        textBytes += work.back().texts.front().bytes.size();
    }

    auto run = orExit(store::RunFile::create(file));
    auto reader = orExit(store::RunReader::openForReading(file));
    auto start = Clock::now();
    for (Appends &appends : work) {
        orExit(run.append(appends.attempt, appends.texts));
        orExit(run.append(appends.judged, {}));
    }
    const double written = secondsSince(start);
    constexpr int kTransactions = 2 * kKernels;
    fmt::print("store: {:.0f} transactions/s, {:.3f} ms each (WAL, synchronous FULL, views kept)\n",
               kTransactions / written, 1e3 * written / kTransactions);

    constexpr int kLooks = 10'000;
    start = Clock::now();
    for (int i = 0; i < kLooks; ++i)
        orExit(reader.changed());
    fmt::print("store: {:.1f} us for a follower's look\n", 1e6 * secondsSince(start) / kLooks);

    start = Clock::now();
    const auto events = orExit(reader.eventsAfter(0));
    fmt::print("store: {:.0f} events/s read and decoded\n",
               static_cast<double>(events.size()) / secondsSince(start));

    start = Clock::now();
    orExit(run.rebuildViews());
    fmt::print("store: {:.0f} events/s when the views are rebuilt\n",
               static_cast<double>(events.size()) / secondsSince(start));
    {
        const auto closing = std::move(reader);
    }
    orExit(run.close());
    const auto size = static_cast<double>(std::filesystem::file_size(file));
    fmt::print("store: {:.0f} bytes/event in a closed file of {:.1f} MB ({:.0f} bytes of text per "
               "kernel before compression)\n",
               size / static_cast<double>(events.size()), size / 1e6,
               static_cast<double>(textBytes) / kKernels);
    std::filesystem::remove(file);
    return 0;
}
