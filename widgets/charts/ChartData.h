// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/CsvTable.h"
#include "core/report/RunFigures.h"

#include <QPointF>
#include <QString>
#include <QStringList>
#include <vector>

namespace accelopt::widgets {

/// What the chart pane can show.
enum class ChartKind {
    Speedups, ///< best so far and every kernel, by iteration
    Cost,     ///< best speedup against kernels judged
    Fast,     ///< share of kernels faster than p, by iteration
    Counter,  ///< distribution of one counter, by iteration
};
/// "Speedups by iteration"
QString title(ChartKind kind);

/// Points of a chart that are joined, or stand alone.
struct ChartLine
{
    QString name;
    std::vector<QPointF> points;
    enum class Style { Line, Steps, Points };
    Style style = Style::Line;
};

/// A box of a box plot.
struct ChartBox
{
    QString label;
    report::Spread spread;
};

/// A chart as values, without colours.
struct ChartData
{
    QString title;
    QString xTitle;
    QString yTitle;
    std::vector<ChartLine> lines;
    std::vector<ChartBox> boxes;
    QString remark; ///< below the chart: what is left out, what it comes to
    bool isEmpty() const { return lines.empty() && boxes.empty(); }
};

/// More single points than this are thinned out, which the remark then says.
inline constexpr std::size_t kMostChartPoints = 2000;

/// `counter` is looked at for ChartKind::Counter only.
ChartData chartData(const report::RunFigures &run, ChartKind kind, const QString &counter = {});
/// Counters of which the run has a distribution.
QStringList chartCounters(const report::RunFigures &run);
/// The numbers behind a chart, as the exports of runs give them.
report::CsvTable chartTable(const report::RunFigures &run, ChartKind kind);

} // namespace accelopt::widgets
