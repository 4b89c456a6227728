// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/diff/DiffAlignment.h"

#include "core/report/TextDiff.h"

#include <algorithm>
#include <limits>

namespace accelopt::widgets {

namespace {

/// More lines of context than any kernel has, so that the comparison holds both texts whole.
constexpr int kEverything = std::numeric_limits<int>::max() / 4;

std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        lines.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return lines;
}

bool continuesCharacter(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// What two lines differ in: all between their common beginning and their common end.
void markParts(std::string_view left, std::string_view right, int leftLine, int rightLine,
               DiffAlignment &out)
{
    const std::size_t shorter = std::min(left.size(), right.size());
    std::size_t begin = 0;
    while (begin < shorter && left[begin] == right[begin])
        ++begin;
    while (begin > 0 && ((begin < left.size() && continuesCharacter(left[begin])) ||
                         (begin < right.size() && continuesCharacter(right[begin]))))
        --begin;
    std::size_t end = 0;
    while (end < shorter - begin && left[left.size() - 1 - end] == right[right.size() - 1 - end])
        ++end;
    while (end > 0 && continuesCharacter(left[left.size() - end]))
        --end;
    const auto add = [&](std::vector<ChangedPart> &parts, std::string_view line, int number) {
        if (line.size() > begin + end)
            parts.push_back({number, int(begin), int(line.size() - begin - end)});
    };
    add(out.left.parts, left, leftLine);
    add(out.right.parts, right, rightLine);
}

/// Collects rows from top to bottom.
class Builder
{
public:
    Builder(std::string_view left, std::string_view right)
        : m_leftLines(linesOf(left)),
          m_rightLines(linesOf(right))
    {
        m_out.left.marks.push_back(LineMark::Same);
        m_out.right.marks.push_back(LineMark::Same);
        m_out.rows = 1;
    }

    void same()
    {
        flush();
        m_out.left.marks.push_back(LineMark::Same);
        m_out.right.marks.push_back(LineMark::Same);
        ++m_out.rows;
    }
    void removed() { ++m_removed; }
    void added() { ++m_added; }

    void flush()
    {
        if (m_removed == 0 && m_added == 0)
            return;
        const int paired = std::min(m_removed, m_added);
        const int rows = std::max(m_removed, m_added);
        const int left = int(m_out.left.marks.size());
        const int right = int(m_out.right.marks.size());
        m_out.changes.push_back(
            {m_removed > 0 ? left : left - 1, m_added > 0 ? right : right - 1, m_out.rows, rows});
        for (int i = 0; i < paired; ++i)
            markParts(m_leftLines[std::size_t(left - 1 + i)],
                      m_rightLines[std::size_t(right - 1 + i)], left + i, right + i, m_out);
        const auto close = [&](DiffSide &side, int count) {
            for (int i = 0; i < count; ++i)
                side.marks.push_back(i < paired ? LineMark::Changed : LineMark::OnlyHere);
            if (rows > count)
                side.padding[int(side.marks.size()) - 1] += rows - count;
        };
        close(m_out.left, m_removed);
        close(m_out.right, m_added);
        m_out.rows += rows;
        m_removed = m_added = 0;
    }

    std::size_t lines() const { return std::min(m_leftLines.size(), m_rightLines.size()); }
    DiffAlignment take() { return std::move(m_out); }

private:
    std::vector<std::string_view> m_leftLines;
    std::vector<std::string_view> m_rightLines;
    DiffAlignment m_out;
    int m_removed = 0;
    int m_added = 0;
};

} // namespace

std::string shownText(std::string_view text)
{
    std::string shown;
    shown.reserve(text.size());
    std::size_t lineStart = 0;
    std::size_t cut = 0; // bytes of this line that are left out
    const auto endLine = [&] {
        if (cut > 0)
            shown += " … (" + std::to_string(cut) + " more bytes are not shown)";
        cut = 0;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n')
            continue;
        if (c == '\n' || c == '\r') {
            endLine();
            shown += '\n';
            lineStart = shown.size();
        } else if (cut > 0 ||
                   (shown.size() - lineStart >= kLongestShownLine && !continuesCharacter(c))) {
            ++cut;
        } else {
            shown += c;
        }
    }
    endLine();
    if (!shown.empty() && shown.back() == '\n')
        shown.pop_back();
    return shown;
}

Result<DiffAlignment> alignTexts(std::string_view left, std::string_view right)
{
    // A last line end on both sides keeps the comparison from seeing a difference in its absence.
    ACCELOPT_TRY(
        const std::vector<report::DiffLine> lines,
        report::diffLines(std::string(left) + '\n', std::string(right) + '\n', kEverything));
    Builder builder(left, right);
    if (lines.empty())
        for (std::size_t i = 0; i < builder.lines(); ++i)
            builder.same();
    for (const report::DiffLine &line : lines) {
        switch (line.kind) {
        case report::DiffLineKind::Context: builder.same(); break;
        case report::DiffLineKind::Removed: builder.removed(); break;
        case report::DiffLineKind::Added: builder.added(); break;
        case report::DiffLineKind::Hunk: break;
        }
    }
    builder.flush();
    return builder.take();
}

} // namespace accelopt::widgets
