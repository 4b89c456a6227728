// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/TaskLoader.h"

#include "core/bench/DependenceFile.h"
#include "core/bench/JsonPlace.h"
#include "core/bench/TaskExpression.h"
#include "core/domain/Hash.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iterator>
#include <set>

namespace accelopt::bench {

namespace fs = std::filesystem;

namespace {

constexpr int kFormat = 1;
constexpr std::array<std::string_view, 12> kTensorTypes = {
    "float32", "bfloat16", "float16", "tfloat32", "float8_e4m3", "float8_e5m2",
    "int8",    "uint8",    "int16",   "uint16",   "int32",       "uint32"};
/// No tensor of a task may be larger; NKI counts access patterns in 32 bits.
constexpr std::int64_t kMaxElements = std::int64_t(1) << 31;

Result<std::string> readText(const fs::path &path)
{
    std::ifstream stream(path, std::ios::binary);
    if (!stream)
        return fail(ErrorCode::Environment, fmt::format("cannot read {}", path.string()),
                    "check that the file exists and may be read");
    return std::string(std::istreambuf_iterator<char>(stream), {});
}

/// Everything that is read at one shape: the document and the values of its dimensions.
class Reader
{
public:
    Reader(Task &task, Dimensions dimensions) : m_task(task), m_dimensions(std::move(dimensions)) {}

    Result<void> arguments(const JsonPlace &root);
    Result<void> results(const JsonPlace &root);
    Result<void> layouts(const JsonPlace &root);
    Result<void> suites(const JsonPlace &root);
    Result<void> minimumWork(const JsonPlace &root);
    Result<void> published(const JsonPlace &root);

private:
    Result<std::int64_t> integer(const JsonPlace &place) const;
    Result<double> amount(const JsonPlace &place) const;
    Result<Shape> shape(const JsonPlace &place) const;
    Result<std::string> dtype(const JsonPlace &place) const;
    Result<void> draw(const JsonPlace &place, TaskArgument &argument) const;
    Result<Shape> reshape(const JsonPlace &place, const Shape &whole,
                          const std::string &name) const;
    Result<InputEdit> edit(const JsonPlace &place) const;

