// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace accelopt::agents {

/// What became of one exchange with a model server; decides what is done next.
enum class ChatClass {
    Good,
    Network,   ///< no connection, or none before the first byte: again after a while
    Transient, ///< the server is overloaded or broken: again after a while
    Rate,      ///< too many requests: the whole endpoint slows down
    Money,     ///< quota or budget used up: no retry helps
    Auth,      ///< the key is missing or refused
    Config,    ///< no such model or address
    Context,   ///< the prompt is too long: never the same request again
    Request,   ///< the server refuses the request for another reason
    Truncated, ///< the answer reached its limit of tokens
    Filtered,  ///< refused by a content filter
    Empty,     ///< an answer without text
    Cut,       ///< the stream ended before its end mark
    Stall,     ///< nothing came for too long
};

/// Why an exchange failed, in words a person can act on.
struct ChatFailure
{
    ChatClass kind = ChatClass::Good;
    std::string message;
    std::optional<double> retryAfterSeconds;
};

/// A failure by the status and the body of an answer. Takes the error shapes of the known servers:
/// nested, flat, {"detail": ...}, plain text, HTML. `retryAfter` is the header's text.
ChatFailure classifyStatus(int status, std::string_view body, std::string_view retryAfter);
/// A failure by an error object that came within a stream or with status 200.
ChatFailure classifyError(std::string_view json, int status);

/// Whether the same request may be sent again.
bool mayRetry(ChatClass kind);
/// Whether nobody should be asked before a person has looked.
bool stopsService(ChatClass kind);
/// "network", "rate", ... for messages and tests.
std::string_view name(ChatClass kind);
/// What a person can do about it.
std::string hintFor(ChatClass kind);

} // namespace accelopt::agents
