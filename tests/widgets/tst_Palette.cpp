// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/window/Palette.h"

#include "tests/support/TestMain.h"

#include <QLineEdit>
#include <QPointer>

using namespace accelopt::widgets;

class tst_Palette : public QObject
{
    Q_OBJECT

private slots:
    void findsByEveryWord_data();
    void findsByEveryWord();
    void keysChooseAndDo();
    void whatCannotBeDoneStaysAndSaysWhy();

private:
    std::vector<PaletteEntry> entries()
    {
        return {{QStringLiteral("Steer: Pin to the beam"),
                 QStringLiteral("Shift+P"),
                 QStringLiteral("keep favourite"),
                 {},
                 [this] { m_done = 1; }},
                {QStringLiteral("Memory: Pin"),
                 QStringLiteral("P"),
                 QStringLiteral("the lesson never falls out"),
                 {},
                 [this] { m_done = 2; }},
                {QStringLiteral("Run: Pause"), QStringLiteral("F6"),
                 QStringLiteral("begin nothing new"), QStringLiteral("Nothing is running"),
                 [this] { m_done = 3; }}};
    }
    int m_done = 0;
};

void tst_Palette::findsByEveryWord_data()
{
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QStringList>("shown");
    QTest::newRow("nothing typed: all in their order")
        << QString()
        << QStringList{QStringLiteral("Steer: Pin to the beam"), QStringLiteral("Memory: Pin"),
                       QStringLiteral("Run: Pause")};
    QTest::newRow("a beginning counts more than a middle")
        << QStringLiteral("memory") << QStringList{QStringLiteral("Memory: Pin")};
    QTest::newRow("a word of another program")
        << QStringLiteral("favourite") << QStringList{QStringLiteral("Steer: Pin to the beam")};
    QTest::newRow("every word must occur")
        << QStringLiteral("pin lesson") << QStringList{QStringLiteral("Memory: Pin")};
    QTest::newRow("nothing fits") << QStringLiteral("quartz") << QStringList{};
}

void tst_Palette::findsByEveryWord()
{
    QFETCH(const QString, typed);
    QFETCH(const QStringList, shown);
    auto *palette = new Palette(QStringLiteral("find"), entries(), nullptr);
    palette->findChild<QLineEdit *>()->setText(typed);
    QCOMPARE(palette->shown(), shown);
    delete palette;
}

void tst_Palette::keysChooseAndDo()
{
    QPointer<Palette> palette = new Palette(QStringLiteral("find"), entries(), nullptr);
    palette->open();
    auto *field = palette->findChild<QLineEdit *>();
    QTest::keyClicks(field, QStringLiteral("pin"));
    QCOMPARE(palette->shown().size(), 2);
    QTest::keyClick(field, Qt::Key_Down);
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(m_done, 2);
    QTRY_VERIFY(palette.isNull());
}

void tst_Palette::whatCannotBeDoneStaysAndSaysWhy()
{
    m_done = 0;
    auto *palette = new Palette(QStringLiteral("find"), entries(), nullptr);
    palette->open();
    auto *field = palette->findChild<QLineEdit *>();
    QTest::keyClicks(field, QStringLiteral("pause"));
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(m_done, 0);
    QVERIFY(palette->isVisible());
    delete palette;
}

ACCELOPT_TEST(tst_Palette)
#include "tst_Palette.moc"
