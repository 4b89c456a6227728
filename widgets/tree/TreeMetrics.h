// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

/// Sizes of the tree's picture, shared by its layout and its painting.
namespace accelopt::widgets::tree_metrics {

// Scene units are pixels at zoom 1.
inline constexpr double kNodeWidth = 122;
inline constexpr double kNodeHeight = 40;
inline constexpr double kColumnPitch = 176;
inline constexpr double kRowPitch = 50;
inline constexpr double kMargin = 24;
inline constexpr int kHeaderHeight = 40;
inline constexpr int kLaneTitle = 20;
inline constexpr int kChipWidth = 30;
inline constexpr int kChipHeight = 20;
inline constexpr int kChipGap = 4;
inline constexpr int kMostLaneRows = 2;
inline constexpr std::size_t kMostSmoothEdges = 1500;
inline constexpr double kSmallestZoom = 0.15;
inline constexpr double kLargestZoom = 2.5;
/// Below this zoom words cannot be read and are left out.
inline constexpr double kTextZoom = 0.55;
/// Below this zoom nodes are boxes without smoothing.
inline constexpr double kPlainZoom = 0.45;

} // namespace accelopt::widgets::tree_metrics
