// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/window/NoticeBar.h"

#include "widgets/theme/Theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

namespace accelopt::widgets {

NoticeBar::NoticeBar(const Theme *theme, QWidget *parent) : QFrame(parent), m_theme(theme)
{
    setObjectName(QStringLiteral("noticeBar"));
    setAutoFillBackground(true);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(10, 6, 6, 6);
    m_text = new QLabel;
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row->addWidget(m_text, 1);
    m_button = new QPushButton;
    m_button->setObjectName(QStringLiteral("noticeButton"));
    m_button->hide();
    row->addWidget(m_button, 0, Qt::AlignTop);
    connect(m_button, &QPushButton::clicked, this, [this] {
        const std::function<void()> act = m_act;
        hide();
        if (act)
            act();
    });
    auto *close = new QToolButton;
    close->setText(QStringLiteral("✕"));
    close->setAutoRaise(true);
    close->setToolTip(tr("Dismiss"));
    close->setAccessibleName(tr("Dismiss"));
    row->addWidget(close, 0, Qt::AlignTop);
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    connect(theme, &Theme::changed, this, &NoticeBar::tint);
    tint();
    hide();
}

void NoticeBar::tint()
{
    QPalette colors;
    colors.setColor(QPalette::Window, m_theme->color(Tone::NoticePaper));
    colors.setColor(QPalette::WindowText, m_theme->color(Tone::Notice));
    colors.setColor(QPalette::ButtonText, m_theme->color(Tone::Notice));
    setPalette(colors);
    m_text->setPalette(colors);
}

void NoticeBar::offer(const QString &sentence, const QString &button, std::function<void()> act)
{
    say(sentence);
    m_button->setText(button);
    m_act = std::move(act);
    m_button->show();
}

void NoticeBar::say(const QString &sentence)
{
    m_button->hide();
    m_text->setText(sentence);
    setVisible(!sentence.isEmpty());
}

QString NoticeBar::text() const
{
    return isHidden() ? QString() : m_text->text();
}

} // namespace accelopt::widgets
