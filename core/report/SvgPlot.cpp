// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/SvgPlot.h"

#include "core/report/CleanText.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace accelopt::report {

namespace {

/// Colours and dashes of the style sheet repeat after so many series.
constexpr std::size_t kSeriesStyles = 6;

std::string styleOf(std::size_t series)
{
    return fmt::format("s{}", series % kSeriesStyles + 1);
}

} // namespace

std::string shortNumber(double value)
{
    const double size = std::abs(value);
    if (size >= 1e9)
        return fmt::format("{:.4g} G", value / 1e9);
    if (size >= 1e6)
        return fmt::format("{:.4g} M", value / 1e6);
    if (size >= 1e4)
        return fmt::format("{:.4g} k", value / 1e3);
    return fmt::format("{:.4g}", value);
}

std::string withUnit(double value, const std::string &unit)
{
    const std::string number = shortNumber(value);
    const bool bare = number.back() >= '0' && number.back() <= '9';
    return number + (unit == "B" && bare ? " B" : unit);
}

namespace {

/// The place of the axes and how values become coordinates.
class Frame
{
public:
    Frame(const PlotAxes &axes, double xLow, double xHigh, double yLow, double yHigh)
        : m_axes(axes),
          m_width(axes.size == PlotSize::Wide ? 860 : 500),
          m_height(axes.size == PlotSize::Wide ? 280 : 230),
          m_xLow(xLow),
          m_xHigh(xHigh),
          m_yLow(yLow),
          m_yHigh(yHigh)
    {}

    double x(double value) const
    {
        return kLeft + (m_width - kLeft - kRight) * (value - m_xLow) / (m_xHigh - m_xLow);
    }
    double y(double value) const
    {
        const double inside = std::clamp(value, m_yLow, m_yHigh);
        return kTop + (m_height - kTop - kBottom) * (m_yHigh - inside) / (m_yHigh - m_yLow);
    }

    std::string open(const PlotText &text) const
    {
        std::string svg = fmt::format(
            "<svg viewBox=\"0 0 {0} {1}\" class=\"{4}\" role=\"img\" aria-labelledby=\"{2}-t "
            "{2}-d\"><title id=\"{2}-t\">{3}</title><desc id=\"{2}-d\">{5}</desc>",
            m_width, m_height, text.id, escapedHtml(text.title + ", " + text.kind),
            m_axes.size == PlotSize::Wide ? "wide" : "half", escapedHtml(text.description));
        for (const double tick : roundTicks(m_yLow, m_yHigh, 5))
            svg += fmt::format("<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" "
                               "y2=\"{2:.1f}\"/><text x=\"{3}\" y=\"{4:.1f}\" "
                               "text-anchor=\"end\">{5}</text>",
                               kLeft, m_width - kRight, y(tick), kLeft - 6, y(tick) + 4,
                               escapedHtml(withUnit(tick, m_axes.yUnit)));
        if (m_axes.reference && *m_axes.reference >= m_yLow && *m_axes.reference <= m_yHigh)
            svg += fmt::format("<line class=\"reference\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" "
                               "y2=\"{2:.1f}\"/><text x=\"{1}\" y=\"{3:.1f}\" "
                               "text-anchor=\"end\">{4}</text>",
                               kLeft, m_width - kRight, y(*m_axes.reference),
                               y(*m_axes.reference) - 5, escapedHtml(m_axes.referenceName));
        svg += fmt::format("<text class=\"axis\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>"
                           "<text class=\"axis\" x=\"4\" y=\"13\">{}</text>",
                           m_width - kRight, m_height - 4, escapedHtml(m_axes.xLabel),
                           escapedHtml(m_axes.yLabel));
        return svg;
    }

    std::string xTick(double value, const std::string &label) const
    {
        return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>",
                           x(value), m_height - kBottom + 16, escapedHtml(label));
    }
    std::string xTicks() const
    {
        std::string svg;
        for (const double tick :
             roundTicks(m_xLow, m_xHigh, m_axes.size == PlotSize::Wide ? 10 : 5))
            if (!m_axes.wholeX || tick == std::round(tick))
                svg += xTick(tick, shortNumber(tick));
        return svg;
    }
    double bottom() const { return m_height - kBottom; }

private:
    static constexpr double kLeft = 70;
    static constexpr double kRight = 18;
    static constexpr double kTop = 26;
    static constexpr double kBottom = 40;
    const PlotAxes &m_axes;
    double m_width;
    double m_height;
    double m_xLow;
    double m_xHigh;
    double m_yLow;
    double m_yHigh;
};

