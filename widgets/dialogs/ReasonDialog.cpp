// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/dialogs/ReasonDialog.h"

#include <QDialogButtonBox>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace accelopt::widgets {

ReasonDialog::ReasonDialog(const QString &title, const QString &question,
                           const QStringList &reasons, QWidget *parent)
    : QDialog(parent),
      m_reasons(reasons),
      m_other(new QLineEdit)
{
    setObjectName(QStringLiteral("reasonDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(title);
    auto *column = new QVBoxLayout(this);
    auto *label = new QLabel(question);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    column->addWidget(label);
    for (qsizetype i = 0; i < reasons.size(); ++i) {
        auto *button = new QPushButton(QStringLiteral("&%1  %2").arg(i + 1).arg(reasons[i]));
        button->setAutoDefault(false);
        button->setStyleSheet(QStringLiteral("text-align: left; padding: 6px"));
        connect(button, &QPushButton::clicked, this, [this, why = reasons[i]] { give(why); });
        column->addWidget(button);
    }
    auto *otherLabel = new QLabel(tr("&Another reason:"));
    otherLabel->setBuddy(m_other);
    column->addWidget(otherLabel);
    m_other->setObjectName(QStringLiteral("reasonOther"));
    column->addWidget(m_other);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    QPushButton *accept = buttons->addButton(tr("Reject"), QDialogButtonBox::AcceptRole);
    accept->setDefault(true);
    accept->setEnabled(false);
    column->addWidget(buttons);
    connect(m_other, &QLineEdit::textChanged, accept,
            [this, accept] { accept->setEnabled(!m_other->text().trimmed().isEmpty()); });
    connect(buttons, &QDialogButtonBox::accepted, this,
            [this] { give(m_other->text().trimmed()); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    setMinimumWidth(420);
    if (auto *first = findChild<QPushButton *>())
        first->setFocus();
}

void ReasonDialog::keyPressEvent(QKeyEvent *event)
{
    // The digit alone; where words are being typed it does not come here.
    const int place = event->key() - Qt::Key_1;
    if (place >= 0 && place < m_reasons.size()) {
        give(m_reasons[place]);
        return;
    }
    QDialog::keyPressEvent(event);
}

void ReasonDialog::give(const QString &reason)
{
    emit given(reason);
    accept();
}

} // namespace accelopt::widgets
