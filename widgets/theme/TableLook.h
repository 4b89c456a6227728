// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QTableView;

namespace accelopt::widgets {

/// How the panes show a list as a table: rows of `rowHeight` pixels that are selected whole, one at
/// a time, without grid, frame or row numbers; Tab leaves the table.
void showOneRowAtATime(QTableView *view, int rowHeight);

} // namespace accelopt::widgets
