// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rewrites/Support.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <set>

namespace accelopt::rewrite {
namespace {

using nki::NodeId;
using nki::NodeKind;

std::optional<std::int64_t> known(const std::optional<Symbolic> &size)
{
    return size ? size->constant() : std::nullopt;
}

// Bytes of a partition that a kernel needs at once: declared tensors, and for each block the most
// tiles alive, twice, because the next pass is prepared while this one is worked on.
double liveBytes(const KernelModel &model)
{
    double declared = 0;
    for (const auto &[name, declaration] : model.declarations())
        if (declaration.memory == "sbuf")
            declared += declaration.tile.width() * 4;
    double most = 0;
    std::set<NodeId> blocks;
    for (const Statement &statement : model.statements())
        blocks.insert(statement.block);
    for (const NodeId block : blocks) {
        const std::vector<int> &ids = model.block(block);
        for (std::size_t now = 0; now < ids.size(); ++now) {
            double alive = 0;
            for (std::size_t made = 0; made <= now; ++made) {
                const Statement &statement = model.statement(ids[made]);
                const std::string &name = statement.destination.base;
                if (!statement.operation || name.empty() || model.declarations().contains(name) ||
                    statement.operation->kind == OperationKind::Store)
                    continue;
                bool later = made == now;
                for (std::size_t use = now; use < ids.size() && !later; ++use)
                    later = use > made && model.statement(ids[use]).reads.contains(name);
                if (later)
                    alive += statement.shape.width() * 4;
            }
            most = std::max(most, alive);
        }
    }
    return declared + 2 * most;
}

class WidenTile final : public Rewrite
{
public:
    std::string_view name() const override { return "widen-tile"; }
    std::string_view precondition() const override
    {
        return "the free axis is cut by one named constant that divides it; a larger divisor keeps "
               "every tile "
               "within the limits of the instructions (512 for products and PSUM, 128 partitions) "
               "and of SBUF, "
               "and no reduction runs over a tile of that width";
    }
    std::string_view reason() const override
    {
        return "fewer and wider instructions pay their fixed cost less often, and longer runs make "
               "DMA efficient";
    }
    std::string_view counters() const override
    {
        return "vector_engine_active_time_percent, scalar_engine_active_time_percent and "
               "dma_active_time_percent down";
    }
    std::vector<std::string> keywords() const override
    {
        return {"wider tile", "widen", "larger tile", "bigger tile", "tile size"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        for (const auto &[name, constant] : model.namedConstants())
            if (constant.first >= 32 && !model.context().constants.contains(name))
                for (const std::int64_t value : candidates(model, name, constant.first))
                    if (auto proposal = propose(model, name, constant, value))
                        result.push_back(std::move(*proposal));
        return result;
    }

private:
    // Multiples of the tile that divide every extent the kernel divides by it.
    static std::vector<std::int64_t> candidates(const KernelModel &model, const std::string &name,
                                                std::int64_t old)
    {
        std::int64_t extent = 0;
        for (const NodeId mention : model.mentions(model.function(), name)) {
            const NodeId parent = model.tree()[mention].parent;
            const nki::Node &node = model.tree()[parent];
            if (node.kind != NodeKind::BinOp || (node.text != "//" && node.text != "%"))
                continue;
            const auto whole = model.constantSize(node.children[0]);
            if (node.children[1] != mention || !whole || *whole % old != 0)
                return {};
            extent = extent == 0 ? *whole : std::gcd(extent, *whole);
        }
        std::vector<std::int64_t> result;
        for (std::int64_t factor = 2; extent > 0 && factor <= extent / old && factor <= 64;
             ++factor)
            if (extent / old % factor == 0)
                result.push_back(old * factor);
        return result;
    }

    // Loops that run less often now must step by the new width wherever their variable is used, and
    // what they reach must be as wide.
    static bool followsLoops(const KernelModel &before, const KernelModel &after,
                             std::int64_t value)
    {
        for (std::size_t l = 0; l < after.loops().size(); ++l) {
            const Loop &loop = after.loops()[l];
            if (loop.trips == before.loops()[l].trips)
                continue;
            const Symbolic step = Symbolic::product(Symbolic::named(loop.variable), Symbolic(value))
                                      .value_or(Symbolic(0));
            for (const Statement &statement : after.statements()) {
                std::vector<const Access *> accesses{&statement.destination};
                if (statement.operation)
                    for (const Operand &data : statement.operation->data)
                        accesses.push_back(&data.access);
                for (const Access *access : accesses)
                    for (const AxisIndex &index : access->indices)
                        if (!after.mentions(index.node, loop.variable).empty() &&
                            (!index.known || !(index.offset == step) || index.lanes.size() != 1 ||
                             index.lanes[0].stride != 1 || index.lanes[0].size.constant() != value))
                            return false;
            }
        }
        return true;
    }

    static bool legal(const KernelModel &before, const KernelModel &after, std::int64_t value)
    {
        for (const auto &[name, declaration] : after.declarations()) {
            if (declaration.memory == "psum" && known(declaration.tile.elements).value_or(0) > 512)
                return false;
            if (declaration.tile.partitions && known(declaration.tile.partitions).value_or(0) > 128)
                return false;
        }
        for (std::size_t id = 0; id < after.statements().size(); ++id) {
            const Statement &now = after.statements()[id];
            const Statement &was = before.statements()[id];
            if (!now.operation)
                continue;
            const Operation &operation = *now.operation;
            if (known(now.shape.partitions).value_or(0) > 128)
                return false;
            bool changed = !(now.shape == was.shape);
            for (std::size_t i = 0; i < operation.data.size(); ++i)
                changed = changed || !(operation.data[i].shape == was.operation->data[i].shape);
            if (!changed)
                continue;
            switch (operation.kind) {
            case OperationKind::Load:
                if (!stepsByTile(after, operation.data[0].access, was.operation->data[0].access,
                                 value))
                    return false;
                break;
            case OperationKind::Store:
                if (!stepsByTile(after, now.destination, was.destination, value))
                    return false;
                break;
            case OperationKind::Matmul:
                if (known(operation.data[1].shape.elements).value_or(513) > 512 ||
                    known(operation.data[0].shape.partitions).value_or(129) > 128 ||
                    known(operation.data[0].shape.elements).value_or(129) > 128)
                    return false;
                break;
            case OperationKind::Activation:
                if (!operation.reduceOp.empty())
                    return false;
                break;
            case OperationKind::Copy:
            case OperationKind::Scalars:
            case OperationKind::Tensors:
            case OperationKind::ScalarTensor:
            case OperationKind::Reciprocal:
            case OperationKind::Declare: break;
            default: return false;
            }
        }
        return followsLoops(before, after, value) && liveBytes(after) <= kUsableBytes;
    }

    // Wherever a region grew, it starts at a loop variable times the new width.
    static bool stepsByTile(const KernelModel &model, const Access &now, const Access &was,
                            std::int64_t value)
    {
        if (now.indices.size() != was.indices.size())
            return false;
        for (std::size_t i = 0; i < now.indices.size(); ++i) {
            const AxisIndex &index = now.indices[i];
            if (!index.known)
                return false;
            if (sameIndex(index, was.indices[i]))
                continue;
            const bool steps =
                index.lanes.size() == 1 && index.lanes[0].stride == 1 &&
                index.lanes[0].size.constant() == value &&
                std::any_of(model.loops().begin(), model.loops().end(), [&](const Loop &loop) {
                    return Symbolic::product(Symbolic::named(loop.variable), Symbolic(value)) ==
                           index.offset;
                });
            if (!steps)
                return false;
        }
        return true;
    }

    static std::optional<Proposal> propose(const KernelModel &model, const std::string &name,
                                           const std::pair<std::int64_t, int> &constant,
                                           std::int64_t value)
    {
        ModelContext context = model.context();
        context.constants[name] = value;
        const Result<KernelModel> after = KernelModel::build(model.tree(), context);
        if (!after || after->statements().size() != model.statements().size() ||
            !legal(model, *after, value))
            return std::nullopt;
        Proposal proposal = proposalAt(model, constant.second);
        const Statement &binding = model.statement(constant.second);
        const nki::Node &assignment = model.tree()[binding.node];
        if (assignment.kind != NodeKind::Assign ||
            model.tree()[assignment.children[0]].kind != NodeKind::Constant)
            return std::nullopt;
        proposal.parameters = {{"constant", name}, {"value", value}};
        proposal.edits.replace(assignment.children[0], std::to_string(value));
        proposal.change = estimate(*after);
        proposal.change -= estimate(model);
        proposal.title = fmt::format("Widen {} from {} to {}", name, constant.first, value);
        proposal.prose = fmt::format(
            "Set {} to {} instead of {} ({}): the axis it cuts is a multiple of that, every tile "
            "stays within "
            "the limits, and each instruction and each transfer then covers {} times as much.",
            name, value, constant.first, lineOf(model, constant.second), value / constant.first);
        return proposal;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeWidenTile()
{
    return std::make_unique<WidenTile>();
}

} // namespace accelopt::rewrite
