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

/// Rows scaled by a column on their way into products that are summed in PSUM.
struct ScaledRows
{
    int scaling = -1;               ///< d = x * column
    std::vector<int> readers;       ///< of d: products and transposes
    std::vector<int> products;      ///< what the rows end in
    std::set<std::string> onTheWay; ///< d, its transposes and their copies
    int eviction = -1;              ///< the one statement that reads the sum: a copy
    std::string sum;
};

class ScaledRowsFinder
{
public:
    explicit ScaledRowsFinder(const KernelModel &model) : m_model(model) {}

    std::optional<ScaledRows> at(int id) const
    {
        const Statement &scaling = m_model.statement(id);
        if (!scaling.operation || scaling.augmented ||
            scaling.operation->kind != OperationKind::Scalars || !scaling.operation->plain ||
            scaling.operation->mask >= 0 || scaling.operation->steps.size() != 1 ||
            scaling.operation->steps[0].op != "multiply" ||
            !scaling.operation->steps[0].operand.column() || !scaling.operation->data[0].wide() ||
            scaling.operation->data[0].inPsum || !compatibleTypes(keptType(m_model, id), "float32"))
            return std::nullopt;
        ScaledRows found;
        found.scaling = id;
        if (!follow(found, scaling.destination.base, id, false) || found.products.empty() ||
            !sumOf(found))
            return std::nullopt;
        return found;
    }

private:
    // All readers of a tile with scaled rows (turned: with scaled columns).
    bool follow(ScaledRows &found, const std::string &name, int maker, bool turned) const
    {
        if (!found.onTheWay.insert(name).second)
            return false;
        for (const int user : m_model.users(name)) {
            const Statement &statement = m_model.statement(user);
            if (statement.hasBody || user == maker ||
                (statement.operation && statement.operation->kind == OperationKind::Declare))
                continue;
            if (user < maker || statement.writes.contains(name) || !statement.operation ||
                statement.operation->data.empty() || statement.operation->mask >= 0 ||
                statement.operation->data[0].access.base != name || statement.reads.at(name) != 1)
                return false;
            const OperationKind kind = statement.operation->kind;
            if (!turned)
                found.readers.push_back(user);
            if (kind == OperationKind::Matmul && statement.operation->transposeX == turned) {
                found.products.push_back(user);
            } else if (kind == OperationKind::Transpose && !turned && !statement.augmented) {
                if (!follow(found, statement.destination.base, user, true))
                    return false;
            } else if (kind == OperationKind::Copy && turned && !statement.augmented) {
                if (!follow(found, statement.destination.base, user, true))
                    return false;
            } else {
                return false;
            }
        }
        return true;
    }

    // The products are all that goes into one sum, which one copy reads.
    bool sumOf(ScaledRows &found) const
    {
        found.sum = m_model.statement(found.products[0]).destination.base;
        bool declared = false;
        for (const int user : m_model.users(found.sum)) {
            const Statement &statement = m_model.statement(user);
            if (statement.hasBody)
                continue;
            if (std::find(found.products.begin(), found.products.end(), user) !=
                found.products.end()) {
                if (statement.augmented && m_model.tree()[statement.node].text != "+")
                    return false;
                continue;
            }
            if (statement.operation && statement.operation->kind == OperationKind::Declare) {
                declared = statement.operation->function == "zeros";
                continue;
            }
            if (found.eviction >= 0 || !statement.operation ||
                statement.operation->kind != OperationKind::Copy || !statement.operation->plain ||
                statement.operation->data[0].access.base != found.sum)
                return false;
            found.eviction = user;
        }
        const bool oneSum =
            std::all_of(found.products.begin(), found.products.end(), [&](int product) {
                return m_model.statement(product).destination.base == found.sum;
            });
        return oneSum && declared && found.eviction > found.products.back();
    }

    const KernelModel &m_model;
};

