// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/FirstWrong.h"

#include "app/accelopt/Terminal.h"
#include "core/bench/TensorCache.h"
#include "core/domain/Verdict.h"
#include "core/nki/execute/Inspector.h"
#include "core/nki/syntax/SyntaxHelper.h"
#include "core/oracle/LayoutTrial.h"
#include "core/profiling/ReferenceMaker.h"
#include "core/profiling/SimPool.h"

#include <QEventLoop>
#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <vector>

namespace accelopt::cli {

namespace {

using nlohmann::json;

/// Elements on either side of the wrong one that are shown with it.
constexpr std::int64_t kAround = 3;
/// How many of the instructions that made the stored tile are shown.
constexpr std::size_t kMostMakers = 3;

Result<bench::TensorEntry> tensorsFor(profiling::ReferenceMaker &maker, const Task &task,
                                      const profiling::InputChoice &choice)
{
    QEventLoop loop;
    std::optional<Result<bench::TensorEntry>> answer;
    maker.make(task, choice.seed, choice.suite, [&](Result<bench::TensorEntry> entry) {
        answer = std::move(entry);
        loop.quit();
    });
    if (!answer)
        loop.exec();
    Terminal::clearProgress();
    return std::move(*answer);
}

/// Float values of a file; integers are converted into memory of `converted`.
std::span<const float> floatsOf(const bench::NpyFile &file,
                                std::deque<std::vector<float>> &converted)
{
    if (const auto integers = file.values<std::int32_t>(); !integers.empty())
        return converted.emplace_back(integers.begin(), integers.end());
    return file.values<float>();
}

std::string indexText(std::int64_t element, const Shape &shape)
{
    Shape index(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        index[axis] = element % shape[axis];
        element /= shape[axis];
    }
    return oracle::describe(index);
}

std::string instanceText(const nki::InspectedInstance &instance, const std::string &source)
{
    std::string text = fmt::format("{} on the {} engine, line {}", name(instance.opcode),
                                   name(instance.engine), instance.place.line);
    if (!instance.loops.empty())
        text += " (" + instance.loopsText() + ")";
    text += '\n' + caretText(source, instance.place);
    if (text.back() != '\n')
        text += '\n';
    for (const nki::InspectedTile &tile : instance.tiles) {
        text += fmt::format("  {} {}\n", tile.destination ? "writes" : "reads ", tile.describe());
        if (!tile.values)
            continue;
        const nki::Excerpt &excerpt = *tile.values;
        for (std::int64_t row = 0; row < excerpt.rows; ++row) {
            text += fmt::format("    row {}, from column {}:", excerpt.firstRow + row,
                                excerpt.firstColumn);
            for (std::int64_t column = 0; column < excerpt.columns; ++column)
                text += fmt::format(" {:.6g}",
                                    excerpt.values[std::size_t(row * excerpt.columns + column)]);
            text += '\n';
        }
    }
    return text;
}

json instanceJson(const nki::InspectedInstance &instance)
{
    json loops = json::array();
    for (const nki::InspectedLoop &loop : instance.loops)
        loops.push_back({{"variable", loop.variable}, {"pass", loop.pass}});
    json tiles = json::array();
    for (const nki::InspectedTile &tile : instance.tiles) {
        json made{{"tensor", tile.tensor},
                  {"memory", name(tile.memory)},
                  {"dtype", nki::name(tile.dtype)},
                  {"destination", tile.destination},
                  {"partitions", tile.partitions},
                  {"free_axes", tile.freeAxes},
                  {"first_partition", tile.firstPartition},
                  {"first_element", tile.firstElement}};
        if (tile.values)
            made["values"] = {{"first_row", tile.values->firstRow},
                              {"first_column", tile.values->firstColumn},
                              {"rows", tile.values->rows},
                              {"columns", tile.values->columns},
                              {"elements", tile.values->values}};
        tiles.push_back(std::move(made));
    }
    return {{"instruction", instance.instruction}, {"opcode", name(instance.opcode)},
            {"engine", name(instance.engine)},     {"line", instance.place.line},
            {"loops", std::move(loops)},           {"tiles", std::move(tiles)}};
}

/// The stored element with the instructions behind it.
Result<FirstWrong> describeWrong(const nki::WrongElement &wrong, const nki::Inspector &inspector,
                                 const nki::Dependences &dependences,
                                 std::span<const nki::InputData> inputs, const Task &task,
                                 const TaskLayout &layout, const std::string &source)
{
    const auto output = std::size_t(wrong.output);
    const std::string element =
        task.results[output].name + indexText(wrong.element, layout.results[output]);
    nki::Inspector::Window window = inspector.positionOf(wrong.writer, wrong.element);
    window.firstColumn = std::max<std::int64_t>(0, window.firstColumn - kAround);
    window.rows = 1;
    window.columns = 2 * kAround + 1;
    FirstWrong found;
    found.json = {{"element", element},
                  {"index", wrong.element},
                  {"value", wrong.value},
                  {"expected", wrong.expected},
                  {"error", wrong.error}};
    found.text =
        fmt::format("first wrong element: {} is {:.9g}, the reference has {:.9g} (off by {:.2g} of "
                    "its row's scale)\n",
                    element, wrong.value, wrong.expected, wrong.error);
    ACCELOPT_TRY(const auto writer, inspector.inspect(wrong.writer, inputs, window));
    found.text += "written by " + instanceText(writer, source);
    found.json["written_by"] = instanceJson(writer);
    found.json["made_by"] = json::array();
    const auto makers = dependences.producers(wrong.writer);
    for (std::size_t n = makers.size() - std::min(makers.size(), kMostMakers); n < makers.size();
         ++n) {
        ACCELOPT_TRY(const auto maker, inspector.inspect(makers[n], inputs, window));
        found.text += "made by " + instanceText(maker, source);
        found.json["made_by"].push_back(instanceJson(maker));
    }
    return found;
}

} // namespace

Result<FirstWrong> findFirstWrong(const Task &task, const std::string &device,
                                  const std::string &source)
{
    nki::SyntaxHelper helper;
    ACCELOPT_TRY(const nki::Parsed parsed, helper.parse(source));
    if (!parsed)
        return FirstWrong{"no element was computed: the text does not parse\n", nullptr};
    ACCELOPT_TRY(const auto traced, oracle::traceWithLayouts(*parsed, task, device, {}));
    if (!traced)
        return FirstWrong{"no element was computed: the kernel does not run\n", nullptr};
    const nki::Program &program = traced->program;
    const nki::Dependences dependences = nki::analyse(program);
    if (!dependences.problems().empty())
        return FirstWrong{"no element was computed: the kernel is wrong before its numbers\n",
                          nullptr};
    const nki::Inspector inspector(program, dependences, &*parsed);
    // The element limit of the check; see oracle::ComparisonLimits.
    constexpr double kTolerancesPerElement = 25;
    const double limit = kTolerancesPerElement * task.tolerance;

    ACCELOPT_TRY(bench::TensorCache cache, bench::TensorCache::open());
    profiling::ReferenceMaker maker(std::move(cache));
    QObject::connect(&maker, &profiling::ReferenceMaker::progress, &maker,
                     [](const QString &text) { Terminal::progress(text.toStdString()); });
    for (const profiling::InputChoice &choice : profiling::allInputs(task, 0)) {
        ACCELOPT_TRY(const bench::TensorEntry entry, tensorsFor(maker, task, choice));
        std::deque<std::vector<float>> converted;
        std::vector<nki::InputData> inputs;
        for (std::size_t i = 0; i < task.arguments.size(); ++i) {
            const bench::NpyFile *const file = entry.argument(i);
            const auto values =
                file != nullptr ? floatsOf(*file, converted) : std::span<const float>();
            inputs.push_back({values.data(), std::int64_t(values.size())});
        }
        std::vector<nki::ExpectedValues> expected;
        for (std::size_t i = 0; i < task.results.size(); ++i) {
            const auto values = floatsOf(entry.result(i), converted);
            const Shape &shape = task.results[i].shape;
            expected.push_back({values.data(), std::int64_t(values.size()),
                                shape.empty() ? 1 : std::max<std::int64_t>(shape.back(), 1)});
        }
        ACCELOPT_TRY(const auto wrong, inspector.firstWrong(inputs, expected, limit));
        if (!wrong)
            continue;
        ACCELOPT_TRY(FirstWrong found, describeWrong(*wrong, inspector, dependences, inputs, task,
                                                     traced->layout, source));
        if (!choice.suite.empty()) {
            found.text = fmt::format("on the task's inputs \"{}\": ", choice.suite) + found.text;
            found.json["suite"] = choice.suite;
        }
        return found;
    }
    return FirstWrong{fmt::format("no single element is off by more than {:.1e} of its row's "
                                  "scale\n",
                                  limit),
                      nullptr};
}

} // namespace accelopt::cli
