// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/Trust.h"

#include "app/accelopt/Commands.h"
#include "app/accelopt/Terminal.h"
#include "core/bench/TaskCatalogue.h"
#include "core/bench/TaskWriter.h"
#include "core/bench/TensorCache.h"
#include "core/domain/Hash.h"

#include <CLI/CLI.hpp>
#include <QEventLoop>
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace accelopt::cli {

namespace {

struct TrustOptions
{
    std::vector<std::string> names;
    bool yes = false;
};

/// "/.../reference.py (212 bytes, SHA-256 9f86...)"
std::string referenceText(const Task &task)
{
    std::ifstream in(task.referencePath, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    return fmt::format("{} ({} bytes, SHA-256 {})", task.referencePath, text.size(), sha256(text));
}

/// True when the reference gives finite numbers for the inputs of this suite.
Result<bool> finiteReference(const Task &task, const std::string &suite)
{
    ACCELOPT_TRY(bench::TensorCache cache, bench::TensorCache::open());
    profiling::ReferenceMaker references(std::move(cache));
    QObject::connect(&references, &profiling::ReferenceMaker::progress, &references,
                     [](const QString &text) { Terminal::progress(text.toStdString()); });
    QEventLoop loop;
    std::optional<Result<bench::TensorEntry>> made;
    references.make(task, 0, suite, [&](Result<bench::TensorEntry> entry) {
        made = std::move(entry);
        loop.quit();
    });
    if (!made)
        loop.exec();
    Terminal::clearProgress();
    // A reference that is not finite is refused where it is made.
    if (!*made && made->error().code != ErrorCode::Format)
        return tl::unexpected(made->error());
    return made->has_value();
}

Result<void> trustOne(const std::string &name, const TrustOptions &options)
{
    ACCELOPT_TRY(Task task, bench::TaskCatalogue::standard(programFolder()).load(name, {}));
    if (task.trusted) {
        Terminal::result(fmt::format("the reference of task {} may be run already", task.name));
        return {};
    }
    if (options.yes) {
        Terminal::message(referenceText(task));
        ACCELOPT_CHECK(confirmReference(task));
    } else if (personAnswers()) {
        ACCELOPT_TRY(const bool yes, askTrust(task));
        if (!yes)
            return tl::unexpected(bench::notTrusted(task));
    } else {
        return fail(ErrorCode::WrongUse,
                    fmt::format("nobody is there to be asked about {}", referenceText(task)),
                    "read it, and add --yes when it may be run");
    }
    Terminal::result(fmt::format("the reference of task {} may be run now", task.name));
    return {};
}

int trust(const TrustOptions &options)
{
    for (const std::string &name : options.names)
        if (const auto done = trustOne(name, options); !done)
            return tell(done.error());
    return 0;
}

} // namespace

bool personAnswers()
{
    return isatty(STDIN_FILENO) != 0 && Terminal::hasPerson();
}

Result<void> confirmReference(Task &task)
{
    ACCELOPT_CHECK(bench::confirmTask(task));
    task.trusted = true;
    const auto isWide = [](const InputSuite &suite) { return suite.name == bench::kWideSuite; };
    while (std::any_of(task.suites.begin(), task.suites.end(), isWide)) {
        ACCELOPT_TRY(const bool finite, finiteReference(task, std::string(bench::kWideSuite)));
        if (finite)
            break;
        ACCELOPT_TRY(task, bench::narrowWideSuite(task));
        ACCELOPT_CHECK(bench::confirmTask(task)); // the same reference
    }
    return {};
}

Result<bool> askTrust(Task &task)
{
    if (bench::taskTrust(task) == bench::TaskTrust::Changed)
        Terminal::message(
            fmt::format("task {} has changed since its reference was confirmed.", task.name));
    Terminal::message(fmt::format("{}\nis a Python program that the workbench runs, with your "
                                  "rights, to make the reference results of task {}.",
                                  referenceText(task), task.name));
    fmt::print(stderr, "Have you read it, and may it be run? [y/N] ");
    std::fflush(stderr);
    std::string answer;
    if (!std::getline(std::cin, answer) || (answer != "y" && answer != "yes"))
        return false;
    ACCELOPT_CHECK(confirmReference(task));
    return true;
}

Result<void> needTrust(Task &task)
{
    if (task.trusted)
        return {};
    if (personAnswers()) {
        ACCELOPT_TRY(task.trusted, askTrust(task));
    }
    if (!task.trusted)
        return tl::unexpected(bench::notTrusted(task));
    return {};
}

Result<bool> trustNewTask(Task &task, Trust trust)
{
    if (trust == Trust::Given) {
        ACCELOPT_CHECK(confirmReference(task));
        return true;
    }
    return personAnswers() ? askTrust(task) : Result<bool>(false);
}

std::string notTrustedYet(const Task &task)
{
    return fmt::format("; its reference is not run before `accelopt bench trust {}` confirms it",
                       task.name);
}

void addTrustCommand(CLI::App &bench, Action &action)
{
    auto options = std::make_shared<TrustOptions>();
    CLI::App *command = bench.add_subcommand(
        "trust", "let the numpy reference of a task of one's own be run, once it has been read");
    command->add_option("NAME", options->names, "the task, or several")->required();
    command->add_flag("--yes", options->yes, "it has been read: do not ask");
    command->callback([&action, options] { action = [options] { return trust(*options); }; });
}

} // namespace accelopt::cli
