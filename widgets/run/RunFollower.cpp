// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/run/RunFollower.h"

#include "core/store/RunReader.h"
#include "widgets/run/RunLoader.h"

#include <QFile>
#include <QTimer>
#include <optional>

namespace accelopt::widgets {

namespace {

constexpr int kPollMs = 100;
/// Asking who writes opens the lock file; once in so many polls is enough.
constexpr int kPollsPerWriterCheck = 5;

} // namespace

/// Everything that touches the file. Its signals carry the generation of the file they are about,
/// so that what is still under way when another file is opened is not taken for the new one's.
class RunFollower::Worker : public QObject
{
    Q_OBJECT

public:
    explicit Worker(std::shared_ptr<std::atomic<quint64>> wanted) : m_wanted(std::move(wanted)) {}

    void open(const QString &file, quint64 generation)
    {
        m_generation = generation;
        m_reader.reset();
        m_sequence = 0;
        m_polls = 0;
        m_writer = {};
        if (m_timer == nullptr) {
            m_timer = new QTimer(this);
            m_timer->setSingleShot(true);
            connect(m_timer, &QTimer::timeout, this, &Worker::poll);
        }
        if (file.isEmpty()) {
            m_timer->stop();
            return;
        }
        auto reader = store::RunReader::openForReading(QFile::encodeName(file).toStdString());
        if (!reader) {
            giveUp(reader.error());
            return;
        }
        m_reader.emplace(std::move(*reader));
        emit opened(QString::fromStdString(m_reader->notice()), m_generation);
        checkWriter();
        load();
    }

    void text(const TextId &id)
    {
        if (!m_reader)
            return;
        const auto bytes = m_reader->text(id);
        if (bytes)
            emit textRead(id, *bytes, m_generation);
        else
            emit failed(QString::fromStdString(describe(bytes.error())), m_generation);
    }

    void figures()
    {
        if (!m_reader)
            return;
        // A run that has not begun has none; that is no failure.
        if (auto figures = report::readFigures(*m_reader))
            emit figuresRead(std::make_shared<const report::RunFigures>(std::move(*figures)),
                             m_generation);
    }

signals:
    void figuresRead(const std::shared_ptr<const accelopt::report::RunFigures> &figures,
                     quint64 generation);
    void opened(const QString &notice, quint64 generation);
    void loading(double share, quint64 generation);
    void loaded(const std::shared_ptr<accelopt::widgets::RunIndex> &run, quint64 generation);
    void eventsRead(const std::vector<accelopt::Event> &events, quint64 generation);
    void caughtUp(quint64 generation);
    void writerChanged(const accelopt::widgets::WriterState &writer, quint64 generation);
    void textRead(const accelopt::TextId &id, const std::string &text, quint64 generation);
    void failed(const QString &message, quint64 generation);

private:
    void load()
    {
        // Seen before it is read: what is written meanwhile counts as a change.
        if (const auto changed = m_reader->changed(); !changed) {
            giveUp(changed.error());
            return;
        }
        auto run = loadRun(*m_reader, [this](double share) {
            emit loading(share, m_generation);
            return *m_wanted == m_generation;
        });
        if (!run) {
            giveUp(run.error());
            return;
        }
        if (*run == nullptr)
            return; // another file is to be opened
        m_sequence = (*run)->state.lastSequence;
        emit loaded(*run, m_generation);
        run->reset(); // whoever takes it owns it alone
        emit caughtUp(m_generation);
        m_timer->start(0);
    }

    void poll()
    {
        if (!m_reader)
            return;
        if (m_polls++ % kPollsPerWriterCheck == 0)
            checkWriter();
        int wait = kPollMs;
        const auto changed = m_reader->changed();
        if (!changed) {
            giveUp(changed.error());
            return;
        }
        if (*changed || m_more) {
            const auto events = m_reader->eventsAfter(m_sequence, kBatch);
            if (!events) {
                giveUp(events.error());
                return;
            }
            m_more = events->size() == kBatch;
            if (!events->empty()) {
                m_sequence = events->back().sequence;
                emit eventsRead(*events, m_generation);
            }
            if (m_more)
                wait = 10;
            else
                emit caughtUp(m_generation);
        }
        m_timer->start(wait);
    }

