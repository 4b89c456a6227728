// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/IdeaFinder.h"

#include "core/nki/syntax/Lexer.h"
#include "core/rewrite/Rewrite.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace accelopt::agents {

using rewrite::EngineLoad;
using rewrite::Proposal;

namespace {

constexpr double kWorthTrying = OfflineExecutor::kWorthTrying;
// Places of one rewrite that are kept although they promise nothing.
constexpr int kMostUnsurePlaces = 4;
// Kernels from which chains start, surely good ones and others, and how far they go.
constexpr int kMostSureSeeds = 8;
constexpr int kMostUnsureSeeds = 6;
constexpr int kMostSteps = 4;
// Kernels that are looked at for one candidate, so that planning stays cheaper than judging; fewer
// of long ones, which take longer.
constexpr int kMostOpens = 64;
constexpr int kFewestOpens = 24;
constexpr int kUsualStatements = 40;

/// The counters that a finding is about, as they appear in what rewrites say they move.
std::vector<std::string_view> countersOf(const Finding &finding)
{
    if (finding.rule == "spill")
        return {"spill", "hbm_"};
    if (finding.rule == "input_reload")
        return {"hbm_read", "dma"};
    if (finding.rule == "small_transfers")
        return {"dma"};
    if (finding.rule == "transposes")
        return {"transpose", "tensor_engine"};
    std::vector<std::string_view> counters;
    for (const auto &[word, counter] :
         {std::pair{"vector engine", "vector_engine"}, std::pair{"scalar engine", "scalar_engine"},
          std::pair{"tensor engine", "tensor_engine"}, std::pair{"DMA", "dma"}})
        if ((finding.condition + finding.cause).find(word) != std::string::npos)
            counters.push_back(counter);
    return counters;
}

std::vector<std::string> distinctNames(const std::vector<Step> &steps)
{
    std::vector<std::string> names;
    for (const Step &step : steps)
        if (std::find(names.begin(), names.end(), step.name()) == names.end())
            names.push_back(step.name());
    return names;
}

std::string whyWords(const rewrite::Rewrite &rewrite)
{
    return fmt::format("Why: {}. Expected: {}.", rewrite.reason(), rewrite.counters());
}

std::string lowerFirst(std::string text)
{
    if (text.size() > 1 && text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a' && text[1] <= 'z')
        text[0] = static_cast<char>(text[0] - 'A' + 'a');
    return text;
}

} // namespace

bool IdeaFinder::add(Idea idea)
{
    if (!m_seen.insert(idea.result).second)
        return false;
    idea.names = distinctNames(idea.steps);
    idea.directive = directiveOf(idea.steps);
    m_ideas.push_back(std::move(idea));
    return true;
}

void IdeaFinder::judgeEvidence(Idea &idea, const SourcePlace &place,
                               std::string_view counters) const
{
    double all = 0;
    double here = 0;
    bool known = false;
    for (const LineCost &line : m_profile.lines) {
        all += line.busyNs;
        if (line.line >= place.line && line.line <= std::max(place.line, place.endLine)) {
            here += line.busyNs;
            known = true;
        }
    }
    // A line without instructions of its own (a loop's head, a size) says nothing.
    if (known && all > 0)
        idea.evidence = here / all < 0.002 ? 0.3 : 1 + here / all;
    for (const Finding &finding : m_profile.findings)
        for (const std::string_view counter : countersOf(finding))
            if (counters.find(counter) != std::string_view::npos) {
                idea.evidence *= 1.25;
                return;
            }
}

void IdeaFinder::addSites(const OpenKernel &kernel)
{
    std::map<std::string_view, int> unsure;
    std::map<std::string_view, int> seeds;
    const bool prepared = !m_prepared.idea.steps.empty();
    for (const Opportunity &site : kernel.opportunities(m_now)) {
        const std::string_view name = site.rewrite->name();
        const Proposal *proposal = site.proposal;
        if (site.rewrite->prepares() ||
            (prepared && m_found.contains({std::string(name), proposal->title})))
            continue;
        if (!prepared)
            m_found.emplace(name, proposal->title);
        const bool sure = site.estimatedSpeedup >= kWorthTrying;
        if (!sure && ++unsure[name] > kMostUnsurePlaces)
            continue;
        const Result<std::string> source = proposal->edits.apply();
        if (!source)
            continue;
        Idea idea;
        idea.kind = sure ? IdeaKind::Site : IdeaKind::Unsure;
        idea.steps = m_prepared.idea.steps;
        idea.steps.push_back(Step{Step::Kind::Place, std::string(name), proposal->parameters, {}});
        idea.title = proposal->title;
        idea.text =
            fmt::format("{}{} {}", m_prepared.idea.text, proposal->prose, whyWords(*site.rewrite));
        if (!proposal->opens.empty())
            idea.text += fmt::format(" It opens the way for more: {}.", proposal->opens);
        idea.result = nki::kernelIdentity(*source);
        idea.promise = site.estimatedSpeedup;
        // The profile knows the lines of the kernel as it is.
        judgeEvidence(idea, prepared ? SourcePlace{} : proposal->place, site.rewrite->counters());
        // A first step that others need is followed up even when a better place of it is.
        const int mostSeeds = proposal->opens.empty() && sure ? 1 : 2;
        if (add(idea) && seeds[name]++ < mostSeeds) {
            if (!proposal->opens.empty())
                idea.kind = IdeaKind::Unsure;
            m_seeds.push_back({std::move(idea), *source});
        }
    }
}

// Gives what a person writes in one expression a line for each operation, and looks for sites
// there.
Result<void> IdeaFinder::prepare(const OpenKernel &kernel)
{
    for (const std::unique_ptr<rewrite::Rewrite> &rewrite : rewrite::allRewrites()) {
        if (!rewrite->prepares())
            continue;
        const std::vector<Opportunity> places = kernel.opportunities(*rewrite, m_now);
        if (places.empty())
            continue;
        const Proposal &proposal = *places.front().proposal;
        ACCELOPT_TRY(m_prepared.source, proposal.edits.apply());
        m_prepared.idea.steps = {
            Step{Step::Kind::Place, std::string(rewrite->name()), proposal.parameters, {}}};
        m_prepared.idea.text = proposal.prose + " Then: ";
        ACCELOPT_TRY(const std::shared_ptr<const OpenKernel> prepared,
                     m_workshop.open(m_prepared.source));
        addSites(*prepared);
        return {};
    }
    return {};
}

void IdeaFinder::addEverywhere(const OpenKernel &kernel)
{
    std::map<std::string, std::set<int>> lines;
    for (const Opportunity &site : kernel.opportunities(m_now))
        if (site.estimatedSpeedup >= kWorthTrying)
            lines[std::string(site.rewrite->name())].insert(site.proposal->place.line);
    const EngineLoad busy = rounded(m_now);
    for (const auto &[name, places] : lines) {
        if (places.size() < 2)
            continue;
        const Result<EverywhereResult> result = m_executor.everywhere(kernel.source(), name, busy);
        if (!result || result->places < 2)
            continue;
        const rewrite::Rewrite &rewrite = *rewrite::findRewrite(name);
        Idea idea;
        idea.steps = {Step{Step::Kind::Everywhere, name, {}, busy}};
        idea.title = fmt::format("{} in {} places", name, result->places);
        idea.text =
            fmt::format("Carry out the rewrite {} at each of the {} places where it promises a "
                        "gain. It requires that {}. {}",
                        name, result->places, rewrite.precondition(), whyWords(rewrite));
        idea.result = nki::kernelIdentity(result->source);
        idea.promise = result->estimatedSpeedup;
        judgeEvidence(idea, {}, rewrite.counters());
        if (!add(idea))
            continue;
        // What follows starts from all places rather than from the best one.
        const auto seed =
            std::find_if(m_seeds.begin(), m_seeds.end(), [&, n = name](const auto &one) {
                return one.idea.steps.front().rewrite == n && one.idea.kind == IdeaKind::Site;
            });
        if (seed != m_seeds.end())
            *seed = {std::move(idea), result->source};
    }
}

// Takes the step that promises most after those of the path.
bool IdeaFinder::extend(Path &path)
{
    if (++m_opens > m_mostOpens)
        return false;
    const auto kernel = m_workshop.open(path.source);
    if (!kernel)
        return false;
    EngineLoad load = (*kernel)->load();
    load += m_offset;
    const std::vector<Opportunity> sites = (*kernel)->opportunities(load);
    if (sites.empty() || sites.front().estimatedSpeedup < kWorthTrying)
        return false;
    const Opportunity &best = sites.front();
    const std::string name(best.rewrite->name());
    std::set<int> lines;
    for (const Opportunity &site : sites)
        if (site.rewrite == best.rewrite && site.estimatedSpeedup >= kWorthTrying)
            lines.insert(site.proposal->place.line);
    Step step{Step::Kind::Place, name, best.proposal->parameters, {}};
    std::string title = best.proposal->title;
    std::string text = best.proposal->prose;
    double promise = best.estimatedSpeedup;
    std::string source;
    if (lines.size() > 1) {
        const EngineLoad busy = rounded(load);
        auto everywhere = m_executor.everywhere(path.source, name, busy);
        if (!everywhere)
            return false;
        m_opens += everywhere->places;
        step = {Step::Kind::Everywhere, name, {}, busy};
        if (everywhere->places > 1) {
            title = fmt::format("{} in {} places", name, everywhere->places);
            text = fmt::format("Carry out the rewrite {} at each of the {} places where it then "
                               "promises a gain.",
                               name, everywhere->places);
        }
        promise = everywhere->estimatedSpeedup;
        source = std::move(everywhere->source);
    } else {
        auto written = best.proposal->edits.apply();
        if (!written)
            return false;
        source = std::move(*written);
    }
    path.source = std::move(source);
    path.idea.steps.push_back(std::move(step));
    path.idea.title += "; then " + lowerFirst(title);
    path.idea.text += fmt::format(" Then: {} {}", text, whyWords(*best.rewrite));
    path.idea.promise *= promise;
    path.idea.result = nki::kernelIdentity(path.source);
    return true;
}

void IdeaFinder::addChains()
{
    std::stable_sort(m_seeds.begin(), m_seeds.end(),
                     [](const Path &a, const Path &b) { return a.idea.promise > b.idea.promise; });
    int sure = 0;
    int unsure = 0;
    for (Path path : m_seeds) {
        const bool good = path.idea.kind == IdeaKind::Site;
        if (++(good ? sure : unsure) > (good ? kMostSureSeeds : kMostUnsureSeeds))
            continue;
        path.idea.kind = good ? IdeaKind::Chain : IdeaKind::Unsure;
        for (int step = 1; step < kMostSteps && extend(path); ++step)
            add(path.idea);
    }
}

void IdeaFinder::addSettings(const OpenKernel &kernel)
{
    for (const Setting &setting : settings(kernel.model(), m_now)) {
        const Result<std::string> source = setting.proposal.edits.apply();
        if (!source)
            continue;
        Idea idea;
        idea.kind = IdeaKind::Setting;
        idea.steps = {Step{Step::Kind::Tune, {}, setting.proposal.parameters, {}}};
        idea.title = setting.proposal.title;
        idea.text = setting.proposal.prose;
        idea.result = nki::kernelIdentity(*source);
        idea.promise = setting.estimatedSpeedup;
        idea.turning = setting.turning;
        add(std::move(idea));
    }
}

Result<std::vector<Idea>> IdeaFinder::find(const std::string &source)
{
    ACCELOPT_TRY(const std::shared_ptr<const OpenKernel> kernel, m_workshop.open(source));
    m_seen = {kernel->id()};
    const auto statements = static_cast<int>(kernel->model().statements().size());
    m_mostOpens = std::clamp(kMostOpens * kUsualStatements / std::max(statements, 1), kFewestOpens,
                             kMostOpens);
    m_now = rewrite::estimate(kernel->model(), m_profile);
    m_offset = m_now;
    m_offset -= kernel->load();
    addSites(*kernel);
    addEverywhere(*kernel);
    ACCELOPT_CHECK(prepare(*kernel));
    addChains();
    addSettings(*kernel);
    return std::move(m_ideas);
}

} // namespace accelopt::agents
