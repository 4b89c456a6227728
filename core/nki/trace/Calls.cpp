// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/trace/Evaluator.h"

#include "core/nki/trace/TraceStop.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace accelopt::nki {

Evaluator::Evaluator(const SyntaxTree &tree, const TraceRequest &request)
    : m_tree(tree),
      m_request(request),
      m_emitter(request.limits),
      m_invariant(tree.size(), 0),
      m_kept(tree.size()),
      m_slot(tree.size(), -1),
      m_slotOwner(tree.size(), nullptr),
      m_plans(tree.size()),
      m_calls(tree.size())
{
    findInvariants();
}

Evaluator::~Evaluator()
{
    for (Value &holder : m_holders) {
        if (holder.is(ValueKind::List))
            holder.as<SequenceObject>().items.clear();
        else
            holder.as<DictObject>().items.clear();
    }
}

bool Evaluator::isMutable(std::int32_t parameter) const
{
    return std::size_t(parameter) < m_mutable.size() && m_mutable[std::size_t(parameter)];
}

bool Evaluator::isImplied(const TensorObject &view) const
{
    return std::size_t(view.tensor) < m_implied.size() && m_implied[std::size_t(view.tensor)];
}

void Evaluator::setDeclared(const TensorObject &view)
{
    if (isImplied(view))
        m_implied[std::size_t(view.tensor)] = false;
}

void Evaluator::holds(const Value &container, const Value &item)
{
    if (item.kind() == ValueKind::List || item.kind() == ValueKind::Tuple ||
        item.kind() == ValueKind::Dict || item.kind() >= ValueKind::UserFunction)
        m_holders.push_back(container);
}

void Evaluator::stop(VerdictStatus status, std::string rule, std::string message, std::string hint,
                     NodeId node) const
{
    throw TraceStop{{status, Reason{"language", std::move(rule), std::move(message),
                                    std::move(hint), m_tree[node >= 0 ? node : m_node].place}}};
}

void Evaluator::unsupported(std::string what, NodeId node) const
{
    stop(VerdictStatus::Unsupported, "unsupported",
         "the simulator does not know " + std::move(what), "it may still run on hardware", node);
}

void Evaluator::collectNames(NodeId id, Names &names) const
{
    const Node &node = m_tree[id];
    const auto add = [&](const std::string &name) {
        names.slots.try_emplace(name, int(names.slots.size()));
    };
    switch (node.kind) {
    case NodeKind::FunctionDef: add(node.text); return; // its own names are its own
    case NodeKind::ClassDef: add(node.text); return;
    case NodeKind::Lambda: return;
    case NodeKind::Alias: {
        const std::size_t as = node.text.find(" as ");
        if (as != std::string::npos)
            add(node.text.substr(as + 4));
        else if (m_tree[node.parent].kind == NodeKind::Import)
            add(node.text.substr(0, node.text.find('.')));
        else
            add(node.text);
        return;
    }
    case NodeKind::Assign:
        for (std::size_t i = 1; i < node.children.size(); ++i)
            collectNames(node.children[i], names);
        return;
    case NodeKind::Name: add(node.text); return;
    case NodeKind::Tuple:
    case NodeKind::List:
    case NodeKind::Starred:
        for (const NodeId child : node.children)
            collectNames(child, names);
        return;
    case NodeKind::AugAssign:
    case NodeKind::AnnAssign: collectNames(node.children[0], names); return;
    case NodeKind::For:
        collectNames(node.children[0], names);
        collectNames(node.children[2], names);
        collectNames(node.children[3], names);
        return;
    case NodeKind::If:
    case NodeKind::While:
        collectNames(node.children[1], names);
        collectNames(node.children[2], names);
        return;
    case NodeKind::With: collectNames(node.children[0], names); return;
    case NodeKind::Module:
    case NodeKind::Block:
    case NodeKind::Import:
    case NodeKind::ImportFrom:
        for (const NodeId child : node.children)
            collectNames(child, names);
        return;
    default: return;
    }
}

