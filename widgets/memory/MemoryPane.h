// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QStackedLayout;
class QTableView;
class QTextEdit;

namespace accelopt::widgets {

class MemoryModel;
class RunDocument;
class SelectionHub;
class Theme;

/// The lessons the search has learnt, and the text of the one that is selected. Choosing a lesson
/// shows the pair of kernels it was learnt from.
class MemoryPane : public QWidget
{
    Q_OBJECT

public:
    MemoryPane(RunDocument *document, SelectionHub *hub, const Theme *theme,
               QWidget *parent = nullptr);

    MemoryModel *model() const { return m_model; }

private:
    void refresh();
    void showItem();

    RunDocument *m_document;
    SelectionHub *m_hub;
    const Theme *m_theme;
    MemoryModel *m_model;
    QStackedLayout *m_stack;
    QTableView *m_view;
    QTextEdit *m_text;
};

} // namespace accelopt::widgets
