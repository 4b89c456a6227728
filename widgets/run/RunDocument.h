// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/State.h"
#include "widgets/run/RunFollower.h"
#include "widgets/run/RunIndex.h"

#include <QObject>
#include <QString>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace accelopt::widgets {

/// The run that the window shows: the state folded from the events of its file, and the texts it
/// names. The window learns everything about a run from here, its own searches included.
class RunDocument : public QObject
{
    Q_OBJECT

public:
    explicit RunDocument(QObject *parent = nullptr);

    void open(const QString &file);
    void close();

    bool isOpen() const { return !m_file.isEmpty(); }
    const QString &file() const { return m_file; }
    const search::State &state() const { return m_run.state; }
    const WriterState &writer() const { return m_writer; }
    /// True when everything that stood in the file when it was opened is in the state.
    bool loaded() const { return m_loaded; }
    /// Unix seconds of the first and of the last event; 0 before there are any.
    double firstSeconds() const { return m_run.firstSeconds; }
    double lastSeconds() const { return m_run.lastSeconds; }
    /// How much of what stood in the file when it was opened is read, 0 to 1.
    double loadedShare() const { return m_loadedShare; }

    /// Kernels in the order in which the log first names them, the baseline first. Their places are
    /// the numbers people know them by.
    const std::vector<KernelId> &kernels() const { return m_run.kernels; }
    /// While updated() is said: the kernels that changed, each once. What changes with the baseline
    /// (every speedup) is not named.
    const std::vector<KernelId> &changedKernels() const { return m_changed; }
    /// -1 for a kernel that the run does not have.
    int number(const KernelId &id) const;
    /// "k12", "baseline"
    QString name(const KernelId &id) const;
    /// A kernel by what people call it: "12", "k12", "baseline", "best", or the first digits (six
    /// or more) of its hash. Empty when there is none, or more than one.
    KernelId find(const QString &name) const;
    /// What the kernel is compared with when nothing else was chosen: its parent; the baseline for
    /// want of one; empty for the baseline itself.
    KernelId parentOf(const KernelId &id) const;
    /// From the baseline to this kernel.
    std::vector<KernelId> pathTo(const KernelId &id) const;

    /// The text if it is here already; else it is read and textReady() follows.
    std::optional<std::string> text(const TextId &id);
    bool waitsForTexts() const { return !m_requested.empty(); }

    /// The figures of the run as they were last asked for; nullptr before.
    const std::shared_ptr<const report::RunFigures> &figures() const { return m_figures; }
    /// They are worked out elsewhere, and figuresReady() follows.
    void requestFigures() { m_follower.requestFigures(); }

signals:
    void figuresReady();
    void opened();
    void closed();
    void loadingChanged();
    /// The state changed; ten times a second at most.
    void updated();
    void caughtUp();
    void writerChanged();
    void textReady(const accelopt::TextId &id);
    /// Something a person should read about the open file.
    void noticed(const QString &sentence);
    /// The file cannot be read (any more). What was read stays.
    void failed(const QString &sentence);

private:
    void onEvents(const std::vector<Event> &events);
    void reset();

    RunFollower m_follower;
    QString m_file;
    RunIndex m_run;
    double m_loadedShare = 0;
    WriterState m_writer;
    bool m_loaded = false;
    std::vector<KernelId> m_changed;
    std::map<TextId, std::string> m_texts;
    std::set<TextId> m_requested;
    std::shared_ptr<const report::RunFigures> m_figures;
};

} // namespace accelopt::widgets
