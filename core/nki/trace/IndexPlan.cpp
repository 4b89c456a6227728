// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/trace/IndexPlan.h"

#include "core/nki/trace/Evaluator.h"

#include <algorithm>
#include <cstdlib>

namespace accelopt::nki {

namespace {

bool sameGrid(const IndexObject &a, const IndexObject &b)
{
    return a.rank == b.rank && a.coefficient == b.coefficient && a.extent == b.extent;
}

/// Whether evaluating the node twice is the same as once.
bool isPure(const SyntaxTree &tree, NodeId id)
{
    const Node &node = tree[id];
    switch (node.kind) {
    case NodeKind::Name:
    case NodeKind::Constant: return true;
    case NodeKind::BinOp:
    case NodeKind::UnaryOp:
    case NodeKind::Compare:
    case NodeKind::Comparator:
    case NodeKind::IfExp:
        return std::all_of(node.children.begin(), node.children.end(),
                           [&](NodeId child) { return isPure(tree, child); });
    default: return false;
    }
}

} // namespace

/// A linear form on the way to becoming an IndexPlan::Form.
struct Evaluator::LinearForm
{
    std::int64_t constant = 0;
    std::vector<IndexPlan::Term> terms;
    bool grid = false; ///< has an index expression in it

    bool scale(std::int64_t factor)
    {
        if (__builtin_mul_overflow(constant, factor, &constant))
            return false;
        for (IndexPlan::Term &term : terms)
            if (__builtin_mul_overflow(term.factor, factor, &term.factor))
                return false;
        return true;
    }
    bool add(const LinearForm &other)
    {
        terms.insert(terms.end(), other.terms.begin(), other.terms.end());
        grid = grid || other.grid;
        return !__builtin_add_overflow(constant, other.constant, &constant);
    }
};

bool Evaluator::fixTerms(LinearForm &form, IndexPlan &plan)
{
    if (form.grid)
        return false;
    std::int64_t sum = form.constant;
    for (const IndexPlan::Term &term : form.terms) {
        IndexPlan::Guard guard;
        Value value;
        if (term.source == IndexPlan::Term::Source::Integer) {
            guard.slot = term.where;
            value = m_frame->values[std::size_t(term.where)];
        } else if (term.source == IndexPlan::Term::Source::Expression) {
            guard.node = term.where;
            value = evaluate(term.where);
        } else {
            return false;
        }
        std::int64_t product = 0;
        if (value.fromLoop() || __builtin_mul_overflow(term.factor, value.asInteger(), &product) ||
            __builtin_add_overflow(sum, product, &sum))
            return false;
        guard.value = value.asInteger();
        plan.guards.push_back(guard);
    }
    form.terms.clear();
    form.constant = sum;
    return true;
}

bool Evaluator::linearForm(NodeId id, IndexPlan &plan, LinearForm &out)
{
    const Node &node = m_tree[id];
    if (m_invariant[std::size_t(id)] != 0) {
        const Value value = evaluate(id);
        out.grid = value.is(ValueKind::Index);
        if (!out.grid && !value.isInteger())
            return false;
        out.constant = out.grid ? value.as<IndexObject>().constant : value.asInteger();
        return true;
    }
    const int slot = node.kind == NodeKind::Name ? slotOf(id) : -1;
    if (slot >= 0 && !m_frame->values[std::size_t(slot)].is(ValueKind::Unbound)) {
        const Value &value = m_frame->values[std::size_t(slot)];
        IndexPlan::Term term;
        term.where = slot;
        if (value.is(ValueKind::Index)) {
            term.source = IndexPlan::Term::Source::Index;
            term.shape = std::int32_t(plan.shapes.size());
            plan.shapes.push_back(value);
            out.grid = true;
        } else if (!value.isInteger()) {
            return false;
        }
        out.terms.push_back(term);
        return true;
    }
    if (node.kind == NodeKind::UnaryOp && node.text == "-")
        return linearForm(node.children[0], plan, out) && out.scale(-1);
    if (node.kind == NodeKind::BinOp && (node.text == "+" || node.text == "-")) {
        LinearForm right;
        return linearForm(node.children[0], plan, out) &&
               linearForm(node.children[1], plan, right) && (node.text == "+" || right.scale(-1)) &&
               out.add(right);
    }
    if (node.kind == NodeKind::BinOp && node.text == "*") {
        LinearForm right;
        if (!linearForm(node.children[0], plan, out) || !linearForm(node.children[1], plan, right))
            return false;
        // One factor must be a number that stays; which one, only the next passes can tell.
        LinearForm *sides[] = {&right, &out};
        if ((plan.attempt & 1) != 0)
            std::swap(sides[0], sides[1]);
        for (const int side : {0, 1}) {
            LinearForm factor = *sides[side];
            const std::size_t guards = plan.guards.size();
            if (fixTerms(factor, plan)) {
                LinearForm product = *sides[1 - side];
                out = std::move(product);
                return out.scale(factor.constant);
            }
            plan.guards.resize(guards);
        }
        return false;
    }
    // Anything else that is an integer is evaluated as it stands.
    if (!isPure(m_tree, id) || !evaluate(id).isInteger())
        return false;
    IndexPlan::Term term;
    term.source = IndexPlan::Term::Source::Expression;
    term.where = id;
    out.terms.push_back(term);
    return true;
}

bool Evaluator::makeForm(NodeId id, IndexPlan &plan, IndexPlan::Form &form)
{
    LinearForm linear;
    if (!linearForm(id, plan, linear) || linear.terms.size() > IndexPlan::kMostTerms ||
        std::abs(linear.constant) > IndexPlan::kLargestFactor)
        return false;
    form.constant = linear.constant;
    form.firstTerm = std::int32_t(plan.terms.size());
    for (const IndexPlan::Term &term : linear.terms) {
        if (std::abs(term.factor) > IndexPlan::kLargestFactor)
            return false;
        plan.terms.push_back(term);
    }
    form.lastTerm = std::int32_t(plan.terms.size());
    return true;
}

bool Evaluator::makePlan(NodeId id, const TensorObject &view, const std::vector<Value> &given,
                         const TensorObject &result, IndexPlan &plan)
{
    const Node &index = m_tree[m_tree[id].children[1]];
    std::vector<NodeId> nodes{m_tree[id].children[1]};
    if (index.kind == NodeKind::Tuple)
        nodes = index.children;
    if (nodes.size() != given.size() || !view.bounds.empty() || !result.bounds.empty())
        return false;
    plan.names = m_frame->names;
    plan.inputRank = view.rank;
    plan.outputRank = result.rank;
    plan.memory = view.memory;
    plan.input = view.axes;
    plan.output = result.axes;
    int taken = 0;
    for (const Value &value : given)
        taken += value.is(ValueKind::Ellipsis) || value.is(ValueKind::None) ? 0 : 1;
    std::int32_t axis = 0;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        const Value &value = given[n];
        IndexPlan::Step step;
        step.axis = axis;
        if (value.is(ValueKind::None)) {
            // A new axis stands in the text, or is a name of None: neither changes.
            if (m_invariant[std::size_t(nodes[n])] == 0)
                return false;
            continue;
        }
        if (value.is(ValueKind::Ellipsis)) {
            axis += view.rank - taken;
            continue;
        }
        ++axis;
        if (value.isInteger() || value.is(ValueKind::Index)) {
            if (!makeForm(nodes[n], plan, step.form))
                return false;
            if (value.is(ValueKind::Index)) {
                const auto &grid = value.as<IndexObject>();
                step.kind = IndexPlan::Step::Kind::Grid;
                step.low = grid.minimum() - grid.constant;
                step.high = grid.maximum() - grid.constant;
            }
        } else if (value.is(ValueKind::Slice) && m_tree[nodes[n]].kind == NodeKind::Slice) {
            const auto &slice = value.as<SliceObject>();
            const auto &parts = m_tree[nodes[n]].children;
            if (!slice.step.is(ValueKind::None))
                return false;
            if (slice.lower.is(ValueKind::None) && slice.upper.is(ValueKind::None))
                continue; // the whole axis
            if (!slice.upper.isInteger() ||
                (!slice.lower.is(ValueKind::None) && !slice.lower.isInteger()))
                return false;
            step.kind = IndexPlan::Step::Kind::Slice;
            if (slice.lower.isInteger() && !makeForm(parts[0], plan, step.form))
                return false;
            if (!makeForm(parts[1], plan, step.upper))
                return false;
            const std::int64_t low = slice.lower.isInteger() ? slice.lower.asInteger() : 0;
            step.high = slice.upper.asInteger() - low;
            if (low < 0 || step.high <= 0)
                return false;
        } else {
            return false;
        }
        plan.steps.push_back(step);
    }
    return true;
}

