// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/Dependence.h"
#include "core/rewrite/Residence.h"
#include "core/rewrite/rewrites/Support.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace accelopt::rewrite {
namespace {

using nki::NodeId;
using nki::NodeKind;

// for p { loads; for q { work of q; rest } } on its way to for q { work of q; for p { loads; rest
// } }.
class Turning
{
public:
    Turning(const KernelModel &model, const std::vector<LoopNode> &nest)
        : m_model(model),
          m_nest(nest.front()),
          m_leaves(leavesOf(nest)),
          m_outer(m_nest.loops[0]),
          m_variable(loop(m_outer).variable)
    {}

    bool understand()
    {
        const std::vector<LoopNode> &children = m_nest.children;
        if (children.size() < 2 || !children.back().isLoop() || !affine(m_nest) ||
            !affine(children.back()))
            return false;
        const LoopNode &inner = children.back();
        m_inner = inner.loops[0];
        for (const LoopLeaf &leaf : m_leaves)
            for (const LoopNode *node : leaf.path)
                if (!m_model.mentions(iterableOf(*node), m_variable).empty() ||
                    !m_model.mentions(iterableOf(*node), loop(m_inner).variable).empty())
                    return false;
        m_loads.assign(children.begin(), children.end() - 1);
        for (const LoopLeaf &leaf : leavesOf(m_loads))
            if (!onlyLoads(leaf.statement))
                return false;
        std::size_t own = 0;
        while (own < inner.children.size() && independent(inner.children[own]))
            ++own;
        if (own == 0 || own == inner.children.size())
            return false;
        m_own.assign(inner.children.begin(), inner.children.begin() + std::ptrdiff_t(own));
        m_rest.assign(inner.children.begin() + std::ptrdiff_t(own), inner.children.end());
        return usedHereOnly() && findAxes() && restIsFree() && declarationsMove();
    }

    /// The nest with the loops exchanged; declarations and accesses follow in `edits`.
    LoopNode turned(SourceEdits &edits)
    {
        const LoopNode &inner = m_nest.children.back();
        LoopNode outside = inner;
        outside.before = m_nest.before;
        outside.children = m_own;
        for (LoopNode &node : outside.children)
            dropAxes(node);
        LoopNode inside = m_nest;
        inside.before = inner.before;
        inside.children = m_loads;
        inside.children.insert(inside.children.end(), m_rest.begin(), m_rest.end());
        for (LoopNode &node : inside.children)
            dropAxes(node);
        for (const std::string &name : m_loaded)
            if (const auto declared = m_model.declarations().find(name);
                declared != m_model.declarations().end()) {
                const NodeId made = m_model.statement(declared->second.statement).node;
                inside.before.insert(inside.before.begin(), std::string(m_model.text(made)));
                edits.remove(made);
            }
        for (const auto &[name, axis] : m_axes) {
            const std::vector<NodeId> &entries = m_model.declarations().at(name).dimensionNodes;
            edits.replace(beginOf(entries[axis]), beginOf(entries[axis + 1]), "");
        }
        outside.children.push_back(std::move(inside));
        return outside;
    }

    int outer() const { return m_outer; }
    int inner() const { return m_inner; }

    /// What one pass of both loops spends on `nodes`.
    EngineLoad costOfPass(const std::vector<LoopNode> &nodes) const
    {
        EngineLoad total;
        for (const LoopLeaf &leaf : leavesOf(nodes)) {
            double times = 1;
            for (const LoopNode *node : leaf.path)
                times *= static_cast<double>(m_model.trips(node->loops[0]).value_or(8));
            total += costOf(m_model, m_model.statement(leaf.statement)) * times;
        }
        return total;
    }
    const std::vector<LoopNode> &loads() const { return m_loads; }
    const std::vector<LoopNode> &own() const { return m_own; }

