// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/report/SvgPlot.h"

#include <QXmlStreamReader>
#include <cmath>
#include <limits>

using namespace accelopt;
using namespace accelopt::report;

namespace {

const PlotText kPlotText{"f1", "Title <b>", "What is \"drawn\" & why", "simulated on trn1"};

/// What an XML reader says against the drawing; empty when it is sound.
QString faultOf(const std::string &html)
{
    QXmlStreamReader xml(QStringLiteral("<div>") + QString::fromStdString(html) +
                         QStringLiteral("</div>"));
    while (!xml.atEnd())
        xml.readNext();
    return xml.hasError() ? xml.errorString() : QString();
}

QStringList attributeValues(const std::string &html, const QString &element, const QString &name)
{
    QXmlStreamReader xml(QStringLiteral("<div>") + QString::fromStdString(html) +
                         QStringLiteral("</div>"));
    QStringList values;
    while (!xml.atEnd())
        if (xml.readNext() == QXmlStreamReader::StartElement && xml.name() == element)
            values.append(xml.attributes().value(name).toString());
    return values;
}

} // namespace

class tst_SvgPlot : public QObject
{
    Q_OBJECT

private slots:
    void ticksAreRoundAndInside()
    {
        QCOMPARE(roundTicks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
        std::string words;
        for (const double tick : roundTicks(0.93, 1.41, 5))
            words += shortNumber(tick) + " ";
        QCOMPARE(words, std::string("1 1.1 1.2 1.3 1.4 "));
        QVERIFY(roundTicks(1, 1, 5).empty());
        QVERIFY(roundTicks(0, std::numeric_limits<double>::infinity(), 5).empty());
        for (const double tick : roundTicks(-0.5, 1, 5))
            QVERIFY(tick != 0 || !std::signbit(tick));
    }

    void numbersAreShort()
    {
        QCOMPARE(shortNumber(1.5e9), std::string("1.5 G"));
        QCOMPARE(shortNumber(20000), std::string("20 k"));
        QCOMPARE(shortNumber(1234.5), std::string("1234"));
        QCOMPARE(shortNumber(0.25), std::string("0.25"));
        QCOMPARE(withUnit(1.5e9, "B"), std::string("1.5 GB"));
        QCOMPARE(withUnit(0, "B"), std::string("0 B"));
        QCOMPARE(withUnit(12, " ms"), std::string("12 ms"));
    }

    void aDrawingIsNamedForThoseWhoDoNotSeeIt()
    {
        PlotAxes axes;
        axes.reference = 1;
        axes.referenceName = "baseline";
        const std::string html =
            figure(kPlotText, linePlot(kPlotText, axes, {{"a", {{1, 1}, {2, 3}}, PlotLine::Step}}),
                   {"x", "y"}, {{"1", "1"}, {"2", "<3>"}});
        QCOMPARE(faultOf(html), QString());
        QVERIFY(html.find("role=\"img\" aria-labelledby=\"f1-t f1-d\"") != std::string::npos);
        QVERIFY(html.find("<title id=\"f1-t\">Title &lt;b&gt;, simulated on trn1</title>") !=
                std::string::npos);
        QVERIFY(html.find("<span class=\"kind\">simulated on trn1</span>") != std::string::npos);
        QVERIFY(html.find("&lt;3&gt;") != std::string::npos);
        QVERIFY(html.find("baseline") != std::string::npos);
        QVERIFY(html.find("<script") == std::string::npos);
    }

    void aStepHoldsItsLevelUntilTheNextPoint()
    {
        PlotAxes axes;
        const std::vector<std::pair<double, double>> points{{0, 0}, {1, 1}};
        const auto pathOf = [&](PlotLine line) {
            return attributeValues(linePlot(kPlotText, axes, {{"a", points, line}}),
                                   QStringLiteral("path"), QStringLiteral("d"))
                .at(0);
        };
        QCOMPARE(pathOf(PlotLine::Straight).count(QLatin1Char('L')), 1);
        const QStringList corners = pathOf(PlotLine::Step).split(QLatin1Char('L'));
        QCOMPARE(corners.size(), 3);
        // First along x at the old level, then up.
        QCOMPARE(corners.at(0).mid(1).trimmed().split(QLatin1Char(' ')).at(1),
                 corners.at(1).trimmed().split(QLatin1Char(' ')).at(1));
        QCOMPARE(corners.at(1).trimmed().split(QLatin1Char(' ')).at(0),
                 corners.at(2).trimmed().split(QLatin1Char(' ')).at(0));
    }

    void largerValuesStandHigherAndBarsAddUp()
    {
        const std::string html = stackedBars(kPlotText, {}, {"1", "2"},
                                             {{"one", {1, 3}}, {"none", {0, 0}}, {"two", {2, 0}}});
        QCOMPARE(faultOf(html), QString());
        QStringList heights;
        const QStringList classes =
            attributeValues(html, QStringLiteral("rect"), QStringLiteral("class"));
        const QStringList all =
            attributeValues(html, QStringLiteral("rect"), QStringLiteral("height"));
        for (int i = 0; i < all.size(); ++i)
            if (all.at(i) != QStringLiteral("12")) // those of the legend
                heights.append(all.at(i));
        QCOMPARE(heights.size(), 3);
        QVERIFY(std::abs(heights.at(1).toDouble() - 3 * heights.at(0).toDouble()) < 0.5);
        QVERIFY(std::abs(heights.at(2).toDouble() - 2 * heights.at(0).toDouble()) < 0.5);
        // A part without a value has no place in the legend, and takes no one's colour.
        QVERIFY(html.find("none") == std::string::npos);
        QVERIFY(classes.contains(QStringLiteral("bar s3")));
        QVERIFY(!classes.contains(QStringLiteral("bar s2")));
    }

    void aCategoryWithoutValuesHasNoBox()
    {
        const std::string html =
            boxPlot(kPlotText, {},
                    {{"1", Spread{3, 1, 2, 3, 4, 5}}, {"2", {}}, {"3", Spread{1, 2, 2, 2, 2, 2}}});
        QCOMPARE(faultOf(html), QString());
        QCOMPARE(attributeValues(html, QStringLiteral("rect"), QStringLiteral("class")).size(), 2);
        QVERIFY(html.find("3 kernels, from 1 to 5, median 3") != std::string::npos);
    }

    void nothingToDrawIsSaid()
    {
        for (const std::string &html :
             {linePlot(kPlotText, {}, {{"a", {}, PlotLine::Step}}),
              boxPlot(kPlotText, {}, {{"1", {}}}), stackedBars(kPlotText, {}, {"1"}, {{"a", {0}}})})
            QVERIFY2(html.find("nothing to draw") != std::string::npos, html.c_str());
    }
};

ACCELOPT_TEST(tst_SvgPlot)
#include "tst_SvgPlot.moc"
