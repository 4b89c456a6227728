// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runner/SearchSession.h"

#include "core/bench/TaskCatalogue.h"
#include "core/bench/TaskLoader.h"
#include "core/nki/machine/Machine.h"
#include "core/nki/syntax/Lexer.h"
#include "core/runner/KernelFile.h"
#include "core/runner/Services.h"
#include "core/search/Fold.h"
#include "core/store/RunWriter.h"

#include <QCoreApplication>
#include <QDateTime>
#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace accelopt::runner {

/// The run file as the engine's journal.
class SearchSession::FileJournal : public search::Journal
{
public:
    explicit FileJournal(store::RunFile file) : m_writer(std::move(file)) {}
    Result<void> append(std::span<Event> events, std::span<const Text> texts) override
    {
        return m_writer.appendAndWait(events, texts);
    }
    Result<std::string> text(const TextId &id) override { return m_writer.text(id); }
    Result<std::vector<Event>> events() { return m_writer.eventsAfter(0); }
    Result<void> close() { return m_writer.close(); }

private:
    store::RunWriter m_writer;
};

std::string softwareVersion()
{
    return ACCELOPT_VERSION;
}

std::filesystem::path newRunFile(const std::string &task)
{
    std::string stem = task;
    std::replace(stem.begin(), stem.end(), '/', '-');
    const std::filesystem::path folder = bench::userDataFolder() / "runs";
    const std::string time =
        QDateTime::currentDateTime().toString(QStringLiteral("yyyy-MM-dd-HHmmss")).toStdString();
    std::filesystem::path file = folder / fmt::format("{}-{}.accelopt", stem, time);
    std::error_code ignored;
    for (int n = 2; std::filesystem::exists(file, ignored); ++n)
        file = folder / fmt::format("{}-{}-{}.accelopt", stem, time, n);
    return file;
}

SearchSession::SearchSession() = default;

SearchSession::~SearchSession()
{
    if (m_runner)
        m_runner->abandon();
}

Result<void> SearchSession::close()
{
    if (m_runner)
        m_runner->abandon();
    return m_journal->close();
}

Result<void> SearchSession::assemble(const RunConfig &config, int workers)
{
    m_workers = workers;
    ACCELOPT_TRY(m_services, Services::open(config, m_task, m_file, workers));
    connect(m_services.get(), &Services::progress, this, &SearchSession::progress);
    connect(m_services.get(), &Services::notice, this, &SearchSession::told);
    return {};
}

Result<void> SearchSession::check(const RunConfig &config)
{
    ACCELOPT_CHECK(validate(config));
    ACCELOPT_CHECK(Services::check(config));
    ACCELOPT_CHECK(nki::Machine::load(config.device));
    return {};
}

Result<std::unique_ptr<SearchSession>>
SearchSession::create(const RunRequest &request, const std::filesystem::path &programFolder)
{
    ACCELOPT_CHECK(check(request.config));
    std::unique_ptr<SearchSession> session(new SearchSession);
    ACCELOPT_TRY(
        session->m_task,
        bench::TaskCatalogue::standard(programFolder).load(request.task, request.config.shape));
    if (!session->m_task.trusted)
        return tl::unexpected(bench::notTrusted(session->m_task));
    std::string source;
    if (request.kernel.empty()) {
        ACCELOPT_TRY(source, bench::readBaseline(session->m_task));
    } else {
        ACCELOPT_TRY(source, readKernel(request.kernel));
    }

    session->m_file = request.out.empty() ? newRunFile(request.task) : request.out;
    if (request.out.empty()) {
        std::error_code error;
        std::filesystem::create_directories(session->m_file.parent_path(), error);
        if (error)
            return fail(ErrorCode::Environment,
                        fmt::format("the folder {} for run files cannot be made ({})",
                                    session->m_file.parent_path().string(), error.message()),
                        "name a file in a folder you may write with --out");
    }
    ACCELOPT_CHECK(session->assemble(request.config, request.workers));
    ACCELOPT_TRY(store::RunFile file, store::RunFile::create(session->m_file));
    session->m_notice = file.notice();
    session->m_journal = std::make_unique<FileJournal>(std::move(file));
    session->m_runner = std::make_unique<SearchRunner>(search::State{}, session->m_journal.get(),
                                                       session->m_services->players());

    RunOpened opened;
    opened.config = request.config;
    opened.task = session->m_task.name;
    opened.taskHash = session->m_task.hash;
    opened.software = softwareVersion();
    opened.modelVersion = nki::Machine::modelVersion();
    opened.baseline = nki::kernelIdentity(source);
    std::vector<Text> texts{makeText(std::move(source))};
    opened.baselineText = texts.front().id;
    // One write: a run never exists without the memory it starts with.
    std::vector<EventBody> first{opened};
    for (const ExperienceItem &item : request.carried) {
        PairSummarized carried;
        carried.call = CallId("import." + item.id.value);
        carried.iteration = -1;
        carried.item = item;
        first.push_back(std::move(carried));
    }
    ACCELOPT_CHECK(session->m_runner->record(std::move(first), std::move(texts), "engine"));
    return session;
}

