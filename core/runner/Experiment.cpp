// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runner/Experiment.h"

#include "core/bench/TaskCatalogue.h"
#include "core/runner/BudgetSharing.h"
#include "core/runner/CarriedMemory.h"
#include "core/search/Fold.h"
#include "core/store/RunFile.h"
#include "core/store/RunReader.h"

#include <QDateTime>
#include <QThread>
#include <algorithm>
#include <fmt/format.h>

namespace accelopt::runner {

namespace {

namespace fs = std::filesystem;

/// A run file without an event is no larger; a larger one is looked at, never removed.
constexpr std::uintmax_t kLargestFileWithoutRun = 256 << 10;

int workersFor(int asked)
{
    return asked > 0 ? asked : std::max(1, QThread::idealThreadCount());
}

std::string fileName(const std::string &part)
{
    std::string stem = part;
    std::replace(stem.begin(), stem.end(), '/', '-');
    return stem + ".accelopt";
}

/// True when the folder holds nothing but what a crash may have left before the experiment was
/// described: its lock, or a description half written.
bool isEmpty(const fs::path &folder)
{
    const std::string file = experimentFile(folder).filename().string();
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (name == file || !name.starts_with(file))
            return false;
    }
    return !error;
}

Result<void> makeFolder(const fs::path &folder)
{
    std::error_code error;
    if (fs::exists(folder, error) && !fs::is_directory(folder, error))
        return fail(
            ErrorCode::WrongUse,
            fmt::format("{} is a file, and several searches need a folder", folder.string()),
            "name a new folder with --out");
    if (fs::is_directory(folder, error) && !isEmpty(folder))
        return fail(ErrorCode::WrongUse, fmt::format("the folder {} is not empty", folder.string()),
                    isExperiment(folder)
                        ? "go on with its searches with --resume, or name a new one"
                        : "name a new folder with --out");
    error.clear();
    fs::create_directory(folder, error);
    if (error)
        return fail(
            error == std::errc::no_such_file_or_directory ? ErrorCode::WrongUse
                                                          : ErrorCode::Environment,
            fmt::format("the folder {} cannot be made ({})", folder.string(), error.message()),
            "name one in a folder that is there and that you may write");
    return {};
}

Result<search::State> stateOfFile(const fs::path &file)
{
    ACCELOPT_TRY(store::RunReader reader, store::RunReader::openForReading(file));
    ACCELOPT_TRY(const std::vector<Event> events, reader.eventsAfter(0));
    return search::fold(events);
}

bool has(const search::State &state, const BudgetMoved &moved)
{
    return std::any_of(state.budgetMoves.begin(), state.budgetMoves.end(),
                       [&](const BudgetMoved &one) { return one.round == moved.round; });
}

} // namespace

/// A search that is under way.
struct Experiment::Lane
{
    std::size_t part = 0;
    std::unique_ptr<SearchSession> session;
    bool mayBeHeld = false;
    bool leaving = false;
};

std::filesystem::path newExperimentFolder()
{
    const fs::path folder = bench::userDataFolder() / "runs";
    const std::string time =
        QDateTime::currentDateTime().toString(QStringLiteral("yyyy-MM-dd-HHmmss")).toStdString();
    fs::path made = folder / fmt::format("experiment-{}", time);
    std::error_code ignored;
    for (int n = 2; fs::exists(made, ignored); ++n)
        made = folder / fmt::format("experiment-{}-{}", time, n);
    return made;
}

Experiment::Experiment(fs::path folder, store::FileLock lock, ExperimentPlan plan,
                       fs::path programFolder, int workers)
    : m_folder(std::move(folder)),
      m_lock(std::move(lock)),
      m_plan(std::move(plan)),
      m_programFolder(std::move(programFolder)),
      m_workers(workersFor(workers))
{
    for (const ExperimentPart &part : m_plan.parts)
        m_parts.push_back({part, Status::Waiting, {}, false});
    for (const PlannedMove &move : m_plan.moves)
        if (move.closes)
            m_parts[std::size_t(move.part)].closed = true;
}

Experiment::~Experiment() = default;

