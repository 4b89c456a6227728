// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/domain/Task.h"

#include <functional>
#include <numeric>

namespace accelopt {

std::int64_t elementCount(const Shape &shape)
{
    return std::accumulate(shape.begin(), shape.end(), std::int64_t(1), std::multiplies<>());
}

} // namespace accelopt