    void checkWriter()
    {
        WriterState writer;
        if (const auto holder = m_reader->writer())
            writer = {true, holder->pid, QString::fromStdString(holder->host)};
        if (writer == m_writer)
            return;
        m_writer = writer;
        emit writerChanged(writer, m_generation);
    }

    void giveUp(const Error &error)
    {
        m_reader.reset();
        emit failed(QString::fromStdString(describe(error)), m_generation);
    }

    std::shared_ptr<std::atomic<quint64>> m_wanted;
    std::optional<store::RunReader> m_reader;
    QTimer *m_timer = nullptr;
    std::int64_t m_sequence = 0;
    int m_polls = 0;
    bool m_more = false;
    WriterState m_writer;
    quint64 m_generation = 0;
};

RunFollower::RunFollower(QObject *parent)
    : QObject(parent),
      m_wanted(std::make_shared<std::atomic<quint64>>(0))
{
    m_worker = new Worker(m_wanted);
    m_thread.setObjectName(QStringLiteral("run-reader"));
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    const auto current = [this](quint64 generation) { return generation == m_generation; };
    connect(m_worker, &Worker::opened, this, [=, this](const QString &notice, quint64 generation) {
        if (current(generation))
            emit opened(notice);
    });
    connect(m_worker, &Worker::loading, this, [=, this](double share, quint64 generation) {
        if (current(generation))
            emit loading(share);
    });
    connect(m_worker, &Worker::loaded, this,
            [=, this](const std::shared_ptr<RunIndex> &run, quint64 generation) {
                if (current(generation))
                    emit loaded(run);
            });
    connect(m_worker, &Worker::eventsRead, this,
            [=, this](const std::vector<Event> &events, quint64 generation) {
                if (current(generation))
                    emit eventsRead(events);
            });
    connect(m_worker, &Worker::caughtUp, this, [=, this](quint64 generation) {
        if (current(generation))
            emit caughtUp();
    });
    connect(m_worker, &Worker::writerChanged, this,
            [=, this](const WriterState &writer, quint64 generation) {
                if (current(generation))
                    emit writerChanged(writer);
            });
    connect(m_worker, &Worker::textRead, this,
            [=, this](const TextId &id, const std::string &text, quint64 generation) {
                if (current(generation))
                    emit textRead(id, text);
            });
    connect(m_worker, &Worker::failed, this, [=, this](const QString &message, quint64 generation) {
        if (current(generation))
            emit failed(message);
    });
    connect(
        m_worker, &Worker::figuresRead, this,
        [=, this](const std::shared_ptr<const report::RunFigures> &figures, quint64 generation) {
            if (current(generation))
                emit figuresRead(figures);
        });
    m_thread.start();
}

RunFollower::~RunFollower()
{
    ++*m_wanted; // what is being read is not wanted any more
    m_thread.quit();
    m_thread.wait();
}

void RunFollower::open(const QString &file)
{
    *m_wanted = ++m_generation;
    QMetaObject::invokeMethod(m_worker, [worker = m_worker, file, generation = m_generation] {
        worker->open(file, generation);
    });
}

void RunFollower::close()
{
    open({});
}

void RunFollower::requestFigures()
{
    QMetaObject::invokeMethod(m_worker, [worker = m_worker] { worker->figures(); });
}

void RunFollower::requestText(const TextId &id)
{
    QMetaObject::invokeMethod(m_worker, [worker = m_worker, id] { worker->text(id); });
}

} // namespace accelopt::widgets

#include "RunFollower.moc"
