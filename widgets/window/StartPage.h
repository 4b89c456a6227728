// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/runner/SearchSession.h"

#include <QString>
#include <QWidget>
#include <filesystem>

class QComboBox;
class QLabel;
class QListWidget;
class QPushButton;
class QSpinBox;

namespace accelopt::widgets {

class Theme;

/// What the window shows while no run is open: start a search, open a run, or go back to a recent
/// one.
class StartPage : public QWidget
{
    Q_OBJECT

public:
    /// `programFolder` is where tasks are looked for.
    StartPage(std::filesystem::path programFolder, const Theme *theme, QWidget *parent = nullptr);

    /// Looks again for tasks and recent runs.
    void refresh();
    /// The search as the fields say it.
    Result<runner::RunRequest> request() const;

signals:
    void searchWanted(const accelopt::runner::RunRequest &request);
    void fileWanted(const QString &file);
    void browseWanted();
    void problem(const QString &sentence);

private:
    void onTaskChanged();
    void tint();

    std::filesystem::path m_programFolder;
    const Theme *m_theme;
    QComboBox *m_task;
    QComboBox *m_preset;
    QComboBox *m_shape;
    QSpinBox *m_seed;
    QLabel *m_taskText;
    QLabel *m_presetText;
    QPushButton *m_start;
    QListWidget *m_recent;
    QLabel *m_recentText;
};

} // namespace accelopt::widgets
