// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"
#include "core/domain/Search.h"

#include <functional>
#include <string>
#include <vector>

namespace accelopt::agents {

/// One turn of a conversation.
struct PromptMessage
{
    std::string speaker; ///< "system", "user" or "assistant"
    std::string text;
};

/// A prompt on its way to whoever answers.
struct Letter
{
    CallId call;
    RoleName role = RoleName::Planner;
    std::vector<PromptMessage> messages;
    /// What to send instead when that is too long for the reader; empty: nothing shorter is known.
    std::vector<PromptMessage> shorter;
};

/// What came back for a letter.
struct LetterReply
{
    /// The answer's words. Environment error: the service is down or misses something, ask again
    /// later. Any other error: this letter has no answer.
    Result<std::string> text;
    std::string reasoning; ///< where the text is empty: what was thought instead of said
    Usage usage;
    std::string author;
    std::string sent;     ///< for the record
    std::string received; ///< for the record
};

/// Someone who answers prompts: a model server, an outside program, a person.
class Correspondent
{
public:
    using Done = std::function<void(LetterReply)>;

    virtual ~Correspondent() = default;
    /// `done` is called once, later, on this thread.
    virtual void ask(Letter letter, Done done) = 0;
    virtual int callsAtOnce() const = 0;
    /// Gives up every letter; their `done` is not called any more.
    virtual void cancelAll() = 0;
};

/// The messages as a person reads them, each under its speaker's name.
std::string readable(const std::vector<PromptMessage> &messages);

} // namespace accelopt::agents
