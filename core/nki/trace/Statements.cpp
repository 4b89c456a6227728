// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/trace/Evaluator.h"

#include "core/nki/trace/TraceStop.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::nki {

namespace {

/// Most letters of the kernel's own words in a message.
constexpr std::size_t kLongestQuote = 500;

/// A result that was sent to a region instead of a tile of its own means that region from now on,
/// for whoever else was given the same value.
void becomeRegion(TensorObject &result, const TensorObject &region)
{
    const std::uint32_t references = result.references;
    result = region;
    result.references = references;
    result.freshProducer = kNoInstruction;
    result.freshMask = {};
}

} // namespace

void Evaluator::step(NodeId node)
{
    m_node = node;
    if (++m_steps > m_request.limits.steps)
        stop(VerdictStatus::RunFailed, "too_long",
             fmt::format("tracing the kernel takes more than {} steps", m_request.limits.steps),
             "use fewer iterations");
}

void Evaluator::charge(std::size_t steps, NodeId node)
{
    m_steps += std::int64_t(std::min(steps, std::size_t(1) << 40));
    if (m_steps > m_request.limits.steps)
        step(node >= 0 ? node : m_node);
}

Evaluator::Flow Evaluator::executeBlock(NodeId block)
{
    for (const NodeId statement : m_tree[block].children) {
        const Flow flow = execute(statement);
        if (flow != Flow::Next)
            return flow;
    }
    return Flow::Next;
}

Evaluator::Flow Evaluator::execute(NodeId id)
{
    step(id);
    const Node &node = m_tree[id];
    switch (node.kind) {
    case NodeKind::ExprStatement: {
        // A string standing alone is a comment of machine-written kernels.
        if (m_tree[node.children[0]].kind != NodeKind::Constant)
            evaluate(node.children[0]);
        return Flow::Next;
    }
    case NodeKind::Assign: {
        const Value value = evaluate(node.children[0]);
        for (std::size_t i = 1; i < node.children.size(); ++i)
            assign(node.children[i], value);
        return Flow::Next;
    }
    case NodeKind::AnnAssign:
        if (m_tree[node.children[2]].kind != NodeKind::None) {
            const Value value = evaluate(node.children[2]);
            if (value.is(ValueKind::Tensor))
                checkAnnotation(node.children[1], value.as<TensorObject>());
            assign(node.children[0], value);
        }
        return Flow::Next;
    case NodeKind::AugAssign: augmentedAssign(id); return Flow::Next;
    case NodeKind::For: return executeFor(id);
    case NodeKind::If: return executeIf(id);
    case NodeKind::While: return executeWhile(id);
    case NodeKind::Return:
        m_returned = m_tree[node.children[0]].kind == NodeKind::None ? Value::none()
                                                                     : evaluate(node.children[0]);
        return Flow::Return;
    case NodeKind::Assert: {
        const Value test = evaluate(node.children[0]);
        if (!truth(test, node.children[0])) {
            std::string message = fmt::format(
                "assertion failed: {}", m_tree.text(node.children[0]).substr(0, kLongestQuote));
            if (m_tree[node.children[1]].kind != NodeKind::None)
                message += " (" + textOf(evaluate(node.children[1])).substr(0, kLongestQuote) + ")";
            notCompiling("assertion_failed", std::move(message),
                         "call the kernel with the shapes it asserts", id);
        }
        return Flow::Next;
    }
    case NodeKind::Import:
    case NodeKind::ImportFrom: executeImport(id); return Flow::Next;
    case NodeKind::FunctionDef: bind(id, makeFunction(id)); return Flow::Next;
    case NodeKind::Pass: return Flow::Next;
    case NodeKind::Global: unsupported("a global statement", id);
    case NodeKind::Nonlocal: unsupported("a nonlocal statement", id);
    case NodeKind::Break: return Flow::Break;
    case NodeKind::Continue: return Flow::Continue;
    case NodeKind::Raise: {
        std::string what =
            m_tree[node.children[0]].kind == NodeKind::None
                ? std::string("raise")
                : std::string(m_tree.text(node.children[0]).substr(0, kLongestQuote));
        notCompiling("exception_raised", "the kernel raises " + what,
                     "call the kernel with what it accepts", id);
    }
    case NodeKind::With: return executeWith(id);
    case NodeKind::ClassDef: bind(id, makeClass(id)); return Flow::Next;
    case NodeKind::Other: unsupported("the statement " + node.text, id);
    default: unsupported(fmt::format("the statement {}", name(node.kind)), id);
    }
}

