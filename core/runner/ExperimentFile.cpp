// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runner/ExperimentFile.h"

#include <QDir>
#include <QSaveFile>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace accelopt::runner {

namespace {

using nlohmann::json;

constexpr const char *kFormat = "accelopt-experiment";
constexpr int kVersion = 1;

json toJson(const ExperimentPlan &plan)
{
    json parts = json::array();
    for (const ExperimentPart &part : plan.parts)
        parts.push_back({{"name", part.name},
                         {"task", part.task},
                         {"file", part.file},
                         {"carries_memory", part.carry == Carry::Memory}});
    json moves = json::array();
    for (const PlannedMove &move : plan.moves)
        moves.push_back({{"part", move.part},
                         {"closes", move.closes},
                         {"event", payload(EventBody(move.event))}});
    return {{"format", kFormat},       {"version", kVersion}, {"config", plan.config},
            {"lanes", plan.lanes},     {"parts", parts},      {"memory_from", plan.memoryFrom},
            {"carried", plan.carried}, {"moves", moves}};
}

Result<ExperimentPlan> fromJson(const json &document)
{
    ExperimentPlan plan;
    document.at("config").get_to(plan.config);
    document.at("lanes").get_to(plan.lanes);
    for (const json &entry : document.at("parts")) {
        ExperimentPart part;
        entry.at("name").get_to(part.name);
        entry.at("task").get_to(part.task);
        entry.at("file").get_to(part.file);
        part.carry = entry.at("carries_memory").get<bool>() ? Carry::Memory : Carry::Nothing;
        // The folder may come from elsewhere: it names files of its own only.
        if (part.file.find('/') != std::string::npos || part.file.starts_with("."))
            return fail(ErrorCode::Format,
                        fmt::format("the experiment names the run file {}, which is not in its "
                                    "folder",
                                    part.file),
                        "use a folder that the workbench has made");
        plan.parts.push_back(std::move(part));
    }
    document.at("memory_from").get_to(plan.memoryFrom);
    document.at("carried").get_to(plan.carried);
    for (const json &entry : document.at("moves")) {
        PlannedMove move;
        entry.at("part").get_to(move.part);
        entry.at("closes").get_to(move.closes);
        ACCELOPT_TRY(const EventBody body,
                     eventBody("budget_moved", kPayloadVersion, entry.at("event")));
        move.event = std::get<BudgetMoved>(body);
        if (move.part < 0 || move.part >= int(plan.parts.size()))
            return fail(ErrorCode::Format, "the experiment moves the budget of a run it has not",
                        "use a copy of the folder");
        plan.moves.push_back(std::move(move));
    }
    return plan;
}

} // namespace

std::filesystem::path experimentFile(const std::filesystem::path &folder)
{
    return folder / "experiment.json";
}

bool isExperiment(const std::filesystem::path &folder)
{
    std::error_code ignored;
    return std::filesystem::is_regular_file(experimentFile(folder), ignored);
}

Result<ExperimentPlan> readExperiment(const std::filesystem::path &folder)
{
    const std::filesystem::path file = experimentFile(folder);
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in.is_open() || in.bad())
        return fail(ErrorCode::WrongUse,
                    fmt::format("{} is no folder of an experiment", folder.string()),
                    "name a run file, or the folder that `accelopt run --task A,B` has made");
    const json document = json::parse(text, nullptr, false);
    if (!document.is_object() || document.value("format", std::string()) != kFormat)
        return fail(ErrorCode::Format,
                    fmt::format("{} does not describe an experiment", file.string()),
                    "use a folder that the workbench has made");
    if (document.value("version", 0) > kVersion)
        return fail(
            ErrorCode::Newer,
            fmt::format("{} was written by a newer version of the workbench", file.string()),
            "open it with that version");
    try {
        return fromJson(document);
    } catch (const json::exception &exception) {
        return fail(ErrorCode::Format, fmt::format("{} is not of the expected form", file.string()),
                    "use a copy of the folder", exception.what());
    }
}

Result<void> replaceFile(const std::filesystem::path &file, const std::string &bytes)
{
    QSaveFile out(QString::fromStdString(file.string()));
    // QSaveFile syncs before it renames.
    if (!out.open(QIODevice::WriteOnly) || out.write(bytes.data(), qint64(bytes.size())) < 0 ||
        !out.commit())
        return fail(ErrorCode::Environment,
                    fmt::format("{} cannot be written ({})", file.string(),
                                out.errorString().toStdString()),
                    "choose a folder you may write, with room");
    return {};
}

Result<void> writeExperiment(const std::filesystem::path &folder, const ExperimentPlan &plan)
{
    return replaceFile(experimentFile(folder),
                       toJson(plan).dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

} // namespace accelopt::runner