Result<std::unique_ptr<Experiment>> Experiment::create(const ExperimentRequest &request,
                                                       const fs::path &programFolder)
{
    ACCELOPT_CHECK(SearchSession::check(request.config));
    const auto catalogue = bench::TaskCatalogue::standard(programFolder);
    ExperimentPlan plan;
    plan.config = request.config;
    plan.carried = request.carried;
    plan.memoryFrom = request.memoryFrom;
    const Carry carry = request.carried.empty() ? Carry::Nothing : Carry::Memory;
    for (const std::string &task : request.tasks) {
        // What can be refused is refused before anything is made.
        ACCELOPT_CHECK(catalogue.load(task, request.config.shape));
        const auto add = [&](const std::string &name, Carry what) {
            plan.parts.push_back({name, task, fileName(name), what});
        };
        if (std::any_of(plan.parts.begin(), plan.parts.end(),
                        [&](const ExperimentPart &part) { return part.task == task; }))
            return fail(ErrorCode::WrongUse, fmt::format("the task {} is named twice", task));
        add(task, carry);
        if (request.transfer == ExperimentRequest::Transfer::Measured)
            add(task + "-without", Carry::Nothing);
    }
    plan.lanes = std::min(int(plan.parts.size()), workersFor(request.workers));
    ACCELOPT_CHECK(firstGrant(budgetOf(plan.config), int(plan.parts.size()), plan.lanes, 1));

    const fs::path folder = request.folder.empty() ? newExperimentFolder() : request.folder;
    if (request.folder.empty()) {
        std::error_code error;
        fs::create_directories(folder.parent_path(), error);
    }
    ACCELOPT_CHECK(makeFolder(folder));
    ACCELOPT_TRY(store::FileLock lock, store::FileLock::acquire(experimentFile(folder)));
    ACCELOPT_CHECK(writeExperiment(folder, plan));
    return std::unique_ptr<Experiment>(
        new Experiment(folder, std::move(lock), std::move(plan), programFolder, request.workers));
}

Result<std::unique_ptr<Experiment>> Experiment::resume(const fs::path &folder,
                                                       const fs::path &programFolder, int workers)
{
    ACCELOPT_TRY(ExperimentPlan plan, readExperiment(folder));
    ACCELOPT_TRY(store::FileLock lock, store::FileLock::acquire(experimentFile(folder)));
    return std::unique_ptr<Experiment>(
        new Experiment(folder, std::move(lock), std::move(plan), programFolder, workers));
}

std::filesystem::path Experiment::fileOf(std::size_t part) const
{
    return m_folder / m_parts[part].plan.file;
}

const search::State *Experiment::stateOf(std::size_t part) const
{
    for (const auto &lane : m_lanes)
        if (lane->part == part && lane->session)
            return &lane->session->runner().state();
    return nullptr;
}

Result<std::vector<ExperienceItem>> Experiment::carriedBy(const ExperimentPart &part) const
{
    if (part.carry == Carry::Nothing)
        return std::vector<ExperienceItem>();
    ACCELOPT_TRY(
        const Task task,
        bench::TaskCatalogue::standard(m_programFolder).load(part.task, m_plan.config.shape));
    return chooseItems(m_plan.carried, task, m_plan.config.device, m_plan.config.memoryCapacity);
}

void Experiment::start()
{
    for (std::size_t i = 0; i < m_parts.size(); ++i)
        settle(i);
    schedulePump();
}

void Experiment::settle(std::size_t index)
{
    Part &part = m_parts[index];
    std::error_code ignored;
    if (!fs::exists(fileOf(index), ignored))
        return;
    // What cannot be read, or is written by another process, is told when its turn comes.
    const auto state = stateOfFile(fileOf(index));
    if (!state || state->stop.code == search::StopCode::Person)
        return;
    std::vector<Event> missing;
    for (const PlannedMove &move : m_plan.moves)
        if (move.part == int(index) && !has(*state, move.event))
            missing.push_back({0, "engine", 0, move.event});
    if (state->phase != search::Phase::Finished) {
        if (missing.empty() && !part.closed && stoppedByBudgetOnly(*state))
            part.status = Status::Held;
        return;
    }
    if (!missing.empty()) {
        auto file = store::RunFile::openForWriting(fileOf(index));
        if (!file || !file->append(missing, {}) || !file->close())
            return;
    }
    part.status = Status::Done;
}

void Experiment::stop(const std::string &reason)
{
    m_stopping = true;
    PersonDecided stop;
    stop.decision = Decision::Stop;
    stop.reason = reason;
    for (const auto &lane : m_lanes)
        if (!lane->leaving)
            lane->session->runner().decide(stop);
    schedulePump();
}

void Experiment::schedulePump()
{
    if (std::exchange(m_pumpScheduled, true))
        return;
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_pumpScheduled = false;
            pump();
        },
        Qt::QueuedConnection);
}

