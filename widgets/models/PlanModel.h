// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/State.h"

#include <QAbstractTableModel>
#include <QString>
#include <optional>
#include <vector>

namespace accelopt::widgets {

class RunDocument;

/// The plans of the latest iteration, a row for each slot in the order in which they are asked for.
class PlanModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { Slot, From, Title, State, Author, ColumnCount };
    enum Role { QuietRole = Qt::UserRole /**< bool: nothing will come of it */ };

    explicit PlanModel(RunDocument *document, QObject *parent = nullptr);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

    std::optional<PlanSlot> slotAt(int row) const;
    /// The kernel that came of the plan, or the candidate it is for.
    KernelId kernelAt(int row) const;

private:
    struct Row
    {
        PlanSlot slot;
        QString fields[ColumnCount];
        QString tip;
        bool quiet = false;
        bool operator==(const Row &) const = default;
    };
    void update();
    void reset();
    Row rowFor(const search::PlanRecord &plan) const;

    RunDocument *m_document;
    std::vector<Row> m_rows;
    int m_iteration = -1;
};

} // namespace accelopt::widgets
