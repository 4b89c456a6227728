// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/State.h"

#include <QAbstractTableModel>
#include <QString>
#include <vector>

namespace accelopt::widgets {

class RunDocument;

/// The kernels of the open run, a row each in the order of the log. Gives texts and sort keys,
/// never colours: what a row means is in MeaningRole.
class KernelTableModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { Name, VerdictColumn, Latency, Speedup, Iteration, Idea, ColumnCount };
    enum Role {
        SortRole = Qt::UserRole, ///< a number or text that orders the column
        MeaningRole,             ///< Meaning as int
        SearchRole,              ///< everything that a filter looks at
    };
    enum class Meaning { Plain, Baseline, Best, Faster, Slower, Failed, Pending };

    explicit KernelTableModel(RunDocument *document, QObject *parent = nullptr);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

    KernelId kernelAt(int row) const;
    int rowOf(const KernelId &kernel) const;

private:
    struct Row
    {
        KernelId kernel;
        QString name;
        QString latency;
        QString speedup;
        QString verdict; ///< in words; the column shows a sign
        QString sign;
        QString iteration;
        QString idea;
        double latencyMs = 0; ///< infinite when unknown, so that such rows stand last
        double factor = 0;
        int verdictRank = 0;
        int iterationNumber = -1;
        Meaning meaning = Meaning::Plain;
        bool operator==(const Row &) const = default;
    };

    void update();
    void reset();
    Row rowFor(const KernelId &kernel, int number) const;
    QVariant sortKey(const Row &row, int column) const;

    RunDocument *m_document;
    std::vector<Row> m_rows;
};

} // namespace accelopt::widgets
