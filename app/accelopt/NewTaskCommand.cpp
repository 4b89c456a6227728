// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/Commands.h"
#include "app/accelopt/Terminal.h"
#include "app/accelopt/Trust.h"
#include "core/bench/TaskCatalogue.h"
#include "core/bench/TaskWriter.h"
#include "core/runner/KernelFile.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace accelopt::cli {

namespace {

using nlohmann::json;

struct NewOptions
{
    std::string name;
    std::string kernel;
    std::string reference;
    std::string title;
    std::string dimensions;
    std::vector<std::string> arguments;
    std::vector<std::string> results;
    double tolerance = 2e-5;
    std::string traffic, matmulFlops, vectorFlops;
    Trust trust = Trust::Ask;
};

Result<std::string> readText(const std::string &file)
{
    std::ifstream in(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (in.bad() || !in.is_open())
        return fail(ErrorCode::WrongUse, fmt::format("{} cannot be read", file), "check the path");
    return text;
}

/// The option that a place of task.json ("arguments[0].shape[1]") was made from, as it was given.
std::string optionOf(const std::string &place, const NewOptions &options)
{
    const auto element = [&](const std::string &list, const std::vector<std::string> &texts,
                             const char *option) -> std::string {
        if (!place.starts_with(list + "["))
            return {};
        const std::size_t index = std::strtoul(place.c_str() + list.size() + 1, nullptr, 10);
        return index < texts.size() ? fmt::format("{} {}", option, texts[index]) : std::string();
    };
    if (auto text = element("arguments", options.arguments, "--arg"); !text.empty())
        return text;
    if (auto text = element("results", options.results, "--result"); !text.empty())
        return text;
    if (place.starts_with("shapes"))
        return "--shape " + options.dimensions;
    if (place.starts_with("tolerance"))
        return fmt::format("--tolerance {}", options.tolerance);
    if (place.starts_with("minimum_work.traffic_bytes"))
        return "--traffic " + options.traffic;
    if (place.starts_with("minimum_work.matmul_flops"))
        return "--matmul-flops " + options.matmulFlops;
    if (place.starts_with("minimum_work.vector_flops"))
        return "--vector-flops " + options.vectorFlops;
    if (place.starts_with("title"))
        return "--title " + options.title;
    return {};
}

/// A complaint about the task.json that was made, told of the option instead: nobody has seen
/// that file.
Error aboutOption(Error error, const NewOptions &options)
{
    static constexpr std::string_view kFile = "task.json: ";
    const std::size_t file = error.message.find(kFile);
    if (file == std::string::npos)
        return error;
    const std::string rest = error.message.substr(file + kFile.size());
    const std::size_t colon = rest.find(": ");
    if (colon == std::string::npos)
        return error;
    const std::string option = optionOf(rest.substr(0, colon), options);
    if (option.empty())
        return error;
    return {ErrorCode::WrongUse, fmt::format("{}: {}", option, rest.substr(colon + 2)), error.hint,
            error.message};
}

/// A task of one's own never stands before one that came with the program: whoever says the name
/// would get another task than before.
Result<void> newName(const std::string &name)
{
    const auto catalogue = bench::TaskCatalogue::standard(programFolder());
    for (const bench::TaskEntry &entry : catalogue.entries())
        if (entry.name == name && entry.origin == bench::TaskOrigin::BuiltIn)
            return fail(
                ErrorCode::WrongUse,
                fmt::format("\"{}\" is a task that came with the program, and a task of "
                            "your own would take its place",
                            name),
                fmt::format("choose another name, for example my_{} or mine/{}", name, name));
    return {};
}

Result<Task> makeTask(const NewOptions &options)
{
    ACCELOPT_CHECK(newName(options.name));
    bench::NewTask task;
    task.name = options.name;
    ACCELOPT_TRY(task.reference, readText(options.reference));
    ACCELOPT_TRY(task.baseline, runner::readKernel(options.kernel));
    json &content = task.content;
    content["title"] = options.title.empty() ? options.name : options.title;
    content["tolerance"] = options.tolerance;
    ACCELOPT_TRY(content["shapes"]["published"]["dimensions"],
                 bench::dimensionsFromText(options.dimensions));
    for (const std::string &text : options.arguments) {
        ACCELOPT_TRY(json argument, bench::argumentFromText(text));
        content["arguments"].push_back(std::move(argument));
    }
    for (const std::string &text : options.results) {
        ACCELOPT_TRY(json result, bench::resultFromText(text));
        content["results"].push_back(std::move(result));
    }
    if (!options.traffic.empty())
        content["minimum_work"] = {
            {"traffic_bytes", options.traffic},
            {"matmul_flops", options.matmulFlops.empty() ? "0" : options.matmulFlops},
            {"vector_flops", options.vectorFlops.empty() ? "0" : options.vectorFlops}};
    if (json wide = bench::wideSuite(content["arguments"]); !wide.is_null())
        content["suites"].push_back(std::move(wide));
    auto written = bench::writeTask(bench::userDataFolder() / "tasks", task);
    if (!written)
        return tl::unexpected(aboutOption(written.error(), options));
    return written;
}

/// Judges the kernel that a new task starts from, and says what came of it.
int judgeBaseline(const Task &task, const std::string &kernel)
{
    const auto source = runner::readKernel(kernel);
    if (!source)
        return tell(source.error());
    const auto bench = Bench::openHere(task);
    if (!bench)
        return tell(bench.error());
    std::random_device random;
    profiling::PoolQuestion question;
    question.source = *source;
    question.samplingSeed = (std::uint64_t(random()) << 32) | random();
    question.inputs = profiling::allInputs(task, 0);
    const auto reply = (*bench)->judge(std::move(question));
    if (!reply)
        return tell(reply.error());
    const Verdict &verdict = reply->verdict;
    std::string text = fmt::format("{} (simulated): {}", name(verdict.status), kernel);
    if (reply->profile.latencyMs > 0)
        text += fmt::format(", {:.4g} ms on trn1", reply->profile.latencyMs);
    text += '\n' + verdictText(verdict, *source);
    if (!verdict.correct())
        text += fmt::format("The task stays. Mend its kernel {} and look at it again with\n"
                            "  accelopt check {} --task {}\n",
                            task.baselinePath, task.baselinePath, task.name);
    Terminal::result(text);
    return verdict.correct() ? 0 : 1;
}

int newTask(const NewOptions &options)
{
    auto task = makeTask(options);
    if (!task)
        return tell(task.error());
    const auto trusted = trustNewTask(*task, options.trust);
    if (!trusted)
        return tell(trusted.error());
    Terminal::result(fmt::format("{} is a task now, in {}{}", task->name, task->folder,
                                 *trusted ? std::string() : notTrustedYet(*task)));
    return *trusted ? judgeBaseline(*task, options.kernel) : 0;
}

} // namespace

void addNewCommand(CLI::App &bench, Action &action)
{
    auto made = std::make_shared<NewOptions>();
    CLI::App *command =
        bench.add_subcommand("new", "make a kernel of one's own with its numpy reference a task");
    command->add_option("NAME", made->name, "name of the task")->required();
    command->add_option("--kernel", made->kernel, "the kernel to start from")->required();
    command
        ->add_option("--reference", made->reference, "Python file with def reference(...) in numpy")
        ->required();
    command->add_option("--title", made->title, "what it computes, in a few words");
    command->add_option("--shape", made->dimensions, "dimensions, e.g. M=4096,N=7168")->required();
    command
        ->add_option("--arg", made->arguments,
                     "an argument, in order: x:M,N[:float32[:normal=1]] or eps=1e-5; drawn "
                     "normal=DEVIATION, absolute_normal=DEVIATION or constant=VALUE")
        ->required();
    command->add_option("--result", made->results, "a result: y:M,N[:float32]")->required();
    command->add_option("--tolerance", made->tolerance, "relative L2 norm of the error")
        ->capture_default_str();
    command->add_option("--traffic", made->traffic,
                        "least bytes moved, over the dimensions (2*M*N*4)");
    command->add_option("--matmul-flops", made->matmulFlops, "least matmul FLOPs");
    command->add_option("--vector-flops", made->vectorFlops, "least elementwise FLOPs");
    command->add_flag_callback(
        "--trust", [made] { made->trust = Trust::Given; },
        "the reference has been read and may be run");
    command->callback([&action, made] { action = [made] { return newTask(*made); }; });
}

} // namespace accelopt::cli
