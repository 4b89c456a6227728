// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/ModelBuilder.h"

#include <algorithm>

namespace accelopt::rewrite {

ModelBuilder::ModelBuilder(const nki::SyntaxTree &tree, const ModelContext &context)
    : m_tree(tree),
      m_context(context)
{}

Result<KernelModel> ModelBuilder::build()
{
    m_model.m_tree = &m_tree;
    m_model.m_context = m_context;
    m_model.m_function = findKernel();
    if (m_model.m_function < 0)
        return fail(ErrorCode::NotGood, "the file has no kernel function",
                    "A kernel is a function decorated with @nki.jit.");
    for (NodeId id = 0; id < static_cast<NodeId>(m_tree.size()); ++id) {
        const nki::Node &node = at(id);
        if (node.kind == NodeKind::Name || node.kind == NodeKind::FunctionDef)
            ++m_model.m_names[node.text];
        if (node.kind == NodeKind::Parameter)
            ++m_model.m_names[node.text];
        if (node.kind == NodeKind::Import || node.kind == NodeKind::ImportFrom)
            readImports(id);
    }
    const NodeId parameters = child(m_model.m_function, 0);
    for (const NodeId parameter : at(parameters).children) {
        m_parameters.insert(at(parameter).text);
        ++m_bindings[at(parameter).text];
    }
    const NodeId body = child(m_model.m_function, 1);
    countNames(body);
    chooseLayout(parameters);
    readBlock(body, -1);
    for (NodeId id = 0; id < static_cast<NodeId>(m_tree.size()); ++id)
        if (at(id).kind == NodeKind::BinOp || at(id).kind == NodeKind::Name)
            if (const std::optional<Symbolic> known = size(id))
                if (const std::optional<std::int64_t> value = known->constant())
                    m_model.m_knownSizes[id] = *value;
    return std::move(m_model);
}

nki::NodeId ModelBuilder::findKernel() const
{
    NodeId named = -1;
    NodeId last = -1;
    for (const NodeId id : at(m_tree.root()).children) {
        if (at(id).kind != NodeKind::FunctionDef)
            continue;
        for (std::size_t i = 2; i < at(id).children.size(); ++i) {
            const std::string_view decorator = m_tree.text(child(id, i));
            for (const std::string_view word : {"jit", "baremetal", "benchmark", "profile"})
                if (decorator.find(word) != std::string_view::npos)
                    return id;
        }
        if (at(id).text == "kernel" || at(id).text == "optimized_kernel")
            named = id;
        last = id;
    }
    return named >= 0 ? named : last;
}

void ModelBuilder::readImports(NodeId node)
{
    static const std::map<std::string, std::string> kModules{{"neuronxcc.nki", "nki"},
                                                             {"neuronxcc.nki.language", "nl"},
                                                             {"neuronxcc.nki.isa", "nisa"},
                                                             {"numpy", "np"}};
    const bool from = at(node).kind == NodeKind::ImportFrom;
    for (const NodeId aliasNode : at(node).children) {
        const std::string &text = at(aliasNode).text;
        const std::size_t as = text.find(" as ");
        const std::string imported = text.substr(0, as);
        const std::string alias = as == std::string::npos ? imported : text.substr(as + 4);
        if (from) {
            const std::string module = at(node).text;
            if (const auto whole = kModules.find(module + "." + imported); whole != kModules.end())
                m_model.m_modules[alias] = whole->second;
            else if (const auto part = kModules.find(module); part != kModules.end())
                m_model.m_modules[alias] = part->second + "." + imported;
        } else if (const auto found = kModules.find(imported);
                   found != kModules.end() && alias.find('.') == std::string::npos) {
            m_model.m_modules[alias] = found->second;
        }
    }
}

// Counts how often each name is bound, over all nested blocks.
void ModelBuilder::countNames(NodeId id)
{
    const nki::Node &node = at(id);
    const auto bind = [this](NodeId target, const auto &self) -> void {
        if (at(target).kind == NodeKind::Name)
            ++m_bindings[at(target).text];
        else if (at(target).kind == NodeKind::Tuple || at(target).kind == NodeKind::List)
            for (const NodeId element : at(target).children)
                self(element, self);
    };
    if (node.kind == NodeKind::Assign) {
        for (std::size_t i = 1; i < node.children.size(); ++i)
            bind(node.children[i], bind);
        if (node.children.size() == 2 && at(node.children[1]).kind == NodeKind::Name)
            m_assignments[at(node.children[1]).text].push_back(id);
    }
    if (node.kind == NodeKind::AugAssign || node.kind == NodeKind::AnnAssign ||
        node.kind == NodeKind::For || node.kind == NodeKind::Comprehension)
        bind(node.children[0], bind);
    for (const NodeId next : node.children)
        countNames(next);
}

bool ModelBuilder::boundOnce(const std::string &name) const
{
    const auto found = m_bindings.find(name);
    return found != m_bindings.end() && found->second == 1;
}

bool ModelBuilder::boundPerBlock(const std::string &name) const
{
    const auto all = m_bindings.find(name);
    const auto plain = m_assignments.find(name);
    if (all == m_bindings.end() || plain == m_assignments.end() ||
        all->second != static_cast<int>(plain->second.size()))
        return false;
    for (const NodeId one : plain->second)
        for (const NodeId other : plain->second)
            for (NodeId node = at(other).parent; one != other && node >= 0; node = at(node).parent)
                if (node == at(one).parent)
                    return false;
    return true;
}

// The first layout whose ranks agree with how each parameter is unpacked and subscripted.
void ModelBuilder::chooseLayout(NodeId parameters)
{
    for (const std::vector<Shape> &shapes : m_context.layouts) {
        if (shapes.size() != at(parameters).children.size())
            continue;
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            std::vector<Symbolic> dimensions(shapes[i].begin(), shapes[i].end());
            m_parameterShapes[at(child(parameters, i)).text] = std::move(dimensions);
        }
        if (fits(shapes))
            break;
        m_parameterShapes.clear();
    }
    for (const auto &[name, shape] : m_parameterShapes)
        if (!shape.empty())
            m_hbm.insert(name);
    if (!m_parameterShapes.empty())
        return;
    // Without shapes a parameter that is never used like a tensor is a number.
    for (NodeId id = 0; id < static_cast<NodeId>(m_tree.size()); ++id) {
        const nki::Node &node = at(id);
        if ((node.kind == NodeKind::Attribute || node.kind == NodeKind::Subscript) &&
            at(node.children[0]).kind == NodeKind::Name &&
            m_parameters.contains(at(node.children[0]).text))
            m_hbm.insert(at(node.children[0]).text);
    }
}

