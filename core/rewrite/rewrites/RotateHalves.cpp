// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rewrites/Support.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace accelopt::rewrite {
namespace {

using nki::NodeId;
using nki::NodeKind;

constexpr std::int64_t kMostHalf = 64; ///< partitions of which two fit on top of each other

/// y[h] = x[h] * c + sign[h] * x[1 - h] * s for the two halves h.
struct Rotation
{
    std::array<int, 2> results{-1, -1};
    std::array<Operand, 2> halves; ///< x
    Operand along;                 ///< c
    Operand across;                ///< s
    std::array<double, 2> signs{1, 1};
    std::array<int, 4> products{-1, -1, -1, -1};
    std::int64_t half = 0;
    std::int64_t width = 0;
    std::string columns; ///< the width as the kernel spells it
};

/// Where the tile of both halves comes from.
struct Source
{
    std::vector<int> loads;    ///< of the halves, in order; empty when one tile holds both already
    std::string tile;          ///< its text then
    std::vector<int> leftover; ///< statements that are of no use afterwards
};

class RotationFinder
{
public:
    explicit RotationFinder(const KernelModel &model) : m_model(model) {}

    std::optional<Rotation> at(int first) const
    {
        const auto one = termsOf(first);
        if (!one)
            return std::nullopt;
        const Statement &statement = m_model.statement(first);
        for (const int second : m_model.block(statement.block))
            if (second > first)
                if (const auto two = termsOf(second))
                    if (auto found = matched(first, *one, second, *two))
                        return found;
        return std::nullopt;
    }

private:
    /// A sum or difference of two products of tiles, each product read by nothing else.
    struct Terms
    {
        std::array<int, 2> products{-1, -1};
        double sign = 1; ///< of the second product
    };

    std::optional<Terms> termsOf(int id) const
    {
        const Statement &sum = m_model.statement(id);
        if (!sum.operation || sum.augmented || sum.operation->kind != OperationKind::Tensors ||
            (sum.operation->function != "add" && sum.operation->function != "subtract") ||
            !sum.operation->plain || sum.operation->mask >= 0)
            return std::nullopt;
        Terms terms;
        terms.sign = sum.operation->function == "add" ? 1 : -1;
        for (std::size_t i = 0; i < 2; ++i) {
            const int product = mergeable(m_model, sum.operation->data[i], id);
            if (product < 0)
                return std::nullopt;
            const Operation &made = *m_model.statement(product).operation;
            if (made.kind != OperationKind::Tensors || made.function != "multiply")
                return std::nullopt;
            terms.products[i] = product;
        }
        return terms;
    }

    const Operation &product(int id) const { return *m_model.statement(id).operation; }

    static bool same(const Operand &a, const Operand &b) { return sameRegion(a.access, b.access); }

    // Tries every way to read the four products as x0 c, x1 s, x1 c, x0 s.
    std::optional<Rotation> matched(int first, const Terms &one, int second, const Terms &two) const
    {
        for (std::size_t own = 0; own < 2; ++own)
            for (std::size_t x = 0; x < 2; ++x)
                for (std::size_t own2 = 0; own2 < 2; ++own2) {
                    Rotation found;
                    found.results = {first, second};
                    const Operation &direct = product(one.products[own]);
                    found.halves[0] = direct.data[x];
                    found.along = direct.data[1 - x];
                    found.products = {one.products[own], one.products[1 - own], two.products[own2],
                                      two.products[1 - own2]};
                    // A difference must subtract the product across.
                    if ((one.sign < 0 && own == 1) || (two.sign < 0 && own2 == 1))
                        continue;
                    found.signs = {one.sign, two.sign};
                    if (complete(found))
                        return found;
                }
        return std::nullopt;
    }