    std::string firstOf(const std::vector<LoopNode> &nodes) const
    {
        return nameOf(m_model.statement(leavesOf(nodes).back().statement));
    }

private:
    const Loop &loop(int id) const { return m_model.loops()[static_cast<std::size_t>(id)]; }
    bool affine(const LoopNode &node) const { return loop(node.loops[0]).kind == "affine_range"; }
    NodeId iterableOf(const LoopNode &node) const
    {
        return m_model.tree()[loop(node.loops[0]).node].children[1];
    }

    bool writtenInNest(const std::string &name) const
    {
        for (const LoopLeaf &leaf : m_leaves)
            if (m_model.statement(leaf.statement).writes.contains(name))
                return true;
        return false;
    }

    bool neverWritten(const std::string &name) const
    {
        for (const int user : m_model.users(name)) {
            const Statement &statement = m_model.statement(user);
            if (!statement.hasBody && statement.writes.contains(name) &&
                !bindsName(m_model, statement, name))
                return false;
        }
        return true;
    }

    bool onlyLoads(int id)
    {
        const Statement &statement = m_model.statement(id);
        if (isText(m_model, id))
            return true;
        if (!statement.operation || statement.operation->kind != OperationKind::Load ||
            !statement.operation->plain || statement.augmented ||
            statement.destination.base.empty() ||
            !neverWritten(statement.operation->data[0].access.base))
            return false;
        for (const auto &[name, count] : statement.writes)
            m_loaded.insert(name);
        for (const auto &[name, count] : statement.reads)
            if (writtenInNest(name) && !m_loaded.contains(name))
                return false;
        return true;
    }

    // Work whose values do not depend on the outer loop: its variable only says where they go.
    bool independent(const LoopNode &node)
    {
        std::set<std::string> made = m_made;
        for (const int id : statementsOf(node)) {
            const Statement &statement = m_model.statement(id);
            if (isText(m_model, id))
                continue;
            if (!statement.operation || !statement.operation->plain ||
                !onlyMakesItsResult(*statement.operation))
                return false;
            for (const auto &[name, count] : statement.writes)
                made.insert(name);
            for (const auto &[name, count] : statement.reads)
                if (m_loaded.contains(name) ||
                    (name != m_variable && name != loop(m_inner).variable && writtenInNest(name) &&
                     !made.contains(name)))
                    return false;
            std::size_t explained = 0;
            for (const Touch &touch : statement.touches) {
                const std::size_t mentions = m_model.mentions(touch.access.node, m_variable).size();
                if (touch.access.base == m_variable)
                    continue;
                if (mentions > 0 && !axisOf(touch.access))
                    return false;
                explained += mentions;
            }
            if (m_model.mentions(statement.node, m_variable).size() != explained)
                return false;
        }
        m_made = std::move(made);
        return true;
    }

    // The block axis of which the access takes the position of the outer loop, and that alone
    // mentions it.
    std::optional<std::size_t> axisOf(const Access &access) const
    {
        const auto declared = m_model.declarations().find(access.base);
        if (declared == m_model.declarations().end() || access.whole ||
            access.indices.size() != declared->second.dimensions.size() ||
            m_model.mentions(access.node, m_variable).size() != 1)
            return std::nullopt;
        for (std::size_t i = 0; i < static_cast<std::size_t>(declared->second.partitionAxis); ++i)
            if (access.indices[i].known && access.indices[i].lanes.empty() &&
                access.indices[i].offset == Symbolic::named(m_variable))
                return i;
        return std::nullopt;
    }

