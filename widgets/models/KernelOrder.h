// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/KernelTableModel.h"

#include <QAbstractProxyModel>
#include <QString>
#include <vector>

namespace accelopt::widgets {

/// The rows of a KernelTableModel that match a filter, in the order of a column. Compares numbers
/// where the general proxy of Qt compares what is shown, so that a run of tens of thousands of
/// kernels is filtered and sorted while one types.
class KernelOrder : public QAbstractProxyModel
{
    Q_OBJECT

public:
    explicit KernelOrder(KernelTableModel *model, QObject *parent = nullptr);

    /// Rows whose name, plan, verdict or hash contain this; all for an empty text.
    void setFilter(const QString &needle);

    QModelIndex mapToSource(const QModelIndex &index) const override;
    QModelIndex mapFromSource(const QModelIndex &index) const override;
    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &index) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
    bool before(int a, int b) const;
    void rebuild();
    void reset();
    void onInserted(int first, int last);
    void onChanged(int first, int last);
    void insert(int row);
    int placeOf(int row) const;
    void countPlaces() const;

    KernelTableModel *m_model;
    QString m_needle;
    int m_column = KernelTableModel::Name;
    Qt::SortOrder m_order = Qt::AscendingOrder;
    std::vector<int> m_rows;           ///< rows of the model, in the order shown
    mutable std::vector<int> m_places; ///< by row of the model; -1: not shown; empty: to be counted
};

} // namespace accelopt::widgets
