// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/Correspondent.h"

namespace accelopt::agents {

std::string readable(const std::vector<PromptMessage> &messages)
{
    std::string text;
    for (const PromptMessage &message : messages) {
        text += "===== " + message.speaker + " =====\n" + message.text;
        if (!text.ends_with('\n'))
            text += '\n';
    }
    return text;
}

} // namespace accelopt::agents