    Task &m_task;
    Dimensions m_dimensions;
};

Result<std::int64_t> Reader::integer(const JsonPlace &place) const
{
    if (place.node().is_number())
        return place.integer();
    ACCELOPT_TRY(const std::string text, place.text());
    const auto expression = TaskExpression::parse(text);
    if (!expression)
        return place.problem(expression.error().message, expression.error().hint);
    const auto value = expression->integer(m_dimensions);
    if (!value)
        return place.problem(value.error().message, value.error().hint);
    return *value;
}

Result<double> Reader::amount(const JsonPlace &place) const
{
    double value = 0;
    if (place.node().is_number()) {
        value = place.node().get<double>();
    } else {
        ACCELOPT_TRY(const std::string text, place.text());
        const auto expression = TaskExpression::parse(text);
        if (!expression)
            return place.problem(expression.error().message, expression.error().hint);
        const auto result = expression->number(m_dimensions);
        if (!result)
            return place.problem(result.error().message, result.error().hint);
        value = *result;
    }
    if (!(value >= 0) || !std::isfinite(value))
        return place.problem(fmt::format("an amount of work cannot be {}", value));
    return value;
}

Result<Shape> Reader::shape(const JsonPlace &place) const
{
    ACCELOPT_TRY(const auto elements, place.elements());
    if (elements.empty())
        return place.problem("a tensor has at least one dimension",
                             "leave \"shape\" out for a scalar argument");
    Shape shape;
    std::int64_t count = 1;
    for (const JsonPlace &element : elements) {
        ACCELOPT_TRY(const std::int64_t size, integer(element));
        if (size < 1)
            return element.problem(fmt::format("a size cannot be {}", size));
        if (size > kMaxElements || (count *= size) > kMaxElements)
            return element.problem("the tensor has more than 2^31 elements");
        shape.push_back(size);
    }
    return shape;
}

Result<std::string> Reader::dtype(const JsonPlace &place) const
{
    ACCELOPT_TRY(std::string name, place.text());
    if (std::find(kTensorTypes.begin(), kTensorTypes.end(), name) == kTensorTypes.end())
        return place.problem(fmt::format("\"{}\" is not an element type", name),
                             fmt::format("known are: {}", fmt::join(kTensorTypes, ", ")));
    return name;
}

Result<void> Reader::draw(const JsonPlace &place, TaskArgument &argument) const
{
    const std::string hint =
        R"(write {"normal": deviation}, {"absolute_normal": deviation} or {"constant": value})";
    ACCELOPT_TRY(const auto members, place.members());
    if (members.size() != 1)
        return place.problem("exactly one way to draw is expected", hint);
    const auto &[kind, parameter] = members.front();
    if (kind == "normal")
        argument.draw = Draw::Normal;
    else if (kind == "absolute_normal")
        argument.draw = Draw::AbsoluteNormal;
    else if (kind == "constant")
        argument.draw = Draw::Constant;
    else
        return place.problem(fmt::format("\"{}\" is not a way to draw", kind), hint);
    ACCELOPT_TRY(argument.parameter, parameter.number());
    if (argument.draw != Draw::Constant && argument.parameter < 0)
        return parameter.problem("a deviation cannot be negative");
    return {};
}

Result<void> Reader::arguments(const JsonPlace &root)
{
    ACCELOPT_TRY(const auto list, root.member("arguments"));
    ACCELOPT_TRY(const auto elements, list.elements());
    if (elements.empty())
        return list.problem("a task has at least one argument");
    for (const JsonPlace &place : elements) {
        ACCELOPT_CHECK(place.onlyMembers({"name", "shape", "dtype", "draw"}));
        TaskArgument argument;
        ACCELOPT_TRY(const auto name, place.member("name"));
        ACCELOPT_TRY(argument.name, name.text());
        for (const TaskArgument &other : m_task.arguments)
            if (other.name == argument.name)
                return name.problem(fmt::format("two arguments are named \"{}\"", argument.name));
        ACCELOPT_TRY(const auto drawPlace, place.member("draw"));
        ACCELOPT_CHECK(draw(drawPlace, argument));
        if (const auto shapePlace = place.maybeMember("shape")) {
            ACCELOPT_TRY(argument.shape, shape(*shapePlace));
        } else {
            argument.scalar = true;
            if (argument.draw != Draw::Constant)
                return drawPlace.problem(
                    "an argument without \"shape\" is a scalar and must be a constant");
        }
        if (const auto type = place.maybeMember("dtype")) {
            ACCELOPT_TRY(argument.dtype, dtype(*type));
        }
        m_task.arguments.push_back(std::move(argument));
    }
    return {};
}

Result<void> Reader::results(const JsonPlace &root)
{
    ACCELOPT_TRY(const auto list, root.member("results"));
    ACCELOPT_TRY(const auto elements, list.elements());
    if (elements.empty())
        return list.problem("a task has at least one result");
    for (const JsonPlace &place : elements) {
        ACCELOPT_CHECK(place.onlyMembers({"name", "shape", "dtype", "update_of"}));
        TaskResult result;
        ACCELOPT_TRY(const auto name, place.member("name"));
        ACCELOPT_TRY(result.name, name.text());
        ACCELOPT_TRY(const auto shapePlace, place.member("shape"));
        ACCELOPT_TRY(result.shape, shape(shapePlace));
        if (const auto type = place.maybeMember("dtype")) {
            ACCELOPT_TRY(result.dtype, dtype(*type));
        }
        if (const auto base = place.maybeMember("update_of")) {
            ACCELOPT_TRY(const std::string wanted, base->text());
            for (std::size_t i = 0; i < m_task.arguments.size(); ++i)
                if (m_task.arguments[i].name == wanted && m_task.arguments[i].shape == result.shape)
                    result.updateOf = int(i);
            if (result.updateOf < 0)
                return base->problem(
                    fmt::format("no argument \"{}\" has the result's shape", wanted));
        }
        m_task.results.push_back(std::move(result));
    }
    return {};
}

Result<Shape> Reader::reshape(const JsonPlace &place, const Shape &whole,
                              const std::string &name) const
{
    ACCELOPT_TRY(Shape other, shape(place));
    if (elementCount(other) != elementCount(whole))
        return place.problem(fmt::format("{} elements cannot be a reshape of \"{}\", which has {}",
                                         elementCount(other), name, elementCount(whole)));
    return other;
}

Result<void> Reader::layouts(const JsonPlace &root)
{
    TaskLayout own;
    own.name = "reference";
    for (const TaskArgument &argument : m_task.arguments)
        own.arguments.push_back(argument.shape);
    for (const TaskResult &result : m_task.results)
        own.results.push_back(result.shape);
    m_task.layouts.push_back(std::move(own));

    const auto list = root.maybeMember("layouts");
    if (!list)
        return {};
    ACCELOPT_TRY(const auto elements, list->elements());
    for (const JsonPlace &place : elements) {
        ACCELOPT_CHECK(place.onlyMembers({"name", "arguments", "results"}));
        TaskLayout layout;
        ACCELOPT_TRY(const auto name, place.member("name"));
        ACCELOPT_TRY(layout.name, name.text());
        for (const TaskLayout &known : m_task.layouts)
            if (known.name == layout.name)
                return name.problem(
                    fmt::format("there are two layouts \"{}\"", layout.name),
                    "\"reference\" is the arguments' own shapes and is not written");
        ACCELOPT_TRY(const auto arguments, place.member("arguments"));
        ACCELOPT_TRY(const auto shapes, arguments.elements());
        if (shapes.size() != m_task.arguments.size())
            return arguments.problem(
                fmt::format("{} shapes are expected, one per argument; there are {}",
                            m_task.arguments.size(), shapes.size()));
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            if (m_task.arguments[i].scalar) {
                if (!shapes[i].node().is_null())
                    return shapes[i].problem("null is expected here: the argument is a scalar");
                layout.arguments.emplace_back();
                continue;
            }
            ACCELOPT_TRY(Shape reshaped,
                         reshape(shapes[i], m_task.arguments[i].shape, m_task.arguments[i].name));
            layout.arguments.push_back(std::move(reshaped));
        }
        ACCELOPT_TRY(const auto results, place.member("results"));
        ACCELOPT_TRY(const auto resultShapes, results.elements());
        if (resultShapes.size() != m_task.results.size())
            return results.problem(
                fmt::format("{} shapes are expected, one per result; there are {}",
                            m_task.results.size(), resultShapes.size()));
        for (std::size_t i = 0; i < resultShapes.size(); ++i) {
            ACCELOPT_TRY(Shape reshaped,
                         reshape(resultShapes[i], m_task.results[i].shape, m_task.results[i].name));
            layout.results.push_back(std::move(reshaped));
        }
        m_task.layouts.push_back(std::move(layout));
    }
    return {};
}

Result<InputEdit> Reader::edit(const JsonPlace &place) const
{
    ACCELOPT_CHECK(place.onlyMembers({"argument", "box", "multiply", "add", "round_to"}));
    InputEdit edit;
    ACCELOPT_TRY(const auto name, place.member("argument"));
    ACCELOPT_TRY(const std::string wanted, name.text());
    while (edit.argument < m_task.arguments.size() &&
           m_task.arguments[edit.argument].name != wanted)
        ++edit.argument;
    if (edit.argument == m_task.arguments.size() || m_task.arguments[edit.argument].scalar)
        return name.problem(fmt::format("there is no tensor argument \"{}\"", wanted));
    const auto factor = place.maybeMember("multiply");
    const auto offset = place.maybeMember("add");
    const auto quantum = place.maybeMember("round_to");
    if (!factor && !offset && !quantum)
        return place.problem(
            "neither \"multiply\" nor \"round_to\" nor \"add\" says what to change");
    if (offset) {
        ACCELOPT_TRY(edit.offset, offset->number());
    }
    if (factor) {
        ACCELOPT_TRY(edit.factor, factor->number());
    }
    if (quantum) {
        ACCELOPT_TRY(edit.quantum, quantum->number());
        if (!(edit.quantum > 0))
            return quantum->problem("a positive number is expected here");
    }

    const Shape &shape = m_task.arguments[edit.argument].shape;
    for (const std::int64_t size : shape)
        edit.box.emplace_back(0, size);
    edit.steps.assign(shape.size(), 1);
    const auto box = place.maybeMember("box");
    if (!box)
        return edit;
    ACCELOPT_TRY(const auto axes, box->elements());
    if (axes.size() != shape.size())
        return box->problem(
            fmt::format("\"{}\" has {} axes, the box {}", wanted, shape.size(), axes.size()),
            "write null for a whole axis");
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        if (axes[axis].node().is_null())
            continue;
        ACCELOPT_TRY(const auto bounds, axes[axis].elements());
        if (bounds.size() != 2 && bounds.size() != 3)
            return axes[axis].problem("[from, to), [from, to, step] or null is expected here");
        if (bounds.size() == 3) {
            ACCELOPT_TRY(edit.steps[axis], integer(bounds[2]));
            if (edit.steps[axis] < 1)
                return bounds[2].problem("a step is at least 1");
        }
        ACCELOPT_TRY(edit.box[axis].first, integer(bounds[0]));
        ACCELOPT_TRY(edit.box[axis].second, integer(bounds[1]));
        if (edit.box[axis].first < 0 || edit.box[axis].first >= edit.box[axis].second ||
            edit.box[axis].second > shape[axis])
            return axes[axis].problem(fmt::format("[{}, {}) is not a range inside 0 to {}",
                                                  edit.box[axis].first, edit.box[axis].second,
                                                  shape[axis]));
    }
    return edit;
}

