// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/jobs/JobModel.h"

#include "core/search/Calls.h"
#include "widgets/format/Formatting.h"
#include "widgets/run/RunDocument.h"

#include <QDateTime>
#include <QLocale>
#include <algorithm>

namespace accelopt::widgets {

namespace {

constexpr int kTickMs = 1000;
/// Waiting jobs that are listed one by one; the rest is counted.
constexpr int kMostWaiting = 20;

} // namespace

JobModel::JobModel(RunDocument *document, QObject *parent)
    : QAbstractTableModel(parent),
      m_document(document)
{
    connect(document, &RunDocument::updated, this, &JobModel::update);
    connect(document, &RunDocument::caughtUp, this, &JobModel::update);
    connect(document, &RunDocument::writerChanged, this, &JobModel::update);
    connect(document, &RunDocument::closed, this, &JobModel::reset);
    m_tick.setInterval(kTickMs);
    connect(&m_tick, &QTimer::timeout, this, [this] {
        if (!m_rows.empty())
            emit dataChanged(index(0, Since), index(rowCount() - 1, Since));
    });
}

int JobModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int JobModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(ColumnCount);
}

KernelId JobModel::kernelAt(int row) const
{
    return row >= 0 && row < int(m_rows.size()) ? m_rows[std::size_t(row)].kernel : KernelId();
}

int JobModel::count(Kind kind) const
{
    return int(std::count_if(m_rows.begin(), m_rows.end(),
                             [kind](const Row &row) { return row.kind == kind; }));
}

void JobModel::addFailures(const search::IterationRecord &iteration, std::vector<Row> &failed) const
{
    const auto add = [&](const QString &key, const QString &what, const std::string &why,
                         const KernelId &kernel) {
        failed.push_back({Kind::Failed, key, what, tr("failed"), formatting::text(why), kernel});
    };
    for (const search::PlanRecord &plan : iteration.plans) {
        const QString id = formatting::text(planId(plan.plan.slot).value);
        if (plan.status == search::PlanStatus::Failed)
            add(id, tr("Plan %1").arg(id), plan.failure, plan.plan.parent);
        for (std::size_t a = 0; a < plan.attempts.size(); ++a)
            if (plan.attempts[a].status == search::AttemptStatus::Failed)
                add(id + QStringLiteral(".a%1").arg(a), tr("Kernel for plan %1").arg(id),
                    plan.attempts[a].failure, plan.plan.parent);
    }
    for (std::size_t r = 0; r < iteration.curation.pairs.size(); ++r)
        if (const search::PairRecord &pair = iteration.curation.pairs[r];
            pair.status == search::PairStatus::Kept && !pair.reason.empty())
            add(QStringLiteral("i%1.m%2").arg(iteration.index).arg(r),
                tr("Lesson %1 of iteration %2").arg(r + 1).arg(iteration.index + 1), pair.reason,
                pair.fast);
}

