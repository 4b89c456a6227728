// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/trace/Evaluator.h"

#include "core/domain/NamesLike.h"
#include "core/nki/trace/FunctionTable.h"
#include "core/nki/trace/TraceStop.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace accelopt::nki {

namespace {

struct Constant
{
    std::string_view path;
    double value;
    bool integer;
};

// Limits of Trainium 1 tiles: NKI documentation, "nl.tile_size".
constexpr Constant kConstants[] = {
    {"nl.tile_size.pmax", 128, true},
    {"nl.tile_size.psum_fmax", 512, true},
    {"nl.tile_size.gemm_stationary_fmax", 128, true},
    {"nl.tile_size.gemm_moving_fmax", 512, true},
    {"nl.tile_size.bn_stats_fmax", 512, true},
    {"nl.tile_size.psum_min_align", 4, true},
    {"nl.tile_size.sbuf_min_align", 1, true},
    {"nl.tile_size.total_available_sbuf_size", 180224, true},
    {"nl.fp32.min", -3.4028234663852886e38, false},
    {"nisa.fp32.min", -3.4028234663852886e38, false},
    {"np.pi", std::numbers::pi, false},
    {"np.e", std::numbers::e, false},
    {"np.inf", std::numeric_limits<double>::infinity(), false},
    {"np.nan", std::numeric_limits<double>::quiet_NaN(), false},
    {"math.pi", std::numbers::pi, false},
    {"math.e", std::numbers::e, false},
    {"math.inf", std::numeric_limits<double>::infinity(), false},
};

/// Modules that a kernel file may import. `canonical` is how attributes are looked up.
struct ModuleName
{
    std::string_view path;
    std::string_view canonical;
};
constexpr ModuleName kModules[] = {
    {"neuronxcc", "neuronxcc"},
    {"neuronxcc.nki", "nki"},
    {"neuronxcc.nki.language", "nl"},
    {"neuronxcc.nki.isa", "nisa"},
    {"neuronxcc.nki.typing", "nt"},
    {"neuronxcc.nki.compiler", "ncc"},
    {"numpy", "np"},
    {"math", "math"},
};
/// Namespaces inside modules.
constexpr std::string_view kNamespaces[] = {
    "nl.tile_size",  "nl.fp32",       "nl.mgrid",       "nisa.fp32",       "nisa.reduce_cmd",
    "nisa.oob_mode", "nisa.dge_mode", "nisa.constants", "nisa.nc_version", "nisa.engine"};

/// Names of NKI's language module that the simulator has no function for (NKI documentation,
/// "nki.language"): no slips of the pen.
constexpr std::string_view kOtherLanguageNames[] = {"all_reduce",
                                                    "arctan",
                                                    "atomic_rmw",
                                                    "cos",
                                                    "device_print",
                                                    "dropout",
                                                    "empty_like",
                                                    "erf",
                                                    "erf_dx",
                                                    "fmod",
                                                    "gather_flattened",
                                                    "gelu_dx",
                                                    "invert",
                                                    "load_transpose2d",
                                                    "loop_reduce",
                                                    "mish",
                                                    "mod",
                                                    "nc",
                                                    "no_reorder",
                                                    "program_ndim",
                                                    "rand",
                                                    "random_seed",
                                                    "rms_norm",
                                                    "shared_identity_matrix",
                                                    "silu_dx",
                                                    "softplus",
                                                    "spmd_dim",
                                                    "static_cast",
                                                    "tan",
                                                    "tfloat32",
                                                    "trunc",
                                                    "var",
                                                    "while_loop",
                                                    "fori_loop",
                                                    "dynamic_range"};

/// The function whose name was meant, when the language module has none of this name: a letter or
/// two differ, and nobody else documents the name.
std::optional<std::string> misspelled(std::string_view path, const std::string &attributeName)
{
    constexpr std::size_t kShortest = 3;
    if (path != "nl" || attributeName.size() < kShortest ||
        std::find(std::begin(kOtherLanguageNames), std::end(kOtherLanguageNames), attributeName) !=
            std::end(kOtherLanguageNames))
        return std::nullopt;
    std::vector<std::string> names;
    for (const std::string_view name : functionNames())
        if (name.starts_with("nl."))
            names.emplace_back(name.substr(3));
    const std::vector<std::string> like = namesLike(attributeName, names);
    if (like.empty())
        return std::nullopt;
    return "nl." + like.front();
}

Value moduleValue(std::string_view path)
{
    auto *module = new ModuleObject;
    module->path = path;
    return Value::object(ValueKind::Module, module);
}

} // namespace

