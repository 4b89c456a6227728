// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rewrites/Support.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace accelopt::rewrite {
namespace {

using nki::NodeId;
using nki::NodeKind;

/// Finds out whether the passes of a loop could be carried out in any order.
class PassesOfLoop
{
public:
    PassesOfLoop(const KernelModel &model, int loop)
        : m_model(model),
          m_loop(model.loops()[static_cast<std::size_t>(loop)])
    {
        for (int id = 0; id < static_cast<int>(model.statements().size()); ++id)
            if (model.inside(id, loop))
                m_inside.push_back(id);
    }

    bool independent()
    {
        const nki::SyntaxTree &tree = m_model.tree();
        return onlyKnownStatements() && variableIsAffine() &&
               ownNames(tree[m_loop.node].children[2], {}) && nothingLeaves() && sharedTensors();
    }

private:
    // Statements whose effects are all seen: calls may change lists or print.
    bool onlyKnownStatements() const
    {
        const nki::SyntaxTree &tree = m_model.tree();
        return std::all_of(m_inside.begin(), m_inside.end(), [&](int id) {
            const Statement &statement = m_model.statement(id);
            const nki::Node &node = tree[statement.node];
            if (node.kind == NodeKind::ExprStatement)
                return statement.operation.has_value() ||
                       tree[node.children[0]].kind == NodeKind::Constant;
            return node.kind == NodeKind::Assign || node.kind == NodeKind::AugAssign ||
                   node.kind == NodeKind::For || node.kind == NodeKind::Assert ||
                   node.kind == NodeKind::Pass;
        });
    }

    // The variable of such a loop has no number: only sums and multiples of it are allowed.
    bool variableIsAffine() const
    {
        const nki::SyntaxTree &tree = m_model.tree();
        const auto mentions = m_model.mentions(m_loop.node, m_loop.variable);
        return std::all_of(mentions.begin(), mentions.end(), [&](NodeId at) {
            for (at = tree[at].parent; at >= 0; at = tree[at].parent) {
                const nki::Node &node = tree[at];
                if (node.kind == NodeKind::Subscript || node.kind == NodeKind::Assign ||
                    node.kind == NodeKind::For || node.kind == NodeKind::Keyword)
                    return true;
                const bool sum = node.kind == NodeKind::BinOp &&
                                 (node.text == "+" || node.text == "-" || node.text == "*");
                if (!sum && node.kind != NodeKind::UnaryOp && node.kind != NodeKind::Slice &&
                    node.kind != NodeKind::Tuple && node.kind != NodeKind::List &&
                    node.kind != NodeKind::Call && node.kind != NodeKind::Compare &&
                    node.kind != NodeKind::Comparator)
                    return false;
            }
            return false;
        });
    }

    // Every name bound in the loop is bound before it is read. Collects those names.
    bool ownNames(NodeId block, std::set<std::string> bound)
    {
        for (const int id : m_model.block(block)) {
            const Statement &statement = m_model.statement(id);
            const nki::Node &node = m_model.tree()[statement.node];
            if (node.kind == NodeKind::For) {
                std::set<std::string> inner = bound;
                if (m_model.tree()[node.children[0]].kind == NodeKind::Name)
                    inner.insert(m_model.tree()[node.children[0]].text);
                if (!ownNames(node.children[2], inner) || !m_model.block(node.children[3]).empty())
                    return false;
                continue;
            }
            const bool binds = bindsName(statement);
            for (const auto &[name, count] : statement.reads)
                if (!bound.contains(name))
                    m_fromOutside.insert(name);
            for (const auto &[name, count] : statement.writes) {
                if (binds || bound.contains(name))
                    m_own.insert(name);
                else
                    m_writtenOutside.insert(name);
                if (binds)
                    bound.insert(name);
                else
                    m_changed.insert(name);
            }
        }
        return true;
    }

    bool bindsName(const Statement &statement) const
    {
        const nki::Node &node = m_model.tree()[statement.node];
        if (node.kind != NodeKind::Assign)
            return false;
        for (std::size_t i = 1; i < node.children.size(); ++i) {
            const NodeKind target = m_model.tree()[node.children[i]].kind;
            if (target != NodeKind::Name && target != NodeKind::Tuple)
                return false;
        }
        return true;
    }

