// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace accelopt {

/// What kind of failure an Error is; decides the exit status of a program (ARCHITECTURE: command
/// line).
enum class ErrorCode {
    WrongUse,    ///< the caller asked for something that does not exist or makes no sense; exit 2
    NotGood,     ///< the thing examined is not good; exit 1
    Environment, ///< the machine lacks something (program, disk, permission); exit 3
    Format,      ///< a file is not in the expected form; exit 2
    Newer,       ///< a file was written by a newer version of the workbench; exit 3
    Busy,        ///< another process holds what was asked for; exit 3
    Service,     ///< a partner (model server, worker, host) failed; exit 3
    Cancelled,   ///< stopped on request; exit 1
    Internal,    ///< a defect of ours; exit 3
};

/// A failure told to a person: what happened and where (message), what to do next (hint). `detail`
/// is for logs and bug reports only.
struct Error
{
    ErrorCode code = ErrorCode::Internal;
    std::string message;
    std::string hint;
    std::string detail;
};

/// A value, or the Error that kept it from being made.
template <typename T> using Result = tl::expected<T, Error>;

/// Shorthand for `return` in functions that give a Result.
inline tl::unexpected<Error> fail(ErrorCode code, std::string message, std::string hint = {},
                                  std::string detail = {})
{
    return tl::unexpected<Error>(
        Error{code, std::move(message), std::move(hint), std::move(detail)});
}

/// Exit status of the programs for a failure (0 is success and has no ErrorCode).
int exitStatus(ErrorCode code);

/// "message. hint" on one line, the way the terminal programs print a failure.
std::string describe(const Error &error);

} // namespace accelopt

// `ACCELOPT_TRY(auto x, f());` binds the value of a Result or returns its error to the caller.
#define ACCELOPT_CONCAT_INNER(a, b) a##b
#define ACCELOPT_CONCAT(a, b) ACCELOPT_CONCAT_INNER(a, b)
#define ACCELOPT_TRY(declaration, expression)                                                      \
    auto ACCELOPT_CONCAT(tryResult, __LINE__) = (expression);                                      \
    if (!ACCELOPT_CONCAT(tryResult, __LINE__))                                                     \
        return tl::unexpected(std::move(ACCELOPT_CONCAT(tryResult, __LINE__).error()));            \
    declaration = std::move(*ACCELOPT_CONCAT(tryResult, __LINE__))
/// The same for a Result<void>.
#define ACCELOPT_CHECK(expression)                                                                 \
    if (auto ACCELOPT_CONCAT(tryResult, __LINE__) = (expression);                                  \
        !ACCELOPT_CONCAT(tryResult, __LINE__))                                                     \
    return tl::unexpected(std::move(ACCELOPT_CONCAT(tryResult, __LINE__).error()))
