// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/RunReader.h"
#include "tests/support/TestMain.h"

#include <QImage>
#include <QProcess>
#include <QTemporaryDir>

using namespace accelopt;

/// The window's program from outside: what it says to wrong use, and the pictures it makes.
class tst_WorkbenchProgram : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void wrongUseIsOneSentence_data();
    void wrongUseIsOneSentence();
    void paintsTheStartPage();
    void searchesInItsWindowAndOpensTheRunAgain();

private:
    struct Outcome
    {
        int status = -1;
        QByteArray errors;
    };
    Outcome run(const QStringList &arguments) const;

    std::unique_ptr<QTemporaryDir> m_folder;
};

void tst_WorkbenchProgram::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

tst_WorkbenchProgram::Outcome tst_WorkbenchProgram::run(const QStringList &arguments) const
{
    QProcess process;
    process.setWorkingDirectory(m_folder->path());
    process.start(QStringLiteral(ACCELOPT_BIN_DIR "/accelopt-workbench"), arguments);
    if (!process.waitForFinished(110000))
        return {-1, process.errorString().toUtf8()};
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            process.readAllStandardError()};
}

void tst_WorkbenchProgram::wrongUseIsOneSentence_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("named");
    QTest::newRow("a file that is not there")
        << QStringList{QStringLiteral("none.accelopt")} << QByteArray("none.accelopt");
    QTest::newRow("a folder") << QStringList{QStringLiteral(".")} << QByteArray(".");
    QTest::newRow("an unknown option")
        << QStringList{QStringLiteral("--no-such")} << QByteArray("--no-such");
    QTest::newRow("a size that is none")
        << QStringList{QStringLiteral("--size"), QStringLiteral("big")} << QByteArray("--size");
    QTest::newRow("an unknown theme")
        << QStringList{QStringLiteral("--theme"), QStringLiteral("pink")} << QByteArray("pink");
    QTest::newRow("options of a search without one")
        << QStringList{QStringLiteral("--task"), QStringLiteral("silu")} << QByteArray("--run");
    QTest::newRow("a search and a file")
        << QStringList{QStringLiteral("--run"), QStringLiteral("x.accelopt")}
        << QByteArray("--out");
    QTest::newRow("a search that makes no sense")
        << QStringList{QStringLiteral("--run"), QStringLiteral("-B"), QStringLiteral("0")}
        << QByteArray("-B");
    QTest::newRow("several tasks") << QStringList{QStringLiteral("--run"), QStringLiteral("--task"),
                                                  QStringLiteral("silu,adamw")}
                                   << QByteArray("one task");
    QTest::newRow("an unknown preset")
        << QStringList{QStringLiteral("--run"), QStringLiteral("--preset"), QStringLiteral("slow")}
        << QByteArray("slow");
}

void tst_WorkbenchProgram::wrongUseIsOneSentence()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QByteArray, named);
    const Outcome outcome = run(arguments);
    QCOMPARE(outcome.status, 2);
    QVERIFY2(outcome.errors.contains(named), outcome.errors.constData());
    QVERIFY2(outcome.errors.startsWith("accelopt-workbench: "), outcome.errors.constData());
    QCOMPARE(outcome.errors.count('\n'), 1);
}

void tst_WorkbenchProgram::paintsTheStartPage()
{
    const QString picture = m_folder->filePath(QStringLiteral("start.png"));
    const Outcome outcome =
        run({QStringLiteral("--screenshot"), picture, QStringLiteral("--size"),
             QStringLiteral("800x600"), QStringLiteral("--theme"), QStringLiteral("dark")});
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
    const QImage image(picture);
    QCOMPARE(image.size(), QSize(800, 600));
    QVERIFY(image.pixelColor(10, 590).lightness() < 128);
}

void tst_WorkbenchProgram::searchesInItsWindowAndOpensTheRunAgain()
{
    const QString file = m_folder->filePath(QStringLiteral("a run.accelopt"));
    const QString picture = m_folder->filePath(QStringLiteral("run.png"));
    const Outcome searched =
        run({QStringLiteral("--run"), QStringLiteral("--task"), QStringLiteral("silu"),
             QStringLiteral("--shape"), QStringLiteral("lab"), QStringLiteral("-T"),
             QStringLiteral("1"), QStringLiteral("-N"), QStringLiteral("2"),
             QStringLiteral("--out"), file, QStringLiteral("--screenshot"), picture});
    QVERIFY2(searched.status == 0, searched.errors.constData());
    QVERIFY(!QImage(picture).isNull());
    auto reader = store::RunReader::openForReading(file.toStdString());
    ACCELOPT_VERIFY_OK(reader);
    QVERIFY(!reader->writer());
    const auto events = reader->eventsAfter(0);
    ACCELOPT_VERIFY_OK(events);
    QVERIFY(std::holds_alternative<RunFinished>(events->back().body));

    const Outcome opened = run({file, QStringLiteral("--select"), QStringLiteral("baseline"),
                                QStringLiteral("--screenshot"), picture});
    QVERIFY2(opened.status == 0, opened.errors.constData());
    const Outcome unknown = run({file, QStringLiteral("--select"), QStringLiteral("k99"),
                                 QStringLiteral("--screenshot"), picture});
    QCOMPARE(unknown.status, 2);
    QVERIFY2(unknown.errors.contains("k99"), unknown.errors.constData());
}

ACCELOPT_TEST(tst_WorkbenchProgram)
#include "tst_WorkbenchProgram.moc"
