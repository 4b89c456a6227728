// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"

#include <QAbstractTableModel>
#include <QDateTime>
#include <QString>
#include <QTimer>
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace accelopt::widgets {

/// What a board says of one run.
struct BoardEntry
{
    std::string file;
    std::string task;
    std::string phase;   ///< "finished: 6 iterations done", for people; empty while it goes on
    std::string problem; ///< why the file cannot be read; empty when it can
    bool written = false;
    int iterations = 0; ///< begun
    int planned = 0;
    int tried = 0;
    double bestMs = 0;            ///< 0 before the baseline is judged
    double bestSpeedup = 0;       ///< over the baseline, simulated; 0 when unknown
    std::vector<double> speedups; ///< best so far after each iteration, the baseline's 1 first
};

/// Reads a run file for the board.
BoardEntry boardEntry(const std::filesystem::path &file);

/// The runs of one folder, an experiment's or a person's own, a row each; looked at again as long
/// as it is watched, in another thread.
class BoardModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { Task, State, Iterations, Tried, Best, Speedup, Course, ColumnCount };
    enum Role {
        SpeedupsRole = Qt::UserRole, ///< QList<double>, for the sparkline
        FileRole,
    };

    explicit BoardModel(QObject *parent = nullptr);
    ~BoardModel() override;

    /// Looks at this folder; an empty name: at none.
    void setFolder(const QString &folder);
    const QString &folder() const { return m_folder; }
    /// Only while somebody looks are the files looked at.
    void setWatched(bool watched);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;
    /// Geometric mean of the best speedups known; 0 without one.
    double geometricMean() const;

private:
    void look();
    void take(const std::vector<BoardEntry> &entries);

    QString m_folder;
    std::vector<BoardEntry> m_entries; ///< by file name
    std::map<QString, QDateTime> m_seen;
    QTimer m_look;
    bool m_busy = false;
    std::shared_ptr<std::atomic<bool>> m_alive;
};

} // namespace accelopt::widgets
