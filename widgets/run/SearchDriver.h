// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/runner/SearchSession.h"
#include "widgets/run/BreakWatch.h"

#include <QObject>
#include <QString>
#include <QThread>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace accelopt::widgets {

/// A search of this window's own. It runs in the job-runner thread; everything here returns at
/// once, and what came of it is told by signals. The window sees the results in the run file, as it
/// sees anybody's.
class SearchDriver : public QObject
{
    Q_OBJECT

public:
    /// `programFolder` is where tasks and the simulator worker are looked for.
    explicit SearchDriver(std::filesystem::path programFolder, QObject *parent = nullptr);
    /// Gives up what is under way (it is asked again by whoever resumes the run) and waits for the
    /// thread.
    ~SearchDriver() override;

    enum class Status {
        None, ///< no search of ours
        Running,
        Pausing, ///< what is under way ends, nothing new begins
        Paused,
        Waiting, ///< for a person
        Blocked, ///< a service or the disk failed
        Finished,
    };
    Status status() const { return m_status; }
    /// True while there is a search that could go on.
    bool active() const;
    /// Something is going on, or could come back.
    bool busy() const;

    void start(const runner::RunRequest &request, runner::Advance mode);
    /// Goes on with a run that nobody drives; also with one that a person had stopped, and with a
    /// finished one when another configuration gives it room.
    void resume(const QString &file, runner::Advance mode,
                const std::optional<RunConfig> &config = std::nullopt);
    void advance(runner::Advance mode);
    void decide(const PersonDecided &decision);
    /// Writes events of a person's into a run, all or none: through the own search when it is of
    /// this run, else into the file, which then nobody else may be writing. What the run would
    /// ignore is refused. recorded() or notRecorded() follows with the same ticket.
    void record(const QString &file, const std::vector<EventBody> &bodies,
                const std::vector<Text> &texts, quint64 ticket);
    /// A kernel of a person's made from this one takes the place of a plan as soon as the own
    /// search has room for it; kernelPlaced() follows. Forgotten when the search ends before.
    void queueKernel(const KernelId &from, const std::string &title, const std::string &source);

    /// How the process is that drives a run which is not ours.
    struct OtherDriver
    {
        bool reachable = false; ///< it takes orders from here
        runner::Advance mode = runner::Advance::Pause;
        int inFlight = 0;
        bool operator==(const OtherDriver &) const = default;
    };
    /// Looks at that process once a second; an empty name: not any more.
    void watchOtherDriver(const QString &file);
    const OtherDriver &otherDriver() const { return m_other; }
    /// Asks it to go on, step or pause, after it has written these events of a person's.
    /// recorded() or notRecorded() follows with the ticket 0.
    void steerOther(const QString &file, runner::Advance mode,
                    const std::vector<EventBody> &bodies = {});
    /// Where the own searches halt by themselves, from now on.
    void setBreakPoints(const std::set<BreakPoint> &points);
    const std::set<BreakPoint> &breakPoints() const { return m_breakPoints; }
    /// Ends the search without waiting for what is under way and gives the file back; closed()
    /// follows, also when there is no search.
    void close();

signals:
    void statusChanged();
    /// The run file is there and can be followed.
    void fileMade(const QString &file, const QString &notice);
    /// The search could not be prepared.
    void refused(const QString &message, int exitStatus);
    void progress(const QString &text);
    /// What a person should know or do: a host's or a model's notice.
    void told(const QString &text);
    void kernelPlaced(const QString &title);
    void otherDriverChanged();
    void blocked(const QString &message);
    void finished(const QString &reason);
    void recorded(quint64 ticket);
    void notRecorded(quint64 ticket, const QString &message);
    /// A break point was reached; paused follows once what is under way has ended.
    void halted(const QString &why);
    void closed();

private:
    class Worker;
    void setStatus(Status status);

    QThread m_thread;
    Worker *m_worker; ///< lives on the thread, and ends with it
    Status m_status = Status::None;
    OtherDriver m_other;
    bool m_watching = false;
    std::set<BreakPoint> m_breakPoints;
};

} // namespace accelopt::widgets
