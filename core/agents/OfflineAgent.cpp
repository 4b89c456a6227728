// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/OfflineAgent.h"

#include "core/agents/Lesson.h"
#include "core/nki/syntax/Lexer.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace accelopt::agents {

using nlohmann::json;
using rewrite::EngineLoad;
using rewrite::KernelModel;
using rewrite::RewriteSite;

namespace {

constexpr const char *kAuthor = "offline";
// A promise below this is not worth a profile.
constexpr double kWorthTrying = 1.0005;
constexpr int kMaximumPlaces = 64;

// How much experience weighs the promised gain of a rewrite.
constexpr double kPraise = 1.5;
constexpr double kWarning = 0.4;
constexpr double kDisappointment = 0.5;

std::string lowerCase(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    return text;
}

template <typename Answer> search::RoleReply<Answer> reply(Result<Answer> answer)
{
    search::RoleReply<Answer> result{std::move(answer), {}, kAuthor, {}, {}};
    result.usage.calls = 1;
    return result;
}

json directiveOf(const std::string &text)
{
    json directive = json::parse(text, nullptr, false);
    return directive.is_object() ? directive : json::object();
}

std::string rewriteOf(const std::string &directive)
{
    const json object = directiveOf(directive);
    const auto name = object.find("rewrite");
    return name != object.end() && name->is_string() ? name->get<std::string>() : std::string();
}

// Microseconds are enough, and make the directive readable.
EngineLoad rounded(EngineLoad load)
{
    for (double *engine : {&load.tensor, &load.vector, &load.scalar, &load.dma})
        *engine = std::round(*engine * 1000) / 1000;
    return load;
}

std::optional<EngineLoad> busyOf(const json &directive)
{
    const auto busy = directive.find("busy_ms");
    if (busy == directive.end() || !busy->is_array() || busy->size() != 4 ||
        !std::all_of(busy->begin(), busy->end(),
                     [](const json &value) { return value.is_number(); }))
        return std::nullopt;
    return EngineLoad{(*busy)[0], (*busy)[1], (*busy)[2], (*busy)[3]};
}

// The rewrite a text means: its name, else the longest of its keywords found.
const rewrite::Rewrite *rewriteMeant(const std::string &text)
{
    const std::string words = lowerCase(text);
    const rewrite::Rewrite *best = nullptr;
    std::size_t longest = 0;
    for (const auto &candidate : rewrite::allRewrites()) {
        if (words.find(candidate->name()) != std::string::npos)
            return candidate.get();
        for (const std::string &keyword : candidate->keywords())
            if (keyword.size() > longest && words.find(keyword) != std::string::npos) {
                longest = keyword.size();
                best = candidate.get();
            }
    }
    return best;
}

} // namespace

rewrite::ModelContext modelContextOf(const Task &task)
{
    rewrite::ModelContext context;
    for (const TaskLayout &layout : task.layouts)
        context.layouts.push_back(layout.arguments);
    if (context.layouts.empty()) {
        std::vector<Shape> shapes;
        for (const TaskArgument &argument : task.arguments)
            shapes.push_back(argument.scalar ? Shape{} : argument.shape);
        context.layouts.push_back(std::move(shapes));
    }
    return context;
}

// A text with its tree and model; the model refers to the tree.
struct OfflineAgent::Parsed
{
    nki::SyntaxTree tree;
    std::optional<KernelModel> model;
};

// Something to try, with what it promises.
struct OfflineAgent::Idea
{
    std::string rewrite;
    std::string title;
    std::string text;
    std::string directive;
    double promise = 1;
};

struct OfflineAgent::Known
{
    std::string source;
    Profile profile;
    std::vector<Idea> ideas;
};

OfflineAgent::OfflineAgent(rewrite::ModelContext context, std::string python)
    : m_context(std::move(context)),
      m_helper(std::move(python))
{}

OfflineAgent::~OfflineAgent() = default;