    // What the loads and the work of the inner loop make is used in this nest only.
    bool usedHereOnly() const
    {
        std::set<std::string> names = m_loaded;
        names.insert(m_made.begin(), m_made.end());
        for (const std::string &name : names)
            for (const int user : m_model.users(name)) {
                const Statement &statement = m_model.statement(user);
                const bool here =
                    std::any_of(m_leaves.begin(), m_leaves.end(),
                                [user](const LoopLeaf &leaf) { return leaf.statement == user; });
                const bool declares =
                    statement.operation && statement.operation->kind == OperationKind::Declare;
                if (!statement.hasBody && !here && !declares)
                    return false;
            }
        for (const std::string &name : m_loaded)
            if (m_made.contains(name))
                return false;
        for (const LoopLeaf &leaf : leavesOf(m_rest)) {
            const Statement &statement = m_model.statement(leaf.statement);
            for (const auto &[name, count] : statement.writes)
                if (m_loaded.contains(name) || m_made.contains(name))
                    return false;
        }
        return true;
    }

    // The axis of each tensor that only the outer loop told apart.
    bool findAxes()
    {
        for (const std::string &name : m_made) {
            if (!m_model.declarations().contains(name))
                continue;
            const auto accesses = everyAccess(m_model, name);
            if (!accesses || accesses->empty())
                return false;
            std::optional<std::size_t> axis = axisOf(accesses->front());
            for (const Access &access : *accesses)
                if (axisOf(access) != axis ||
                    (!axis && !m_model.mentions(access.node, m_variable).empty()))
                    return false;
            if (axis)
                m_axes[name] = *axis;
        }
        return true;
    }

    // Every pass of both loops has what the rest writes to itself.
    bool restIsFree() const
    {
        const auto leaves = leavesOf(m_rest);
        for (const LoopLeaf &leaf : leaves) {
            const Statement &statement = m_model.statement(leaf.statement);
            if (!statement.operation && !isText(m_model, leaf.statement) &&
                m_model.tree()[statement.node].kind != NodeKind::Assign)
                return false;
            for (const Touch &write : statement.touches)
                for (const LoopLeaf &other : leaves)
                    for (const Touch &touch : m_model.statement(other.statement).touches) {
                        if (!write.write || touch.access.base != write.access.base ||
                            boundIn(leaves, write.access.base))
                            continue;
                        const Overlap overlap = overlapOf(m_model, write.access, leaf.statement,
                                                          touch.access, other.statement);
                        if (overlap.possible && (!overlap.equal.contains({m_outer, m_outer}) ||
                                                 !overlap.equal.contains({m_inner, m_inner})))
                            return false;
                    }
        }
        return true;
    }

    bool boundIn(const std::vector<LoopLeaf> &leaves, const std::string &name) const
    {
        return std::any_of(leaves.begin(), leaves.end(), [&](const LoopLeaf &leaf) {
            return bindsName(m_model, m_model.statement(leaf.statement), name);
        });
    }

    // Tensors that are loaded for each pass can be made in the nest, the others change shape.
    bool declarationsMove() const
    {
        const auto oneLine = [this](const std::string &name) {
            const auto declared = m_model.declarations().find(name);
            if (declared == m_model.declarations().end())
                return true;
            const Statement &made = m_model.statement(declared->second.statement);
            const SourcePlace &place = m_model.tree()[made.node].place;
            return place.line == place.endLine && made.operation &&
                   made.operation->function == "ndarray" && declared->second.memory == "sbuf" &&
                   declared->second.statement < m_nest.statement;
        };
        return std::all_of(m_loaded.begin(), m_loaded.end(), oneLine) &&
               std::all_of(m_axes.begin(), m_axes.end(), [this](const auto &entry) {
                   return m_model.declarations().at(entry.first).dimensionNodes.size() >
                          entry.second + 1;
               });
    }

    std::size_t beginOf(NodeId node) const
    {
        const SourcePlace &place = m_model.tree()[node].place;
        return m_model.tree().offset(place.line, place.column);
    }

    void dropAxes(LoopNode &node) const
    {
        for (LoopNode &child : node.children)
            dropAxes(child);
        if (node.isLoop())
            return;
        std::set<NodeId> done;
        for (const Touch &touch : m_model.statement(node.statement).touches) {
            const auto axis = m_axes.find(touch.access.base);
            if (axis == m_axes.end() || !done.insert(touch.access.node).second)
                continue;
            const std::size_t begin = beginOf(touch.access.indices[axis->second].node);
            const std::size_t end = beginOf(touch.access.indices[axis->second + 1].node);
            node.changes.push_back({begin, end - begin, ""});
        }
    }