Result<void> Reader::suites(const JsonPlace &root)
{
    const auto list = root.maybeMember("suites");
    if (!list)
        return {};
    ACCELOPT_TRY(const auto elements, list->elements());
    std::set<std::string> names{"drawn"};
    for (const JsonPlace &place : elements) {
        ACCELOPT_CHECK(place.onlyMembers({"name", "why", "edits"}));
        InputSuite suite;
        ACCELOPT_TRY(const auto name, place.member("name"));
        ACCELOPT_TRY(suite.name, name.text());
        if (!names.insert(suite.name).second)
            return name.problem(fmt::format("there are two suites \"{}\"", suite.name),
                                "\"drawn\" is the plain inputs and is not written");
        ACCELOPT_TRY(const auto why, place.member("why"));
        ACCELOPT_TRY(suite.why, why.text());
        ACCELOPT_TRY(const auto edits, place.member("edits"));
        ACCELOPT_TRY(const auto editPlaces, edits.elements());
        for (const JsonPlace &editPlace : editPlaces) {
            ACCELOPT_TRY(InputEdit one, edit(editPlace));
            suite.edits.push_back(std::move(one));
        }
        m_task.suites.push_back(std::move(suite));
    }
    return {};
}

Result<void> Reader::minimumWork(const JsonPlace &root)
{
    const auto place = root.maybeMember("minimum_work");
    if (!place)
        return {};
    ACCELOPT_CHECK(place->onlyMembers({"traffic_bytes", "matmul_flops", "vector_flops"}));
    MinimumWork work;
    ACCELOPT_TRY(const auto traffic, place->member("traffic_bytes"));
    ACCELOPT_TRY(work.trafficBytes, amount(traffic));
    ACCELOPT_TRY(const auto matmul, place->member("matmul_flops"));
    ACCELOPT_TRY(work.matmulFlops, amount(matmul));
    ACCELOPT_TRY(const auto vector, place->member("vector_flops"));
    ACCELOPT_TRY(work.vectorFlops, amount(vector));
    if (work.trafficBytes + work.matmulFlops + work.vectorFlops <= 0)
        return place->problem("at least one amount must be positive",
                              "leave \"minimum_work\" out when it is not known");
    m_task.minimumWork = work;
    return {};
}

