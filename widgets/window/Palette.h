// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QString>
#include <functional>
#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;

namespace accelopt::widgets {

/// Something that a palette finds.
struct PaletteEntry
{
    QString text;
    QString detail; ///< beside it: keys, figures
    QString words;  ///< further words it is found by
    QString whyNot; ///< cannot be chosen now
    std::function<void()> act;
};

/// How well an entry fits what was typed: every word must occur, beginnings of words count most.
/// 0: not at all.
int paletteScore(const PaletteEntry &entry, const QString &typed);

/// A field and the entries that fit it, best first; Return does the chosen one.
class Palette : public QDialog
{
    Q_OBJECT

public:
    Palette(const QString &placeholder, std::vector<PaletteEntry> entries, QWidget *parent);

    /// What is listed now, best first.
    QStringList shown() const;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void refill();
    void choose();

    std::vector<PaletteEntry> m_entries;
    std::vector<std::size_t> m_shown;
    QLineEdit *m_field;
    QListWidget *m_list;
    QLabel *m_count;
};

} // namespace accelopt::widgets
