// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/nki/machine/Timeline.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace accelopt::profiling {

/// What a timeline says of itself beside its events.
struct TimelineLabels
{
    std::string kernel;
    std::string task;
    std::string shape;
    std::string device;
    std::string modelVersion;
};

/// The timeline as Chrome's trace events in JSON (Trace Event Format, "complete" events; times in
/// us), which ui.perfetto.dev and chrome://tracing open. A track for each engine and each DMA
/// queue, one more for the critical path; a queue whose transfers overlap has as many tracks as run
/// at once, so that no two events of a track overlap. Each event has its source line, the line's
/// text, bytes and nanoseconds on the critical path as arguments.
std::string chromeTrace(const nki::Timeline &timeline, std::string_view source,
                        const TimelineLabels &labels);

/// Writes it, replacing what is there only when all of it is written. Environment error with the
/// system's words otherwise.
Result<void> writeTimeline(const std::filesystem::path &file, const nki::Timeline &timeline,
                           std::string_view source, const TimelineLabels &labels);

} // namespace accelopt::profiling
