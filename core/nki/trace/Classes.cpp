// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/trace/Evaluator.h"

#include "core/nki/trace/TraceStop.h"

#include <algorithm>
#include <fmt/format.h>

// Classes that kernels hold their settings in: fields with defaults, methods, enumerations. There
// is no metaclass, no inheritance from anything but such classes, and no attribute of Python's own.

namespace accelopt::nki {

const Value *ClassObject::find(const std::string &attribute) const
{
    for (const auto &[key, value] : attributes)
        if (key == attribute)
            return &value;
    return nullptr;
}

void ClassObject::set(const std::string &attribute, Value value)
{
    for (auto &[key, kept] : attributes)
        if (key == attribute) {
            kept = std::move(value);
            return;
        }
    attributes.emplace_back(attribute, std::move(value));
}

InstanceObject::InstanceObject() : type(Value::none()), values(makeList({})) {}

const Value *InstanceObject::find(const std::string &attribute) const
{
    const auto it = std::find(names.begin(), names.end(), attribute);
    return it == names.end() ? nullptr
                             : &values.as<SequenceObject>().items[std::size_t(it - names.begin())];
}

void InstanceObject::set(const std::string &attribute, Value value)
{
    auto &items = values.as<SequenceObject>().items;
    const auto it = std::find(names.begin(), names.end(), attribute);
    if (it != names.end()) {
        items[std::size_t(it - names.begin())] = std::move(value);
        return;
    }
    names.push_back(attribute);
    items.push_back(std::move(value));
}

Value Evaluator::group(const std::vector<std::pair<std::string, Value>> &members) const
{
    auto *instance = new InstanceObject;
    Value value = Value::object(ValueKind::Instance, instance);
    for (const auto &[name, member] : members)
        instance->set(name, member);
    return value;
}

bool Evaluator::isDecorated(const Value &function, std::string_view decorator) const
{
    const Node &node = m_tree[function.as<UserFunctionObject>().node];
    for (std::size_t i = 2; node.kind == NodeKind::FunctionDef && i < node.children.size(); ++i)
        if (m_tree.text(node.children[i]) == decorator)
            return true;
    return false;
}

Value Evaluator::makeClass(NodeId definition)
{
    const Node &node = m_tree[definition];
    charge(64 + m_tree[node.children[0]].children.size() * 8, definition);
    m_frame->captured = true;
    auto *type = new ClassObject;
    Value result = Value::object(ValueKind::Class, type);
    type->name = node.text;
    for (std::size_t i = 1; i < node.children.size(); ++i) {
        const std::string_view base = m_tree.text(node.children[i]);
        if (base == "Enum" || base == "IntEnum" || base == "enum.Enum" || base == "enum.IntEnum") {
            type->enumeration = true;
        } else if (base != "object" && base != "NamedTuple" && base != "typing.NamedTuple") {
            const Value parent = evaluate(node.children[i]);
            if (!parent.is(ValueKind::Class))
                unsupported(fmt::format("a class made from {}", base), node.children[i]);
            for (const auto &[name, value] : parent.as<ClassObject>().attributes)
                type->set(name, value);
            type->fields = parent.as<ClassObject>().fields;
        }
    }

    // The body is carried out in names of its own, which become the attributes.
    const Names &names = namesOf(definition);
    m_frames.push_back(std::make_unique<Frame>());
    Frame *frame = m_frames.back().get();
    frame->names = &names;
    frame->values.resize(names.slots.size());
    frame->boundIn.resize(names.slots.size(), tracedPass());
    frame->closure = m_frame;
    frame->captured = true;
    Frame *const around = std::exchange(m_frame, frame);
    for (const NodeId statement : m_tree[node.children[0]].children) {
        const Node &line = m_tree[statement];
        if (line.kind == NodeKind::AnnAssign && m_tree[line.children[0]].kind == NodeKind::Name &&
            std::find(type->fields.begin(), type->fields.end(), m_tree[line.children[0]].text) ==
                type->fields.end())
            type->fields.push_back(m_tree[line.children[0]].text);
        execute(statement);
    }
    m_frame = around;
    for (const auto &[name, slot] : names.slots) {
        Value value = frame->values[std::size_t(slot)];
        if (value.is(ValueKind::Unbound))
            continue;
        // Methods do not see the names of the class body.
        if (value.is(ValueKind::UserFunction) && value.as<UserFunctionObject>().closure == frame)
            value.as<UserFunctionObject>().closure = around;
        if (type->enumeration && !value.is(ValueKind::UserFunction)) {
            Value member = group({{"name", makeString(name)}, {"value", value}});
            value = std::move(member);
        }
        type->set(name, std::move(value));
    }
    m_node = definition;
    return result;
}

Value Evaluator::callClass(const Value &type, std::vector<Value> positional,
                           std::vector<std::pair<std::string, Value>> keywords, NodeId node)
{
    const auto &definition = type.as<ClassObject>();
    if (definition.enumeration)
        unsupported("looking a member of an enumeration up by its value", node);
    charge(32 + definition.fields.size() * 8, node);
    auto *instance = new InstanceObject;
    Value object = Value::object(ValueKind::Instance, instance);
    instance->type = type;
    instance->values.as<SequenceObject>().madeIn = m_emitter.iteration();
    const auto method = [&](const char *name) {
        const Value *function = definition.find(name);
        return function != nullptr && function->is(ValueKind::UserFunction) ? function : nullptr;
    };
    if (const Value *initialise = method("__init__")) {
        positional.insert(positional.begin(), object);
        callUser(initialise->as<UserFunctionObject>(), std::move(positional), std::move(keywords),
                 node);
        return object;
    }
    // A data class: its fields are its arguments.
    if (positional.size() > definition.fields.size())
        notCompiling("type_error",
                     fmt::format("{}() takes {} arguments, {} were given", definition.name,
                                 definition.fields.size(), positional.size()),
                     {}, node);
    for (const auto &[name, value] : keywords)
        if (std::find(definition.fields.begin(), definition.fields.end(), name) ==
            definition.fields.end())
            notCompiling(
                "type_error",
                fmt::format("{}() got an unexpected keyword argument '{}'", definition.name, name),
                {}, node);
    for (std::size_t i = 0; i < definition.fields.size(); ++i) {
        const std::string &name = definition.fields[i];
        const auto keyword = std::find_if(keywords.begin(), keywords.end(),
                                          [&](const auto &item) { return item.first == name; });
        const Value *otherwise = definition.find(name);
        if (i < positional.size())
            instance->set(name, positional[i]);
        else if (keyword != keywords.end())
            instance->set(name, keyword->second);
        else if (otherwise != nullptr)
            instance->set(name, *otherwise);
        else
            notCompiling("type_error",
                         fmt::format("{}() misses the argument '{}'", definition.name, name), {},
                         node);
    }
    if (const Value *check = method("__post_init__"))
        callUser(check->as<UserFunctionObject>(), {object}, {}, node);
    return object;
}

Value Evaluator::classAttribute(const Value &type, const std::string &name, NodeId node)
{
    const auto &definition = type.as<ClassObject>();
    if (name == "__name__")
        return makeString(definition.name);
    const Value *value = definition.find(name);
    if (value == nullptr)
        notCompiling("attribute_error",
                     fmt::format("the class {} has no attribute '{}'", definition.name, name), {},
                     node);
    if (value->is(ValueKind::UserFunction) && isDecorated(*value, "classmethod")) {
        auto *bound = new BoundMethodObject;
        bound->self = type;
        bound->name = name;
        return Value::object(ValueKind::BoundMethod, bound);
    }
    return *value;
}

Value Evaluator::instanceAttribute(const Value &object, const std::string &name, NodeId node)
{
    const auto &instance = object.as<InstanceObject>();
    charge(instance.names.size() / 4, node);
    if (const Value *own = instance.find(name))
        return *own;
    if (instance.type.is(ValueKind::Class)) {
        const Value *value = instance.type.as<ClassObject>().find(name);
        if (value != nullptr && value->is(ValueKind::UserFunction)) {
            if (isDecorated(*value, "property"))
                return callUser(value->as<UserFunctionObject>(), {object}, {}, node);
            if (isDecorated(*value, "staticmethod"))
                return *value;
            auto *bound = new BoundMethodObject;
            bound->self = isDecorated(*value, "classmethod") ? instance.type : object;
            bound->name = name;
            return Value::object(ValueKind::BoundMethod, bound);
        }
        if (value != nullptr)
            return *value;
        if (name == "__class__")
            return instance.type;
    }
    notCompiling("attribute_error", fmt::format("the object has no attribute '{}'", name), {},
                 node);
}

Value Evaluator::launchOn(const Value &function, const std::vector<Value> &grid, NodeId node)
{
    auto *launch = new LaunchObject;
    Value result = Value::object(ValueKind::Launch, launch);
    launch->function = function;
    std::int64_t programs = 1;
    for (const Value &size : grid) {
        if (!size.isInteger())
            unsupported(fmt::format("a launch grid of a {}", pythonTypeName(size.kind())), node);
        if (size.asInteger() < 1 || size.asInteger() > std::int64_t(kMostItems) / programs)
            notCompiling("value_error", "a launch grid has from one to a million programs", {},
                         node);
        programs *= size.asInteger();
        launch->grid.push_back(size.asInteger());
    }
    return result;
}

Value Evaluator::callLaunch(LaunchObject &object, const std::vector<Value> &positional,
                            const std::vector<std::pair<std::string, Value>> &keywords, NodeId node)
{
    if (m_launch != nullptr)
        notCompiling("err_nested_kernel_with_spmd_grid",
                     "a kernel with a launch grid is called inside of a kernel that has one",
                     "call the inner kernel without a grid", node);
    Launch launch;
    launch.grid = object.grid;
    launch.program.assign(launch.grid.size(), 0);
    launch.outside = m_emitter.iteration();
    const std::int32_t loop = m_emitter.newLoop();
    Value result;
    m_launch = &launch;
    for (std::int32_t number = 0;; ++number) {
        step(node);
        m_emitter.enter(loop, LoopKind::Program, number);
        launch.iteration = m_emitter.iteration();
        launch.met = 0;
        Value returned =
            callUser(object.function.as<UserFunctionObject>(), positional, keywords, node);
        if (number == 0)
            result = std::move(returned);
        m_emitter.leave();
        std::size_t axis = launch.grid.size();
        while (axis > 0 && ++launch.program[axis - 1] == launch.grid[axis - 1])
            launch.program[--axis] = 0;
        if (axis == 0)
            break;
    }
    m_launch = nullptr;
    return result;
}

} // namespace accelopt::nki
