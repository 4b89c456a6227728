// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/PromptTemplate.h"

#include "core/domain/Resources.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::agents {
namespace {

constexpr std::string_view kSlotOpen = "{{";
constexpr std::string_view kSlotClose = "}}";

/// Without the licence comment that every file of the repository begins with.
std::string_view withoutLicence(std::string_view text)
{
    while (text.starts_with("<!--")) {
        const std::size_t end = text.find("-->");
        if (end == std::string_view::npos)
            return text;
        text.remove_prefix(end + 3);
        while (text.starts_with('\n'))
            text.remove_prefix(1);
    }
    return text;
}

} // namespace

Result<std::string> fillTemplate(std::string_view text, const PromptSlots &given,
                                 std::string_view name)
{
    std::string filled;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end);
        bool empty = true; // nothing on this line but slots without text
        bool hasSlot = false;
        std::string made;
        while (!line.empty()) {
            const std::size_t open = line.find(kSlotOpen);
            const std::string_view before = line.substr(0, open);
            made += before;
            empty = empty && before.find_first_not_of(" \n") == std::string_view::npos;
            if (open == std::string_view::npos)
                break;
            const std::size_t close = line.find(kSlotClose, open);
            if (close == std::string_view::npos)
                return fail(ErrorCode::Internal,
                            fmt::format("the prompt {} has a slot that is not closed", name));
            const std::string_view slot =
                line.substr(open + kSlotOpen.size(), close - open - kSlotOpen.size());
            const auto found = given.find(slot);
            if (found == given.end())
                return fail(
                    ErrorCode::Internal,
                    fmt::format("the prompt {} has a slot {} that nothing fills", name, slot));
            hasSlot = true;
            made += found->second;
            empty = empty && found->second.empty();
            line.remove_prefix(close + kSlotClose.size());
        }
        if (!(hasSlot && empty))
            filled += made;
    }
    return filled;
}

Result<std::string> fillPrompt(std::string_view name, const PromptSlots &given)
{
    const std::string_view text = resource(fmt::format("prompts/nki-classic/{}.md", name));
    if (text.empty())
        return fail(ErrorCode::Internal, fmt::format("there is no prompt {}", name));
    return fillTemplate(withoutLicence(text), given, name);
}

} // namespace accelopt::agents
