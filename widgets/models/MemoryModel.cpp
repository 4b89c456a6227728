// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/MemoryModel.h"

#include "widgets/format/Formatting.h"
#include "widgets/run/RunDocument.h"

namespace accelopt::widgets {

namespace {

QString statusText(const search::MemoryItem &item)
{
    switch (item.status) {
    case search::ItemStatus::Active:
        return item.pinned ? MemoryModel::tr("pinned") : MemoryModel::tr("in use");
    case search::ItemStatus::Proposed: return MemoryModel::tr("to approve");
    case search::ItemStatus::Rejected: return MemoryModel::tr("rejected");
    case search::ItemStatus::FellOut: return MemoryModel::tr("fell out");
    }
    return {};
}

QString shown(const search::MemoryItem &item)
{
    return statusText(item) + QStringLiteral("\n%1 %2\n").arg(item.prompts).arg(item.wins) +
           formatting::text(item.item.title) + QLatin1Char('\n') +
           formatting::text(item.item.strategy);
}

} // namespace

MemoryModel::MemoryModel(RunDocument *document, QObject *parent)
    : QAbstractTableModel(parent),
      m_document(document)
{
    connect(document, &RunDocument::updated, this, &MemoryModel::update);
    connect(document, &RunDocument::closed, this, &MemoryModel::reset);
    update();
}

int MemoryModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_count;
}

int MemoryModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(ColumnCount);
}

const search::MemoryItem *MemoryModel::itemAt(int row) const
{
    const auto &items = m_document->state().items;
    const int place = m_count - 1 - row;
    return row >= 0 && place >= 0 && std::size_t(place) < items.size() ? &items[std::size_t(place)]
                                                                       : nullptr;
}

QVariant MemoryModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const search::MemoryItem *record = itemAt(index.row());
    if (record == nullptr)
        return {};
    const ExperienceItem &item = record->item;
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case Sign: return item.positive ? QStringLiteral("+") : QStringLiteral("−");
        case Speedup: return formatting::speedup(item.speedup);
        case Title: return formatting::text(item.title);
        case Status: return statusText(*record);
        default: return {};
        }
    case Qt::ToolTipRole:
        if (index.column() == Sign)
            return item.positive ? tr("do this: it made a kernel faster")
                                 : tr("avoid this: it made a kernel slower");
        return index.column() == Status ? formatting::text(record->fate.text)
                                        : formatting::text(item.strategy);
    case Qt::TextAlignmentRole:
        if (index.column() == Sign)
            return int(Qt::AlignCenter);
        return int(Qt::AlignVCenter) |
               int(index.column() == Speedup ? Qt::AlignRight : Qt::AlignLeft);
    case PositiveRole: return item.positive;
    case ReachesPromptsRole: return record->status == search::ItemStatus::Active;
    case WaitsRole: return record->status == search::ItemStatus::Proposed;
    case OriginRole: {
        if (item.iteration < 0 || m_document->number(item.slow) < 0)
            return tr("from another run");
        return tr("%1 → %2, it. %3")
            .arg(m_document->name(item.positive ? item.slow : item.fast),
                 m_document->name(item.positive ? item.fast : item.slow))
            .arg(item.iteration + 1);
    }
    case RecordRole:
        return record->prompts == 0
                   ? tr("in no prompt yet")
                   : tr("%1, %2").arg(
                         formatting::count(record->prompts, tr("prompt"), tr("prompts")),
                         formatting::count(record->wins, tr("place won"), tr("places won")));
    case QueueRole:
        return index.row() + (record->status == search::ItemStatus::Proposed ? 0 : m_count);
    default: return {};
    }
}

QVariant MemoryModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Sign: return tr("±");
    case Speedup: return tr("Speedup");
    case Title: return tr("Lesson");
    case Status: return tr("State");
    default: return {};
    }
}

void MemoryModel::reset()
{
    beginResetModel();
    m_count = 0;
    m_shown.clear();
    endResetModel();
}

void MemoryModel::update()
{
    const auto &items = m_document->state().items;
    const int count = int(items.size());
    if (count > m_count) {
        // The newest stand first, so that what is new comes in above.
        beginInsertRows({}, 0, count - m_count - 1);
        for (std::size_t i = std::size_t(m_count); i < items.size(); ++i)
            m_shown.push_back(shown(items[i]));
        m_count = count;
        endInsertRows();
    }
    for (std::size_t i = 0; i < m_shown.size(); ++i) {
        const QString now = shown(items[i]);
        if (now == m_shown[i])
            continue;
        m_shown[i] = now;
        emit dataChanged(index(rowOfItem(i), 0), index(rowOfItem(i), ColumnCount - 1));
    }
}

} // namespace accelopt::widgets