/// The range of the values with some air, and what the axes ask for.
std::pair<double, double> yRange(const PlotAxes &axes, std::vector<double> values)
{
    if (axes.reference)
        values.push_back(*axes.reference);
    if (axes.yLow)
        values.push_back(*axes.yLow);
    if (axes.yHigh)
        values.push_back(*axes.yHigh);
    if (values.empty())
        return {0, 1};
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    double low = *least;
    double high = *most;
    const double air = high > low ? 0.06 * (high - low) : std::max(0.05 * std::abs(high), 1e-9);
    if (!axes.yLow || low < *axes.yLow)
        low = low >= 0 ? std::max(0.0, low - air) : low - air;
    if (!axes.yHigh || high > *axes.yHigh)
        high += air;
    if (!(high > low))
        high = low + 1;
    return {low, high};
}

/// Names with the places that decide their style.
using Names = std::vector<std::pair<std::size_t, std::string>>;

std::string legend(const Names &names, const char *shape)
{
    if (names.size() < 2)
        return {};
    std::string html = "<ul class=\"legend\">";
    for (const auto &[place, name] : names)
        html += fmt::format("<li><svg viewBox=\"0 0 28 12\" aria-hidden=\"true\">{}</svg>{}</li>",
                            fmt::format(fmt::runtime(shape), styleOf(place)), escapedHtml(name));
    return html + "</ul>";
}

} // namespace

std::vector<double> roundTicks(double low, double high, int wanted)
{
    std::vector<double> ticks;
    if (!(high > low) || wanted < 1 || !std::isfinite(high - low))
        return ticks;
    const double rough = (high - low) / wanted;
    const double unit = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10 * unit;
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * unit >= rough * (1 - 1e-9)) {
            step = factor * unit;
            break;
        }
    const double slack = 1e-9 * step;
    for (double index = std::ceil((low - slack) / step); index * step <= high + slack; ++index)
        ticks.push_back(index * step + 0.0); // no negative zero
    return ticks;
}

std::string linePlot(const PlotText &text, const PlotAxes &axes,
                     const std::vector<PlotSeries> &series)
{
    double xLow = std::numeric_limits<double>::infinity();
    double xHigh = -xLow;
    std::vector<double> values;
    for (const PlotSeries &one : series)
        for (const auto &[x, y] : one.points) {
            xLow = std::min(xLow, x);
            xHigh = std::max(xHigh, x);
            values.push_back(y);
        }
    if (values.empty())
        return "<p class=\"empty\">There is nothing to draw yet.</p>";
    if (!(xHigh > xLow)) {
        xLow -= 0.5;
        xHigh += 0.5;
    }
    const auto [yLow, yHigh] = yRange(axes, values);
    const Frame frame(axes, xLow, xHigh, yLow, yHigh);
    std::string svg = frame.open(text) + frame.xTicks();
    Names names;
    for (std::size_t s = 0; s < series.size(); ++s) {
        const PlotSeries &one = series[s];
        if (one.points.empty())
            continue;
        names.emplace_back(s, one.name);
        std::string path;
        double before = 0;
        for (const auto &[x, y] : one.points) {
            if (path.empty()) {
                path = fmt::format("M{:.1f} {:.1f}", frame.x(x), frame.y(y));
            } else {
                if (one.line == PlotLine::Step)
                    path += fmt::format(" L{:.1f} {:.1f}", frame.x(x), frame.y(before));
                path += fmt::format(" L{:.1f} {:.1f}", frame.x(x), frame.y(y));
            }
            before = y;
        }
        svg += fmt::format("<path class=\"series {}\" d=\"{}\"/>", styleOf(s), path);
        constexpr std::size_t kMostMarks = 60; // more would hide the line
        if (one.points.size() <= kMostMarks)
            for (const auto &[x, y] : one.points)
                svg += fmt::format("<circle class=\"mark {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" "
                                   "r=\"3.5\"><title>{}: {} {}, {:.4g}{}</title></circle>",
                                   styleOf(s), frame.x(x), frame.y(y), escapedHtml(one.name),
                                   escapedHtml(axes.xLabel), shortNumber(x), y, axes.yUnit);
    }
    return legend(names, "<path class=\"series {}\" d=\"M1 6 L27 6\"/>") + svg + "</svg>";
}