void Evaluator::checkAnnotation(NodeId annotation, const TensorObject &tensor)
{
    // Python does not evaluate the annotations of local names: what is none of NKI's may be
    // anything.
    const Node &node = m_tree[annotation];
    if (node.kind != NodeKind::Subscript)
        return;
    const std::string_view type = m_tree.text(node.children[0]);
    if (type != "tensor" && !type.ends_with(".tensor") && type != "mutable_tensor" &&
        !type.ends_with(".mutable_tensor"))
        return;
    const Node &index = m_tree[node.children[1]];
    const std::vector<NodeId> single{node.children[1]};
    const auto &dimensions = index.kind == NodeKind::Tuple ? index.children : single;
    bool same = int(dimensions.size()) == tensor.rank;
    for (std::size_t axis = 0; same && axis < dimensions.size(); ++axis) {
        const Node &size = m_tree[dimensions[axis]];
        const auto *number = std::get_if<std::int64_t>(&size.literal);
        if (size.kind == NodeKind::Constant && number != nullptr)
            same = *number == tensor.axes[axis].size;
    }
    if (!same)
        notCompiling("err_annotation_shape_mismatch",
                     fmt::format("the tensor has shape {}, the annotation says {}",
                                 tensor.shapeText(),
                                 m_tree.text(annotation).substr(0, kLongestQuote)),
                     "annotate it with the shape that it has", annotation);
}

Evaluator::Flow Evaluator::executeWith(NodeId id)
{
    // Only contexts that steer the compiler and change nothing of what is computed.
    const Node &node = m_tree[id];
    for (std::size_t i = 1; i < node.children.size(); ++i) {
        const Node &context = m_tree[node.children[i]];
        const bool isCall = context.kind == NodeKind::Call;
        const Node &function = isCall ? m_tree[context.children[0]] : context;
        if (function.text != "no_reorder")
            unsupported(fmt::format("the context of the with statement '{}'",
                                    m_tree.text(node.children[i])),
                        id);
    }
    return executeBlock(node.children[0]);
}

bool Evaluator::boundInThisPass(NodeId name)
{
    const int slot = slotOf(name);
    return slot >= 0 && m_frame->boundIn[std::size_t(slot)] == tracedPass();
}

std::int32_t Evaluator::tracedPass()
{
    // The passes of unrolled loops are Python's own.
    std::int32_t pass = m_emitter.iteration();
    while (program().iterations[std::size_t(pass)].kind == LoopKind::Static)
        pass = program().iterations[std::size_t(pass)].parent;
    return pass;
}

void Evaluator::beginPass()
{
    m_frame->passes.emplace_back();
}

void Evaluator::endPass()
{
    for (const int slot : m_frame->passes.back()) {
        Value &value = m_frame->values[std::size_t(slot)];
        std::int32_t &boundIn = m_frame->boundIn[std::size_t(slot)];
        if (value.is(ValueKind::Tensor))
            value = Value::outOfScope();
        else if (boundIn >= 0)
            boundIn = -1 - boundIn;
    }
    m_frame->passes.pop_back();
}

void Evaluator::endCondition()
{
    const std::vector<int> slots = std::move(m_frame->passes.back());
    m_frame->passes.pop_back();
    for (const int slot : slots) {
        Value &value = m_frame->values[std::size_t(slot)];
        if (value.is(ValueKind::Tensor))
            value = Value::outOfScope();
        else if (!m_frame->passes.empty())
            m_frame->passes.back().push_back(slot);
    }
}

