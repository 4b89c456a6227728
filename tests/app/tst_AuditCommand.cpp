// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/RunProgram.h"
#include "tests/support/TestMain.h"

#include <QTemporaryDir>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

using namespace accelopt;
using namespace accelopt::tests;
using nlohmann::json;

namespace {

const std::string kAudited = ACCELOPT_SOURCE_DIR "/nkibench/silu/baseline.py";

json auditOf(const Arguments &more)
{
    Arguments arguments{"audit", kAudited, "--task", "silu", "--shape", "lab", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ran ran = runProgram(arguments);
    json parsed = json::parse(ran.out, nullptr, false);
    return ran.status == 0 && !parsed.is_discarded() ? parsed : json(ran.err);
}

bool near(double a, double b)
{
    return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b));
}

} // namespace

/// `audit` and the tables and files about where the time goes: the sums must be right.
class tst_AuditCommand : public QObject
{
    Q_OBJECT

private slots:
    void theHeadroomFollowsFromTheFigures();
    void theLinesOwnTheBytesAndTheTime();
    void whatCannotBeSeenIsSaid();
    void peopleReadTheSame();
    void aWrongKernelHasNoAudit();
    void theTimesOfTheLinesSumToTheLatency();
    void theTimelineIsATraceOfTracks();
    void aTimelineThatCannotBeWrittenIsToldOf();

private:
    std::string path(const std::string &name) const
    {
        return m_folder.path().toStdString() + "/" + name;
    }
    QTemporaryDir m_folder;
};

void tst_AuditCommand::theHeadroomFollowsFromTheFigures()
{
    const json all = auditOf({});
    QVERIFY2(all.is_object(), all.dump().c_str());
    QVERIFY(all["simulated"].get<bool>());
    const double latency = all["latency"];
    const json &headroom = all["headroom"];
    const json &theory = headroom["theory_ms"];
    const double peak = std::max({theory["memory"].get<double>(), theory["tensor"].get<double>(),
                                  theory["vector"].get<double>()});
    QCOMPARE(theory["peak"].get<double>(), peak);
    QVERIFY(near(headroom["speedup_at_theory"], latency / peak));
    QVERIFY(near(all["percent_of_peak"], 100 * peak / latency));
    QCOMPARE(headroom["theory_bound"].get<std::string>(), all["bound"].get<std::string>());
    // The kernel moves its tensors once: its own memory work is the theory's.
    QVERIFY(near(headroom["own_work_ms"]["memory"], theory["memory"]));
    QCOMPARE(headroom["own_work_ms"]["tensor"].get<double>(), 0.0);
    double most = 0;
    for (const auto &[resource, ms] : headroom["own_work_ms"].items())
        most = std::max(most, ms.get<double>());
    QCOMPARE(headroom["own_work_ms"][headroom["own_bound"].get<std::string>()].get<double>(), most);
    QVERIFY(near(headroom["speedup_at_own_bound"], latency / most));
    QVERIFY(headroom["speedup_at_own_bound"] >= 1.0);
}

void tst_AuditCommand::theLinesOwnTheBytesAndTheTime()
{
    const json all = auditOf({"--top", "1000"});
    double bytes = 0;
    double byteShares = 0;
    for (const json &line : all["lines_by_bytes"]) {
        bytes += line["bytes"].get<double>();
        byteShares += line["share"].get<double>();
    }
    const json &counters = all["profile"];
    QVERIFY(near(bytes, counters["hbm_read_bytes"].get<double>() +
                            counters["hbm_write_bytes"].get<double>()));
    QVERIFY(near(byteShares, 1));
    double timeShares = 0;
    double last = 1e300;
    for (const json &line : all["lines_by_time"]) {
        timeShares += line["share"].get<double>();
        QVERIFY(line["critical_ns"].get<double>() <= last); // most first
        last = line["critical_ns"];
    }
    QVERIFY(near(timeShares, 1));
    // The loads and stores, in the kernel's own words.
    QVERIFY(contains(all["lines_by_bytes"].dump(), "nl.load"));
    QVERIFY(contains(all["lines_by_bytes"].dump(), "nl.store"));
    QCOMPARE(auditOf({"--top", "1"})["lines_by_bytes"].size(), std::size_t(1));
}

void tst_AuditCommand::whatCannotBeSeenIsSaid()
{
    const std::string told = auditOf({})["cannot_see"].dump();
    QVERIFY(contains(told, "Neuron compiler"));
    QVERIFY(contains(told, "inputs other than"));
    // Of this kernel: it uses an exponential of the scalar engine's tables, and no product.
    QVERIFY2(contains(told, "last digits of exp"), told.c_str());
    QVERIFY(!contains(told, "float16"));
}