std::vector<JobModel::Row> JobModel::rowsNow()
{
    const search::State &state = m_document->state();
    const bool written = m_document->writer().written;
    std::vector<Row> under;
    std::vector<Row> waiting;
    const auto add = [&](bool begun, const std::string &key, const QString &what,
                         const KernelId &kernel) {
        Row row;
        row.kind = begun && written ? Kind::UnderWay : Kind::Waiting;
        row.key = formatting::text(key);
        row.what = what;
        row.state =
            begun ? (written ? tr("under way") : tr("interrupted; asked again")) : tr("waits");
        row.kernel = kernel;
        (row.kind == Kind::UnderWay ? under : waiting).push_back(std::move(row));
    };
    const auto begun = [&](const CallId &call) { return state.callsInDoubt.contains(call); };
    for (const PlanSlot &slot : state.openPlans)
        add(begun(search::planCall(slot)), search::planCall(slot).value,
            tr("Plan %1 for candidate %2").arg(slot.plan + 1).arg(slot.candidate + 1),
            search::plan(state, slot)->plan.parent);
    for (const AttemptSlot &slot : state.openAttempts) {
        const int repair = int(search::attempt(state, slot)->turns.size());
        const CallId call = search::writeCall({slot, repair});
        add(begun(call), call.value,
            repair > 0 ? tr("Repair %1 of the kernel for “%2”")
                             .arg(repair)
                             .arg(formatting::text(search::plan(state, slot.plan)->plan.title))
                       : tr("Kernel for “%1”")
                             .arg(formatting::text(search::plan(state, slot.plan)->plan.title)),
            search::plan(state, slot.plan)->plan.parent);
    }
    // Who judges what is not in the log; as many as there are workers are under way, in this order.
    for (const auto &[turn, kernel] : state.openJudgements)
        add(true, search::judgeCall(kernel, JudgePurpose::Search).value,
            tr("Judging %1").arg(m_document->name(kernel)), kernel);
    if (state.phase == search::Phase::Baseline)
        add(true, "baseline", tr("Judging the baseline"), state.opened.baseline);
    for (const KernelId &kernel : state.openConfirmations)
        add(true, search::judgeCall(kernel, JudgePurpose::Confirmation).value,
            tr("Judging %1 a second time").arg(m_document->name(kernel)), kernel);
    for (const auto &[iteration, rank] : state.openPairs)
        add(begun(search::summaryCall(iteration, rank)), search::summaryCall(iteration, rank).value,
            tr("Lesson %1 of iteration %2").arg(rank + 1).arg(iteration + 1), {});
    // Of iterations that are over, only what is new is looked at: a long run costs no more.
    while (m_settled + 1 < state.iterations.size())
        addFailures(state.iterations[m_settled++], m_oldFailures);
    std::vector<Row> failed = m_oldFailures;
    if (!state.iterations.empty())
        addFailures(state.iterations.back(), failed);
    std::erase_if(failed, [this](const Row &row) { return m_read.contains(row.key); });
    if (int(waiting.size()) > kMostWaiting) {
        Row rest;
        rest.key = QStringLiteral("rest");
        rest.what = tr("and %1 more").arg(int(waiting.size()) - kMostWaiting);
        rest.state = tr("wait");
        waiting.resize(kMostWaiting);
        waiting.push_back(std::move(rest));
    }
    // The newest failure stands first, under what is going on.
    std::reverse(failed.begin(), failed.end());
    std::vector<Row> rows = std::move(under);
    rows.insert(rows.end(), failed.begin(), failed.end());
    rows.insert(rows.end(), waiting.begin(), waiting.end());
    return rows;
}

void JobModel::update()
{
    if (!m_document->loaded())
        return;
    std::vector<Row> rows = rowsNow();
    if (rows == m_rows)
        return;
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    std::map<QString, qint64> since;
    for (const Row &row : rows)
        if (row.kind == Kind::UnderWay) {
            const auto known = m_since.find(row.key);
            since.emplace(row.key, known == m_since.end() ? now : known->second);
        }
    m_since = std::move(since);
    // Few rows, most of them new each time: told as one.
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
    if (count(Kind::UnderWay) > 0)
        m_tick.start();
    else
        m_tick.stop();
}

void JobModel::reset()
{
    beginResetModel();
    m_rows.clear();
    m_since.clear();
    m_read.clear();
    m_oldFailures.clear();
    m_settled = 0;
    m_tick.stop();
    endResetModel();
}

void JobModel::markRead()
{
    for (const Row &row : m_rows)
        if (row.kind == Kind::Failed)
            m_read.insert(row.key);
    update();
}

QVariant JobModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Row &row = m_rows[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case What:
            return row.tip.isEmpty() ? row.what
                                     : QString(row.what + QStringLiteral(": ") + row.tip);
        case State: return row.state;
        case Since: {
            const auto it = m_since.find(row.key);
            if (it == m_since.end())
                return QString();
            const double seconds = double(QDateTime::currentMSecsSinceEpoch() - it->second) / 1000;
            return tr("%1 s").arg(QLocale().toString(seconds, 'f', 0));
        }
        default: return {};
        }
    case Qt::ToolTipRole: return row.tip.isEmpty() ? row.what : row.tip;
    case Qt::TextAlignmentRole:
        return int(Qt::AlignVCenter) |
               int(index.column() == Since ? Qt::AlignRight : Qt::AlignLeft);
    case KindRole: return int(row.kind);
    default: return {};
    }
}

QVariant JobModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case What: return tr("Job");
    case State: return tr("State");
    case Since: return tr("For");
    default: return {};
    }
}

} // namespace accelopt::widgets
