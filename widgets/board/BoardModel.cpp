// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/board/BoardModel.h"

#include "core/store/RunReader.h"
#include "widgets/format/Formatting.h"
#include "widgets/run/RunLoader.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QThreadPool>
#include <algorithm>
#include <cmath>

namespace accelopt::widgets {

namespace {

constexpr int kLookAtRunsMs = 2000;
constexpr int kMostRuns = 200;

} // namespace

BoardEntry boardEntry(const std::filesystem::path &file)
{
    BoardEntry entry;
    entry.file = file.string();
    auto reader = store::RunReader::openForReading(file);
    if (!reader) {
        entry.problem = describe(reader.error());
        return entry;
    }
    entry.written = reader->writer().has_value();
    const auto run = loadRun(*reader, [](double) { return true; });
    if (!run || *run == nullptr) {
        entry.problem = run ? std::string() : describe(run.error());
        return entry;
    }
    const search::State &state = (*run)->state;
    entry.task = state.opened.task;
    entry.iterations = int(state.iterations.size());
    entry.planned = state.config.iterations;
    entry.tried = state.counts.written;
    if (state.phase == search::Phase::Finished)
        entry.phase = state.finishedReason;
    if (const search::KernelRecord *best = search::kernel(state, state.best);
        best != nullptr && best->rankable) {
        entry.bestMs = best->profile.latencyMs;
        entry.bestSpeedup = search::speedupOverBaseline(state, state.best);
    }
    entry.speedups.push_back(1);
    for (const search::IterationRecord &iteration : state.iterations)
        if (const double speedup = search::speedupOverBaseline(state, iteration.best); speedup > 0)
            entry.speedups.push_back(speedup);
    return entry;
}

BoardModel::BoardModel(QObject *parent)
    : QAbstractTableModel(parent),
      m_alive(std::make_shared<std::atomic<bool>>(true))
{
    m_look.setInterval(kLookAtRunsMs);
    connect(&m_look, &QTimer::timeout, this, &BoardModel::look);
}

BoardModel::~BoardModel()
{
    *m_alive = false;
}

void BoardModel::setFolder(const QString &folder)
{
    if (folder == m_folder)
        return;
    beginResetModel();
    m_folder = folder;
    m_entries.clear();
    m_seen.clear();
    endResetModel();
    if (m_look.isActive())
        look();
}

void BoardModel::setWatched(bool watched)
{
    if (!watched) {
        m_look.stop();
        return;
    }
    m_look.start();
    look();
}

void BoardModel::look()
{
    if (m_busy || m_folder.isEmpty())
        return;
    std::vector<std::filesystem::path> changed;
    const QFileInfoList files =
        QDir(m_folder).entryInfoList({QStringLiteral("*.accelopt")}, QDir::Files, QDir::Name);
    for (const QFileInfo &file : files.mid(0, kMostRuns)) {
        // While it is written, what is new stands in the log beside it.
        const QFileInfo log(file.filePath() + QStringLiteral("-wal"));
        const QDateTime time =
            log.exists() ? std::max(log.lastModified(), file.lastModified()) : file.lastModified();
        QDateTime &seen = m_seen[file.filePath()];
        if (seen == time)
            continue;
        seen = time;
        changed.emplace_back(QFile::encodeName(file.filePath()).toStdString());
    }
    if (changed.empty())
        return;
    m_busy = true;
    QThreadPool::globalInstance()->start([this, changed, alive = m_alive, folder = m_folder] {
        std::vector<BoardEntry> entries;
        for (const std::filesystem::path &file : changed)
            if (*alive)
                entries.push_back(boardEntry(file));
        // Looked at on the model's own thread, where it cannot end meanwhile.
        QMetaObject::invokeMethod(
            qApp,
            [this, alive, folder, entries = std::move(entries)] {
                if (!*alive)
                    return;
                m_busy = false;
                if (folder == m_folder)
                    take(entries);
                else
                    look();
            },
            Qt::QueuedConnection);
    });
}

void BoardModel::take(const std::vector<BoardEntry> &entries)
{
    beginResetModel();
    for (const BoardEntry &entry : entries) {
        const auto at = std::lower_bound(
            m_entries.begin(), m_entries.end(), entry.file,
            [](const BoardEntry &one, const std::string &file) { return one.file < file; });
        if (at != m_entries.end() && at->file == entry.file)
            *at = entry;
        else
            m_entries.insert(at, entry);
    }
    endResetModel();
}

double BoardModel::geometricMean() const
{
    double sum = 0;
    int known = 0;
    for (const BoardEntry &entry : m_entries)
        if (entry.bestSpeedup > 0) {
            sum += std::log(entry.bestSpeedup);
            ++known;
        }
    return known == 0 ? 0 : std::exp(sum / known);
}

int BoardModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_entries.size());
}

int BoardModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(ColumnCount);
}

QVariant BoardModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const BoardEntry &entry = m_entries[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case Task:
            return entry.task.empty()
                       ? QFileInfo(QFile::decodeName(entry.file.c_str())).completeBaseName()
                       : formatting::text(entry.task);
        case State:
            if (!entry.problem.empty())
                return tr("cannot be read");
            if (!entry.phase.empty())
                return tr("finished: %1").arg(formatting::text(entry.phase));
            return entry.written ? tr("running") : tr("interrupted");
        case Iterations:
            return entry.iterations == 0 ? QString()
                                         : tr("%1 of %2").arg(entry.iterations).arg(entry.planned);
        case Tried: return entry.tried == 0 ? QString() : QString::number(entry.tried);
        case Best: return entry.bestMs > 0 ? formatting::latency(entry.bestMs) : QString();
        case Speedup:
            return entry.bestSpeedup > 0 ? formatting::signedSpeedup(entry.bestSpeedup) : QString();
        default: return {};
        }
    case Qt::ToolTipRole:
        return entry.problem.empty() ? QFile::decodeName(entry.file.c_str())
                                     : formatting::text(entry.problem);
    case Qt::TextAlignmentRole:
        return int(Qt::AlignVCenter) |
               int(index.column() >= Iterations && index.column() <= Speedup ? Qt::AlignRight
                                                                             : Qt::AlignLeft);
    case SpeedupsRole:
        return QVariant::fromValue(QList<double>(entry.speedups.begin(), entry.speedups.end()));
    case FileRole: return QFile::decodeName(entry.file.c_str());
    default: return {};
    }
}

QVariant BoardModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Task: return tr("Task");
    case State: return tr("State");
    case Iterations: return tr("Iterations");
    case Tried: return tr("Tried");
    case Best: return tr("Best (simulated)");
    case Speedup: return tr("Speedup");
    case Course: return tr("Course");
    default: return {};
    }
}

} // namespace accelopt::widgets
