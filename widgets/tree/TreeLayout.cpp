// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tree/TreeLayout.h"

#include "widgets/format/Formatting.h"

#include <algorithm>

namespace accelopt::widgets {

std::string failureText(const search::KernelRecord &record)
{
    std::string text = formatting::verdict(record.verdict.status).toStdString();
    if (!record.verdict.reasons.empty()) {
        const Reason &reason = record.verdict.reasons.front();
        text += ": ";
        if (reason.place.line > 0)
            text += "line " + std::to_string(reason.place.line) + ": ";
        text += reason.message;
    }
    return text;
}

void TreeLayout::clear()
{
    *this = TreeLayout();
}

int TreeLayout::nodeOf(const KernelId &kernel) const
{
    const auto it = m_index.find(kernel);
    return it == m_index.end() ? -1 : it->second;
}

int TreeLayout::failedOf(const KernelId &kernel) const
{
    const auto it = m_failed.find(kernel);
    return it == m_failed.end() ? -1 : it->second;
}

const std::map<int, int> &TreeLayout::column(int column) const
{
    static const std::map<int, int> kNone;
    return column >= 0 && column < columns() ? m_columns[std::size_t(column)] : kNone;
}

const std::vector<int> &TreeLayout::laneColumn(int column) const
{
    static const std::vector<int> kNone;
    return column >= 0 && column < int(m_laneColumns.size()) ? m_laneColumns[std::size_t(column)]
                                                             : kNone;
}

int TreeLayout::laneSize(int column) const
{
    return int(laneColumn(column).size());
}

int TreeLayout::freeRow(int column, int wanted) const
{
    const std::map<int, int> &taken = m_columns[std::size_t(column)];
    for (int distance = 0;; ++distance) {
        if (!taken.contains(wanted + distance))
            return wanted + distance;
        if (!taken.contains(wanted - distance))
            return wanted - distance;
    }
}

int TreeLayout::add(const KernelId &kernel, const KernelId &parent, int column)
{
    if (const int known = nodeOf(kernel); known >= 0)
        return known;
    if (column >= columns())
        m_columns.resize(std::size_t(column) + 1);
    TreeNode node{kernel, nodeOf(parent), column, 0};
    node.row = freeRow(column, node.parent < 0 ? 0 : m_nodes[std::size_t(node.parent)].row);
    const int index = int(m_nodes.size());
    m_columns[std::size_t(column)].emplace(node.row, index);
    m_index.emplace(kernel, index);
    m_firstRow = std::min(m_firstRow, node.row);
    m_lastRow = std::max(m_lastRow, node.row);
    if (node.parent >= 0) {
        const auto [place, isNew] = m_parentPlaces.emplace(node.parent, m_parents.size());
        if (isNew)
            m_parents.emplace_back(node.parent, column);
        int &last = m_parents[place->second].second;
        last = std::max(last, column);
    }
    m_nodes.push_back(std::move(node));
    return index;
}

void TreeLayout::addToLane(LaneKind kind, const KernelId &kernel, int column, std::string reason)
{
    if (column >= columns())
        m_columns.resize(std::size_t(column) + 1);
    if (column >= int(m_laneColumns.size()))
        m_laneColumns.resize(std::size_t(column) + 1);
    std::vector<int> &items = m_laneColumns[std::size_t(column)];
    m_lane.push_back({kind, kernel, column, int(items.size()), std::move(reason)});
    items.push_back(int(m_lane.size()) - 1);
    m_laneDepth = std::max(m_laneDepth, int(items.size()));
}

void TreeLayout::takeIteration(const search::State &state, const search::IterationRecord &iteration)
{
    const int column = iteration.index + 1;
    for (const search::PlanRecord &plan : iteration.plans) {
        if (plan.status == search::PlanStatus::Failed && m_noPlan.insert(plan.plan.slot).second)
            addToLane(LaneKind::NoKernel, {}, column, "no plan: " + plan.failure);
        for (std::size_t a = 0; a < plan.attempts.size(); ++a) {
            const search::AttemptRecord &attempt = plan.attempts[a];
            const AttemptSlot slot{plan.plan.slot, int(a)};
            if (attempt.status == search::AttemptStatus::Failed && attempt.turns.empty() &&
                m_noKernel.insert(slot).second)
                addToLane(LaneKind::NoKernel, {}, column, "no kernel: " + attempt.failure);
            // Which of two equal answers is the repetition is known once all are there.
            if (!iteration.implemented)
                continue;
            for (std::size_t t = 0; t < attempt.turns.size(); ++t) {
                const search::Turn turn{slot, int(t)};
                if (search::isDuplicate(state, turn) && m_duplicates.insert(turn).second)
                    addToLane(LaneKind::Duplicate, attempt.turns[t].kernel, column,
                              "the same kernel was written before");
            }
        }
    }
}

bool TreeLayout::place(const search::State &state, const KernelId &id)
{
    const search::KernelRecord *record = search::kernel(state, id);
    const bool isBaseline = id == state.opened.baseline;
    if (record == nullptr || (!isBaseline && !record->judged))
        return false;
    const int column = isBaseline ? 0 : record->iteration + 1;
    if (isBaseline || record->verdict.correct()) {
        add(id, isBaseline ? KernelId() : record->parent, column);
    } else if (!m_failed.contains(id)) {
        m_failed.emplace(id, int(m_lane.size()));
        addToLane(LaneKind::Failed, id, column, failureText(*record));
    }
    return true;
}

void TreeLayout::update(const search::State &state, const std::vector<KernelId> &order)
{
    // Only what is new is looked at: a long run grows as fast as a short one.
    for (; m_taken < order.size(); ++m_taken)
        m_waiting.push_back(order[m_taken]);
    std::erase_if(m_waiting, [&](const KernelId &id) { return place(state, id); });
    for (std::size_t i = m_settled; i < state.iterations.size(); ++i) {
        takeIteration(state, state.iterations[i]);
        if (i == m_settled && state.iterations[i].implemented)
            ++m_settled;
    }
    const int wanted = int(state.iterations.size()) + 1;
    if (!state.kernels.empty() && columns() < wanted)
        m_columns.resize(std::size_t(wanted));
}

} // namespace accelopt::widgets
