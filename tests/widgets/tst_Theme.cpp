// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/Theme.h"

#include "tests/support/TestMain.h"

#include <QApplication>

using namespace accelopt::widgets;

class tst_Theme : public QObject
{
    Q_OBJECT

private slots:
    void everyToneHasAColourInBothThemes();
    void textIsReadableOnItsPaper_data();
    void textIsReadableOnItsPaper();
    void knowsTheContrastOfBlackAndWhite();
    void paintsTheApplicationWhenItChanges();
};

void tst_Theme::everyToneHasAColourInBothThemes()
{
    for (int tone = int(Tone::Window); tone <= int(Tone::Dma); ++tone)
        for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark, ThemeKind::HighContrast})
            QVERIFY2(Theme::color(kind, Tone(tone)).isValid(), qPrintable(QString::number(tone)));
}

void tst_Theme::textIsReadableOnItsPaper_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<double>("least");
    QTest::newRow("light") << int(ThemeKind::Light) << 4.5;
    QTest::newRow("dark") << int(ThemeKind::Dark) << 4.5;
    QTest::newRow("high contrast") << int(ThemeKind::HighContrast) << 7.0;
}

void tst_Theme::textIsReadableOnItsPaper()
{
    QFETCH(const int, kind);
    QFETCH(const double, least);
    QVERIFY(!Theme::textPairs().empty());
    for (const TextPair &pair : Theme::textPairs()) {
        const QColor text = Theme::color(ThemeKind(kind), pair.text);
        const QColor paper = Theme::color(ThemeKind(kind), pair.paper);
        const double ratio = contrastRatio(text, paper);
        QVERIFY2(ratio >= least,
                 qPrintable(QStringLiteral("tone %1 %2 on tone %3 %4 has contrast %5")
                                .arg(int(pair.text))
                                .arg(text.name())
                                .arg(int(pair.paper))
                                .arg(paper.name())
                                .arg(ratio)));
    }
}

void tst_Theme::knowsTheContrastOfBlackAndWhite()
{
    QCOMPARE(contrastRatio(Qt::black, Qt::white), 21.0);
    QCOMPARE(contrastRatio(Qt::white, Qt::white), 1.0);
}

void tst_Theme::paintsTheApplicationWhenItChanges()
{
    Theme theme(ThemeKind::Light);
    int changes = 0;
    connect(&theme, &Theme::changed, this, [&] { ++changes; });
    theme.setKind(ThemeKind::Dark);
    QCOMPARE(changes, 1);
    QCOMPARE(QApplication::palette().color(QPalette::Window),
             Theme::color(ThemeKind::Dark, Tone::Window));
    theme.setKind(ThemeKind::Dark);
    QCOMPARE(changes, 1);
}

ACCELOPT_TEST(tst_Theme)
#include "tst_Theme.moc"
