// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QString>
#include <QStringList>

class QLineEdit;

namespace accelopt::widgets {

/// Asks why: three reasons, each with a digit as its key, or words of one's own.
class ReasonDialog : public QDialog
{
    Q_OBJECT

public:
    ReasonDialog(const QString &title, const QString &question, const QStringList &reasons,
                 QWidget *parent);

signals:
    void given(const QString &reason);

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    void give(const QString &reason);

    QStringList m_reasons;
    QLineEdit *m_other;
};

} // namespace accelopt::widgets