Result<void> Reader::published(const JsonPlace &root)
{
    const auto list = root.maybeMember("published");
    if (!list)
        return {};
    ACCELOPT_TRY(const auto elements, list->elements());
    for (const JsonPlace &place : elements) {
        ACCELOPT_CHECK(place.onlyMembers({"device", "shape", "baseline_ms", "source"}));
        PublishedFigure figure;
        ACCELOPT_TRY(const auto device, place.member("device"));
        ACCELOPT_TRY(figure.device, device.text());
        ACCELOPT_TRY(const auto shapePlace, place.member("shape"));
        ACCELOPT_TRY(const std::string shapeName, shapePlace.text());
        ACCELOPT_TRY(const auto milliseconds, place.member("baseline_ms"));
        ACCELOPT_TRY(figure.baselineMs, milliseconds.number());
        if (!(figure.baselineMs > 0))
            return milliseconds.problem("a latency is positive");
        ACCELOPT_TRY(const auto source, place.member("source"));
        ACCELOPT_TRY(figure.source, source.text());
        if (shapeName == m_task.shapeName)
            m_task.published.push_back(std::move(figure));
    }
    return {};
}

/// A file of the task's own folder: a bare file name, so that a task cannot name anything outside.
Result<std::string> ownFile(const JsonPlace &root, std::string_view member,
                            const std::string &usual, const fs::path &folder)
{
    std::string name = usual;
    const auto place = root.maybeMember(member);
    if (place) {
        ACCELOPT_TRY(name, place->text());
        if (fs::path(name).filename() != name || name == "." || name == "..")
            return place->problem("a file name without folders is expected here");
    }
    const fs::path path = folder / name;
    std::error_code status;
    if (!fs::is_regular_file(path, status))
        return fail(ErrorCode::Environment,
                    fmt::format("the task's file {} does not exist", path.string()),
                    fmt::format("write it, or name another in \"{}\" of task.json", member));
    return path.string();
}

