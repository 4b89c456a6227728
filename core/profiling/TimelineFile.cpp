// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/TimelineFile.h"

#include <QSaveFile>
#include <QString>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

namespace accelopt::profiling {
namespace {

using Json = nlohmann::json;

constexpr int kCriticalTrack = 1;
/// Numbers of tracks: a row's tracks follow each other, whatever their number.
constexpr int kTracksPerRow = 1000;
constexpr std::size_t kLongestLineText = 120;
constexpr double kNsPerUs = 1000;
/// Times are sums of doubles: an event that follows another at once may begin this much too early.
constexpr double kRoundingNs = 0.005;

/// A JSON string with its quotation marks; text that is not UTF-8 keeps what is.
std::string jsonString(std::string_view text)
{
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Each line of the source without blanks at its ends, quoted; [0] stands for no line.
std::vector<std::string> jsonLines(std::string_view source)
{
    std::vector<std::string> lines{jsonString({})};
    while (!source.empty()) {
        const std::size_t end = std::min(source.find('\n'), source.size());
        std::string_view line = source.substr(0, end);
        source.remove_prefix(std::min(end + 1, source.size()));
        const std::size_t first = line.find_first_not_of(" \t\r");
        line = first == std::string_view::npos ? std::string_view() : line.substr(first);
        lines.push_back(jsonString(line.substr(0, kLongestLineText)));
    }
    return lines;
}

const char *originName(nki::Origin origin)
{
    switch (origin) {
    case nki::Origin::Kernel: return "kernel";
    case nki::Origin::Compiler: return "compiler";
    case nki::Origin::SpillSave: return "spill save";
    case nki::Origin::SpillReload: return "spill reload";
    case nki::Origin::InputReload: return "input reload";
    }
    return "kernel";
}

/// Writes events one after the other into one text.
class TraceText
{
public:
    void event(std::string_view text)
    {
        m_text += m_first ? "\n" : ",\n";
        m_first = false;
        m_text += text;
    }
    void nameTrack(int track, std::string_view title, int order)
    {
        event(fmt::format(
            R"({{"ph":"M","pid":1,"tid":{},"name":"thread_name","args":{{"name":{}}}}})", track,
            jsonString(title)));
        event(fmt::format(
            R"({{"ph":"M","pid":1,"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})",
            track, order));
    }
    const std::string &text() const { return m_text; }

private:
    std::string m_text;
    bool m_first = true;
};

/// Puts the events of each row on tracks, so that those of a track follow each other.
class TrackPlan
{
public:
    /// Events must come by their start.
    int trackOf(const nki::TimelineEvent &event)
    {
        std::vector<double> &ends = m_ends[std::size_t(event.row)];
        auto free = std::ranges::find_if(
            ends, [&](double end) { return end <= event.startNs + kRoundingNs; });
        if (free == ends.end())
            free = ends.insert(ends.end(), 0.0);
        *free = event.startNs + event.durationNs;
        return number(std::size_t(event.row), std::size_t(free - ends.begin()));
    }
    void name(TraceText &text) const
    {
        for (std::size_t row = 0; row < m_ends.size(); ++row) {
            const std::string title(nki::name(nki::TimelineRow(row)));
            // An engine without work is told of, too.
            for (std::size_t lane = 0; lane < std::max<std::size_t>(m_ends[row].size(), 1); ++lane)
                text.nameTrack(number(row, lane),
                               lane == 0 ? title : fmt::format("{} ({})", title, lane + 1),
                               number(row, lane));
        }
    }

private:
    static int number(std::size_t row, std::size_t lane)
    {
        return int(row + 1) * kTracksPerRow + int(lane);
    }
    std::array<std::vector<double>, nki::kTimelineRowCount> m_ends;
};

} // namespace

std::string chromeTrace(const nki::Timeline &timeline, std::string_view source,
                        const TimelineLabels &labels)
{
    const std::vector<std::string> lines = jsonLines(source);
    TraceText text;
    TrackPlan tracks;
    text.event(R"({"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":)" +
               jsonString(fmt::format("{} on {} (simulated, {})", labels.kernel, labels.device,
                                      labels.modelVersion)) +
               "}}");
    text.nameTrack(kCriticalTrack, "critical path", kCriticalTrack);
    const auto span = [&](int track, const char *category, std::string_view title, double startNs,
                          double durationNs, const std::string &arguments) {
        text.event(fmt::format(
            R"({{"ph":"X","pid":1,"tid":{},"cat":"{}","name":{},"ts":{:.6f},"dur":{:.6f},"args":{{{}}}}})",
            track, category, jsonString(title), startNs / kNsPerUs, durationNs / kNsPerUs,
            arguments));
    };
    const auto argumentsOf = [&](const nki::TimelineEvent &event) {
        const auto line = std::size_t(std::max(event.line, 0));
        return fmt::format(
            R"("line":{},"source":{},"bytes":{:.0f},"critical_ns":{:.3f},"from":"{}")", event.line,
            line < lines.size() ? lines[line] : lines.front(), event.bytes, event.criticalNs,
            originName(event.origin));
    };
    for (const nki::TimelineEvent &event : timeline.events)
        span(tracks.trackOf(event), "instruction", nki::name(event.opcode), event.startNs,
             event.durationNs, argumentsOf(event));
    // What the path owes to each event, one after the other: the launch first, then up to the end.
    if (timeline.launchNs > 0)
        span(kCriticalTrack, "critical", "launch", 0, timeline.launchNs, {});
    double at = timeline.launchNs;
    for (const std::int32_t index : timeline.criticalPath) {
        const nki::TimelineEvent &event = timeline.events[std::size_t(index)];
        span(kCriticalTrack, "critical",
             fmt::format("{}: {}", nki::name(event.row), nki::name(event.opcode)), at,
             event.criticalNs, argumentsOf(event));
        at += event.criticalNs;
    }
    tracks.name(text);
    const Json about{{"kernel", labels.kernel},
                     {"task", labels.task},
                     {"shape", labels.shape},
                     {"device", labels.device},
                     {"simulated", true},
                     {"model_version", labels.modelVersion},
                     {"latency_ms", timeline.latencyNs / 1e6},
                     {"launch_ms", timeline.launchNs / 1e6}};
    return R"({"displayTimeUnit":"ns","otherData":)" +
           about.dump(-1, ' ', false, Json::error_handler_t::replace) + R"(,"traceEvents":[)" +
           text.text() + "\n]}\n";
}

Result<void> writeTimeline(const std::filesystem::path &file, const nki::Timeline &timeline,
                           std::string_view source, const TimelineLabels &labels)
{
    QSaveFile out(QString::fromStdString(file.string()));
    const std::string text = chromeTrace(timeline, source, labels);
    if (!out.open(QIODevice::WriteOnly) ||
        out.write(text.data(), qint64(text.size())) != qint64(text.size()) || !out.commit())
        return fail(ErrorCode::Environment,
                    fmt::format("the timeline cannot be written to {}: {}", file.string(),
                                out.errorString().toStdString()),
                    "name a file in a folder that you may write to");
    return {};
}

} // namespace accelopt::profiling
