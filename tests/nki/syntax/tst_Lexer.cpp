// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/nki/syntax/Lexer.h"

#include <random>

using namespace accelopt::nki;

namespace {

// One letter for the kind, then the text, for layout tokens only the letter.
std::string written(const std::optional<std::vector<Token>> &tokens)
{
    if (!tokens)
        return "nothing";
    static constexpr char kLetters[] = "NDSOCLBID.";
    std::string result;
    for (const Token &token : *tokens) {
        if (!result.empty())
            result += ' ';
        result += kLetters[static_cast<int>(token.kind)];
        if (token.kind != TokenKind::NewLine && token.kind != TokenKind::BlankNewLine &&
            !token.text.empty())
            result += ":" + std::string(token.text);
    }
    return result;
}

} // namespace

class tst_Lexer : public QObject
{
    Q_OBJECT

private slots:
    void tokens_data();
    void tokens();
    void places();
    void sameIdentity_data();
    void sameIdentity();
    void otherIdentity_data();
    void otherIdentity();
    void textThatDoesNotLexIsItsBytes();
    void randomTextNeverFails();
};

void tst_Lexer::tokens_data()
{
    QTest::addColumn<std::string>("source");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char *name, const char *source, const char *expected) {
        QTest::newRow(name) << std::string(source) << std::string(expected);
    };
    row("an empty text has only an end", "", ".");
    row("names, numbers and operators", "a1 = 0x1F + 1_0.5e-3*b",
        "N:a1 O:= D:0x1F O:+ D:1_0.5e-3 O:* N:b L .");
    row("a number that starts with its point", "x=.5j", "N:x O:= D:.5j L .");
    row("a method of a float", "1..real", "D:1. O:. N:real L .");
    row("an exponent needs digits", "1else", "D:1 N:else L .");
    row("longest operators first", "a**=b//c>>1 != ...",
        "N:a O:**= N:b O:// N:c O:>> D:1 O:!= O:... L .");
    row("a suite is indented and dedented", "if a:\n    b\nc\n",
        "N:if N:a O:: L I N:b L D N:c L .");
    row("dedents are made up at the end", "if a:\n  if b:\n    c",
        "N:if N:a O:: L I N:if N:b O:: L I N:c L D D .");
    row("blank and comment lines do not indent", "a\n\n    # x\nb", "N:a L B C:# x B N:b L .");
    row("brackets join lines", "f(\n a,\n# y\n b)\n", "N:f O:( B N:a O:, B C:# y B N:b O:) L .");
    row("a backslash joins lines", "a = \\\n  b", "N:a O:= N:b L .");
    row("a backslash before Windows line ends", "a = \\\r\n  b\r\n", "N:a O:= N:b L .");
    row("a form feed starts the column anew", "\fa\n  \fb", "N:a L N:b L .");
    row("tabs go to multiples of eight", "if a:\n\tb\n\tc", "N:if N:a O:: L I N:b L N:c L D .");
    row("tab and spaces that may differ", "if a:\n\tb\n        c", "nothing");
    row("a dedent to nowhere", "if a:\n    b\n  c", "nothing");
    row("prefixes of strings", "rb'x' F\"y\" ur'z'", "S:rb'x' S:F\"y\" N:ur S:'z' L .");
    row("an escaped quote does not end a string", "'a\\'b'", "S:'a\\'b' L .");
    row("three quotes hold lines", "'''a\n'b'\n'''", "S:'''a\n'b'\n''' L .");
    row("an f-string with other quotes inside", "f'{a[\"k\"]!r:>{w}}'",
        "S:f'{a[\"k\"]!r:>{w}}' L .");
    row("a string that is not ended", "'abc\n'", "nothing");
    row("a long string that is not ended", "'''abc''", "nothing");
    row("a bracket that is not closed", "f(a\n", "nothing");
    row("a bracket closed by another", "f(a]\n", "nothing");
    row("an unknown character", "a ? b", "nothing");
    row("bytes that are not UTF-8", "a = '\xff'", "nothing");
    row("letters beyond ASCII", "h\xc3\xb6he = 1", "N:h\xc3\xb6he O:= D:1 L .");
    row("a backslash at the end", "a \\", "nothing");
}

void tst_Lexer::tokens()
{
    QFETCH(const std::string, source);
    QFETCH(const std::string, expected);
    QCOMPARE(written(lex(source)), expected);
}

