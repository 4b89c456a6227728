// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace accelopt {

/// What the profiler says of a kernel.
enum class VerdictStatus { Correct, Wrong, NotCompiling, RunFailed, Suspicious, Unsupported };

/// A place in a source text; lines and columns count from 1, columns in bytes. Line 0: no place
/// known.
struct SourcePlace
{
    int line = 0;
    int column = 0;
    int endLine = 0;
    int endColumn = 0;
    bool operator==(const SourcePlace &) const = default;
};

/// Why a kernel was given its verdict.
struct Reason
{
    /// "language", "structure", "dependence", "numbers", "plausibility" or "run".
    std::string layer;
    std::string rule; ///< NKI's own error name where it has one ("err_tensor_access_out_of_bound")
    std::string message; ///< what NKI requires and the value found
    std::string hint;    ///< what would be legal
    SourcePlace place;
    bool operator==(const Reason &) const = default;
};

/// The judgement of one kernel on one task. `figures` holds what was measured while checking
/// ("relative_l2", "worst_element", "checked_share" 0-1, "seeds").
struct Verdict
{
    VerdictStatus status = VerdictStatus::RunFailed;
    std::vector<Reason> reasons;
    std::map<std::string, double> figures;
    bool simulated = true;

    bool correct() const { return status == VerdictStatus::Correct; }
    bool operator==(const Verdict &) const = default;
};

/// The name used in JSON and in files: "correct", "wrong", "not_compiling", "run_failed",
/// "suspicious", "unsupported".
std::string_view name(VerdictStatus status);
std::optional<VerdictStatus> verdictStatus(std::string_view name);
/// Every status, in the order in which tables list them.
inline constexpr VerdictStatus kVerdictStatuses[] = {
    VerdictStatus::Correct,   VerdictStatus::Wrong,      VerdictStatus::NotCompiling,
    VerdictStatus::RunFailed, VerdictStatus::Suspicious, VerdictStatus::Unsupported};

void to_json(nlohmann::json &json, const SourcePlace &place);
void from_json(const nlohmann::json &json, SourcePlace &place);
void to_json(nlohmann::json &json, const Reason &reason);
void from_json(const nlohmann::json &json, Reason &reason);
void to_json(nlohmann::json &json, const Verdict &verdict);
void from_json(const nlohmann::json &json, Verdict &verdict);

/// The offending line of `source` with a caret under the place, in two lines; empty when the place
/// is unknown or outside the source. Long lines are cut around the caret.
std::string caretText(std::string_view source, const SourcePlace &place);

} // namespace accelopt
