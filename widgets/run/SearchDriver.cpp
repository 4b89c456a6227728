// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/run/SearchDriver.h"

#include "core/runner/PersonsEvents.h"
#include "core/runner/Steering.h"
#include "core/search/Fold.h"
#include "core/store/RunFile.h"
#include "widgets/run/Steering.h"

#include <QFile>
#include <QTimer>
#include <deque>

namespace accelopt::widgets {

namespace {

constexpr int kLookAtDriverMs = 1000;

/// Into a file that no search of ours writes.
Result<void> recordInto(const std::filesystem::path &path, const std::vector<EventBody> &bodies,
                        const std::vector<Text> &texts)
{
    auto file = store::RunFile::openForWriting(path);
    if (!file)
        return tl::unexpected(file.error());
    ACCELOPT_TRY(const std::vector<Event> before, file->eventsAfter(0));
    ACCELOPT_CHECK(runner::refuseIgnored(search::fold(before), bodies));
    std::vector<Event> events;
    for (const EventBody &body : bodies)
        events.push_back({0, "human", 0, body});
    ACCELOPT_CHECK(file->append(events, texts));
    return file->close();
}

} // namespace

/// Owns the session on its thread.
class SearchDriver::Worker : public QObject
{
    Q_OBJECT

public:
    explicit Worker(std::filesystem::path programFolder) : m_programFolder(std::move(programFolder))
    {}

    void start(const runner::RunRequest &request, runner::Advance mode)
    {
        end();
        take(runner::SearchSession::create(request, m_programFolder), mode);
    }

    void resume(const std::filesystem::path &file, runner::Advance mode,
                const std::optional<RunConfig> &config)
    {
        end();
        auto session = runner::SearchSession::resume(file, m_programFolder, 0);
        if (session)
            if (const auto taken =
                    (*session)->takeUp(config ? *config : (*session)->runner().state().config);
                !taken) {
                session = tl::unexpected(taken.error());
            }
        if (session && (*session)->runner().finished()) {
            const std::string reason = (*session)->runner().state().finishedReason;
            session = fail(ErrorCode::WrongUse, "the run is finished: " + reason,
                           "go on with more iterations, or a larger budget");
        }
        take(std::move(session), mode);
    }

    void advance(runner::Advance mode)
    {
        if (m_session)
            m_session->runner().advance(mode);
    }

    void decide(const PersonDecided &decision)
    {
        if (m_session)
            m_session->runner().decide(decision);
    }

    void record(const std::filesystem::path &file, const std::vector<EventBody> &bodies,
                const std::vector<Text> &texts, quint64 ticket)
    {
        Result<void> done;
        if (m_session && m_session->file() == file) {
            done = runner::refuseIgnored(m_session->runner().state(), bodies);
            if (done)
                done = m_session->runner().record(bodies, texts, "human");
        } else {
            done = recordInto(file, bodies, texts);
            if (!done && done.error().code == ErrorCode::Busy) {
                // Whoever writes the run is asked to write this too.
                order(file, {std::nullopt, bodies, texts}, ticket);
                return;
            }
        }
        tell(done, ticket);
    }

    /// Places the kernel as soon as the run has room for it.
    void queueKernel(const KernelId &from, const std::string &title, const std::string &source)
    {
        m_queued.push_back({from, title, source});
        placeQueued();
    }

    /// Asks again and again how the process is that writes this file; no file: nobody is asked.
    void watch(const std::filesystem::path &file)
    {
        m_watched = file;
        if (m_look == nullptr) {
            m_look = new QTimer(this);
            m_look->setInterval(kLookAtDriverMs);
            connect(m_look, &QTimer::timeout, this, &Worker::look);
        }
        if (file.empty()) {
            m_look->stop();
            return;
        }
        m_look->start();
        look();
    }

    void steer(const std::filesystem::path &file, runner::Advance mode,
               const std::vector<EventBody> &bodies)
    {
        order(file, {mode, bodies, {}}, 0);
    }

    void setBreakPoints(const std::set<BreakPoint> &points)
    {
        m_watch.setPoints(points);
        if (m_session)
            m_watch.begin(m_session->runner().state());
    }

    void close()
    {
        end();
        emit closed();
    }

signals:
    void fileMade(const QString &file, const QString &notice);
    void refused(const QString &message, int exitStatus);
    void progress(const QString &text);
    void paused();
    void waiting(const QString &reason);
    void blocked(const QString &message);
    void finished(const QString &reason);
    void closed();
    void recorded(quint64 ticket);
    void notRecorded(quint64 ticket, const QString &message);
    void halted(const QString &why);
    void told(const QString &text);
    void kernelPlaced(const QString &title);
    void driverSeen(bool reachable, accelopt::runner::Advance mode, int inFlight);

private:
    struct Queued
    {
        KernelId from;
        std::string title;
        std::string source;
    };

