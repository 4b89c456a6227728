// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/RunProgram.h"
#include "tests/support/TestMain.h"

#include <QTemporaryDir>
#include <nlohmann/json.hpp>
#include <set>

using namespace accelopt::tests;
using nlohmann::json;

/// Wrong kernels are caught and right ones pass, on tasks of two kinds.
class tst_OracleCommand : public QObject
{
    Q_OBJECT

private slots:
    void mutantsAreCaughtAndHonestVariantsPass_data()
    {
        QTest::addColumn<QString>("task");
        QTest::newRow("an elementwise function") << "silu";
        QTest::newRow("a norm and a product") << "rmsnorm_matmul";
    }

    void mutantsAreCaughtAndHonestVariantsPass()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("dozens of kernels with all their values take minutes under a sanitizer");
#endif
        QFETCH(const QString, task);
        const Ran ran = runProgram({"oracle", task.toStdString(), "--json"});
        const json report = json::parse(ran.out.begin(), ran.out.end(), nullptr, false);
        QVERIFY2(report.is_object(), (ran.out + ran.err).c_str());
        QCOMPARE(report.at("shape").get<std::string>(), std::string("lab"));
        QVERIFY(report.at("dependence_learnt").get<bool>());
        QVERIFY2(report.at("survivors").empty(), report.at("survivors").dump(2).c_str());
        QVERIFY2(report.at("false_alarms").empty(), report.at("false_alarms").dump(2).c_str());
        QCOMPARE(ran.status, 0);
        for (const char *layer : {"language", "structure", "dependence", "numbers"})
            QVERIFY2(report.at("caught_by_layer").value(layer, 0) > 0, layer);
        std::set<std::string> kinds;
        for (const json &one : report.at("caught"))
            kinds.insert(one.at("kind"));
        QVERIFY(kinds.size() >= 12);
        QVERIFY(report.at("honest_accepted").size() >= 6);
    }

    void aSimulatedCorrectSaysWhatItIsWorth()
    {
        const std::string kernel = ACCELOPT_SOURCE_DIR "/nkibench/silu/baseline.py";
        const Ran told = runProgram({"check", kernel, "--task", "silu", "--shape", "lab"});
        QCOMPARE(told.status, 0);
        QVERIFY2(told.out.find("vendor's compiler may still refuse") != std::string::npos,
                 told.out.c_str());
        const Ran ran = runProgram({"check", kernel, "--task", "silu", "--shape", "lab", "--json"});
        const json answer = json::parse(ran.out.begin(), ran.out.end(), nullptr, false);
        QVERIFY(answer.is_object());
        QVERIFY(answer.value("note", std::string()).find("compiler") != std::string::npos);
    }

    void aWrongKernelIsNotTakenForTheRightOne()
    {
        QTemporaryDir folder;
        const std::string kernel = folder.path().toStdString() + "/wrong.py";
        std::string text = contentOf(ACCELOPT_SOURCE_DIR "/nkibench/silu/baseline.py");
        const std::string from = "nl.multiply(x_tile, -1.0)";
        const std::size_t at = text.find(from);
        QVERIFY(at != std::string::npos);
        text.replace(at, from.size(), "nl.multiply(x_tile, -1.1)");
        std::ofstream(kernel, std::ios::binary) << text;
        const Ran ran = runProgram({"oracle", "silu", "--kernel", kernel});
        QCOMPARE(ran.status, 2);
        QVERIFY2(ran.err.find("the kernel itself is wrong") != std::string::npos, ran.err.c_str());
    }
};

ACCELOPT_TEST(tst_OracleCommand)
#include "tst_OracleCommand.moc"
