// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <functional>

class QLabel;
class QPushButton;

namespace accelopt::widgets {

class Theme;

/// A sentence above the content that stays until it is dismissed.
class NoticeBar : public QFrame
{
    Q_OBJECT

public:
    explicit NoticeBar(const Theme *theme, QWidget *parent = nullptr);

    void say(const QString &sentence);
    /// Says it with a button that does something about it.
    void offer(const QString &sentence, const QString &button, std::function<void()> act);
    QString text() const;

private:
    void tint();

    const Theme *m_theme;
    QLabel *m_text;
    QPushButton *m_button;
    std::function<void()> m_act;
};

} // namespace accelopt::widgets