bool Evaluator::sumOf(const IndexPlan &plan, const IndexPlan::Form &form, std::int64_t &sum)
{
    sum = form.constant;
    for (std::int32_t n = form.firstTerm; n < form.lastTerm; ++n) {
        const IndexPlan::Term &term = plan.terms[std::size_t(n)];
        std::int64_t number = 0;
        switch (term.source) {
        case IndexPlan::Term::Source::Integer: {
            const Value &value = m_frame->values[std::size_t(term.where)];
            if (!value.isInteger() || isPassOver(term.where))
                return false;
            number = value.asInteger();
            break;
        }
        case IndexPlan::Term::Source::Index: {
            const Value &value = m_frame->values[std::size_t(term.where)];
            if (!value.is(ValueKind::Index) || isPassOver(term.where))
                return false;
            const auto &index = value.as<IndexObject>();
            const auto &was = plan.shapes[std::size_t(term.shape)].as<IndexObject>();
            if (&index != &was && !sameGrid(index, was))
                return false;
            number = index.constant;
            break;
        }
        case IndexPlan::Term::Source::Expression: {
            const Value value = evaluate(term.where);
            if (!value.isInteger())
                return false;
            number = value.asInteger();
            break;
        }
        }
        if (number > IndexPlan::kLargestNumber || number < -IndexPlan::kLargestNumber)
            return false;
        sum += term.factor * number;
    }
    return true;
}

