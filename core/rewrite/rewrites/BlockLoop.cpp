// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/Dependence.h"
#include "core/rewrite/Residence.h"
#include "core/rewrite/rewrites/DeclaredTile.h"
#include "core/rewrite/rewrites/Support.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace accelopt::rewrite {
namespace {

using nki::NodeId;
using nki::NodeKind;

constexpr std::int64_t kMostPassesTogether = 8;

// One loop cut into blocks of passes: what differs between passes and how it is written.
class Blocking
{
public:
    Blocking(const KernelModel &model, int loop, const std::vector<LoopNode> &nest)
        : m_model(model),
          m_loop(loop),
          m_nest(nest.front()),
          m_leaves(leavesOf(nest)),
          m_variable(model.loops()[static_cast<std::size_t>(loop)].variable)
    {}

    /// False when the passes cannot be mixed, or nothing is the same in all of them.
    bool understand()
    {
        for (const LoopLeaf &leaf : m_leaves)
            for (const LoopNode *node : leaf.path)
                if (!node->stands(m_loop) && variesWith(iterableOf(node->loops[0])))
                    return false;
        findVarying();
        for (const LoopLeaf &leaf : m_leaves)
            if (!(varies(leaf.statement) ? partsAreSeparate(leaf.statement)
                                         : sameForAll(leaf.statement)))
                return false;
        int group = 0;
        assignGroups(m_nest.children, group);
        return findWaiting();
    }

    /// What all passes load alike: bytes of a partition, and the transfer once, in ms.
    double sharedBytes() const { return m_sharedBytes; }
    double sharedMs() const { return m_sharedMs; }
    const std::set<std::string> &waiting() const { return m_waiting; }

    /// Tiles in PSUM that wait between parts of one pass.
    double waitingInPsum() const
    {
        double tiles = 0;
        for (const std::string &name : m_waiting)
            if (const int id = m_made.at(name);
                isDeclaration(id) && declaredTile(m_model, id)->psum)
                tiles = std::max(tiles, declaredTile(m_model, id)->blocks);
        return tiles;
    }
    /// Bytes of a partition that tiles of one pass take which are not blocks of a tensor yet.
    double waitingBytes() const
    {
        double bytes = 0;
        for (const std::string &name : m_waiting) {
            const int id = m_made.at(name);
            if (!isDeclaration(id))
                bytes += m_model.statement(id).shape.width() * 4;
            else if (!declaredTile(m_model, id)->psum)
                bytes += declaredTile(m_model, id)->bytes * declaredTile(m_model, id)->blocks;
        }
        return bytes;
    }

    /// The nest with `factor` passes together; `block` is the variable that counts them.
    LoopNode blocked(SourceEdits &edits, std::int64_t factor, const std::string &block)
    {
        m_factor = factor;
        m_block = block;
        const std::int64_t trips = m_model.trips(m_loop).value_or(factor);
        LoopNode outer = m_nest;
        outer.passes = trips / factor;
        outer.head = headWith(m_variable, fewerPasses(trips));
        outer.children = put(m_nest.children, edits);
        return outer;
    }

private:
    NodeId iterableOf(int loop) const
    {
        return m_model.tree()[m_model.loops()[static_cast<std::size_t>(loop)].node].children[1];
    }

    bool variesWith(NodeId node) const
    {
        return !m_model.mentions(node, m_variable).empty() ||
               std::any_of(m_varying.begin(), m_varying.end(), [&](const std::string &name) {
                   return !m_model.mentions(node, name).empty();
               });
    }

    bool varies(int id) const
    {
        const Statement &statement = m_model.statement(id);
        const auto touched = [&](const std::map<std::string, int> &names) {
            return std::any_of(names.begin(), names.end(), [&](const auto &entry) {
                return entry.first == m_variable || m_varying.contains(entry.first);
            });
        };
        return touched(statement.reads) || touched(statement.writes);
    }