std::string boxPlot(const PlotText &text, const PlotAxes &axes,
                    const std::vector<std::pair<std::string, std::optional<Spread>>> &boxes)
{
    std::vector<double> values;
    for (const auto &[label, spread] : boxes)
        if (spread)
            values.insert(values.end(), {spread->minimum, spread->maximum});
    if (values.empty())
        return "<p class=\"empty\">There is nothing to draw yet.</p>";
    const auto [yLow, yHigh] = yRange(axes, values);
    const double count = double(boxes.size());
    const Frame frame(axes, -0.5, count - 0.5, yLow, yHigh);
    std::string svg = frame.open(text);
    const double half = std::clamp((frame.x(1) - frame.x(0)) / 4, 2.0, 16.0);
    const std::size_t every = (boxes.size() + 19) / 20;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const auto &[label, spread] = boxes[i];
        if (i % every == 0)
            svg += frame.xTick(double(i), label);
        if (!spread)
            continue;
        const double x = frame.x(double(i));
        const double upper = frame.y(spread->upperQuartile);
        const double lower = frame.y(spread->lowerQuartile);
        svg += fmt::format(
            "<g><title>{0} {1}: {2} kernels, from {3:.4g} to {4:.4g}{12}, median {5:.4g}{12}"
            "</title><line class=\"whisker\" x1=\"{6:.1f}\" x2=\"{6:.1f}\" y1=\"{7:.1f}\" "
            "y2=\"{8:.1f}\"/><rect class=\"box\" x=\"{9:.1f}\" y=\"{10:.1f}\" width=\"{11:.1f}\" "
            "height=\"{13:.1f}\"/><line class=\"median\" x1=\"{9:.1f}\" x2=\"{14:.1f}\" "
            "y1=\"{15:.1f}\" y2=\"{15:.1f}\"/></g>",
            escapedHtml(axes.xLabel), escapedHtml(label), spread->count, spread->minimum,
            spread->maximum, spread->median, x, frame.y(spread->minimum), frame.y(spread->maximum),
            x - half, upper, 2 * half, axes.yUnit, std::max(1.0, lower - upper), x + half,
            frame.y(spread->median));
    }
    return svg + "</svg>";
}

std::string stackedBars(const PlotText &text, const PlotAxes &axes,
                        const std::vector<std::string> &categories,
                        const std::vector<PlotBars> &parts)
{
    std::vector<double> sums(categories.size(), 0.0);
    for (const PlotBars &part : parts)
        for (std::size_t i = 0; i < categories.size(); ++i)
            sums[i] += part.values[i];
    if (std::none_of(sums.begin(), sums.end(), [](double sum) { return sum > 0; }))
        return "<p class=\"empty\">There is nothing to draw yet.</p>";
    PlotAxes fromZero = axes;
    fromZero.yLow = 0;
    const auto [yLow, yHigh] = yRange(fromZero, sums);
    const Frame frame(fromZero, -0.5, double(categories.size()) - 0.5, yLow, yHigh);
    std::string svg = frame.open(text);
    const double half = std::clamp((frame.x(1) - frame.x(0)) * 0.34, 2.0, 26.0);
    const std::size_t every = (categories.size() + 19) / 20;
    Names names;
    std::vector<double> below(categories.size(), 0.0);
    for (std::size_t p = 0; p < parts.size(); ++p) {
        for (std::size_t i = 0; i < categories.size(); ++i) {
            const double value = parts[p].values[i];
            if (!(value > 0))
                continue;
            if (names.empty() || names.back().first != p)
                names.emplace_back(p, parts[p].name);
            const double top = frame.y(below[i] + value);
            svg += fmt::format("<rect class=\"bar {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
                               "height=\"{:.1f}\"><title>{} {}, {}: {:.4g}{}</title></rect>",
                               styleOf(p), frame.x(double(i)) - half, top, 2 * half,
                               frame.y(below[i]) - top, escapedHtml(axes.xLabel),
                               escapedHtml(categories[i]), escapedHtml(parts[p].name), value,
                               axes.yUnit);
            below[i] += value;
        }
    }
    for (std::size_t i = 0; i < categories.size(); i += every)
        svg += frame.xTick(double(i), categories[i]);
    return legend(names, "<rect class=\"bar {}\" x=\"4\" y=\"0\" width=\"20\" height=\"12\"/>") +
           svg + "</svg>";
}

std::string figure(const PlotText &text, const std::string &drawing,
                   const std::vector<std::string> &head,
                   const std::vector<std::vector<std::string>> &rows)
{
    std::string html = fmt::format("<figure><figcaption><strong>{}</strong> <span class=\"kind\">{}"
                                   "</span><span class=\"about\">{}</span></figcaption>{}",
                                   escapedHtml(text.title), escapedHtml(text.kind),
                                   escapedHtml(text.description), drawing);
    if (!rows.empty()) {
        html += "<details class=\"numbers\"><summary>The numbers</summary><div class=\"scroll\">"
                "<table><thead><tr>";
        for (const std::string &column : head)
            html +=
                fmt::format("<th scope=\"col\"{}>{}</th>",
                            &column == &head.front() ? "" : " class=\"n\"", escapedHtml(column));
        html += "</tr></thead><tbody>";
        for (const std::vector<std::string> &row : rows) {
            html += "<tr>";
            for (std::size_t c = 0; c < row.size(); ++c)
                html +=
                    fmt::format("<td{}>{}</td>", c > 0 ? " class=\"n\"" : "", escapedHtml(row[c]));
            html += "</tr>";
        }
        html += "</tbody></table></div></details>";
    }
    return html + "</figure>";
}

} // namespace accelopt::report
