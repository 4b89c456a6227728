// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/Tuner.h"

#include "core/rewrite/rewrites/Support.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <optional>

namespace accelopt::agents {

using nki::NodeId;
using nki::NodeKind;
using nlohmann::json;
using namespace rewrite;

namespace {

constexpr std::int64_t kMostPartitions = 128;
constexpr std::int64_t kMostColumns = 512;
constexpr std::size_t kMostValues = 6;

double speedupOf(const EngineLoad &now, const EngineLoad &change)
{
    EngineLoad after = now;
    after += change;
    for (double *engine : {&after.tensor, &after.vector, &after.scalar, &after.dma})
        *engine = std::max(*engine, 0.0);
    return latencyMs(now) / latencyMs(after);
}

std::int64_t known(const std::optional<Symbolic> &size)
{
    return size ? size->constant().value_or(0) : 0;
}

// --- Constants -----------------------------------------------------------------------------------

/// What is cut into tiles of a constant's size.
struct Cuts
{
    std::int64_t extent = 0; ///< greatest common divisor of all whole extents; 0: none is known
    bool partial = false;    ///< some extent is no multiple now, so none has to be
    /// Where the last tile is cut off, as in (rows + tile - 1) // tile: what there is in all.
    std::vector<std::int64_t> cutOff;
};

Cuts cutsOf(const KernelModel &model, const std::string &name, std::int64_t value)
{
    Cuts cuts;
    for (const NodeId mention : model.mentions(model.function(), name)) {
        const nki::Node &node = model.tree()[model.tree()[mention].parent];
        if (node.kind != NodeKind::BinOp || (node.text != "//" && node.text != "%") ||
            node.children[1] != mention)
            continue;
        const auto whole = model.constantSize(node.children[0]);
        if (!whole)
            continue;
        const bool roundedUp = !model.mentions(node.children[0], name).empty();
        if (roundedUp && (*whole - (value - 1)) % value != 0)
            cuts.cutOff.push_back(*whole - (value - 1));
        if (*whole % value != 0)
            cuts.partial = true;
        else
            cuts.extent = std::gcd(cuts.extent, *whole);
    }
    return cuts;
}

std::vector<std::int64_t> valuesFor(std::int64_t value, const Cuts &cuts)
{
    std::vector<std::int64_t> values;
    const auto offer = [&](std::int64_t one) {
        if (one > 0 && one != value && one >= value / 8 && one <= value * 16 &&
            std::find(values.begin(), values.end(), one) == values.end())
            values.push_back(one);
    };
    if (cuts.extent > 0 && !cuts.partial) {
        for (std::int64_t count = 1; count <= 256 && count <= cuts.extent; ++count)
            if (cuts.extent % count == 0)
                offer(cuts.extent / count);
    } else {
        // Slightly smaller tiles that leave none half empty.
        for (const std::int64_t all : cuts.cutOff)
            for (std::int64_t one = value - 1; one >= value * 3 / 4; --one)
                if (all % one == 0) {
                    offer(one);
                    break;
                }
        for (std::int64_t factor = 2; factor <= 8; factor *= 2) {
            offer(value * factor);
            if (value % factor == 0)
                offer(value / factor);
        }
    }
    const auto distance = [value](std::int64_t one) {
        return std::abs(std::log2(static_cast<double>(one) / static_cast<double>(value)));
    };
    // Of two neighbours at the same distance the larger one: it saves instructions.
    std::sort(values.begin(), values.end(), [&](std::int64_t a, std::int64_t b) {
        return std::pair(distance(a), -a) < std::pair(distance(b), -b);
    });
    if (values.size() > kMostValues)
        values.resize(kMostValues);
    return values;
}

bool withinLimits(const KernelModel &model)
{
    for (const auto &[name, declaration] : model.declarations())
        if (declaration.memory != "hbm" && declaration.memory != "shared_hbm" &&
            (known(declaration.tile.partitions) > kMostPartitions ||
             (declaration.memory == "psum" && known(declaration.tile.elements) > kMostColumns)))
            return false;
    for (const Statement &statement : model.statements()) {
        if (!statement.operation)
            continue;
        const Operation &operation = *statement.operation;
        if (operation.kind != OperationKind::Declare &&
            known(statement.shape.partitions) > kMostPartitions)
            return false;
        if (operation.kind == OperationKind::Matmul && operation.data.size() > 1 &&
            (known(operation.data[1].shape.elements) > kMostColumns ||
             (operation.transposeX && known(operation.data[0].shape.elements) > kMostPartitions)))
            return false;
    }
    return true;
}

/// Elements that a load or store touches over all passes of the loops it depends on; nothing where
/// that is not known or a mask decides.
std::optional<double> covered(const KernelModel &model, int id)
{
    const Statement &statement = model.statement(id);
    if (!statement.operation || statement.operation->mask >= 0 ||
        (statement.operation->kind != OperationKind::Load &&
         statement.operation->kind != OperationKind::Store))
        return std::nullopt;
    const bool load = statement.operation->kind == OperationKind::Load;
    const TileShape &shape = load && !statement.operation->data.empty()
                                 ? statement.operation->data[0].shape
                                 : statement.shape;
    double elements = static_cast<double>(known(shape.partitions) * known(shape.elements));
    if (elements <= 0)
        return std::nullopt;
    for (const int loop : model.loopsAround(id)) {
        if (!statement.reads.contains(model.loops()[static_cast<std::size_t>(loop)].variable))
            continue;
        const auto trips = model.trips(loop);
        if (!trips)
            return std::nullopt;
        elements *= static_cast<double>(*trips);
    }
    return elements;
}

/// False when a load or store would leave out elements, or touch some twice, that it did not
/// before: the kernel steps by one size and works on tiles of another.
bool coversTheSame(const KernelModel &before, const KernelModel &after)
{
    if (before.statements().size() != after.statements().size())
        return false;
    for (int id = 0; id < static_cast<int>(before.statements().size()); ++id) {
        const auto was = covered(before, id);
        const auto is = covered(after, id);
        if (was && is && *was != *is)
            return false;
    }
    return true;
}

/// How many partitions of a declared tile a region names; 0 where that is not known.
std::int64_t partitionsAt(const Access &region, const Declaration &made)
{
    const auto axis = static_cast<std::size_t>(made.partitionAxis);
    if (region.whole || axis >= region.indices.size() || !region.indices[axis].known ||
        region.indices[axis].lanes.size() != 1)
        return 0;
    return region.indices[axis].lanes.front().size.constant().value_or(0);
}

/// Partitions of what an operation works on that leaves them as they are; 0 where that is not known
/// or another operation.
std::int64_t partitionsGiven(const Operation &operation)
{
    switch (operation.kind) {
    case OperationKind::Load:
    case OperationKind::Copy:
    case OperationKind::Activation:
    case OperationKind::Scalars:
    case OperationKind::Tensors:
    case OperationKind::ScalarTensor:
    case OperationKind::Reciprocal:
        return operation.data.empty() ? 0 : known(operation.data.front().shape.partitions);
    default: return 0;
    }
}

/// False when a statement would write another number of partitions, or a whole tile of another
/// width, than the tile or the region it writes to has, which fitted before: a size is written out
/// there and does not follow.
bool fitsAsBefore(const KernelModel &before, const KernelModel &after)
{
    const auto misfit = [](const KernelModel &model, int id) -> std::optional<bool> {
        const Statement &statement = model.statement(id);
        if (!statement.operation || statement.operation->kind == OperationKind::Declare)
            return std::nullopt;
        const auto made = model.declarations().find(statement.destination.base);
        if (made == model.declarations().end() || made->second.memory == "hbm" ||
            made->second.memory == "shared_hbm")
            return std::nullopt;
        const TileShape &tile = made->second.tile;
        const std::int64_t rows = known(statement.shape.partitions);
        const std::int64_t columns = known(statement.shape.elements);
        if (rows <= 0 || known(tile.partitions) <= 0)
            return std::nullopt;
        const std::int64_t region = partitionsAt(statement.destination, made->second);
        const std::int64_t given = partitionsGiven(*statement.operation);
        return rows != known(tile.partitions) || (region > 0 && rows != region) ||
               (given > 0 && rows != given) ||
               (statement.destination.whole && columns > 0 && known(tile.elements) > 0 &&
                columns != known(tile.elements));
    };
    if (before.statements().size() != after.statements().size())
        return false;
    for (int id = 0; id < static_cast<int>(before.statements().size()); ++id)
        if (misfit(before, id) == false && misfit(after, id) == true)
            return false;
    return true;
}

void addConstants(const KernelModel &model, const EngineLoad &now, std::vector<Setting> &result)
{
    const EngineLoad before = estimate(model);
    for (const auto &[name, constant] : model.namedConstants()) {
        const auto [value, statement] = constant;
        if (value < 2 || model.context().constants.contains(name) || decidesNothing(model, name))
            continue;
        const nki::Node &assignment = model.tree()[model.statement(statement).node];
        if (assignment.kind != NodeKind::Assign || assignment.children.size() != 2 ||
            model.tree()[assignment.children[0]].kind != NodeKind::Constant)
            continue;
        const Cuts cuts = cutsOf(model, name, value);
        for (const std::int64_t other : valuesFor(value, cuts)) {
            ModelContext context = model.context();
            context.constants[name] = other;
            const Result<KernelModel> after = KernelModel::build(model.tree(), context);
            if (!after || !withinLimits(*after) || !fitsAsBefore(model, *after) ||
                (!cuts.partial && !coversTheSame(model, *after)))
                continue;
            Proposal proposal = proposalAt(model, statement);
            proposal.parameters = {{"constant", name}, {"from", value}, {"value", other}};
            proposal.edits.replace(assignment.children[0], std::to_string(other));
            proposal.change = estimate(*after);
            proposal.change -= before;
            proposal.title = fmt::format("Set {} to {} instead of {}", name, other, value);
            proposal.prose =
                fmt::format("Set {} ({}) to {} instead of {} and leave all else as it "
                            "is: how large a tile should be is for the profile to say.",
                            name, lineOf(model, statement), other, value);
            const double speedup = speedupOf(now, proposal.change);
            result.push_back({turningOf(proposal.parameters), std::move(proposal), speedup});
        }
    }
}

// --- Engines -------------------------------------------------------------------------------------

void addEngines(const KernelModel &model, const EngineLoad &now, std::vector<Setting> &result)
{
    for (int id = 0; id < static_cast<int>(model.statements().size()); ++id) {
        const Statement &statement = model.statement(id);
        if (!statement.operation || (statement.operation->callee != "nisa.tensor_scalar" &&
                                     statement.operation->callee != "nisa.tensor_copy"))
            continue;
        const auto keyword = statement.operation->keywords.find("engine");
        if (keyword == statement.operation->keywords.end())
            continue;
        const std::string text = model.normalized(keyword->second);
        const EngineLoad cost = costOf(model, statement) * model.executions(id);
        const double width = statement.shape.width();
        for (const char *engine : {"vector_engine", "scalar_engine"}) {
            const bool scalar = std::string_view(engine) == "scalar_engine";
            // Only from the busier engine to the other.
            if (text.find(engine) != std::string::npos ||
                (scalar ? now.scalar >= now.vector : now.vector >= now.scalar))
                continue;
            Proposal proposal = proposalAt(model, id);
            proposal.parameters = {{"engine", engine},
                                   {"statement", id},
                                   {"line", model.tree()[statement.node].place.line}};
            proposal.edits.replace(keyword->second,
                                   spelled(model, proposal.edits, "nisa." + std::string(engine)));
            proposal.change -= cost;
            if (scalar)
                proposal.change.scalar += scalarMs(width) * model.executions(id);
            else
                proposal.change.vector += vectorMs(width) * model.executions(id);
            proposal.title = fmt::format("Give {} to the {} engine", nameOf(statement),
                                         scalar ? "scalar" : "vector");
            proposal.prose =
                fmt::format("Let the {} engine, which is less busy, compute {} ({}).",
                            scalar ? "scalar" : "vector", nameOf(statement), lineOf(model, id));
            const double speedup = speedupOf(now, proposal.change);
            if (speedup > 1)
                result.push_back({turningOf(proposal.parameters), std::move(proposal), speedup});
        }
    }
}

} // namespace

bool decidesNothing(const KernelModel &model, const std::string &constant)
{
    const auto bound = model.namedConstant(constant);
    for (NodeId at : model.mentions(model.function(), constant)) {
        while (at >= 0 && at != model.function() && model.tree()[at].kind != NodeKind::Assert &&
               !(bound && at == model.statement(bound->second).node))
            at = model.tree()[at].parent;
        if (at < 0 || at == model.function())
            return false;
    }
    return true;
}

std::vector<Setting> settings(const KernelModel &model, const EngineLoad &now)
{
    std::vector<Setting> result;
    addConstants(model, now, result);
    addEngines(model, now, result);
    return result;
}

Result<std::string> applySetting(const KernelModel &model, const json &parameters)
{
    // Which engine is busier decides what is offered, not what can be done.
    for (const EngineLoad &now : {EngineLoad{0, 1, 0, 0}, EngineLoad{0, 0, 1, 0}})
        for (const Setting &setting : settings(model, now))
            if (setting.proposal.parameters == parameters)
                return setting.proposal.edits.apply();
    return fail(ErrorCode::WrongUse,
                "there is nothing to set like that in this kernel (" + parameters.dump() + ")",
                "Tile sizes bound to a name and engine= arguments can be set.");
}

Turning turningOf(const json &parameters)
{
    Turning turning;
    if (!parameters.is_object())
        return turning;
    for (const char *kind : {"constant", "engine"}) {
        const auto found = parameters.find(kind);
        if (found == parameters.end())
            continue;
        turning.knob = kind;
        if (found->is_string() && turning.knob != "engine")
            turning.knob += " " + found->get<std::string>();
        break;
    }
    const auto from = parameters.find("from");
    const auto value = parameters.find("value");
    if (from != parameters.end() && value != parameters.end() && from->is_number() &&
        value->is_number() && from->get<double>() > 0 && value->get<double>() > 0) {
        turning.direction = std::log2(value->get<double>() / from->get<double>());
        turning.from = from->get<double>();
    }
    return turning;
}

} // namespace accelopt::agents