    void tell(const Result<void> &done, quint64 ticket)
    {
        if (done)
            emit recorded(ticket);
        else
            emit notRecorded(ticket, QString::fromStdString(describe(done.error())));
    }

    void order(const std::filesystem::path &file, const runner::SteerOrder &wanted, quint64 ticket)
    {
        client()->send(file, wanted,
                       [this, file, ticket](const Result<runner::SteerReport> &report) {
                           tell(report ? Result<void>() : tl::unexpected(report.error()), ticket);
                           if (report && file == m_watched)
                               emit driverSeen(true, report->mode, report->inFlight);
                       });
    }

    void look()
    {
        client()->send(m_watched, {},
                       [this, file = m_watched](const Result<runner::SteerReport> &report) {
                           if (file != m_watched)
                               return;
                           if (report)
                               emit driverSeen(true, report->mode, report->inFlight);
                           else
                               emit driverSeen(false, runner::Advance::Pause, 0);
                       });
    }

    runner::SteerClient *client()
    {
        if (m_client == nullptr)
            m_client = new runner::SteerClient(this);
        return m_client;
    }

    void placeQueued()
    {
        while (m_session && !m_queued.empty()) {
            runner::SearchRunner &runner = m_session->runner();
            const Queued &next = m_queued.front();
            const auto answer = personsKernel(runner.state(), next.from, next.title, next.source);
            if (!answer)
                return; // there is no room yet
            const QString title = QString::fromStdString(next.title);
            m_queued.pop_front();
            if (const auto done = runner.record(answer->bodies, answer->texts, "human"); !done)
                emit blocked(QString::fromStdString(describe(done.error())));
            else
                emit kernelPlaced(title);
        }
    }

    void end()
    {
        if (!m_session)
            return;
        if (const auto done = m_session->close(); !done)
            emit blocked(QString::fromStdString(describe(done.error())));
        m_server.reset();
        m_session.reset();
        m_queued.clear();
    }

    void take(Result<std::unique_ptr<runner::SearchSession>> session, runner::Advance mode)
    {
        if (!session) {
            emit refused(QString::fromStdString(describe(session.error())),
                         exitStatus(session.error().code));
            return;
        }
        m_session = std::move(*session);
        runner::SearchRunner *runner = &m_session->runner();
        connect(m_session.get(), &runner::SearchSession::progress, this, &Worker::progress);
        connect(m_session.get(), &runner::SearchSession::told, this, &Worker::told);
        // Other windows, and the terminal, may take a hand in it.
        m_server = std::make_unique<runner::SteerServer>(runner, m_session->file());
        m_watch.begin(runner->state());
        // Directly, before the runner begins what comes next.
        connect(runner, &runner::SearchRunner::appended, this, [this, runner] {
            placeQueued();
            const QString why = m_watch.look(runner->state());
            if (why.isEmpty() || runner->mode() == runner::Advance::Pause)
                return;
            runner->advance(runner::Advance::Pause);
            emit halted(why);
        });
        connect(runner, &runner::SearchRunner::paused, this, &Worker::paused);
        connect(runner, &runner::SearchRunner::waiting, this, &Worker::waiting);
        connect(runner, &runner::SearchRunner::blocked, this,
                [this](const QString &message, int) { emit blocked(message); });
        connect(runner, &runner::SearchRunner::finishedRun, this, [this](const QString &reason) {
            emit finished(reason);
            // Later: the session must not end within its own signal.
            QMetaObject::invokeMethod(
                this,
                [this, session = m_session.get()] {
                    if (m_session.get() == session)
                        close();
                },
                Qt::QueuedConnection);
        });
        emit fileMade(QFile::decodeName(m_session->file().c_str()),
                      QString::fromStdString(m_session->notice()));
        runner->advance(mode);
    }

