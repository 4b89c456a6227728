// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/MeasuredKernels.h"
#include "tests/support/TestMain.h"

#include <QTemporaryDir>
#include <fstream>

using namespace accelopt;
using namespace accelopt::profiling;

namespace {

void writeText(const std::filesystem::path &path, const std::string &text)
{
    std::ofstream(path, std::ios::binary) << text;
}

} // namespace

class tst_MeasuredKernels : public QObject
{
    Q_OBJECT

private slots:
    void aFolderAndItsLatenciesAreRead()
    {
        QTemporaryDir folder;
        const std::filesystem::path root = folder.path().toStdString();
        const bench::TaskCatalogue tasks({{std::filesystem::path(ACCELOPT_SOURCE_DIR) / "nkibench",
                                           bench::TaskOrigin::BuiltIn}});
        std::filesystem::copy_file(std::filesystem::path(ACCELOPT_SOURCE_DIR) / "nkibench" /
                                       "silu" / "baseline.py",
                                   root / "silu_first.py");
        writeText(root / "silu_broken.py", "def kernel(:\n");
        writeText(root / "other.py", "x = 1\n");
        writeText(
            root / "measured.csv",
            "task,shape,latency_ms\r\nsilu,\"{\"\"M\"\": 1, \"\"N\"\": 2}\",1.5\r\nlora,,7\n");
        const auto measured = readMeasuredKernels(root, root / "measured.csv", "trn1", tasks);
        ACCELOPT_VERIFY_OK(measured);
        QCOMPARE(measured->kernels.size(), std::size_t(1));
        QCOMPARE(measured->kernels[0].name, std::string("silu"));
        QCOMPARE(measured->kernels[0].latencyMs, 1.5);
        QVERIFY(!measured->kernels[0].program.instructions.empty());
        QCOMPARE(measured->passedOver.size(), std::size_t(2));
        QVERIFY(measured->passedOver[0].starts_with("other.py: "));
        QVERIFY(measured->passedOver[1].starts_with("silu_broken.py: "));
    }

    void whatCannotBeReadIsSaid_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QString>("header");
        QTest::addColumn<int>("code");
        QTest::newRow("a folder that is not there")
            << "missing"
            << "task,latency" << int(ErrorCode::Environment);
        QTest::newRow("a CSV without latencies") << ""
                                                 << "task,time" << int(ErrorCode::Format);
        QTest::newRow("an empty CSV") << ""
                                      << "" << int(ErrorCode::Environment);
    }
    void whatCannotBeReadIsSaid()
    {
        QFETCH(QString, folder);
        QFETCH(QString, header);
        QFETCH(int, code);
        QTemporaryDir temporary;
        const std::filesystem::path root = temporary.path().toStdString();
        writeText(root / "measured.csv", header.toStdString());
        const auto measured = readMeasuredKernels(
            root / folder.toStdString(), root / "measured.csv", "trn1", bench::TaskCatalogue({}));
        QVERIFY(!measured);
        QCOMPARE(int(measured.error().code), code);
        QVERIFY(!measured.error().hint.empty());
    }
};

ACCELOPT_TEST(tst_MeasuredKernels)
#include "tst_MeasuredKernels.moc"
