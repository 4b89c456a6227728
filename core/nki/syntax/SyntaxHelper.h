// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/syntax/SyntaxTree.h"

#include <memory>
#include <string>
#include <string_view>

namespace accelopt::nki {

/// Why a source text has no syntax tree: CPython's own words, with the place.
struct SyntaxProblem
{
    std::string message;
    SourcePlace place;
};

/// What parsing gave: a tree, or the problem in the text.
using Parsed = tl::expected<SyntaxTree, SyntaxProblem>;

/// Parses Python through CPython's own `ast`, in one persistent child process that only ever parses
/// (`python3 -I -S`, no import of the text, nothing executed). Not thread-safe: one per thread.
/// A crashed or stuck child is replaced at the next call.
class SyntaxHelper
{
public:
    /// Most bytes of source that are parsed; longer texts are refused before parsing.
    static constexpr std::size_t kMaximumSourceBytes = 256 * 1024;

    /// `python` is the interpreter to use. Starting is done at the first parse.
    explicit SyntaxHelper(std::string python = "/usr/bin/python3");
    ~SyntaxHelper();
    SyntaxHelper(const SyntaxHelper &) = delete;
    SyntaxHelper &operator=(const SyntaxHelper &) = delete;

    /// The outer Result fails (Environment) only when the helper itself cannot be run.
    Result<Parsed> parse(std::string_view source);

private:
    class Child;
    std::string m_python;
    std::unique_ptr<Child> m_child;
};

} // namespace accelopt::nki
