// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/ModelBuilder.h"

#include <algorithm>

namespace accelopt::rewrite {
namespace {

// Positional parameters of the calls that are understood (NKI documentation, classic API).
const std::map<std::string, std::vector<std::string>> &signatures()
{
    static const std::map<std::string, std::vector<std::string>> all = [] {
        std::map<std::string, std::vector<std::string>> map{
            {"nl.load", {"src"}},
            {"nl.store", {"dst", "value"}},
            {"nl.copy", {"src"}},
            {"nl.matmul", {"x", "y", "transpose_x"}},
            {"nl.transpose", {"x"}},
            {"nl.ndarray", {"shape", "dtype"}},
            {"nl.zeros", {"shape", "dtype"}},
            {"nl.ones", {"shape", "dtype"}},
            {"nl.full", {"shape", "fill_value", "dtype"}},
            {"nl.loop_reduce", {"x", "op", "loop_indices"}},
            {"nl.broadcast_to", {"src", "shape"}},
            {"nisa.activation", {"op", "data", "bias", "scale"}},
            {"nisa.activation_reduce", {"op", "data", "reduce_op", "reduce_res", "bias", "scale"}},
            {"nisa.tensor_scalar",
             {"data", "op0", "operand0", "reverse0", "op1", "operand1", "reverse1"}},
            {"nisa.scalar_tensor_tensor", {"data", "op0", "operand0", "op1", "operand1"}},
            {"nisa.tensor_tensor", {"data1", "data2", "op"}},
            {"nisa.tensor_reduce", {"op", "data", "axis"}},
            {"nisa.reciprocal", {"data"}},
            {"nisa.tensor_copy", {"src"}},
            {"nisa.memset", {"shape", "value", "dtype"}},
            {"nisa.nc_matmul", {"stationary", "moving"}},
            {"nisa.nc_transpose", {"data"}},
        };
        for (const char *op :
             {"add", "subtract", "multiply", "divide", "maximum", "minimum", "power"})
            map[std::string("nl.") + op] = {"x", "y"};
        for (const char *op : {"exp", "square", "sqrt", "rsqrt", "sigmoid", "silu", "tanh", "relu",
                               "gelu", "log", "abs", "reciprocal", "negative"})
            map[std::string("nl.") + op] = {"x"};
        for (const char *op : {"sum", "max", "min", "mean"})
            map[std::string("nl.") + op] = {"x", "axis"};
        return map;
    }();
    return all;
}

std::string withoutModule(const std::string &callee)
{
    return callee.substr(callee.rfind('.') + 1);
}

// NKI's name of an arithmetic operator given as nl.add, np.add, np.max, ...
std::string operatorName(const std::string &resolvedName)
{
    const std::string plain = withoutModule(resolvedName);
    if (plain == "max" || plain == "amax")
        return "maximum";
    if (plain == "min" || plain == "amin")
        return "minimum";
    if (plain == "sum")
        return "add";
    return plain;
}

// True for a reduction of a tile with one free axis over that axis; `axis` normalised.
bool overFreeAxis(const Operand &data, const std::string &axis)
{
    return (data.access.whole || data.access.indices.size() >= 2) &&
           (axis == "[ 1 ]" || axis == "1" || axis == "- 1" || axis == "( 1 , )");
}

} // namespace

const std::vector<std::string> &computingCalls()
{
    static const std::vector<std::string> calls = [] {
        static const std::set<std::string> kOthers{
            "nl.store",    "nl.matmul",       "nl.transpose",   "nl.ndarray",
            "nl.zeros",    "nl.ones",         "nl.full",        "nl.loop_reduce",
            "nisa.memset", "nl.broadcast_to", "nisa.nc_matmul", "nisa.nc_transpose"};
        std::vector<std::string> names;
        for (const auto &[name, parameters] : signatures())
            if (!kOthers.contains(name))
                names.push_back(name);
        return names;
    }();
    return calls;
}

Operand ModelBuilder::operand(NodeId node)
{
    Operand result;
    result.node = node;
    if (at(node).kind == NodeKind::Constant &&
        std::holds_alternative<nki::NoneLiteral>(at(node).literal))
        return result;
    result.kind = OperandKind::Other;
    if (const std::optional<double> value = number(node)) {
        result.kind = OperandKind::Number;
        result.number = value;
        return result;
    }
    // An expression of sizes and numbers whose value is not known.
    if (size(node) || (at(node).kind == NodeKind::Name && m_scalars.contains(at(node).text))) {
        result.kind = OperandKind::Number;
        return result;
    }
    result.access = access(node);
    const std::string &base = result.access.base;
    if (base.empty())
        return result;
    if (m_hbm.contains(base)) {
        result.kind = OperandKind::Hbm;
        result.shape = accessShape(result.access);
        return result;
    }
    if (m_parameters.contains(base) || m_model.m_sizes.contains(base)) {
        if (result.access.whole)
            result.kind = OperandKind::Number;
        return result;
    }
    result.kind = OperandKind::Tile;
    result.shape = accessShape(result.access);
    result.inPsum = m_psum.contains(base);
    if (const auto declared = m_model.m_declarations.find(base);
        declared != m_model.m_declarations.end())
        result.inPsum = declared->second.memory == "psum";
    return result;
}

std::string ModelBuilder::dtypeName(NodeId node) const
{
    const std::string text = resolved(node);
    if (text == "np.float32" || text == "nl.float32")
        return "float32";
    if (at(node).kind == NodeKind::Attribute && at(node).text == "dtype") {
        const nki::Node &object = at(child(node, 0));
        if (object.kind == NodeKind::Name) {
            if (const auto declared = m_model.m_declarations.find(object.text);
                declared != m_model.m_declarations.end())
                return declared->second.dtype;
            // Arguments are float32 unless a task says otherwise, and then its check would tell.
            if (m_parameters.contains(object.text))
                return "float32";
        }
    }
    if (at(node).kind == NodeKind::Constant &&
        std::holds_alternative<nki::NoneLiteral>(at(node).literal))
        return {};
    return m_model.normalized(node);
}

TileShape ModelBuilder::joined(const TileShape &a, const TileShape &b)
{
    TileShape result;
    result.partitions = a.partitions ? a.partitions : b.partitions;
    if (a.column())
        result.elements = b.elements;
    else if (b.column())
        result.elements = a.elements;
    else
        result.elements = a.elements ? a.elements : b.elements;
    return result;
}

Operand ModelBuilder::argument(const Operation &operation, const std::string &keyword) const
{
    const auto found = operation.keywords.find(keyword);
    return found == operation.keywords.end()
               ? Operand{}
               : const_cast<ModelBuilder *>(this)->operand(found->second);
}

std::optional<Operation> ModelBuilder::operation(NodeId node, TileShape &shape)
{
    if (at(node).kind == NodeKind::Call)
        return callOperation(node, shape);
    if (at(node).kind == NodeKind::BinOp) {
        static const std::map<std::string, std::string> kOperators{
            {"+", "add"}, {"-", "subtract"}, {"*", "multiply"}, {"/", "divide"}};
        const auto found = kOperators.find(at(node).text);
        if (found == kOperators.end())
            return std::nullopt;
        Operand left = operand(child(node, 0));
        Operand right = operand(child(node, 1));
        if (!left.tile() && !right.tile())
            return std::nullopt;
        Operation result;
        result.node = node;
        elementwise(result, found->second, std::move(left), std::move(right), shape);
        return result;
    }
    // A plain name or region on the right is a copy or another name; nothing is known of its
    // engine.
    shape = operand(node).shape;
    return std::nullopt;
}

void ModelBuilder::elementwise(Operation &operation, const std::string &op, Operand left,
                               Operand right, TileShape &shape)
{
    const auto usable = [](const Operand &o) { return o.tile() || o.scalar(); };
    if (!usable(left) || !usable(right)) {
        operation.kind = OperationKind::Other;
        shape = joined(left.shape, right.shape);
        return;
    }
    shape = left.tile() && right.tile() ? joined(left.shape, right.shape)
            : left.tile()               ? left.shape
                                        : right.shape;
    // A tile of unknown width beside a known one may be a column that is spread over it.
    const auto same = [](const TileShape &a, const TileShape &b) {
        return a.column() == b.column() && a.elements.has_value() == b.elements.has_value();
    };
    if (right.scalar() || (left.wide() && left.shape.elements && right.column())) {
        operation.kind = OperationKind::Scalars;
        operation.data = {std::move(left)};
        operation.steps.push_back({op, std::move(right), false});
    } else if (left.scalar() || (right.wide() && right.shape.elements && left.column())) {
        const bool commutes = op == "add" || op == "multiply" || op == "maximum" || op == "minimum";
        operation.kind = OperationKind::Scalars;
        operation.data = {std::move(right)};
        operation.steps.push_back({op, std::move(left), !commutes});
    } else if (same(left.shape, right.shape)) {
        operation.kind = OperationKind::Tensors;
        operation.function = op;
        operation.data = {std::move(left), std::move(right)};
    } else {
        operation.kind = OperationKind::Other;
    }
}

std::optional<Operation> ModelBuilder::callOperation(NodeId node, TileShape &shape)
{
    Operation result;
    result.node = node;
    const nki::Node &call = at(node);
    result.callee = resolved(call.children[0]);
    const nki::Node &function = at(call.children[0]);
    if (function.kind == NodeKind::Attribute && function.text == "broadcast_to") {
        result.kind = OperationKind::Broadcast;
        result.data = {operand(function.children[0])};
        const NodeId target = call.children.size() == 2 ? call.children[1] : -1;
        if (target >= 0 && at(target).kind == NodeKind::Tuple && at(target).children.size() == 2) {
            shape.partitions = size(child(target, 0));
            shape.elements = size(child(target, 1));
        }
        return result;
    }
    const auto signature = signatures().find(result.callee);
    if (signature == signatures().end())
        return std::nullopt;

    std::size_t position = 0;
    for (std::size_t i = 1; i < call.children.size(); ++i) {
        const NodeId argumentNode = call.children[i];
        const nki::Node &given = at(argumentNode);
        if (given.kind == NodeKind::Keyword && !given.text.empty()) {
            result.keywords[given.text] = given.children[0];
        } else if (given.kind == NodeKind::Starred || given.kind == NodeKind::Keyword ||
                   position >= signature->second.size()) {
            return std::nullopt;
        } else {
            result.keywords[signature->second[position++]] = argumentNode;
        }
    }
    const auto has = [&result](const char *name) { return result.keywords.contains(name); };
    const auto isNone = [this](NodeId value) {
        return at(value).kind == NodeKind::Constant &&
               std::holds_alternative<nki::NoneLiteral>(at(value).literal);
    };
    if (has("mask") && !isNone(result.keywords["mask"]))
        result.mask = result.keywords["mask"];
    if (has("dtype"))
        result.dtype = dtypeName(result.keywords["dtype"]);
    if (has("engine") && resolved(result.keywords["engine"]) != "nisa.unknown_engine")
        result.plain = false;
    for (const auto &[keyword, value] : result.keywords) {
        const bool known = std::find(signature->second.begin(), signature->second.end(), keyword) !=
                           signature->second.end();
        static const std::set<std::string> kHarmless{"mask",
                                                     "dtype",
                                                     "engine",
                                                     "name",
                                                     "buffer",
                                                     "keepdims",
                                                     "negate",
                                                     "lazy_initialization",
                                                     "is_stationary_onezero",
                                                     "is_moving_onezero",
                                                     "is_transpose",
                                                     "reduce_cmd"};
        if (!known && !kHarmless.contains(keyword))
            result.plain = false;
    }

    const std::string name = withoutModule(result.callee);
    if (name == "ndarray" || name == "zeros" || name == "ones" || name == "full") {
        declaration(result, name);
        if (m_declared)
            shape = m_declared->tile;
    } else if (result.callee == "nl.load") {
        result.kind = OperationKind::Load;
        result.data = {argument(result, "src")};
        shape = result.data[0].shape;
        if (result.data[0].kind == OperandKind::Other) {
            // nl.load(g.reshape((1, n))) and the like: only the shape is of interest
            const NodeId source = result.keywords["src"];
            if (at(source).kind == NodeKind::Call &&
                at(child(source, 0)).kind == NodeKind::Attribute &&
                at(child(source, 0)).text == "reshape" && at(source).children.size() == 2 &&
                at(child(source, 1)).kind == NodeKind::Tuple &&
                at(child(source, 1)).children.size() == 2) {
                shape.partitions = size(child(child(source, 1), 0));
                shape.elements = size(child(child(source, 1), 1));
            }
        }
    } else if (result.callee == "nl.store") {
        if (!has("dst") || !has("value"))
            return std::nullopt;
        result.kind = OperationKind::Store;
        result.data = {argument(result, "value")};
        shape = result.data[0].shape;
    } else if (name == "copy" || name == "tensor_copy") {
        result.kind = OperationKind::Copy;
        result.data = {argument(result, "src")};
        shape = result.data[0].shape;
        if (at(result.keywords["src"]).kind == NodeKind::Call) {
            TileShape inner;
            if (const auto nested = operation(result.keywords["src"], inner))
                shape = inner;
            m_resultInPsum = false;
        }
    } else if (result.callee == "nl.matmul") {
        result.kind = OperationKind::Matmul;
        result.data = {argument(result, "x"), argument(result, "y")};
        result.transposeX =
            has("transpose_x") && m_model.normalized(result.keywords["transpose_x"]) == "True";
        shape.partitions =
            result.transposeX ? result.data[0].shape.elements : result.data[0].shape.partitions;
        shape.elements = result.data[1].shape.elements;
        m_resultInPsum = true;
    } else if (name == "nc_matmul") {
        result.kind =
            has("is_transpose") && m_model.normalized(result.keywords["is_transpose"]) == "True"
                ? OperationKind::Transpose
                : OperationKind::Matmul;
        result.transposeX = true;
        result.data = {argument(result, "stationary"), argument(result, "moving")};
        shape.partitions = result.data[0].shape.elements;
        shape.elements = result.data[1].shape.elements;
        m_resultInPsum = true;
    } else if (name == "transpose" || name == "nc_transpose") {
        result.kind = OperationKind::Transpose;
        result.data = {argument(result, name == "transpose" ? "x" : "data")};
        shape.partitions = result.data[0].shape.elements;
        shape.elements = result.data[0].shape.partitions;
        m_resultInPsum = true;
    } else if (result.callee == "nl.broadcast_to") {
        result.kind = OperationKind::Broadcast;
        result.data = {argument(result, "src")};
    } else if (name == "loop_reduce") {
        result.kind = OperationKind::LoopReduce;
        result.function = has("op") ? operatorName(resolved(result.keywords["op"])) : "";
        result.data = {argument(result, "x")};
        shape = result.data[0].shape;
    } else if (name == "memset") {
        result.kind = OperationKind::Memset;
        if (has("shape") && at(result.keywords["shape"]).kind == NodeKind::Tuple &&
            at(result.keywords["shape"]).children.size() == 2) {
            shape.partitions = size(child(result.keywords["shape"], 0));
            shape.elements = size(child(result.keywords["shape"], 1));
        }
    } else if (name == "sum" || name == "max" || name == "min" || name == "tensor_reduce") {
        result.kind = OperationKind::Reduce;
        result.function = name == "tensor_reduce"
                              ? (has("op") ? operatorName(resolved(result.keywords["op"])) : "")
                              : operatorName(name);
        result.data = {argument(result, name == "tensor_reduce" ? "data" : "x")};
        result.negate = has("negate") && m_model.normalized(result.keywords["negate"]) != "False";
        result.allFreeAxes =
            has("axis") &&
            overFreeAxis(result.data[0], m_model.normalized(result.keywords["axis"]));
        shape.partitions = result.data[0].shape.partitions;
        if (result.allFreeAxes)
            shape.elements = Symbolic(1);
    } else if (result.callee.rfind("nisa.", 0) == 0) {
        isaOperation(result, name, shape);
    } else if (has("y")) {
        elementwise(result, name, argument(result, "x"), argument(result, "y"), shape);
    } else if (name == "reciprocal") {
        result.kind = OperationKind::Reciprocal;
        result.data = {argument(result, "x")};
        shape = result.data[0].shape;
    } else if (name == "mean") { // no instruction of its own to match, but its shape is known
        const Operand data = argument(result, "x");
        shape.partitions = data.shape.partitions;
        if (has("axis") && overFreeAxis(data, m_model.normalized(result.keywords["axis"])))
            shape.elements = Symbolic(1);
    } else if (has("x")) {
        result.kind = OperationKind::Activation;
        result.function = name;
        result.data = {argument(result, "x")};
        shape = result.data[0].shape;
    }
    for (const Operand &data : result.data)
        if (data.kind == OperandKind::Absent)
            return std::nullopt;
    return result;
}

void ModelBuilder::isaOperation(Operation &operation, const std::string &name, TileShape &shape)
{
    const auto has = [&operation](const char *key) { return operation.keywords.contains(key); };
    const auto op = [&](const char *key) {
        return has(key) ? operatorName(resolved(operation.keywords.at(key))) : std::string();
    };
    const auto flag = [&](const char *key) {
        return has(key) && m_model.normalized(operation.keywords.at(key)) == "True";
    };
    if (name == "tensor_tensor") {
        operation.kind = OperationKind::Tensors;
        operation.function = op("op");
        operation.data = {argument(operation, "data1"), argument(operation, "data2")};
        shape = joined(operation.data[0].shape, operation.data[1].shape);
        return;
    }
    operation.data = {argument(operation, "data")};
    shape = operation.data[0].shape;
    if (name == "reciprocal") {
        operation.kind = OperationKind::Reciprocal;
    } else if (name == "activation" || name == "activation_reduce") {
        operation.kind = OperationKind::Activation;
        operation.function = op("op");
        operation.scale = argument(operation, "scale");
        operation.bias = argument(operation, "bias");
        operation.reduceOp = op("reduce_op");
        operation.reduceResult = argument(operation, "reduce_res");
        if (has("reduce_cmd"))
            operation.plain = false;
    } else if (name == "tensor_scalar") {
        operation.kind = OperationKind::Scalars;
        operation.steps.push_back({op("op0"), argument(operation, "operand0"), flag("reverse0")});
        if (has("op1") && op("op1") != "None" && !op("op1").empty())
            operation.steps.push_back(
                {op("op1"), argument(operation, "operand1"), flag("reverse1")});
    } else if (name == "scalar_tensor_tensor") {
        operation.kind = OperationKind::ScalarTensor;
        operation.function = op("op1");
        operation.data.push_back(argument(operation, "operand1"));
        operation.steps.push_back({op("op0"), argument(operation, "operand0"), flag("reverse0")});
        operation.reverseTensor = flag("reverse1");
    }
}

void ModelBuilder::declaration(Operation &operation, const std::string &name)
{
    operation.kind = OperationKind::Declare;
    operation.function = name;
    const auto found = operation.keywords.find("shape");
    if (found == operation.keywords.end() || at(found->second).kind != NodeKind::Tuple)
        return;
    Declaration declared;
    int position = 0;
    for (const NodeId dimension : at(found->second).children) {
        NodeId extent = dimension;
        if (at(dimension).kind == NodeKind::Call && at(dimension).children.size() == 2 &&
            resolved(child(dimension, 0)) == "nl.par_dim") {
            declared.partitionAxis = position;
            extent = child(dimension, 1);
        }
        const std::optional<Symbolic> known = size(extent);
        if (!known)
            return;
        declared.dimensionNodes.push_back(dimension);
        declared.dimensions.push_back(*known);
        ++position;
    }
    if (declared.dimensions.empty())
        return;
    declared.memory = "sbuf";
    if (const auto buffer = operation.keywords.find("buffer"); buffer != operation.keywords.end())
        declared.memory = withoutModule(resolved(buffer->second));
    declared.dtype = operation.dtype;
    Symbolic elements(1);
    for (std::size_t i = static_cast<std::size_t>(declared.partitionAxis) + 1;
         i < declared.dimensions.size(); ++i)
        elements = Symbolic::product(elements, declared.dimensions[i]).value_or(Symbolic(0));
    if (declared.memory.find("hbm") == std::string::npos) {
        declared.tile.partitions =
            declared.dimensions[static_cast<std::size_t>(declared.partitionAxis)];
        declared.tile.elements = elements;
    }
    m_declared = std::move(declared);
}

} // namespace accelopt::rewrite
