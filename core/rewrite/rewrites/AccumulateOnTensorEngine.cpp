// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rewrites/Support.h"

#include <fmt/format.h>

namespace accelopt::rewrite {
namespace {

using nki::NodeId;
using nki::NodeKind;

constexpr std::int64_t kMostPartitions = 128;
constexpr std::int64_t kNarrowest = 64; ///< below, the fixed cost of a product decides

class AccumulateOnTensorEngine final : public Rewrite
{
public:
    std::string_view name() const override { return "accumulate-on-tensor-engine"; }
    std::string_view precondition() const override
    {
        return "a float32 tile of zeros in SBUF, at most 512 elements wide, is only added to "
               "(acc += x, x a finite tile in SBUF that the vector or scalar engine made) and read "
               "by stores and elementwise operations";
    }
    std::string_view reason() const override
    {
        return "a product with the identity adds a tile to PSUM exactly, so the tensor engine can "
               "do the sum that the vector engine would spend two passes on";
    }
    std::string_view counters() const override
    {
        return "vector_engine_active_time_percent down, tensor engine up, hardware_flops up";
    }
    std::vector<std::string> keywords() const override
    {
        return {"accumulate on the tensor engine", "product with the identity", "identity matmul",
                "sum on the tensor engine"};
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
    static std::optional<Proposal> propose(const KernelModel &model, int id)
    {
        const nki::SyntaxTree &tree = model.tree();
        const Statement &sum = model.statement(id);
        if (!sum.augmented || tree[sum.node].text != "+" || sum.loop < 0 || sum.operation)
            return std::nullopt;
        const std::string &acc = sum.destination.base;
        const int declared = bankOfZeros(model, acc);
        if (declared < 0)
            return std::nullopt;
        const Statement &zeros = model.statement(declared);
        const NodeId value = tree[sum.node].children[1];
        if (!sum.destination.whole || tree[value].kind != NodeKind::Name ||
            zeros.loop == sum.loop || !isFreshTile(model, tree[value].text, id, zeros.shape))
            return std::nullopt;

        Proposal proposal = proposalAt(model, id);
        SourceEdits &edits = proposal.edits;
        for (const int user : model.users(acc)) {
            const Statement &reader = model.statement(user);
            if (reader.hasBody || user == id || user == declared)
                continue;
            if (reader.writes.contains(acc) || !reader.operation || !readsFromPsum(reader))
                return std::nullopt;
            if (reader.operation->kind == OperationKind::Store) {
                const NodeId stored = reader.operation->data[0].node;
                edits.replace(stored, spelled(model, edits, "nl.copy") + "(" +
                                          std::string(model.text(stored)) + ")");
            }
        }
        const nki::NodeId shape = zeros.operation->keywords.at("shape");
        const std::string partitions =
            extentText(model, tree[shape].children[0], *zeros.shape.partitions->constant());
        const std::string identity = model.freshName("identity");
        const int place = outermostStatement(model, id);
        const std::string maker = spelled(model, edits, "np.identity");
        edits.insertBefore(
            model.statement(place).node,
            {fmt::format("{} = {}({}({}({}, dtype={})))", identity,
                         spelled(model, edits, "nl.load"),
                         spelled(model, edits, "nl.shared_constant"), maker, partitions,
                         maker.substr(0, maker.rfind('.')) + ".float32")});
        moveToPsum(model, edits, *zeros.operation);
        edits.replace(value, fmt::format("{}({}, {})", spelled(model, edits, "nisa.nc_matmul"),
                                         identity, model.text(value)));

        const double width = zeros.shape.width();
        const double times = model.executions(id);
        proposal.change.vector -= vectorMs(width, 2) * times;
        proposal.change.tensor += tensorMs(width) * times;
        proposal.title = fmt::format("Let the tensor engine add up {}", acc);
        proposal.prose = fmt::format(
            "{} ({}) grows by {} in every pass on the vector engine. Make {} in PSUM, load an "
            "identity matrix once, and add nisa.nc_matmul of the identity and {} to it instead.",
            acc, lineOf(model, id), model.text(value), acc, model.text(value));
        return proposal;
    }

    // The one statement that makes the sum, when it may be moved into a bank of PSUM; else -1.
    static int bankOfZeros(const KernelModel &model, const std::string &name)
    {
        int found = -1;
        for (const int id : model.users(name)) {
            const Statement &made = model.statement(id);
            if (made.hasBody || made.augmented || !made.writes.contains(name))
                continue;
            if (found >= 0 || !made.operation || made.operation->kind != OperationKind::Declare)
                return -1;
            found = id;
        }
        if (found < 0)
            return -1;
        const Statement &made = model.statement(found);
        const auto &keywords = made.operation->keywords;
        const auto buffer = keywords.find("buffer");
        const auto shape = keywords.find("shape");
        if (made.operation->function != "zeros" || made.operation->dtype != "float32" ||
            shape == keywords.end() || model.tree()[shape->second].children.size() != 2 ||
            (buffer != keywords.end() && !model.normalized(buffer->second).ends_with("sbuf")) ||
            !made.shape.partitions || !made.shape.elements)
            return -1;
        const auto partitions = made.shape.partitions->constant();
        const auto width = made.shape.elements->constant();
        const bool fits = partitions && *partitions <= kMostPartitions && width &&
                          *width <= kBankElements && *width >= kNarrowest;
        return fits ? found : -1;
    }

    // Made earlier in the same block by an engine that writes SBUF, as large as the sum.
    static bool isFreshTile(const KernelModel &model, const std::string &name, int use,
                            const TileShape &shape)
    {
        const Statement &sum = model.statement(use);
        const std::vector<int> &siblings = model.block(sum.block);
        for (int position = sum.position - 1; position >= 0; --position) {
            const Statement &made = model.statement(siblings[static_cast<std::size_t>(position)]);
            if (!made.writes.contains(name))
                continue;
            if (made.hasBody || made.augmented || !made.destination.whole || !made.operation ||
                made.operation->mask >= 0 || !compatibleTypes(made.operation->dtype, "float32"))
                return false;
            switch (made.operation->kind) {
            case OperationKind::Activation:
            case OperationKind::Scalars:
            case OperationKind::Tensors:
            case OperationKind::ScalarTensor: break;
            default: return false;
            }
            return made.shape.elements && *made.shape.elements == *shape.elements &&
                   (!made.shape.partitions || *made.shape.partitions == *shape.partitions);
        }
        return false;
    }

    static bool readsFromPsum(const Statement &reader)
    {
        switch (reader.operation->kind) {
        case OperationKind::Store:
        case OperationKind::Copy:
        case OperationKind::Activation:
        case OperationKind::Scalars:
        case OperationKind::Reduce:
        case OperationKind::Reciprocal: return true;
        default: return false;
        }
    }

    static void moveToPsum(const KernelModel &model, SourceEdits &edits, const Operation &made)
    {
        const std::string psum = spelled(model, edits, "nl.psum");
        if (const auto buffer = made.keywords.find("buffer"); buffer != made.keywords.end()) {
            edits.replace(buffer->second, psum);
            return;
        }
        const NodeId last = model.tree()[made.node].children.back();
        edits.replace(last, std::string(model.text(last)) + ", buffer=" + psum);
    }
};

} // namespace

std::unique_ptr<Rewrite> makeAccumulateOnTensorEngine()
{
    return std::make_unique<AccumulateOnTensorEngine>();
}

} // namespace accelopt::rewrite
