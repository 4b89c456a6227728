// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QTableView;

namespace accelopt::widgets {

class BoardModel;
class RunDocument;
class Theme;

/// The runs beside the open one, of an experiment over several tasks or of a person's own: how far
/// each is, what it found, and its course as a small line.
class BoardPane : public QWidget
{
    Q_OBJECT

public:
    BoardPane(RunDocument *document, const Theme *theme, QWidget *parent = nullptr);

    BoardModel *model() const { return m_model; }
    QString summary() const;

signals:
    void fileWanted(const QString &file);

protected:
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    void refresh();

    RunDocument *m_document;
    BoardModel *m_model;
    QLabel *m_summary;
    QTableView *m_view;
};

} // namespace accelopt::widgets
