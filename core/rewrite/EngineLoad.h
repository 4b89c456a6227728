// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Profile.h"
#include "core/rewrite/KernelModel.h"

namespace accelopt::rewrite {

/// Busy milliseconds of each engine over a whole kernel, or a change of them. A rough estimate that
/// only ranks rewrites; what a rewrite really gains is for the profiler to say.
struct EngineLoad
{
    double tensor = 0;
    double vector = 0;
    double scalar = 0;
    double dma = 0;

    EngineLoad &operator+=(const EngineLoad &other);
    EngineLoad &operator-=(const EngineLoad &other);
    EngineLoad operator*(double factor) const;
};

/// Busiest engine + a fifth of the others + launch, in ms (fit over published Trainium 1 profiles).
double latencyMs(const EngineLoad &load);

/// One execution of a statement, in ms.
EngineLoad costOf(const KernelModel &model, const Statement &statement);
/// The whole kernel; loads of the same region inside a loop count once, as the compiler shares
/// them.
EngineLoad estimate(const KernelModel &model);
/// The same, with engines the profile reports on taken from it.
EngineLoad estimate(const KernelModel &model, const Profile &profile);

/// One instruction over `width` elements per partition, in ms.
double vectorMs(double width, double passes = 1);
double scalarMs(double width);
double tensorMs(double columns);
/// Moving a tile of `partitions` rows with `width` float32 each.
double dmaMs(double partitions, double width);

} // namespace accelopt::rewrite
