// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"

#include <map>
#include <string>
#include <string_view>

namespace accelopt::agents {

/// What fills the slots of a template, by name.
using PromptSlots = std::map<std::string, std::string, std::less<>>;

/// The text of prompts/nki-classic/NAME.md with its slots filled: {{slot}} stands for the text of
/// that name. A line that holds nothing but a slot disappears when the slot's text is empty. What
/// fills a slot is not looked through for further slots. Fails with Internal when the template does
/// not exist or has a slot that nothing fills.
Result<std::string> fillPrompt(std::string_view name, const PromptSlots &given);

/// The same for a template's text; `name` is for messages.
Result<std::string> fillTemplate(std::string_view text, const PromptSlots &given,
                                 std::string_view name);

} // namespace accelopt::agents