    // Nothing a pass binds is read by another pass or after the loop.
    bool nothingLeaves() const
    {
        return std::all_of(m_own.begin(), m_own.end(), [&](const std::string &name) {
            if (m_fromOutside.contains(name) || m_writtenOutside.contains(name) ||
                (m_changed.contains(name) && !isTensorItself(name)))
                return false;
            const auto users = m_model.users(name);
            return std::all_of(users.begin(), users.end(), [&](int id) {
                const Statement &user = m_model.statement(id);
                return user.hasBody || isInside(id) || !user.reads.contains(name) ||
                       boundBefore(name, id);
            });
        });
    }

    bool isInside(int id) const
    {
        return std::find(m_inside.begin(), m_inside.end(), id) != m_inside.end();
    }

    // Bound by an earlier statement of the same block or of one around it, that is not this loop.
    bool boundBefore(const std::string &name, int user) const
    {
        const nki::SyntaxTree &tree = m_model.tree();
        for (NodeId node = m_model.statement(user).node; node >= 0; node = tree[node].parent) {
            const NodeId parent = tree[node].parent;
            if (parent < 0)
                return false;
            for (const int id : m_model.block(parent)) {
                if (m_model.statement(id).node == node)
                    break;
                if (bindsName(m_model.statement(id)) && m_model.statement(id).writes.contains(name))
                    return true;
            }
        }
        return false;
    }

    // What all passes write must be a part of its own for each pass, or a sum.
    bool sharedTensors() const
    {
        return std::all_of(m_writtenOutside.begin(), m_writtenOutside.end(),
                           [&](const std::string &name) {
                               return isTensorItself(name) && (isSum(name) || separate(name));
                           });
    }

    // Not another name for a part of some tensor.
    bool isTensorItself(const std::string &name) const
    {
        const auto users = m_model.users(name);
        return std::all_of(users.begin(), users.end(), [&](int id) {
            const Statement &statement = m_model.statement(id);
            return statement.hasBody || !bindsName(statement) || !statement.writes.contains(name) ||
                   statement.operation.has_value();
        });
    }

    // Only ever added to: `acc += x`, or nl.loop_reduce over this loop.
    bool isSum(const std::string &name) const
    {
        return std::all_of(m_inside.begin(), m_inside.end(), [&](int id) {
            const Statement &statement = m_model.statement(id);
            if (statement.hasBody ||
                (!statement.reads.contains(name) && !statement.writes.contains(name)))
                return true;
            if (statement.destination.base != name)
                return false;
            if (statement.augmented)
                return m_model.tree()[statement.node].text == "+" && statement.reads.at(name) == 1;
            const auto reduced =
                statement.operation && statement.operation->kind == OperationKind::LoopReduce
                    ? statement.operation->keywords.find("loop_indices")
                    : std::map<std::string, NodeId>::const_iterator{};
            return statement.operation && statement.operation->kind == OperationKind::LoopReduce &&
                   reduced != statement.operation->keywords.end() &&
                   !m_model.mentions(reduced->second, m_loop.variable).empty() &&
                   !statement.reads.contains(name);
        });
    }

    // Some axis of all accesses moves on by at least their extent with each pass.
    bool separate(const std::string &name) const
    {
        std::vector<const Access *> accesses;
        for (const int id : m_inside)
            for (const Touch &touch : m_model.statement(id).touches)
                if (touch.access.base == name)
                    accesses.push_back(&touch.access);
        if (accesses.empty() || accesses[0]->whole)
            return false;
        for (std::size_t axis = 0; axis < accesses[0]->indices.size(); ++axis)
            if (separateAlong(accesses, axis))
                return true;
        return false;
    }

    bool separateAlong(const std::vector<const Access *> &accesses, std::size_t axis) const
    {
        std::optional<std::map<std::string, std::int64_t>> common;
        std::int64_t step = 0;
        for (const Access *access : accesses) {
            if (access->whole || axis >= access->indices.size() || !access->indices[axis].known)
                return false;
            const AxisIndex &index = access->indices[axis];
            auto offset = index.offset.linear();
            if (!offset)
                return false;
            if (common && *common != *offset)
                return false;
            common = *offset;
            const auto own = offset->find(m_loop.variable);
            if (own == offset->end())
                return false;
            step = std::abs(own->second) * stride();
            std::int64_t extent = 1;
            for (const Lane &lane : index.lanes) {
                const auto size = lane.size.constant();
                if (!size)
                    return false;
                extent += std::abs(lane.stride) * (*size - 1);
            }
            if (extent > step)
                return false;
            // Inner loops would have to stay within the step of this one.
            for (const auto &[variable, factor] : *offset)
                if (!variable.empty() && variable != m_loop.variable && isInnerVariable(variable))
                    return false;
        }
        return common.has_value();
    }

