// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runner/PersonsEvents.h"

#include "core/search/Fold.h"

namespace accelopt::runner {

namespace {

bool isPersons(const EventBody &body)
{
    return std::holds_alternative<PersonDecided>(body) || std::holds_alternative<PlanMade>(body) ||
           std::holds_alternative<AttemptMade>(body) || std::holds_alternative<CallFailed>(body);
}

} // namespace

Result<void> refuseIgnored(const search::State &state, const std::vector<EventBody> &bodies)
{
    search::State tried = state;
    for (const EventBody &body : bodies) {
        if (!isPersons(body))
            return fail(ErrorCode::WrongUse,
                        "only decisions, plans and kernels of a person's can be added to a run",
                        "nothing was changed");
        const std::size_t before = tried.complaints.size();
        search::apply(tried, Event{tried.lastSequence + 1, "human", 0, body});
        if (tried.complaints.size() > before) {
            // The number of the event in front means nothing before it is written.
            const std::string &complaint = tried.complaints.back();
            const std::size_t at = complaint.find(": ");
            return fail(ErrorCode::WrongUse, complaint.substr(at == std::string::npos ? 0 : at + 2),
                        "nothing was changed");
        }
    }
    return {};
}

} // namespace accelopt::runner