// NKI traces the body of a loop once, with a symbol for the index; here each pass is carried out.
// What Python alone computes comes out the same as long as no pass sees what an earlier one left
// behind: where one would, the kernel is refused, for its result would be another one on hardware.

void Evaluator::checkPass(std::int32_t boundIn, const Value &value, NodeId name)
{
    const auto &iterations = program().iterations;
    const Iteration &bound = iterations[std::size_t(-1 - boundIn)];
    std::int32_t pass = m_emitter.iteration();
    while (iterations[std::size_t(pass)].depth > bound.depth)
        pass = iterations[std::size_t(pass)].parent;
    if (pass == -1 - boundIn)
        return;
    const std::string &text = m_tree[name].text;
    if (iterations[std::size_t(pass)].loop == bound.loop)
        unsupported(fmt::format("the value that '{}' has from an earlier pass of a loop that NKI "
                                "traces once",
                                text),
                    name);
    if (value.fromLoop())
        unsupported(fmt::format("the value that '{}' has from the last pass of a loop that NKI "
                                "traces once",
                                text),
                    name);
}

bool Evaluator::isLaterPass(std::int32_t made)
{
    const auto &iterations = program().iterations;
    std::int32_t pass = m_emitter.iteration();
    const std::int16_t depth = iterations[std::size_t(made)].depth;
    for (; iterations[std::size_t(pass)].depth > depth;
         pass = iterations[std::size_t(pass)].parent) {
        const Iteration &iteration = iterations[std::size_t(pass)];
        if (iteration.index > 0 &&
            (iteration.kind == LoopKind::Affine || iteration.kind == LoopKind::Sequential))
            return true;
    }
    return false;
}

void Evaluator::checkChange(std::int32_t made, const Value &before, const Value &after, NodeId node)
{
    if (!before.isNumber() || !after.isNumber() || before.asNumber() == after.asNumber() ||
        !isLaterPass(made))
        return;
    unsupported(fmt::format("changing the number '{}' from pass to pass of a loop that NKI traces "
                            "once",
                            m_tree.text(node).substr(0, kLongestQuote)),
                node);
}

void Evaluator::checkResize(const SequenceObject &list, NodeId node)
{
    if (isLaterPass(list.madeIn))
        unsupported("changing the length of a list from pass to pass of a loop that NKI traces "
                    "once",
                    node);
}

Evaluator::Flow Evaluator::executeFor(NodeId id)
{
    const Node &node = m_tree[id];
    const NodeId target = node.children[0];
    const NodeId body = node.children[2];
    const Value iterable = evaluate(node.children[1]);
    const auto pass = [&](const Value &item) {
        assign(target, item);
        return executeBlock(body);
    };
    bool broken = false;
    bool returned = false;
    if (iterable.is(ValueKind::Range)) {
        const auto &range = iterable.as<RangeObject>();
        const std::int32_t loop = m_emitter.newLoop();
        // The index of an unrolled loop is an ordinary number; the names bound in its body stay
        // visible.
        const bool symbolic = range.loop != LoopKind::Static;
        std::int32_t index = 0;
        std::int64_t i = range.start;
        for (std::uint64_t left = range.count(); left > 0; --left, ++index) {
            step(id);
            m_emitter.enter(loop, range.loop, index);
            if (symbolic)
                beginPass();
            Value value = Value::integer(i).withLoop(symbolic);
            const Flow flow =
                pass(symbolic ? std::move(value).withLoopIteration(m_emitter.iteration()) : value);
            if (symbolic)
                endPass();
            m_emitter.leave();
            if (left > 1) // behind the last pass there may be no number
                i += range.step;
            // NKI traces the body once: a return in it ends the text, not the loop.
            if (symbolic && (index > 0 ? returned : flow == Flow::Return) != (flow == Flow::Return))
                unsupported("a return in some passes of a loop only", id);
            returned = flow == Flow::Return;
            if (flow == Flow::Return && !symbolic)
                return flow;
            if (flow == Flow::Break) {
                broken = true;
                break;
            }
        }
    } else {
        for (const Value &item : iterate(iterable, node.children[1])) {
            step(id);
            const Flow flow = pass(item);
            if (flow == Flow::Return)
                return flow;
            if (flow == Flow::Break) {
                broken = true;
                break;
            }
        }
    }
    if (returned)
        return Flow::Return;
    return broken ? Flow::Next : executeBlock(node.children[3]);
}

