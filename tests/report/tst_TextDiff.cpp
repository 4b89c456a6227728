// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/report/TextDiff.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <fmt/format.h>

using namespace accelopt;
using namespace accelopt::report;

namespace {

/// "-1:a +1:b  2-2:c", one line of the diff after the other.
std::string written(const std::vector<DiffLine> &lines)
{
    std::string text;
    for (const DiffLine &line : lines) {
        text += text.empty() ? "" : " | ";
        switch (line.kind) {
        case DiffLineKind::Hunk: text += fmt::format("@{},{}", line.oldLine, line.newLine); break;
        case DiffLineKind::Removed: text += fmt::format("-{}:{}", line.oldLine, line.text); break;
        case DiffLineKind::Added: text += fmt::format("+{}:{}", line.newLine, line.text); break;
        case DiffLineKind::Context:
            text += fmt::format("{}={}:{}", line.oldLine, line.newLine, line.text);
            break;
        }
    }
    return text;
}

} // namespace

class tst_TextDiff : public QObject
{
    Q_OBJECT

private slots:
    void differencesAreListedByLine_data()
    {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("after");
        QTest::addColumn<int>("context");
        QTest::addColumn<QString>("lines");
        const auto row = [](const char *name, const char *before, const char *after, int context,
                            const char *lines) {
            QTest::newRow(name) << QString::fromUtf8(before) << QString::fromUtf8(after) << context
                                << QString::fromUtf8(lines);
        };
        row("equal texts differ nowhere", "a\nb\n", "a\nb\n", 3, "");
        row("empty texts differ nowhere", "", "", 3, "");
        row("a changed line", "a\nb\nc\n", "a\nx\nc\n", 1, "@1,1 | 1=1:a | -2:b | +2:x | 3=3:c");
        row("a line more at the end", "a\n", "a\nb\n", 0, "@1,2 | +2:b");
        row("everything is new", "", "a\nb\n", 3, "@0,1 | +1:a | +2:b");
        row("everything is gone", "a\n", "", 3, "@1,0 | -1:a");
        row("two places far apart are two hunks", "a\n1\n2\n3\n4\nb\n", "x\n1\n2\n3\n4\ny\n", 1,
            "@1,1 | -1:a | +1:x | 2=2:1 | @5,5 | 5=5:4 | -6:b | +6:y");
        row("a missing last line end is no line of its own", "a", "b", 3, "@1,1 | -1:a | +1:b");
        row("line ends of other systems are cut", "a\r\n", "b\r\n", 3, "@1,1 | -1:a | +1:b");
        row("tabs and letters of any script stay", "\tä\n", "\t漢\n", 3, "@1,1 | -1:\tä | +1:\t漢");
    }
    void differencesAreListedByLine()
    {
        QFETCH(QString, before);
        QFETCH(QString, after);
        QFETCH(int, context);
        QFETCH(QString, lines);
        const auto diff = diffLines(before.toStdString(), after.toStdString(), context);
        ACCELOPT_VERIFY_OK(diff);
        QCOMPARE(written(*diff), lines.toStdString());
    }

    void aPatchApplies_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        QTest::newRow("changes in the middle")
            << QByteArray("def f():\n    a = 1\n    b = 2\n    return a\n")
            << QByteArray("def f():\n    a = 1\n    b = 3\n    c = 4\n    return a\n");
        QTest::newRow("without a last line end") << QByteArray("a\nb") << QByteArray("a\nc");
        QTest::newRow("a line end is added") << QByteArray("a\nb") << QByteArray("a\nb\n");
        QByteArray many;
        QByteArray changed;
        for (int line = 0; line < 400; ++line) {
            many += "line " + QByteArray::number(line) + "\n";
            changed += "line " + QByteArray::number(line % 37 == 0 ? -line : line) + "\n";
        }
        QTest::newRow("many hunks") << many << changed;
    }
    void aPatchApplies()
    {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        const auto patch = unifiedPatch(before.toStdString(), after.toStdString(), "kernel.py");
        ACCELOPT_VERIFY_OK(patch);
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("kernel.py")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(before);
        file.close();
        QProcess git;
        git.setWorkingDirectory(folder.path());
        git.start(QStringLiteral("git"), {QStringLiteral("apply"), QStringLiteral("-")});
        git.write(QByteArray::fromStdString(*patch));
        git.closeWriteChannel();
        QVERIFY(git.waitForFinished());
        QVERIFY2(git.exitCode() == 0, git.readAllStandardError().constData());
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), after);
    }

    void noDifferenceIsNoPatch()
    {
        const auto patch = unifiedPatch("a\n", "a\n", "kernel.py");
        ACCELOPT_VERIFY_OK(patch);
        QCOMPARE(*patch, std::string());
    }
};

ACCELOPT_TEST(tst_TextDiff)
#include "tst_TextDiff.moc"
