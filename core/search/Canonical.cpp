// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/Canonical.h"

#include <nlohmann/json.hpp>

namespace accelopt::search {

namespace {

nlohmann::json toJson(const Fate &fate)
{
    return {{"code", name(fate.code)}, {"text", fate.text}};
}

nlohmann::json toJson(const Turn &turn)
{
    return {{"slot", describe(turn.slot)}, {"repair", turn.repair}};
}

template <typename Tag> nlohmann::json toJson(const std::vector<Id<Tag>> &ids)
{
    nlohmann::json json = nlohmann::json::array();
    for (const Id<Tag> &id : ids)
        json.push_back(id.value);
    return json;
}

/// A verdict without what was timed while checking.
nlohmann::json toJson(const Verdict &verdict)
{
    nlohmann::json json = verdict;
    for (auto figure = json["figures"].begin(); figure != json["figures"].end();) {
        if (figure.key().ends_with("seconds"))
            figure = json["figures"].erase(figure);
        else
            ++figure;
    }
    return json;
}

/// The figures of a profile; lines and findings follow from the kernel and would only make it long.
nlohmann::json toJson(const Profile &profile)
{
    nlohmann::json json = profile;
    json.erase("lines");
    json.erase("findings");
    return json;
}

nlohmann::json toJson(const Confirmation &confirmation)
{
    nlohmann::json json = {{"confirmed", confirmation.confirmed},
                           {"reason", confirmation.reason},
                           {"speedup", confirmation.speedup},
                           {"speedup_interval", confirmation.speedupInterval}};
    if (confirmation.judged) {
        json["verdict"] = toJson(confirmation.verdict);
        if (confirmation.verdict.correct())
            json["profile"] = toJson(confirmation.profile);
    }
    return json;
}

nlohmann::json toJson(const KernelRecord &record, const TextLookup &texts)
{
    nlohmann::json json = {{"kernel", record.id.value},     {"text", record.text.value},
                           {"origin", name(record.origin)}, {"parent", record.parent.value},
                           {"iteration", record.iteration}, {"pinned", record.pinned},
                           {"dropped", record.dropped},     {"fate", toJson(record.fate)}};
    if (texts)
        json["source"] = texts(record.text);
    if (record.first)
        json["first"] = toJson(*record.first);
    if (record.judged) {
        json["verdict"] = toJson(record.verdict);
        if (record.verdict.correct())
            json["profile"] = toJson(record.profile);
    }
    if (record.confirmation)
        json["confirmation"] = toJson(*record.confirmation);
    return json;
}

nlohmann::json toJson(const State &state, const PlanSlot &slot, int number,
                      const AttemptRecord &attempt)
{
    nlohmann::json turns = nlohmann::json::array();
    for (std::size_t turn = 0; turn < attempt.turns.size(); ++turn)
        turns.push_back(
            {{"kernel", attempt.turns[turn].kernel.value},
             {"text", attempt.turns[turn].text.value},
             {"author", attempt.turns[turn].author},
             {"duplicate", isDuplicate(state, Turn{{slot, number}, static_cast<int>(turn)})}});
    return {{"status", name(attempt.status)},
            {"turns", std::move(turns)},
            {"failure", attempt.failure},
            {"fate", toJson(attempt.fate)}};
}

nlohmann::json toJson(const State &state, const PlanRecord &record)
{
    nlohmann::json attempts = nlohmann::json::array();
    for (std::size_t a = 0; a < record.attempts.size(); ++a)
        attempts.push_back(
            toJson(state, record.plan.slot, static_cast<int>(a), record.attempts[a]));
    return {{"plan", record.plan},
            {"status", name(record.status)},
            {"failure", record.failure},
            {"attempts", std::move(attempts)}};
}

nlohmann::json toJson(const CurationRecord &curation)
{
    nlohmann::json groups = nlohmann::json::array();
    for (const GroupOutcome &group : curation.groups)
        groups.push_back({{"plan", planId(group.plan).value},
                          {"speedup", group.speedup},
                          {"taken", group.taken},
                          {"text", group.text}});
    nlohmann::json pairs = nlohmann::json::array();
    for (const PairRecord &pair : curation.pairs)
        pairs.push_back({{"plan", planId(pair.plan).value},
                         {"positive", pair.positive},
                         {"speedup", pair.speedup},
                         {"slow", pair.slow.value},
                         {"fast", pair.fast.value},
                         {"status", name(pair.status)},
                         {"reason", pair.reason}});
    return {{"groups", std::move(groups)},
            {"pairs", std::move(pairs)},
            {"memory", toJson(curation.memory)},
            {"added", curation.added}};
}

nlohmann::json toJson(const SelectionRecord &selection)
{
    nlohmann::json entries = nlohmann::json::array();
    for (const SelectionEntry &entry : selection.entries)
        entries.push_back({{"kernel", entry.kernel.value},
                           {"plan", entry.plan ? planId(*entry.plan).value : std::string()},
                           {"chosen", entry.chosen},
                           {"fate", toJson(entry.fate)}});
    return {{"done", selection.done},
            {"entries", std::move(entries)},
            {"beam", toJson(selection.beam)}};
}

nlohmann::json toJson(const State &state, const IterationRecord &iteration)
{
    nlohmann::json plans = nlohmann::json::array();
    for (const PlanRecord &record : iteration.plans)
        plans.push_back(toJson(state, record));
    return {{"iteration", iteration.index},
            {"candidates", toJson(iteration.candidates)},
            {"plans", std::move(plans)},
            {"correct", iteration.correct},
            {"profiled", iteration.profiled},
            {"fastest", iteration.fastest.value},
            {"best", iteration.best.value},
            {"progress", iteration.progress},
            {"curation", toJson(iteration.curation)},
            {"selection", toJson(iteration.selection)},
            {"saturation", name(iteration.saturation)},
            {"saturation_text", iteration.saturationText}};
}

nlohmann::json toJson(const MemoryItem &item)
{
    return {{"item", item.item},
            {"status", name(item.status)},
            {"pinned", item.pinned},
            {"edited", item.edited},
            {"original_title", item.originalTitle},
            {"original_strategy", item.originalStrategy},
            {"author", item.author},
            {"prompts", item.prompts},
            {"wins", item.wins},
            {"fate", toJson(item.fate)}};
}

nlohmann::json toJson(const PersonDecided &decision)
{
    return {{"decision", name(decision.decision)},
            {"kernel", decision.kernel.value},
            {"item", decision.item.value},
            {"reason", decision.reason},
            {"title", decision.title},
            {"strategy", decision.strategy}};
}

} // namespace

nlohmann::json canonical(const State &state, const TextLookup &texts)
{
    nlohmann::json kernels = nlohmann::json::array();
    for (const auto &[id, record] : state.kernels)
        kernels.push_back(toJson(record, texts));
    nlohmann::json iterations = nlohmann::json::array();
    for (const IterationRecord &iteration : state.iterations)
        iterations.push_back(toJson(state, iteration));
    nlohmann::json items = nlohmann::json::array();
    for (const MemoryItem &item : state.items)
        items.push_back(toJson(item));
    nlohmann::json memory = nlohmann::json::array();
    for (const std::size_t index : state.active)
        memory.push_back(state.items[index].item.id.value);
    nlohmann::json decisions = nlohmann::json::array();
    for (const PersonDecided &decision : state.decisions)
        decisions.push_back(toJson(decision));
    nlohmann::json moves = nlohmann::json::array();
    for (const BudgetMoved &moved : state.budgetMoves)
        moves.push_back(payload(moved));
    nlohmann::json verdicts = nlohmann::json::object();
    for (const auto &[status, number] : state.counts.verdicts)
        verdicts[std::string(name(status))] = number;
    return {{"task", state.opened.task},
            {"task_hash", state.opened.taskHash},
            {"model_version", state.opened.modelVersion},
            {"config", state.config},
            {"phase", name(state.phase)},
            {"baseline", state.opened.baseline.value},
            {"best", state.best.value},
            {"kernels", std::move(kernels)},
            {"verdicts", std::move(verdicts)},
            {"duplicates", state.counts.duplicates},
            {"iterations", std::move(iterations)},
            {"items", std::move(items)},
            {"memory", std::move(memory)},
            {"decisions", std::move(decisions)},
            {"budget_moves", std::move(moves)},
            {"stopped_because", state.stop.text}};
}

} // namespace accelopt::search