    void findVarying()
    {
        for (bool more = true; more;) {
            more = false;
            for (const LoopLeaf &leaf : m_leaves)
                if (varies(leaf.statement))
                    for (const auto &[name, count] : m_model.statement(leaf.statement).writes)
                        more = m_varying.insert(name).second || more;
        }
    }

    bool boundHere(const std::string &name) const
    {
        return std::any_of(m_leaves.begin(), m_leaves.end(), [&](const LoopLeaf &leaf) {
            return bindsName(m_model, m_model.statement(leaf.statement), name);
        });
    }

    // What a pass writes of tensors made outside no other pass touches.
    bool partsAreSeparate(int id) const
    {
        const Statement &statement = m_model.statement(id);
        for (const auto &[name, count] : statement.writes) {
            if (boundHere(name))
                continue;
            for (const Touch &write : statement.touches)
                for (const LoopLeaf &other : m_leaves)
                    for (const Touch &touch : m_model.statement(other.statement).touches) {
                        if (!write.write || write.access.base != name || touch.access.base != name)
                            continue;
                        const Overlap overlap =
                            overlapOf(m_model, write.access, id, touch.access, other.statement);
                        if (overlap.possible && !overlap.equal.contains({m_loop, m_loop}))
                            return false;
                    }
        }
        // [i] in a list names the loop itself.
        for (const NodeId mention : m_model.mentions(statement.node, m_variable))
            if (m_model.tree()[m_model.tree()[mention].parent].kind == NodeKind::List)
                return false;
        return statement.operation || m_model.tree()[statement.node].kind == NodeKind::Assign;
    }

    bool sameForAll(int id)
    {
        const Statement &statement = m_model.statement(id);
        if (!statement.operation)
            return m_model.tree()[statement.node].kind == NodeKind::Assign || isText(m_model, id);
        if (statement.operation->kind == OperationKind::Store ||
            statement.operation->kind == OperationKind::Other ||
            (statement.augmented && !boundHere(statement.destination.base)))
            return false;
        if (statement.operation->kind == OperationKind::Load) {
            double times = 1;
            for (const LoopLeaf &leaf : m_leaves)
                if (leaf.statement == id)
                    for (const LoopNode *node : leaf.path)
                        if (!node->stands(m_loop) && mentionsLoop(statement, *node))
                            times *= static_cast<double>(m_model.trips(node->loops[0]).value_or(8));
            m_sharedBytes += times * statement.shape.width() * 4;
            m_sharedMs += times * costOf(m_model, statement).dma;
        }
        return true;
    }

    bool mentionsLoop(const Statement &statement, const LoopNode &node) const
    {
        return statement.reads.contains(
            m_model.loops()[static_cast<std::size_t>(node.loops[0])].variable);
    }

    enum class Part { Same, Different, Both };

    Part partOf(const LoopNode &node) const
    {
        bool same = false;
        bool different = false;
        for (const int statement : statementsOf(node))
            (varies(statement) ? different : same) = true;
        return same && different ? Part::Both : same ? Part::Same : Part::Different;
    }

    bool isDeclaration(int id) const
    {
        const auto &operation = m_model.statement(id).operation;
        return operation && operation->kind == OperationKind::Declare;
    }

    // Statements of the same group stay together in one loop over the passes of a block.
    void assignGroups(const std::vector<LoopNode> &nodes, int &group)
    {
        ++group;
        for (const LoopNode &node : nodes)
            switch (partOf(node)) {
            case Part::Same: break; // goes in front of the group
            case Part::Both:
                assignGroups(node.children, group);
                ++group;
                break;
            case Part::Different:
                for (const int statement : statementsOf(node))
                    m_group[statement] = group;
            }
    }

