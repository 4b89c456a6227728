// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/State.h"

#include <QAbstractTableModel>
#include <QString>
#include <QTimer>
#include <map>
#include <set>
#include <vector>

namespace accelopt::widgets {

class RunDocument;

/// What is under way in the open run, what waits behind it, and what failed: one row each. Failures
/// stay until they are read.
class JobModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { What, State, Since, ColumnCount };
    enum Role {
        KindRole = Qt::UserRole, ///< Kind as int
    };
    enum class Kind { UnderWay, Waiting, Failed };

    explicit JobModel(RunDocument *document, QObject *parent = nullptr);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

    /// Kernel that the row is about; may be empty.
    KernelId kernelAt(int row) const;
    int count(Kind kind) const;
    /// Failures that were not read.
    int unread() const { return count(Kind::Failed); }

public slots:
    /// Takes the failures away that stand there.
    void markRead();

private:
    struct Row
    {
        Kind kind = Kind::Waiting;
        QString key; ///< stable name of the job
        QString what;
        QString state;
        QString tip;
        KernelId kernel;
        bool operator==(const Row &) const = default;
    };
    std::vector<Row> rowsNow();
    void addFailures(const search::IterationRecord &iteration, std::vector<Row> &failed) const;
    void update();
    void reset();

    RunDocument *m_document;
    std::vector<Row> m_rows;
    std::vector<Row> m_oldFailures;    ///< of iterations that are over
    std::size_t m_settled = 0;         ///< how many these are
    std::map<QString, qint64> m_since; ///< by key: when it was first seen, in ms of the clock
    std::set<QString> m_read;          ///< failures that were read
    QTimer m_tick;                     ///< for the seconds
};

} // namespace accelopt::widgets
