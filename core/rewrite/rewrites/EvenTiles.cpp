// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/Dependence.h"
#include "core/rewrite/rewrites/Support.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <set>

namespace accelopt::rewrite {
namespace {

using nki::NodeId;
using nki::NodeKind;

// What stands for the places of nl.arange in a sum.
const std::string kPlaces = "[places]";

using Terms = std::map<std::string, std::int64_t>;

std::optional<std::int64_t> literal(const KernelModel &model, NodeId node)
{
    if (model.tree()[node].kind != NodeKind::Constant)
        return std::nullopt;
    std::int64_t value = 0;
    const std::string_view text = model.text(node);
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    return read.ptr == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// A sum of numbers times names and one nl.arange(...)[None, :].
std::optional<Terms> termsOf(const KernelModel &model, NodeId node, std::int64_t factor = 1)
{
    const nki::Node &at = model.tree()[node];
    if (const auto value = literal(model, node))
        return Terms{{"", factor * *value}};
    if (at.kind == NodeKind::Name)
        return Terms{{at.text, factor}};
    if (at.kind == NodeKind::UnaryOp && at.text == "-")
        return termsOf(model, at.children[0], -factor);
    if (at.kind == NodeKind::Subscript &&
        model.text(at.children[0]).find("arange(") != std::string_view::npos)
        return Terms{{kPlaces, factor}};
    if (at.kind != NodeKind::BinOp)
        return std::nullopt;
    if (at.text == "*") {
        const auto left = termsOf(model, at.children[0]);
        const auto right = termsOf(model, at.children[1]);
        for (const auto &[number, other] :
             {std::pair(left, at.children[1]), std::pair(right, at.children[0])})
            if (number && number->size() == 1 && number->begin()->first.empty())
                return termsOf(model, other, factor * number->begin()->second);
        return std::nullopt;
    }
    if (at.text != "+" && at.text != "-")
        return std::nullopt;
    auto sum = termsOf(model, at.children[0], factor);
    const auto more = termsOf(model, at.children[1], at.text == "+" ? factor : -factor);
    if (!sum || !more)
        return std::nullopt;
    for (const auto &[name, value] : *more)
        (*sum)[name] += value;
    return sum;
}

// A loop over blocks of `step` columns of which the last is not full, on its way to blocks that
// are.
class Retiling
{
public:
    Retiling(const KernelModel &model, int loop)
        : m_model(model),
          m_loop(loop),
          m_variable(found().variable)
    {
        for (std::size_t id = 0; id < model.statements().size(); ++id)
            if (!model.statements()[id].hasBody && model.inside(static_cast<int>(id), loop) &&
                !isText(model, static_cast<int>(id)))
                m_body.push_back(static_cast<int>(id));
    }

    bool understand()
    {
        const nki::SyntaxTree &tree = m_model.tree();
        const std::vector<NodeId> &call = tree[tree[found().node].children[1]].children;
        const auto trips = m_model.trips(m_loop);
        if (found().kind != "affine_range" || !trips || call.size() != 2 ||
            literal(m_model, call[1]) != trips)
            return false;
        m_trips = *trips;
        m_count = call[1];
        return findStep() && tie() && lookAtTiles() && masksEndThere() && chooseTiles();
    }

    EngineLoad change() const
    {
        EngineLoad total;
        for (const int id : m_body) {
            const Statement &statement = m_model.statement(id);
            if (!m_tied.contains(statement.destination.base) || !statement.operation)
                continue;
            const EngineLoad cost = costOf(m_model, statement);
            const double times = m_model.executions(id);
            const double more = static_cast<double>(m_newTrips) / static_cast<double>(m_trips);
            const double wide = statement.operation->kind == OperationKind::Matmul
                                    ? statement.operation->data[1].shape.width()
                                    : statement.shape.width();
            const double narrow =
                wide * static_cast<double>(m_newStep) / static_cast<double>(m_step);
            if (cost.tensor > 0)
                total.tensor += times * (more * tensorMs(narrow) - tensorMs(wide));
            if (cost.scalar > 0)
                total.scalar += times * (more * scalarMs(narrow) - scalarMs(wide));
            if (cost.vector > 0)
                total.vector += times * (more * vectorMs(narrow) - vectorMs(wide));
        }
        return total;
    }

    void write(SourceEdits &edits) const
    {
        edits.replace(m_count, std::to_string(m_newTrips));
        for (const NodeId number : m_numbers)
            edits.replace(number, std::to_string(*literal(m_model, number) * m_newStep / m_step));
        for (const NodeId mask : m_masks)
            edits.replace(mask, "None");
        for (const NodeId blocks : m_blocks)
            edits.replace(blocks, std::to_string(m_newTrips));
    }

    std::int64_t step() const { return m_step; }
    std::int64_t newStep() const { return m_newStep; }
    std::int64_t trips() const { return m_trips; }
    std::int64_t newTrips() const { return m_newTrips; }
    std::int64_t extent() const { return m_extent; }
    const Loop &found() const { return m_model.loops()[static_cast<std::size_t>(m_loop)]; }

private:
    static const Access *inHbm(const Statement &statement)
    {
        if (!statement.operation || statement.operation->data.empty())
            return nullptr;
        if (statement.operation->kind == OperationKind::Store)
            return &statement.destination;
        return statement.operation->kind == OperationKind::Load
                   ? &statement.operation->data[0].access
                   : nullptr;
    }

    // How many columns a pass does, and how many there are.
    bool findStep()
    {
        for (const int id : m_body) {
            const Access *access = inHbm(m_model.statement(id));
            if (!access || m_model.mentions(access->node, m_variable).empty())
                continue;
            const AxisIndex &last = access->indices.empty() ? AxisIndex() : access->indices.back();
            const auto terms = last.known ? last.offset.linear() : std::nullopt;
            if (!terms || !terms->contains(m_variable) ||
                m_model.mentions(access->node, m_variable).size() != 1 ||
                (m_step != 0 && terms->at(m_variable) != m_step))
                return false;
            m_step = terms->at(m_variable);
            const auto declared = m_model.declarations().find(access->base);
            if (declared == m_model.declarations().end())
                continue;
            const auto columns = declared->second.dimensions.back().constant();
            if (!columns || (m_extent != 0 && *columns != m_extent))
                return false;
            m_extent = *columns;
        }
        return m_step > 1 && m_extent > 0 && m_trips * m_step > m_extent &&
               (m_trips - 1) * m_step < m_extent;
    }

    // The tensors whose rows are these columns.
    bool tie()
    {
        for (const int id : m_body)
            if (const Access *access = inHbm(m_model.statement(id));
                access && !m_model.mentions(access->node, m_variable).empty()) {
                const Statement &statement = m_model.statement(id);
                m_tied.insert(statement.operation->kind == OperationKind::Load
                                  ? statement.destination.base
                                  : statement.operation->data[0].access.base);
            }
        for (bool more = true; more;) {
            more = false;
            for (const int id : m_body) {
                const Statement &statement = m_model.statement(id);
                if (!statement.operation || inHbm(statement))
                    continue;
                std::vector<std::string> rows{statement.destination.base};
                const bool product = statement.operation->kind == OperationKind::Matmul;
                for (std::size_t i = product ? 1 : 0; i < statement.operation->data.size(); ++i)
                    if (!statement.operation->data[i].column())
                        rows.push_back(statement.operation->data[i].access.base);
                if (product && m_tied.contains(statement.operation->data[0].access.base))
                    return false;
                if (std::none_of(rows.begin(), rows.end(),
                                 [&](const std::string &name) { return m_tied.contains(name); }))
                    continue;
                if (!product && statement.operation->kind != OperationKind::Copy &&
                    statement.operation->kind != OperationKind::Activation &&
                    statement.operation->kind != OperationKind::Scalars &&
                    statement.operation->kind != OperationKind::Tensors &&
                    statement.operation->kind != OperationKind::ScalarTensor)
                    return false;
                for (const std::string &name : rows)
                    more = m_tied.insert(name).second || more;
            }
        }
        return true;
    }

    // Numbers of an index over the columns: its places and the steps of loops.
    bool collect(const AxisIndex &index, bool own)
    {
        const auto terms = index.known ? index.offset.linear() : std::nullopt;
        const auto places = index.lanes.size() == 1 && index.lanes[0].stride == 1
                                ? index.lanes[0].size.constant()
                                : std::nullopt;
        if (!terms || !places)
            return false;
        std::multiset<std::int64_t> expected{*places};
        m_sizes.insert(*places);
        for (const auto &[name, factor] : *terms) {
            if (name.empty() || (name == m_variable) != own || factor <= 0)
                return false;
            expected.insert(factor);
            m_sizes.insert(factor);
        }
        std::vector<NodeId> numbers;
        gather(index.node, numbers);
        std::multiset<std::int64_t> written;
        for (const NodeId number : numbers)
            written.insert(*literal(m_model, number));
        if (written != expected)
            return false;
        m_numbers.insert(numbers.begin(), numbers.end());
        return true;
    }

    void gather(NodeId node, std::vector<NodeId> &numbers) const
    {
        if (literal(m_model, node))
            numbers.push_back(node);
        for (const NodeId child : m_model.tree()[node].children)
            gather(child, numbers);
    }

    bool inBody(NodeId node) const
    {
        for (NodeId at = node; at >= 0; at = m_model.tree()[at].parent)
            if (at == found().node)
                return true;
        return false;
    }

    bool lookAtTiles()
    {
        for (const int id : m_body)
            if (const Access *access = inHbm(m_model.statement(id));
                access && !m_model.mentions(access->node, m_variable).empty() &&
                !collect(access->indices.back(), true))
                return false;
        for (const std::string &name : m_tied) {
            const auto declared = m_model.declarations().find(name);
            const auto accesses = everyAccess(m_model, name);
            if (declared == m_model.declarations().end() || !accesses)
                return false;
            const Declaration &declaration = declared->second;
            const std::size_t rank = declaration.dimensions.size();
            const auto width = rank > 1 ? declaration.dimensions.back().constant() : std::nullopt;
            if (!width || static_cast<std::size_t>(declaration.partitionAxis) + 2 != rank ||
                literal(m_model, declaration.dimensionNodes.back()) != width)
                return false;
            m_sizes.insert(*width);
            m_numbers.insert(declaration.dimensionNodes.back());
            for (const Access &access : *accesses) {
                if (access.whole || access.indices.size() != rank || !inBody(access.node) ||
                    !collect(access.indices.back(), false))
                    return false;
                for (std::size_t i = 0; i + 1 < rank; ++i) {
                    if (m_model.mentions(access.indices[i].node, m_variable).empty())
                        continue;
                    const NodeId blocks = declaration.dimensionNodes[i];
                    if (!access.indices[i].known || !access.indices[i].lanes.empty() ||
                        !(access.indices[i].offset == Symbolic::named(m_variable)) ||
                        literal(m_model, blocks) != m_trips)
                        return false;
                    m_blocks.insert(blocks);
                }
            }
        }
        return true;
    }

    // Each mask leaves out what lies beyond the last column, and nothing else mentions the loop.
    bool masksEndThere()
    {
        for (const int id : m_body) {
            const Statement &statement = m_model.statement(id);
            if (!statement.operation || !statement.operation->plain)
                return false;
            const NodeId mask = statement.operation->mask;
            std::size_t explained = 0;
            std::set<NodeId> seen; // what += reads and writes is there twice
            for (const Touch &touch : statement.touches)
                if (touch.access.base != m_variable && seen.insert(touch.access.node).second)
                    explained += m_model.mentions(touch.access.node, m_variable).size();
            if (mask >= 0 && !m_model.mentions(mask, m_variable).empty()) {
                explained += m_model.mentions(mask, m_variable).size();
                if (!endsAtLastColumn(mask))
                    return false;
                m_masks.insert(mask);
            }
            if (m_model.mentions(statement.node, m_variable).size() != explained)
                return false;
        }
        return true;
    }

    bool endsAtLastColumn(NodeId mask) const
    {
        const nki::Node &compare = m_model.tree()[mask];
        if (compare.kind != NodeKind::Compare || compare.children.size() != 2 ||
            m_model.tree()[compare.children[1]].text != ">=" ||
            literal(m_model, m_model.tree()[compare.children[1]].children[0]) != 0)
            return false;
        const auto terms = termsOf(m_model, compare.children[0]);
        if (!terms || !terms->contains(m_variable) || terms->at(m_variable) != -m_step ||
            !terms->contains(kPlaces) || terms->at(kPlaces) != -1 || !terms->contains("") ||
            terms->at("") != m_extent - 1)
            return false;
        return std::all_of(terms->begin(), terms->end(), [this](const auto &term) {
            return term.first.empty() || term.first == kPlaces || term.first == m_variable ||
                   m_sizes.contains(-term.second);
        });
    }

    bool chooseTiles()
    {
        for (m_newTrips = m_trips; m_newTrips <= m_trips + m_trips / 4; ++m_newTrips) {
            if (m_extent % m_newTrips != 0)
                continue;
            m_newStep = m_extent / m_newTrips;
            if (m_newStep < m_step &&
                std::all_of(m_sizes.begin(), m_sizes.end(), [this](std::int64_t size) {
                    return size <= m_step && m_step % size == 0 && m_newStep % (m_step / size) == 0;
                }))
                return true;
        }
        return false;
    }

    const KernelModel &m_model;
    int m_loop;
    std::string m_variable;
    std::vector<int> m_body;
    std::int64_t m_trips = 0;
    NodeId m_count = -1;
    std::int64_t m_step = 0;
    std::int64_t m_extent = 0;
    std::int64_t m_newTrips = 0;
    std::int64_t m_newStep = 0;
    std::set<std::string> m_tied;
    std::set<std::int64_t> m_sizes; ///< of pieces of a step
    std::set<NodeId> m_numbers;
    std::set<NodeId> m_blocks; ///< extents of axes that count the passes
    std::set<NodeId> m_masks;
};

class EvenTiles final : public Rewrite
{
public:
    std::string_view name() const override { return "even-tiles"; }
    std::string_view precondition() const override
    {
        return "an affine_range works on blocks of columns of which the last is masked, sizes and "
               "counts are written as numbers, all that depends on the loop is made of these "
               "columns, and slightly smaller blocks come out even";
    }
    std::string_view reason() const override
    {
        return "a masked product takes as long as a full one: with tiles that all are full, the "
               "engines compute nothing that is thrown away";
    }
    std::string_view counters() const override
    {
        return "hardware_flops down, tensor_engine_active_time_percent down";
    }
    std::vector<std::string> keywords() const override
    {
        return {"even tiles", "full tiles", "divides the", "without a mask", "re-tile"};
    }

    std::vector<Proposal> proposals(const KernelModel &model) const override
    {
        std::vector<Proposal> result;
        for (std::size_t loop = 0; loop < model.loops().size(); ++loop) {
            Retiling retiling(model, static_cast<int>(loop));
            if (!retiling.understand())
                continue;
            const nki::Node &node = model.tree()[retiling.found().node];
            Proposal proposal{{{"loop", retiling.found().variable}, {"line", node.place.line}},
                              node.place,
                              {},
                              {},
                              retiling.change(),
                              SourceEdits(model.tree())};
            retiling.write(proposal.edits);
            proposal.title = fmt::format("Cut {} columns into {} blocks of {} instead of {} of {}",
                                         retiling.extent(), retiling.newTrips(), retiling.newStep(),
                                         retiling.trips(), retiling.step());
            proposal.prose = fmt::format(
                "The loop over {} (line {}) does {} columns a pass, and masks leave out what the "
                "last pass has too many. {} blocks of {} are exactly {}: write these sizes, and "
                "their parts in the same proportion, into the loop, the indices and the "
                "declarations, and leave the masks out.",
                retiling.found().variable, node.place.line, retiling.step(), retiling.newTrips(),
                retiling.newStep(), retiling.extent());
            result.push_back(std::move(proposal));
        }
        return result;
    }
};

} // namespace

std::unique_ptr<Rewrite> makeEvenTiles()
{
    return std::make_unique<EvenTiles>();
}

} // namespace accelopt::rewrite
