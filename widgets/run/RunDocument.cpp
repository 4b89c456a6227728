// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/run/RunDocument.h"

#include "widgets/format/Formatting.h"

#include <algorithm>

namespace accelopt::widgets {

namespace {

/// Shortest beginning of a hash that is taken for the whole.
constexpr qsizetype kShortestPrefix = 6;

} // namespace

RunDocument::RunDocument(QObject *parent) : QObject(parent)
{
    connect(&m_follower, &RunFollower::opened, this, [this](const QString &notice) {
        emit opened();
        if (!notice.isEmpty())
            emit noticed(notice);
    });
    connect(&m_follower, &RunFollower::loading, this, [this](double share) {
        m_loadedShare = share;
        emit loadingChanged();
    });
    connect(&m_follower, &RunFollower::loaded, this, [this](const std::shared_ptr<RunIndex> &run) {
        m_run = std::move(*run);
        m_loadedShare = 1;
        emit updated();
    });
    connect(&m_follower, &RunFollower::eventsRead, this, &RunDocument::onEvents);
    connect(&m_follower, &RunFollower::caughtUp, this, [this] {
        m_loaded = true;
        emit caughtUp();
    });
    connect(&m_follower, &RunFollower::writerChanged, this, [this](const WriterState &writer) {
        m_writer = writer;
        emit writerChanged();
    });
    connect(&m_follower, &RunFollower::textRead, this,
            [this](const TextId &id, const std::string &text) {
                m_requested.erase(id);
                m_texts.insert_or_assign(id, text);
                emit textReady(id);
            });
    connect(&m_follower, &RunFollower::figuresRead, this,
            [this](const std::shared_ptr<const report::RunFigures> &figures) {
                m_figures = figures;
                emit figuresReady();
            });
    connect(&m_follower, &RunFollower::failed, this, [this](const QString &message) {
        m_requested.clear();
        emit failed(message);
    });
}

void RunDocument::reset()
{
    m_run = {};
    m_loadedShare = 0;
    m_writer = {};
    m_loaded = false;
    m_texts.clear();
    m_requested.clear();
    m_figures.reset();
}

void RunDocument::open(const QString &file)
{
    reset();
    m_file = file;
    emit closed();
    m_follower.open(file);
}

void RunDocument::close()
{
    reset();
    m_file.clear();
    m_follower.close();
    emit closed();
}

void RunDocument::onEvents(const std::vector<Event> &events)
{
    std::set<KernelId> changed;
    const KernelId bestBefore = m_run.state.best;
    for (const Event &event : events)
        m_run.take(event, &changed);
    if (m_run.state.best != bestBefore)
        for (const KernelId &best : {bestBefore, m_run.state.best})
            if (!best.empty())
                changed.insert(best);
    m_changed.assign(changed.begin(), changed.end());
    emit updated();
    m_changed.clear();
}

int RunDocument::number(const KernelId &id) const
{
    const auto it = m_run.numbers.find(id);
    return it == m_run.numbers.end() ? -1 : it->second;
}

QString RunDocument::name(const KernelId &id) const
{
    return formatting::kernelName(number(id));
}

KernelId RunDocument::find(const QString &name) const
{
    const QString text = name.trimmed().toLower();
    if (text == QStringLiteral("baseline"))
        return m_run.state.opened.baseline;
    if (text == QStringLiteral("best"))
        return m_run.state.best;
    bool isNumber = false;
    const int number = (text.startsWith(QLatin1Char('k')) ? text.mid(1) : text).toInt(&isNumber);
    if (isNumber && number >= 0 && number < int(m_run.kernels.size()))
        return m_run.kernels[std::size_t(number)];
    if (text.size() < kShortestPrefix)
        return {};
    const std::string prefix = text.toStdString();
    KernelId found;
    for (auto it = m_run.numbers.lower_bound(KernelId(prefix));
         it != m_run.numbers.end() && it->first.value.starts_with(prefix); ++it) {
        if (!found.empty())
            return {};
        found = it->first;
    }
    return found;
}

KernelId RunDocument::parentOf(const KernelId &id) const
{
    const search::KernelRecord *record = search::kernel(m_run.state, id);
    if (record == nullptr || id == m_run.state.opened.baseline)
        return {};
    return record->parent.empty() ? m_run.state.opened.baseline : record->parent;
}

std::vector<KernelId> RunDocument::pathTo(const KernelId &id) const
{
    std::vector<KernelId> path;
    KernelId at = id;
    while (!at.empty() && std::find(path.begin(), path.end(), at) == path.end()) {
        path.push_back(at);
        at = parentOf(at);
    }
    std::reverse(path.begin(), path.end());
    return path;
}

std::optional<std::string> RunDocument::text(const TextId &id)
{
    if (id.empty())
        return std::nullopt;
    if (const auto it = m_texts.find(id); it != m_texts.end())
        return it->second;
    if (m_requested.insert(id).second)
        m_follower.requestText(id);
    return std::nullopt;
}

} // namespace accelopt::widgets
