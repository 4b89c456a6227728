// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/PlanModel.h"

#include "core/search/Calls.h"
#include "widgets/format/Formatting.h"
#include "widgets/run/RunDocument.h"

#include <algorithm>

namespace accelopt::widgets {

PlanModel::PlanModel(RunDocument *document, QObject *parent)
    : QAbstractTableModel(parent),
      m_document(document)
{
    connect(document, &RunDocument::updated, this, &PlanModel::update);
    connect(document, &RunDocument::closed, this, &PlanModel::reset);
    update();
}

int PlanModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int PlanModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(ColumnCount);
}

std::optional<PlanSlot> PlanModel::slotAt(int row) const
{
    if (row < 0 || row >= int(m_rows.size()))
        return std::nullopt;
    return m_rows[std::size_t(row)].slot;
}

KernelId PlanModel::kernelAt(int row) const
{
    const std::optional<PlanSlot> slot = slotAt(row);
    const search::PlanRecord *plan = slot ? search::plan(m_document->state(), *slot) : nullptr;
    if (plan == nullptr)
        return {};
    for (const search::AttemptRecord &attempt : plan->attempts)
        if (!attempt.kernel().empty())
            return attempt.kernel();
    return plan->plan.parent;
}

PlanModel::Row PlanModel::rowFor(const search::PlanRecord &plan) const
{
    const search::State &state = m_document->state();
    Row row;
    row.slot = plan.plan.slot;
    row.fields[Slot] = formatting::text(planId(plan.plan.slot).value);
    row.fields[From] = m_document->name(plan.plan.parent);
    row.fields[Author] = formatting::text(plan.plan.author);
    row.tip = formatting::text(plan.plan.text);
    using Status = search::PlanStatus;
    switch (plan.status) {
    case Status::Open: {
        const bool asked = state.callsInDoubt.contains(search::planCall(plan.plan.slot));
        row.fields[State] = asked ? tr("being planned") : tr("not asked yet");
        return row;
    }
    case Status::Failed:
        row.fields[State] = tr("no plan");
        row.tip = formatting::text(plan.failure);
        row.quiet = true;
        return row;
    case Status::Skipped:
        row.fields[State] = tr("skipped");
        row.quiet = true;
        return row;
    case Status::Made: break;
    }
    row.fields[Title] = formatting::text(plan.plan.title);
    int written = 0;
    int judged = 0;
    int given = 0;
    int open = 0;
    double best = 0;
    for (const search::AttemptRecord &attempt : plan.attempts) {
        open += attempt.status == search::AttemptStatus::Open ? 1 : 0;
        written += attempt.status == search::AttemptStatus::Written ? 1 : 0;
        given += attempt.status == search::AttemptStatus::Failed ||
                         attempt.status == search::AttemptStatus::Skipped
                     ? 1
                     : 0;
        judged += attempt.status == search::AttemptStatus::Done ? 1 : 0;
        best = std::max(best, search::speedup(state, plan.plan.parent, attempt.kernel()));
    }
    if (open > 0)
        row.fields[State] = tr("%1 of %2 to write").arg(open).arg(plan.attempts.size());
    else if (written > 0)
        row.fields[State] = tr("being judged");
    else if (best > 0)
        row.fields[State] = formatting::signedSpeedup(best);
    else
        row.fields[State] = judged > 0 ? tr("no correct kernel") : tr("no kernel");
    row.quiet = judged == 0 && open == 0 && written == 0 && given > 0;
    return row;
}

QVariant PlanModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Row &row = m_rows[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole: return row.fields[index.column()];
    case Qt::ToolTipRole: return row.tip;
    case QuietRole: return row.quiet;
    default: return {};
    }
}

QVariant PlanModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Slot: return tr("Slot");
    case From: return tr("From");
    case Title: return tr("Plan");
    case State: return tr("State");
    case Author: return tr("By");
    default: return {};
    }
}

void PlanModel::reset()
{
    beginResetModel();
    m_rows.clear();
    m_iteration = -1;
    endResetModel();
}

void PlanModel::update()
{
    const auto &iterations = m_document->state().iterations;
    if (iterations.empty())
        return;
    const search::IterationRecord &latest = iterations.back();
    std::vector<Row> rows;
    rows.reserve(latest.plans.size());
    for (const search::PlanRecord &plan : latest.plans)
        rows.push_back(rowFor(plan));
    if (latest.index != m_iteration || rows.size() != m_rows.size()) {
        beginResetModel();
        m_rows = std::move(rows);
        m_iteration = latest.index;
        endResetModel();
        return;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i] == m_rows[i])
            continue;
        m_rows[i] = std::move(rows[i]);
        emit dataChanged(index(int(i), 0), index(int(i), ColumnCount - 1));
    }
}

} // namespace accelopt::widgets