    bool complete(Rotation &found) const
    {
        const Operation &direct = product(found.products[2]);
        const Operation &across = product(found.products[1]);
        const Operation &back = product(found.products[3]);
        for (std::size_t x = 0; x < 2; ++x)
            for (std::size_t y = 0; y < 2; ++y)
                for (std::size_t z = 0; z < 2; ++z) {
                    if (!same(direct.data[1 - x], found.along) ||
                        !same(across.data[y], direct.data[x]) ||
                        !same(back.data[z], found.halves[0]) ||
                        !same(back.data[1 - z], across.data[1 - y]))
                        continue;
                    found.halves[1] = direct.data[x];
                    found.across = across.data[1 - y];
                    if (!same(found.halves[0], found.halves[1]) &&
                        !same(found.along, found.across) && measured(found))
                        return true;
                }
        return false;
    }

    bool measured(Rotation &found) const
    {
        for (const Operand *operand :
             {&found.halves[0], &found.halves[1], &found.along, &found.across}) {
            const std::int64_t partitions = extent(operand->shape.partitions);
            const std::int64_t width = extent(operand->shape.elements);
            if (!operand->tile() || operand->inPsum || partitions == 0 || width == 0 ||
                (found.half != 0 && (found.half != partitions || found.width != width)))
                return false;
            found.half = partitions;
            found.width = width;
        }
        return found.half <= kMostHalf && found.half % 32 == 0 && found.width <= kBankElements;
    }

    static std::int64_t extent(const std::optional<Symbolic> &size)
    {
        return size ? size->constant().value_or(0) : 0;
    }