    const KernelModel &m_model;
    const LoopNode &m_nest;
    std::vector<LoopLeaf> m_leaves;
    int m_outer;
    int m_inner = -1;
    std::string m_variable;
    std::vector<LoopNode> m_loads;
    std::vector<LoopNode> m_own;
    std::vector<LoopNode> m_rest;
    std::set<std::string> m_loaded;
    std::set<std::string> m_made;              ///< by the work of the inner loop
    std::map<std::string, std::size_t> m_axes; ///< of those, what falls away
};

class LoadAgain final : public Rewrite
{
public:
    std::string_view name() const override { return "load-again"; }
    std::string_view precondition() const override
    {
        return "an affine_range loads tiles of an input and then runs another affine_range that "
               "first makes values which do not depend on the outer loop, and every pass of both "
               "has its results to itself";
    }
    std::string_view reason() const override
    {
        return "with the loops exchanged the values of the inner loop are made once instead of in "
               "every pass of the outer one; the tiles, too many to stay on the chip anyway, are "
               "loaded again";
    }
    std::string_view counters() const override
    {
        return "transpose_flops, hardware_flops and tensor_engine_active_time_percent down, "
               "hbm_read_bytes up where the tiles fitted into SBUF";
    }
    std::vector<std::string> keywords() const override
    {
        return {"load again", "reload", "instead of keeping", "recompute"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        for (std::size_t id = 0; id < model.statements().size(); ++id)
            propose(model, static_cast<int>(id), result);
        return result;
    }

private:
    static void propose(const KernelModel &model, int id, std::vector<Proposal> &result)
    {
        const Statement &statement = model.statement(id);
        const auto nest = nestOf(model, id);
        if (!nest)
            return;
        Turning turning(model, *nest);
        if (!turning.understand())
            return;
        const auto passes = [&](int loop) {
            return static_cast<double>(model.trips(loop).value_or(8));
        };
        const Loop &outer = model.loops()[static_cast<std::size_t>(turning.outer())];
        const Loop &inner = model.loops()[static_cast<std::size_t>(turning.inner())];
        Proposal proposal = proposalAt(model, id);
        const Residence now = residenceOf(model, *nest);
        const std::vector<LoopNode> after{turning.turned(proposal.edits)};
        replaceNest(model, proposal.edits, statement.block, statement.position, statement.position,
                    after);
        const double times = model.executions(id);
        proposal.change -= turning.costOfPass(turning.own()) *
                           (times * (passes(turning.outer()) - 1) * passes(turning.inner()));
        // What does not fit beside the rest is loaded in every pass already.
        if (now.bytesPerPartition <= kUsableBytes)
            proposal.change += turning.costOfPass(turning.loads()) *
                               (times * passes(turning.outer()) * (passes(turning.inner()) - 1));
        const std::string kept = turning.firstOf(turning.own());
        const std::string loaded = turning.firstOf(turning.loads());
        proposal.title = fmt::format("Make {} once, loading {} again in every pass over {}", kept,
                                     loaded, inner.variable);
        proposal.prose = fmt::format(
            "The loop over {} (line {}) loads {} and then makes {} anew for every pass of the loop "
            "over {}, although that does not depend on {}. Exchange the loops: for each pass over "
            "{} make {} once, then let {} run inside, loading {} again each time instead of "
            "keeping it.",
            outer.variable, model.tree()[outer.node].place.line, loaded, kept, inner.variable,
            outer.variable, inner.variable, kept, outer.variable, loaded);
        result.push_back(std::move(proposal));
    }
};

} // namespace

std::unique_ptr<Rewrite> makeLoadAgain()
{
    return std::make_unique<LoadAgain>();
}

} // namespace accelopt::rewrite