namespace {

/// Comprehension targets live in the function's frame here: they are only ever read inside.
void collectComprehensionTargets(const SyntaxTree &tree, NodeId id, Names &names)
{
    const Node &node = tree[id];
    if (node.kind == NodeKind::FunctionDef || node.kind == NodeKind::ClassDef)
        return;
    if (node.kind == NodeKind::Comprehension) {
        std::vector<NodeId> todo{node.children[0]};
        while (!todo.empty()) {
            const Node &target = tree[todo.back()];
            todo.pop_back();
            if (target.kind == NodeKind::Name)
                names.slots.try_emplace(target.text, int(names.slots.size()));
            todo.insert(todo.end(), target.children.begin(), target.children.end());
        }
    }
    for (const NodeId child : node.children)
        collectComprehensionTargets(tree, child, names);
}

} // namespace

const Names &Evaluator::namesOf(NodeId function)
{
    const auto [it, added] = m_names.try_emplace(function);
    if (added) {
        Names &names = it->second;
        const Node &node = m_tree[function];
        if (node.kind == NodeKind::Module || node.kind == NodeKind::ClassDef) {
            const NodeId body = node.kind == NodeKind::Module ? function : node.children[0];
            collectNames(body, names);
            collectComprehensionTargets(m_tree, body, names);
        } else {
            for (const NodeId parameter : m_tree[node.children[0]].children) {
                std::string name = m_tree[parameter].text;
                name.erase(0, name.find_first_not_of('*'));
                if (!name.empty())
                    names.slots.try_emplace(name, int(names.slots.size()));
            }
            if (node.kind == NodeKind::FunctionDef)
                collectNames(node.children[1], names);
            collectComprehensionTargets(m_tree, node.children[1], names);
        }
    }
    return it->second;
}

Value Evaluator::makeFunction(NodeId definition)
{
    auto *function = new UserFunctionObject;
    Value value = Value::object(ValueKind::UserFunction, function);
    function->node = definition;
    function->closure = m_frame;
    m_frame->captured = true;
    charge(8, definition);
    for (const NodeId parameter : m_tree[m_tree[definition].children[0]].children) {
        const Node &node = m_tree[parameter];
        const bool hasDefault =
            !node.children.empty() && m_tree[node.children[0]].kind != NodeKind::None;
        function->defaults.push_back(hasDefault ? evaluate(node.children[0]) : Value{});
    }
    return value;
}

Value Evaluator::call(const Value &function, std::vector<Value> positional,
                      std::vector<std::pair<std::string, Value>> keywords, NodeId node)
{
    switch (function.kind()) {
    case ValueKind::Function:
        return callTable(*function.as<FunctionObject>().spec, std::move(positional),
                         std::move(keywords), node);
    case ValueKind::UserFunction:
        return callUser(function.as<UserFunctionObject>(), std::move(positional),
                        std::move(keywords), node);
    case ValueKind::BoundMethod:
        return callMethod(function.as<BoundMethodObject>(), std::move(positional),
                          std::move(keywords), node);
    case ValueKind::Class:
        return callClass(function, std::move(positional), std::move(keywords), node);
    case ValueKind::Launch:
        return callLaunch(function.as<LaunchObject>(), positional, keywords, node);
    case ValueKind::Module: unsupported(function.as<ModuleObject>().path, node);
    case ValueKind::Symbol:
        if (toText(function).ends_with("no_reorder"))
            return function; // steers the compiler's scheduler only
        // A kernel that is made of a function by a call instead of a decorator.
        for (const std::string_view decorator : {"nki.jit", "nki.trace", "nki.baremetal"})
            if (toText(function) == decorator && positional.size() == 1 &&
                positional[0].is(ValueKind::UserFunction))
                return positional[0];
        unsupported(toText(function), node);
    case ValueKind::DTypeName: {
        // np.float32(x): the number as that type holds it.
        if (positional.size() != 1 || !positional[0].isNumber())
            unsupported("converting this with a dtype", node);
        const DType type = function.asDType();
        const double number = rounded(positional[0].asNumber(), type);
        return isFloat(type) ? Value::number(number) : Value::integer(std::int64_t(number));
    }
    default:
        notCompiling("type_error",
                     fmt::format("a {} cannot be called", pythonTypeName(function.kind())), {},
                     node);
    }
}

