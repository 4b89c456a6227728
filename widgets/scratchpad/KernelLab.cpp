// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scratchpad/KernelLab.h"

#include "core/bench/TaskCatalogue.h"
#include "core/nki/machine/MachineTable.h"
#include "core/nki/syntax/SyntaxHelper.h"
#include "core/oracle/Judge.h"
#include "core/oracle/LayoutTrial.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace accelopt::widgets {

namespace {

/// A kernel that is being typed may loop for ever; a tenth of what judging allows is plenty.
constexpr nki::TraceLimits kLabLimits{.instructions = 1'000'000, .steps = 20'000'000};

Occupancy occupancyOf(const nki::Program &program, nki::Memory memory, std::int64_t capacity)
{
    Occupancy most;
    most.capacity = capacity;
    const auto count = program.instructions.size();
    std::vector<std::int32_t> first(program.storages.size(), -1);
    std::vector<std::int32_t> last(program.storages.size(), -1);
    for (std::size_t i = 0; i < count; ++i) {
        const nki::Instruction &instruction = program.instructions[i];
        for (const auto &operands : {program.outputsOf(instruction), program.inputsOf(instruction)})
            for (const nki::Operand &operand : operands) {
                const auto at = std::size_t(operand.storage);
                if (first[at] < 0)
                    first[at] = std::int32_t(i);
                last[at] = std::int32_t(i);
            }
    }
    std::vector<std::int64_t> change(count + 1, 0);
    for (std::size_t s = 0; s < program.storages.size(); ++s) {
        const nki::Storage &storage = program.storages[s];
        if (storage.memory != memory || first[s] < 0)
            continue;
        change[std::size_t(first[s])] += storage.bytesPerPartition();
        change[std::size_t(last[s]) + 1] -= storage.bytesPerPartition();
    }
    std::int64_t live = 0;
    for (std::size_t i = 0; i < count; ++i) {
        live += change[i];
        if (live > most.bytesPerPartition) {
            most.bytesPerPartition = live;
            most.line = program.placeOf(program.instructions[i]).line;
        }
    }
    return most;
}

} // namespace

class KernelLab::Worker : public QObject
{
    Q_OBJECT

public:
    Worker(std::filesystem::path programFolder, std::shared_ptr<std::atomic<quint64>> newest)
        : m_programFolder(std::move(programFolder)),
          m_newest(std::move(newest))
    {}

    void study(const std::string &source, const std::string &task, const std::string &shape,
               const std::string &device, quint64 ticket)
    {
        if (ticket != *m_newest)
            return;
        auto report = std::make_shared<LabReport>();
        if (const Result<void> done = look(*report, source, task, shape, device); !done)
            report->problem = describe(done.error());
        if (ticket == *m_newest)
            emit reported(report, ticket);
    }

signals:
    void reported(const std::shared_ptr<const accelopt::widgets::LabReport> &report,
                  quint64 ticket);

private:
    Result<void> look(LabReport &report, const std::string &source, const std::string &task,
                      const std::string &shape, const std::string &device)
    {
        if (!m_task || m_task->name != task || m_shape != shape) {
            ACCELOPT_TRY(m_task, bench::TaskCatalogue::standard(m_programFolder).load(task, shape));
            m_shape = shape;
        }
        if (!m_machine || m_machine->device() != device) {
            ACCELOPT_TRY(m_machine, nki::Machine::load(device));
        }
        oracle::JudgeInput input;
        input.source = source;
        input.task = *m_task;
        input.device = device;
        input.check = oracle::NumberCheck::None;
        input.lines = oracle::LineCosts::Include;
        input.limits = kLabLimits;
        ACCELOPT_TRY(oracle::Judgement judgement, m_judge.judge(input));
        report.verdict = std::move(judgement.verdict);
        report.profile = std::move(judgement.profile);
        report.timed = report.profile.latencyMs > 0;
        ACCELOPT_TRY(const nki::Parsed parsed, m_helper.parse(source));
        if (!parsed)
            return {};
        ACCELOPT_TRY(const auto traced,
                     oracle::traceWithLayouts(*parsed, *m_task, device, kLabLimits));
        if (!traced)
            return {};
        const nki::MachineTable &table = m_machine->table();
        report.sbuf = occupancyOf(traced->program, nki::Memory::Sbuf, table.sbufBytesPerPartition);
        report.psum = occupancyOf(traced->program, nki::Memory::Psum, table.psumBytesPerPartition);
        report.timeline = nki::timelineOf(traced->program, *m_machine);
        return {};
    }

    std::filesystem::path m_programFolder;
    std::shared_ptr<std::atomic<quint64>> m_newest;
    nki::SyntaxHelper m_helper;
    oracle::Judge m_judge{m_helper};
    std::optional<Task> m_task;
    std::string m_shape;
    std::optional<nki::Machine> m_machine;
};

KernelLab::KernelLab(std::filesystem::path programFolder, QObject *parent)
    : QObject(parent),
      m_newest(std::make_shared<std::atomic<quint64>>(0))
{
    m_worker = new Worker(std::move(programFolder), m_newest);
    m_thread.setObjectName(QStringLiteral("kernel-lab"));
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    connect(m_worker, &Worker::reported, this,
            [this](const std::shared_ptr<const LabReport> &report, quint64 ticket) {
                if (ticket == *m_newest)
                    emit reported(report);
            });
}

KernelLab::~KernelLab()
{
    forget();
    if (m_thread.isRunning()) {
        m_thread.quit();
        m_thread.wait();
    } else {
        delete m_worker;
    }
}

void KernelLab::forget()
{
    ++*m_newest;
}

void KernelLab::study(const std::string &source, const std::string &task, const std::string &shape,
                      const std::string &device)
{
    if (!m_thread.isRunning())
        m_thread.start(); // a window that shows no kernel needs no lab
    const quint64 ticket = ++*m_newest;
    QMetaObject::invokeMethod(m_worker, [worker = m_worker, source, task, shape, device, ticket] {
        worker->study(source, task, shape, device, ticket);
    });
}

} // namespace accelopt::widgets

#include "KernelLab.moc"
