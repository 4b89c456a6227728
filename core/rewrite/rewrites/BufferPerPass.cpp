// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rewrites/Support.h"

#include <fmt/format.h>

namespace accelopt::rewrite {
namespace {

using nki::NodeId;

class BufferPerPass final : public Rewrite
{
public:
    std::string_view name() const override { return "buffer-per-pass"; }
    std::string_view precondition() const override
    {
        return "an on-chip tile is made before a loop, used in the loop only, and every pass "
               "overwrites all of it before reading it";
    }
    std::string_view reason() const override
    {
        return "one buffer for all passes makes each wait for the one before; a tile made in the "
               "loop has as many buffers as the compiler finds room for, so that loading, "
               "computing and storing overlap (double buffering)";
    }
    std::string_view counters() const override { return "latency down at unchanged work"; }
    std::vector<std::string> keywords() const override
    {
        return {"double buffer", "double-buffer", "multi-buffer", "buffer per pass",
                "inside the loop"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        for (int id = 0; id < static_cast<int>(model.statements().size()); ++id) {
            const auto declared = model.declarations().find(model.statement(id).destination.base);
            if (declared != model.declarations().end() && declared->second.statement == id)
                if (auto proposal = propose(model, declared->first, declared->second))
                    result.push_back(std::move(*proposal));
        }
        return result;
    }

private:
    static std::optional<Proposal> propose(const KernelModel &model, const std::string &name,
                                           const Declaration &declaration)
    {
        const nki::SyntaxTree &tree = model.tree();
        const Statement &made = model.statement(declaration.statement);
        if (!made.operation || made.operation->function != "ndarray" ||
            declaration.memory.find("hbm") != std::string::npos ||
            tree[made.node].place.line != tree[made.node].place.endLine)
            return std::nullopt;
        // The one loop beside the declaration that has all uses in it.
        int loop = -1;
        for (const int user : model.users(name)) {
            const Statement &statement = model.statement(user);
            if (user == declaration.statement || statement.block != made.block)
                continue;
            if (loop >= 0 || !statement.hasBody)
                return std::nullopt;
            loop = user;
        }
        if (loop < declaration.statement ||
            tree[model.statement(loop).node].kind != nki::NodeKind::For)
            return std::nullopt;
        const NodeId body = tree[model.statement(loop).node].children[2];
        int first = -1;
        for (const int id : model.block(body)) {
            const Statement &statement = model.statement(id);
            if (!statement.reads.contains(name) && !statement.writes.contains(name))
                continue;
            if (statement.hasBody || statement.augmented || statement.reads.contains(name) ||
                !statement.operation || statement.operation->mask >= 0 ||
                !writesAll(statement.destination, name, declaration))
                return std::nullopt;
            first = id;
            break;
        }
        if (first < 0 || model.statement(model.block(body).front()).loop < 0)
            return std::nullopt;
        // What its shape is made of means the same in the loop.
        for (const auto &[read, count] : made.reads)
            if (model.statement(loop).writes.contains(read))
                return std::nullopt;

        Proposal proposal = proposalAt(model, declaration.statement);
        proposal.edits.insertBefore(model.statement(first).node,
                                    {std::string(model.text(made.node))});
        proposal.edits.remove(made.node);
        const std::string variable(tree[tree[model.statement(loop).node].children[0]].text);
        proposal.opens = "passes overlap, each with a buffer of its own";
        proposal.title =
            fmt::format("Give every pass over {} a buffer {} of its own", variable, name);
        proposal.prose =
            fmt::format("{} ({}) is overwritten by every pass of the loop over {} ({}). Make it in "
                        "the loop instead, so that a pass does not wait for the buffer of the one "
                        "before.",
                        name, lineOf(model, declaration.statement), variable, lineOf(model, loop));
        return proposal;
    }

    static bool writesAll(const Access &access, const std::string &name,
                          const Declaration &declaration)
    {
        if (access.base != name)
            return false;
        if (access.whole)
            return true;
        if (access.indices.size() != declaration.dimensions.size())
            return false;
        for (std::size_t axis = 0; axis < access.indices.size(); ++axis) {
            const AxisIndex &index = access.indices[axis];
            if (!index.known || !(index.offset == Symbolic(0)) || index.lanes.size() != 1 ||
                index.lanes[0].stride != 1 ||
                !(index.lanes[0].size == declaration.dimensions[axis]))
                return false;
        }
        return true;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeBufferPerPass()
{
    return std::make_unique<BufferPerPass>();
}

} // namespace accelopt::rewrite
