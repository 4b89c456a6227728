// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/report/RunFigures.h"
#include "widgets/run/RunIndex.h"

#include <QObject>
#include <QString>
#include <QThread>
#include <atomic>
#include <memory>
#include <vector>

namespace accelopt::widgets {

/// Who writes a run file at this moment.
struct WriterState
{
    bool written = false;
    qint64 pid = 0; ///< 0 when unknown
    QString host;
    bool operator==(const WriterState &) const = default;
};

/// Reads a run file in a thread of its own and hands its events over in batches, ten times a second
/// at most; goes on as long as the file is open, whoever writes it. Never changes the file.
class RunFollower : public QObject
{
    Q_OBJECT

public:
    explicit RunFollower(QObject *parent = nullptr);
    ~RunFollower() override;

    /// Follows this file from its first event, and no other any more.
    void open(const QString &file);
    void close();
    /// The text comes with textRead(); asked for twice it comes twice.
    void requestText(const TextId &id);

    /// The figures of everything written so far come with figuresRead().
    void requestFigures();

    /// Most events handed over at once, so that the window stays responsive while a long run loads.
    static constexpr std::size_t kBatch = 2000;

signals:
    void opened(const QString &notice);
    /// What stood in the file when it was opened, and before it how much of that is read (0 to 1).
    void loading(double share);
    void loaded(const std::shared_ptr<accelopt::widgets::RunIndex> &run);
    void eventsRead(const std::vector<accelopt::Event> &events);
    /// Everything that stood in the file has been handed over; said again after each later batch.
    void caughtUp();
    void writerChanged(const accelopt::widgets::WriterState &writer);
    void textRead(const accelopt::TextId &id, const std::string &text);
    void figuresRead(const std::shared_ptr<const accelopt::report::RunFigures> &figures);
    void failed(const QString &message);

private:
    class Worker;

    QThread m_thread;
    Worker *m_worker; ///< lives on the thread, and ends with it
    quint64 m_generation = 0;
    std::shared_ptr<std::atomic<quint64>> m_wanted; ///< generation; what is older stops reading
};

} // namespace accelopt::widgets
