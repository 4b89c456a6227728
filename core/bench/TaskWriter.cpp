// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/TaskWriter.h"

#include "core/bench/JsonPlace.h"
#include "core/bench/TaskLoader.h"

#include <charconv>
#include <fmt/format.h>
#include <fstream>

namespace accelopt::bench {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::string_view kAside = ".new-";
constexpr double kWideFactor = 50;
constexpr double kLessWideFactor = 8;

bool isFolderName(std::string_view name)
{
    const auto usual = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '.';
    };
    return !name.empty() && name.front() != '.' && name.size() <= 100 &&
           std::all_of(name.begin(), name.end(), usual);
}

bool isTaskName(std::string_view name)
{
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos)
        return isFolderName(name);
    return isFolderName(name.substr(0, slash)) && isFolderName(name.substr(slash + 1));
}

Result<void> writeText(const fs::path &path, std::string_view text)
{
    std::ofstream stream(path, std::ios::binary);
    stream << text;
    stream.close();
    if (!stream)
        return fail(ErrorCode::Environment, fmt::format("cannot write {}", path.string()),
                    "check the folder's permissions and the free space");
    return {};
}

std::vector<std::string_view> split(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    for (std::size_t from = 0;;) {
        const std::size_t at = text.find(separator, from);
        parts.push_back(text.substr(from, at == std::string_view::npos ? at : at - from));
        if (at == std::string_view::npos)
            return parts;
        from = at + 1;
    }
}

std::optional<double> numberOf(std::string_view text)
{
    double value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

json sizesOf(std::string_view text)
{
    json sizes = json::array();
    for (const std::string_view size : split(text, ','))
        sizes.push_back(std::string(size));
    return sizes;
}

/// Writes the folder `folder` and loads what was written at every shape.
Result<void> writeAside(const fs::path &folder, const NewTask &task)
{
    std::error_code status;
    fs::create_directories(folder, status);
    json content = task.content;
    content["format"] = 1;
    content["name"] = folder.filename().string();
    content["reference"] = "reference.py";
    content["baseline"] = "baseline.py";
    ACCELOPT_CHECK(writeText(folder / "task.json", content.dump(2) + "\n"));
    ACCELOPT_CHECK(writeText(folder / "reference.py", task.reference));
    ACCELOPT_CHECK(writeText(folder / "baseline.py", task.baseline));
    ACCELOPT_TRY(const auto shapes, taskShapeNames(folder));
    for (const std::string &shape : shapes) {
        ACCELOPT_CHECK(loadTask(folder, shape));
    }
    return {};
}

} // namespace

Result<Task> writeTask(const fs::path &parent, const NewTask &task)
{
    if (!isTaskName(task.name))
        return fail(ErrorCode::WrongUse,
                    fmt::format("\"{}\" cannot be the name of a task", task.name),
                    "use letters, digits, _ and -, with at most one / after a prefix");
    const fs::path folder = parent / task.name;
    std::error_code status;
    if (fs::exists(folder, status))
        return fail(ErrorCode::WrongUse,
                    fmt::format("there is already a task \"{}\" in {}", task.name, parent.string()),
                    fmt::format("choose another name, or remove that folder first; `accelopt bench "
                                "trust {}` confirms its reference",
                                task.name));
    // Below a hidden folder, with its final name because task.json must carry it.
    const fs::path aside =
        folder.parent_path() / (std::string(kAside) + folder.filename().string());
    const fs::path inside = aside / folder.filename();
    fs::remove_all(aside, status);
    const auto written = writeAside(inside, task);
    if (written)
        fs::rename(inside, folder, status);
    const bool renamed = written && !status;
    fs::remove_all(aside, status);
    if (!written)
        return tl::unexpected(written.error());
    if (!renamed)
        return fail(ErrorCode::Environment, fmt::format("cannot write {}", folder.string()),
                    "check the folder's permissions and the free space");
    ACCELOPT_TRY(Task loaded, loadTask(folder, {}));
    loaded.name = task.name;
    return loaded;
}