Value Evaluator::callTable(const FunctionSpec &spec, std::vector<Value> positional,
                           std::vector<std::pair<std::string, Value>> keywords, NodeId node)
{
    const Signature &signature = Signature::of(spec);
    Call call{*this, spec, node, {}, {}};
    call.arguments.resize(signature.parameters.size());
    for (std::size_t i = 0; i < positional.size(); ++i) {
        if (i < call.arguments.size() &&
            !(signature.collectsRest && !signature.parameters[i].required)) {
            call.arguments[i] = std::move(positional[i]);
        } else if (signature.collectsRest) {
            call.rest.push_back(std::move(positional[i]));
        } else {
            notCompiling("type_error",
                         fmt::format("{}() takes at most {} arguments, {} were given", spec.path,
                                     call.arguments.size(), positional.size()),
                         {}, node);
        }
    }
    for (auto &[name, value] : keywords) {
        const auto it = std::find_if(signature.parameters.begin(), signature.parameters.end(),
                                     [&](const auto &parameter) { return parameter.name == name; });
        if (it == signature.parameters.end()) {
            if (name == "name" || name == "kwargs")
                continue; // every instruction may be named; nothing depends on it
            notCompiling(
                "type_error",
                fmt::format("{}() got an unexpected keyword argument '{}'", spec.path, name),
                fmt::format("it takes: {}", spec.signature), node);
        }
        call.arguments[std::size_t(it - signature.parameters.begin())] = std::move(value);
    }
    for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
        const Value &value = call.arguments[i];
        if (signature.parameters[i].required && value.is(ValueKind::Unbound))
            notCompiling("type_error",
                         fmt::format("{}() misses the argument '{}'", spec.path,
                                     signature.parameters[i].name),
                         fmt::format("it takes: {}", spec.signature), node);
        if (value.is(ValueKind::OutOfScope))
            notCompiling("err_local_variable_used_out_of_scope", "a tile is used after its loop",
                         {}, node);
    }
    m_node = node;
    return spec.handler(call);
}

const CallPlan *Evaluator::planCall(NodeId call, const Value &function)
{
    const FunctionSpec *spec = function.as<FunctionObject>().spec;
    std::unique_ptr<CallPlan> &known = m_calls[std::size_t(call)];
    if (known != nullptr && known->spec == spec)
        return known.get();
    // Only calls that are right whatever the values are; callTable has the words for the others.
    const Signature &signature = Signature::of(*spec);
    if (signature.collectsRest)
        return nullptr;
    CallPlan plan;
    plan.spec = spec;
    plan.parameters = signature.parameters.size();
    std::vector<bool> given(plan.parameters, false);
    const Node &node = m_tree[call];
    std::size_t positional = 0;
    for (std::size_t i = 1; i < node.children.size(); ++i) {
        const Node &argument = m_tree[node.children[i]];
        if (argument.kind == NodeKind::Starred)
            return nullptr;
        if (argument.kind != NodeKind::Keyword) {
            if (positional >= plan.parameters)
                return nullptr;
            given[positional] = true;
            plan.arguments.push_back({node.children[i], std::int32_t(positional++)});
            continue;
        }
        const auto it =
            std::find_if(signature.parameters.begin(), signature.parameters.end(),
                         [&](const auto &parameter) { return parameter.name == argument.text; });
        const auto at = std::size_t(it - signature.parameters.begin());
        if (it == signature.parameters.end() && argument.text != "name")
            return nullptr;
        if (at < plan.parameters && given[at])
            return nullptr;
        if (at < plan.parameters)
            given[at] = true;
        plan.arguments.push_back({argument.children[0], at < plan.parameters ? int(at) : -1});
    }
    for (std::size_t i = 0; i < plan.parameters; ++i)
        if (signature.parameters[i].required && !given[i])
            return nullptr;
    known = std::make_unique<CallPlan>(std::move(plan));
    return known.get();
}