    const KernelModel &m_model;
};

class RotateHalves final : public Rewrite
{
public:
    std::string_view name() const override { return "rotate-on-tensor-engine"; }
    std::string_view precondition() const override
    {
        return "two tiles of at most 64 partitions and 512 columns, halves of one, are combined as "
               "x0 c + x1 s and x1 c + x0 s (either sum may be a difference), all float32; c and s "
               "are loaded tiles, and nothing else reads the products";
    }
    std::string_view reason() const override
    {
        return "with both halves in one tile the products fill all partitions, two instead of "
               "four; the tensor engine adds them, a permutation matrix turning one, exactly";
    }
    std::string_view counters() const override
    {
        return "vector_engine_active_time_percent down, tensor engine up, hardware_flops up";
    }
    std::vector<std::string> keywords() const override
    {
        return {"both halves in one tile", "permutation matrix", "rotate the halves",
                "all partitions"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        const RotationFinder finder(model);
        for (int id = 0; id < static_cast<int>(model.statements().size()); ++id)
            if (const auto found = finder.at(id))
                if (auto proposal = propose(model, *found))
                    result.push_back(std::move(*proposal));
        return result;
    }

private:
    /// The statement that binds the name of an operand for this use: the last one before it.
    static int binding(const KernelModel &model, const Operand &operand, int use)
    {
        if (!operand.access.whole || model.tree()[operand.node].kind != NodeKind::Name)
            return -1;
        const std::vector<int> &siblings = model.block(model.statement(use).block);
        for (int position = model.statement(use).position - 1; position >= 0; --position) {
            const int id = siblings[static_cast<std::size_t>(position)];
            if (model.statement(id).writes.contains(operand.access.base))
                return model.tree()[model.statement(id).destination.node].kind == NodeKind::Name &&
                               !model.statement(id).augmented
                           ? id
                           : -1;
        }
        return -1;
    }

    /// The same for an operand of two products, when both read the same value.
    static int binding(const KernelModel &model, const Operand &operand, int use, int otherUse)
    {
        const int made = binding(model, operand, use);
        return made == binding(model, operand, otherUse) ? made : -1;
    }

    /// Nothing but these statements reads the name that `made` binds.
    static bool readOnlyBy(const KernelModel &model, int made, const std::array<int, 4> &readers)
    {
        const std::string &name = model.statement(made).destination.base;
        const auto users = model.users(name);
        return std::all_of(users.begin(), users.end(), [&](int id) {
            const Statement &user = model.statement(id);
            return user.hasBody || !user.reads.contains(name) ||
                   std::find(readers.begin(), readers.end(), id) != readers.end();
        });
    }

    static bool isLoad(const KernelModel &model, int id)
    {
        const Statement &statement = model.statement(id);
        return id >= 0 && statement.operation && statement.operation->kind == OperationKind::Load &&
               statement.operation->plain && statement.operation->mask < 0 &&
               compatibleTypes(statement.operation->dtype, "float32");
    }

    static std::optional<Source> sourceOf(const KernelModel &model, const Rotation &found)
    {
        std::array<int, 2> made{};
        for (std::size_t h = 0; h < 2; ++h) {
            made[h] = binding(model, found.halves[h], found.products[h], found.products[3 - h]);
            if (made[h] < 0 || !readOnlyBy(model, made[h], found.products))
                return std::nullopt;
        }
        if (isLoad(model, made[0]) && isLoad(model, made[1]))
            return Source{{made[0], made[1]}, {}, {}};
        return stackedAlready(model, found, made);
    }

    // Names of, or copies from, the two halves of one tile.
    static std::optional<Source> stackedAlready(const KernelModel &model, const Rotation &found,
                                                const std::array<int, 2> &made)
    {
        std::array<const Access *, 2> parts{};
        for (std::size_t h = 0; h < 2; ++h) {
            const Statement &statement = model.statement(made[h]);
            if (statement.operation && statement.operation->kind != OperationKind::Copy)
                return std::nullopt;
            for (const Touch &touch : statement.touches)
                if (!touch.write && !touch.access.whole && !touch.access.indices.empty() &&
                    model.declarations().contains(touch.access.base))
                    parts[h] = &touch.access;
            if (!parts[h] || parts[h]->base != parts[0]->base || parts[h]->indices.size() != 2)
                return std::nullopt;
            const AxisIndex &rows = parts[h]->indices[0];
            const Lane whole{0, 1, Symbolic(found.half)};
            if (!rows.known || rows.lanes != std::vector<Lane>{whole} ||
                !(rows.offset == Symbolic(static_cast<std::int64_t>(h) * found.half)))
                return std::nullopt;
        }
        const Declaration &tile = model.declarations().at(parts[0]->base);
        if (tile.dimensions.size() != 2 || tile.partitionAxis != 0 ||
            !(tile.dimensions[0] == Symbolic(2 * found.half)) ||
            !(tile.dimensions[1] == Symbolic(found.width)) || tile.memory == "psum" ||
            !sameIndex(parts[0]->indices[1], parts[1]->indices[1]))
            return std::nullopt;
        // It must not change on the way.
        const Statement &first = model.statement(std::min(made[0], made[1]));
        for (const int id : model.block(first.block))
            if (id > std::min(made[0], made[1]) &&
                id < std::max(found.results[0], found.results[1]) &&
                model.statement(id).writes.contains(parts[0]->base))
                return std::nullopt;
        return Source{{}, parts[0]->base, {made[0], made[1]}};
    }

    static std::optional<Proposal> propose(const KernelModel &model, Rotation found)
    {
        const auto source = sourceOf(model, found);
        const int along = binding(model, found.along, found.products[0], found.products[2]);
        const int across = binding(model, found.across, found.products[1], found.products[3]);
        if (!source || !isLoad(model, along) || !isLoad(model, across) ||
            !readOnlyBy(model, along, found.products) ||
            !readOnlyBy(model, across, found.products) ||
            keptType(model, found.results[0]).find("16") != std::string::npos)
            return std::nullopt;

        found.columns = columnsText(model, model.statement(along).node, *source, found);
        const int last = std::max(found.results[0], found.results[1]);
        const int early = std::min(found.results[0], found.results[1]);
        Proposal proposal = proposalAt(model, early);
        SourceEdits &edits = proposal.edits;
        const std::string both =
            source->tile.empty() ? model.freshName("both_halves") : source->tile;
        if (source->tile.empty())
            stackLoads(model, edits, both, source->loads, found);
        for (const int gone : source->leftover)
            edits.remove(model.statement(gone).node);
        std::array<std::string, 2> factors;
        for (std::size_t i = 0; i < 2; ++i) {
            const int load = i == 0 ? along : across;
            factors[i] = model.freshName(model.statement(load).destination.base + "_twice");
            repeatLoad(model, edits, factors[i], load, found);
        }
        addMatrices(model, edits, early, found);

        const std::string sum = model.freshName("rotated");
        const std::string product = spelled(model, edits, "nisa.nc_matmul");
        const std::string multiply = spelled(model, edits, "nl.multiply");
        std::vector<std::string> lines{fmt::format(
            "{} = {}(({}({}), {}), dtype={}, buffer={})", sum, spelled(model, edits, "nl.zeros"),
            spelled(model, edits, "nl.par_dim"), 2 * found.half, found.columns,
            spelled(model, edits, "nl.float32"), spelled(model, edits, "nl.psum"))};
        const std::array<std::string, 2> matrices{identityName(model), turnName(model)};
        for (std::size_t i = 0; i < 2; ++i) {
            const std::string part = model.freshName(i == 0 ? "part_along" : "part_across");
            lines.push_back(fmt::format("{} = {}({}, {})", part, multiply, both, factors[i]));
            lines.push_back(fmt::format("{} += {}({}, {})", sum, product, matrices[i], part));
        }
        edits.insertBefore(model.statement(early).node, lines);
        for (std::size_t h = 0; h < 2; ++h)
            edits.replace(model.statement(found.results[h]).operation->node,
                          fmt::format("{}({}[{}:{}, 0:{}])", spelled(model, edits, "nl.copy"), sum,
                                      static_cast<std::int64_t>(h) * found.half,
                                      static_cast<std::int64_t>(h + 1) * found.half,
                                      found.columns));
        for (const int one : found.products)
            removeWithDeclaration(model, edits, one);

        account(model, found, *source, proposal);
        proposal.title = fmt::format("Rotate {} and {} on the tensor engine",
                                     nameOf(model.statement(early)), nameOf(model.statement(last)));
        proposal.prose = fmt::format(
            "{} ({}) and {} ({}) combine two tiles of {} partitions with {} and {}. Put both "
            "halves into one tile of {} partitions, {} and {} into both halves of theirs, form two "
            "products instead of four, and add them in PSUM: one through the identity, the other "
            "through a matrix that swaps the halves with the signs of the sums.",
            nameOf(model.statement(early)), lineOf(model, early), nameOf(model.statement(last)),
            lineOf(model, last), found.half, found.along.access.base, found.across.access.base,
            2 * found.half, found.along.access.base, found.across.access.base);
        return proposal;
    }

    static std::string identityName(const KernelModel &model)
    {
        return model.freshName("identity");
    }
    static std::string turnName(const KernelModel &model) { return model.freshName("turn"); }

    // The width by the name that the kernel gives it, so that it can still be tuned.
    static std::string columnsText(const KernelModel &model, NodeId load, const Source &source,
                                   const Rotation &found)
    {
        if (!source.tile.empty()) {
            const NodeId dimension = model.declarations().at(source.tile).dimensionNodes[1];
            if (model.tree()[dimension].kind == NodeKind::Name)
                return std::string(model.text(dimension));
        }
        return sizeText(model, load, found.width);
    }

    static std::string declared(const KernelModel &model, SourceEdits &edits,
                                const std::string &tile, const Rotation &found)
    {
        return fmt::format("{} = {}(({}({}), {}), dtype={}, buffer={})", tile,
                           spelled(model, edits, "nl.ndarray"), spelled(model, edits, "nl.par_dim"),
                           2 * found.half, found.columns, spelled(model, edits, "nl.float32"),
                           spelled(model, edits, "nl.sbuf"));
    }

    static std::string rows(const std::string &tile, std::int64_t half, const Rotation &found)
    {
        return fmt::format("{}[{}:{}, 0:{}]", tile, half * found.half, (half + 1) * found.half,
                           found.columns);
    }

    static void stackLoads(const KernelModel &model, SourceEdits &edits, const std::string &tile,
                           const std::vector<int> &loads, const Rotation &found)
    {
        const int first = std::min(loads[0], loads[1]);
        edits.insertBefore(model.statement(first).node, {declared(model, edits, tile, found)});
        for (std::size_t h = 0; h < 2; ++h)
            edits.replace(model.statement(loads[h]).destination.node,
                          rows(tile, static_cast<std::int64_t>(h), found));
    }

    static void repeatLoad(const KernelModel &model, SourceEdits &edits, const std::string &tile,
                           int load, const Rotation &found)
    {
        const NodeId node = model.statement(load).node;
        edits.insertBefore(node, {declared(model, edits, tile, found)});
        edits.replace(model.statement(load).destination.node, rows(tile, 0, found));
        edits.insertAfter(node,
                          {fmt::format("{} = {}({})", rows(tile, 1, found),
                                       spelled(model, edits, "nl.copy"), rows(tile, 0, found))});
    }

    // The identity, and the matrix that swaps the halves: result h takes half 1 - h with its sign.
    static void addMatrices(const KernelModel &model, SourceEdits &edits, int use,
                            const Rotation &found)
    {
        const std::string identity = identityName(model);
        const std::string turn = turnName(model);
        const std::int64_t half = found.half;
        const std::string maker = spelled(model, edits, "np.identity");
        const auto block = [&](std::int64_t h) {
            return fmt::format("{}[{}:{}, {}:{}]", identity, h * half, (h + 1) * half, h * half,
                               (h + 1) * half);
        };
        std::vector<std::string> lines{
            fmt::format("{} = {}({}({}({}, dtype={}.float32)))", identity,
                        spelled(model, edits, "nl.load"),
                        spelled(model, edits, "nl.shared_constant"), maker, 2 * half,
                        maker.substr(0, maker.rfind('.'))),
            fmt::format("{} = {}(({}({}), {}), dtype={}, buffer={})", turn,
                        spelled(model, edits, "nl.zeros"), spelled(model, edits, "nl.par_dim"),
                        2 * half, 2 * half, spelled(model, edits, "nl.float32"),
                        spelled(model, edits, "nl.sbuf"))};
        for (std::int64_t from = 0; from < 2; ++from) {
            const std::int64_t to = 1 - from;
            const std::string target = fmt::format("{}[{}:{}, {}:{}] = ", turn, from * half,
                                                   (from + 1) * half, to * half, (to + 1) * half);
            if (found.signs[static_cast<std::size_t>(to)] > 0)
                lines.push_back(target + spelled(model, edits, "nl.copy") + "(" + block(from) +
                                ")");
            else
                lines.push_back(target + spelled(model, edits, "nl.multiply") + "(" + block(from) +
                                ", -1.0)");
        }
        const int place = outermostStatement(model, use);
        edits.insertBefore(model.statement(place).node, lines);
    }

    static void account(const KernelModel &model, const Rotation &found, const Source &source,
                        Proposal &proposal)
    {
        const double times = model.executions(found.results[0]);
        const auto width = static_cast<double>(found.width);
        for (const int one : found.products)
            proposal.change -= costOf(model, model.statement(one)) * times;
        for (const int one : found.results)
            proposal.change -= costOf(model, model.statement(one)) * times;
        for (const int one : source.leftover)
            if (model.statement(one).operation)
                proposal.change.scalar -= scalarMs(width) * times;
        proposal.change.vector += 2 * vectorMs(width, 2) * times;
        proposal.change.tensor += 2 * tensorMs(width) * times;
        proposal.change.scalar += 4 * scalarMs(width) * times;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeRotateHalves()
{
    return std::make_unique<RotateHalves>();
}

} // namespace accelopt::rewrite
