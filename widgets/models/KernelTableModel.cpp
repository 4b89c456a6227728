// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/KernelTableModel.h"

#include "widgets/format/Formatting.h"
#include "widgets/run/RunDocument.h"
#include "widgets/tree/TreeLayout.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace accelopt::widgets {

KernelTableModel::KernelTableModel(RunDocument *document, QObject *parent)
    : QAbstractTableModel(parent),
      m_document(document)
{
    connect(document, &RunDocument::updated, this, &KernelTableModel::update);
    // A long run comes in many parts; its rows come at once, when all is there.
    connect(document, &RunDocument::caughtUp, this, [this] {
        if (m_rows.empty())
            update();
    });
    connect(document, &RunDocument::closed, this, &KernelTableModel::reset);
    update();
}

int KernelTableModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int KernelTableModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(ColumnCount);
}

KernelId KernelTableModel::kernelAt(int row) const
{
    return row >= 0 && row < int(m_rows.size()) ? m_rows[std::size_t(row)].kernel : KernelId();
}

int KernelTableModel::rowOf(const KernelId &kernel) const
{
    const int number = m_document->number(kernel);
    return number < int(m_rows.size()) ? number : -1;
}

KernelTableModel::Row KernelTableModel::rowFor(const KernelId &kernel, int number) const
{
    const search::State &state = m_document->state();
    Row row;
    row.kernel = kernel;
    row.name = formatting::kernelName(number);
    row.latencyMs = std::numeric_limits<double>::infinity();
    const search::KernelRecord *record = search::kernel(state, kernel);
    if (record == nullptr)
        return row;
    row.iterationNumber = record->iteration;
    row.iteration = record->iteration < 0 ? QString() : QString::number(record->iteration + 1);
    if (record->first)
        if (const auto *plan = search::plan(state, record->first->slot.plan))
            row.idea = formatting::text(plan->plan.title);
    if (!record->judged) {
        row.verdict = tr("being judged");
        row.sign = QStringLiteral("…");
        row.verdictRank = 100;
        row.meaning = Meaning::Pending;
        return row;
    }
    row.verdict = formatting::verdict(record->verdict.status);
    row.sign = formatting::verdictSign(record->verdict.status);
    row.verdictRank = int(record->verdict.status);
    if (!record->verdict.correct()) {
        row.meaning = Meaning::Failed;
        return row;
    }
    row.latencyMs = record->profile.latencyMs;
    row.latency = formatting::latency(row.latencyMs);
    row.factor = search::speedupOverBaseline(state, kernel);
    row.speedup = formatting::signedSpeedup(row.factor);
    if (kernel == state.opened.baseline)
        row.meaning = Meaning::Baseline;
    else if (kernel == state.best)
        row.meaning = Meaning::Best;
    else
        row.meaning = row.factor >= 1 ? Meaning::Faster : Meaning::Slower;
    return row;
}

QVariant KernelTableModel::sortKey(const Row &row, int column) const
{
    switch (column) {
    case Name: return m_document->number(row.kernel);
    case Latency: return row.latencyMs;
    case Speedup: return row.factor;
    case VerdictColumn: return row.verdictRank;
    case Iteration: return row.iterationNumber;
    case Idea: return row.idea;
    default: return {};
    }
}

QVariant KernelTableModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Row &row = m_rows[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case Name: return row.name;
        case Latency: return row.latency;
        case Speedup: return row.speedup;
        case VerdictColumn: return row.sign;
        case Iteration: return row.iteration;
        case Idea:
            // Why there are no figures is said where there is room for it.
            return row.latency.isEmpty() && !row.verdict.isEmpty()
                       ? QString(row.verdict + QStringLiteral(": ") + row.idea)
                       : row.idea;
        default: return {};
        }
    case Qt::ToolTipRole: {
        const search::KernelRecord *record = search::kernel(m_document->state(), row.kernel);
        if (record != nullptr && record->judged && !record->verdict.correct())
            return formatting::text(failureText(*record));
        if (index.column() == VerdictColumn)
            return row.verdict;
        if (index.column() == Latency && record != nullptr && record->judged)
            return formatting::latency(record->profile);
        return row.idea.isEmpty() ? QVariant() : QVariant(row.idea);
    }
    case Qt::TextAlignmentRole:
        if (index.column() == VerdictColumn)
            return int(Qt::AlignCenter);
        return int(Qt::AlignVCenter) | int(index.column() == Latency || index.column() == Speedup ||
                                                   index.column() == Iteration
                                               ? Qt::AlignRight
                                               : Qt::AlignLeft);
    case SortRole: return sortKey(row, index.column());
    case MeaningRole: return int(row.meaning);
    case SearchRole:
        return QString(row.name + QLatin1Char(' ') + row.idea + QLatin1Char(' ') + row.verdict +
                       QLatin1Char(' ') + QString::fromStdString(row.kernel.value));
    default: return {};
    }
}

QVariant KernelTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::ToolTipRole) {
        switch (section) {
        case VerdictColumn: return tr("Verdict: ✓ correct, ≠ wrong, ✗ does not compile");
        case Latency: return tr("Simulated time of one run of the kernel");
        case Speedup: return tr("Simulated speedup over the baseline kernel");
        case Iteration: return tr("Iteration in which it was written first");
        case Idea: return tr("Title of the plan it carries out");
        default: return {};
        }
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name: return tr("Kernel");
    case Latency: return tr("Latency");
    case Speedup: return tr("Speedup");
    case VerdictColumn: return QStringLiteral("✓");
    case Iteration: return tr("It.");
    case Idea: return tr("Plan");
    default: return {};
    }
}

void KernelTableModel::reset()
{
    beginResetModel();
    m_rows.clear();
    endResetModel();
}

void KernelTableModel::update()
{
    if (!m_document->loaded())
        return;
    const std::vector<KernelId> &order = m_document->kernels();
    const std::vector<KernelId> &changed = m_document->changedKernels();
    const auto isBaseline = [this](const KernelId &kernel) {
        return kernel == m_document->state().opened.baseline;
    };
    std::vector<int> rows;
    if (std::any_of(changed.begin(), changed.end(), isBaseline)) {
        // Every speedup is against it.
        rows.resize(m_rows.size());
        std::iota(rows.begin(), rows.end(), 0);
    } else {
        for (const KernelId &kernel : changed)
            if (const int row = m_document->number(kernel); row >= 0 && row < int(m_rows.size()))
                rows.push_back(row);
        std::sort(rows.begin(), rows.end());
    }
    // Neighbours are announced together.
    int first = -1;
    int last = -1;
    const auto announce = [&] {
        if (first >= 0)
            emit dataChanged(index(first, 0), index(last, ColumnCount - 1));
        first = -1;
    };
    for (const int place : rows) {
        Row row = rowFor(order[std::size_t(place)], place);
        if (row == m_rows[std::size_t(place)])
            continue;
        m_rows[std::size_t(place)] = std::move(row);
        if (first >= 0 && place != last + 1)
            announce();
        first = first < 0 ? place : first;
        last = place;
    }
    announce();
    if (order.size() > m_rows.size()) {
        beginInsertRows({}, int(m_rows.size()), int(order.size()) - 1);
        for (std::size_t i = m_rows.size(); i < order.size(); ++i)
            m_rows.push_back(rowFor(order[i], int(i)));
        endInsertRows();
    }
}

} // namespace accelopt::widgets