void Experiment::pump()
{
    if (m_ended)
        return;
    const std::size_t most = std::min(std::size_t(m_workers), m_parts.size());
    for (std::size_t i = 0; i < m_parts.size() && m_lanes.size() < most && !m_stopping; ++i) {
        if (m_parts[i].status != Status::Waiting)
            continue;
        if (const Result<void> begun = begin(i); !begun) {
            m_parts[i].status = Status::Failed;
            m_parts[i].error = begun.error();
            emit partEnded(int(i));
        }
    }
    shareWorkers();
    if (!m_lanes.empty())
        return;
    if (!m_stopping) {
        const Result<bool> more = nextRound();
        if (more && *more) {
            schedulePump();
            return;
        }
        if (!more)
            for (Part &part : m_parts)
                if (part.status == Status::Held)
                    part = {part.plan, Status::Failed, more.error(), part.closed};
    }
    m_ended = true;
    emit finished();
}

Result<Budget> Experiment::firstBudget() const
{
    const RunConfig &config = m_plan.config;
    return firstGrant(budgetOf(config), int(m_parts.size()), m_plan.lanes,
                      config.plansPerCandidate * config.attemptsPerPlan * (1 + config.repairs));
}

Result<std::unique_ptr<SearchSession>> Experiment::open(std::size_t index)
{
    const ExperimentPart &part = m_parts[index].plan;
    const fs::path file = fileOf(index);
    std::error_code ignored;
    if (fs::exists(file, ignored)) {
        auto resumed = SearchSession::resume(file, m_programFolder, 1);
        if (resumed || resumed.error().code != ErrorCode::Format ||
            fs::file_size(file, ignored) > kLargestFileWithoutRun)
            return resumed;
        const auto state = stateOfFile(file);
        if (!state || state->phase != search::Phase::NotOpened)
            return resumed;
        // Its writer was killed before the first event; nothing was asked or paid.
        fs::remove(file, ignored);
    }
    RunRequest request;
    request.config = m_plan.config;
    request.task = part.task;
    request.out = file;
    request.workers = 1;
    ACCELOPT_TRY(const Budget first, firstBudget());
    setBudget(request.config, first);
    ACCELOPT_TRY(request.carried, carriedBy(part));
    return SearchSession::create(request, m_programFolder);
}

Result<void> Experiment::applyMoves(std::size_t index, SearchSession &session)
{
    for (const PlannedMove &move : m_plan.moves)
        if (move.part == int(index) && !has(session.runner().state(), move.event))
            ACCELOPT_CHECK(session.runner().record({move.event}, {}, "engine"));
    return {};
}

Result<void> Experiment::begin(std::size_t index)
{
    auto lane = std::make_unique<Lane>();
    lane->part = index;
    ACCELOPT_TRY(lane->session, open(index));
    SearchSession &session = *lane->session;
    ACCELOPT_CHECK(applyMoves(index, session));
    const search::State &state = session.runner().state();
    // Whoever goes on with an experiment takes back that it was stopped.
    if (state.stop.code == search::StopCode::Person)
        ACCELOPT_CHECK(session.takeUp(state.config));
    lane->mayBeHeld = budgetOf(m_plan.config).any() && !m_parts[index].closed;
    m_parts[index].status = Status::Running;
    m_parts[index].error.reset();
    m_lanes.push_back(std::move(lane));
    Lane &here = *m_lanes.back();
    watch(here);
    if (session.runner().finished())
        leave(index, Status::Done, {});
    else if (here.mayBeHeld && stoppedByBudgetOnly(state))
        leave(index, Status::Held, {});
    else
        session.runner().advance(Advance::Run);
    return {};
}

