// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/Terminal.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace accelopt::cli {

namespace {
bool s_progressShown = false;
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
    winsize size{};
    const int width =
        ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
    fmt::print(stderr, "\r\033[K{}", text.substr(0, std::size_t(width - 1)));
    std::fflush(stderr);
    s_progressShown = true;
}

std::string Terminal::bar(int done, int all, int width)
{
    const int filled = all <= 0 ? 0 : std::clamp(done * width / all, 0, width);
    return fmt::format("[{}{}] {} of at most {}", std::string(std::size_t(filled), '#'),
                       std::string(std::size_t(width - filled), '-'), done, all);
}

std::string table(const std::vector<std::vector<std::string>> &rows)
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
            line += i == 0 ? row[i] + pad : "  " + pad + row[i];
        }
        while (!line.empty() && line.back() == ' ')
            line.pop_back();
        text += line + '\n';
    }
    return text;
}

} // namespace accelopt::cli
