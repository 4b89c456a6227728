// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/ViewTables.h"

#include "core/domain/Resources.h"
#include "core/store/ViewTable.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace accelopt::store {

namespace {

std::string dump(const nlohmann::json &json)
{
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string uniformBlanks(std::string_view sql)
{
    std::string result;
    for (const char c : sql) {
        const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
        if (!blank)
            result += c;
        else if (!result.empty() && result.back() != ' ')
            result += ' ';
    }
    return result;
}

/// The objects that a file must have for its view tables to be ours.
const std::map<std::string, std::string> &viewObjects()
{
    static const std::map<std::string, std::string> objects =
        schemaObjects(resource("resources/store/views-1.sql"));
    return objects;
}

constexpr const char *kVersionTable = "view_version";

// Values as SQLite takes them. SQLite turns a NaN into NULL.

void bindValue(SQLite::Statement &statement, int index, const std::string &value)
{
    statement.bind(index, value);
}

void bindValue(SQLite::Statement &statement, int index, std::string_view value)
{
    statement.bind(index, std::string(value));
}

void bindValue(SQLite::Statement &statement, int index, std::int64_t value)
{
    statement.bind(index, value);
}

void bindValue(SQLite::Statement &statement, int index, int value)
{
    statement.bind(index, value);
}

void bindValue(SQLite::Statement &statement, int index, bool value)
{
    statement.bind(index, value ? 1 : 0);
}

void bindValue(SQLite::Statement &statement, int index, double value)
{
    statement.bind(index, value);
}

template <typename Tag> void bindValue(SQLite::Statement &statement, int index, const Id<Tag> &id)
{
    statement.bind(index, id.value);
}

template <typename Value>
void bindValue(SQLite::Statement &statement, int index, const std::optional<Value> &value)
{
    if (value)
        bindValue(statement, index, *value);
    else
        statement.bind(index);
}

std::optional<std::string> orNothing(const TextId &id)
{
    return id.empty() ? std::nullopt : std::optional<std::string>(id.value);
}

std::optional<std::string> firstReason(const Verdict &verdict)
{
    return verdict.reasons.empty() ? std::nullopt
                                   : std::optional<std::string>(verdict.reasons.front().message);
}

} // namespace

std::map<std::string, std::string> schemaObjects(SQLite::Database &database)
{
    std::map<std::string, std::string> objects;
    SQLite::Statement query(database, "SELECT type, name, tbl_name, sql FROM sqlite_schema "
                                      "WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'");
    while (query.executeStep())
        objects[query.getColumn(1).getString()] = fmt::format(
            "{} on {}: {}", query.getColumn(0).getString(), query.getColumn(2).getString(),
            uniformBlanks(query.getColumn(3).getString()));
    return objects;
}

std::map<std::string, std::string> schemaObjects(std::string_view sql)
{
    SQLite::Database scratch(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    scratch.exec(std::string(sql));
    return schemaObjects(scratch);
}

ViewTables::ViewTables(SQLite::Database &database) : m_database(database) {}

bool ViewTables::current()
{
    const std::map<std::string, std::string> found = schemaObjects(m_database);
    for (const auto &[name, sql] : viewObjects()) {
        const auto object = found.find(name);
        if (object == found.end() || object->second != sql)
            return false;
    }
    SQLite::Statement version(m_database, "SELECT max(version) FROM view_version");
    return version.executeStep() && version.getColumn(0).getInt() == kViewVersion;
}

void ViewTables::recreate()
{
    m_statements.clear();
    const auto drop = [this](std::string_view name) {
        std::string type;
        {
            SQLite::Statement query(m_database,
                                    "SELECT type FROM sqlite_schema WHERE name = ? AND type IN "
                                    "('table', 'view', 'index')");
            query.bind(1, std::string(name));
            if (query.executeStep())
                type = query.getColumn(0).getString();
        }
        if (!type.empty())
            m_database.exec(fmt::format("DROP {} \"{}\"", type, name));
    };
    for (const std::string_view name : viewTableNames())
        drop(name);
    drop(kVersionTable);
    m_database.exec(std::string(resource("resources/store/views-1.sql")));
    run("INSERT INTO view_version (version) VALUES (?)", kViewVersion);
}

template <typename... Values> void ViewTables::run(const char *sql, const Values &...values)
{
    auto found = m_statements.find(sql);
    if (found == m_statements.end())
        found = m_statements.emplace(sql, SQLite::Statement(m_database, sql)).first;
    SQLite::Statement &statement = found->second;
    statement.tryReset();
    int index = 0;
    (bindValue(statement, ++index, values), ...);
    statement.exec();
    statement.reset();
}

/// What an answer, or the lack of one, says of its call.
struct ViewTables::CallOutcome
{
    const CallId &call;
    RoleName role;
    std::string_view state;
    int iteration;
    const Usage &usage;
    const TextId &prompt;
    const TextId &answer;
    std::optional<std::string> reason;
};

void ViewTables::finishCall(const Event &event, const CallOutcome &outcome)
{
    run("INSERT INTO call (id, role, state, iteration, author, requests, prompt_tokens,"
        " cached_tokens, completion_tokens, usd, unpriced_requests, reason, prompt, answer, seq)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET state = excluded.state, iteration = excluded.iteration,"
        " author = excluded.author, requests = excluded.requests,"
        " prompt_tokens = excluded.prompt_tokens, cached_tokens = excluded.cached_tokens,"
        " completion_tokens = excluded.completion_tokens, usd = excluded.usd,"
        " unpriced_requests = excluded.unpriced_requests, reason = excluded.reason,"
        " prompt = excluded.prompt, answer = excluded.answer",
        outcome.call, name(outcome.role), outcome.state, outcome.iteration, event.actor,
        outcome.usage.calls, outcome.usage.promptTokens, outcome.usage.cachedTokens,
        outcome.usage.completionTokens, outcome.usage.usd, outcome.usage.unpricedCalls,
        outcome.reason, orNothing(outcome.prompt), orNothing(outcome.answer), event.sequence);
}

void ViewTables::apply(const Event &event)
{
    std::visit([&](const auto &body) { apply(event, body); }, event.body);
}

void ViewTables::apply(const Event &event, const RunOpened &body)
{
    run("INSERT INTO run (only_row, task, task_hash, software, model_version, baseline, device,"
        " shape, preset, config, opened_at) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (only_row) DO NOTHING",
        body.task, body.taskHash, body.software, body.modelVersion, body.baseline,
        body.config.device, body.config.shape, body.config.preset,
        dump(nlohmann::json(body.config)), event.unixSeconds);
    run("INSERT INTO kernel (id, text, seq) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING",
        body.baseline, orNothing(body.baselineText), event.sequence);
}

void ViewTables::apply(const Event &event, const CallStarted &body)
{
    run("INSERT INTO call (id, role, state, asked, seq) VALUES (?, ?, 'in_doubt', 1, ?)"
        " ON CONFLICT (id) DO UPDATE SET asked = asked + 1",
        body.call, name(body.role), event.sequence);
}

void ViewTables::apply(const Event &event, const PlanMade &body)
{
    const PlanSlot &slot = body.plan.slot;
    run("INSERT INTO plan (id, iteration, candidate, plan, parent, title, text, directive, author,"
        " call, seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
        planId(slot), slot.iteration, slot.candidate, slot.plan, body.plan.parent, body.plan.title,
        body.plan.text, body.plan.directive, body.plan.author, body.call, event.sequence);
    finishCall(event, {body.call, RoleName::Planner, "answered", slot.iteration, body.usage,
                       body.prompt, body.answer, std::nullopt});
}

void ViewTables::apply(const Event &event, const AttemptMade &body)
{
    const PlanSlot &slot = body.slot.plan;
    run("INSERT INTO attempt (seq, iteration, candidate, plan, attempt, repair, kernel, call,"
        " duplicate) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8,"
        " EXISTS (SELECT 1 FROM kernel WHERE id = ?7 AND text IS NOT NULL))",
        event.sequence, slot.iteration, slot.candidate, slot.plan, body.slot.attempt, body.repair,
        body.kernel, body.call);
    // A kernel that was judged before anybody wrote it has a row without a text.
    run("INSERT INTO kernel (id, text, parent, iteration, candidate, plan, attempt, seq) VALUES"
        " (?1, ?2, (SELECT parent FROM plan WHERE id = ?3), ?4, ?5, ?6, ?7, ?8)"
        " ON CONFLICT (id) DO UPDATE SET text = excluded.text, parent = excluded.parent,"
        " iteration = excluded.iteration, candidate = excluded.candidate, plan = excluded.plan,"
        " attempt = excluded.attempt, seq = excluded.seq WHERE text IS NULL",
        body.kernel, body.text, planId(slot), slot.iteration, slot.candidate, slot.plan,
        body.slot.attempt, event.sequence);
    finishCall(event, {body.call, RoleName::Executor, "answered", slot.iteration, body.usage,
                       body.prompt, body.answer, std::nullopt});
}

void ViewTables::apply(const Event &event, const CallFailed &body)
{
    finishCall(event, {body.call, body.role, "failed", body.slot.iteration, body.usage, body.prompt,
                       body.answer, body.reason});
}

void ViewTables::apply(const Event &event, const KernelJudged &body)
{
    run("INSERT INTO kernel (id, seq) VALUES (?, ?) ON CONFLICT (id) DO NOTHING", body.kernel,
        event.sequence);
    const bool correct = body.verdict.correct();
    const Profile &profile = body.profile;
    const auto ifCorrect = [correct](auto value) {
        return correct ? std::optional(value) : std::nullopt;
    };
    if (body.purpose == JudgePurpose::Confirmation) {
        run("UPDATE kernel SET confirmation_verdict = ?, confirmed_latency_ms = ? WHERE id = ?",
            name(body.verdict.status), ifCorrect(profile.latencyMs), body.kernel);
        return;
    }
    run("UPDATE kernel SET verdict = ?, reason = ?, simulated = ?, device = ?, model_version = ?,"
        " table_hash = ?, latency_ms = ?, latency_low_ms = ?, latency_high_ms = ?,"
        " percent_of_peak = ?, bound = ? WHERE id = ?",
        name(body.verdict.status), firstReason(body.verdict), body.verdict.simulated,
        ifCorrect(profile.device), ifCorrect(profile.modelVersion), ifCorrect(profile.tableHash),
        ifCorrect(profile.latencyMs), ifCorrect(profile.intervalMs.low),
        ifCorrect(profile.intervalMs.high), correct ? profile.percentOfPeak : std::nullopt,
        ifCorrect(profile.bound), body.kernel);
}

void ViewTables::apply(const Event &event, const PairSummarized &body)
{
    if (!body.declined) {
        const ExperienceItem &item = body.item;
        run("INSERT INTO item (id, iteration, rank, positive, speedup, title, strategy, "
            "first_title,"
            " first_strategy, before, after, slow, fast, plan, tags, call, seq)"
            " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)"
            " ON CONFLICT (id) DO NOTHING",
            item.id, body.iteration, body.rank, item.positive, item.speedup, item.title,
            item.strategy, item.before, item.after, item.slow, item.fast, item.plan,
            dump(nlohmann::json(item.tags)), body.call, event.sequence);
    }
    finishCall(event, {body.call, RoleName::Summarizer, body.declined ? "declined" : "answered",
                       body.iteration, body.usage, body.prompt, body.answer, std::nullopt});
}

void ViewTables::apply(const Event &event, const PersonDecided &body)
{
    run("INSERT INTO decision (seq, time, actor, decision, kernel, item, reason)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        event.sequence, event.unixSeconds, event.actor, name(body.decision), body.kernel, body.item,
        body.reason);
    switch (body.decision) {
    case Decision::PinKernel: return run("UPDATE kernel SET pinned = 1 WHERE id = ?", body.kernel);
    case Decision::UnpinKernel:
        return run("UPDATE kernel SET pinned = 0 WHERE id = ?", body.kernel);
    case Decision::DropKernel:
        return run("UPDATE kernel SET dropped = 1 WHERE id = ?", body.kernel);
    case Decision::UndropKernel:
        return run("UPDATE kernel SET dropped = 0 WHERE id = ?", body.kernel);
    case Decision::ApproveItem:
        return run("UPDATE item SET review = 'approved' WHERE id = ?", body.item);
    case Decision::RejectItem:
        return run("UPDATE item SET review = 'rejected' WHERE id = ?", body.item);
    case Decision::ProposeItem:
        return run("UPDATE item SET review = 'proposed', pinned = 0 WHERE id = ?", body.item);
    case Decision::PinItem: return run("UPDATE item SET pinned = 1 WHERE id = ?", body.item);
    case Decision::UnpinItem: return run("UPDATE item SET pinned = 0 WHERE id = ?", body.item);
    case Decision::EditItem:
        return run("UPDATE item SET title = ?, strategy = ? WHERE id = ?", body.title,
                   body.strategy, body.item);
    case Decision::Stop: return;
    }
}

void ViewTables::apply(const Event &, const TimePassed &body)
{
    run("UPDATE run SET searched_seconds = searched_seconds + coalesce(?, 0)", body.seconds);
}

void ViewTables::apply(const Event &, const RunContinued &body)
{
    run("UPDATE run SET continued = continued + 1, device = ?, shape = ?, preset = ?, config = ?,"
        " finished_at = NULL, stopped_because = NULL",
        body.config.device, body.config.shape, body.config.preset,
        dump(nlohmann::json(body.config)));
}

void ViewTables::apply(const Event &event, const RunFinished &body)
{
    run("UPDATE run SET finished_at = ?, stopped_because = ?", event.unixSeconds, body.reason);
}

void ViewTables::apply(const Event &event, const BudgetMoved &body)
{
    run("INSERT INTO decision (seq, time, actor, decision, kernel, item, reason)"
        " VALUES (?, ?, ?, 'move_budget', '', '', ?)",
        event.sequence, event.unixSeconds, event.actor, body.reason);
}

} // namespace accelopt::store
