// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/FirstWrong.h"
#include "app/accelopt/KernelReport.h"
#include "app/accelopt/Terminal.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace accelopt::cli {

namespace {

std::string shareText(const Verdict &verdict)
{
    const auto share = verdict.figures.find("checked_share");
    const auto error = verdict.figures.find("relative_l2");
    if (share == verdict.figures.end() || error == verdict.figures.end())
        return {};
    return fmt::format("relative error {:.2g} over {:.3g} % of the result", error->second,
                       share->second * 100);
}

enum class Show { Verdict, FirstWrong };

int check(const KernelOptions &options, Show show)
{
    const auto judged = judgeKernel(options, Baseline::Leave);
    if (!judged)
        return tell(judged.error());
    const profiling::JudgeReply &reply = judged->reply;
    const Verdict &verdict = reply.verdict;
    std::optional<FirstWrong> first;
    if (show == Show::FirstWrong && verdict.status == VerdictStatus::Wrong) {
        auto found = findFirstWrong(judged->task, options.device, judged->source);
        if (!found)
            return tell(found.error());
        first = std::move(*found);
    }
    if (options.asJson) {
        nlohmann::json document = verdict;
        document["verdict"] = name(verdict.status);
        document["reasons"] = reasonsJson(verdict);
        document["simulated"] = verdict.simulated;
        if (verdict.correct() && verdict.simulated)
            document["note"] = kSimulatedNote;
        document["task"] = options.task;
        document["shape"] = judged->task.shapeName;
        document["on"] = options.place;
        document["layout"] = reply.layout;
        document["printed"] = reply.printed;
        document["seconds"] = reply.seconds;
        if (first)
            document["first_wrong"] = first->json;
        Terminal::result(document.dump(2));
    } else {
        if (!reply.printed.empty())
            Terminal::message(reply.printed);
        std::string text = fmt::format(
            "{} ({}): {} on {}, shape {}{}\n", name(verdict.status), kindOfFigures(verdict),
            options.kernel, options.task, judged->task.shapeName,
            options.place == "sim" ? std::string() : ", judged on " + options.place);
        text += verdictText(verdict, judged->source);
        if (const std::string share = shareText(verdict); !share.empty())
            text += share + '\n';
        if (first)
            text += '\n' + first->text;
        Terminal::result(text);
    }
    return verdict.correct() ? 0 : 1;
}

} // namespace

void addCheckCommand(CLI::App &program, Action &action)
{
    auto options = std::make_shared<KernelOptions>();
    CLI::App *command =
        program.add_subcommand("check", "say whether a kernel is right, and why not");
    addKernelOptions(*command, *options);
    command->add_option("--on", options->place, "sim, or the name of a host of hosts.json")
        ->capture_default_str();
    command->add_flag_callback(
        "--full", [options] { options->check = oracle::NumberCheck::Full; },
        "compare every element of the result");
    auto show = std::make_shared<Show>(Show::Verdict);
    command->add_flag_callback(
        "--first-wrong", [show] { *show = Show::FirstWrong; },
        "show the first wrong element, what wrote it, and the values around it");
    command->callback(
        [&action, options, show] { action = [options, show] { return check(*options, *show); }; });
}

} // namespace accelopt::cli
