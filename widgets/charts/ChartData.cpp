// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/ChartData.h"

#include "core/report/CsvTables.h"
#include "widgets/format/Formatting.h"

#include <QCoreApplication>
#include <algorithm>
#include <set>

namespace accelopt::widgets {

namespace {

QString inChart(const char *text)
{
    return QCoreApplication::translate("Charts", text);
}

/// Iterations count from 0 in names and from 1 on screen.
double shownIteration(int iteration)
{
    return iteration + 1;
}

ChartData speedups(const report::RunFigures &run)
{
    ChartData data;
    data.xTitle = inChart("iteration");
    ChartLine best{inChart("best so far"), {{0, 1}}, ChartLine::Style::Line};
    for (const report::IterationFigures &iteration : run.iterations)
        if (iteration.bestSpeedupSoFar)
            best.points.emplace_back(shownIteration(iteration.iteration),
                                     *iteration.bestSpeedupSoFar);
    ChartLine all{inChart("each correct kernel"), {}, ChartLine::Style::Points};
    for (const report::KernelFigures &kernel : run.kernels)
        if (kernel.slot && kernel.speedup)
            all.points.emplace_back(shownIteration(kernel.slot->plan.iteration), *kernel.speedup);
    const std::size_t count = all.points.size();
    if (count > kMostChartPoints) {
        const std::size_t step = (count + kMostChartPoints - 1) / kMostChartPoints;
        std::vector<QPointF> some;
        for (std::size_t i = 0; i < count; i += step)
            some.push_back(all.points[i]);
        data.remark = inChart("%1 of %2 kernels are drawn").arg(some.size()).arg(count);
        all.points = std::move(some);
    }
    data.lines = {std::move(all), std::move(best)};
    return data;
}

ChartData cost(const report::RunFigures &run)
{
    ChartData data;
    data.xTitle = inChart("kernels judged");
    ChartLine line{inChart("best so far"), {}, ChartLine::Style::Steps};
    for (const report::CostPoint &point : run.cost) {
        const bool turns =
            line.points.empty() || point.bestSpeedup != line.points.back().y() ||
            (&point == &run.cost.back() && point.kernels != int(line.points.back().x()));
        if (turns)
            line.points.emplace_back(point.kernels, point.bestSpeedup);
    }
    data.lines.push_back(std::move(line));
    if (!run.cost.empty()) {
        const report::CostPoint &end = run.cost.back();
        data.remark = end.usage.usd > 0
                          ? inChart("%1 kernels, $%2, %3 minutes of searching")
                                .arg(end.kernels)
                                .arg(end.usage.usd, 0, 'f', 2)
                                .arg(end.seconds / 60, 0, 'f', 1)
                          : inChart("%1 kernels, %2 minutes of searching, no paid calls")
                                .arg(end.kernels)
                                .arg(end.seconds / 60, 0, 'f', 1);
    }
    return data;
}

ChartData fast(const report::RunFigures &run)
{
    ChartData data;
    data.xTitle = inChart("iteration");
    for (std::size_t p = 0; p < report::kFastThresholds.size(); ++p) {
        ChartLine line{
            inChart("p = %1").arg(report::kFastThresholds[p]), {}, ChartLine::Style::Line};
        for (const report::IterationFigures &iteration : run.iterations)
            if (iteration.fast)
                line.points.emplace_back(shownIteration(iteration.iteration),
                                         100 * (*iteration.fast)[p]);
        data.lines.push_back(std::move(line));
    }
    data.remark = inChart("Of the kernels judged: correct and more than p times as fast as the "
                          "baseline");
    return data;
}

ChartData counterSpread(const report::RunFigures &run, const QString &counter)
{
    ChartData data;
    data.xTitle = inChart("iteration");
    for (const report::IterationFigures &iteration : run.iterations) {
        const auto it = iteration.counters.find(counter.toStdString());
        if (it != iteration.counters.end())
            data.boxes.push_back({QString::number(iteration.iteration + 1), it->second});
    }
    data.remark = inChart("Boxes: quartiles of the correct kernels first written there; whiskers: "
                          "least and most");
    return data;
}

} // namespace

QString title(ChartKind kind)
{
    switch (kind) {
    case ChartKind::Speedups: return inChart("Speedups by iteration");
    case ChartKind::Cost: return inChart("Speedup against cost");
    case ChartKind::Fast: return inChart("Fast@p by iteration");
    case ChartKind::Counter: return inChart("A counter by iteration");
    }
    return {};
}

ChartData chartData(const report::RunFigures &run, ChartKind kind, const QString &counter)
{
    ChartData data;
    switch (kind) {
    case ChartKind::Speedups: data = speedups(run); break;
    case ChartKind::Cost: data = cost(run); break;
    case ChartKind::Fast: data = fast(run); break;
    case ChartKind::Counter: data = counterSpread(run, counter); break;
    }
    std::erase_if(data.lines, [](const ChartLine &line) { return line.points.empty(); });
    const QString how = run.simulated ? inChart("simulated on %1") : inChart("measured on %1");
    data.title = QStringLiteral("%1, %2 (%3)")
                     .arg(formatting::text(run.opened.task),
                          kind == ChartKind::Counter ? counter : title(kind).toLower(),
                          how.arg(formatting::text(run.device)));
    data.yTitle = kind == ChartKind::Counter ? counter
                  : kind == ChartKind::Fast  ? inChart("share of kernels, %")
                                             : inChart("speedup");
    return data;
}

QStringList chartCounters(const report::RunFigures &run)
{
    std::set<std::string> names;
    for (const report::IterationFigures &iteration : run.iterations)
        for (const auto &[name, spread] : iteration.counters)
            names.insert(name);
    QStringList list;
    for (const std::string &name : names)
        list << formatting::text(name);
    return list;
}

report::CsvTable chartTable(const report::RunFigures &run, ChartKind kind)
{
    const std::string wanted = kind == ChartKind::Speedups ? "kernels"
                               : kind == ChartKind::Cost   ? "cost"
                               : kind == ChartKind::Fast   ? "fast"
                                                           : "counter_spread";
    for (report::CsvTable &table : report::csvTables({run}))
        if (table.name == wanted)
            return std::move(table);
    return {};
}

} // namespace accelopt::widgets
