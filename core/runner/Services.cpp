// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runner/Services.h"

#include "core/agents/ChatService.h"
#include "core/agents/CommandCorrespondent.h"
#include "core/agents/OfflineAgent.h"
#include "core/agents/PersonCorrespondent.h"
#include "core/agents/PromptedRole.h"
#include "core/agents/Recording.h"
#include "core/bench/TensorCache.h"
#include "core/profiling/ReferenceMaker.h"
#include "core/profiling/RemoteHost.h"
#include "core/profiling/SimPool.h"
#include "core/runner/UserConfig.h"
#include "core/store/RunReader.h"

#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace accelopt::runner {
namespace {

constexpr std::string_view kReplay = "replay:";
/// A numpy reference is a page or two; what is longer is not put into prompts.
constexpr std::size_t kMostReferenceBytes = 64 << 10;

std::string referenceText(const Task &task)
{
    std::ifstream stream(task.referencePath, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    return text.size() > kMostReferenceBytes ? std::string() : text;
}

} // namespace

/// Everything that one name stands for. The role is destroyed before those it borrows.
struct Services::Player
{
    std::unique_ptr<store::RunReader> recording;
    std::unique_ptr<agents::Correspondent> correspondent;
    std::unique_ptr<search::Role> role;
};

Services::Services() = default;
Services::~Services() = default;

Result<void> Services::check(const RunConfig &config)
{
    for (const std::string &name : {config.planner, config.executor, config.summarizer}) {
        if (name == "offline" || name == "person")
            continue;
        if (name.starts_with(kReplay)) {
            ACCELOPT_CHECK(store::RunReader::openForReading(name.substr(kReplay.size())));
            continue;
        }
        ACCELOPT_TRY(const agents::ModelProfile model, configuredModel(name));
        ACCELOPT_CHECK(agents::keyOf(model));
    }
    if (config.place != "sim")
        ACCELOPT_CHECK(configuredHost(config.place));
    return {};
}

Result<std::unique_ptr<Services>> Services::open(const RunConfig &config, const Task &task,
                                                 const std::filesystem::path &runFile, int workers)
{
    std::unique_ptr<Services> services(new Services);
    services->m_task = task;
    services->m_runFile = runFile;
    ACCELOPT_TRY(services->m_chosen.planner, services->open(config.planner));
    ACCELOPT_TRY(services->m_chosen.executor, services->open(config.executor));
    ACCELOPT_TRY(services->m_chosen.summarizer, services->open(config.summarizer));
    ACCELOPT_CHECK(services->openProfiler(config, workers));
    return services;
}

Result<void> Services::openProfiler(const RunConfig &config, int workers)
{
    if (config.place != "sim") {
        ACCELOPT_TRY(profiling::HostProfile host, configuredHost(config.place));
        QStringList hidden;
        for (const std::string &name : secretVariables())
            hidden << QString::fromStdString(name);
        m_host =
            std::make_unique<profiling::RemoteHost>(std::move(host), m_task, config.device, hidden);
        // A detached run may lose its machine; what was asked until then is not judged twice.
        if (qEnvironmentVariableIsSet("ACCELOPT_DETACHED"))
            m_host->setWhenCut(profiling::WhenCut::Finish);
        connect(m_host.get(), &profiling::RemoteHost::progress, this, &Services::progress);
        connect(m_host.get(), &profiling::RemoteHost::troubled, this, &Services::notice);
        m_chosen.profiler = m_host.get();
        return {};
    }
    ACCELOPT_TRY(bench::TensorCache cache, bench::TensorCache::open());
    m_references = std::make_unique<profiling::ReferenceMaker>(std::move(cache));
    connect(m_references.get(), &profiling::ReferenceMaker::progress, this, &Services::progress);
    profiling::SimPoolOptions options;
    options.task = m_task;
    options.device = config.device;
    options.workers = workers;
    m_pool = std::make_unique<profiling::SimPool>(options, m_references.get());
    m_chosen.profiler = m_pool.get();
    return {};
}

Result<search::Role *> Services::open(const std::string &name)
{
    std::unique_ptr<Player> &player = m_players[name];
    if (player)
        return player->role.get();
    auto made = std::make_unique<Player>();
    if (name == "offline") {
        made->role = std::make_unique<agents::OfflineAgent>(agents::modelContextOf(m_task));
    } else if (name.starts_with(kReplay)) {
        const std::string file = name.substr(kReplay.size());
        ACCELOPT_TRY(store::RunReader reader, store::RunReader::openForReading(file));
        made->recording = std::make_unique<store::RunReader>(std::move(reader));
        ACCELOPT_TRY(const std::vector<Event> events, made->recording->eventsAfter(0));
        made->role = std::make_unique<agents::Recording>(
            events,
            [recording = made->recording.get()](const TextId &id) { return recording->text(id); },
            file);
    } else {
        agents::PromptDetails details;
        if (name == "person") {
            auto person =
                std::make_unique<agents::PersonCorrespondent>(m_runFile.string() + ".exchange");
            connect(
                person.get(), &agents::PersonCorrespondent::waiting, this,
                [this](const QString &prompt, const QString &answer) {
                    emit notice(
                        QStringLiteral("read %1 and write the answer to %2").arg(prompt, answer));
                });
            made->correspondent = std::move(person);
        } else {
            ACCELOPT_TRY(const agents::ModelProfile model, configuredModel(name));
            details = agents::detailsOf(model);
            if (model.command.empty()) {
                ACCELOPT_TRY(std::string key, agents::keyOf(model));
                auto service = std::make_unique<agents::ChatService>(model, std::move(key));
                connect(service.get(), &agents::ChatService::troubled, this, &Services::notice);
                made->correspondent = std::move(service);
            } else {
                made->correspondent = std::make_unique<agents::CommandCorrespondent>(model);
            }
        }
        made->role = std::make_unique<agents::PromptedRole>(
            made->correspondent.get(), agents::taskWords(m_task, referenceText(m_task)), details);
    }
    player = std::move(made);
    return player->role.get();
}

Players Services::players() const
{
    return m_chosen;
}

void Services::setWorkers(int workers)
{
    if (m_pool)
        m_pool->setWorkers(workers);
}

} // namespace accelopt::runner
