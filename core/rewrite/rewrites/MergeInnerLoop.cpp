// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/Dependence.h"
#include "core/rewrite/Residence.h"
#include "core/rewrite/rewrites/Liveness.h"
#include "core/rewrite/rewrites/Support.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace accelopt::rewrite {
namespace {

using nki::NodeId;
using nki::NodeKind;

class MergeInnerLoop final : public Rewrite
{
public:
    std::string_view name() const override { return "merge-inner-loop"; }
    std::string_view precondition() const override
    {
        return "the body of a loop with a known number of passes is only loads, stores, "
               "elementwise work and reductions whose parts a loop_reduce collects, all outside "
               "PSUM, every tile of it is one slice of a wider one (width times loop variable) or "
               "has a block axis of its own for the loop, and the wide tiles fit into SBUF";
    }
    std::string_view reason() const override
    {
        return "one wide instruction pays the fixed cost once that the narrow ones pay in every "
               "pass";
    }
    std::string_view counters() const override
    {
        return "vector_engine_active_time_percent and scalar_engine_active_time_percent down";
    }
    std::vector<std::string> keywords() const override
    {
        return {"merge the inner loop", "merge the loop", "wide instruction", "wider instruction"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        for (std::size_t loop = 0; loop < model.loops().size(); ++loop)
            propose(model, static_cast<int>(loop), result);
        return result;
    }

private:
    struct Change
    {
        std::size_t begin;
        std::size_t end;
        std::string text;
    };

    struct Work
    {
        const KernelModel &model;
        int loop;
        std::string variable;
        std::int64_t trips;
        Proposal proposal;
        std::set<int> statements; ///< of the body, to be made wide
        std::vector<Change> changes;
        std::set<NodeId> removed;
        std::set<std::string> widened; ///< tensors whose declaration grows
        std::set<NodeId> edited;
        std::map<std::string, std::string> columns; ///< partial results -> the column they become
        std::size_t explained = 0; ///< mentions of the variable that the edits remove
    };

    static bool elementwise(const Operation &operation)
    {
        switch (operation.kind) {
        case OperationKind::Load:
        case OperationKind::Store:
        case OperationKind::Scalars:
        case OperationKind::Tensors:
        case OperationKind::ScalarTensor:
        case OperationKind::Reciprocal:
        case OperationKind::Copy: return operation.plain;
        case OperationKind::Activation: return operation.plain;
        case OperationKind::Reduce: return operation.plain && operation.allFreeAxes;
        default: return false;
        }
    }

    // Text of an index that covers `width` elements from `start` on, in the style of the old one.
    static std::string indexText(Work &work, const AxisIndex &index, const Symbolic &start,
                                 std::int64_t width)
    {
        const std::string from = start == Symbolic(0) ? "" : start.text();
        if (work.model.tree()[index.node].kind == NodeKind::Slice)
            return from.empty() ? fmt::format("0:{}", width)
                                : fmt::format("{}:{} + {}", from, from, width);
        const std::string lanes = fmt::format(
            "{}({})[None, :]", spelled(work.model, work.proposal.edits, "nl.arange"), width);
        return from.empty() ? lanes : from + " + " + lanes;
    }

    static bool onlyInLoop(const Work &work, const std::string &name)
    {
        for (const int user : work.model.users(name)) {
            const Statement &statement = work.model.statement(user);
            if (statement.hasBody || work.model.inside(user, work.loop))
                continue;
            if (!statement.operation || statement.operation->kind != OperationKind::Declare)
                return false;
        }
        return true;
    }

    // Widens one access; false when it cannot be.
    static bool widen(Work &work, const Access &access, bool column)
    {
        if (access.base.empty())
            return false;
        std::size_t mentions = 0;
        for (const AxisIndex &index : access.indices)
            mentions += work.model.mentions(index.node, work.variable).size();
        if (access.whole)
            return !work.model.declarations().contains(access.base) || column;
        if (mentions == 0 && column)
            return true;
        if (mentions == 0 || access.indices.size() < 2)
            return false;
        const AxisIndex &last = access.indices.back();
        if (!last.known || last.lanes.size() != 1 || last.lanes[0].stride != 1 ||
            last.lanes[0].axis != 1)
            return false;
        const std::optional<std::int64_t> width = last.lanes[0].size.constant();
        if (!width)
            return false;
        if (!work.edited.insert(access.node).second)
            return true;
        const Symbolic step = Symbolic::product(Symbolic::named(work.variable), Symbolic(*width))
                                  .value_or(Symbolic(0));
        if (last.offset.mentions(work.variable)) {
            const auto start = Symbolic::difference(last.offset, step);
            const std::size_t here = work.model.mentions(last.node, work.variable).size();
            if (!start || start->mentions(work.variable) || here != mentions)
                return false;
            replace(work, last.node, indexText(work, last, *start, *width * work.trips));
            work.explained += here;
            return true;
        }
        return mentions == 1 && dropBlockAxis(work, access, *width);
    }

    // buffer[..., v, p, f] of a tensor that has an axis for this loop alone becomes buffer[..., p,
    // wide f].
    static bool dropBlockAxis(Work &work, const Access &access, std::int64_t width)
    {
        const auto declared = work.model.declarations().find(access.base);
        if (declared == work.model.declarations().end())
            return false;
        const Declaration &declaration = declared->second;
        const std::size_t rank = declaration.dimensions.size();
        std::size_t axis = rank;
        for (std::size_t i = 0; i < access.indices.size(); ++i)
            if (access.indices[i].known && access.indices[i].lanes.empty() &&
                access.indices[i].offset == Symbolic::named(work.variable))
                axis = i;
        if (axis >= static_cast<std::size_t>(declaration.partitionAxis) ||
            access.indices.size() != rank ||
            static_cast<std::size_t>(declaration.partitionAxis) + 2 != rank ||
            declaration.dimensions[axis].constant() != work.trips ||
            declaration.dimensions.back().constant() != width ||
            !(access.indices.back().offset == Symbolic(0)))
            return false;
        dropEntry(work, access, axis);
        replace(work, access.indices.back().node,
                indexText(work, access.indices.back(), Symbolic(0), width * work.trips));
        ++work.explained;
        if (!work.widened.insert(access.base).second)
            return true;
        work.changes.push_back({beginOf(work, declaration.dimensionNodes[axis]),
                                beginOf(work, declaration.dimensionNodes[axis + 1]), ""});
        replace(work, declaration.dimensionNodes.back(), std::to_string(width * work.trips));
        return joinElsewhere(work, access.base, axis, width);
    }

    // buffer[..., x, p, f] where other statements use the tensor becomes buffer[..., p, width * x +
    // f].
    static bool joinElsewhere(Work &work, const std::string &name, std::size_t axis,
                              std::int64_t width)
    {
        const auto accesses = everyAccess(work.model, name);
        if (!accesses)
            return false;
        const std::size_t rank = work.model.declarations().at(name).dimensions.size();
        for (const Access &access : *accesses) {
            if (belongs(work, access.node))
                continue;
            if (access.whole || access.indices.size() != rank || !access.indices[axis].known ||
                !access.indices[axis].lanes.empty() || !access.indices.back().known)
                return false;
            const nki::SyntaxTree &tree = work.model.tree();
            const NodeId position = access.indices[axis].node;
            const NodeId last = access.indices.back().node;
            std::string start(work.model.text(position));
            if (tree[position].kind != NodeKind::Name && tree[position].kind != NodeKind::Constant)
                start = "(" + start + ")";
            start = fmt::format("{} * {} + ", width, start);
            if (tree[last].kind == NodeKind::Slice) {
                for (const std::size_t bound : {0U, 1U}) {
                    const NodeId node = tree[last].children[bound];
                    if (tree[node].kind == NodeKind::None)
                        return false;
                    work.changes.push_back({beginOf(work, node), beginOf(work, node), start});
                }
            } else {
                work.changes.push_back({beginOf(work, last), beginOf(work, last), start});
            }
            dropEntry(work, access, axis);
        }
        return true;
    }

    // True for nodes of the statements that are made wide.
    static bool belongs(const Work &work, NodeId node)
    {
        for (const int id : work.statements) {
            const NodeId statement = work.model.statement(id).node;
            for (NodeId at = node; at >= 0; at = work.model.tree()[at].parent)
                if (at == statement)
                    return true;
        }
        return false;
    }

    static void dropEntry(Work &work, const Access &access, std::size_t axis)
    {
        work.changes.push_back({beginOf(work, access.indices[axis].node),
                                beginOf(work, access.indices[axis + 1].node), ""});
    }

    static void replace(Work &work, NodeId node, std::string text)
    {
        work.changes.push_back({beginOf(work, node), endOf(work, node), std::move(text)});
    }

    // Finds the parts of rows that the loop reduces and a loop_reduce in it puts together.
    static bool collectParts(Work &work)
    {
        for (const int id : work.statements) {
            const Statement &total = work.model.statement(id);
            if (!total.operation || total.operation->kind != OperationKind::LoopReduce)
                continue;
            const Access &parts = total.operation->data[0].access;
            const auto declared = work.model.declarations().find(parts.base);
            const auto loops = total.operation->keywords.find("loop_indices");
            if (declared == work.model.declarations().end() ||
                loops == total.operation->keywords.end() ||
                work.model.tree()[loops->second].kind != NodeKind::List ||
                work.model.mentions(loops->second, work.variable).size() != 1 ||
                !work.model.mentions(total.destination.node, work.variable).empty() ||
                !total.operation->data[0].column() || !onlyInLoop(work, parts.base))
                return false;
            // One statement of the body makes them, by the same operation, and only this reads
            // them.
            int makers = 0;
            for (const int user : work.model.users(parts.base)) {
                const Statement &maker = work.model.statement(user);
                if (maker.hasBody || user == id ||
                    (maker.operation && maker.operation->kind == OperationKind::Declare))
                    continue;
                if (!work.statements.contains(user) || maker.position > total.position ||
                    !maker.operation ||
                    !makes(*maker.operation, maker, parts, total.operation->function))
                    return false;
                ++makers;
            }
            if (makers != 1)
                return false;
            const bool last = work.model.tree()[loops->second].children.size() == 1;
            if (last) {
                work.columns[parts.base] = std::string(work.model.text(total.destination.node));
                work.explained += work.model.mentions(total.node, work.variable).size();
                removeWithDeclarationOfParts(work, total, declared->second);
            } else {
                if (!dropColumnAxis(work, parts))
                    return false;
                dropFromList(work, loops->second);
            }
        }
        return true;
    }

    static bool makes(const Operation &operation, const Statement &statement, const Access &parts,
                      const std::string &function)
    {
        if (operation.kind == OperationKind::Reduce)
            return operation.function == function && !operation.negate &&
                   sameRegion(statement.destination, parts);
        return operation.kind == OperationKind::Activation && operation.reduceOp == function &&
               sameRegion(operation.reduceResult.access, parts);
    }

    static void removeWithDeclarationOfParts(Work &work, const Statement &total,
                                             const Declaration &declaration)
    {
        work.removed.insert(total.node);
        work.removed.insert(work.model.statement(declaration.statement).node);
    }

    static std::size_t beginOf(const Work &work, NodeId node)
    {
        const SourcePlace &place = work.model.tree()[node].place;
        return work.model.tree().offset(place.line, place.column);
    }

    static std::size_t endOf(const Work &work, NodeId node)
    {
        const SourcePlace &place = work.model.tree()[node].place;
        return work.model.tree().offset(place.endLine, place.endColumn);
    }

    // [i, j] without the variable.
    static void dropFromList(Work &work, NodeId list)
    {
        const std::vector<NodeId> &entries = work.model.tree()[list].children;
        for (std::size_t i = 0; i < entries.size(); ++i)
            if (!work.model.mentions(entries[i], work.variable).empty()) {
                if (i + 1 < entries.size())
                    work.changes.push_back(
                        {beginOf(work, entries[i]), beginOf(work, entries[i + 1]), ""});
                else
                    work.changes.push_back(
                        {endOf(work, entries[i - 1]), endOf(work, entries[i]), ""});
                ++work.explained;
            }
    }

    // parts[..., v, p, 0] becomes parts[..., p, 0].
    static bool dropColumnAxis(Work &work, const Access &access)
    {
        const Declaration &declaration = work.model.declarations().at(access.base);
        if (access.indices.size() != declaration.dimensions.size())
            return false;
        for (std::size_t i = 0; i < static_cast<std::size_t>(declaration.partitionAxis); ++i) {
            const AxisIndex &index = access.indices[i];
            if (work.model.mentions(index.node, work.variable).empty())
                continue;
            if (!index.known || !index.lanes.empty() ||
                !(index.offset == Symbolic::named(work.variable)) ||
                work.model.mentions(access.node, work.variable).size() != 1)
                return false;
            ++work.explained;
            dropEntry(work, access, i);
            if (work.widened.insert(access.base).second)
                work.changes.push_back({beginOf(work, declaration.dimensionNodes[i]),
                                        beginOf(work, declaration.dimensionNodes[i + 1]), ""});
            return true;
        }
        return false;
    }

    // The column of a reduction: the total itself when no other loop has a part in it.
    static bool reduceWhole(Work &work, const Access &parts)
    {
        const auto total = work.columns.find(parts.base);
        if (total == work.columns.end())
            return work.widened.contains(parts.base) && dropColumnAxis(work, parts);
        work.explained += work.model.mentions(parts.node, work.variable).size();
        replace(work, parts.node, total->second);
        return true;
    }

    static bool widenStatement(Work &work, const Statement &statement)
    {
        const Operation &operation = *statement.operation;
        if (operation.kind == OperationKind::LoopReduce)
            return true; // by collectParts
        if (statement.augmented || !elementwise(operation) ||
            (operation.mask >= 0 && !work.model.mentions(operation.mask, work.variable).empty()))
            return false;
        if (operation.kind == OperationKind::Reduce) {
            if (!reduceWhole(work, statement.destination))
                return false;
        } else if (!widen(work, statement.destination, false)) {
            return false;
        }
        if (!operation.reduceOp.empty() && !reduceWhole(work, operation.reduceResult.access))
            return false;
        std::vector<const Operand *> operands{&operation.scale, &operation.bias};
        for (const Operand &data : operation.data)
            operands.push_back(&data);
        for (const ScalarStep &step : operation.steps)
            operands.push_back(&step.operand);
        for (const Operand *operand : operands) {
            if (operand->kind == OperandKind::Other || operand->inPsum)
                return false;
            if ((operand->tile() || operand->kind == OperandKind::Hbm) &&
                !widen(work, operand->access, operand->column()))
                return false;
        }
        return true;
    }

    static void propose(const KernelModel &model, int id, std::vector<Proposal> &result)
    {
        const Loop &loop = model.loops()[static_cast<std::size_t>(id)];
        const auto trips = model.trips(id);
        const nki::Node &node = model.tree()[loop.node];
        if (!trips || *trips < 2 || loop.kind == "sequential_range" || loop.kind == "range" ||
            node.place.line != model.tree()[node.children[1]].place.endLine ||
            model.tree()[node.children[2]].place.line == node.place.line ||
            !model.tree()[node.children[3]].children.empty())
            return;
        const NodeId body = node.children[2];
        std::vector<int> all;
        for (const int inner : model.block(body))
            if (!isText(model, inner))
                all.push_back(inner);
        if (auto proposal = propose(model, id, all, true)) {
            result.push_back(std::move(*proposal));
            return;
        }
        // The work in front or behind of what cannot be made wide.
        const auto wide = [&](int inner) {
            const Statement &statement = model.statement(inner);
            return statement.operation &&
                   (elementwise(*statement.operation) ||
                    statement.operation->kind == OperationKind::LoopReduce) &&
                   std::none_of(statement.operation->data.begin(), statement.operation->data.end(),
                                [](const Operand &data) { return data.inPsum; });
        };
        const auto front = std::find_if_not(all.begin(), all.end(), wide);
        const auto back = std::find_if_not(all.rbegin(), all.rend(), wide).base();
        const auto moves = [&](int inner) {
            const OperationKind kind = model.statement(inner).operation->kind;
            return kind == OperationKind::Load || kind == OperationKind::Store;
        };
        if (front != all.begin() && !std::all_of(all.begin(), front, moves) && front != all.end() &&
            canSplit(model, id, static_cast<std::size_t>(front - all.begin())))
            if (auto proposal = propose(model, id, {all.begin(), front}, false))
                result.push_back(std::move(*proposal));
        if (back != all.end() && !std::all_of(back, all.end(), moves) && back != all.begin() &&
            canSplit(model, id, static_cast<std::size_t>(back - all.begin())))
            if (auto proposal = propose(model, id, {back, all.end()}, false))
                result.push_back(std::move(*proposal));
    }

    static std::optional<Proposal> propose(const KernelModel &model, int id,
                                           const std::vector<int> &statements, bool whole)
    {
        const Loop &loop = model.loops()[static_cast<std::size_t>(id)];
        const nki::Node &node = model.tree()[loop.node];
        const double passes = static_cast<double>(*model.trips(id));
        Work work{model,
                  id,
                  loop.variable,
                  *model.trips(id),
                  Proposal{{{"loop", loop.variable}, {"line", node.place.line}},
                           node.place,
                           {},
                           {},
                           {},
                           SourceEdits(model.tree())},
                  {statements.begin(), statements.end()},
                  {},
                  {},
                  {},
                  {},
                  {},
                  0};
        if (!whole)
            work.proposal.parameters["from_line"] =
                model.tree()[model.statement(statements.front()).node].place.line;
        if (!collectParts(work))
            return std::nullopt;
        double width = 0;
        std::size_t mentions = 0;
        for (const int inner : statements) {
            const Statement &statement = model.statement(inner);
            mentions += model.mentions(statement.node, loop.variable).size();
            if (!statement.operation || !widenStatement(work, statement))
                return std::nullopt;
            const double times = model.executions(inner);
            EngineLoad after = costOf(model, statement);
            work.proposal.change -= after * times;
            if (statement.operation->kind == OperationKind::LoopReduce) {
                if (!work.removed.contains(statement.node))
                    work.proposal.change += after * (times / passes);
                continue;
            }
            const double old = statement.operation->kind == OperationKind::Reduce
                                   ? statement.operation->data[0].shape.width()
                                   : statement.shape.width();
            width = std::max(width, old * passes);
            // The fixed part of an instruction is paid once instead of `trips` times.
            after = after * passes;
            // Wider than a bank of PSUM an operand stays in SBUF, and the instruction reads both
            // from there.
            if (statement.fedFromPsum && old * passes > 512)
                after.vector += (vectorMs(old, 2) - vectorMs(old, 1)) * passes;
            if (after.vector > 0)
                after.vector -= (passes - 1) * 108 / 1.12e9 * 1e3;
            if (after.scalar > 0)
                after.scalar -= (passes - 1) * 222 / 1.4e9 * 1e3;
            work.proposal.change += after * (times / passes);
        }
        // Two sets of tiles, or all at once, as the compiler likes it.
        const LiveTiles tiles = liveTiles(model, statements);
        if (statements.empty() || work.explained != mentions ||
            std::min(tiles.together, 2 * tiles.peak) * passes > kUsableBytes ||
            !carryOut(work, statements, whole))
            return std::nullopt;
        work.proposal.change.dma +=
            wideningSpillMs(model, tiles, passes) * model.executions(statements.front()) / passes;
        work.proposal.title =
            whole ? fmt::format("Merge the loop over {} into wide instructions", loop.variable)
                  : fmt::format("Merge the part of the loop over {} from line {} on into wide "
                                "instructions",
                                loop.variable, work.proposal.parameters["from_line"].get<int>());
        work.proposal.prose = fmt::format(
            "The loop over {} (line {}) works on {} slices of the same tiles one after the other. "
            "{} and let each of its instructions work on all {} slices at once ({:.0f} elements "
            "per partition).",
            loop.variable, node.place.line, *model.trips(id),
            whole ? std::string("Remove the loop")
                  : fmt::format("Take the {} of its body out of the loop",
                                statements.front() == model.block(node.children[2]).front()
                                    ? "beginning"
                                    : "end"),
            *model.trips(id), width);
        return std::move(work.proposal);
    }

    // Turns what was collected into edits.
    static bool carryOut(Work &work, const std::vector<int> &statements, bool whole)
    {
        const nki::SyntaxTree &tree = work.model.tree();
        const nki::Node &node = tree[work.model.loops()[static_cast<std::size_t>(work.loop)].node];
        SourceEdits &edits = work.proposal.edits;
        for (const NodeId removed : work.removed)
            edits.remove(removed);
        if (whole) {
            for (const Change &change : work.changes)
                edits.replace(change.begin, change.end, change.text);
            for (const int inner : work.model.block(node.children[2]))
                if (isText(work.model, inner))
                    edits.remove(work.model.statement(inner).node);
            edits.unwrap(work.model.loops()[static_cast<std::size_t>(work.loop)].node,
                         node.children[2]);
            return true;
        }
        std::sort(work.changes.begin(), work.changes.end(),
                  [](const Change &a, const Change &b) { return a.begin < b.begin; });
        std::vector<std::string> lines;
        std::vector<bool> moved(work.changes.size(), false);
        for (const int id : statements) {
            const NodeId statement = work.model.statement(id).node;
            if (work.removed.contains(statement))
                continue;
            std::string text;
            std::size_t done = beginOf(work, statement);
            const std::size_t end = endOf(work, statement);
            for (std::size_t i = 0; i < work.changes.size(); ++i) {
                const Change &change = work.changes[i];
                if (change.begin < done || change.end > end)
                    continue;
                text += tree.source().substr(done, change.begin - done) + change.text;
                done = change.end;
                moved[i] = true;
            }
            text += tree.source().substr(done, end - done);
            if (text.find('\n') != std::string::npos)
                return false;
            lines.push_back(std::move(text));
            edits.remove(statement);
        }
        for (std::size_t i = 0; i < work.changes.size(); ++i)
            if (!moved[i])
                edits.replace(work.changes[i].begin, work.changes[i].end, work.changes[i].text);
        const NodeId loop = work.model.loops()[static_cast<std::size_t>(work.loop)].node;
        if (statements.front() == work.model.block(node.children[2]).front())
            edits.insertBefore(loop, lines);
        else
            edits.insertAfter(loop, lines);
        return true;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeMergeInnerLoop()
{
    return std::make_unique<MergeInnerLoop>();
}

} // namespace accelopt::rewrite