void tst_Lexer::places()
{
    const auto tokens = lex("a\r\n\xc3\xa4 = '''x\ny''' + b");
    QVERIFY(tokens.has_value());
    const Token &string = (*tokens)[4];
    QCOMPARE(std::string(string.text), std::string("'''x\ny'''"));
    QCOMPARE(string.place.line, 2);
    QCOMPARE(string.place.column, 6);
    QCOMPARE(string.place.endLine, 3);
    QCOMPARE(string.place.endColumn, 5);
    QCOMPARE(string.offset, std::size_t(8));
}

void tst_Lexer::sameIdentity_data()
{
    QTest::addColumn<std::string>("other");
    const auto row = [](const char *name, const char *other) {
        QTest::newRow(name) << std::string(other);
    };
    row("comments", "# head\ndef f(a, b):  # why\n    # more\n    return a + b\n");
    row("blank lines", "\n\ndef f(a, b):\n\n    return a + b\n\n\n");
    row("white space", "def  f( a,b ) :\n    return a+b   \n");
    row("width of indentation", "def f(a, b):\n  return a + b\n");
    row("indentation by tabs", "def f(a, b):\n\treturn a + b\n");
    row("lines joined by brackets", "def f(a,\n      b):\n    return a + b\n");
    row("lines joined by a backslash", "def f(a, b):\n    return a \\\n        + b\n");
    row("Windows line ends", "def f(a, b):\r\n    return a + b\r\n");
    row("old Macintosh line ends", "def f(a, b):\r    return a + b\r");
    row("no line end at the end", "def f(a, b):\n    return a + b");
}

void tst_Lexer::sameIdentity()
{
    QFETCH(const std::string, other);
    QCOMPARE(kernelIdentity(other).value, kernelIdentity("def f(a, b):\n    return a + b\n").value);
}

void tst_Lexer::otherIdentity_data()
{
    QTest::addColumn<std::string>("first");
    QTest::addColumn<std::string>("second");
    const auto row = [](const char *name, const char *first, const char *second) {
        QTest::newRow(name) << std::string(first) << std::string(second);
    };
    row("another name", "a = b", "a = c");
    row("another number", "a = 1", "a = 2");
    row("another block structure", "if a:\n    b\n    c\n", "if a:\n    b\nc\n");
    row("white space inside a string", "a = 'x y'", "a = 'x  y'");
    row("a comment sign inside a string", "a = '# x'", "a = '# y'");
    row("tokens that touch", "a = b c", "a = bc");
    row("parentheses", "a = (b)", "a = b");
    row("broken text in another layout", "a = 'b", "a  = 'b");
}

void tst_Lexer::otherIdentity()
{
    QFETCH(const std::string, first);
    QFETCH(const std::string, second);
    QVERIFY(kernelIdentity(first) != kernelIdentity(second));
}

void tst_Lexer::textThatDoesNotLexIsItsBytes()
{
    QCOMPARE(kernelIdentity("a = 'b").value, kernelIdentity("a = 'b").value);
    QCOMPARE(kernelIdentity("a = 'b").value.size(), std::size_t(64));
}

// Whatever the bytes, tokens lie inside the text, in order, and identity is a hash.
void tst_Lexer::randomTextNeverFails()
{
    std::mt19937 random(20);
    static constexpr std::string_view kAlphabet = "ab1.e'\"\\\n\r\t\f #()[]{}=*/<>!:f_\xc3\xa4\xff";
    int lexed = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string text;
        const std::size_t length = random() % 40;
        for (std::size_t k = 0; k < length; ++k)
            text += i % 4 == 0 ? static_cast<char>(random() % 256)
                               : kAlphabet[random() % kAlphabet.size()];
        QCOMPARE(kernelIdentity(text).value.size(), std::size_t(64));
        const auto tokens = lex(text);
        if (!tokens)
            continue;
        ++lexed;
        std::size_t end = 0;
        int depth = 0;
        for (const Token &token : *tokens) {
            QVERIFY(token.offset >= end);
            end = token.offset + token.text.size();
            QVERIFY(end <= text.size());
            QCOMPARE(token.text, std::string_view(text).substr(token.offset, token.text.size()));
            depth += token.kind == TokenKind::Indent ? 1 : token.kind == TokenKind::Dedent ? -1 : 0;
            QVERIFY(depth >= 0);
        }
        QCOMPARE(depth, 0);
    }
    QVERIFY(lexed > 1000);
}

ACCELOPT_TEST(tst_Lexer)
#include "tst_Lexer.moc"
