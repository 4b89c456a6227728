// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/KernelOrder.h"

#include <algorithm>

namespace accelopt::widgets {

namespace {

/// More rows at once than this are taken in by starting anew.
constexpr int kManyRows = 200;

} // namespace

KernelOrder::KernelOrder(KernelTableModel *model, QObject *parent)
    : QAbstractProxyModel(parent),
      m_model(model)
{
    setSourceModel(model);
    connect(model, &QAbstractItemModel::modelAboutToBeReset, this, [this] { beginResetModel(); });
    connect(model, &QAbstractItemModel::modelReset, this, [this] {
        rebuild();
        endResetModel();
    });
    connect(model, &QAbstractItemModel::rowsInserted, this,
            [this](const QModelIndex &, int first, int last) { onInserted(first, last); });
    connect(model, &QAbstractItemModel::dataChanged, this,
            [this](const QModelIndex &from, const QModelIndex &to) {
                onChanged(from.row(), to.row());
            });
    rebuild();
}

bool KernelOrder::before(int a, int b) const
{
    const int compared = m_model->compare(a, b, m_column);
    if (compared != 0)
        return m_order == Qt::AscendingOrder ? compared < 0 : compared > 0;
    return a < b; // equal ones stand in the order of the log
}

void KernelOrder::rebuild()
{
    m_places.clear();
    m_rows.clear();
    const int all = m_model->rowCount();
    m_rows.reserve(std::size_t(all));
    for (int row = 0; row < all; ++row)
        if (m_model->matches(row, m_needle))
            m_rows.push_back(row);
    std::sort(m_rows.begin(), m_rows.end(), [this](int a, int b) { return before(a, b); });
}

void KernelOrder::reset()
{
    beginResetModel();
    rebuild();
    endResetModel();
}

void KernelOrder::setFilter(const QString &needle)
{
    if (needle == m_needle)
        return;
    m_needle = needle;
    reset();
}

void KernelOrder::sort(int column, Qt::SortOrder order)
{
    m_column = std::clamp(column, 0, int(KernelTableModel::ColumnCount) - 1);
    m_order = order;
    emit layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const QModelIndexList kept = persistentIndexList();
    std::vector<std::pair<int, int>> wanted; // row of the model, column
    for (const QModelIndex &index : kept)
        wanted.emplace_back(m_rows[std::size_t(index.row())], index.column());
    rebuild();
    QModelIndexList now;
    for (const auto &[row, at] : wanted)
        now << index(placeOf(row), at);
    changePersistentIndexList(kept, now);
    emit layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

void KernelOrder::insert(int row)
{
    const auto at = std::lower_bound(m_rows.begin(), m_rows.end(), row,
                                     [this](int a, int b) { return before(a, b); });
    const int place = int(at - m_rows.begin());
    beginInsertRows({}, place, place);
    m_rows.insert(at, row);
    m_places.clear();
    endInsertRows();
}

void KernelOrder::onInserted(int first, int last)
{
    if (last - first >= kManyRows) {
        reset();
        return;
    }
    for (int row = first; row <= last; ++row)
        if (m_model->matches(row, m_needle))
            insert(row);
        else
            m_places.clear();
}

void KernelOrder::onChanged(int first, int last)
{
    if (last - first >= kManyRows) {
        reset();
        return;
    }
    for (int row = first; row <= last; ++row) {
        const int place = placeOf(row);
        const bool matching = m_model->matches(row, m_needle);
        if (place < 0) {
            if (matching)
                insert(row);
            continue;
        }
        const auto at = std::size_t(place);
        const bool stays = matching && (at == 0 || before(m_rows[at - 1], row)) &&
                           (at + 1 == m_rows.size() || before(row, m_rows[at + 1]));
        if (stays) {
            emit dataChanged(index(place, 0), index(place, columnCount() - 1));
            continue;
        }
        beginRemoveRows({}, place, place);
        m_rows.erase(m_rows.begin() + place);
        m_places.clear();
        endRemoveRows();
        if (matching)
            insert(row);
    }
}

void KernelOrder::countPlaces() const
{
    m_places.assign(std::size_t(m_model->rowCount()), -1);
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        m_places[std::size_t(m_rows[i])] = int(i);
}

int KernelOrder::placeOf(int row) const
{
    if (m_places.empty())
        countPlaces();
    return row >= 0 && row < int(m_places.size()) ? m_places[std::size_t(row)] : -1;
}

QModelIndex KernelOrder::mapToSource(const QModelIndex &index) const
{
    return index.isValid() && index.row() < int(m_rows.size())
               ? m_model->index(m_rows[std::size_t(index.row())], index.column())
               : QModelIndex();
}

QModelIndex KernelOrder::mapFromSource(const QModelIndex &source) const
{
    const int place = source.isValid() ? placeOf(source.row()) : -1;
    return place < 0 ? QModelIndex() : index(place, source.column());
}

QModelIndex KernelOrder::index(int row, int column, const QModelIndex &parent) const
{
    return hasIndex(row, column, parent) ? createIndex(row, column) : QModelIndex();
}

QModelIndex KernelOrder::parent(const QModelIndex &) const
{
    return {};
}

int KernelOrder::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int KernelOrder::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_model->columnCount();
}

QVariant KernelOrder::headerData(int section, Qt::Orientation orientation, int role) const
{
    return orientation == Qt::Horizontal ? m_model->headerData(section, orientation, role)
                                         : QVariant();
}

} // namespace accelopt::widgets