    // Names of one pass that are used in several groups; false when they cannot become one tile for
    // each pass.
    bool findWaiting()
    {
        for (const std::string &name : m_varying) {
            std::set<int> groups;
            int bindings = 0;
            bool bound = false;
            for (const LoopLeaf &leaf : m_leaves) {
                const Statement &statement = m_model.statement(leaf.statement);
                if (!statement.reads.contains(name) && !statement.writes.contains(name))
                    continue;
                groups.insert(m_group.at(leaf.statement));
                if (bindsName(m_model, statement, name)) {
                    m_made[name] = leaf.statement;
                    bound = true;
                    ++bindings;
                }
            }
            if (!bound || groups.size() < 2)
                continue;
            if (bindings != 1 || !canWait(name))
                return false;
            m_waiting.insert(name);
        }
        return true;
    }

    bool canWait(const std::string &name) const
    {
        const int id = m_made.at(name);
        const Statement &statement = m_model.statement(id);
        const nki::Node &node = m_model.tree()[statement.node];
        if (!accessesOf(name) || node.place.line != node.place.endLine)
            return false;
        if (isDeclaration(id))
            return declaredTile(m_model, id) &&
                   m_model.mentions(statement.node, m_variable).empty();
        if (!statement.operation || statement.operation->kind != OperationKind::Load ||
            m_model.tree()[statement.destination.node].kind != NodeKind::Name ||
            statement.operation->data[0].access.base.empty() || !statement.shape.partitions ||
            !statement.shape.partitions->constant() || !statement.shape.elements ||
            !statement.shape.elements->constant())
            return false;
        std::size_t axes = 0;
        for (const AxisIndex &index : statement.operation->data[0].access.indices) {
            if (!index.known)
                return false;
            axes += index.lanes.empty() ? 0 : 1;
        }
        return axes == 2;
    }

    // All mentions of the name but that of its declaration; nothing when some are of another form.
    std::optional<std::vector<Access>> accessesOf(const std::string &name) const
    {
        if (m_model.declarations().contains(name))
            return everyAccess(m_model, name);
        std::vector<Access> result;
        for (const LoopLeaf &leaf : m_leaves)
            for (const Touch &touch : m_model.statement(leaf.statement).touches)
                if (touch.access.base == name &&
                    std::none_of(result.begin(), result.end(), [&](const Access &access) {
                        return access.node == touch.access.node;
                    }))
                    result.push_back(touch.access);
        if (m_model.mentions(m_model.function(), name).size() != result.size())
            return std::nullopt;
        return result;
    }

    std::size_t beginOf(NodeId node) const
    {
        const SourcePlace &place = m_model.tree()[node].place;
        return m_model.tree().offset(place.line, place.column);
    }

    std::size_t lengthOf(NodeId node) const { return m_model.text(node).size(); }

    std::string headWith(const std::string &variable, const std::string &count) const
    {
        const nki::SyntaxTree &tree = m_model.tree();
        const std::string range(m_model.text(tree[iterableOf(m_loop)].children[0]));
        return fmt::format("for {} in {}({}):", variable, range, count);
    }

    // The count of the loop over blocks, spelled like the one it replaces.
    std::string fewerPasses(std::int64_t trips) const
    {
        const NodeId count = m_model.tree()[iterableOf(m_loop)].children[1];
        const NodeKind kind = m_model.tree()[count].kind;
        const std::string text(m_model.text(count));
        if (kind == NodeKind::Constant)
            return std::to_string(trips / m_factor);
        return fmt::format("{} // {}", kind == NodeKind::Name ? text : "(" + text + ")", m_factor);
    }