Value Evaluator::moduleAttribute(const std::string &path, const std::string &attributeName,
                                 NodeId node)
{
    if (path.empty()) {
        // An import. Modules that kernels do not need are let in by name and have no attributes.
        for (const ModuleName &module : kModules)
            if (module.path == attributeName)
                return moduleValue(module.canonical);
        return moduleValue(attributeName);
    }
    const std::string full = path + "." + attributeName;
    for (const ModuleName &module : kModules)
        if (module.path == full || (path == "nki" && module.path == "neuronxcc." + full))
            return moduleValue(module.canonical);
    if (path == "nisa.constants" || path == "nisa.engine")
        return moduleAttribute("nisa", attributeName, node);
    for (const std::string_view space : kNamespaces)
        if (space == full)
            return moduleValue(space);
    for (const Constant &constant : kConstants)
        if (constant.path == full)
            return constant.integer ? Value::integer(std::int64_t(constant.value))
                                    : Value::number(constant.value);
    if (path == "nl" || path == "np") {
        if (const auto type = accelopt::nki::dtype(attributeName))
            return Value::dtype(*type);
        if (path == "nl") {
            static constexpr std::pair<std::string_view, int> kMemories[] = {
                {"sbuf", 0}, {"psum", 1}, {"hbm", 2}, {"private_hbm", 2}, {"shared_hbm", 3}};
            for (const auto &[memory, code] : kMemories)
                if (memory == attributeName)
                    return Value::integerOf(ValueKind::MemoryName, code);
        }
        if (attributeName == "newaxis")
            return Value::none();
    }
    if (path == "nisa" && attributeName.ends_with("_engine")) {
        static constexpr std::pair<std::string_view, int> kEngines[] = {
            {"tensor_engine", int(Engine::Tensor)}, {"vector_engine", int(Engine::Vector)},
            {"scalar_engine", int(Engine::Scalar)}, {"gpsimd_engine", int(Engine::GpSimd)},
            {"dma_engine", int(Engine::Dma)},       {"unknown_engine", -1}};
        for (const auto &[engine, code] : kEngines)
            if (engine == attributeName)
                return Value::integerOf(ValueKind::EngineName, code);
    }
    if (path == "nisa.reduce_cmd" || path == "nisa.oob_mode" || path == "nisa.dge_mode" ||
        path == "nisa.nc_version")
        return makeSymbol(full);
    const FunctionSpec *spec = findFunction(full);
    // numpy's operators are NKI's when they are given as op=.
    if (spec == nullptr && path == "np")
        if (const FunctionSpec *same = findFunction("nl." + attributeName);
            same != nullptr && (same->alu != AluOp::None || same->activation))
            spec = same;
    if (spec != nullptr) {
        auto *function = new FunctionObject;
        function->spec = spec;
        return Value::object(ValueKind::Function, function);
    }
    if (path == "nki" || path == "nt" || path == "ncc")
        return makeSymbol(full); // decorators and annotations: named, never called
    if (const auto known = misspelled(path, attributeName))
        stop(VerdictStatus::NotCompiling, "unknown_name", "NKI has no " + full,
             "did you mean " + *known + "?", node);
    if (path == "np")
        stop(VerdictStatus::Unsupported, "unsupported", "a kernel cannot use " + full,
             "numpy runs on the host; write it with functions of nl and nisa", node);
    unsupported(full, node);
}

Value Evaluator::importedName(const std::string &module, const std::string &imported, NodeId node)
{
    // Kernel files import much for the host code beside the kernel. What is not NKI's or numpy's is
    // refused where the kernel uses it, not where it is imported.
    const bool known = module.starts_with("neuronxcc") || module == "numpy" || module == "math";
    if (!known || module.starts_with("neuronxcc.nki._"))
        return moduleValue(module + "." + imported);
    return attribute(moduleAttribute({}, module, node), imported, node);
}

void Evaluator::executeModuleStatement(NodeId statement)
{
    const int depth = m_depth;
    Frame *const frame = m_frame;
    try {
        execute(statement);
    } catch (const TraceStop &stop) {
        if (stop.failure.status != VerdictStatus::Unsupported)
            throw;
        // Host code. Its names mean what the line says, and are refused where the kernel uses them.
        m_depth = depth;
        m_frame = frame;
        Names bound;
        collectNames(statement, bound);
        std::string text(m_tree.text(statement).substr(0, 60));
        text = text.substr(0, text.find('\n'));
        for (const auto &[name, unused] : bound.slots)
            m_frame->values[std::size_t(m_frame->names->slots.at(name))] =
                moduleValue(fmt::format("'{}' (line {})", text, m_tree[statement].place.line));
    }
}