bool ModelBuilder::fits(const std::vector<Shape> &) const
{
    const auto rank = [this](NodeId object) -> std::optional<std::size_t> {
        if (at(object).kind != NodeKind::Name)
            return std::nullopt;
        const auto found = m_parameterShapes.find(at(object).text);
        return found == m_parameterShapes.end() ? std::nullopt
                                                : std::optional(found->second.size());
    };
    for (NodeId id = 0; id < static_cast<NodeId>(m_tree.size()); ++id) {
        const nki::Node &node = at(id);
        if (node.kind == NodeKind::Subscript) {
            if (const auto of = rank(node.children[0])) {
                const nki::Node &index = at(node.children[1]);
                const std::size_t arity = index.kind == NodeKind::Tuple ? index.children.size() : 1;
                if (arity > *of)
                    return false;
                // A kernel that leaves out trailing axes on purpose is rarer than another layout.
                if (index.kind == NodeKind::Tuple && arity < *of)
                    return false;
            }
        }
        if (node.kind == NodeKind::Assign && node.children.size() == 2 &&
            at(node.children[1]).kind == NodeKind::Tuple) {
            const nki::Node &value = at(node.children[0]);
            if (value.kind == NodeKind::Attribute && value.text == "shape")
                if (const auto of = rank(value.children[0]))
                    if (at(node.children[1]).children.size() != *of)
                        return false;
        }
    }
    return true;
}

