// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/State.h"

#include <QAbstractTableModel>
#include <QString>
#include <vector>

namespace accelopt::widgets {

class RunDocument;

/// The lessons of the open run, newest first; also those that are no longer told to the planner.
class MemoryModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { Sign, Speedup, Title, Status, ColumnCount };
    enum Role {
        PositiveRole = Qt::UserRole, ///< bool: do this, or avoid this
        ReachesPromptsRole,          ///< bool
        WaitsRole,                   ///< bool: a person has to decide
        OriginRole,                  ///< "k1 → k6, it. 2"
        RecordRole,                  ///< "4 prompts, 1 place won"
        QueueRole,                   ///< orders the queue: what waits first, then the newest
    };

    explicit MemoryModel(RunDocument *document, QObject *parent = nullptr);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

    /// nullptr for a row that is not there.
    const search::MemoryItem *itemAt(int row) const;

private:
    void update();
    void reset();
    int rowOfItem(std::size_t item) const { return m_count - 1 - int(item); }

    RunDocument *m_document;
    int m_count = 0;
    /// Status and wording of each item as last shown, to announce only what changed.
    std::vector<QString> m_shown;
};

} // namespace accelopt::widgets
