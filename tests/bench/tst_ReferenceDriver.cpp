// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/NpyFile.h"
#include "core/bench/ReferenceDriver.h"
#include "core/bench/TaskLoader.h"
#include "core/bench/TensorCache.h"
#include "tests/bench/BenchSupport.h"
#include "tests/support/TestMain.h"

#include <QProcess>
#include <cmath>
#include <nlohmann/json.hpp>

using namespace accelopt;
using namespace accelopt::tests;

namespace {

/// Starts the driver the way its command says, and gives what it wrote.
Result<bench::ReferenceAnswer> drive(const std::string &request)
{
    const auto command = bench::referenceDriverCommand();
    QStringList arguments;
    for (std::size_t i = 1; i < command.size(); ++i)
        arguments << QString::fromStdString(command[i]);
    QProcess process;
    process.start(QString::fromStdString(command[0]), arguments);
    process.write(QByteArray::fromStdString(request));
    process.closeWriteChannel();
    if (!process.waitForFinished())
        return fail(ErrorCode::Internal, "the driver did not end");
    return bench::readReferenceAnswer(process.readAllStandardOutput().toStdString(),
                                      process.readAllStandardError().toStdString());
}

} // namespace

class tst_ReferenceDriver : public QObject
{
    Q_OBJECT

private slots:
    void theScriptIsEmbedded()
    {
        const auto command = bench::referenceDriverCommand("python");
        QCOMPARE(command.size(), std::size_t(4));
        QCOMPARE(command[0], std::string("python"));
        QCOMPARE(command[1], std::string("-I"));
        QCOMPARE(command[3], readFile(std::filesystem::path(ACCELOPT_SOURCE_DIR) /
                                      "resources/reference_driver.py"));
    }

    void theVersionOfNumpyIsTold()
    {
        const auto answer = drive(bench::versionRequest());
        ACCELOPT_VERIFY_OK(answer);
        QVERIFY(answer->numpyVersion.find('.') != std::string::npos);
    }

    void inputsAndResultsFillACacheEntry()
    {
        QTemporaryDir folder;
        const Task task = *bench::loadTask(writeSmallTask(pathOf(folder)), "lab");
        const auto cache = bench::TensorCache::open(pathOf(folder) / "cache").value();
        const auto made = cache.beginEntry().value();
        const auto answer = drive(bench::makeRequest(task, 3, nullptr, made));
        ACCELOPT_VERIFY_OK(answer);
        QVERIFY(answer->seconds >= 0);
        const auto entry =
            cache.commitEntry(bench::tensorKey(task, 3, nullptr, answer->numpyVersion), task, made);
        ACCELOPT_VERIFY_OK(entry);
        const auto x = entry->argument(0)->values<float>();
        const auto v = entry->argument(2)->values<float>();
        const auto y = entry->result(0).values<float>();
        for (std::size_t i = 0; i < 32; ++i) {
            QVERIFY(v[i % 4] >= 0);
            // Worked out in double precision and rounded once.
            QCOMPARE(y[i], float(double(x[i]) * double(v[i % 4]) + 1e-5));
        }
        // In single precision the same costs no more than a rounding or two.
        QCOMPARE(entry->noise().size(), std::size_t(1));
        QVERIFY(entry->noise()[0] > 0);
        QVERIFY(entry->noise()[0] < 2e-7);
    }

    void aSuiteChangesOnlyItsBox()
    {
        QTemporaryDir folder;
        const Task task = *bench::loadTask(writeSmallTask(pathOf(folder)), "lab");
        const auto plain = pathOf(folder) / "plain";
        const auto late = pathOf(folder) / "late";
        std::filesystem::create_directory(plain);
        std::filesystem::create_directory(late);
        ACCELOPT_VERIFY_OK(drive(bench::makeRequest(task, 3, nullptr, plain)));
        ACCELOPT_VERIFY_OK(drive(bench::makeRequest(task, 3, &task.suites.at(0), late)));
        const auto before = *bench::NpyFile::open(plain / bench::argumentFile(0));
        const auto after = *bench::NpyFile::open(late / bench::argumentFile(0));
        for (std::size_t i = 0; i < 32; ++i) {
            const float old = before.values<float>()[i];
            const float changed = after.values<float>()[i];
            if (i % 4 == 3)
                QVERIFY(std::abs(changed - 10 * old) <= 2e-6f * std::abs(changed));
            else
                QCOMPARE(changed, old);
        }
        QCOMPARE(readFile(late / bench::argumentFile(2)), readFile(plain / bench::argumentFile(2)));
    }

    void aReferenceThatFailsIsQuoted()
    {
        QTemporaryDir folder;
        const auto path = writeSmallTask(pathOf(folder));
        writeFile(path / "reference.py", "def reference(x, eps, v):\n    return x @ v + unknown\n");
        const auto answer =
            drive(bench::makeRequest(*bench::loadTask(path, "lab"), 1, nullptr, pathOf(folder)));
        QVERIFY(!answer);
        QCOMPARE(answer.error().code, ErrorCode::Format);
        const std::string &message = answer.error().message;
        QVERIFY2(message.find("line 2: NameError: name 'unknown' is not defined") !=
                     std::string::npos,
                 message.c_str());
    }

    void silenceIsExplained_data()
    {
        QTest::addColumn<QByteArray>("output");
        QTest::addColumn<QByteArray>("error");
        QTest::addColumn<QString>("words");
        QTest::newRow("numpy is missing")
            << QByteArray()
            << QByteArray("Traceback\nModuleNotFoundError: No module named 'numpy'\n")
            << "install numpy for /usr/bin/python3 (package python3-numpy)";
        QTest::newRow("the process was killed")
            << QByteArray() << QByteArray() << "ended without an answer";
        QTest::newRow("half an answer")
            << QByteArray("{\"ok\": tr") << QByteArray() << "ended without an answer";
        QTest::newRow("an answer of another kind")
            << QByteArray("[1]") << QByteArray() << "ended without an answer";
    }
    void silenceIsExplained()
    {
        QFETCH(QByteArray, output);
        QFETCH(QByteArray, error);
        QFETCH(QString, words);
        const auto answer = bench::readReferenceAnswer(output.toStdString(), error.toStdString());
        QVERIFY(!answer);
        QCOMPARE(answer.error().code, ErrorCode::Environment);
        QVERIFY2(describe(answer.error()).find(words.toStdString()) != std::string::npos,
                 describe(answer.error()).c_str());
    }
};

ACCELOPT_TEST(tst_ReferenceDriver)
#include "tst_ReferenceDriver.moc"
