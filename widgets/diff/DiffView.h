// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "widgets/diff/DiffAlignment.h"

#include <QWidget>
#include <string>

class QLabel;
class QsciScintilla;
class QSplitter;
class QStackedLayout;
class QToolButton;

namespace accelopt::widgets {

class DiffMap;
class ElidedLabel;
class RunDocument;
class SelectionHub;
class Theme;

/// The selected kernel beside the one it is compared with. Equal lines stand in equal rows; both
/// sides scroll together, unless Alt is held.
class DiffView : public QWidget
{
    Q_OBJECT

public:
    DiffView(RunDocument *document, SelectionHub *hub, const Theme *theme,
             QWidget *parent = nullptr);

    /// Shows two texts under titles of one line each.
    void compare(const std::string &left, const QString &leftTitle, const std::string &right,
                 const QString &rightTitle);
    const DiffAlignment &alignment() const { return m_alignment; }
    /// Place of the change that was gone to last, -1 before the first.
    int currentChange() const { return m_change; }
    QsciScintilla *left() const { return m_left; }
    QsciScintilla *right() const { return m_right; }
    /// Something to compare is on screen.
    bool hasTexts() const { return m_hasTexts; }

signals:
    /// A person went to this line of the right kernel, counted from 1.
    void lineChosen(int line);

public slots:
    /// Marks a line of the right kernel, counted from 1.
    void showLine(int line);
    void nextChange();
    void previousChange();
    void zoomBy(int points);
    void resetZoom();

private:
    QsciScintilla *makeEditor(const QString &name);
    void applyTheme(QsciScintilla *editor);
    void decorate(QsciScintilla *editor, const DiffSide &side);
    void refresh();
    void explain(const QString &sentence);
    void goTo(int change);
    void onScrolled(QsciScintilla *from, QsciScintilla *to);
    void updateCounter();
    QString titleFor(const KernelId &kernel) const;

    RunDocument *m_document;
    SelectionHub *m_hub;
    const Theme *m_theme;
    QStackedLayout *m_stack;
    QLabel *m_empty;
    ElidedLabel *m_leftTitle;
    ElidedLabel *m_rightTitle;
    QLabel *m_counter;
    QToolButton *m_previous;
    QToolButton *m_next;
    QSplitter *m_splitter;
    QsciScintilla *m_left;
    QsciScintilla *m_right;
    DiffMap *m_map;
    DiffAlignment m_alignment;
    KernelId m_leftKernel;
    KernelId m_rightKernel;
    int m_change = -1;
    bool m_syncing = false;
    bool m_hasTexts = false;
};

} // namespace accelopt::widgets
