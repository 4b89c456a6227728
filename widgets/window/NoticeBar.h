// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;

namespace accelopt::widgets {

class Theme;

/// A sentence above the content that stays until it is dismissed.
class NoticeBar : public QFrame
{
    Q_OBJECT

public:
    explicit NoticeBar(const Theme *theme, QWidget *parent = nullptr);

    void say(const QString &sentence);
    QString text() const;

private:
    void tint();

    const Theme *m_theme;
    QLabel *m_text;
};

} // namespace accelopt::widgets
