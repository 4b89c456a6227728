// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/Saturation.h"

#include "core/search/Words.h"

#include <cmath>
#include <fmt/format.h>

namespace accelopt::search {

namespace {

/// Distinct correct kernels first written in the iteration, in slot order.
std::vector<const Profile *> correctProfiles(const State &state, const IterationRecord &iteration)
{
    std::vector<const Profile *> profiles;
    for (const PlanRecord &plan : iteration.plans) {
        for (std::size_t a = 0; a < plan.attempts.size(); ++a) {
            const AttemptRecord &attempt = plan.attempts[a];
            for (std::size_t turn = 0; turn < attempt.turns.size(); ++turn) {
                const KernelRecord *record = kernel(state, attempt.turns[turn].kernel);
                const Turn here{{plan.plan.slot, static_cast<int>(a)}, static_cast<int>(turn)};
                if (record && record->first == here && record->rankable)
                    profiles.push_back(&record->profile);
            }
        }
    }
    return profiles;
}

/// Standard deviation over the mean's magnitude; 0 when the mean is 0.
double variation(const std::vector<double> &values)
{
    double sum = 0;
    for (const double value : values)
        sum += value;
    const double mean = sum / double(values.size());
    if (mean == 0)
        return 0;
    double squares = 0;
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    return std::sqrt(squares / double(values.size())) / std::abs(mean);
}

} // namespace

double counterVariation(const State &state, const IterationRecord &iteration)
{
    const std::vector<const Profile *> profiles = correctProfiles(state, iteration);
    if (profiles.size() < 2)
        return 0;
    std::vector<double> values;
    for (const Profile *profile : profiles)
        values.push_back(profile->latencyMs);
    double sum = variation(values);
    int number = 1;
    for (const auto &[counter, first] : profiles.front()->counters) {
        values.clear();
        for (const Profile *profile : profiles) {
            const auto found = profile->counters.find(counter);
            if (found == profile->counters.end() || !std::isfinite(found->second))
                break;
            values.push_back(found->second);
        }
        // A counter that some kernels lack cannot be compared between them.
        if (values.size() != profiles.size())
            continue;
        sum += variation(values);
        ++number;
    }
    return sum / number;
}

void concludeSaturation(const State &state, IterationRecord &iteration)
{
    const KernelRecord *best = kernel(state, state.best);
    const std::optional<double> percent =
        best && best->rankable ? best->profile.percentOfPeak : std::nullopt;
    if (percent && *percent >= kNearPeakPercent) {
        iteration.saturation = Saturation::NearPeak;
        iteration.saturationText = fmt::format("the best kernel is at {:.1f} % of peak", *percent);
        return;
    }
    if (iteration.progress) {
        iteration.saturation = Saturation::StillMoving;
        iteration.saturationText =
            fmt::format("the best-so-far gained more than {:g} %, to {}",
                        state.config.patienceGainPercent, milliseconds(best->profile.latencyMs));
        return;
    }
    if (iteration.profiled == 0) {
        iteration.saturation = Saturation::Stuck;
        iteration.saturationText = "no new kernel was written";
        return;
    }
    const double spread = counterVariation(state, iteration);
    const std::string figures =
        fmt::format("{} of {} correct, counters vary by {:.1f} % on average", iteration.correct,
                    count(iteration.profiled, "new kernel", "new kernels"), 100 * spread);
    if (spread > kBarelyVaries && iteration.correct >= kFewCorrect * iteration.profiled) {
        iteration.saturation = Saturation::ExploringWithoutGain;
        iteration.saturationText = "no gain, but the kernels differ: " + figures;
    } else {
        iteration.saturation = Saturation::Stuck;
        iteration.saturationText = "no gain: " + figures;
    }
}

} // namespace accelopt::search