Evaluator::Flow Evaluator::executeIf(NodeId id)
{
    const Node &node = m_tree[id];
    const Value test = evaluate(node.children[0]);
    const bool chosen = truth(test, node.children[0]);
    // A condition on a loop index opens a scope of its own, as in NKI; a plain Python condition
    // does not.
    const bool scoped = test.fromLoop();
    if (scoped)
        beginPass();
    const Flow flow = executeBlock(node.children[chosen ? 1 : 2]);
    if (scoped)
        endCondition();
    return flow;
}

Evaluator::Flow Evaluator::executeWhile(NodeId id)
{
    const Node &node = m_tree[id];
    while (true) {
        const Value test = evaluate(node.children[0]);
        if (test.is(ValueKind::Tensor) && test.as<TensorObject>().elements() == 1) {
            if (m_tree[node.children[0]].kind == NodeKind::Compare)
                notCompiling("err_while_loop_requires_unconditional_entry",
                             "a loop whose condition is computed on the device is entered only "
                             "under that condition",
                             "enter it with a condition that is true, and compute the next one at "
                             "the end of its body",
                             node.children[0]);
            unsupported("a loop whose condition is computed on the device", node.children[0]);
        }
        if (!truth(test, node.children[0]))
            break;
        step(id);
        const Flow flow = executeBlock(node.children[1]);
        if (flow == Flow::Return)
            return flow;
        if (flow == Flow::Break)
            return Flow::Next;
    }
    return executeBlock(node.children[2]);
}

void Evaluator::bind(NodeId id, const Value &value)
{
    const std::string &text = m_tree[id].text;
    const auto it = m_frame->names->slots.find(text);
    if (it == m_frame->names->slots.end())
        unsupported("binding the name " + text + " here", id);
    const int slot = it->second;
    if (value.is(ValueKind::Tensor)) {
        auto &tensor = value.as<TensorObject>();
        tensor.freshProducer = kNoInstruction;
        if (Tensor &declared = program().tensors[std::size_t(tensor.tensor)]; declared.name.empty())
            declared.name = text;
    }
    if (!m_frame->passes.empty())
        m_frame->passes.back().push_back(slot);
    m_frame->values[std::size_t(slot)] = value;
    m_frame->boundIn[std::size_t(slot)] = tracedPass();
}

void Evaluator::assign(NodeId target, const Value &value)
{
    const Node &node = m_tree[target];
    switch (node.kind) {
    case NodeKind::Name: bind(target, value); return;
    case NodeKind::Subscript: assignSubscript(target, value); return;
    case NodeKind::Tuple:
    case NodeKind::List: {
        const std::vector<Value> items = iterate(value, target);
        if (items.size() != node.children.size())
            notCompiling("value_error",
                         fmt::format("{} values cannot be unpacked into {} names", items.size(),
                                     node.children.size()),
                         {}, target);
        for (std::size_t i = 0; i < items.size(); ++i)
            assign(node.children[i], items[i]);
        return;
    }
    case NodeKind::Attribute: {
        const Value object = evaluate(node.children[0]);
        if (!object.is(ValueKind::Instance))
            unsupported(fmt::format("setting an attribute of a {}", pythonTypeName(object.kind())),
                        target);
        if (value.is(ValueKind::Tensor))
            value.as<TensorObject>().freshProducer = kNoInstruction;
        auto &instance = object.as<InstanceObject>();
        charge(instance.names.size() / 4, target);
        if (const Value *before = instance.find(node.text))
            checkChange(instance.values.as<SequenceObject>().madeIn, *before, value, target);
        instance.set(node.text, value);
        holds(instance.values, value);
        return;
    }
    case NodeKind::Starred: unsupported("a starred assignment target", target);
    default: unsupported("assigning to this kind of target", target);
    }
}

