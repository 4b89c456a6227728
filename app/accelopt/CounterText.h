// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Profile.h"
#include "core/nki/machine/Timeline.h"

#include <string>

namespace accelopt::cli {

/// "28 %", "0.6 %"; of a fraction.
std::string shareText(double fraction);
/// "109 us", "1.36 ms"; of seconds.
std::string durationText(double seconds);
/// "33.6 MB", "512 B"; decimal, as neuron-profile and the roofline count.
std::string bytesText(double bytes);

/// How busy each engine is, and what was moved and computed, for people.
std::string engineText(const Profile &profile);
/// What the latency consists of, by the model: the launch, then what each engine and queue
/// contributes to the critical path. The parts sum to the latency.
std::string latencyText(const nki::Timeline &timeline);
/// Every counter by neuron-profile's name, in units that its name suggests.
std::string countersText(const Profile &profile);

} // namespace accelopt::cli
