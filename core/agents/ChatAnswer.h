// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/agents/ChatFailure.h"
#include "core/domain/Search.h"

#include <optional>
#include <string>
#include <string_view>

namespace accelopt::agents {

/// An answer of a chat model, put together from the events of its stream or from one JSON document.
/// Complete only with a reason for its end and, in a stream, the end mark.
class ChatAnswer
{
public:
    /// One event of a stream.
    void takeEvent(std::string_view data);
    /// A whole answer that was not streamed.
    void takeDocument(std::string_view body);

    const std::string &text() const { return m_text; }
    /// What the model thought before it answered, where the server tells.
    const std::string &reasoning() const { return m_reasoning; }
    const std::string &finishReason() const { return m_finishReason; }
    const std::string &model() const { return m_model; }
    bool hasUsage() const { return m_hasUsage; }
    /// Tokens only; calls and money are counted by whoever asked.
    const Usage &usage() const { return m_usage; }
    /// What is wrong with the answer now that no more will come; Good when nothing is.
    ChatFailure judge() const;
    /// Text, thinking, end and usage as one JSON document, to be kept with the call.
    std::string record() const;

private:
    void takeJson(std::string_view text);

    std::string m_text;
    std::string m_reasoning;
    std::string m_finishReason;
    std::string m_model;
    Usage m_usage;
    bool m_hasUsage = false;
    bool m_ended = false;
    std::optional<ChatFailure> m_failure;
};

} // namespace accelopt::agents
