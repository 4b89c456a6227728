// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Machine.h"
#include "tests/app/HostHere.h"
#include "tests/app/RunProgram.h"
#include "tests/support/TestMain.h"

#include <QTemporaryDir>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

using namespace accelopt;
using namespace accelopt::tests;
using nlohmann::json;

namespace {

const std::string kSilu = ACCELOPT_SOURCE_DIR "/nkibench/silu/baseline.py";

json profileOf(const std::string &kernel, const Arguments &more, int status)
{
    Arguments arguments{"profile", kernel, "--task", "silu", "--shape", "lab", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ran ran = runProgram(arguments);
    json parsed = json::parse(ran.out, nullptr, false);
    return ran.status == status && !parsed.is_discarded() ? parsed : json(ran.err);
}

} // namespace

/// `profile` and `check`: the fields that scripts rely on, and the same answers from a host.
class tst_ProfileCommand : public QObject
{
    Q_OBJECT

private slots:
    void everyFieldOfTheContractIsFilled();
    void aKernelWithoutLatencyHasNoFigures();
    void aHostGivesWhatTheSimulatorGives();
    void aHostSaysWhereAKernelIsWrong();
    void aMeasuringHostSaysThatItsFiguresAreMeasured();
    void aHostThatIsNotThereIsToldOf();

private:
    std::string path(const std::string &name) const
    {
        return m_folder.path().toStdString() + "/" + name;
    }
    QTemporaryDir m_folder;
};

void tst_ProfileCommand::everyFieldOfTheContractIsFilled()
{
    const json all = profileOf(kSilu, {}, 0);
    QVERIFY2(all.is_object(), all.dump().c_str());
    QCOMPARE(all["verdict"].get<std::string>(), std::string("correct"));
    QVERIFY(all["reasons"].is_array() && all["reasons"].empty());
    QCOMPARE(all["simulated"].get<bool>(), true);
    QCOMPARE(all["model_version"].get<std::string>(), nki::Machine::modelVersion());
    QCOMPARE(all["device"].get<std::string>(), std::string("trn1"));
    QCOMPARE(all["task"].get<std::string>(), std::string("silu"));
    QCOMPARE(all["shape"].get<std::string>(), std::string("lab"));

    const json &profile = all["profile"];
    for (const char *counter :
         {"hbm_read_bytes", "hbm_write_bytes", "psum_read_bytes", "psum_write_bytes",
          "sbuf_read_bytes", "sbuf_write_bytes", "spill_reload_bytes", "spill_save_bytes",
          "hardware_flops", "transpose_flops", "peak_flops_bandwidth_ratio",
          "mm_arithmetic_intensity", "hfu_estimated_percent", "scalar_engine_active_time_percent",
          "vector_engine_active_time_percent", "gpsimd_engine_active_time_percent", "latency"})
        QVERIFY2(profile.contains(counter) && profile[counter].is_number(), counter);
    // Each element of the input goes in once and comes out once.
    QVERIFY(profile["hbm_read_bytes"] > 0);
    QCOMPARE(profile["hbm_read_bytes"].get<double>(), profile["hbm_write_bytes"].get<double>());

    const double latency = profile["latency"];
    QCOMPARE(all["latency"].get<double>(), latency);
    QCOMPARE(all["interval_ms"].size(), std::size_t(2));
    QVERIFY(all["interval_ms"][0] > 0 && all["interval_ms"][0] < latency);
    QVERIFY(all["interval_ms"][1] > latency);
    QVERIFY(all["percent_of_peak"] > 0 && all["percent_of_peak"] <= 100);
    const std::set<std::string> bounds{"memory", "tensor", "vector"};
    QVERIFY(bounds.contains(all["bound"].get<std::string>()));
    QVERIFY(std::abs(all["speedup_over_baseline"].get<double>() - 1) < 1e-9);

    QVERIFY(all["findings"].is_array());
    for (const json &finding : all["findings"])
        for (const char *field : {"rule", "condition", "cause", "advice", "place"})
            QVERIFY2(finding.contains(field), field);
    double bytes = 0;
    QVERIFY(!all["lines"].empty());
    for (const json &line : all["lines"]) {
        QVERIFY(line["line"] > 0);
        bytes += line["dma_bytes"].get<double>();
    }
    const double moved =
        profile["hbm_read_bytes"].get<double>() + profile["hbm_write_bytes"].get<double>();
    QVERIFY(std::abs(bytes - moved) <= 1e-9 * moved);
}

void tst_ProfileCommand::aKernelWithoutLatencyHasNoFigures()
{
    write(path("broken.py"), "def kernel(x):\n    return (\n");
    const json all = profileOf(path("broken.py"), {}, 1);
    QVERIFY2(all.is_object(), all.dump().c_str());
    QCOMPARE(all["verdict"].get<std::string>(), std::string("not_compiling"));
    QCOMPARE(all["reasons"].size(), std::size_t(1));
    QCOMPARE(all["model_version"].get<std::string>(), nki::Machine::modelVersion());
    QVERIFY(all["simulated"].get<bool>());
    QVERIFY(all["profile"].is_object() && all["profile"].empty());
    for (const char *field :
         {"latency", "interval_ms", "percent_of_peak", "bound", "speedup_over_baseline"})
        QVERIFY2(all.contains(field) && all[field].is_null(), field);
    QVERIFY(all["findings"].empty() && all["lines"].empty());
}

void tst_ProfileCommand::aHostGivesWhatTheSimulatorGives()
{
    const json home = profileOf(kSilu, {}, 0);
    const HostHere host;
    const json far = profileOf(kSilu, {"--on", "near"}, 0);
    QVERIFY2(far.is_object(), far.dump().c_str());
    QCOMPARE(far["on"].get<std::string>(), std::string("near"));
    json expected = home;
    expected["on"] = "near";
    QCOMPARE(far.dump(), expected.dump());
    const Ran text = runProgram(
        {"profile", kSilu, "--task", "silu", "--shape", "lab", "--no-check", "--on", "near"});
    QCOMPARE(text.status, 0);
    QVERIFY2(contains(text.out, "judged on near"), text.out.c_str());
    QVERIFY(contains(text.out, "(simulated")); // nkisim there, and nothing else
    QVERIFY(contains(text.out, "not_checked"));
}

void tst_ProfileCommand::aHostSaysWhereAKernelIsWrong()
{
    const HostHere host;
    std::string source = contentOf(kSilu);
    const std::string part = "nl.exp(negative)";
    source.replace(source.find(part), part.size(), "nl.exp(x_tile)");
    write(path("wrong.py"), source);
    const Ran ran = runProgram({"check", path("wrong.py"), "--task", "silu", "--shape", "lab",
                                "--full", "--json", "--on", "near"});
    QVERIFY2(ran.status == 1, ran.err.c_str());
    const json verdict = json::parse(ran.out, nullptr, false);
    QCOMPARE(verdict["verdict"].get<std::string>(), std::string("wrong"));
    QCOMPARE(verdict["reasons"][0]["layer"].get<std::string>(), std::string("numbers"));
    QCOMPARE(verdict["figures"]["checked_share"].get<double>(), 1.0); // --full reached the host
    QCOMPARE(verdict["on"].get<std::string>(), std::string("near"));
}

void tst_ProfileCommand::aMeasuringHostSaysThatItsFiguresAreMeasured()
{
    const HostHere host(R"(, "judge_with": "neuron", "neuron_python": ")" ACCELOPT_SOURCE_DIR
                        R"(/tests/profiling/sdk_double/bin/python3")");
    write(path("whole.py"), "from neuronxcc import nki\nimport neuronxcc.nki.language as nl\n\n\n"
                            "@nki.jit\ndef kernel(x):\n"
                            "    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)\n"
                            "    nl.store(y, nl.silu(nl.load(x)))\n    return y\n");
    const json all = profileOf(path("whole.py"), {"--on", "near"}, 0);
    QVERIFY2(all.is_object(), all.dump().c_str());
    QVERIFY(!all["simulated"].get<bool>());
    QVERIFY(all["model_version"].is_null()); // no model stands behind a measurement
    QVERIFY(all["latency"] > 0 && all["profile"]["total_time"] > 0);
    QVERIFY(all["percent_of_peak"] > 0 && all["percent_of_peak"] < 100);
    QCOMPARE(all["bound"].get<std::string>(), std::string("memory"));
    const Ran text = runProgram(
        {"profile", path("whole.py"), "--task", "silu", "--shape", "lab", "--on", "near"});
    QVERIFY2(contains(text.out, "(measured)") && !contains(text.out, "simulated"),
             text.out.c_str());
}

void tst_ProfileCommand::aHostThatIsNotThereIsToldOf()
{
    const HostHere host;
    const Ran ran =
        runProgram({"check", kSilu, "--task", "silu", "--shape", "lab", "--on", "moon"});
    QCOMPARE(ran.status, 2);
    QVERIFY2(contains(ran.err, "moon") && contains(ran.err, "near"), ran.err.c_str());
    const HostHere without(R"(, "lease_seconds": 30)");
    qputenv("ACCELOPT_SSH", "/nowhere/ssh");
    const Ran setup =
        runProgram({"check", kSilu, "--task", "silu", "--shape", "lab", "--on", "near"});
    QCOMPARE(setup.status, 3);
    QVERIFY2(contains(setup.err, "OpenSSH"), setup.err.c_str());
}

ACCELOPT_TEST(tst_ProfileCommand)
#include "tst_ProfileCommand.moc"
