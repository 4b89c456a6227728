// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/Terminal.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace accelopt::cli {

namespace {
bool s_progressShown = false;

constexpr int kWidestBar = 24;
constexpr int kNarrowestBar = 4; ///< a shorter one shows nothing
constexpr int kUsualColumns = 80;

/// Of the terminal that progress is shown on.
int terminalColumns()
{
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                                           : kUsualColumns;
}

} // namespace

bool Terminal::hasPerson()
{
    return isatty(STDERR_FILENO) != 0;
}

void Terminal::clearProgress()
{
    if (std::exchange(s_progressShown, false))
        std::fputs("\r\033[K", stderr);
}

void Terminal::message(std::string_view text)
{
    clearProgress();
    fmt::print(stderr, "{}\n", text);
}

void Terminal::result(std::string_view text)
{
    clearProgress();
    fmt::print("{}", text);
    if (text.empty() || text.back() != '\n')
        std::fputc('\n', stdout);
    std::fflush(stdout);
}

void Terminal::progress(std::string_view text)
{
    if (!hasPerson())
        return;
    fmt::print(stderr, "\r\033[K{}", text.substr(0, std::size_t(terminalColumns() - 1)));
    std::fflush(stderr);
    s_progressShown = true;
}

void Terminal::progress(std::string_view what, int done, int all, std::string_view rest)
{
    if (!hasPerson())
        return;
    // The last column stays free: some terminals wrap as soon as it is written.
    const std::string figures = bar(done, all, 0);
    const int room = terminalColumns() - 1 - int(what.size() + 1 + figures.size() + rest.size()) -
                     int(std::string_view("[] ").size());
    progress(fmt::format(
        "{} {}{}", what,
        room < kNarrowestBar ? figures : bar(done, all, std::min(room, kWidestBar)), rest));
}

std::string Terminal::bar(int done, int all, int width)
{
    const std::string figures = fmt::format("{} of at most {}", done, all);
    if (width <= 0)
        return figures;
    const int filled =
        all <= 0 ? 0 : int(std::clamp<std::int64_t>(std::int64_t(done) * width / all, 0, width));
    return fmt::format("[{}{}] {}", std::string(std::size_t(filled), '#'),
                       std::string(std::size_t(width - filled), '-'), figures);
}

std::string table(const std::vector<std::vector<std::string>> &rows, Columns columns)
{
    std::vector<std::size_t> widths;
    for (const auto &row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (widths.size() <= i)
                widths.push_back(0);
            widths[i] = std::max(widths[i], row[i].size());
        }
    std::string text;
    for (const auto &row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string pad(widths[i] - row[i].size(), ' ');
            const bool words = columns == Columns::FiguresAndText && i + 1 == widths.size();
            line += i == 0 ? row[i] + pad : words ? "  " + row[i] : "  " + pad + row[i];
        }
        while (!line.empty() && line.back() == ' ')
            line.pop_back();
        text += line + '\n';
    }
    return text;
}

} // namespace accelopt::cli
