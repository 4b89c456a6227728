// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"

#include <QWidget>
#include <filesystem>

namespace accelopt::widgets {

class KernelLab;
class RunDocument;
class SelectionHub;
class Theme;
class TimelineView;

/// The timeline of the selected kernel, made when it is looked at.
class TimelinePane : public QWidget
{
    Q_OBJECT

public:
    TimelinePane(RunDocument *document, SelectionHub *hub, const Theme *theme,
                 std::filesystem::path programFolder, QWidget *parent = nullptr);

    TimelineView *view() const { return m_view; }
    /// What it shows is there, or the reason why there is nothing.
    bool settled() const { return m_settled; }

protected:
    void showEvent(QShowEvent *event) override;

private:
    void refresh();

    RunDocument *m_document;
    SelectionHub *m_hub;
    KernelLab *m_lab;
    TimelineView *m_view;
    KernelId m_shown;
    bool m_settled = true;
};

} // namespace accelopt::widgets