void Evaluator::assignSubscript(NodeId target, const Value &value)
{
    const Node &node = m_tree[target];
    const Value object = evaluate(node.children[0]);
    switch (object.kind()) {
    case ValueKind::Tensor: {
        const Value view = region(target, object.as<TensorObject>());
        store(view.as<TensorObject>(), value, target);
        return;
    }
    case ValueKind::List: {
        auto &items = object.as<SequenceObject>().items;
        const Value index = evaluate(node.children[1]);
        if (!index.isInteger())
            notCompiling("type_error",
                         "list indices must be integers, not " +
                             std::string(pythonTypeName(index.kind())),
                         "a list cannot be indexed by an index expression; use a tensor with a "
                         "block dimension",
                         target);
        std::int64_t i = index.asInteger();
        if (i < 0)
            i += std::int64_t(items.size());
        if (i < 0 || i >= std::int64_t(items.size()))
            notCompiling("index_error",
                         fmt::format("list index {} is out of range", index.asInteger()), {},
                         target);
        checkChange(object.as<SequenceObject>().madeIn, items[std::size_t(i)], value, target);
        items[std::size_t(i)] = value;
        holds(object, value);
        return;
    }
    case ValueKind::Dict: {
        const Value key = evaluate(node.children[1]);
        chargeLookUp(object.as<DictObject>(), key);
        auto &dict = object.as<DictObject>();
        if (const Value *before = dict.find(key))
            checkChange(dict.madeIn, *before, value, target);
        dict.set(key, value);
        holds(object, value);
        return;
    }
    case ValueKind::Index:
        notCompiling("err_cannot_assign_to_index", "an index expression cannot be assigned to", {},
                     target);
    default:
        notCompiling("type_error",
                     fmt::format("a {} has no items to assign to", pythonTypeName(object.kind())),
                     {}, target);
    }
}

void Evaluator::store(TensorObject &destination, const Value &value, NodeId node)
{
    if (destination.memory == Memory::Hbm)
        notCompiling("err_unsupported_memory",
                     "a tile cannot be assigned to an HBM tensor directly",
                     "use nl.store(tensor[...], value=tile)", node);
    if (value.isNumber()) {
        Draft draft;
        draft.opcode = Opcode::Memset;
        draft.parameters.constant0 = value.asNumber();
        draft.outputs = {&destination};
        emit(draft);
        return;
    }
    if (!value.is(ValueKind::Tensor))
        notCompiling("type_error",
                     fmt::format("a {} cannot be stored into a tile", pythonTypeName(value.kind())),
                     {}, node);
    auto &source = value.as<TensorObject>();
    if (source.memory == Memory::Hbm)
        notCompiling("err_unsupported_memory",
                     "an HBM tensor cannot be assigned to a tile directly",
                     "load it first: tile[...] = nl.load(tensor[...])", node);
    if (source.freshProducer == TensorObject::kNothingIssued)
        return;
    const bool sameSize = source.axes[0].size == destination.axes[0].size &&
                          source.freeElements() == destination.freeElements();
    if (sameSize && source.freshProducer != kNoInstruction) {
        if (m_emitter.retarget(source, destination, false)) {
            becomeRegion(source, destination);
            return;
        }
    }
    // Broadcasting into the destination is legal, the reverse is not.
    TensorObject view = source;
    if (!sameSize) {
        if (source.rank > destination.rank)
            notCompiling("err_store_dst_shape_smaller_than_other_shape",
                         fmt::format("a value of shape {} does not fit into a region of shape {}",
                                     source.shapeText(), destination.shapeText()),
                         {}, node);
        TensorObject wide = source;
        const int shift = destination.rank - source.rank;
        wide.rank = destination.rank;
        for (int axis = destination.rank - 1; axis >= 0; --axis) {
            Axis from;
            if (axis >= shift && !(axis - shift == 0 && shift > 0))
                from = source.axes[std::size_t(axis - shift)];
            else if (axis == 0)
                from = source.axes[0];
            const Axis &to = destination.axes[std::size_t(axis)];
            if (from.size != to.size) {
                if (from.size != 1 || axis == 0)
                    notCompiling(
                        "err_store_dst_shape_smaller_than_other_shape",
                        fmt::format("a value of shape {} does not fit into a region of shape {}",
                                    source.shapeText(), destination.shapeText()),
                        "give both the same shape; only free axes of size 1 are broadcast", node);
                from.stride = 0;
                from.size = to.size;
            }
            wide.axes[std::size_t(axis)] = from;
        }
        view = wide;
    }
    Draft draft;
    draft.opcode = Opcode::Copy;
    draft.engine = Engine::Scalar;
    draft.outputs = {&destination};
    draft.inputs = {&view};
    emit(draft);
}