std::vector<std::string>
orderedShapeNames(const std::vector<std::pair<std::string, JsonPlace>> &members)
{
    std::vector<std::string> names;
    for (const auto &[name, place] : members)
        names.push_back(name);
    const auto rank = [](const std::string &name) {
        return name == "published" ? 0 : name == "lab" ? 1 : 2;
    };
    std::stable_sort(names.begin(), names.end(),
                     [&](const auto &a, const auto &b) { return rank(a) < rank(b); });
    return names;
}

Result<void> readShape(const JsonPlace &root, const std::string &wanted, Task &task)
{
    ACCELOPT_TRY(const auto shapes, root.member("shapes"));
    ACCELOPT_TRY(const auto members, shapes.members());
    const auto names = orderedShapeNames(members);
    if (names.empty())
        return shapes.problem("a task has at least one shape");
    task.shapeName = wanted.empty() ? names.front() : wanted;
    const auto shape = shapes.maybeMember(task.shapeName);
    if (!shape)
        return fail(ErrorCode::WrongUse,
                    fmt::format("task {} has no shape \"{}\"", task.name, wanted),
                    fmt::format("it has: {}", fmt::join(names, ", ")));
    ACCELOPT_CHECK(shape->onlyMembers({"dimensions", "reference_compute"}));
    ACCELOPT_TRY(const auto dimensions, shape->member("dimensions"));
    ACCELOPT_TRY(const auto values, dimensions.members());
    for (const auto &[name, place] : values) {
        ACCELOPT_TRY(const std::int64_t value, place.integer());
        if (value < 1)
            return place.problem("a dimension is at least 1");
        task.dimensions[name] = value;
    }
    if (const auto compute = shape->maybeMember("reference_compute")) {
        ACCELOPT_TRY(task.referenceCompute, compute->text());
        if (task.referenceCompute != "float64" && task.referenceCompute != "float32")
            return compute->problem("\"float64\" or \"float32\" is expected here");
    }
    return {};
}

} // namespace

