// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rewrites/Support.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::rewrite {
namespace {

using nki::NodeId;
using nki::NodeKind;

constexpr std::int64_t kMaximumBytes = 64 * 1024; // of a partition, for the transposed operand

class TransposeOnce final : public Rewrite
{
public:
    std::string_view name() const override { return "transpose-once"; }
    std::string_view precondition() const override
    {
        return "the first operand of an nl.matmul without transpose_x does not depend on a loop "
               "around it: it "
               "is loaded there from a region without that loop's variable, or made outside the "
               "loop";
    }
    std::string_view reason() const override
    {
        return "nl.matmul without transpose_x transposes its first operand anew for every use; "
               "transposed "
               "once before the loop, the tensor engine and the copies out of PSUM are spared the "
               "repeats";
    }
    std::string_view counters() const override
    {
        return "transpose_flops and hardware_flops down, tensor_engine_active_time_percent and "
               "scalar_engine_active_time_percent down";
    }
    std::vector<std::string> keywords() const override
    {
        return {"transpose once", "transpose_x", "hoist the transpose", "transpose out of"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        for (int id = 0; id < static_cast<int>(model.statements().size()); ++id)
            if (auto proposal = propose(model, id))
                result.push_back(std::move(*proposal));
        return result;
    }

private:
    struct Plan
    {
        int load = -1;      ///< statement that loads the operand in the block of the product, or -1
        int loop = -1;      ///< loop in front of which the operand is transposed
        int inner = -1;     ///< loop inside it that the operand depends on, or -1
        double repeats = 1; ///< uses of each transposed tile
    };

    // 0 when the size is not a known number.
    static std::int64_t known(const std::optional<Symbolic> &size)
    {
        return size ? size->constant().value_or(0) : 0;
    }

    static bool writtenIn(const KernelModel &model, const std::string &name, int loop)
    {
        for (const int user : model.users(name))
            if (!model.statement(user).hasBody && model.statement(user).writes.contains(name) &&
                model.inside(user, loop))
                return true;
        return false;
    }

    static std::optional<Plan> plan(const KernelModel &model, int id)
    {
        const Operand &operand = model.statement(id).operation->data[0];
        Plan result;
        std::map<std::string, int> needed;
        const int definition = model.definition(operand, id);
        if (definition >= 0) {
            const Statement &load = model.statement(definition);
            if (load.operation->kind != OperationKind::Load || load.operation->mask >= 0 ||
                !load.destination.whole || !model.onlyUsedBy(definition, id) ||
                model.declarations().contains(load.destination.base))
                return std::nullopt;
            result.load = definition;
            needed = load.reads;
        } else {
            needed[operand.access.base] = 1;
            for (const AxisIndex &index : operand.access.indices)
                for (const Loop &loop : model.loops())
                    if (!model.mentions(index.node, loop.variable).empty())
                        needed[loop.variable] = 1;
        }
        const std::vector<int> around = model.loopsAround(id);
        for (auto loop = around.rbegin(); loop != around.rend(); ++loop) {
            const Loop &candidate = model.loops()[static_cast<std::size_t>(*loop)];
            if (needed.contains(candidate.variable))
                continue;
            // Everything the operand is made of must exist before the loop.
            const bool available =
                std::none_of(needed.begin(), needed.end(), [&](const auto &entry) {
                    return writtenIn(model, entry.first, *loop);
                });
            if (available) {
                result.loop = *loop;
                break;
            }
        }
        if (result.loop < 0)
            return std::nullopt;
        bool within = true;
        for (const int loop : around) {
            const Loop &found = model.loops()[static_cast<std::size_t>(loop)];
            if (within && needed.contains(found.variable)) {
                if (result.inner >= 0 || !found.known ||
                    found.trips.mentions(
                        model.loops()[static_cast<std::size_t>(result.loop)].variable))
                    return std::nullopt;
                result.inner = loop;
            } else if (within) {
                result.repeats *= static_cast<double>(model.trips(loop).value_or(8));
            }
            if (loop == result.loop)
                within = false;
        }
        return result.repeats > 1 ? std::optional(result) : std::nullopt;
    }

    static std::optional<Proposal> propose(const KernelModel &model, int id)
    {
        const Statement &product = model.statement(id);
        if (!product.operation || product.operation->kind != OperationKind::Matmul ||
            product.operation->callee != "nl.matmul" || product.operation->transposeX ||
            !product.operation->plain || product.operation->mask >= 0 ||
            !product.operation->data[0].tile() || product.operation->data[0].access.base.empty())
            return std::nullopt;
        const Operand &operand = product.operation->data[0];
        const std::int64_t rows = known(operand.shape.partitions);
        const std::int64_t depth = known(operand.shape.elements);
        const auto found = plan(model, id);
        if (!found || rows < 1 || depth < 1 || rows > 128 || depth > 128)
            return std::nullopt;

        Proposal proposal = proposalAt(model, id);
        const std::string transposed = model.freshName(operand.access.base + "_t");
        const Loop &loop = model.loops()[static_cast<std::size_t>(found->loop)];
        const std::string flip = spelled(model, proposal.edits, "nl.copy") + "(" +
                                 spelled(model, proposal.edits, "nl.transpose") + "(" +
                                 textOf(model, operand) + "))";
        std::vector<std::string> lines;
        std::string use = transposed;
        const auto oneLine = [&](NodeId node) {
            const std::string text(model.text(node));
            return text.find('\n') == std::string::npos ? text : model.normalized(node);
        };
        if (found->inner < 0) {
            if (found->load >= 0)
                lines.push_back(oneLine(model.statement(found->load).node));
            lines.push_back(transposed + " = " + flip);
        } else {
            const Loop &inner = model.loops()[static_cast<std::size_t>(found->inner)];
            const auto trips = model.trips(found->inner);
            if (trips && *trips * rows * 4 > kMaximumBytes)
                return std::nullopt;
            const Access &source = found->load >= 0
                                       ? model.statement(found->load).operation->data[0].access
                                       : operand.access;
            const auto indexNode = [&](std::size_t fromEnd) {
                return source.indices.size() > fromEnd
                           ? source.indices[source.indices.size() - 1 - fromEnd].node
                           : -1;
            };
            const std::string indexed = sizeText(model, indexNode(1), rows);
            const std::string m = indexed == std::to_string(rows)
                                      ? partitionsText(model, operand, id, rows)
                                      : indexed;
            const std::string k = sizeText(model, indexNode(0), depth);
            const NodeId iterable = model.tree()[inner.node].children[1];
            const std::string count = oneLine(model.tree()[iterable].children[1]);
            use = fmt::format("{}[:, {} * {}:({} + 1) * {}]", transposed, inner.variable, m,
                              inner.variable, m);
            lines.push_back(fmt::format("{} = {}(({}({}), ({}) * {}), dtype={}.dtype, buffer={})",
                                        transposed, spelled(model, proposal.edits, "nl.ndarray"),
                                        spelled(model, proposal.edits, "nl.par_dim"), k, count, m,
                                        source.base, spelled(model, proposal.edits, "nl.sbuf")));
            lines.push_back(fmt::format("for {} in {}:", inner.variable, oneLine(iterable)));
            if (found->load >= 0)
                lines.push_back("    " + oneLine(model.statement(found->load).node));
            lines.push_back("    " + use + " = " + flip);
            if (found->load >= 0 && source.base.empty())
                return std::nullopt;
        }
        proposal.edits.insertBefore(loop.node, lines);
        if (found->load >= 0)
            proposal.edits.remove(model.statement(found->load).node);
        proposal.edits.replace(product.operation->node,
                               CallText(model, proposal.edits, "nl.matmul")
                                   .positional(use)
                                   .positional(textOf(model, product.operation->data[1]))
                                   .keyword("transpose_x", "True")
                                   .like(*product.operation)
                                   .text());
        EngineLoad transpose;
        transpose.tensor = tensorMs(128);
        transpose.scalar = scalarMs(128);
        const double uses = model.executions(id);
        proposal.change -= transpose * (uses - uses / found->repeats);
        proposal.title = fmt::format("Transpose {} once, before the loop over {}",
                                     operand.access.base, loop.variable);
        proposal.prose =
            fmt::format("nl.matmul ({}) transposes {} for every pass of the loop over {} although "
                        "it does not change there. "
                        "Transpose it once before that loop into {} in SBUF and multiply with "
                        "transpose_x=True.",
                        lineOf(model, id), textOf(model, operand), loop.variable, transposed);
        return proposal;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeTransposeOnce()
{
    return std::make_unique<TransposeOnce>();
}

} // namespace accelopt::rewrite
