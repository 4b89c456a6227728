// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"

#include <QWidget>

class QLabel;
class QTabWidget;
class QTextEdit;

namespace accelopt::widgets {

class EngineGauges;
class RunDocument;
class SelectionHub;
class Theme;

/// Everything about the selected kernel: how fast, against what, how busy the engines are, and
/// below that why it is where it is, its plan, its verdict and what the profile suggests.
class KernelCard : public QWidget
{
    Q_OBJECT

public:
    KernelCard(RunDocument *document, SelectionHub *hub, const Theme *theme,
               QWidget *parent = nullptr);

    /// What stands in the tab of this object name, as plain text.
    QString tabText(const QString &name) const;

private:
    void refresh();
    void refreshHead();
    void refreshTabs();
    QTextEdit *addTab(const QString &name, const QString &title);
    /// Beginnings of hashes replaced by what people call the kernels.
    QString withNames(QString sentence) const;
    QString whyHtml() const;
    QString planHtml() const;
    QString verdictHtml() const;
    QString findingsHtml() const;
    QString heading(const QString &text) const;
    QString quiet(const QString &text) const;

    RunDocument *m_document;
    SelectionHub *m_hub;
    const Theme *m_theme;
    QLabel *m_name;
    QLabel *m_latency;
    QLabel *m_kind;
    QLabel *m_factors;
    QLabel *m_peak;
    EngineGauges *m_gauges;
    QTabWidget *m_tabs;
    QTextEdit *m_why;
    QTextEdit *m_plan;
    QTextEdit *m_verdict;
    QTextEdit *m_findings;
    KernelId m_tabbed; ///< the kernel whose verdict decided which tab is in front
};

} // namespace accelopt::widgets
