// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/Calls.h"

#include "core/search/Random.h"

#include <charconv>
#include <fmt/format.h>

namespace accelopt::search {

namespace {

/// Reads "i2.c0.p3..." piece by piece; once something does not fit, everything after it fails too.
class NameReader
{
public:
    explicit NameReader(std::string_view text) : m_rest(text) {}

    bool word(std::string_view expected)
    {
        if (!m_rest.starts_with(expected))
            return false;
        m_rest.remove_prefix(expected.size());
        return true;
    }

    bool number(std::string_view before, int &value)
    {
        const std::string_view saved = m_rest;
        if (!word(before))
            return false;
        const char *end = m_rest.data() + m_rest.size();
        const auto [stop, error] = std::from_chars(m_rest.data(), end, value);
        if (error != std::errc() || value < 0) {
            m_rest = saved;
            return false;
        }
        m_rest.remove_prefix(static_cast<std::size_t>(stop - m_rest.data()));
        return true;
    }

    bool atEnd() const { return m_rest.empty(); }

private:
    std::string_view m_rest;
};

} // namespace

CallId planCall(const PlanSlot &slot)
{
    return CallId(planId(slot).value + ".plan");
}

CallId writeCall(const Turn &turn)
{
    if (turn.repair == 0)
        return CallId(describe(turn.slot) + ".write");
    return CallId(fmt::format("{}.r{}.write", describe(turn.slot), turn.repair));
}

CallId summaryCall(int iteration, int rank)
{
    return CallId(fmt::format("i{}.m{}.summary", iteration, rank));
}

CallId judgeCall(const KernelId &kernel, JudgePurpose purpose)
{
    return CallId("judge." + kernel.value +
                  (purpose == JudgePurpose::Search ? ".search" : ".confirmation"));
}

std::optional<CallPlace> callPlace(const CallId &call)
{
    NameReader reader(call.value);
    CallPlace place;
    PlanSlot &slot = place.turn.slot.plan;
    if (!reader.number("i", place.iteration))
        return std::nullopt;
    slot.iteration = place.iteration;
    if (reader.number(".m", place.rank)) {
        place.role = RoleName::Summarizer;
        if (reader.word(".summary") && reader.atEnd())
            return place;
        return std::nullopt;
    }
    if (!reader.number(".c", slot.candidate) || !reader.number(".p", slot.plan))
        return std::nullopt;
    if (reader.number(".a", place.turn.slot.attempt)) {
        place.role = RoleName::Executor;
        // Turn 0 has no number in its name.
        if (reader.number(".r", place.turn.repair) && place.turn.repair == 0)
            return std::nullopt;
        if (reader.word(".write") && reader.atEnd())
            return place;
        return std::nullopt;
    }
    if (reader.word(".plan") && reader.atEnd())
        return place;
    return std::nullopt;
}

std::uint64_t callSeed(std::uint64_t runSeed, const CallId &call)
{
    return mixSeed(runSeed, call.value);
}

} // namespace accelopt::search