json wideSuite(const json &arguments)
{
    json edits = json::array();
    for (const json &argument : arguments) {
        const json draw = argument.value("draw", json::object());
        if (argument.contains("shape") && !draw.contains("constant") &&
            argument.value("dtype", std::string("float32")).find("float") != std::string::npos)
            edits.push_back({{"argument", argument.value("name", std::string())},
                             {"multiply", kWideFactor},
                             {"round_to", 1}});
    }
    if (edits.empty())
        return nullptr;
    return {{"name", kWideSuite},
            {"why", "large inputs: shows what is only right for small numbers, such as an "
                    "exponential that overflows"},
            {"edits", std::move(edits)}};
}

Result<Task> narrowWideSuite(const Task &task)
{
    const fs::path file = fs::path(task.folder) / "task.json";
    ACCELOPT_TRY(json content, readJsonFile(file.string()));
    json suites = json::array();
    for (json &suite : content["suites"]) {
        if (suite.value("name", std::string()) == kWideSuite) {
            if (suite["edits"].empty() ||
                suite["edits"][0].value("multiply", 0.0) <= kLessWideFactor)
                continue; // nothing is left to try
            for (json &edit : suite["edits"])
                edit["multiply"] = kLessWideFactor;
        }
        suites.push_back(std::move(suite));
    }
    content["suites"] = std::move(suites);
    ACCELOPT_CHECK(writeText(file, content.dump(2) + "\n"));
    ACCELOPT_TRY(Task loaded, loadTask(task.folder, task.shapeName));
    loaded.name = task.name;
    loaded.trusted = task.trusted;
    return loaded;
}

Result<json> argumentFromText(std::string_view text)
{
    const auto problem = [&](const std::string &what) {
        return fail(ErrorCode::WrongUse, fmt::format("argument \"{}\": {}", text, what),
                    "write NAME:SIZE,SIZE[:DTYPE[:DRAW=VALUE]], or NAME=VALUE for a scalar");
    };
    const auto parts = split(text, ':');
    if (parts.size() == 1) {
        const auto sides = split(text, '=');
        const auto value = sides.size() == 2 ? numberOf(sides[1]) : std::nullopt;
        if (!value || sides[0].empty())
            return problem("neither sizes nor a scalar's value were found");
        return json{{"name", std::string(sides[0])}, {"draw", {{"constant", *value}}}};
    }
    if (parts.size() > 4 || parts[0].empty())
        return problem("too many or too few parts");
    json argument = {{"name", std::string(parts[0])},
                     {"shape", sizesOf(parts[1])},
                     {"dtype", parts.size() > 2 ? std::string(parts[2]) : "float32"},
                     {"draw", {{"normal", 1}}}};
    if (parts.size() == 4) {
        const auto sides = split(parts[3], '=');
        const auto value = sides.size() == 2 ? numberOf(sides[1]) : std::nullopt;
        if (!value)
            return problem("the way to draw needs a number");
        argument["draw"] = {{std::string(sides[0]), *value}};
    }
    return argument;
}

Result<json> resultFromText(std::string_view text)
{
    const auto parts = split(text, ':');
    if (parts.size() < 2 || parts.size() > 3 || parts[0].empty())
        return fail(ErrorCode::WrongUse, fmt::format("result \"{}\" is not understood", text),
                    "write NAME:SIZE,SIZE[:DTYPE]");
    return json{{"name", std::string(parts[0])},
                {"shape", sizesOf(parts[1])},
                {"dtype", parts.size() > 2 ? std::string(parts[2]) : "float32"}};
}

Result<json> dimensionsFromText(std::string_view text)
{
    json dimensions = json::object();
    for (const std::string_view part : split(text, ',')) {
        const auto sides = split(part, '=');
        const auto value = sides.size() == 2 ? numberOf(sides[1]) : std::nullopt;
        if (!value || sides[0].empty() || *value != double(std::int64_t(*value)))
            return fail(ErrorCode::WrongUse,
                        fmt::format("dimension \"{}\" is not understood", part),
                        "write NAME=SIZE,NAME=SIZE, for example M=4096,N=7168");
        dimensions[std::string(sides[0])] = std::int64_t(*value);
    }
    return dimensions;
}

} // namespace accelopt::bench