void ModelBuilder::readBlock(NodeId block, int loop)
{
    m_model.m_blocks[block];
    int position = 0;
    for (const NodeId statement : at(block).children) {
        const int id = readStatement(statement, block, position++, loop);
        m_model.m_blocks[block].push_back(id);
    }
    // What a name bound in several blocks means here ends here.
    for (const NodeId statement : at(block).children)
        if (at(statement).kind == NodeKind::Assign && at(statement).children.size() == 2)
            if (const nki::Node &target = at(child(statement, 1));
                target.kind == NodeKind::Name && !boundOnce(target.text))
                m_model.m_sizes.erase(target.text);
}

int ModelBuilder::readStatement(NodeId node, NodeId block, int position, int loop)
{
    const int id = static_cast<int>(m_model.m_statements.size());
    m_model.m_statements.emplace_back();
    Statement statement;
    statement.node = node;
    statement.block = block;
    statement.position = position;
    statement.loop = loop;
    statement.hasBody = at(node).kind == NodeKind::For || at(node).kind == NodeKind::If ||
                        at(node).kind == NodeKind::While || at(node).kind == NodeKind::With ||
                        at(node).kind == NodeKind::Try;
    m_touches = statement.hasBody ? nullptr : &statement.touches;
    collectReads(node, statement, false);
    m_touches = nullptr;

    switch (at(node).kind) {
    case NodeKind::Assign:
    case NodeKind::AugAssign: readAssignment(node, statement); break;
    case NodeKind::ExprStatement: {
        TileShape shape;
        statement.operation = operation(child(node, 0), shape);
        if (statement.operation && statement.operation->kind == OperationKind::Store) {
            const Operation &store = *statement.operation;
            statement.destination = access(store.keywords.at("dst"));
            statement.shape = shape;
            statement.writes[statement.destination.base]++;
            statement.touches.push_back({statement.destination, true});
        }
        break;
    }
    case NodeKind::For: readLoop(node, statement, loop); break;
    case NodeKind::If:
    case NodeKind::While:
        readBlock(child(node, 1), loop);
        readBlock(child(node, 2), loop);
        break;
    case NodeKind::With: readBlock(child(node, 0), loop); break;
    default: break;
    }
    m_model.m_statements[static_cast<std::size_t>(id)] = std::move(statement);
    if (m_declared) {
        m_declared->statement = id;
        const std::string &name =
            m_model.m_statements[static_cast<std::size_t>(id)].destination.base;
        if (!name.empty() && boundOnce(name))
            m_model.m_declarations[name] = *m_declared;
        m_declared.reset();
    }
    return id;
}

// Names read anywhere below; names written in assignments below. The object of a subscripted target
// is written, its index read.
void ModelBuilder::collectReads(NodeId id, Statement &statement, bool target)
{
    const nki::Node &node = at(id);
    switch (node.kind) {
    case NodeKind::Name:
        ++(target ? statement.writes : statement.reads)[node.text];
        touch(id, target);
        return;
    case NodeKind::Subscript:
        if (at(node.children[0]).kind == NodeKind::Name) {
            ++(target ? statement.writes : statement.reads)[at(node.children[0]).text];
            touch(id, target);
        } else {
            collectReads(node.children[0], statement, target);
        }
        collectReads(node.children[1], statement, false);
        return;
    case NodeKind::Tuple:
    case NodeKind::List:
        for (const NodeId next : node.children)
            collectReads(next, statement, target);
        return;
    case NodeKind::Assign:
        collectReads(node.children[0], statement, false);
        for (std::size_t i = 1; i < node.children.size(); ++i)
            collectReads(node.children[i], statement, true);
        return;
    case NodeKind::AugAssign:
        collectReads(node.children[0], statement, true);
        collectReads(node.children[0], statement, false);
        collectReads(node.children[1], statement, false);
        return;
    case NodeKind::For:
        collectReads(node.children[0], statement, true);
        for (std::size_t i = 1; i < node.children.size(); ++i)
            collectReads(node.children[i], statement, false);
        return;
    case NodeKind::Keyword:
        // Results that an instruction writes besides its value.
        if (node.text == "reduce_res" || node.text == "dst")
            collectReads(node.children[0], statement, true);
        collectReads(node.children[0], statement, false);
        return;
    default:
        for (const NodeId next : node.children)
            collectReads(next, statement, false);
    }
}

