// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/domain/Result.h"

namespace accelopt {

int exitStatus(ErrorCode code)
{
    switch (code) {
    case ErrorCode::NotGood:
    case ErrorCode::Cancelled: return 1;
    case ErrorCode::WrongUse:
    case ErrorCode::Format: return 2;
    case ErrorCode::Environment:
    case ErrorCode::Newer:
    case ErrorCode::Busy:
    case ErrorCode::Service:
    case ErrorCode::Internal: return 3;
    }
    return 3;
}

std::string describe(const Error &error)
{
    if (error.hint.empty())
        return error.message;
    std::string text = error.message;
    if (!text.empty() && text.back() != '.' && text.back() != '!' && text.back() != '?')
        text += '.';
    return text + ' ' + error.hint;
}

} // namespace accelopt
