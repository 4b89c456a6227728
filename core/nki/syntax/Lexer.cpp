// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/syntax/Lexer.h"

#include "core/domain/Hash.h"
#include "core/nki/syntax/Utf8.h"

#include <algorithm>
#include <array>
#include <string>

namespace accelopt::nki {
namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isHexDigit(char c)
{
    return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Every byte outside ASCII counts as a letter; Python's parser knows better which really are.
bool isNameStart(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

bool isNamePart(char c)
{
    return isNameStart(c) || isDigit(c);
}

constexpr std::array<std::string_view, 5> kLongOperators{"**=", "//=", ">>=", "<<=", "..."};
constexpr std::array<std::string_view, 19> kPairOperators{
    "**", "//", ">>", "<<", "<=", ">=", "==", "!=", "->", "+=",
    "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", ":="};
constexpr std::string_view kSingleOperators = "+-*/%@&|^~<>()[]{},:.;=";

class Scanner
{
public:
    explicit Scanner(std::string_view source) : m_source(source) {}

    std::optional<std::vector<Token>> run()
    {
        bool atLineStart = true;
        while (m_at < m_source.size()) {
            if (atLineStart && m_brackets.empty()) {
                if (!lineStart())
                    return std::nullopt;
                atLineStart = false;
                continue;
            }
            atLineStart = false;
            const char c = peek();
            if (c == ' ' || c == '\t' || c == '\f')
                advance(1);
            else if (c == '#')
                comment();
            else if (const std::size_t end = lineEnd(m_at)) {
                const bool blank = !m_brackets.empty() || !m_content;
                take(blank ? TokenKind::BlankNewLine : TokenKind::NewLine, end);
                m_content = m_content && !m_brackets.empty();
                atLineStart = true;
            } else if (c == '\\') {
                const std::size_t joined = lineEnd(m_at + 1);
                if (!joined)
                    return std::nullopt;
                advance(1 + joined);
                if (m_at >= m_source.size())
                    return std::nullopt;
            } else if (!content())
                return std::nullopt;
        }
        if (!m_brackets.empty())
            return std::nullopt;
        if (m_content)
            take(TokenKind::NewLine, 0);
        for (std::size_t i = 1; i < m_indents.size(); ++i)
            take(TokenKind::Dedent, 0);
        take(TokenKind::End, 0);
        return std::move(m_tokens);
    }

private:
    // Indentation as CPython counts it: tabs go to multiples of 8, and must mean the same with tabs
    // of 1.
    struct Indentation
    {
        int width = 0;
        int strict = 0;
    };

    char peek(std::size_t ahead = 0) const
    {
        return m_at + ahead < m_source.size() ? m_source[m_at + ahead] : '\0';
    }

    // Length of the line end at `at`, 0 when there is none.
    std::size_t lineEnd(std::size_t at) const
    {
        if (at >= m_source.size())
            return 0;
        if (m_source[at] == '\n')
            return 1;
        if (m_source[at] == '\r')
            return at + 1 < m_source.size() && m_source[at + 1] == '\n' ? 2 : 1;
        return 0;
    }

    void advance(std::size_t bytes)
    {
        const std::size_t end = m_at + bytes;
        while (m_at < end) {
            if (const std::size_t line = lineEnd(m_at)) {
                m_at += line;
                ++m_line;
                m_lineStart = m_at;
            } else {
                ++m_at;
            }
        }
    }

    void take(TokenKind kind, std::size_t bytes)
    {
        Token token;
        token.kind = kind;
        token.offset = m_at;
        token.text = m_source.substr(m_at, bytes);
        token.place.line = m_line;
        token.place.column = static_cast<int>(m_at - m_lineStart) + 1;
        advance(bytes);
        token.place.endLine = m_line;
        token.place.endColumn = static_cast<int>(m_at - m_lineStart) + 1;
        m_tokens.push_back(token);
    }

    void comment()
    {
        std::size_t end = m_at;
        while (end < m_source.size() && !lineEnd(end))
            ++end;
        take(TokenKind::Comment, end - m_at);
    }

    // Indentation of a line; lines with nothing but white space and comments have none.
    bool lineStart()
    {
        Indentation indentation;
        std::size_t at = m_at;
        for (; at < m_source.size(); ++at) {
            const char c = m_source[at];
            if (c == ' ') {
                ++indentation.width;
                ++indentation.strict;
            } else if (c == '\t') {
                indentation.width = (indentation.width / 8 + 1) * 8;
                ++indentation.strict;
            } else if (c == '\f') {
                indentation = {};
            } else {
                break;
            }
        }
        advance(at - m_at);
        if (at >= m_source.size() || m_source[at] == '#' || lineEnd(at))
            return true;
        const Indentation &top = m_indents.back();
        if (indentation.width == top.width)
            return indentation.strict == top.strict;
        if (indentation.width > top.width) {
            if (indentation.strict <= top.strict)
                return false;
            m_indents.push_back(indentation);
            take(TokenKind::Indent, 0);
            return true;
        }
        while (m_indents.size() > 1 && m_indents.back().width > indentation.width) {
            m_indents.pop_back();
            take(TokenKind::Dedent, 0);
        }
        return m_indents.back().width == indentation.width &&
               m_indents.back().strict == indentation.strict;
    }

    bool content()
    {
        m_content = true;
        const char c = peek();
        if (isDigit(c) || (c == '.' && isDigit(peek(1)))) {
            take(TokenKind::Number, numberLength());
            return true;
        }
        if (c == '"' || c == '\'')
            return string(0);
        if (isNameStart(c)) {
            std::size_t length = 1;
            while (isNamePart(peek(length)))
                ++length;
            if ((peek(length) == '"' || peek(length) == '\'') && isStringPrefix(length))
                return string(length);
            take(TokenKind::Name, length);
            return true;
        }
        return operatorToken();
    }

    bool isStringPrefix(std::size_t length) const
    {
        if (length > 2)
            return false;
        std::string prefix(m_source.substr(m_at, length));
        std::transform(prefix.begin(), prefix.end(), prefix.begin(),
                       [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
        static constexpr std::array<std::string_view, 8> kPrefixes{"r",  "u",  "b",  "f",
                                                                   "br", "rb", "fr", "rf"};
        return std::find(kPrefixes.begin(), kPrefixes.end(), prefix) != kPrefixes.end();
    }

    bool string(std::size_t prefix)
    {
        std::size_t at = m_at + prefix;
        const char quote = m_source[at];
        const std::string_view rest = m_source.substr(at);
        const bool triple = rest.size() >= 3 && rest[1] == quote && rest[2] == quote;
        at += triple ? 3 : 1;
        while (at < m_source.size()) {
            const char c = m_source[at];
            if (c == '\\') {
                const std::size_t line = lineEnd(at + 1);
                at += 1 + (line ? line : 1);
            } else if (c == quote) {
                if (!triple) {
                    take(TokenKind::String, at + 1 - m_at);
                    return true;
                }
                if (at + 2 < m_source.size() && m_source[at + 1] == quote &&
                    m_source[at + 2] == quote) {
                    take(TokenKind::String, at + 3 - m_at);
                    return true;
                }
                ++at;
            } else if (!triple && lineEnd(at)) {
                return false;
            } else {
                ++at;
            }
        }
        return false;
    }

    std::size_t digits(std::size_t from, bool (*accept)(char)) const
    {
        std::size_t length = from;
        while (accept(peek(length)) || (peek(length) == '_' && accept(peek(length + 1))))
            ++length;
        return length;
    }

    std::size_t numberLength() const
    {
        if (peek() == '0' && std::string_view("xXoObB").find(peek(1)) != std::string_view::npos) {
            const std::size_t length = digits(2, isHexDigit);
            if (length > 2)
                return length;
        }
        std::size_t length = digits(0, isDigit);
        if (peek(length) == '.')
            length = digits(length + 1, isDigit);
        if (peek(length) == 'e' || peek(length) == 'E') {
            const std::size_t sign = peek(length + 1) == '+' || peek(length + 1) == '-' ? 1 : 0;
            if (isDigit(peek(length + 1 + sign)))
                length = digits(length + 1 + sign, isDigit);
        }
        if (peek(length) == 'j' || peek(length) == 'J')
            ++length;
        return length;
    }

    bool operatorToken()
    {
        const std::string_view rest = m_source.substr(m_at);
        for (const std::string_view text : kLongOperators)
            if (rest.substr(0, 3) == text) {
                take(TokenKind::Operator, 3);
                return true;
            }
        for (const std::string_view text : kPairOperators)
            if (rest.substr(0, 2) == text) {
                take(TokenKind::Operator, 2);
                return true;
            }
        const char c = rest.front();
        if (c == '\0' || kSingleOperators.find(c) == std::string_view::npos)
            return false;
        if (c == '(' || c == '[' || c == '{')
            m_brackets.push_back(c == '(' ? ')' : c == '[' ? ']' : '}');
        if (c == ')' || c == ']' || c == '}') {
            if (m_brackets.empty() || m_brackets.back() != c)
                return false;
            m_brackets.pop_back();
        }
        take(TokenKind::Operator, 1);
        return true;
    }

    std::string_view m_source;
    std::size_t m_at = 0;
    int m_line = 1;
    std::size_t m_lineStart = 0;
    bool m_content = false; // the current logical line has a token
    std::vector<char> m_brackets;
    std::vector<Indentation> m_indents{Indentation{}};
    std::vector<Token> m_tokens;
};

// A string literal over several lines means the same whatever ends its lines.
std::string withUnixLineEnds(std::string_view text)
{
    std::string result;
    result.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\r') {
            result += text[i];
        } else {
            result += '\n';
            if (i + 1 < text.size() && text[i + 1] == '\n')
                ++i;
        }
    }
    return result;
}

} // namespace

std::optional<std::vector<Token>> lex(std::string_view source)
{
    if (invalidUtf8At(source))
        return std::nullopt;
    return Scanner(source).run();
}

KernelId kernelIdentity(std::string_view source)
{
    const std::optional<std::vector<Token>> tokens = lex(source);
    if (!tokens)
        return KernelId(sha256(std::string("bytes\0", 6) + std::string(source)));
    std::string stream("tokens\0", 7);
    stream.reserve(source.size() * 2);
    for (const Token &token : *tokens) {
        if (token.kind == TokenKind::Comment || token.kind == TokenKind::BlankNewLine)
            continue;
        stream += static_cast<char>('a' + static_cast<int>(token.kind));
        if (token.kind != TokenKind::NewLine) {
            const std::string text = withUnixLineEnds(token.text);
            stream += std::to_string(text.size());
            stream += ':';
            stream += text;
        }
    }
    return KernelId(sha256(stream));
}

} // namespace accelopt::nki