void Evaluator::augmentedAssign(NodeId id)
{
    const Node &node = m_tree[id];
    const NodeId target = node.children[0];
    if (m_tree[target].kind != NodeKind::Name && m_tree[target].kind != NodeKind::Subscript &&
        m_tree[target].kind != NodeKind::Attribute)
        unsupported("augmented assignment to this kind of target", target);
    const Value current = evaluate(target);
    const Value value = evaluate(node.children[1]);
    m_node = id;
    if (!current.is(ValueKind::Tensor)) {
        const bool counts = m_tree[target].kind == NodeKind::Name
                                ? !boundInThisPass(target)
                                : m_tree[target].kind == NodeKind::Attribute;
        if (counts && !m_frame->passes.empty() && current.isNumber() && !current.fromLoop())
            unsupported(
                fmt::format(
                    "counting in the Python variable '{}' inside a loop that NKI traces once",
                    m_tree.text(target)),
                id);
        assign(target, binary(node.text, current, value, id));
        return;
    }
    auto &destination = current.as<TensorObject>();
    if (destination.memory == Memory::Hbm)
        notCompiling("err_unsupported_memory", "an HBM tensor cannot be updated in place",
                     "load it, compute, and store the result", id);
    if (node.text == "+" && value.is(ValueKind::Tensor)) {
        auto &source = value.as<TensorObject>();
        if (source.freshProducer == TensorObject::kNothingIssued)
            return;
        if (source.freshProducer != kNoInstruction && destination.memory == Memory::Psum &&
            program().instructions[std::size_t(source.freshProducer)].opcode == Opcode::Matmul &&
            source.axes[0].size == destination.axes[0].size &&
            source.freeElements() == destination.freeElements() &&
            m_emitter.retarget(source, destination, true)) {
            becomeRegion(source, destination);
            return;
        }
    }
    const AluOp op = aluOp(node.text == "+"   ? "add"
                           : node.text == "-" ? "subtract"
                           : node.text == "*" ? "multiply"
                           : node.text == "/" ? "divide"
                           : node.text == "&" ? "bitwise_and"
                           : node.text == "|" ? "bitwise_or"
                           : node.text == "^" ? "bitwise_xor"
                                              : "")
                         .value_or(AluOp::None);
    if (op == AluOp::None)
        unsupported("the operator " + node.text + "= on a tile", id);
    elementwise(op, current, value, Value::none(), destination.dtype, &destination);
}

void Evaluator::executeImport(NodeId id)
{
    const Node &node = m_tree[id];
    for (const NodeId child : node.children) {
        const std::string &alias = m_tree[child].text;
        const std::size_t as = alias.find(" as ");
        const std::string imported = alias.substr(0, as);
        std::string bound = as == std::string::npos ? imported : alias.substr(as + 4);
        Value value;
        if (node.kind == NodeKind::Import) {
            std::string path = imported;
            if (as == std::string::npos) {
                // `import a.b` binds `a`.
                bound = imported.substr(0, imported.find('.'));
                path = bound;
            }
            value = moduleAttribute({}, path, child);
        } else {
            value = importedName(node.text, imported, child);
        }
        const auto it = m_frame->names->slots.find(bound);
        if (it != m_frame->names->slots.end())
            m_frame->values[std::size_t(it->second)] = value;
    }
}

} // namespace accelopt::nki