Value Evaluator::followCall(const CallPlan &plan, NodeId node)
{
    Call call{*this, *plan.spec, node, {}, {}};
    if (!m_spareArguments.empty()) {
        call.arguments = std::move(m_spareArguments.back());
        m_spareArguments.pop_back();
    }
    call.arguments.resize(plan.parameters);
    for (const CallPlan::Argument &argument : plan.arguments) {
        Value value = evaluate(argument.node);
        if (value.is(ValueKind::OutOfScope))
            notCompiling("err_local_variable_used_out_of_scope", "a tile is used after its loop",
                         {}, node);
        if (argument.parameter >= 0)
            call.arguments[std::size_t(argument.parameter)] = std::move(value);
    }
    m_node = node;
    Value result = plan.spec->handler(call);
    call.arguments.clear();
    m_spareArguments.push_back(std::move(call.arguments));
    return result;
}

Value Evaluator::callUser(UserFunctionObject &function, std::vector<Value> positional,
                          std::vector<std::pair<std::string, Value>> keywords, NodeId node)
{
    if (++m_depth > m_request.limits.callDepth)
        stop(VerdictStatus::RunFailed, "too_deep",
             fmt::format("functions call each other more than {} deep", m_request.limits.callDepth),
             "NKI inlines every call: recursion needs an end", node);
    const Node &definition = m_tree[function.node];
    const Names &names = namesOf(function.node);
    charge(8 + names.slots.size() / 2 + positional.size() + 8 * keywords.size(), node);
    m_frames.push_back(std::make_unique<Frame>());
    Frame *frame = m_frames.back().get();
    frame->names = &names;
    frame->values.resize(names.slots.size());
    frame->boundIn.resize(names.slots.size(), tracedPass());
    frame->closure = function.closure;

    const auto &parameters = m_tree[definition.children[0]].children;
    const std::string functionName = definition.text.empty() ? "lambda" : definition.text;
    std::size_t used = 0;
    bool keywordOnly = false;
    const auto set = [&](const std::string &name, Value value) {
        if (value.is(ValueKind::Tensor))
            value.as<TensorObject>().freshProducer = kNoInstruction;
        frame->values[std::size_t(names.slots.at(name))] = std::move(value);
    };
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const std::string &text = m_tree[parameters[i]].text;
        if (text == "*") {
            keywordOnly = true;
            continue;
        }
        if (text.starts_with("**")) {
            auto *dict = new DictObject;
            Value value = Value::object(ValueKind::Dict, dict);
            for (auto &[name, item] : keywords)
                dict->items.emplace_back(makeString(name), std::move(item));
            keywords.clear();
            set(text.substr(2), std::move(value));
            continue;
        }
        if (text.starts_with("*")) {
            std::vector<Value> rest(
                std::make_move_iterator(positional.begin() + std::ptrdiff_t(used)),
                std::make_move_iterator(positional.end()));
            used = positional.size();
            set(text.substr(1), makeTuple(std::move(rest)));
            keywordOnly = true;
            continue;
        }
        const auto keyword = std::find_if(keywords.begin(), keywords.end(),
                                          [&](const auto &item) { return item.first == text; });
        if (keyword != keywords.end()) {
            set(text, std::move(keyword->second));
            keywords.erase(keyword);
        } else if (!keywordOnly && used < positional.size()) {
            set(text, std::move(positional[used++]));
        } else if (!function.defaults[i].is(ValueKind::Unbound)) {
            set(text, function.defaults[i]);
        } else {
            notCompiling("type_error",
                         fmt::format("{}() misses the argument '{}'", functionName, text), {},
                         node);
        }
    }
    if (used < positional.size())
        notCompiling("type_error",
                     fmt::format("{}() takes {} arguments, {} were given", functionName, used,
                                 positional.size()),
                     {}, node);
    if (!keywords.empty())
        notCompiling("type_error",
                     fmt::format("{}() got an unexpected keyword argument '{}'", functionName,
                                 keywords[0].first),
                     {}, node);

    Frame *caller = std::exchange(m_frame, frame);
    Value result = Value::none();
    if (definition.kind == NodeKind::Lambda) {
        result = evaluate(definition.children[1]);
    } else if (executeBlock(definition.children[1]) == Flow::Return) {
        result = std::exchange(m_returned, Value::none());
    }
    m_frame = caller;
    --m_depth;
    m_node = node;
    if (!frame->captured && m_frames.back().get() == frame)
        m_frames.pop_back();
    return result;
}

