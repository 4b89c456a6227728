// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/TaskNotes.h"

#include "core/bench/JsonPlace.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace accelopt::bench {

namespace fs = std::filesystem;

namespace {

Result<TaskVariant> readVariant(const JsonPlace &place, const fs::path &folder)
{
    ACCELOPT_CHECK(place.onlyMembers({"name", "title", "source", "published_percent_of_peak"}));
    TaskVariant variant;
    ACCELOPT_TRY(const auto name, place.member("name"));
    ACCELOPT_TRY(variant.name, name.text());
    if (fs::path(variant.name).filename() != variant.name || variant.name == "." ||
        variant.name == "..")
        return name.problem("a name without folders is expected here",
                            "the kernel lies in variants/<name>.py");
    ACCELOPT_TRY(const auto title, place.member("title"));
    ACCELOPT_TRY(variant.title, title.text());
    ACCELOPT_TRY(const auto source, place.member("source"));
    ACCELOPT_TRY(variant.source, source.text());
    if (const auto percent = place.maybeMember("published_percent_of_peak")) {
        ACCELOPT_TRY(variant.publishedPercentOfPeak, percent->number());
        if (!(*variant.publishedPercentOfPeak > 0 && *variant.publishedPercentOfPeak <= 100))
            return percent->problem("a percentage above 0 is expected here");
    }
    const fs::path path = folder / "variants" / (variant.name + ".py");
    std::error_code status;
    if (!fs::is_regular_file(path, status))
        return fail(ErrorCode::Environment,
                    fmt::format("the task's variant {} does not exist", path.string()),
                    "write it, or take it out of \"variants\" of task.json");
    variant.path = path.string();
    return variant;
}

} // namespace

Result<TaskNotes> taskNotes(const fs::path &given)
{
    std::error_code status;
    const fs::path folder = fs::weakly_canonical(given, status);
    const std::string file = (folder / "task.json").string();
    ACCELOPT_TRY(const nlohmann::json document, readJsonFile(file));
    const JsonPlace root(document, file);
    TaskNotes notes;
    if (const auto calibrated = root.maybeMember("calibrated")) {
        if (!calibrated->node().is_boolean())
            return calibrated->problem("true or false is expected here");
        notes.calibrated = calibrated->node().get<bool>();
    }
    const auto list = root.maybeMember("variants");
    if (!list)
        return notes;
    ACCELOPT_TRY(const auto elements, list->elements());
    for (const JsonPlace &place : elements) {
        ACCELOPT_TRY(TaskVariant variant, readVariant(place, folder));
        for (const TaskVariant &known : notes.variants)
            if (known.name == variant.name)
                return place.problem(fmt::format("two variants are named \"{}\"", variant.name));
        notes.variants.push_back(std::move(variant));
    }
    return notes;
}

} // namespace accelopt::bench