Result<void> SearchSession::takeUp(const RunConfig &config)
{
    const search::State &state = m_runner->state();
    if (config == state.config && state.stop.code != search::StopCode::Person)
        return {};
    ACCELOPT_CHECK(validate(config));
    if (std::tie(config.planner, config.executor, config.summarizer) !=
        std::tie(state.config.planner, state.config.executor, state.config.summarizer)) {
        ACCELOPT_CHECK(Services::check(config));
        // The old partners stay until the runner has let go of them.
        std::unique_ptr<Services> before = std::move(m_services);
        if (auto made = assemble(config, m_workers); !made) {
            m_services = std::move(before);
            return made;
        }
        m_runner->setPlayers(m_services->players());
    }
    return m_runner->record({RunContinued{config}}, {}, "human");
}

void SearchSession::setWorkers(int workers)
{
    m_workers = workers;
    m_services->setWorkers(workers);
}

Result<std::unique_ptr<SearchSession>>
SearchSession::resume(const std::filesystem::path &path, const std::filesystem::path &programFolder,
                      int workers)
{
    std::unique_ptr<SearchSession> session(new SearchSession);
    session->m_file = path;
    ACCELOPT_TRY(store::RunFile file, store::RunFile::openForWriting(path));
    session->m_notice = file.notice();
    session->m_journal = std::make_unique<FileJournal>(std::move(file));
    ACCELOPT_TRY(const std::vector<Event> events, session->m_journal->events());
    search::State state = search::fold(events);
    if (state.phase == search::Phase::NotOpened)
        return fail(ErrorCode::Format, fmt::format("the run file {} holds no run", path.string()),
                    "start a new run with another --out");
    ACCELOPT_CHECK(Services::check(state.config));
    if (state.opened.modelVersion != nki::Machine::modelVersion())
        return fail(
            ErrorCode::NotGood,
            fmt::format(
                "the run {} was made with cost model {}, this program has {}: their figures "
                "cannot be ranked together",
                path.string(), state.opened.modelVersion, nki::Machine::modelVersion()),
            "look at it with `accelopt show`, and start a new run for further kernels");
    ACCELOPT_TRY(
        session->m_task,
        bench::TaskCatalogue::standard(programFolder).load(state.opened.task, state.config.shape));
    if (session->m_task.hash != state.opened.taskHash)
        return fail(ErrorCode::NotGood,
                    fmt::format("the task {} is not what it was when the run {} was made",
                                state.opened.task, path.string()),
                    "restore the task's files, or start a new run");
    if (!session->m_task.trusted)
        return tl::unexpected(bench::notTrusted(session->m_task));
    ACCELOPT_CHECK(session->assemble(state.config, workers));
    session->m_runner = std::make_unique<SearchRunner>(std::move(state), session->m_journal.get(),
                                                       session->m_services->players());
    return session;
}

} // namespace accelopt::runner