Value Evaluator::parameterValue(std::size_t index)
{
    const TraceArgument &argument = m_request.arguments[index];
    if (argument.scalar) {
        const bool whole =
            std::floor(argument.value) == argument.value && std::abs(argument.value) < 1e15;
        return whole ? Value::integer(std::int64_t(argument.value)) : Value::number(argument.value);
    }
    TensorObject *view = m_emitter.newTensor(Memory::Hbm, StorageRole::Input, argument.dtype,
                                             argument.shape, -1, {});
    Tensor &tensor = program().tensors[std::size_t(view->tensor)];
    tensor.name = argument.name;
    tensor.parameter = std::int32_t(index);
    return Value::object(ValueKind::Tensor, view);
}

Program Evaluator::run()
{
    const Names &moduleNames = namesOf(m_tree.root());
    m_frames.push_back(std::make_unique<Frame>());
    m_module = m_frame = m_frames.back().get();
    m_module->names = &moduleNames;
    m_module->values.resize(moduleNames.slots.size());
    m_module->boundIn.resize(moduleNames.slots.size(), 0);

    // Statements of the module that are not definitions or imports are constants at most; what they
    // call is looked up like anything else, so nothing of theirs can reach outside.
    for (const NodeId statement : m_tree[m_tree.root()].children) {
        const Node &node = m_tree[statement];
        if (node.kind == NodeKind::If || node.kind == NodeKind::Try)
            continue; // `if __name__ == "__main__"` and the like are not part of a kernel
        executeModuleStatement(statement);
    }

    std::string entry = m_request.entryPoint;
    if (entry.empty()) {
        const std::vector<std::string> names = entryPoints(m_tree);
        if (names.empty()) {
            m_node = m_tree.root();
            notCompiling("no_kernel", "the file defines no function",
                         "write the kernel as a function decorated with @nki.jit");
        }
        entry = names.back();
        for (const std::string &name : names)
            if (name == "kernel" || name == "optimized_kernel")
                entry = name;
    }
    const auto slot = moduleNames.slots.find(entry);
    const Value function =
        slot == moduleNames.slots.end() ? Value{} : m_module->values[std::size_t(slot->second)];
    if (!function.is(ValueKind::UserFunction)) {
        m_node = m_tree.root();
        notCompiling("no_kernel", fmt::format("the file defines no function '{}'", entry),
                     "name the kernel's function as the task expects it");
    }
    const NodeId definition = function.as<UserFunctionObject>().node;
    m_node = definition;
    for (std::size_t i = 2; i < m_tree[definition].children.size(); ++i)
        if (m_tree.text(m_tree[definition].children[i]).find("skip_middle_end_transformations") !=
            std::string_view::npos)
            program().skipsMiddleEnd = true;
    const auto &parameters = m_tree[m_tree[definition].children[0]].children;
    if (parameters.size() < m_request.arguments.size())
        notCompiling("type_error",
                     fmt::format("the kernel takes {} arguments, the task gives {}",
                                 parameters.size(), m_request.arguments.size()),
                     "take the task's arguments in their order", definition);
    m_mutable.resize(m_request.arguments.size(), false);
    for (std::size_t i = 0; i < m_mutable.size(); ++i)
        m_mutable[i] = m_tree.text(m_tree[parameters[i]].children[1]).find("mutable_tensor") !=
                       std::string_view::npos;
    std::vector<Value> arguments;
    for (std::size_t i = 0; i < m_request.arguments.size(); ++i)
        arguments.push_back(parameterValue(i));
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (arguments[i].is(ValueKind::Tensor)) {
            std::string name = m_tree[parameters[i]].text;
            program().tensors[std::size_t(arguments[i].as<TensorObject>().tensor)].name =
                std::move(name);
        }
    finish(call(function, std::move(arguments), {}, definition));
    return std::move(program());
}

