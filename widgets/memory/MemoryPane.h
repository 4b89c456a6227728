// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"

#include <QList>
#include <QWidget>
#include <string>
#include <vector>

class QAction;
class QHBoxLayout;
class QLabel;
class QListView;
class QSortFilterProxyModel;
class QStackedLayout;
class QTextEdit;

namespace accelopt::search {
struct MemoryItem;
}

namespace accelopt::widgets {

class DecisionDesk;
class MemoryModel;
class RunDocument;
class SelectionHub;
class Theme;

/// The lessons the search has learnt as cards, those that wait for a person first, and everything
/// about the one that is selected. Choosing a lesson shows the pair of kernels it was learnt from.
class MemoryPane : public QWidget
{
    Q_OBJECT

public:
    MemoryPane(RunDocument *document, SelectionHub *hub, DecisionDesk *desk, const Theme *theme,
               QWidget *parent = nullptr);

    MemoryModel *model() const { return m_model; }
    QSortFilterProxyModel *shown() const { return m_shown; }
    /// nullptr when no lesson is selected.
    const search::MemoryItem *current() const;
    /// Selects a lesson; false when the run has none of this name.
    bool select(const ItemId &item);
    /// Why the decision cannot be made on the selected lesson; empty when it can.
    QString whyNot(Decision decision) const;
    /// Buttons for these commands, below the selected lesson.
    void setActions(const QList<QAction *> &actions);
    QString detailText() const;

public slots:
    /// These decide on the selected lesson; the next one that waits is then selected.
    void approve();
    /// Pins, or takes the pin back.
    void pin();
    /// Asks for the reason first.
    void reject();
    void edit();
    /// Approves what waits and fulfils the rule: the pair can be told apart, the lesson was learnt
    /// in two lineages, and no lesson in use says the same.
    void approveByRule();

signals:
    void currentChanged();

private:
    void refresh();
    void showItem();
    void decide(Decision decision, const QString &words, const std::string &reason = {});
    void selectNextWaiting();
    QString evidenceHtml(const search::MemoryItem &item) const;
    QString fareHtml(const search::MemoryItem &item) const;

    RunDocument *m_document;
    SelectionHub *m_hub;
    DecisionDesk *m_desk;
    const Theme *m_theme;
    MemoryModel *m_model;
    QSortFilterProxyModel *m_shown;
    QStackedLayout *m_stack;
    QListView *m_view;
    QTextEdit *m_text;
    QHBoxLayout *m_buttons;
};

/// The lessons that approveByRule() approves.
std::vector<ItemId> approvableByRule(const RunDocument &document);

} // namespace accelopt::widgets