TensorObject *Evaluator::followPlan(const IndexPlan &plan, const TensorObject &view)
{
    if (plan.names != m_frame->names || !plan.fits(view))
        return nullptr;
    for (const IndexPlan::Guard &guard : plan.guards) {
        if (guard.node < 0 && isPassOver(guard.slot))
            return nullptr;
        const Value value =
            guard.node >= 0 ? evaluate(guard.node) : m_frame->values[std::size_t(guard.slot)];
        if (!value.isInteger() || value.asInteger() != guard.value || value.fromLoop())
            return nullptr;
    }
    std::int64_t offset = view.offset;
    std::int64_t storage = view.storage;
    for (const IndexPlan::Step &step : plan.steps) {
        const Axis &axis = plan.input[std::size_t(step.axis)];
        std::int64_t number = 0;
        if (!sumOf(plan, step.form, number))
            return nullptr;
        switch (step.kind) {
        case IndexPlan::Step::Kind::Integer:
            if (number < 0)
                number += axis.size;
            if (number < 0 || number >= axis.size)
                return nullptr;
            break;
        case IndexPlan::Step::Kind::Grid:
            if (number + step.low < 0 || number + step.high >= axis.size)
                return nullptr;
            break;
        case IndexPlan::Step::Kind::Slice: {
            std::int64_t upper = 0;
            if (!sumOf(plan, step.upper, upper) || number < 0 || upper > axis.size ||
                upper - number != step.high)
                return nullptr;
            break;
        }
        }
        (axis.kind == AxisKind::Block ? storage : offset) += number * axis.stride;
    }
    auto *out = new TensorObject;
    out->tensor = view.tensor;
    out->memory = view.memory;
    out->dtype = view.dtype;
    out->rank = plan.outputRank;
    out->storage = StorageId(storage);
    out->offset = offset;
    std::copy_n(plan.output.begin(), plan.outputRank, out->axes.begin());
    return out;
}

Value Evaluator::region(NodeId id, const TensorObject &view)
{
    std::unique_ptr<IndexPlanState> &known = m_plans[std::size_t(id)];
    if (known == nullptr)
        known = std::make_unique<IndexPlanState>();
    IndexPlanState &state = *known;
    if (state.plan.names != nullptr) {
        step(id);
        if (TensorObject *out = followPlan(state.plan, view)) {
            m_node = id;
            return Value::object(ValueKind::Tensor, out);
        }
    }
    const std::vector<Value> given = indices(m_tree[id].children[1]);
    m_node = id;
    Value result = subscriptTensor(view, given, id);
    if (++state.evaluations > 1 && state.plans < IndexPlanState::kMostPlans) {
        IndexPlan plan;
        plan.attempt = ++state.plans;
        if (makePlan(id, view, given, result.as<TensorObject>(), plan))
            state.plan = std::move(plan);
        m_node = id;
    }
    return result;
}

} // namespace accelopt::nki
