// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/memory/MemoryCard.h"

#include "widgets/models/MemoryModel.h"
#include "widgets/theme/Theme.h"

#include <QPainter>

namespace accelopt::widgets {

namespace {

constexpr int kCardPadding = 6;
constexpr int kCardStripe = 4;

} // namespace

MemoryCard::MemoryCard(const Theme *theme, QObject *parent)
    : QStyledItemDelegate(parent),
      m_theme(theme)
{}

QSize MemoryCard::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &) const
{
    return {120, 2 * option.fontMetrics.lineSpacing() + 2 * kCardPadding + 4};
}

void MemoryCard::paint(QPainter *painter, const QStyleOptionViewItem &option,
                       const QModelIndex &index) const
{
    const auto field = [&](int column) {
        return index.siblingAtColumn(column).data(Qt::DisplayRole).toString();
    };
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    const bool positive = index.data(MemoryModel::PositiveRole).toBool();
    const bool waits = index.data(MemoryModel::WaitsRole).toBool();
    const bool used = index.data(MemoryModel::ReachesPromptsRole).toBool();
    const QRect card = option.rect.adjusted(2, 1, -2, -1);
    painter->save();
    painter->setPen(selected ? QPen(m_theme->color(Tone::Accent), 2)
                             : QPen(m_theme->color(Tone::Line), 1));
    painter->setBrush(m_theme->color(waits ? Tone::NoticePaper : Tone::Raised));
    painter->drawRect(card.adjusted(0, 0, -1, -1));
    // The stripe is broken where the lesson says what to avoid.
    const Tone gain = positive ? Tone::Faster : Tone::Slower;
    const QRect stripe(card.left() + 2, card.top() + 2, kCardStripe, card.height() - 5);
    painter->fillRect(stripe, m_theme->color(used || waits ? gain : Tone::Line));
    if (!positive)
        painter->fillRect(stripe.adjusted(0, stripe.height() / 2 - 2, 0, -stripe.height() / 2 + 2),
                          m_theme->color(Tone::Pane));

    const QRect text = card.adjusted(kCardStripe + 8, kCardPadding, -8, -kCardPadding);
    QFont bold = option.font;
    bold.setBold(true);
    const QFontMetrics boldMetrics(bold);
    const QFontMetrics &metrics = option.fontMetrics;
    const Tone words = waits ? Tone::Notice : used ? Tone::Text : Tone::QuietText;
    const Tone quiet = waits ? Tone::Notice : Tone::QuietText;
    const QString state = field(MemoryModel::Status);
    const int stateWidth = metrics.horizontalAdvance(state) + 8;
    const QString sign = field(MemoryModel::Sign) + QLatin1Char(' ');
    painter->setFont(bold);
    painter->setPen(m_theme->color(words));
    painter->drawText(text, Qt::AlignLeft | Qt::AlignTop,
                      boldMetrics.elidedText(sign + field(MemoryModel::Title), Qt::ElideRight,
                                             text.width() - stateWidth));
    painter->setFont(option.font);
    painter->setPen(m_theme->color(quiet));
    painter->drawText(text, Qt::AlignRight | Qt::AlignTop, state);
    const QString below = field(MemoryModel::Speedup) + QStringLiteral(" · ") +
                          index.data(MemoryModel::OriginRole).toString() + QStringLiteral(" · ") +
                          index.data(MemoryModel::RecordRole).toString();
    painter->drawText(text, Qt::AlignLeft | Qt::AlignBottom,
                      metrics.elidedText(below, Qt::ElideRight, text.width()));
    painter->restore();
}

} // namespace accelopt::widgets
