// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/dialogs/TextDialog.h"

#include "widgets/theme/Theme.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QShortcut>
#include <QVBoxLayout>

namespace accelopt::widgets {

TextDialog::TextDialog(const TextQuestion &question, QWidget *parent)
    : QDialog(parent),
      m_line(new QLineEdit(question.line)),
      m_text(new QPlainTextEdit)
{
    setObjectName(QStringLiteral("textDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(question.title);
    auto *column = new QVBoxLayout(this);
    auto *explanation = new QLabel(question.explanation);
    explanation->setTextFormat(Qt::PlainText);
    explanation->setWordWrap(true);
    column->addWidget(explanation);
    auto *lineLabel = new QLabel(question.lineLabel);
    lineLabel->setBuddy(m_line);
    column->addWidget(lineLabel);
    m_line->setObjectName(QStringLiteral("textDialogLine"));
    column->addWidget(m_line);
    auto *textLabel = new QLabel(question.textLabel);
    textLabel->setBuddy(m_text);
    column->addWidget(textLabel);
    m_text->setObjectName(QStringLiteral("textDialogText"));
    m_text->setTabChangesFocus(question.style == TextQuestion::Style::Prose);
    if (question.style == TextQuestion::Style::Code) {
        m_text->setFont(Theme::codeFont());
        m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    }
    m_text->setPlainText(question.text);
    column->addWidget(m_text, 1);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    m_accept = buttons->addButton(question.accept, QDialogButtonBox::AcceptRole);
    m_accept->setDefault(true);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto *shortcut = new QShortcut(QKeySequence(Qt::CTRL | Qt::Key_Return), this);
    connect(shortcut, &QShortcut::activated, m_accept, &QPushButton::click);
    connect(m_line, &QLineEdit::textChanged, this, &TextDialog::refresh);
    connect(m_text, &QPlainTextEdit::textChanged, this, &TextDialog::refresh);
    connect(this, &QDialog::accepted, this,
            [this] { emit given(m_line->text().trimmed(), m_text->toPlainText()); });
    resize(question.style == TextQuestion::Style::Code ? QSize(760, 620) : QSize(560, 360));
    refresh();
}

void TextDialog::refresh()
{
    m_accept->setEnabled(!m_line->text().trimmed().isEmpty() &&
                         !m_text->toPlainText().trimmed().isEmpty());
}

} // namespace accelopt::widgets
