// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Ids.h"
#include "core/domain/Verdict.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace accelopt::nki {

enum class TokenKind {
    Name,
    Number,
    String,
    Operator,
    Comment,
    NewLine,
    BlankNewLine,
    Indent,
    Dedent,
    End
};

/// A token with its place; `text` points into the source that was lexed (empty for Indent, Dedent,
/// End).
struct Token
{
    TokenKind kind = TokenKind::End;
    std::string_view text;
    SourcePlace place;
    std::size_t offset = 0;
};

/// Splits Python source into tokens, comments and blank lines included. Nothing when the text is
/// not lexically Python (unterminated string, inconsistent dedent, unknown character).
std::optional<std::vector<Token>> lex(std::string_view source);

/// Identity of a kernel: SHA-256 of its token stream without comments, blank lines and layout
/// (white space, line joining, width of indentation, kind of line end). Text that does not lex is
/// hashed as bytes.
KernelId kernelIdentity(std::string_view source);

} // namespace accelopt::nki