void tst_AuditCommand::peopleReadTheSame()
{
    const Ran ran = runProgram({"audit", kAudited, "--task", "silu", "--shape", "lab"});
    QVERIFY2(ran.status == 0, ran.err.c_str());
    for (const char *part : {"Headroom (simulated)", "against theory", "against its own bound",
                             "Lines that move the bytes", "Lines that take the time", "Findings",
                             "What this cannot see"})
        QVERIFY2(contains(ran.out, part), part);
}

void tst_AuditCommand::aWrongKernelHasNoAudit()
{
    write(path("broken.py"), "def kernel(x):\n    return (\n");
    const Ran ran =
        runProgram({"audit", path("broken.py"), "--task", "silu", "--shape", "lab", "--json"});
    QCOMPARE(ran.status, 1);
    const json all = json::parse(ran.out, nullptr, false);
    QCOMPARE(all["verdict"].get<std::string>(), std::string("not_compiling"));
    QVERIFY(all["headroom"].is_null() && all["lines_by_time"].empty());
}

void tst_AuditCommand::theTimesOfTheLinesSumToTheLatency()
{
    const Ran ran = runProgram({"profile", kAudited, "--task", "silu", "--shape", "lab",
                                "--no-check", "--lines", "--timeline", path("sum.json")});
    QVERIFY2(ran.status == 0, ran.err.c_str());
    const std::size_t told = ran.out.find("critical path: ");
    QVERIFY2(told != std::string::npos, ran.out.c_str());
    double lines = 0;
    double launch = 0;
    double latency = 0;
    QCOMPARE(std::sscanf(ran.out.c_str() + told,
                         "critical path: %lf us in these lines and %lf us of launch are the "
                         "latency of %lf us",
                         &lines, &launch, &latency),
             3);
    QVERIFY(std::abs(lines + launch - latency) < 0.2); // rounded to 0.1 each
    const json trace = json::parse(contentOf(path("sum.json")), nullptr, false);
    QVERIFY(std::abs(trace["otherData"]["latency_ms"].get<double>() * 1000 - latency) < 0.1);
}

void tst_AuditCommand::theTimelineIsATraceOfTracks()
{
    const Ran ran = runProgram({"profile", kAudited, "--task", "silu", "--shape", "lab",
                                "--no-check", "--json", "--timeline", path("trace.json")});
    QVERIFY2(ran.status == 0, ran.err.c_str());
    QVERIFY(contains(ran.err, "ui.perfetto.dev"));
    const double latencyUs = json::parse(ran.out)["latency"].get<double>() * 1000;
    const json trace = json::parse(contentOf(path("trace.json")), nullptr, false);
    QVERIFY(trace.is_object() && trace["traceEvents"].is_array());
    std::map<int, std::string> names;
    std::map<int, std::vector<std::pair<double, double>>> spans;
    double critical = 0;
    double loaded = 0;
    bool seesALine = false;
    for (const json &event : trace["traceEvents"]) {
        if (event["ph"] == "M") {
            if (event["name"] == "thread_name")
                names[event["tid"]] = event["args"]["name"];
            continue;
        }
        QCOMPARE(event["ph"].get<std::string>(), std::string("X"));
        const double start = event["ts"];
        const double length = event["dur"];
        QVERIFY(start >= 0 && length >= 0 && start + length <= latencyUs * (1 + 1e-6));
        spans[event["tid"]].emplace_back(start, start + length);
        if (event["cat"] == "critical")
            critical += length;
        else
            loaded += event["args"]["bytes"].get<double>();
        seesALine = seesALine || (event["args"].contains("source") &&
                                  contains(event["args"]["source"], "nl.load"));
    }
    QVERIFY(seesALine);
    for (const char *track :
         {"critical path", "tensor engine", "vector engine", "scalar engine", "GpSimd engine"})
        QVERIFY2(std::ranges::any_of(names, [&](const auto &one) { return one.second == track; }),
                 track);
    for (auto &[track, list] : spans) {
        QVERIFY(names.contains(track));
        std::ranges::sort(list);
        for (std::size_t i = 1; i < list.size(); ++i)
            QVERIFY2(list[i].first >= list[i - 1].second - 1e-5, names[track].c_str());
    }
    // The launch and the critical path together are the latency.
    QVERIFY(std::abs(critical - latencyUs) < 1e-3 * latencyUs);
    const json counters = json::parse(ran.out).at("profile");
    QVERIFY(near(loaded, counters["hbm_read_bytes"].get<double>() +
                             counters["hbm_write_bytes"].get<double>()));
}

void tst_AuditCommand::aTimelineThatCannotBeWrittenIsToldOf()
{
    const Ran ran = runProgram({"profile", kAudited, "--task", "silu", "--shape", "lab",
                                "--no-check", "--timeline", path("nowhere/trace.json")});
    QCOMPARE(ran.status, 3);
    QVERIFY2(contains(ran.err, "nowhere/trace.json"), ran.err.c_str());
}

ACCELOPT_TEST(tst_AuditCommand)
#include "tst_AuditCommand.moc"
