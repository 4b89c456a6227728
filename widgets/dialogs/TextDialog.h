// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QString>

class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace accelopt::widgets {

/// What a TextDialog asks for.
struct TextQuestion
{
    QString title;       ///< of the dialog
    QString explanation; ///< what happens with the text
    QString lineLabel;
    QString line;
    QString textLabel;
    QString text;
    QString accept; ///< on the button
    enum class Style { Prose, Code };
    Style style = Style::Prose;
};

/// Asks for a title of one line and a longer text; neither may be empty. Ctrl+Return accepts.
class TextDialog : public QDialog
{
    Q_OBJECT

public:
    TextDialog(const TextQuestion &question, QWidget *parent);

signals:
    void given(const QString &line, const QString &text);

private:
    void refresh();

    QLineEdit *m_line;
    QPlainTextEdit *m_text;
    QPushButton *m_accept;
};

} // namespace accelopt::widgets
