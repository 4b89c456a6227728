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
    return row >= 0 && row < int(m_rows.size()) ? m_document->kernels()[std::size_t(row)]
                                                : KernelId();
}

int KernelTableModel::rowOf(const KernelId &kernel) const
{
    const int number = m_document->number(kernel);
    return number < int(m_rows.size()) ? number : -1;
}

KernelTableModel::Row KernelTableModel::rowFor(const KernelId &kernel) const
{
    const search::State &state = m_document->state();
    Row row;
    row.latencyMs = std::numeric_limits<double>::infinity();
    const search::KernelRecord *record = search::kernel(state, kernel);
    row.record = record;
    if (record == nullptr)
        return row;
    row.iterationNumber = record->iteration;
    if (!record->judged) {
        row.verdictRank = 100;
        row.meaning = Meaning::Pending;
        return row;
    }
    row.verdictRank = int(record->verdict.status);
    if (!record->verdict.correct()) {
        row.meaning = Meaning::Failed;
        return row;
    }
    row.latencyMs = record->profile.latencyMs;
    row.factor = record->rankable && m_baselineMs > 0 ? m_baselineMs / row.latencyMs : 0;
    if (kernel == state.opened.baseline)
        row.meaning = Meaning::Baseline;
    else if (kernel == state.best)
        row.meaning = Meaning::Best;
    else
        row.meaning = row.factor >= 1 ? Meaning::Faster : Meaning::Slower;
    return row;
}

QString KernelTableModel::idea(const Row &row) const
{
    if (row.record == nullptr || !row.record->first)
        return {};
    const auto *plan = search::plan(m_document->state(), row.record->first->slot.plan);
    return plan == nullptr ? QString() : formatting::text(plan->plan.title);
}

QString KernelTableModel::verdict(const Row &row) const
{
    if (row.record == nullptr)
        return {};
    return row.record->judged ? formatting::verdict(row.record->verdict.status)
                              : tr("being judged");
}

int KernelTableModel::compare(int a, int b, int column) const
{
    const Row &one = m_rows[std::size_t(a)];
    const Row &other = m_rows[std::size_t(b)];
    const auto order = [](auto x, auto y) { return x < y ? -1 : y < x ? 1 : 0; };
    switch (column) {
    case VerdictColumn: return order(one.verdictRank, other.verdictRank);
    case Latency: return order(one.latencyMs, other.latencyMs);
    case Speedup: return order(one.factor, other.factor);
    case Iteration: return order(one.iterationNumber, other.iterationNumber);
    case Idea: return idea(one).compare(idea(other));
    default: return order(a, b);
    }
}

bool KernelTableModel::matches(int place, const QString &needle) const
{
    if (needle.isEmpty())
        return true;
    const auto holds = [&](const QString &text) {
        return text.contains(needle, Qt::CaseInsensitive);
    };
    const Row &row = m_rows[std::size_t(place)];
    return holds(idea(row)) || holds(formatting::kernelName(place)) || holds(verdict(row)) ||
           holds(QString::fromStdString(kernelAt(place).value));
}

QVariant KernelTableModel::sortKey(int place, int column) const
{
    const Row &row = m_rows[std::size_t(place)];
    switch (column) {
    case Name: return place;
    case Latency: return row.latencyMs;
    case Speedup: return row.factor;
    case VerdictColumn: return row.verdictRank;
    case Iteration: return row.iterationNumber;
    case Idea: return idea(row);
    default: return {};
    }
}

QVariant KernelTableModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Row &row = m_rows[std::size_t(index.row())];
    const bool judged = row.record != nullptr && row.record->judged;
    const bool timed = judged && row.record->verdict.correct();
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case Name: return formatting::kernelName(index.row());
        case Latency: return timed ? formatting::latency(row.latencyMs) : QString();
        case Speedup: return timed ? formatting::signedSpeedup(row.factor) : QString();
        case VerdictColumn:
            if (row.record == nullptr)
                return QString();
            return judged ? formatting::verdictSign(row.record->verdict.status)
                          : QStringLiteral("…");
        case Iteration:
            return row.iterationNumber < 0 ? QString() : QString::number(row.iterationNumber + 1);
        case Idea:
            // Why there are no figures is said where there is room for it.
            return timed || row.record == nullptr
                       ? idea(row)
                       : QString(verdict(row) + QStringLiteral(": ") + idea(row));
        default: return {};
        }
    case Qt::ToolTipRole: {
        if (judged && !timed)
            return formatting::text(failureText(*row.record));
        if (index.column() == VerdictColumn)
            return verdict(row);
        if (index.column() == Latency && judged)
            return formatting::latency(row.record->profile);
        const QString title = idea(row);
        return title.isEmpty() ? QVariant() : QVariant(title);
    }
    case Qt::TextAlignmentRole:
        if (index.column() == VerdictColumn)
            return int(Qt::AlignCenter);
        return int(Qt::AlignVCenter) | int(index.column() == Latency || index.column() == Speedup ||
                                                   index.column() == Iteration
                                               ? Qt::AlignRight
                                               : Qt::AlignLeft);
    case SortRole: return sortKey(index.row(), index.column());
    case MeaningRole: return int(row.meaning);
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
    m_baselineMs = 0;
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
    const search::KernelRecord *baseline =
        search::kernel(m_document->state(), m_document->state().opened.baseline);
    m_baselineMs = baseline != nullptr && baseline->rankable ? baseline->profile.latencyMs : 0;
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
        Row row = rowFor(order[std::size_t(place)]);
        if (row == m_rows[std::size_t(place)])
            continue;
        m_rows[std::size_t(place)] = row;
        if (first >= 0 && place != last + 1)
            announce();
        first = first < 0 ? place : first;
        last = place;
    }
    announce();
    if (order.size() > m_rows.size()) {
        beginInsertRows({}, int(m_rows.size()), int(order.size()) - 1);
        for (std::size_t i = m_rows.size(); i < order.size(); ++i)
            m_rows.push_back(rowFor(order[i]));
        endInsertRows();
    }
}

} // namespace accelopt::widgets
