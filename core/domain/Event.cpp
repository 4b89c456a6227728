// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/domain/Event.h"

#include "core/domain/Hash.h"
#include "core/domain/JsonFields.h"

#include <fmt/format.h>
#include <type_traits>

namespace accelopt {

using json_fields::get;

namespace {

constexpr std::pair<Decision, std::string_view> kDecisions[] = {
    {Decision::PinKernel, "pin_kernel"},
    {Decision::UnpinKernel, "unpin_kernel"},
    {Decision::DropKernel, "drop_kernel"},
    {Decision::UndropKernel, "undrop_kernel"},
    {Decision::ApproveItem, "approve_item"},
    {Decision::RejectItem, "reject_item"},
    {Decision::PinItem, "pin_item"},
    {Decision::UnpinItem, "unpin_item"},
    {Decision::EditItem, "edit_item"},
    {Decision::ProposeItem, "propose_item"},
    {Decision::Stop, "stop"},
};

std::string_view name(JudgePurpose purpose)
{
    return purpose == JudgePurpose::Search ? "search" : "confirmation";
}

RoleName readRole(const nlohmann::json &json)
{
    const std::string text = json.at("role").get<std::string>();
    const std::optional<RoleName> role = roleName(text);
    if (!role)
        json_fields::refuse("unknown role: " + text);
    return *role;
}

// Each event has write(), which makes its payload, and read(), which fills it from one.

nlohmann::json write(const RunOpened &event)
{
    return {{"config", event.config},
            {"task", event.task},
            {"task_hash", event.taskHash},
            {"software", event.software},
            {"model_version", event.modelVersion},
            {"baseline", event.baseline.value},
            {"baseline_text", event.baselineText.value}};
}

void read(const nlohmann::json &json, RunOpened &event)
{
    get(json, "config", event.config);
    get(json, "task", event.task);
    get(json, "task_hash", event.taskHash);
    get(json, "software", event.software);
    get(json, "model_version", event.modelVersion);
    get(json, "baseline", event.baseline);
    get(json, "baseline_text", event.baselineText);
}

nlohmann::json write(const CallStarted &event)
{
    return {{"call", event.call.value}, {"role", accelopt::name(event.role)}};
}

void read(const nlohmann::json &json, CallStarted &event)
{
    get(json, "call", event.call);
    event.role = readRole(json);
}

nlohmann::json write(const PlanMade &event)
{
    return {{"call", event.call.value},
            {"plan", event.plan},
            {"usage", event.usage},
            {"prompt", event.prompt.value},
            {"answer", event.answer.value}};
}

void read(const nlohmann::json &json, PlanMade &event)
{
    get(json, "call", event.call);
    get(json, "plan", event.plan);
    get(json, "usage", event.usage);
    get(json, "prompt", event.prompt);
    get(json, "answer", event.answer);
}

nlohmann::json write(const AttemptMade &event)
{
    return {{"call", event.call.value},     {"slot", event.slot},    {"kernel", event.kernel.value},
            {"text", event.text.value},     {"usage", event.usage},  {"prompt", event.prompt.value},
            {"answer", event.answer.value}, {"repair", event.repair}};
}

void read(const nlohmann::json &json, AttemptMade &event)
{
    get(json, "call", event.call);
    get(json, "slot", event.slot);
    get(json, "kernel", event.kernel);
    get(json, "text", event.text);
    get(json, "usage", event.usage);
    get(json, "prompt", event.prompt);
    get(json, "answer", event.answer);
    get(json, "repair", event.repair);
}

nlohmann::json write(const CallFailed &event)
{
    return {{"call", event.call.value},     {"role", accelopt::name(event.role)},
            {"slot", event.slot},           {"attempt", event.attempt},
            {"reason", event.reason},       {"usage", event.usage},
            {"prompt", event.prompt.value}, {"answer", event.answer.value}};
}

void read(const nlohmann::json &json, CallFailed &event)
{
    get(json, "call", event.call);
    event.role = readRole(json);
    get(json, "slot", event.slot);
    get(json, "attempt", event.attempt);
    get(json, "reason", event.reason);
    get(json, "usage", event.usage);
    get(json, "prompt", event.prompt);
    get(json, "answer", event.answer);
}

nlohmann::json write(const KernelJudged &event)
{
    nlohmann::json json = {{"kernel", event.kernel.value},
                           {"purpose", name(event.purpose)},
                           {"verdict", event.verdict}};
    if (event.verdict.correct())
        json["profile"] = event.profile;
    return json;
}

void read(const nlohmann::json &json, KernelJudged &event)
{
    get(json, "kernel", event.kernel);
    const std::string purpose = json.at("purpose").get<std::string>();
    if (purpose == name(JudgePurpose::Search))
        event.purpose = JudgePurpose::Search;
    else if (purpose == name(JudgePurpose::Confirmation))
        event.purpose = JudgePurpose::Confirmation;
    else
        json_fields::refuse("unknown purpose: " + purpose);
    get(json, "verdict", event.verdict);
    if (event.verdict.correct())
        get(json, "profile", event.profile);
}

nlohmann::json write(const PairSummarized &event)
{
    nlohmann::json json = {{"call", event.call.value},    {"iteration", event.iteration},
                           {"rank", event.rank},          {"declined", event.declined},
                           {"usage", event.usage},        {"prompt", event.prompt.value},
                           {"answer", event.answer.value}};
    if (!event.declined)
        json["item"] = event.item;
    return json;
}

void read(const nlohmann::json &json, PairSummarized &event)
{
    get(json, "call", event.call);
    get(json, "iteration", event.iteration);
    get(json, "rank", event.rank);
    get(json, "declined", event.declined);
    if (!event.declined)
        get(json, "item", event.item);
    get(json, "usage", event.usage);
    get(json, "prompt", event.prompt);
    get(json, "answer", event.answer);
}

nlohmann::json write(const PersonDecided &event)
{
    return {{"decision", accelopt::name(event.decision)},
            {"kernel", event.kernel.value},
            {"item", event.item.value},
            {"reason", event.reason},
            {"title", event.title},
            {"strategy", event.strategy}};
}

void read(const nlohmann::json &json, PersonDecided &event)
{
    const std::string text = json.at("decision").get<std::string>();
    const std::optional<Decision> found = decision(text);
    if (!found)
        json_fields::refuse("unknown decision: " + text);
    event.decision = *found;
    get(json, "kernel", event.kernel);
    get(json, "item", event.item);
    get(json, "reason", event.reason);
    get(json, "title", event.title);
    get(json, "strategy", event.strategy);
}

nlohmann::json write(const TimePassed &event)
{
    return {{"seconds", event.seconds}};
}

void read(const nlohmann::json &json, TimePassed &event)
{
    get(json, "seconds", event.seconds);
}

nlohmann::json write(const RunContinued &event)
{
    return {{"config", event.config}};
}

void read(const nlohmann::json &json, RunContinued &event)
{
    get(json, "config", event.config);
}

nlohmann::json write(const RunFinished &event)
{
    return {{"reason", event.reason}};
}

void read(const nlohmann::json &json, RunFinished &event)
{
    get(json, "reason", event.reason);
}

nlohmann::json write(const BudgetMoved &event)
{
    return {{"round", event.round},
            {"kernels", event.kernels},
            {"usd", event.usd},
            {"minutes", event.minutes},
            {"reason", event.reason}};
}

void read(const nlohmann::json &json, BudgetMoved &event)
{
    get(json, "round", event.round);
    get(json, "kernels", event.kernels);
    get(json, "usd", event.usd);
    get(json, "minutes", event.minutes);
    get(json, "reason", event.reason);
}

template <typename Body> constexpr std::string_view kKind = "";
template <> constexpr std::string_view kKind<RunOpened> = "run_opened";
template <> constexpr std::string_view kKind<CallStarted> = "call_started";
template <> constexpr std::string_view kKind<PlanMade> = "plan_made";
template <> constexpr std::string_view kKind<AttemptMade> = "attempt_made";
template <> constexpr std::string_view kKind<CallFailed> = "call_failed";
template <> constexpr std::string_view kKind<KernelJudged> = "kernel_judged";
template <> constexpr std::string_view kKind<PairSummarized> = "pair_summarized";
template <> constexpr std::string_view kKind<PersonDecided> = "person_decided";
template <> constexpr std::string_view kKind<TimePassed> = "time_passed";
template <> constexpr std::string_view kKind<RunContinued> = "run_continued";
template <> constexpr std::string_view kKind<RunFinished> = "run_finished";
template <> constexpr std::string_view kKind<BudgetMoved> = "budget_moved";

/// Makes the alternative of EventBody whose kind this is; false when there is none.
template <std::size_t Index = 0> bool choose(std::string_view kind, EventBody &body)
{
    if constexpr (Index == std::variant_size_v<EventBody>) {
        return false;
    } else {
        using Body = std::variant_alternative_t<Index, EventBody>;
        static_assert(!kKind<Body>.empty(), "every event has a kind");
        if (kKind<Body> == kind) {
            body = Body();
            return true;
        }
        return choose<Index + 1>(kind, body);
    }
}

} // namespace

Text makeText(std::string bytes)
{
    TextId id(sha256(bytes));
    return Text{std::move(id), std::move(bytes)};
}

std::string_view kind(const EventBody &body)
{
    return std::visit([](const auto &event) { return kKind<std::decay_t<decltype(event)>>; }, body);
}

std::string subject(const EventBody &body)
{
    return std::visit(
        [](const auto &event) -> std::string {
            using Body = std::decay_t<decltype(event)>;
            if constexpr (std::is_same_v<Body, RunOpened>)
                return event.baseline.value;
            else if constexpr (std::is_same_v<Body, AttemptMade> ||
                               std::is_same_v<Body, KernelJudged>)
                return event.kernel.value;
            else if constexpr (std::is_same_v<Body, PairSummarized>)
                return event.declined ? event.call.value : event.item.id.value;
            else if constexpr (std::is_same_v<Body, PersonDecided>)
                return event.item.empty() ? event.kernel.value : event.item.value;
            else if constexpr (requires { event.call; })
                return event.call.value;
            else
                return {};
        },
        body);
}

nlohmann::json payload(const EventBody &body)
{
    return std::visit([](const auto &event) { return write(event); }, body);
}

Result<EventBody> eventBody(std::string_view kind, int version, const nlohmann::json &payload)
{
    EventBody body;
    if (version > kPayloadVersion || !choose(kind, body))
        return fail(ErrorCode::Newer,
                    fmt::format("the run holds an event (\"{}\", form {}) that this version of the "
                                "workbench does not know",
                                kind, version),
                    "Open it with the version that wrote it, or a newer one.");
    const auto wrongForm = [&](std::string detail) {
        return fail(ErrorCode::Format,
                    fmt::format("an event of the run (\"{}\") is not of the expected form", kind),
                    "The file is damaged; use a copy of it.", std::move(detail));
    };
    if (version < 1)
        return wrongForm(fmt::format("payload version {}", version));
    try {
        std::visit([&](auto &event) { read(payload, event); }, body);
    } catch (const nlohmann::json::exception &exception) {
        return wrongForm(exception.what());
    }
    return body;
}

std::string_view name(Decision decision)
{
    for (const auto &[value, text] : kDecisions)
        if (value == decision)
            return text;
    return "stop";
}

std::optional<Decision> decision(std::string_view name)
{
    for (const auto &[value, text] : kDecisions)
        if (text == name)
            return value;
    return std::nullopt;
}

} // namespace accelopt