Result<std::unique_ptr<OfflineAgent::Parsed>> OfflineAgent::parse(const std::string &source)
{
    ACCELOPT_TRY(nki::Parsed tree, m_helper.parse(source));
    if (!tree)
        return fail(ErrorCode::NotGood,
                    fmt::format("the kernel cannot be parsed (line {}: {})",
                                tree.error().place.line, tree.error().message),
                    "Only a kernel that compiles can be improved.");
    auto parsed = std::make_unique<Parsed>(Parsed{std::move(*tree), std::nullopt});
    ACCELOPT_TRY(KernelModel model, KernelModel::build(parsed->tree, m_context));
    parsed->model = std::move(model);
    return parsed;
}

Result<std::string> OfflineAgent::applyEverywhere(const std::string &source,
                                                  const std::string &name, const EngineLoad &now,
                                                  double &estimatedSpeedup, int &places)
{
    std::string current = source;
    std::optional<EngineLoad> offset;
    estimatedSpeedup = 1;
    for (places = 0; places < kMaximumPlaces; ++places) {
        ACCELOPT_TRY(const std::unique_ptr<Parsed> parsed, parse(current));
        EngineLoad load = rewrite::estimate(*parsed->model);
        if (!offset) {
            // What the profile knows better than the estimate stays true while the text changes.
            offset = now;
            *offset -= load;
        }
        load += *offset;
        const std::vector<RewriteSite> sites = rewrite::findSites(*parsed->model, load);
        const auto best = std::find_if(sites.begin(), sites.end(), [&](const RewriteSite &site) {
            return site.rewrite == name;
        });
        if (best == sites.end() || best->estimatedSpeedup < kWorthTrying)
            break;
        estimatedSpeedup *= best->estimatedSpeedup;
        ACCELOPT_TRY(current, rewrite::applyRewrite(*parsed->model, name, best->parameters));
    }
    if (places == 0)
        return fail(ErrorCode::NotGood,
                    "the rewrite " + name + " promises no gain anywhere in this kernel");
    return current;
}

Result<std::vector<OfflineAgent::Idea>> OfflineAgent::freshIdeas(const std::string &source,
                                                                 const Profile &profile)
{
    ACCELOPT_TRY(const std::unique_ptr<Parsed> parsed, parse(source));
    std::vector<Idea> result;
    std::map<std::string, std::set<int>> lines;
    for (const RewriteSite &site : rewrite::findSites(*parsed->model, profile)) {
        if (site.estimatedSpeedup < kWorthTrying)
            continue;
        result.push_back(
            {site.rewrite, site.title,
             fmt::format("{} Why: {}. Expected: {}.", site.prose, site.reason, site.counters),
             json{{"rewrite", site.rewrite}, {"parameters", site.parameters}}.dump(),
             site.estimatedSpeedup});
        lines[site.rewrite].insert(site.place.line);
    }
    const EngineLoad now = rounded(rewrite::estimate(*parsed->model, profile));
    const json busy{now.tensor, now.vector, now.scalar, now.dma};
    for (const auto &[name, places] : lines) {
        if (places.size() < 2)
            continue;
        double promise = 1;
        int count = 0;
        if (!applyEverywhere(source, name, now, promise, count) || count < 2)
            continue;
        const rewrite::Rewrite &rewrite = *rewrite::findRewrite(name);
        result.push_back(
            {name, fmt::format("{} in {} places", name, count),
             fmt::format(
                 "Carry out the rewrite {} at each of the {} places where it promises a gain. It "
                 "requires that {}. Why: {}. Expected: {}.",
                 name, count, rewrite.precondition(), rewrite.reason(), rewrite.counters()),
             json{{"rewrite", name}, {"everywhere", true}, {"busy_ms", busy}}.dump(), promise});
    }
    return result;
}

