// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace accelopt::widgets {

class Theme;

/// Paints a lesson as a card: sign and gain, title, state, where it was learnt, how it has fared.
class MemoryCard : public QStyledItemDelegate
{
    Q_OBJECT

public:
    MemoryCard(const Theme *theme, QObject *parent);

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override;
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;

private:
    const Theme *m_theme;
};

} // namespace accelopt::widgets