void ModelBuilder::touch(NodeId node, bool write)
{
    if (m_touches && !m_model.m_modules.contains(at(node).text))
        m_touches->push_back({access(node), write});
}

void ModelBuilder::readAssignment(NodeId node, Statement &statement)
{
    const bool augmented = at(node).kind == NodeKind::AugAssign;
    if (!augmented && at(node).children.size() != 2)
        return;
    const NodeId target = child(node, augmented ? 0 : 1);
    const NodeId value = child(node, augmented ? 1 : 0);
    statement.augmented = augmented;
    if (!augmented)
        bindSizes(node);
    TileShape shape;
    m_resultInPsum = false;
    statement.operation = operation(value, shape);
    if (at(target).kind != NodeKind::Name && at(target).kind != NodeKind::Subscript)
        return;
    statement.destination = access(target);
    if (statement.destination.whole && at(target).kind == NodeKind::Name) {
        const std::string &name = at(target).text;
        statement.shape = shape;
        if (!augmented) {
            m_tiles[name] = shape;
            m_psum.erase(name);
            m_hbm.erase(name);
            if (m_declared) {
                if (m_declared->memory.find("hbm") != std::string::npos)
                    m_hbm.insert(name);
                else
                    m_tiles[name] = m_declared->tile;
                if (m_declared->memory == "psum")
                    m_psum.insert(name);
            } else if (m_resultInPsum) {
                m_psum.insert(name);
            }
            if (boundOnce(name) && at(value).kind == NodeKind::Attribute)
                m_hbm.erase(name);
        } else if (const auto found = m_tiles.find(name); found != m_tiles.end()) {
            statement.shape = found->second;
        }
    } else {
        statement.shape = accessShape(statement.destination);
        if (!statement.shape.elements)
            statement.shape = shape;
    }
    // A view of an HBM tensor in another shape is one, too.
    if (at(value).kind == NodeKind::Call && at(child(value, 0)).kind == NodeKind::Attribute &&
        at(child(value, 0)).text == "reshape") {
        const NodeId object = child(child(value, 0), 0);
        if (at(object).kind == NodeKind::Name && m_hbm.contains(at(object).text) &&
            statement.destination.whole)
            m_hbm.insert(statement.destination.base);
    }
}