Result<std::vector<OfflineAgent::Idea>> OfflineAgent::ideas(const search::PlannerQuestion &question)
{
    if (!m_known || m_known->source != question.source || !(m_known->profile == question.profile)) {
        ACCELOPT_TRY(std::vector<Idea> fresh, freshIdeas(question.source, question.profile));
        m_known =
            std::make_unique<Known>(Known{question.source, question.profile, std::move(fresh)});
    }
    std::vector<Idea> result;
    for (Idea idea : m_known->ideas) {
        bool drop = false;
        double weight = 1;
        for (const search::PastAttempt &past : question.past) {
            if (past.parent == question.candidate) {
                // Compared as JSON: the order of fields says nothing.
                drop = drop || directiveOf(past.directive) == directiveOf(idea.directive);
            } else if (past.planTitle == idea.title && rewriteOf(past.directive) == idea.rewrite) {
                if (past.verdict != VerdictStatus::Correct)
                    drop = true;
                else if (past.speedup < 1)
                    weight *= kDisappointment;
            }
        }
        if (drop)
            continue;
        for (const search::Experience &item : question.experiences) {
            const auto tag = item.tags.find("rewrite");
            if (tag != item.tags.end() && tag->second == idea.rewrite)
                weight *= item.positive ? kPraise : kWarning;
        }
        idea.promise = 1 + (idea.promise - 1) * weight;
        result.push_back(std::move(idea));
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const Idea &a, const Idea &b) { return a.promise > b.promise; });
    return result;
}

Result<search::PlannerAnswer> OfflineAgent::choosePlan(const search::PlannerQuestion &question)
{
    ACCELOPT_TRY(const std::vector<Idea> left, ideas(question));
    const auto sample = static_cast<std::size_t>(std::max(question.slot.plan, 0));
    if (sample >= left.size())
        return fail(
            ErrorCode::NotGood,
            left.empty()
                ? std::string("no rewrite promises a gain for this kernel that was not tried")
                : fmt::format("only {} rewrites are left to try for this kernel", left.size()),
            "Other agents, or a person, may have more ideas.");
    const Idea &idea = left[sample];
    return search::PlannerAnswer{idea.title, idea.text, idea.directive};
}

Result<std::string> OfflineAgent::applyByWords(const std::string &source, const Plan &plan)
{
    const rewrite::Rewrite *meant = rewriteMeant(plan.title + "\n" + plan.text);
    if (!meant) {
        std::string names;
        for (const auto &candidate : rewrite::allRewrites())
            names += (names.empty() ? "" : ", ") + std::string(candidate->name());
        return fail(ErrorCode::NotGood, "the offline agent does not understand this plan",
                    "Name one of its rewrites in the plan: " + names + ".");
    }
    ACCELOPT_TRY(const std::unique_ptr<Parsed> parsed, parse(source));
    const RewriteSite *best = nullptr;
    int bestMatches = -1;
    const std::vector<RewriteSite> sites = rewrite::findSites(*parsed->model);
    for (const RewriteSite &site : sites) {
        if (site.rewrite != meant->name())
            continue;
        // Among equals the plan's own words decide: names and numbers of the site's title found in
        // it.
        int matches = 0;
        std::size_t at = 0;
        while (at < site.title.size()) {
            const std::size_t end = std::min(site.title.find(' ', at), site.title.size());
            const std::string word = site.title.substr(at, end - at);
            if (word.size() > 1 && plan.text.find(word) != std::string::npos)
                ++matches;
            at = end + 1;
        }
        if (matches > bestMatches) {
            bestMatches = matches;
            best = &site;
        }
    }
    if (!best)
        return fail(
            ErrorCode::NotGood,
            fmt::format("the plan means the rewrite {}, which applies nowhere in this kernel",
                        meant->name()),
            "It requires: " + std::string(meant->precondition()) + ".");
    return rewrite::applyRewrite(*parsed->model, best->rewrite, best->parameters);
}