    std::vector<LoopNode> put(const std::vector<LoopNode> &nodes, SourceEdits &edits)
    {
        std::vector<LoopNode> result;
        bool open = false;
        std::vector<std::string> declared; ///< to stand in front of what comes next
        const auto add = [&](LoopNode node) {
            node.before.insert(node.before.begin(), declared.begin(), declared.end());
            declared.clear();
            result.push_back(std::move(node));
        };
        for (const LoopNode &node : nodes) {
            const Part part = partOf(node);
            if (part == Part::Same && open) {
                result.insert(result.end() - 1, node);
                continue;
            }
            if (part != Part::Different) {
                LoopNode copy = node;
                if (part == Part::Both)
                    copy.children = put(node.children, edits);
                add(std::move(copy));
                open = false;
                continue;
            }
            if (!node.isLoop() && makesWaiting(node.statement)) {
                std::vector<std::string> &lines = open ? result.back().before : declared;
                lines.insert(lines.end(), node.before.begin(), node.before.end());
                lines.push_back(wider(node.statement, edits));
                if (isDeclaration(node.statement))
                    continue;
            }
            if (!open) {
                LoopNode together;
                together.loops = {m_loop};
                together.statement = m_nest.statement;
                together.head = headWith(m_block, std::to_string(m_factor));
                together.passes = m_factor;
                add(std::move(together));
                open = true;
            }
            LoopNode copy = node;
            if (!node.isLoop() && makesWaiting(node.statement))
                copy.before.clear();
            rename(copy);
            result.back().children.push_back(std::move(copy));
        }
        return result;
    }

    bool makesWaiting(int id) const
    {
        const auto found = m_made.find(m_model.statement(id).destination.base);
        return found != m_made.end() && found->second == id && m_waiting.contains(found->first);
    }

    // The declaration of the tile for each pass of a block.
    std::string wider(int id, SourceEdits &edits) const
    {
        const Statement &statement = m_model.statement(id);
        const std::string &name = statement.destination.base;
        const std::string par = spelled(m_model, edits, "nl.par_dim");
        if (isDeclaration(id)) {
            const DeclaredTile tile = *declaredTile(m_model, id);
            std::map<NodeId, std::string> texts;
            for (const std::size_t i : {std::size_t{0}, tile.partitionAxis}) {
                const NodeId dimension = tile.dimensions[i];
                texts[dimension] = std::string(m_model.text(dimension));
                if (i == tile.partitionAxis &&
                    texts[dimension].find("par_dim") == std::string::npos)
                    texts[dimension] = fmt::format("{}({})", par, texts[dimension]);
            }
            std::string &first = texts[tile.dimensions[0]];
            first = fmt::format("{}, {}", m_factor, first);
            return textWith(m_model, statement.node, {texts.begin(), texts.end()});
        }
        const Access &source = statement.operation->data[0].access;
        std::string shape;
        for (const AxisIndex &index : source.indices)
            if (!index.lanes.empty()) {
                const std::string extent =
                    sizeText(m_model, index.node, index.lanes[0].size.constant().value_or(0));
                shape += shape.empty() ? fmt::format("{}({})", par, extent) : ", " + extent;
            }
        return fmt::format("{} = {}(({}, {}), dtype={}.dtype, buffer={})", name,
                           spelled(m_model, edits, "nl.ndarray"), m_factor, shape, source.base,
                           spelled(m_model, edits, "nl.sbuf"));
    }

    // A statement of the pass `block` of a block.
    void rename(LoopNode &node) const
    {
        for (LoopNode &child : node.children)
            rename(child);
        if (node.isLoop())
            return;
        const nki::SyntaxTree &tree = m_model.tree();
        const NodeId statement = m_model.statement(node.statement).node;
        for (const NodeId mention : m_model.mentions(statement, m_variable)) {
            const NodeKind around = tree[tree[mention].parent].kind;
            std::string text = fmt::format("{} * {} + {}", m_factor, m_variable, m_block);
            if (around != NodeKind::Tuple && around != NodeKind::Subscript)
                text = "(" + text + ")";
            node.changes.push_back({beginOf(mention), lengthOf(mention), std::move(text)});
        }
        std::set<NodeId> done;
        for (const Touch &touch : m_model.statement(node.statement).touches) {
            const Access &access = touch.access;
            if (!m_waiting.contains(access.base) || !done.insert(access.node).second)
                continue;
            if (!access.whole) {
                node.changes.push_back({beginOf(access.indices[0].node), 0, m_block + ", "});
                continue;
            }
            const int id = m_made.at(access.base);
            const std::size_t rank =
                isDeclaration(id) ? declaredTile(m_model, id)->dimensions.size() : 2;
            std::string text = access.base + "[" + m_block;
            for (std::size_t i = 0; i < rank; ++i)
                text += ", :";
            node.changes.push_back({beginOf(access.node), lengthOf(access.node), text + "]"});
        }
    }

