// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/DependenceFile.h"

#include "core/bench/JsonPlace.h"
#include "core/bench/ReferenceDriver.h"
#include "core/domain/Hash.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace accelopt::bench {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char *kDependenceFile = "dependence.json";
/// Blocks into which an axis is cut while learning.
constexpr int kLearntBlocks = 8;
/// More than this nobody follows.
constexpr std::int64_t kMostBlocks = 64;

template <typename Named>
Result<std::size_t> placeByName(const JsonPlace &place, const std::vector<Named> &all)
{
    ACCELOPT_TRY(const std::string wanted, place.text());
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].name == wanted)
            return i;
    return place.problem(fmt::format("the task has no \"{}\"", wanted));
}

Result<std::size_t> axisOf(const JsonPlace &entry, const Shape &shape)
{
    ACCELOPT_TRY(const auto place, entry.member("axis"));
    ACCELOPT_TRY(const std::int64_t axis, place.integer());
    if (axis < 0 || std::size_t(axis) >= shape.size())
        return place.problem(fmt::format("there is no axis {}", axis));
    return std::size_t(axis);
}

Result<LearntDependence::Reach> reachOf(const JsonPlace &place, const Task &task,
                                        std::int64_t blocks)
{
    ACCELOPT_CHECK(place.onlyMembers({"result", "axis", "reached"}));
    LearntDependence::Reach reach;
    ACCELOPT_TRY(const auto result, place.member("result"));
    ACCELOPT_TRY(reach.result, placeByName(result, task.results));
    ACCELOPT_TRY(reach.axis, axisOf(place, task.results[reach.result].shape));
    ACCELOPT_TRY(const auto list, place.member("reached"));
    ACCELOPT_TRY(const auto rows, list.elements());
    if (std::int64_t(rows.size()) != blocks)
        return list.problem(fmt::format("{} lines are expected, one per block", blocks));
    for (const JsonPlace &row : rows) {
        ACCELOPT_TRY(const std::string marks, row.text());
        std::vector<bool> &reached = reach.reached.emplace_back();
        for (const char mark : marks)
            reached.push_back(mark == '1');
        if (reached.size() != reach.reached.front().size() ||
            std::int64_t(reached.size()) > kMostBlocks ||
            std::int64_t(reached.size()) > task.results[reach.result].shape[reach.axis])
            return row.problem("as many marks as the result's axis has blocks are expected");
    }
    return reach;
}

Result<LearntDependence::Axis> learntAxis(const JsonPlace &place, const Task &task)
{
    ACCELOPT_CHECK(place.onlyMembers({"argument", "axis", "blocks", "everywhere", "reaches"}));
    LearntDependence::Axis axis;
    ACCELOPT_TRY(const auto argument, place.member("argument"));
    ACCELOPT_TRY(axis.argument, placeByName(argument, task.arguments));
    const Shape &shape = task.arguments[axis.argument].shape;
    ACCELOPT_TRY(axis.axis, axisOf(place, shape));
    ACCELOPT_TRY(const auto blocks, place.member("blocks"));
    ACCELOPT_TRY(axis.blocks, blocks.integer());
    if (axis.blocks < 1 || axis.blocks > std::min(shape[axis.axis], kMostBlocks))
        return blocks.problem("1 to 64 blocks, and at most one per index, are expected");
    if (place.maybeMember("everywhere")) {
        axis.everywhere = true;
        return axis;
    }
    ACCELOPT_TRY(const auto list, place.member("reaches"));
    ACCELOPT_TRY(const auto reaches, list.elements());
    for (const JsonPlace &one : reaches) {
        ACCELOPT_TRY(auto reach, reachOf(one, task, axis.blocks));
        axis.reaches.push_back(std::move(reach));
    }
    return axis;
}

} // namespace

Result<void> readDependence(Task &task, std::string_view referenceText)
{
    const fs::path path = fs::path(task.folder) / kDependenceFile;
    std::error_code status;
    if (!fs::is_regular_file(path, status))
        return {};
    ACCELOPT_TRY(const json document, readJsonFile(path.string()));
    const JsonPlace root(document, path.string());
    ACCELOPT_CHECK(root.onlyMembers({"format", "reference", "axes"}));
    ACCELOPT_TRY(const auto reference, root.member("reference"));
    ACCELOPT_TRY(const std::string learntFrom, reference.text());
    if (learntFrom != sha256(referenceText))
        return {};
    ACCELOPT_TRY(const auto list, root.member("axes"));
    ACCELOPT_TRY(const auto axes, list.elements());
    LearntDependence learnt;
    for (const JsonPlace &place : axes) {
        ACCELOPT_TRY(auto axis, learntAxis(place, task));
        learnt.axes.push_back(std::move(axis));
    }
    task.dependence = std::move(learnt);
    return {};
}

std::string dependenceRequest(const Task &task, std::uint64_t seed)
{
    json request = json::parse(makeRequest(task, seed, nullptr, {}));
    request["ask"] = "dependence";
    request["blocks"] = kLearntBlocks;
    return request.dump();
}

Result<std::string> dependenceText(const Task &task, std::string_view referenceText,
                                   std::string_view standardOutput, std::string_view standardError)
{
    ACCELOPT_CHECK(readReferenceAnswer(standardOutput, standardError));
    const json answer = json::parse(standardOutput, nullptr, false);
    std::set<std::string> reaching;
    json axes = json::array();
    for (const json &axis : answer.value("axes", json::array())) {
        if (!axis.contains("everywhere") && axis.value("reaches", json::array()).empty())
            continue;
        reaching.insert(axis.value("argument", std::string()));
        axes.push_back(axis);
    }
    for (const TaskArgument &argument : task.arguments)
        if (!argument.scalar && task.swallowsNan.empty() && !reaching.contains(argument.name))
            return fail(ErrorCode::Format,
                        fmt::format("no result of task {} becomes NaN when argument {} is NaN",
                                    task.name, argument.name),
                        "If the reference rightly lets a NaN vanish, say why in \"swallows_nan\" "
                        "of task.json.");
    // One axis a line: readable, and a change of one axis changes one line.
    std::string text = fmt::format("{{\n  \"format\": 1,\n  \"reference\": \"{}\",\n  \"axes\": [",
                                   sha256(referenceText));
    for (std::size_t i = 0; i < axes.size(); ++i)
        text += fmt::format("{}\n    {}", i > 0 ? "," : "", axes[i].dump());
    return text + "\n  ]\n}\n";
}

} // namespace accelopt::bench
