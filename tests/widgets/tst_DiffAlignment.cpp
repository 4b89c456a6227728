// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/diff/DiffAlignment.h"

#include "tests/support/TestMain.h"

using namespace accelopt;
using namespace accelopt::widgets;

namespace {

/// One side as it stands on screen, a character a row: T title, = same, ~ changed, ! only here,
/// . padding.
QString rowsOf(const DiffSide &side)
{
    QString rows;
    for (std::size_t line = 0; line < side.marks.size(); ++line) {
        if (line == 0)
            rows += QLatin1Char('T');
        else if (side.marks[line] == LineMark::Same)
            rows += QLatin1Char('=');
        else
            rows += QLatin1Char(side.marks[line] == LineMark::Changed ? '~' : '!');
        if (const auto it = side.padding.find(int(line)); it != side.padding.end())
            rows += QString(it->second, QLatin1Char('.'));
    }
    return rows;
}

} // namespace

class tst_DiffAlignment : public QObject
{
    Q_OBJECT

private slots:
    void rows_data();
    void rows();
    void marksWhatDiffersWithinALine_data();
    void marksWhatDiffersWithinALine();
    void saysWhereChangesAre();
    void shownText_data();
    void shownText();
};

void tst_DiffAlignment::rows_data()
{
    QTest::addColumn<QString>("left");
    QTest::addColumn<QString>("right");
    QTest::addColumn<QString>("leftRows");
    QTest::addColumn<QString>("rightRows");
    const auto row = [](const char *name, const char *left, const char *right, const char *leftRows,
                        const char *rightRows) {
        QTest::newRow(name) << QString::fromLatin1(left) << QString::fromLatin1(right)
                            << QString::fromLatin1(leftRows) << QString::fromLatin1(rightRows);
    };
    row("equal texts have equal rows", "a\nb", "a\nb", "T==", "T==");
    row("two empty texts are equal", "", "", "T=", "T=");
    row("an added line is padded at the left", "a\nb", "a\nnew\nb", "T=.=", "T=!=");
    row("a removed line is padded at the right", "a\nold\nb", "a\nb", "T=!=", "T=.=");
    row("a line added above all is padded below the title", "a", "new\na", "T.=", "T!=");
    row("a changed line stands beside the other", "a\nb\nc", "a\nB\nc", "T=~=", "T=~=");
    row("a longer replacement pads the shorter side", "a\nb\nc", "a\nX\nY\nZ\nc",
        "T=~..=", "T=~!!=");
    row("a shorter replacement pads the other side", "a\nX\nY\nc", "a\nb\nc", "T=~!=", "T=~.=");
    row("two changes are padded each", "1\n2\n3\n4\n5", "2\n3\n4\nX\n5", "T!===.=", "T.===!=");
    row("an added last line", "a", "a\nb", "T=.", "T=!");
    row("nothing in common", "a\nb", "c", "T~!", "T~.");
}

void tst_DiffAlignment::rows()
{
    QFETCH(const QString, left);
    QFETCH(const QString, right);
    const auto aligned = alignTexts(left.toStdString(), right.toStdString());
    ACCELOPT_VERIFY_OK(aligned);
    QTEST(rowsOf(aligned->left), "leftRows");
    QTEST(rowsOf(aligned->right), "rightRows");
    QCOMPARE(aligned->rows, int(rowsOf(aligned->left).size()));
    QCOMPARE(rowsOf(aligned->left).size(), rowsOf(aligned->right).size());
}

void tst_DiffAlignment::marksWhatDiffersWithinALine_data()
{
    QTest::addColumn<QString>("left");
    QTest::addColumn<QString>("right");
    QTest::addColumn<int>("start");
    QTest::addColumn<int>("leftLength");
    QTest::addColumn<int>("rightLength");
    QTest::newRow("a number") << "tile = 512 # n"
                              << "tile = 2048 # n" << 7 << 3 << 4;
    QTest::newRow("an insertion marks nothing at the left") << "f(x)"
                                                            << "f(x, y)" << 3 << 0 << 3;
    QTest::newRow("bytes of one character stay together")
        << QString(QStringLiteral("é")) << QString(QStringLiteral("è")) << 0 << 2 << 2;
}

void tst_DiffAlignment::marksWhatDiffersWithinALine()
{
    QFETCH(const QString, left);
    QFETCH(const QString, right);
    QFETCH(const int, start);
    QFETCH(const int, leftLength);
    QFETCH(const int, rightLength);
    const auto aligned = alignTexts(left.toStdString(), right.toStdString());
    ACCELOPT_VERIFY_OK(aligned);
    using Parts = std::vector<ChangedPart>;
    QVERIFY(aligned->left.parts == (leftLength > 0 ? Parts{{1, start, leftLength}} : Parts{}));
    QVERIFY(aligned->right.parts == (rightLength > 0 ? Parts{{1, start, rightLength}} : Parts{}));
}

void tst_DiffAlignment::saysWhereChangesAre()
{
    const auto aligned = alignTexts("1\n2\n3\n4\n5", "2\n3\n4\nX\nY\n5");
    ACCELOPT_VERIFY_OK(aligned);
    // The first is at the right below the title, the second at the left below line 4.
    const std::vector<DiffChange> expected{{1, 0, 1, 1}, {4, 4, 5, 2}};
    QVERIFY(aligned->changes == expected);
}

void tst_DiffAlignment::shownText_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("shown");
    QTest::newRow("the last line end is left away") << QByteArray("a\nb\n") << QByteArray("a\nb");
    QTest::newRow("line ends of Windows") << QByteArray("a\r\nb\r\n") << QByteArray("a\nb");
    QTest::newRow("empty lines stay") << QByteArray("a\n\n\nb") << QByteArray("a\n\n\nb");
    QTest::newRow("a very long line is cut")
        << QByteArray(2005, 'x') + "\nb"
        << QByteArray(2000, 'x') + " … (5 more bytes are not shown)\nb";
}

void tst_DiffAlignment::shownText()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QByteArray, shown);
    QCOMPARE(widgets::shownText(text.toStdString()), shown.toStdString());
}

ACCELOPT_TEST(tst_DiffAlignment)
#include "tst_DiffAlignment.moc"
