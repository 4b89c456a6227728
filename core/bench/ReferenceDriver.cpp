// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/ReferenceDriver.h"

#include "core/domain/Resources.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace accelopt::bench {

using nlohmann::json;

namespace {

std::string_view drawName(Draw draw)
{
    switch (draw) {
    case Draw::Normal: return "normal";
    case Draw::AbsoluteNormal: return "absolute_normal";
    case Draw::Constant: return "constant";
    }
    return "normal";
}

/// The last line with text; Python ends a traceback with what went wrong.
std::string_view lastLine(std::string_view text)
{
    while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
        text.remove_suffix(1);
    const std::size_t newline = text.rfind('\n');
    return newline == std::string_view::npos ? text : text.substr(newline + 1);
}

} // namespace

std::vector<std::string> referenceDriverCommand(const std::string &python)
{
    return {python, "-I", "-c", std::string(resource("resources/reference_driver.py"))};
}

std::string versionRequest()
{
    return json{{"ask", "version"}}.dump();
}

std::string makeRequest(const Task &task, std::uint64_t seed, const InputSuite *suite,
                        const std::filesystem::path &folder)
{
    json arguments = json::array();
    for (const TaskArgument &argument : task.arguments)
        arguments.push_back({{"name", argument.name},
                             {"shape", argument.scalar ? json() : json(argument.shape)},
                             {"dtype", argument.dtype},
                             {"draw", drawName(argument.draw)},
                             {"parameter", argument.parameter}});
    json results = json::array();
    for (const TaskResult &result : task.results)
        results.push_back({{"name", result.name},
                           {"shape", result.shape},
                           {"dtype", result.dtype},
                           {"update_of", result.updateOf < 0 ? json() : json(result.updateOf)}});
    json edits = json::array();
    if (suite)
        for (const InputEdit &edit : suite->edits)
            edits.push_back({{"argument", edit.argument},
                             {"box", edit.box},
                             {"steps", edit.steps},
                             {"factor", edit.factor},
                             {"offset", edit.offset},
                             {"quantum", edit.quantum}});
    return json{{"ask", "make"},
                {"reference", task.referencePath},
                {"folder", folder.string()},
                {"seed", seed},
                {"compute", task.referenceCompute},
                {"arguments", std::move(arguments)},
                {"results", std::move(results)},
                {"edits", std::move(edits)}}
        .dump();
}

Result<ReferenceAnswer> readReferenceAnswer(std::string_view standardOutput,
                                            std::string_view standardError)
{
    const json answer = json::parse(standardOutput, nullptr, false);
    if (!answer.is_object() || !answer.contains("ok") || !answer["ok"].is_boolean()) {
        const bool noNumpy =
            standardError.find("No module named 'numpy'") != std::string_view::npos;
        const std::string_view reason = lastLine(standardError);
        return fail(ErrorCode::Environment,
                    fmt::format("the numpy reference could not be run: {}",
                                reason.empty() ? "its process ended without an answer" : reason),
                    noNumpy
                        ? "install numpy for /usr/bin/python3 (package python3-numpy)"
                        : "there may be too little memory for this shape; try the shape \"lab\"",
                    std::string(standardError));
    }
    const auto text = [&](const char *name) {
        const auto found = answer.find(name);
        return found != answer.end() && found->is_string() ? found->get<std::string>()
                                                           : std::string();
    };
    if (!answer["ok"].get<bool>())
        return fail(ErrorCode::Format, fmt::format("the reference failed: {}", text("error")), {},
                    std::string(standardError));
    ReferenceAnswer good;
    good.numpyVersion = text("numpy");
    if (const auto seconds = answer.find("seconds");
        seconds != answer.end() && seconds->is_number())
        good.seconds = seconds->get<double>();
    return good;
}

std::string argumentFile(std::size_t argument)
{
    return fmt::format("arg{}.npy", argument);
}

std::string resultFile(std::size_t result)
{
    return fmt::format("result{}.npy", result);
}

std::string noiseFile()
{
    return "noise.npy";
}

} // namespace accelopt::bench
