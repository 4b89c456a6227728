// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

namespace accelopt::widgets {

class CommandTable;

/// All commands with their keys, menu by menu; made from the command table, so that it is never
/// wrong.
class KeySheet : public QDialog
{
    Q_OBJECT

public:
    KeySheet(const CommandTable &commands, QWidget *parent);
};

} // namespace accelopt::widgets
