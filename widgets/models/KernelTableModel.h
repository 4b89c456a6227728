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
    /// Negative, zero or positive: how two rows stand to each other by a column.
    int compare(int a, int b, int column) const;
    /// The row's name, plan, verdict or hash contains this text.
    bool matches(int row, const QString &needle) const;

private:
    /// What orders a row and changes with the run; its texts are made when they are shown.
    struct Row
    {
        const search::KernelRecord *record = nullptr; ///< null as long as the run has none
        double latencyMs = 0; ///< infinite when unknown, so that such rows stand last
        double factor = 0;
        int verdictRank = 0;
        int iterationNumber = -1;
        Meaning meaning = Meaning::Plain;
        bool operator==(const Row &) const = default;
    };

    void update();
    void reset();
    Row rowFor(const KernelId &kernel) const;
    QVariant sortKey(int row, int column) const;
    /// Title of the plan it carries out.
    QString idea(const Row &row) const;
    QString verdict(const Row &row) const;

    RunDocument *m_document;
    std::vector<Row> m_rows;
    double m_baselineMs = 0; ///< 0 when unknown
};

} // namespace accelopt::widgets
