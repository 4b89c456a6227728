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


class MergeInnerLoop final : public Rewrite
{
public:
    std::string_view name() const override { return "merge-inner-loop"; }
    std::string_view precondition() const override
    {
        return "the body of a loop with a known number of passes is only loads, stores and "
               "elementwise work "
               "outside PSUM, every tile of it is one slice of a wider one (width times loop "
               "variable) or has a "
               "block axis of its own for the loop, and the wide tiles fit into SBUF";
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
            if (auto proposal = propose(model, static_cast<int>(loop)))
                result.push_back(std::move(*proposal));
        return result;
    }

private:
    struct Work
    {
        const KernelModel &model;
        int loop;
        std::string variable;
        std::int64_t trips;
        Proposal proposal;
        std::set<std::string> widened; ///< tensors whose declaration grows
        std::set<NodeId> edited;
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
        case OperationKind::Activation: return operation.plain && operation.reduceOp.empty();
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
            work.proposal.edits.replace(last.node,
                                        indexText(work, last, *start, *width * work.trips));
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
        if (declared == work.model.declarations().end() || !onlyInLoop(work, access.base))
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
        const nki::SyntaxTree &tree = work.model.tree();
        const auto begin = [&](NodeId node) {
            return tree.offset(tree[node].place.line, tree[node].place.column);
        };
        work.proposal.edits.replace(begin(access.indices[axis].node),
                                    begin(access.indices[axis + 1].node), "");
        work.proposal.edits.replace(
            access.indices.back().node,
            indexText(work, access.indices.back(), Symbolic(0), width * work.trips));
        ++work.explained;
        if (work.widened.insert(access.base).second) {
            work.proposal.edits.replace(begin(declaration.dimensionNodes[axis]),
                                        begin(declaration.dimensionNodes[axis + 1]), "");
            work.proposal.edits.replace(declaration.dimensionNodes.back(),
                                        std::to_string(width * work.trips));
        }
        return true;
    }

    static bool widenStatement(Work &work, const Statement &statement)
    {
        const Operation &operation = *statement.operation;
        if (statement.augmented || !elementwise(operation) ||
            (operation.mask >= 0 && !work.model.mentions(operation.mask, work.variable).empty()))
            return false;
        if (!widen(work, statement.destination, false))
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

    static std::optional<Proposal> propose(const KernelModel &model, int id)
    {
        const Loop &loop = model.loops()[static_cast<std::size_t>(id)];
        const auto trips = model.trips(id);
        const nki::Node &node = model.tree()[loop.node];
        if (!trips || *trips < 2 || loop.kind == "sequential_range" || loop.kind == "range" ||
            node.place.line != model.tree()[node.children[1]].place.endLine ||
            model.tree()[node.children[2]].place.line == node.place.line ||
            !model.tree()[node.children[3]].children.empty())
            return std::nullopt;
        Work work{model,
                  id,
                  loop.variable,
                  *trips,
                  Proposal{{{"loop", loop.variable}, {"line", node.place.line}},
                           node.place,
                           {},
                           {},
                           {},
                           SourceEdits(model.tree())},
                  {},
                  {},
                  0};
        const NodeId body = node.children[2];
        double width = 0;
        double tiles = 0;
        std::size_t work_done = 0;
        for (const int inner : model.block(body)) {
            const Statement &statement = model.statement(inner);
            const nki::Node &text = model.tree()[statement.node];
            if (text.kind == NodeKind::ExprStatement &&
                model.tree()[text.children[0]].kind == NodeKind::Constant) {
                work.proposal.edits.remove(statement.node);
                continue;
            }
            if (!statement.operation || !widenStatement(work, statement))
                return std::nullopt;
            ++work_done;
            const double old = statement.shape.width();
            width = std::max(width, old * static_cast<double>(*trips));
            if (statement.operation->kind != OperationKind::Store)
                tiles += 1;
            const double times = model.executions(inner);
            EngineLoad after = costOf(model, statement);
            work.proposal.change -= after * times;
            // The fixed part of an instruction is paid once instead of `trips` times.
            const double fixed = static_cast<double>(*trips - 1);
            after = after * static_cast<double>(*trips);
            // Wider than a bank of PSUM an operand stays in SBUF, and the instruction reads both
            // from there.
            if (statement.fedFromPsum && old * static_cast<double>(*trips) > 512)
                after.vector += (vectorMs(old, 2) - vectorMs(old, 1)) * static_cast<double>(*trips);
            if (after.vector > 0)
                after.vector -= fixed * 108 / 1.12e9 * 1e3;
            if (after.scalar > 0)
                after.scalar -= fixed * 222 / 1.4e9 * 1e3;
            work.proposal.change += after * (times / static_cast<double>(*trips));
        }
        if (work_done == 0 || work.explained != model.mentions(body, loop.variable).size() ||
            width * 4 * tiles > kUsableBytes)
            return std::nullopt;
        work.proposal.edits.unwrap(loop.node, body);
        work.proposal.title =
            fmt::format("Merge the loop over {} into wide instructions", loop.variable);
        work.proposal.prose = fmt::format("The loop over {} (line {}) works on {} slices of the "
                                          "same tiles one after the other. Remove the loop "
                                          "and let each of its instructions work on all {} slices "
                                          "at once ({:.0f} elements per partition).",
                                          loop.variable, node.place.line, *trips, *trips, width);
        return std::move(work.proposal);
    }
};

} // namespace

std::unique_ptr<Rewrite> makeMergeInnerLoop()
{
    return std::make_unique<MergeInnerLoop>();
}

} // namespace accelopt::rewrite