Result<Task> loadTask(const fs::path &folder, const std::string &shapeName)
{
    std::error_code status;
    const fs::path absolute = fs::weakly_canonical(folder, status);
    Task task;
    task.folder = (status ? folder : absolute).string();
    const std::string file = (fs::path(task.folder) / "task.json").string();
    ACCELOPT_TRY(const std::string text, readText(file));
    ACCELOPT_TRY(const nlohmann::json document, parseJson(text, file));
    const JsonPlace root(document, file);
    ACCELOPT_TRY(const auto format, root.member("format"));
    ACCELOPT_TRY(const std::int64_t version, format.integer());
    if (version > kFormat)
        return fail(
            ErrorCode::Newer,
            fmt::format("{} is in format {}; this program knows {}", file, version, kFormat),
            "use a newer version of the workbench");
    ACCELOPT_CHECK(root.onlyMembers(
        {"format",        "name",         "title",        "description", "shapes",
         "arguments",     "results",      "layouts",      "suites",      "tolerance",
         "element_limit", "swallows_nan", "matmul_dtype", "calibrated",  "variants",
         "minimum_work",  "published",    "reference",    "baseline",    "entry_point"}));
    ACCELOPT_TRY(const auto name, root.member("name"));
    ACCELOPT_TRY(task.name, name.text());
    if (const std::string expected = fs::path(task.folder).filename().string();
        task.name != expected)
        return name.problem(fmt::format("the task is named \"{}\" but lies in the folder \"{}\"",
                                        task.name, expected),
                            "give both the same name");
    task.title = task.name;
    if (const auto title = root.maybeMember("title")) {
        ACCELOPT_TRY(task.title, title->text());
    }
    if (const auto description = root.maybeMember("description")) {
        ACCELOPT_TRY(task.description, description->text());
    }
    ACCELOPT_CHECK(readShape(root, shapeName, task));

    Reader reader(task, task.dimensions);
    ACCELOPT_CHECK(reader.arguments(root));
    ACCELOPT_CHECK(reader.results(root));
    ACCELOPT_CHECK(reader.layouts(root));
    ACCELOPT_CHECK(reader.suites(root));
    ACCELOPT_CHECK(reader.minimumWork(root));
    ACCELOPT_CHECK(reader.published(root));

    ACCELOPT_TRY(const auto tolerance, root.member("tolerance"));
    ACCELOPT_TRY(task.tolerance, tolerance.number());
    if (!(task.tolerance > 0 && task.tolerance < 1))
        return tolerance.problem("a relative tolerance between 0 and 1 is expected here");
    if (const auto limit = root.maybeMember("element_limit")) {
        ACCELOPT_CHECK(limit->onlyMembers({"value", "why"}));
        ACCELOPT_TRY(const auto value, limit->member("value"));
        ACCELOPT_TRY(task.elementLimit, value.number());
        if (!(*task.elementLimit > 0 && *task.elementLimit < 1))
            return value.problem("a relative limit between 0 and 1 is expected here");
        ACCELOPT_TRY(const auto why, limit->member("why"));
        ACCELOPT_CHECK(why.text());
    }
    if (const auto why = root.maybeMember("swallows_nan")) {
        ACCELOPT_TRY(task.swallowsNan, why->text());
    }
    if (const auto type = root.maybeMember("matmul_dtype")) {
        ACCELOPT_TRY(task.matmulDtype, type->text());
    }
    if (const auto entry = root.maybeMember("entry_point")) {
        ACCELOPT_TRY(task.entryPoint, entry->text());
    }
    ACCELOPT_TRY(task.referencePath, ownFile(root, "reference", "reference.py", task.folder));
    ACCELOPT_TRY(task.baselinePath, ownFile(root, "baseline", "baseline.py", task.folder));
    ACCELOPT_TRY(const std::string reference, readText(task.referencePath));
    task.hash = sha256(sha256(text) + sha256(reference));
    ACCELOPT_CHECK(readDependence(task, reference));
    return task;
}

Result<std::vector<std::string>> taskShapeNames(const fs::path &folder)
{
    const std::string file = (folder / "task.json").string();
    ACCELOPT_TRY(const nlohmann::json document, readJsonFile(file));
    const JsonPlace root(document, file);
    ACCELOPT_TRY(const auto shapes, root.member("shapes"));
    ACCELOPT_TRY(const auto members, shapes.members());
    return orderedShapeNames(members);
}

Result<std::string> readBaseline(const Task &task)
{
    return readText(task.baselinePath);
}

} // namespace accelopt::bench