class ScaleAfterProduct final : public Rewrite
{
public:
    std::string_view name() const override { return "scale-after-product"; }
    std::string_view precondition() const override
    {
        return "the rows of a tile are multiplied by a column, the tile is read by nothing but "
               "products with it on the left (transposed before, or not), those are all that goes "
               "into one sum in PSUM, and a copy in the same passes takes the sum out";
    }
    std::string_view reason() const override
    {
        return "scaling the rows of a product is the same as scaling the rows of its left side, "
               "and the copy out of PSUM can scale at no cost";
    }
    std::string_view counters() const override
    {
        return "scalar_engine_active_time_percent down, sbuf_write_bytes down";
    }
    std::vector<std::string> keywords() const override
    {
        return {"scale after the product", "normalize after",   "normalise after",
                "delayed normalization",   "deferred division", "divide at the end"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        const ScaledRowsFinder finder(model);
        for (int id = 0; id < static_cast<int>(model.statements().size()); ++id)
            if (const auto found = finder.at(id))
                if (samePassByName(model, *found) || samePassByIndex(model, *found))
                    if (auto proposal = propose(model, *found))
                        result.push_back(std::move(*proposal));
        return result;
    }

private:
    static const Operand &column(const KernelModel &model, const ScaledRows &found)
    {
        return model.statement(found.scaling).operation->steps[0].operand;
    }

    // Names bound in one block: each pass has its own tile, column and sum.
    static bool samePassByName(const KernelModel &model, const ScaledRows &found)
    {
        const Statement &scaling = model.statement(found.scaling);
        const Statement &eviction = model.statement(found.eviction);
        if (scaling.block != eviction.block || !bindsName(model, found.scaling) ||
            !column(model, found).access.whole ||
            !model.unchanged(column(model, found), found.scaling, found.eviction) ||
            !model.unchanged(scaling.operation->data[0], found.scaling, found.eviction))
            return false;
        const auto users = model.users(found.sum);
        return std::any_of(users.begin(), users.end(), [&](int id) {
            const Statement &made = model.statement(id);
            return made.operation && made.operation->kind == OperationKind::Declare &&
                   made.block == eviction.block;
        });
    }

    static bool bindsName(const KernelModel &model, int id)
    {
        const NodeId target = model.statement(id).destination.node;
        return target >= 0 && model.tree()[target].kind == NodeKind::Name;
    }

    // Tensors with block axes: every access has an axis for each loop around the copy.
    static bool samePassByIndex(const KernelModel &model, const ScaledRows &found)
    {
        const Statement &scaling = model.statement(found.scaling);
        const Operand &x = scaling.operation->data[0];
        std::set<std::string> names = found.onTheWay;
        names.insert(found.sum);
        names.insert(column(model, found).access.base);
        for (const std::string &name : names)
            if (!model.declarations().contains(name))
                return false;
        for (const int loop : model.loopsAround(found.eviction)) {
            const std::string &variable = model.loops()[static_cast<std::size_t>(loop)].variable;
            if (!model.inside(found.scaling, loop))
                return false;
            for (std::size_t id = 0; id < model.statements().size(); ++id)
                for (const Touch &touch : model.statements()[id].touches)
                    if (names.contains(touch.access.base) &&
                        !isDeclaration(model.statements()[id]) &&
                        !hasAxisFor(touch.access, variable))
                        return false;
        }
        // The column means the same at the copy, and is not made anew before it.
        for (int loop : model.loopsAround(found.scaling)) {
            const std::string &variable = model.loops()[static_cast<std::size_t>(loop)].variable;
            if (!model.inside(found.eviction, loop) &&
                !model.mentions(column(model, found).node, variable).empty())
                return false;
        }
        for (int id = found.scaling; id < found.eviction; ++id)
            if (!model.statement(id).hasBody &&
                (model.statement(id).writes.contains(column(model, found).access.base) ||
                 model.statement(id).writes.contains(x.access.base)))
                return false;
        // What reads the scaled rows can read the others where they are scaled.
        for (const int reader : found.readers)
            if (!model.inside(reader, scaling.loop) ||
                !readsPart(scaling.destination, model.statement(reader).operation->data[0].access))
                return false;
        return !x.access.indices.empty() && !scaling.destination.indices.empty() &&
               sameIndex(x.access.indices.back(), scaling.destination.indices.back()) &&
               startsAtZero(x.access.indices.back());
    }

    static bool isDeclaration(const Statement &statement)
    {
        return statement.operation && statement.operation->kind == OperationKind::Declare;
    }

    static bool hasAxisFor(const Access &access, const std::string &variable)
    {
        return std::any_of(access.indices.begin(), access.indices.end(),
                           [&](const AxisIndex &index) {
                               return index.known && index.lanes.empty() &&
                                      index.offset == Symbolic::named(variable);
                           });
    }

    static bool startsAtZero(const AxisIndex &index)
    {
        return index.known && index.offset == Symbolic(0) && index.lanes.size() == 1;
    }

    // Equal but for the last axis.
    static bool readsPart(const Access &written, const Access &read)
    {
        if (written.indices.size() != read.indices.size() || written.indices.empty())
            return false;
        return std::equal(written.indices.begin(), written.indices.end() - 1, read.indices.begin(),
                          sameIndex);
    }

    static std::optional<Proposal> propose(const KernelModel &model, const ScaledRows &found)
    {
        const Statement &scaling = model.statement(found.scaling);
        const Statement &eviction = model.statement(found.eviction);
        const Operand &x = scaling.operation->data[0];
        Proposal proposal = proposalAt(model, found.scaling);
        SourceEdits &edits = proposal.edits;
        for (const int reader : found.readers) {
            const Operand &read = model.statement(reader).operation->data[0];
            if (bindsName(model, found.scaling)) {
                if (!x.access.whole || model.tree()[x.node].kind != NodeKind::Name)
                    return std::nullopt;
                for (const NodeId mention : model.mentions(read.node, scaling.destination.base))
                    edits.replace(mention, textOf(model, x));
            } else {
                edits.replace(
                    read.node,
                    textWith(model, x.node,
                             {{x.access.indices.back().node,
                               std::string(model.text(read.access.indices.back().node))}}));
            }
        }
        edits.replace(eviction.operation->node,
                      CallText(model, edits, "nl.multiply")
                          .positional(textOf(model, eviction.operation->data[0]))
                          .positional(textOf(model, column(model, found)))
                          .like(*eviction.operation)
                          .text());
        removeWithDeclaration(model, edits, found.scaling);
        proposal.change -= costOf(model, scaling) * model.executions(found.scaling);
        proposal.title = fmt::format("Scale {} instead of the rows {} that go into it",
                                     nameOf(eviction), nameOf(scaling));
        proposal.prose = fmt::format(
            "{} ({}) multiplies rows by the column {} before they go into the products summed in "
            "{}. Use {} in the products, and multiply the sum by the column when it is copied out "
            "({}).",
            nameOf(scaling), lineOf(model, found.scaling), column(model, found).access.base,
            found.sum, x.access.base, lineOf(model, found.eviction));
        return proposal;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeScaleAfterProduct()
{
    return std::make_unique<ScaleAfterProduct>();
}

} // namespace accelopt::rewrite