    std::filesystem::path m_programFolder;
    std::unique_ptr<runner::SearchSession> m_session;
    std::unique_ptr<runner::SteerServer> m_server; ///< of the session's run
    runner::SteerClient *m_client = nullptr;
    QTimer *m_look = nullptr;
    std::filesystem::path m_watched;
    std::deque<Queued> m_queued; ///< kernels of a person's that wait for room
    BreakWatch m_watch;
};

SearchDriver::SearchDriver(std::filesystem::path programFolder, QObject *parent)
    : QObject(parent),
      m_worker(new Worker(std::move(programFolder)))
{
    m_thread.setObjectName(QStringLiteral("job-runner"));
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    connect(m_worker, &Worker::fileMade, this, &SearchDriver::fileMade);
    connect(m_worker, &Worker::progress, this, &SearchDriver::progress);
    connect(m_worker, &Worker::told, this, &SearchDriver::told);
    connect(m_worker, &Worker::kernelPlaced, this, &SearchDriver::kernelPlaced);
    connect(m_worker, &Worker::driverSeen, this,
            [this](bool reachable, runner::Advance mode, int inFlight) {
                const OtherDriver seen{reachable, mode, inFlight};
                if (!m_watching || seen == m_other)
                    return;
                m_other = seen;
                emit otherDriverChanged();
            });
    connect(m_worker, &Worker::refused, this, [this](const QString &message, int status) {
        setStatus(Status::None);
        emit refused(message, status);
    });
    connect(m_worker, &Worker::paused, this, [this] { setStatus(Status::Paused); });
    connect(m_worker, &Worker::waiting, this, [this](const QString &reason) {
        setStatus(Status::Waiting);
        emit blocked(reason);
    });
    connect(m_worker, &Worker::blocked, this, [this](const QString &message) {
        setStatus(Status::Blocked);
        emit blocked(message);
    });
    connect(m_worker, &Worker::finished, this, [this](const QString &reason) {
        setStatus(Status::Finished);
        emit finished(reason);
    });
    connect(m_worker, &Worker::recorded, this, &SearchDriver::recorded);
    connect(m_worker, &Worker::notRecorded, this, &SearchDriver::notRecorded);
    connect(m_worker, &Worker::halted, this, [this](const QString &why) {
        if (m_status == Status::Running)
            setStatus(Status::Pausing);
        emit halted(why);
    });
    connect(m_worker, &Worker::closed, this, [this] {
        if (m_status != Status::Finished)
            setStatus(Status::None);
        emit closed();
    });
    m_thread.start();
}

SearchDriver::~SearchDriver()
{
    // The session belongs to the thread and ends on it, before the thread does.
    QMetaObject::invokeMethod(m_worker, [worker = m_worker] {
        worker->close();
        QThread::currentThread()->quit();
    });
    m_thread.wait();
}

bool SearchDriver::active() const
{
    return m_status != Status::None && m_status != Status::Finished;
}

bool SearchDriver::busy() const
{
    return m_status == Status::Running || m_status == Status::Pausing;
}

void SearchDriver::setStatus(Status status)
{
    if (m_status == status)
        return;
    m_status = status;
    emit statusChanged();
}

void SearchDriver::start(const runner::RunRequest &request, runner::Advance mode)
{
    setStatus(mode == runner::Advance::Pause ? Status::Pausing : Status::Running);
    QMetaObject::invokeMethod(m_worker,
                              [worker = m_worker, request, mode] { worker->start(request, mode); });
}

void SearchDriver::resume(const QString &file, runner::Advance mode,
                          const std::optional<RunConfig> &config)
{
    setStatus(Status::Running);
    QMetaObject::invokeMethod(m_worker,
                              [worker = m_worker, path = QFile::encodeName(file).toStdString(),
                               mode, config] { worker->resume(path, mode, config); });
}

void SearchDriver::watchOtherDriver(const QString &file)
{
    m_watching = !file.isEmpty();
    m_other = {};
    QMetaObject::invokeMethod(
        m_worker,
        [worker = m_worker, path = QFile::encodeName(file).toStdString()] { worker->watch(path); });
    emit otherDriverChanged();
}

void SearchDriver::steerOther(const QString &file, runner::Advance mode,
                              const std::vector<EventBody> &bodies)
{
    QMetaObject::invokeMethod(m_worker,
                              [worker = m_worker, path = QFile::encodeName(file).toStdString(),
                               mode, bodies] { worker->steer(path, mode, bodies); });
}

void SearchDriver::queueKernel(const KernelId &from, const std::string &title,
                               const std::string &source)
{
    QMetaObject::invokeMethod(m_worker, [worker = m_worker, from, title, source] {
        worker->queueKernel(from, title, source);
    });
}

void SearchDriver::advance(runner::Advance mode)
{
    if (!active())
        return;
    setStatus(mode == runner::Advance::Pause ? Status::Pausing : Status::Running);
    QMetaObject::invokeMethod(m_worker, [worker = m_worker, mode] { worker->advance(mode); });
}

void SearchDriver::decide(const PersonDecided &decision)
{
    QMetaObject::invokeMethod(m_worker,
                              [worker = m_worker, decision] { worker->decide(decision); });
}

void SearchDriver::record(const QString &file, const std::vector<EventBody> &bodies,
                          const std::vector<Text> &texts, quint64 ticket)
{
    QMetaObject::invokeMethod(
        m_worker, [worker = m_worker, path = QFile::encodeName(file).toStdString(), bodies, texts,
                   ticket] { worker->record(path, bodies, texts, ticket); });
}

void SearchDriver::setBreakPoints(const std::set<BreakPoint> &points)
{
    m_breakPoints = points;
    QMetaObject::invokeMethod(m_worker,
                              [worker = m_worker, points] { worker->setBreakPoints(points); });
}

void SearchDriver::close()
{
    QMetaObject::invokeMethod(m_worker, [worker = m_worker] { worker->close(); });
}

} // namespace accelopt::widgets

#include "SearchDriver.moc"
