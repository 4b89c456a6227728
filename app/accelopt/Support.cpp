// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/Commands.h"
#include "app/accelopt/Terminal.h"
#include "app/accelopt/Trust.h"
#include "core/bench/TaskCatalogue.h"
#include "core/bench/TensorCache.h"
#include "core/profiling/RemoteHost.h"
#include "core/runner/UserConfig.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <fmt/format.h>

namespace accelopt::cli {
namespace {

/// A person waits: a host that is not there is told of soon.
constexpr int kMostConnections = 3;

/// True when the file decorates a function for the compiler, or calls it on one.
bool saysHowItIsCompiled(std::string_view source)
{
    for (const std::string_view word :
         {"jit", "baremetal", "benchmark", "profile", "simulate_kernel"})
        if (source.find("@nki." + std::string(word)) != std::string_view::npos ||
            source.find("@" + std::string(word)) != std::string_view::npos ||
            source.find(std::string(word) + "(") != std::string_view::npos)
            return true;
    return false;
}

} // namespace

std::filesystem::path programFolder()
{
    return QCoreApplication::applicationDirPath().toStdString();
}

int tell(const Error &error)
{
    Terminal::message("accelopt: " + describe(error));
    return exitStatus(error.code);
}

Result<Task> loadTask(const std::string &name, const std::string &shape)
{
    ACCELOPT_TRY(Task task, bench::TaskCatalogue::standard(programFolder()).load(name, shape));
    ACCELOPT_CHECK(needTrust(task));
    return task;
}

Bench::Bench() = default;
Bench::~Bench() = default;

Result<std::unique_ptr<Bench>> Bench::open(Task task, const std::string &device,
                                           const std::string &place)
{
    auto bench = std::make_unique<Bench>();
    bench->m_task = task;
    const auto showProgress = [](const QString &text) { Terminal::progress(text.toStdString()); };
    if (place != "sim") {
        ACCELOPT_TRY(profiling::HostProfile host, runner::configuredHost(place));
        QStringList hidden;
        for (const std::string &variable : runner::secretVariables())
            hidden << QString::fromStdString(variable);
        bench->m_host = std::make_unique<profiling::RemoteHost>(std::move(host), std::move(task),
                                                                device, hidden);
        bench->m_host->setMostFailures(kMostConnections);
        QObject::connect(bench->m_host.get(), &profiling::RemoteHost::progress, bench->m_host.get(),
                         showProgress);
        QObject::connect(bench->m_host.get(), &profiling::RemoteHost::troubled, bench->m_host.get(),
                         [](const QString &text) { Terminal::message(text.toStdString()); });
        return bench;
    }
    ACCELOPT_TRY(bench::TensorCache cache, bench::TensorCache::open());
    bench->m_references = std::make_unique<profiling::ReferenceMaker>(std::move(cache));
    QObject::connect(bench->m_references.get(), &profiling::ReferenceMaker::progress,
                     bench->m_references.get(), showProgress);
    profiling::SimPoolOptions options;
    options.task = std::move(task);
    options.device = device;
    options.workers = 1;
    bench->m_pool = std::make_unique<profiling::SimPool>(options, bench->m_references.get());
    return bench;
}

Result<std::unique_ptr<Bench>> Bench::openHere(Task task)
{
    return open(std::move(task), "trn1", "sim");
}

Result<profiling::JudgeReply> Bench::judge(profiling::PoolQuestion question)
{
    QEventLoop loop;
    std::optional<Result<profiling::JudgeReply>> answer;
    const auto take = [&](Result<profiling::JudgeReply> reply) {
        answer = std::move(reply);
        loop.quit();
    };
    if (m_host)
        m_host->ask(std::move(question), take);
    else
        m_pool->ask(std::move(question), take);
    if (!answer)
        loop.exec();
    Terminal::clearProgress();
    if (!*answer)
        return tl::unexpected(answer->error());
    if ((*answer)->error)
        return tl::unexpected(*(*answer)->error);
    return std::move(**answer);
}

std::string verdictText(const Verdict &verdict, std::string_view source)
{
    std::string text;
    if (verdict.correct() && !saysHowItIsCompiled(source))
        text += "note: no function is decorated with @nki.jit; the host code that calls this one "
                "has to compile it, as in nki.jit(kernel)(...)\n";
    for (const Reason &reason : verdict.reasons) {
        text += reason.place.line > 0 ? fmt::format("line {}: ", reason.place.line) : std::string();
        text += reason.message;
        if (!reason.rule.empty())
            text += fmt::format(" [{}]", reason.rule);
        text += '\n';
        if (const std::string caret = caretText(source, reason.place); !caret.empty()) {
            text += caret;
            if (text.back() != '\n')
                text += '\n';
        }
        if (!reason.hint.empty())
            text += "  -> " + reason.hint + '\n';
    }
    if (verdict.correct() && verdict.simulated)
        text += std::string(kSimulatedNote) + '\n';
    return text;
}

} // namespace accelopt::cli
