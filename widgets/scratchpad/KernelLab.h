// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Profile.h"
#include "core/domain/Verdict.h"
#include "core/nki/machine/Timeline.h"

#include <QObject>
#include <QString>
#include <QThread>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace accelopt::widgets {

/// The most that lives in a memory at once, counted from the first to the last use of each tile as
/// the kernel issues its instructions.
struct Occupancy
{
    std::int64_t bytesPerPartition = 0;
    std::int64_t capacity = 0; ///< of a partition
    int line = 0;              ///< of the source, where most is live
};

/// What can be said of a kernel without computing a value.
struct LabReport
{
    Verdict verdict; ///< right means: it traces, keeps the rules and reads its inputs
    Profile profile; ///< when it is
    bool timed = false;
    Occupancy sbuf;
    Occupancy psum;
    nki::Timeline timeline; ///< when it traces
    std::string problem;    ///< why nothing can be said; for people
};

/// Looks at kernels in a thread of its own: parses (in the parser's process), traces, checks the
/// rules, and lays the run out in time. Nothing of a kernel's text is executed. Only the newest
/// question of each asker is answered.
class KernelLab : public QObject
{
    Q_OBJECT

public:
    /// `programFolder` is where tasks are looked for.
    explicit KernelLab(std::filesystem::path programFolder, QObject *parent = nullptr);
    ~KernelLab() override;

    /// reported() follows, unless another question comes first.
    void study(const std::string &source, const std::string &task, const std::string &shape,
               const std::string &device);
    /// What was asked and is not answered is not wanted any more.
    void forget();

signals:
    void reported(const std::shared_ptr<const accelopt::widgets::LabReport> &report);

private:
    class Worker;
    QThread m_thread;
    Worker *m_worker; ///< lives on the thread, and ends with it
    std::shared_ptr<std::atomic<quint64>> m_newest;
};

} // namespace accelopt::widgets
