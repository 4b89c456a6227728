// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/State.h"

#include <QString>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace accelopt::widgets {

/// Where a correct kernel stands: columns are iterations (0 is the baseline's), rows count up and
/// down from the baseline's row 0.
struct TreeNode
{
    KernelId kernel;
    int parent = -1; ///< place among the nodes; -1 for the baseline
    int column = 0;
    int row = 0;
};

enum class LaneKind {
    Failed,    ///< a kernel that is not correct
    Duplicate, ///< an answer that repeated a known kernel
    NoKernel,  ///< a role gave nothing usable
};

/// Something that did not become a node.
struct LaneItem
{
    LaneKind kind = LaneKind::Failed;
    KernelId kernel; ///< what it can be selected as; empty for NoKernel
    int column = 0;
    int place = 0; ///< within its column, from 0
    std::string reason;
};

/// Places of kernels in the tree. What has a place keeps it: a new node takes the free row nearest
/// to its parent's, and never moves another.
class TreeLayout
{
public:
    void clear();
    /// Takes in what is new in the state. `order` are the run's kernels in the order of the log.
    void update(const search::State &state, const std::vector<KernelId> &order);

    const std::vector<TreeNode> &nodes() const { return m_nodes; }
    const std::vector<LaneItem> &lane() const { return m_lane; }
    /// Place among the nodes, -1 when the kernel is none.
    int nodeOf(const KernelId &kernel) const;
    /// Place in the lane, -1 when the kernel is not there as failed.
    int failedOf(const KernelId &kernel) const;
    /// Places among the nodes of a column, by row.
    const std::map<int, int> &column(int column) const;
    int columns() const { return int(m_columns.size()); }
    int firstRow() const { return m_firstRow; }
    int lastRow() const { return m_lastRow; }
    /// Lane items of a column.
    int laneSize(int column) const;
    /// Most lane items of one column.
    int laneDepth() const { return m_laneDepth; }
    /// Places in the lane of a column's items, in their order.
    const std::vector<int> &laneColumn(int column) const;
    /// Nodes that others were made from, in the order in which they first were, each with the
    /// last column that one of them stands in.
    const std::vector<std::pair<int, int>> &parents() const { return m_parents; }

    /// A node below its parent (the baseline's parent is empty), for tests and for update().
    int add(const KernelId &kernel, const KernelId &parent, int column);

private:
    /// False as long as the kernel waits for its judgement.
    bool place(const search::State &state, const KernelId &id);
    int freeRow(int column, int wanted) const;
    void addToLane(LaneKind kind, const KernelId &kernel, int column, std::string reason);
    void takeIteration(const search::State &state, const search::IterationRecord &iteration);

    std::vector<TreeNode> m_nodes;
    std::vector<LaneItem> m_lane;
    std::size_t m_taken = 0;         ///< kernels of the order that were looked at
    std::vector<KernelId> m_waiting; ///< of these, what is not judged yet
    std::size_t m_settled = 0;       ///< iterations of which nothing more can come
    std::vector<std::map<int, int>> m_columns;
    std::vector<std::vector<int>> m_laneColumns;
    int m_laneDepth = 0;
    std::vector<std::pair<int, int>> m_parents; ///< node, last column of its children
    std::map<int, std::size_t> m_parentPlaces;  ///< by node, into m_parents
    std::map<KernelId, int> m_index;
    std::map<KernelId, int> m_failed;
    std::set<search::Turn> m_duplicates;
    std::set<AttemptSlot> m_noKernel;
    std::set<PlanSlot> m_noPlan;
    int m_firstRow = 0;
    int m_lastRow = 0;
};

/// Why a kernel is not used, in one line: its verdict and the first reason.
std::string failureText(const search::KernelRecord &record);

} // namespace accelopt::widgets
