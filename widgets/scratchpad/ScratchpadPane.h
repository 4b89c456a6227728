// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "widgets/scratchpad/KernelLab.h"

#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>
#include <string>

class QAction;
class QHBoxLayout;
class QLabel;
class QTextEdit;
class QsciScintilla;

namespace accelopt::widgets {

class RunDocument;
class SelectionHub;
class Theme;
class TimelineView;

/// A kernel to try things on: soon after each pause in typing its verdict, figures, findings and
/// timeline are there. No value is computed, so what is right here may still be wrong in numbers;
/// the search judges it like any other when it is sent there.
class ScratchpadPane : public QWidget
{
    Q_OBJECT

public:
    ScratchpadPane(RunDocument *document, SelectionHub *hub, const Theme *theme,
                   std::filesystem::path programFolder, QWidget *parent = nullptr);

    QsciScintilla *editor() const { return m_editor; }
    std::string source() const;
    /// The kernel that the text was taken from; empty before there was one.
    const KernelId &from() const { return m_from; }
    /// What is known of the text as it stands; nullptr while that is being found out.
    const LabReport *report() const { return m_report.get(); }
    QString verdictText() const;
    /// Buttons above the text.
    void addAction(QAction *action);

public slots:
    /// The selected kernel's text, in the place of what stands there.
    void takeSelected();

signals:
    /// A new report, or none (an empty profile) while there is none.
    void profileChanged(const std::optional<accelopt::Profile> &profile);

private:
    void study();
    void showReport(std::shared_ptr<const LabReport> report);
    void applyTheme();
    void take();

    RunDocument *m_document;
    SelectionHub *m_hub;
    const Theme *m_theme;
    KernelLab *m_lab;
    QHBoxLayout *m_buttons;
    QLabel *m_title;
    QsciScintilla *m_editor;
    QLabel *m_verdict;
    QLabel *m_figures;
    QTextEdit *m_details;
    TimelineView *m_timeline;
    QTimer m_pause; ///< in typing
    KernelId m_from;
    KernelId m_wanted; ///< its text is being read
    std::shared_ptr<const LabReport> m_report;
};

} // namespace accelopt::widgets
