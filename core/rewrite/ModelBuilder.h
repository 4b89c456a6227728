// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/KernelModel.h"

#include <set>

namespace accelopt::rewrite {

/// Analyses a kernel function into a KernelModel. Knows names only as far as they are certain: a
/// name bound more than once stands for nothing.
class ModelBuilder
{
public:
    ModelBuilder(const nki::SyntaxTree &tree, const ModelContext &context);
    Result<KernelModel> build();

private:
    using NodeId = nki::NodeId;
    using NodeKind = nki::NodeKind;

    // ModelBuilder.cpp: names, loops, statements
    NodeId findKernel() const;
    void readImports(NodeId node);
    void countNames(NodeId node);
    void chooseLayout(NodeId parameters);
    bool fits(const std::vector<Shape> &shapes) const;
    void readBlock(NodeId block, int loop);
    int readStatement(NodeId node, NodeId block, int position, int loop);
    void readAssignment(NodeId node, Statement &statement);
    void readLoop(NodeId node, Statement &statement, int loop);
    void bindSizes(NodeId node);
    void bindPair(NodeId target, NodeId value);
    void collectReads(NodeId node, Statement &statement, bool target);
    bool boundOnce(const std::string &name) const;
    /// Bound in several blocks none of which is inside another, so that in each of them it means
    /// one thing.
    bool boundPerBlock(const std::string &name) const;
    void touch(NodeId node, bool write);

    // IndexReader.cpp: sizes, numbers, indices, regions
    std::optional<std::vector<Symbolic>> shapeOf(NodeId node);
    std::optional<std::vector<Symbolic>> tensorShape(const std::string &name) const;

    std::optional<Symbolic> size(NodeId node);
    std::optional<double> number(NodeId node);
    std::optional<AxisIndex> grid(NodeId node);
    AxisIndex axisIndex(NodeId node, std::optional<Symbolic> extent, int &nextAxis);
    Access access(NodeId node);
    TileShape accessShape(const Access &access) const;
    std::string resolved(NodeId node) const;
    const nki::Node &at(NodeId node) const { return m_tree[node]; }
    NodeId child(NodeId node, std::size_t index) const { return m_tree[node].children[index]; }

    // OperationReader.cpp: what an expression computes
    std::optional<Operation> operation(NodeId node, TileShape &shape);
    std::optional<Operation> callOperation(NodeId node, TileShape &shape);
    void elementwise(Operation &operation, const std::string &op, Operand left, Operand right,
                     TileShape &shape);
    void isaOperation(Operation &operation, const std::string &name, TileShape &shape);
    void declaration(Operation &operation, const std::string &name);
    Operand operand(NodeId node);
    Operand argument(const Operation &operation, const std::string &keyword) const;
    std::string dtypeName(NodeId node) const;
    static TileShape joined(const TileShape &a, const TileShape &b);

    const nki::SyntaxTree &m_tree;
    const ModelContext &m_context;
    KernelModel m_model;
    std::map<std::string, int> m_bindings; ///< how often a name is bound in the function
    std::map<std::string, std::vector<NodeId>> m_assignments; ///< the plain ones among them
    std::vector<Touch> *m_touches = nullptr;                  ///< of the statement being read
    std::map<std::string, std::vector<Symbolic>> m_parameterShapes;
    std::set<std::string> m_parameters;
    std::set<std::string> m_hbm;              ///< names of tensors in HBM
    std::map<std::string, AxisIndex> m_grids; ///< names of index grids
    std::map<std::string, double> m_numbers;  ///< names of numbers
    std::set<std::string> m_scalars;          ///< names last bound to a number, known or not
    std::map<std::string, TileShape> m_tiles; ///< what a name was last bound to
    std::map<std::string, Declaration> m_pending;
    std::optional<Declaration> m_declared; ///< by the expression just read
    bool m_resultInPsum = false;
    std::set<std::string> m_psum;
};

} // namespace accelopt::rewrite