Result<search::ExecutorAnswer> OfflineAgent::carryOut(const search::ExecutorQuestion &question)
{
    if (question.repair > 0)
        return fail(ErrorCode::NotGood,
                    "the offline agent writes one kernel per plan and cannot repair it");
    std::string source;
    if (question.plan.directive.empty()) {
        ACCELOPT_TRY(source, applyByWords(question.source, question.plan));
    } else {
        const json directive = directiveOf(question.plan.directive);
        const std::string name = rewriteOf(question.plan.directive);
        if (name.empty())
            return fail(ErrorCode::NotGood,
                        "the plan's directive is not one of the offline agent's", {},
                        question.plan.directive);
        if (directive.value("everywhere", false)) {
            double promise = 1;
            int places = 0;
            const std::optional<EngineLoad> busy = busyOf(directive);
            if (!busy)
                return fail(ErrorCode::NotGood,
                            "the plan's directive does not say how busy the engines are", {},
                            question.plan.directive);
            ACCELOPT_TRY(source, applyEverywhere(question.source, name, *busy, promise, places));
        } else {
            ACCELOPT_TRY(const std::unique_ptr<Parsed> parsed, parse(question.source));
            ACCELOPT_TRY(source,
                         rewrite::applyRewrite(*parsed->model, name,
                                               directive.value("parameters", json::object())));
        }
    }
    ACCELOPT_TRY(const nki::Parsed check, m_helper.parse(source));
    if (!check)
        return fail(ErrorCode::Internal, "the rewritten kernel is not Python any more", {},
                    check.error().message);
    return search::ExecutorAnswer{std::move(source)};
}

search::SummarizerAnswer OfflineAgent::distil(const search::SummarizerQuestion &question)
{
    search::SummarizerAnswer answer;
    if (nki::kernelIdentity(question.slowSource) == nki::kernelIdentity(question.fastSource)) {
        answer.declined = true;
        return answer;
    }
    std::string name = rewriteOf(question.plan.directive);
    const rewrite::Rewrite *known =
        name.empty() ? rewriteMeant(question.plan.title + "\n" + question.plan.text)
                     : rewrite::findRewrite(name);
    const std::string what =
        question.plan.title.empty() ? std::string("this change") : question.plan.title;
    answer.title = question.positive ? what : "Avoid: " + what;
    if (known) {
        name = known->name();
        answer.strategy = question.positive ? fmt::format("{}: {}. It applies when {}.", name,
                                                          known->reason(), known->precondition())
                                            : fmt::format("{} did not pay here although {}.", name,
                                                          known->reason());
    } else {
        answer.strategy = question.plan.text;
    }
    answer.strategy += fmt::format(
        " Latency {:.4g} ms in the slow kernel, {:.4g} ms in the fast one ({:.3g}x).",
        question.slowProfile.latencyMs, question.fastProfile.latencyMs, question.speedup);
    const std::string counters = movedCounters(question.slowProfile, question.fastProfile);
    if (!counters.empty())
        answer.strategy += " From slow to fast: " + counters + ".";
    std::tie(answer.before, answer.after) = changedLines(question.slowSource, question.fastSource);
    if (!name.empty())
        answer.tags["rewrite"] = name;
    if (!question.slowProfile.bound.empty())
        answer.tags["bound"] = question.slowProfile.bound;
    answer.tags["dialect"] = "nki-classic";
    return answer;
}

void OfflineAgent::plan(const CallId &, search::PlannerQuestion question,
                        std::function<void(search::RoleReply<search::PlannerAnswer>)> done)
{
    done(reply(choosePlan(question)));
}

void OfflineAgent::write(const CallId &, search::ExecutorQuestion question,
                         std::function<void(search::RoleReply<search::ExecutorAnswer>)> done)
{
    done(reply(carryOut(question)));
}

void OfflineAgent::summarize(const CallId &, search::SummarizerQuestion question,
                             std::function<void(search::RoleReply<search::SummarizerAnswer>)> done)
{
    done(reply(Result<search::SummarizerAnswer>(distil(question))));
}

} // namespace accelopt::agents
