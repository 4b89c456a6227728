// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/KernelNames.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <system_error>
#include <variant>

namespace accelopt::search {

namespace {

/// Shortest beginning of a hash that is taken for the whole.
constexpr std::size_t kShortestHash = 6;

std::string asTyped(std::string_view text)
{
    const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    while (!text.empty() && blank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && blank(text.back()))
        text.remove_suffix(1);
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

} // namespace

KernelNames::KernelNames(std::span<const Event> events)
{
    for (const Event &event : events)
        add(event);
}

void KernelNames::add(const Event &event)
{
    if (const auto *opened = std::get_if<RunOpened>(&event.body))
        add(opened->baseline);
    else if (const auto *made = std::get_if<AttemptMade>(&event.body))
        add(made->kernel);
}

void KernelNames::add(const KernelId &id)
{
    if (m_numbers.emplace(id, static_cast<int>(m_kernels.size())).second)
        m_kernels.push_back(id);
}

int KernelNames::number(const KernelId &id) const
{
    const auto it = m_numbers.find(id);
    return it == m_numbers.end() ? -1 : it->second;
}

std::string KernelNames::name(const KernelId &id) const
{
    const int place = number(id);
    return place < 0 ? shortId(id) : place == 0 ? "baseline" : fmt::format("k{}", place);
}

KernelId KernelNames::find(std::string_view text, const State &state) const
{
    const std::string typed = asTyped(text);
    if (typed == "baseline")
        return state.opened.baseline;
    if (typed == "best")
        return state.best;
    const char *const first = typed.data() + (typed.starts_with('k') ? 1 : 0);
    const char *const last = typed.data() + typed.size();
    std::size_t place = 0;
    const auto [end, status] = std::from_chars(first, last, place);
    if (first != last && status == std::errc() && end == last && place < m_kernels.size())
        return m_kernels[place];
    if (typed.size() < kShortestHash)
        return {};
    const auto found = m_numbers.lower_bound(KernelId(typed));
    if (found == m_numbers.end() || !found->first.value.starts_with(typed))
        return {};
    const auto next = std::next(found);
    return next != m_numbers.end() && next->first.value.starts_with(typed) ? KernelId()
                                                                           : found->first;
}

} // namespace accelopt::search