    bool isInnerVariable(const std::string &variable) const
    {
        return std::any_of(m_inside.begin(), m_inside.end(), [&](int id) {
            const nki::Node &node = m_model.tree()[m_model.statement(id).node];
            return node.kind == NodeKind::For && m_model.tree()[node.children[0]].text == variable;
        });
    }

    /// What the variable grows by from pass to pass.
    std::int64_t stride() const
    {
        const nki::Node &iterable = m_model.tree()[m_model.tree()[m_loop.node].children[1]];
        if (iterable.children.size() != 4)
            return 1;
        const NodeId step = iterable.children[3];
        if (const auto *literal = std::get_if<std::int64_t>(&m_model.tree()[step].literal))
            return *literal;
        return m_model.constantSize(step).value_or(1);
    }

    const KernelModel &m_model;
    const Loop &m_loop;
    std::vector<int> m_inside;
    std::set<std::string> m_own;            ///< bound anew by every pass
    std::set<std::string> m_changed;        ///< written in parts
    std::set<std::string> m_fromOutside;    ///< read before the pass binds it, if it does
    std::set<std::string> m_writtenOutside; ///< made before the loop, changed in it
};

class ParallelPasses final : public Rewrite
{
public:
    std::string_view name() const override { return "run-passes-in-parallel"; }
    std::string_view precondition() const override
    {
        return "a loop over range or nl.sequential_range whose passes read nothing that another "
               "pass makes, and write parts of their own or only add to a sum";
    }
    std::string_view reason() const override
    {
        return "the compiler overlaps the passes of nl.affine_range; those of a sequential loop "
               "wait for each other, and their values do not stay in PSUM";
    }
    std::string_view counters() const override
    {
        return "latency down at unchanged work; spill_save_bytes down where sums went through HBM";
    }
    std::vector<std::string> keywords() const override
    {
        return {"affine_range", "affine loop", "passes in parallel", "sequential_range with"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        for (int loop = 0; loop < static_cast<int>(model.loops().size()); ++loop) {
            const Loop &found = model.loops()[static_cast<std::size_t>(loop)];
            if ((found.kind == "sequential_range" || found.kind == "range") &&
                !found.variable.empty() && PassesOfLoop(model, loop).independent())
                result.push_back(propose(model, loop));
        }
        return result;
    }

private:
    static Proposal propose(const KernelModel &model, int loop)
    {
        const Loop &found = model.loops()[static_cast<std::size_t>(loop)];
        const nki::SyntaxTree &tree = model.tree();
        const NodeId call = tree[found.node].children[1];
        Proposal proposal{{{"loop", found.variable}, {"line", tree[found.node].place.line}},
                          tree[found.node].place,
                          {},
                          {},
                          {},
                          SourceEdits(tree)};
        proposal.edits.replace(tree[call].children[0],
                               spelled(model, proposal.edits, "nl.affine_range"));
        EngineLoad body;
        double passes = 0;
        for (int id = 0; id < static_cast<int>(model.statements().size()); ++id)
            if (model.inside(id, loop)) {
                body += costOf(model, model.statement(id)) * model.executions(id);
                if (model.statement(id).loop == loop)
                    passes = std::max(passes, model.executions(id));
            }
        // Up to 1.4 us of each pass lie bare (fit over published Trainium 1 profiles); they are
        // nobody's work, so they are booked on the busiest engine.
        const double all = body.tensor + body.vector + body.scalar + body.dma;
        const double most = std::max({body.tensor, body.vector, body.scalar, body.dma});
        const double bare = std::min(passes * 1.4e-3, 0.8 * (all - most));
        double *busiest = &proposal.change.vector;
        for (auto [engine, change] : {std::pair{body.tensor, &proposal.change.tensor},
                                      std::pair{body.scalar, &proposal.change.scalar},
                                      std::pair{body.dma, &proposal.change.dma}})
            if (engine == most)
                busiest = change;
        *busiest -= bare;
        proposal.title = "Run the passes over " + found.variable + " in parallel";
        proposal.prose = fmt::format(
            "No pass of the loop over {} (line {}) needs what another one makes. Loop over "
            "nl.affine_range instead of {}, so that loads, computing and stores of different "
            "passes overlap.",
            found.variable, tree[found.node].place.line,
            found.kind == "range" ? "range" : "nl.sequential_range");
        return proposal;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeParallelPasses()
{
    return std::make_unique<ParallelPasses>();
}

} // namespace accelopt::rewrite