void ModelBuilder::readLoop(NodeId node, Statement &, int outer)
{
    Loop loop;
    loop.node = node;
    loop.parent = outer;
    if (at(child(node, 0)).kind == NodeKind::Name)
        loop.variable = at(child(node, 0)).text;
    const NodeId iterable = child(node, 1);
    if (at(iterable).kind == NodeKind::Call && at(iterable).children.size() >= 2) {
        const std::string callee = resolved(child(iterable, 0));
        const std::string plain = callee.substr(callee.rfind('.') + 1);
        if (callee == "range" || callee == "nl.affine_range" || callee == "nl.sequential_range" ||
            callee == "nl.static_range")
            loop.kind = plain;
        const std::size_t arguments = at(iterable).children.size() - 1;
        const auto last =
            loop.kind.empty() ? std::nullopt : size(child(iterable, arguments == 1 ? 1 : 2));
        if (arguments == 1 && last) {
            loop.trips = *last;
            loop.known = !loop.variable.empty();
        } else if (last) {
            // range(first, last, step): how often is known, but the variable does not count passes.
            const auto first = size(child(iterable, 1));
            const auto step = arguments == 3 ? size(child(iterable, 3)) : Symbolic(1);
            const auto length = first ? Symbolic::difference(*last, *first) : std::nullopt;
            if (const auto trips =
                    length && step ? Symbolic::quotient(*length, *step) : std::nullopt)
                loop.trips = *trips;
        }
    }
    m_model.m_loops.push_back(loop);
    const int id = static_cast<int>(m_model.m_loops.size()) - 1;
    readBlock(child(node, 2), id);
    readBlock(child(node, 3), outer);
}

// What `name = value` and `a, b = x.shape` say about sizes, numbers and index grids.
void ModelBuilder::bindSizes(NodeId node)
{
    const NodeId value = child(node, 0);
    const NodeId target = child(node, 1);
    if (at(target).kind == NodeKind::Tuple) {
        if (const auto dimensions = shapeOf(value)) {
            for (std::size_t i = 0; i < at(target).children.size() && i < dimensions->size(); ++i) {
                const nki::Node &name = at(child(target, i));
                if (name.kind == NodeKind::Name && boundOnce(name.text))
                    m_model.m_sizes[name.text] = (*dimensions)[i];
            }
        } else if (at(value).kind == NodeKind::Tuple &&
                   at(value).children.size() == at(target).children.size()) {
            for (std::size_t i = 0; i < at(target).children.size(); ++i)
                bindPair(child(target, i), child(value, i));
        } else if (at(value).kind == NodeKind::Subscript &&
                   resolved(child(value, 0)) == "nl.mgrid") {
            const NodeId index = child(value, 1);
            if (at(index).kind == NodeKind::Tuple &&
                at(index).children.size() == at(target).children.size())
                for (std::size_t i = 0; i < at(target).children.size(); ++i) {
                    int axis = static_cast<int>(i);
                    AxisIndex lane = axisIndex(child(index, i), std::nullopt, axis);
                    const nki::Node &name = at(child(target, i));
                    if (lane.known && name.kind == NodeKind::Name && boundOnce(name.text))
                        m_grids[name.text] = lane;
                }
        }
        return;
    }
    bindPair(target, value);
}

void ModelBuilder::bindPair(NodeId target, NodeId value)
{
    if (at(target).kind != NodeKind::Name)
        return;
    const std::string &name = at(target).text;
    if (size(value) || number(value))
        m_scalars.insert(name);
    else
        m_scalars.erase(name);
    if (!boundOnce(name)) {
        if (const auto known = boundPerBlock(name) ? size(value) : std::nullopt)
            m_model.m_sizes[name] = *known;
        return;
    }
    const auto other = m_context.constants.find(name);
    if (other != m_context.constants.end()) {
        m_model.m_constants[name] = {other->second,
                                     static_cast<int>(m_model.m_statements.size()) - 1};
        m_model.m_sizes[name] = Symbolic(other->second);
        return;
    }
    if (at(value).kind == NodeKind::Constant &&
        std::holds_alternative<std::int64_t>(at(value).literal))
        m_model.m_constants[name] = {std::get<std::int64_t>(at(value).literal),
                                     static_cast<int>(m_model.m_statements.size()) - 1};
    if (const std::optional<Symbolic> known = size(value))
        m_model.m_sizes[name] = *known;
    else if (const std::optional<double> known_number = number(value))
        m_numbers[name] = *known_number;
    else if (const std::optional<AxisIndex> lanes = grid(value); lanes && !lanes->lanes.empty())
        m_grids[name] = *lanes;
}

} // namespace accelopt::rewrite