    const KernelModel &m_model;
    int m_loop;
    const LoopNode &m_nest;
    std::vector<LoopLeaf> m_leaves;
    std::string m_variable;
    std::set<std::string> m_varying;
    std::map<int, int> m_group; ///< of the statements that differ between passes
    std::set<std::string> m_waiting;
    std::map<std::string, int> m_made; ///< names bound here -> statement
    double m_sharedBytes = 0;
    double m_sharedMs = 0;
    std::int64_t m_factor = 1;
    std::string m_block;
};

class BlockLoop final : public Rewrite
{
public:
    std::string_view name() const override { return "block-loop"; }
    std::string_view precondition() const override
    {
        return "every pass of an affine_range loads the same tiles, more of them than SBUF can "
               "keep; what a pass computes no other pass touches, and the tiles and sums of "
               "several passes fit into SBUF and PSUM at once";
    }
    std::string_view reason() const override
    {
        return "a tile that was loaded serves several passes before the next takes its place, so "
               "that it is read from HBM that many times less often";
    }
    std::string_view counters() const override
    {
        return "hbm_read_bytes down, dma_active_time_percent down";
    }
    std::vector<std::string> keywords() const override
    {
        return {"block the loop", "several passes", "reuse the loaded", "register blocking",
                "passes together"};
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
        const int loop = nest->front().loops[0];
        const Loop &head = model.loops()[static_cast<std::size_t>(loop)];
        const auto trips = model.trips(loop);
        if (head.kind != "affine_range" || !trips || *trips < 2)
            return;
        Blocking blocking(model, loop, *nest);
        if (!blocking.understand() || blocking.sharedBytes() <= kUsableBytes)
            return;
        const Residence now = residenceOf(model, *nest);
        int found = 0;
        for (std::int64_t factor = kMostPassesTogether; factor > 1 && found < 2; --factor) {
            if (*trips % factor != 0 ||
                blocking.waitingInPsum() * static_cast<double>(factor) > kPsumBanks)
                continue;
            Proposal proposal = proposalAt(model, id);
            proposal.parameters["passes"] = factor;
            const std::string block = model.freshName(head.variable + "_b");
            const std::vector<LoopNode> after{blocking.blocked(proposal.edits, factor, block)};
            const Residence then = residenceOf(model, after);
            const double bytes =
                then.bytesPerPartition + blocking.waitingBytes() * static_cast<double>(factor - 1);
            if (!then.fitsPsum(now) || (bytes > kUsableBytes && bytes > now.bytesPerPartition))
                continue;
            ++found;
            replaceNest(model, proposal.edits, statement.block, statement.position,
                        statement.position, after);
            const double passes = static_cast<double>(*trips) * model.executions(id);
            proposal.change.dma =
                -blocking.sharedMs() * passes * (1 - 1 / static_cast<double>(factor));
            proposal.title =
                fmt::format("Do {} passes of the loop over {} together", factor, head.variable);
            proposal.prose = fmt::format(
                "Every pass of the loop over {} (line {}) loads the same {:.0f} KiB of a "
                "partition, more than SBUF keeps. Cut the loop into {} blocks of {} passes: load "
                "each tile once for a block, and let an inner loop over {} do with it the work of "
                "all {} passes.",
                head.variable, model.tree()[head.node].place.line, blocking.sharedBytes() / 1024,
                *trips / factor, factor, block, factor);
            result.push_back(std::move(proposal));
        }
    }
};

} // namespace

std::unique_ptr<Rewrite> makeBlockLoop()
{
    return std::make_unique<BlockLoop>();
}

} // namespace accelopt::rewrite