void Experiment::watch(Lane &lane)
{
    SearchRunner &runner = lane.session->runner();
    const std::size_t index = lane.part;
    connect(lane.session.get(), &SearchSession::progress, this, &Experiment::preparing);
    connect(&runner, &SearchRunner::appended, this, [this, &lane](const std::vector<Event> &) {
        // What is left to confirm waits until it is decided whether the search goes on.
        if (lane.mayBeHeld && stoppedByBudgetOnly(lane.session->runner().state()) && !m_stopping)
            lane.session->runner().advance(Advance::Pause);
        emit progressed();
    });
    connect(&runner, &SearchRunner::paused, this, [this, &lane, index] {
        if (stoppedByBudgetOnly(lane.session->runner().state()))
            leave(index, Status::Held, {});
        else
            lane.session->runner().advance(Advance::Run);
    });
    connect(&runner, &SearchRunner::finishedRun, this,
            [this, index](const QString &) { leave(index, Status::Done, {}); });
    connect(&runner, &SearchRunner::waiting, this, [this, index](const QString &reason) {
        leave(index, Status::Failed,
              Error{ErrorCode::NotGood, "the search waits: " + reason.toStdString(), {}, {}});
    });
    connect(&runner, &SearchRunner::blocked, this,
            [this, index](const QString &message, int status) {
                const ErrorCode code = status == 2   ? ErrorCode::WrongUse
                                       : status == 3 ? ErrorCode::Environment
                                                     : ErrorCode::NotGood;
                leave(index, Status::Failed, Error{code, message.toStdString(), {}, {}});
            });
}

void Experiment::leave(std::size_t index, Status status, std::optional<Error> error)
{
    for (const auto &lane : m_lanes) {
        if (lane->part != index || std::exchange(lane->leaving, true))
            continue;
        m_parts[index].status = status;
        m_parts[index].error = std::move(error);
        // The runner that says so stands on the stack.
        QMetaObject::invokeMethod(
            this, [this, index] { endLane(index); }, Qt::QueuedConnection);
        return;
    }
}

void Experiment::endLane(std::size_t index)
{
    const auto found = std::find_if(m_lanes.begin(), m_lanes.end(),
                                    [&](const auto &lane) { return lane->part == index; });
    if (found == m_lanes.end())
        return;
    if (const Result<void> closed = (*found)->session->close(); !closed) {
        m_parts[index].status = Status::Failed;
        m_parts[index].error = closed.error();
    }
    m_lanes.erase(found);
    if (m_parts[index].status != Status::Held)
        emit partEnded(int(index));
    schedulePump();
}

void Experiment::shareWorkers()
{
    const int live = int(m_lanes.size());
    for (int i = 0; i < live; ++i)
        m_lanes[std::size_t(i)]->session->setWorkers(
            std::max(1, m_workers / live + (i < m_workers % live ? 1 : 0)));
}

int Experiment::round() const
{
    int last = 0;
    for (const PlannedMove &move : m_plan.moves)
        last = std::max(last, move.event.round);
    return last + 1;
}

Result<bool> Experiment::nextRound()
{
    if (std::none_of(m_parts.begin(), m_parts.end(),
                     [](const Part &part) { return part.status == Status::Held; }))
        return false;
    ACCELOPT_TRY(const Budget first, firstBudget());
    std::vector<Standing> standings;
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        const Part &part = m_parts[i];
        std::error_code ignored;
        Standing standing;
        standing.name = part.plan.name;
        standing.bound = first;
        if (fs::exists(fileOf(i), ignored)) {
            ACCELOPT_TRY(const search::State state, stateOfFile(fileOf(i)));
            standing = standingOf(part.plan.name, state);
        }
        standing.open = part.status == Status::Held;
        standing.closed = part.closed;
        if (part.status == Status::Failed && part.error)
            standing.ended = "failed: " + part.error->message;
        standings.push_back(std::move(standing));
    }
    const HandOut out = handOut(budgetOf(m_plan.config), m_plan.lanes, round(), standings);
    if (!out.moves.empty()) {
        ExperimentPlan plan = m_plan;
        for (const HandOut::Move &move : out.moves)
            plan.moves.push_back({int(move.run), move.closes, move.event});
        ACCELOPT_CHECK(writeExperiment(m_folder, plan));
        m_plan = std::move(plan);
    }
    std::vector<bool> concerned(m_parts.size(), false);
    for (const HandOut::Move &move : out.moves) {
        m_parts[move.run].closed = m_parts[move.run].closed || move.closes;
        concerned[move.run] = true;
        emit budgetMoved(
            QString::fromStdString(fmt::format("budget, round {}: {}: {}", move.event.round,
                                               m_parts[move.run].plan.name, move.event.reason)));
    }
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        Part &part = m_parts[i];
        if (part.status == Status::Held) {
            // With nothing left for anybody, each winds up.
            part.closed = part.closed || out.moves.empty();
            part.status = Status::Waiting;
        } else if (part.status == Status::Done && concerned[i]) {
            part.status = Status::Waiting;
            settle(i);
        }
    }
    return true;
}

} // namespace accelopt::runner
