// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/Words.h"

#include <fmt/format.h>

namespace accelopt::search {

std::string milliseconds(double latencyMs)
{
    return fmt::format("{:.4g} ms", latencyMs);
}

std::string times(double speedup)
{
    return fmt::format("{:.3f}x", speedup);
}

std::string count(int number, const char *singular, const char *plural)
{
    return fmt::format("{} {}", number, number == 1 ? singular : plural);
}

std::string verdictWords(const Verdict &verdict)
{
    std::string text;
    switch (verdict.status) {
    case VerdictStatus::Correct: text = "correct"; break;
    case VerdictStatus::Wrong: text = "wrong"; break;
    case VerdictStatus::NotCompiling: text = "does not compile"; break;
    case VerdictStatus::RunFailed: text = "failed at run time"; break;
    case VerdictStatus::Suspicious: text = "suspicious"; break;
    case VerdictStatus::Unsupported: text = "not supported here"; break;
    }
    if (verdict.reasons.empty())
        return text;
    const Reason &reason = verdict.reasons.front();
    text += ": " + reason.message;
    if (reason.place.line > 0)
        text += fmt::format(" (line {})", reason.place.line);
    return text;
}

} // namespace accelopt::search
