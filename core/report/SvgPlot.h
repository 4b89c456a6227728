// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/RunFigures.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace accelopt::report {

// Drawings for pages, as inline SVG without script. Colours come from the page's style sheet, which
// knows a light and a dark set; series differ in colour and in dashes, so that nothing rests on
// colour alone.

/// What is said beside a drawing, for those who see it and for those who do not.
struct PlotText
{
    std::string id; ///< unique on the page
    std::string title;
    std::string description; ///< what is drawn and what to see in it, in a sentence or two
    std::string kind;        ///< where the figures come from: "simulated (cost model 1) on trn1"
};

enum class PlotSize { Wide, Half };
/// How neighbouring points are joined: by a straight line, or at the level of the first.
enum class PlotLine { Straight, Step };

struct PlotSeries
{
    std::string name;
    std::vector<std::pair<double, double>> points; ///< by x
    PlotLine line = PlotLine::Straight;
};

struct PlotAxes
{
    PlotSize size = PlotSize::Wide;
    std::string xLabel;
    std::string yLabel;
    /// x counts things (iterations, kernels): only whole ticks.
    bool wholeX = true;
    std::optional<double> yLow;      ///< the axis begins here at the latest
    std::optional<double> yHigh;     ///< and ends here at the earliest
    std::optional<double> reference; ///< a dashed line across, named by `referenceName`
    std::string referenceName;
    std::string yUnit; ///< behind the tick labels: " ms", "&times;", " %"
};

/// A figure with lines over x. A series without points is left out.
std::string linePlot(const PlotText &text, const PlotAxes &axes,
                     const std::vector<PlotSeries> &series);

/// A figure with one box (quartiles, whiskers to the extremes) per category; a category without
/// values has no box.
std::string boxPlot(const PlotText &text, const PlotAxes &axes,
                    const std::vector<std::pair<std::string, std::optional<Spread>>> &boxes);

struct PlotBars
{
    std::string name;
    std::vector<double> values; ///< one per category
};

/// A figure with one stacked bar per category.
std::string stackedBars(const PlotText &text, const PlotAxes &axes,
                        const std::vector<std::string> &categories,
                        const std::vector<PlotBars> &parts);

/// A figure around any drawing: caption with title and kind, the drawing, and the same numbers as a
/// table for those who cannot see it. `head` and the rows are texts without markup.
std::string figure(const PlotText &text, const std::string &drawing,
                   const std::vector<std::string> &head,
                   const std::vector<std::vector<std::string>> &rows);

/// A number with few digits and a letter for its size: "1.5 G", "20 k", "1.234".
std::string shortNumber(double value);
/// The number with its unit: "1.5 GB", "0 B", "12 ms". `unit` brings its own blank, but for "B".
std::string withUnit(double value, const std::string &unit);

/// Between low and high about `wanted` round numbers, in order.
std::vector<double> roundTicks(double low, double high, int wanted);

} // namespace accelopt::report