Value Evaluator::attribute(const Value &object, const std::string &attributeName, NodeId node)
{
    const auto method = [&] {
        auto *bound = new BoundMethodObject;
        bound->self = object;
        bound->name = attributeName;
        return Value::object(ValueKind::BoundMethod, bound);
    };
    switch (object.kind()) {
    case ValueKind::Module:
        return moduleAttribute(object.as<ModuleObject>().path, attributeName, node);
    case ValueKind::Tensor: return tensorAttribute(object, attributeName, node);
    case ValueKind::Instance: return instanceAttribute(object, attributeName, node);
    case ValueKind::Class: return classAttribute(object, attributeName, node);
    case ValueKind::Symbol: {
        const std::string full = toText(object) + "." + attributeName;
        if (attributeName.find("alloc") != std::string::npos)
            unsupported("direct allocation (" + full + ")", node);
        unsupported(full, node);
    }
    case ValueKind::DTypeName:
        if (attributeName == "type")
            return object;
        if (attributeName == "itemsize")
            return Value::integer(byteSize(object.asDType()));
        if (attributeName == "name")
            return makeString(std::string(name(object.asDType())));
        break;
    case ValueKind::Tuple:
        if (object.as<SequenceObject>().grid) {
            static constexpr std::string_view kAxes = "pxyzw";
            const auto &items = object.as<SequenceObject>().items;
            const std::size_t axis =
                attributeName.size() == 1 ? kAxes.find(attributeName[0]) : std::string::npos;
            if (axis < items.size())
                return items[axis];
        }
        return method();
    case ValueKind::List:
    case ValueKind::Dict:
    case ValueKind::String:
    case ValueKind::Array: return method();
    case ValueKind::Slice:
    case ValueKind::Range: {
        if (object.is(ValueKind::Range)) {
            const auto &range = object.as<RangeObject>();
            if (attributeName == "start")
                return Value::integer(range.start);
            if (attributeName == "stop")
                return Value::integer(range.stop);
        }
        break;
    }
    default: break;
    }
    notCompiling(
        "attribute_error",
        fmt::format("a {} has no attribute '{}'", pythonTypeName(object.kind()), attributeName), {},
        node);
}

Value Evaluator::tensorAttribute(const Value &object, const std::string &attributeName, NodeId node)
{
    const auto &view = object.as<TensorObject>();
    if (attributeName == "shape") {
        std::vector<Value> shape;
        for (int axis = 0; axis < view.rank; ++axis)
            shape.push_back(Value::integer(view.axes[std::size_t(axis)].size));
        return makeTuple(std::move(shape));
    }
    if (attributeName == "dtype")
        return Value::dtype(view.dtype);
    if (attributeName == "ndim")
        return Value::integer(view.rank);
    if (attributeName == "itemsize")
        return Value::integer(byteSize(view.dtype));
    if (attributeName == "buffer")
        return Value::integerOf(ValueKind::MemoryName, view.memory == Memory::Sbuf   ? 0
                                                       : view.memory == Memory::Psum ? 1
                                                                                     : 2);
    static constexpr std::string_view kMethods[] = {"reshape", "broadcast_to", "expand_dims",
                                                    "assert_shape", "astype"};
    for (const std::string_view method : kMethods)
        if (method == attributeName) {
            auto *bound = new BoundMethodObject;
            bound->self = object;
            bound->name = attributeName;
            return Value::object(ValueKind::BoundMethod, bound);
        }
    // What arrays of numpy have: the numpy reference was given for the kernel, or copied from.
    static constexpr std::string_view kOfNumpy[] = {"max", "min", "sum", "mean", "prod", "var"};
    if (std::find(std::begin(kOfNumpy), std::end(kOfNumpy), attributeName) != std::end(kOfNumpy))
        stop(VerdictStatus::NotCompiling, "unknown_name",
             "a tensor has no method '" + attributeName + "', only arrays of numpy have",
             "write nl." + attributeName + "(tile, axis=...)", node);
    unsupported("the tensor attribute '" + attributeName + "'", node);
}

} // namespace accelopt::nki