void Evaluator::refuseOutsideKernel() const
{
    notCompiling("err_nki_api_outside_of_nki_kernel",
                 "an NKI function is called outside of a kernel",
                 "call it in the function that is decorated with @nki.jit");
}

void Evaluator::finish(const Value &result)
{
    std::vector<Value> returned;
    if (result.is(ValueKind::Tuple) || result.is(ValueKind::List))
        returned = result.as<SequenceObject>().items;
    else if (!result.is(ValueKind::None))
        returned.push_back(result);
    if (returned.empty())
        notCompiling("err_tensor_output_not_written_to", "the kernel returns no tensor",
                     "return the nl.shared_hbm tensor that holds the result");
    for (const Value &value : returned) {
        if (!value.is(ValueKind::Tensor) || value.as<TensorObject>().memory != Memory::Hbm)
            notCompiling(
                "err_unsupported_memory",
                fmt::format("the kernel returns a {} that is not an HBM tensor",
                            pythonTypeName(value.kind())),
                "create the result with nl.ndarray(..., buffer=nl.shared_hbm) and store into it");
        Tensor &tensor = program().tensors[std::size_t(value.as<TensorObject>().tensor)];
        tensor.output = std::int32_t(program().outputs.size());
        Storage &storage = program().storages[std::size_t(tensor.firstStorage)];
        if (storage.role != StorageRole::Input)
            storage.role = StorageRole::Output;
        program().outputs.push_back(value.as<TensorObject>().tensor);
    }
    for (const Tensor &tensor : program().tensors)
        if (tensor.output < 0 && tensor.parameter >= 0 &&
            program().storages[std::size_t(tensor.firstStorage)].role == StorageRole::Input &&
            isMutable(tensor.parameter))
            notCompiling("err_mutable_parameter_not_returned",
                         fmt::format("the mutable parameter '{}' is not returned", tensor.name),
                         "return it beside the other results");
}

TensorObject *Evaluator::newTile(Memory memory, DType dtype, std::vector<std::int64_t> shape)
{
    if (!shape.empty() && shape[0] > 128)
        notCompiling(
            "err_num_partition_exceed_arch_limit",
            fmt::format("number of partitions {} exceed architecture limitation of 128", shape[0]),
            "process at most 128 rows at a time");
    TensorObject *tile = m_emitter.newTile(memory, dtype, std::move(shape), place());
    const auto number = std::size_t(tile->tensor);
    if (memory == Memory::Psum) {
        if (number >= m_implied.size())
            m_implied.resize(2 * number + 64, false);
        m_implied[number] = true;
    } else {
        setDeclared(*tile); // numbers of tiles that were not needed are used again
    }
    return tile;
}

Value Evaluator::freshValue(TensorObject *tile, InstructionId producer, const Value &mask) const
{
    tile->freshProducer = producer == kNoInstruction ? TensorObject::kNothingIssued : producer;
    tile->freshMask = mask.is(ValueKind::MaskExpression) ? mask : Value{};
    return Value::object(ValueKind::Tensor, tile);
}

} // namespace accelopt::nki
