// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/run/SearchDriver.h"

#include "core/search/Fold.h"
#include "core/store/RunFile.h"

#include <QFile>

namespace accelopt::widgets {

namespace {

/// Why the run would ignore one of these events of a person's; empty when it takes them all.
std::string complaintAbout(search::State state, const std::vector<EventBody> &bodies)
{
    for (const EventBody &body : bodies) {
        const std::size_t before = state.complaints.size();
        search::apply(state, Event{state.lastSequence + 1, "human", 0, body});
        if (state.complaints.size() > before) {
            // The number of the event in front means nothing before it is written.
            const std::string &complaint = state.complaints.back();
            const std::size_t at = complaint.find(": ");
            return complaint.substr(at == std::string::npos ? 0 : at + 2);
        }
    }
    return {};
}

Result<void> refuseIgnored(const search::State &state, const std::vector<EventBody> &bodies)
{
    const std::string complaint = complaintAbout(state, bodies);
    if (complaint.empty())
        return {};
    return fail(ErrorCode::WrongUse, complaint, "nothing was changed");
}

/// Into a file that no search of ours writes.
Result<void> recordInto(const std::filesystem::path &path, const std::vector<EventBody> &bodies,
                        const std::vector<Text> &texts)
{
    auto file = store::RunFile::openForWriting(path);
    if (!file && file.error().code == ErrorCode::Busy)
        return fail(ErrorCode::Busy, file.error().message,
                    "only the process that writes a run may change it; wait for its end, or stop "
                    "it first");
    if (!file)
        return tl::unexpected(file.error());
    ACCELOPT_TRY(const std::vector<Event> before, file->eventsAfter(0));
    ACCELOPT_CHECK(refuseIgnored(search::fold(before), bodies));
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

    void resume(const std::filesystem::path &file, runner::Advance mode)
    {
        end();
        take(runner::SearchSession::resume(file, m_programFolder, 0), mode);
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
            done = refuseIgnored(m_session->runner().state(), bodies);
            if (done)
                done = m_session->runner().record(bodies, texts, "human");
        } else {
            done = recordInto(file, bodies, texts);
        }
        if (done)
            emit recorded(ticket);
        else
            emit notRecorded(ticket, QString::fromStdString(describe(done.error())));
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

private:
    void end()
    {
        if (!m_session)
            return;
        if (const auto done = m_session->close(); !done)
            emit blocked(QString::fromStdString(describe(done.error())));
        m_session.reset();
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
        m_watch.begin(runner->state());
        // Directly, before the runner begins what comes next.
        connect(runner, &runner::SearchRunner::appended, this, [this, runner] {
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

void SearchDriver::resume(const QString &file, runner::Advance mode)
{
    setStatus(Status::Running);
    QMetaObject::invokeMethod(m_worker,
                              [worker = m_worker, path = QFile::encodeName(file).toStdString(),
                               mode] { worker->resume(path, mode); });
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
