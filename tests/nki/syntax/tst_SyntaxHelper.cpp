// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/nki/syntax/SyntaxHelper.h"

#include <nlohmann/json.hpp>
#include <random>

using namespace accelopt;
using namespace accelopt::nki;

namespace {

std::string literalText(const Literal &literal)
{
    struct Visitor
    {
        std::string operator()(NoneLiteral) const { return "None"; }
        std::string operator()(EllipsisLiteral) const { return "..."; }
        std::string operator()(bool value) const { return value ? "True" : "False"; }
        std::string operator()(std::int64_t value) const { return std::to_string(value); }
        std::string operator()(double value) const { return "float " + std::to_string(value); }
        std::string operator()(const std::string &value) const { return "'" + value + "'"; }
    };
    return std::visit(Visitor{}, literal);
}

// kind, text and children in brackets
std::string written(const SyntaxTree &tree, NodeId id)
{
    const Node &node = tree[id];
    std::string result(name(node.kind));
    if (!node.text.empty())
        result += ":" + node.text;
    if (node.kind == NodeKind::Constant)
        result += ":" + literalText(node.literal);
    if (!node.children.empty()) {
        result += "(";
        for (std::size_t i = 0; i < node.children.size(); ++i)
            result += (i ? " " : "") + written(tree, node.children[i]);
        result += ")";
    }
    return result;
}

std::string times(std::string_view text, int count)
{
    std::string result;
    for (int i = 0; i < count; ++i)
        result += text;
    return result;
}

} // namespace

class tst_SyntaxHelper : public QObject
{
    Q_OBJECT

private slots:
    void trees_data();
    void trees();
    void textsOfNodes_data();
    void textsOfNodes();
    void refusals_data();
    void refusals();
    void problemsNameThePlace_data();
    void problemsNameThePlace();
    void everythingInsideAnFStringHasItsPlace();
    void depthBombsSpoilNothing_data();
    void depthBombsSpoilNothing();
    void aMissingInterpreterIsTheEnvironmentsFault();
    void aProgramThatIsNoPythonIsTheEnvironmentsFault();
    void parentsAndPlacesAreConsistent();
    void jsonOfAnotherForm_data();
    void jsonOfAnotherForm();
    void randomTextIsAVerdict();
    void everyProblemHasAPlace_data();
    void everyProblemHasAPlace();
    void theLargestTextIsParsed();

private:
    SyntaxHelper m_helper;
};

void tst_SyntaxHelper::trees_data()
{
    QTest::addColumn<std::string>("source");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char *name, const char *source, const char *expected) {
        QTest::newRow(name) << std::string(source) << std::string(expected);
    };
    row("nothing at all", "", "Module");
    row("value before targets", "a = b = 1", "Module(Assign(Constant:1 Name:a Name:b))");
    row("literals", "(None, True, -1, 1.5, 'x', ...)",
        "Module(ExprStatement(Tuple(Constant:None Constant:True UnaryOp:-(Constant:1) "
        "Constant:float "
        "1.500000 Constant:'x' Constant:...)))");
    row("an integer beyond 64 bits", "18446744073709551616",
        "Module(ExprStatement(Constant:float 18446744073709551616.000000))");
    row("an integer beyond double",
        "1"
        "0000000000000000000000000000000000000000000000000000000000000000000000"
        "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "000000"
        "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "000000"
        "0000000000000000000000000000000000000000000000000000000000000000000000",
        "Module(ExprStatement(Constant:float inf))");
    row("half a surrogate pair", "'\\ud800'", "Module(ExprStatement(Constant:'\xef\xbf\xbd'))");
    row("a function", "@d\ndef f(a, b=1, *, c: int, **k):\n  pass",
        "Module(FunctionDef:f(Parameters(Parameter:a(None None) Parameter:b(Constant:1 None) "
        "Parameter:*(None None) Parameter:c(None Name:int) Parameter:**k(None None)) Block(Pass) "
        "Name:d))");
    row("loops and conditions",
        "for i in r:\n  break\nwhile t:\n  continue\nelse:\n  pass\nif a: b\n",
        "Module(For(Name:i Name:r Block(Break) Block) While(Name:t Block(Continue) Block(Pass)) "
        "If(Name:a Block(ExprStatement(Name:b)) Block))");
    row("slices", "x[1:, ::2, ...]",
        "Module(ExprStatement(Subscript(Name:x Tuple(Slice(Constant:1 None None) Slice(None None "
        "Constant:2) Constant:...))))");
    row("arguments in the order of the text", "f(a, *b, k=1, **c)",
        "Module(ExprStatement(Call(Name:f Name:a Starred(Name:b) Keyword:k(Constant:1) "
        "Keyword(Name:c))))");
    row("comparisons", "a < b not in c",
        "Module(ExprStatement(Compare(Name:a Comparator:<(Name:b) Comparator:not in(Name:c))))");
    row("operators", "a @ b ** -c and not d or e",
        "Module(ExprStatement(BoolOp:or(BoolOp:and(BinOp:@(Name:a BinOp:**(Name:b "
        "UnaryOp:-(Name:c))) "
        "UnaryOp:not(Name:d)) Name:e)))");
    row("imports", "import a.b as c, d\nfrom ..e import f as g",
        "Module(Import(Alias:a.b as c Alias:d) ImportFrom:..e(Alias:f as g))");
    row("nested f-strings", "f'{a!r:>{w}} {f\"{b}\"}'",
        "Module(ExprStatement(JoinedStr(FormattedValue:r(Name:a JoinedStr(Constant:'>' "
        "FormattedValue(Name:w None))) Constant:' ' FormattedValue(JoinedStr(FormattedValue(Name:b "
        "None)) "
        "None))))");
    row("comprehensions", "{k: v for k, v in d if k}",
        "Module(ExprStatement(DictComp(Name:k Name:v Comprehension(Tuple(Name:k Name:v) Name:d "
        "Name:k))))");
    row("what has no node of its own keeps its name",
        "async def f():\n  pass\nlambda: (yield)\nb'x'\n1j",
        "Module(Other:AsyncFunctionDef ExprStatement(Lambda(Parameters Other:Yield)) "
        "ExprStatement(Other:bytes) ExprStatement(Other:complex))");
    row("an assignment inside an expression", "(a := 1)", "Module(ExprStatement(Other:NamedExpr))");
    row("a with that names its value", "with a as b, c: pass",
        "Module(With(Block(Pass) Other:withitem Name:c))");
    row("an escape Python only warns about", "'\\d'", "Module(ExprStatement(Constant:'\\d'))");
    row("a coding line changes nothing", "# -*- coding: latin-1 -*-\n'\xc3\xa4'",
        "Module(ExprStatement(Constant:'\xc3\xa4'))");
}

void tst_SyntaxHelper::trees()
{
    QFETCH(const std::string, source);
    QFETCH(const std::string, expected);
    const Result<Parsed> parsed = m_helper.parse(source);
    ACCELOPT_VERIFY_OK(parsed);
    QVERIFY2(parsed->has_value(), parsed->has_value() ? "" : parsed->error().message.c_str());
    QCOMPARE(written(**parsed, (*parsed)->root()), expected);
}

void tst_SyntaxHelper::textsOfNodes_data()
{
    QTest::addColumn<std::string>("source");
    QTest::newRow("Unix line ends") << std::string("a\nfoo(b[1], '\xc3\xa4') + c\n");
    QTest::newRow("Windows line ends") << std::string("a\r\nfoo(b[1], '\xc3\xa4') + c\r\n");
    QTest::newRow("old Macintosh line ends") << std::string("a\rfoo(b[1], '\xc3\xa4') + c\r");
    QTest::newRow("a form feed before") << std::string("a\n\f\nfoo(b[1], '\xc3\xa4') + c\n");
    QTest::newRow("tabs before") << std::string("if a:\n\tfoo(b[1], '\xc3\xa4') + c\n");
    QTest::newRow("a continued line before")
        << std::string("a = \\\n  1\nfoo(b[1], '\xc3\xa4') + c\n");
    QTest::newRow("a long string before")
        << std::string("'''x\n\xc3\xa4\n'''; foo(b[1], '\xc3\xa4') + c\n");
}

void tst_SyntaxHelper::textsOfNodes()
{
    QFETCH(const std::string, source);
    const Result<Parsed> parsed = m_helper.parse(source);
    ACCELOPT_VERIFY_OK(parsed);
    QVERIFY(parsed->has_value());
    const SyntaxTree &tree = **parsed;
    int found = 0;
    for (NodeId id = 0; id < static_cast<NodeId>(tree.size()); ++id) {
        if (tree[id].kind == NodeKind::Call) {
            QCOMPARE(std::string(tree.text(id)), std::string("foo(b[1], '\xc3\xa4')"));
            ++found;
        }
        if (tree[id].kind == NodeKind::BinOp) {
            QCOMPARE(std::string(tree.text(id)), std::string("foo(b[1], '\xc3\xa4') + c"));
            ++found;
        }
    }
    QCOMPARE(found, 2);
}

void tst_SyntaxHelper::refusals_data()
{
    QTest::addColumn<std::string>("source");
    QTest::addColumn<std::string>("words");
    QTest::addColumn<int>("line");
    QTest::newRow("too long") << std::string(SyntaxHelper::kMaximumSourceBytes + 1, '\n')
                              << std::string("262145 bytes; at most 262144") << 1;
    QTest::newRow("not UTF-8") << std::string("a = 1\nb = '\xe4'\n")
                               << std::string("not UTF-8: byte 0xe4 at offset 11") << 2;
    QTest::newRow("an overlong form") << std::string("\xc0\xaf") << std::string("not UTF-8") << 1;
    QTest::newRow("a surrogate in UTF-8")
        << std::string("\xed\xa0\x80") << std::string("not UTF-8") << 1;
    QTest::newRow("beyond Unicode")
        << std::string("\xf4\x90\x80\x80") << std::string("not UTF-8") << 1;
    QTest::newRow("cut in the middle of a letter")
        << std::string("'\xc3") << std::string("not UTF-8") << 1;
    QTest::newRow("a zero byte") << std::string("a\nb\0c", 5) << std::string("zero byte") << 2;
    QTest::newRow("a byte order mark") << std::string("\xef\xbb\xbf"
                                                      "a = 1")
                                       << std::string("byte order mark") << 1;
}

void tst_SyntaxHelper::refusals()
{
    QFETCH(const std::string, source);
    QFETCH(const std::string, words);
    QFETCH(const int, line);
    const Result<Parsed> parsed = m_helper.parse(source);
    ACCELOPT_VERIFY_OK(parsed);
    QVERIFY(!parsed->has_value());
    QVERIFY2(parsed->error().message.find(words) != std::string::npos,
             parsed->error().message.c_str());
    QCOMPARE(parsed->error().place.line, line);
}

void tst_SyntaxHelper::problemsNameThePlace_data()
{
    QTest::addColumn<std::string>("source");
    QTest::addColumn<int>("line");
    QTest::addColumn<int>("column");
    QTest::newRow("a doubled sign") << std::string("x = 1\na = = 1\n") << 2 << 5;
    QTest::newRow("columns are bytes") << std::string("\xc3\xa4\xc3\xa4 = = 1\n") << 1 << 8;
    QTest::newRow("after Windows line ends") << std::string("x = 1\r\na = = 1\r\n") << 2 << 5;
}

void tst_SyntaxHelper::problemsNameThePlace()
{
    QFETCH(const std::string, source);
    QFETCH(const int, line);
    QFETCH(const int, column);
    const Result<Parsed> parsed = m_helper.parse(source);
    ACCELOPT_VERIFY_OK(parsed);
    QVERIFY(!parsed->has_value());
    QVERIFY(!parsed->error().message.empty());
    QCOMPARE(parsed->error().place.line, line);
    QCOMPARE(parsed->error().place.column, column);
    QVERIFY(parsed->error().place.endColumn > column || parsed->error().place.endLine > line);
}

void tst_SyntaxHelper::everythingInsideAnFStringHasItsPlace()
{
    const Result<Parsed> parsed = m_helper.parse("x = f'a {b + 1:>{c}}'\n");
    ACCELOPT_VERIFY_OK(parsed);
    QVERIFY(parsed->has_value());
    const SyntaxTree &tree = **parsed;
    int inside = 0;
    for (NodeId id = 0; id < static_cast<NodeId>(tree.size()); ++id)
        if (tree[id].kind == NodeKind::BinOp ||
            (tree[id].kind == NodeKind::Name && tree[id].text != "x")) {
            QCOMPARE(std::string(tree.text(id)), std::string("f'a {b + 1:>{c}}'"));
            ++inside;
        }
    QCOMPARE(inside, 3);
}

void tst_SyntaxHelper::depthBombsSpoilNothing_data()
{
    QTest::addColumn<std::string>("source");
    QTest::newRow("brackets") << times("(", 50'000) + times(")", 50'000);
    QTest::newRow("few enough brackets for the tokenizer")
        << times("(", 150) + "a" + times(")", 150);
    QTest::newRow("signs") << times("-", 100'000) + "1";
    QTest::newRow("attributes") << "a" + times(".a", 100'000);
    QTest::newRow("calls") << "a" + times("()", 100'000);
    QTest::newRow("sums") << "a" + times("+a", 100'000);
    QTest::newRow("powers") << "a" + times("**a", 80'000);
    QTest::newRow("lambdas") << times("lambda:", 30'000) + "1";
    QTest::newRow("conditions") << "if a: b\n" + times("elif a: b\n", 20'000);
    QTest::newRow("suites") << [] {
        std::string text;
        for (int i = 0; i < 95; ++i)
            text += std::string(static_cast<std::size_t>(i), ' ') + "if a:\n";
        return text + std::string(95, ' ') + "b";
    }();
    QTest::newRow("f-strings in f-strings")
        << "f'{" + times("f\"{", 200) + "1" + times("}\"", 200) + "}'";
    QTest::newRow("a very long number") << times("9", 200'000);
}

void tst_SyntaxHelper::depthBombsSpoilNothing()
{
    QFETCH(const std::string, source);
    const Result<Parsed> bomb = m_helper.parse(source);
    ACCELOPT_VERIFY_OK(bomb);
    if (!bomb->has_value())
        QVERIFY(!bomb->error().message.empty());
    const Result<Parsed> next = m_helper.parse("a = 1");
    ACCELOPT_VERIFY_OK(next);
    QVERIFY(next->has_value());
}

void tst_SyntaxHelper::aMissingInterpreterIsTheEnvironmentsFault()
{
    SyntaxHelper helper("/nonexistent/python3");
    const Result<Parsed> parsed = helper.parse("a = 1");
    QVERIFY(!parsed.has_value());
    QCOMPARE(parsed.error().code, ErrorCode::Environment);
    QVERIFY(parsed.error().message.find("/nonexistent/python3") != std::string::npos);
    QVERIFY(!parsed.error().hint.empty());
}

void tst_SyntaxHelper::aProgramThatIsNoPythonIsTheEnvironmentsFault()
{
    SyntaxHelper helper("/bin/echo");
    const Result<Parsed> parsed = helper.parse("a = 1");
    QVERIFY(!parsed.has_value());
    QCOMPARE(parsed.error().code, ErrorCode::Environment);
}

void tst_SyntaxHelper::parentsAndPlacesAreConsistent()
{
    const Result<Parsed> parsed =
        m_helper.parse("def f(a):\n    for i in range(4):\n        a[i, 0] = a[i] * 2\n");
    ACCELOPT_VERIFY_OK(parsed);
    QVERIFY(parsed->has_value());
    const SyntaxTree &tree = **parsed;
    QCOMPARE(tree[tree.root()].kind, NodeKind::Module);
    for (NodeId id = 0; id < static_cast<NodeId>(tree.size()); ++id)
        for (const NodeId child : tree[id].children) {
            QCOMPARE(tree[child].parent, id);
            const std::string_view inner = tree.text(child);
            QVERIFY(inner.data() >= tree.text(id).data() || inner.empty());
        }
}

void tst_SyntaxHelper::jsonOfAnotherForm_data()
{
    QTest::addColumn<std::string>("json");
    QTest::newRow("not an object") << std::string("[]");
    QTest::newRow("another schema")
        << std::string(R"({"schema": 2, "tree": ["Module",1,1,1,1,null,null,[]]})");
    QTest::newRow("no tree") << std::string(R"({"schema": 1})");
    QTest::newRow("a short node") << std::string(R"({"schema": 1, "tree": ["Module",1,1,1,1]})");
    QTest::newRow("an unknown kind")
        << std::string(R"({"schema": 1, "tree": ["Moodule",1,1,1,1,null,null,[]]})");
    QTest::newRow("a literal without tag")
        << std::string(R"({"schema": 1, "tree": ["Constant",1,1,1,1,null,5,[]]})");
    QTest::newRow("a child that is no node")
        << std::string(R"({"schema": 1, "tree": ["Module",1,1,1,1,null,null,[7]]})");
}

void tst_SyntaxHelper::jsonOfAnotherForm()
{
    QFETCH(const std::string, json);
    const Result<SyntaxTree> tree = SyntaxTree::fromJson(nlohmann::json::parse(json), "a");
    QVERIFY(!tree.has_value());
    QCOMPARE(tree.error().code, ErrorCode::Format);
}

void tst_SyntaxHelper::everyProblemHasAPlace_data()
{
    QTest::addColumn<std::string>("source");
    QTest::addColumn<int>("line");
    QTest::newRow("too many bytes") << times("# text\n", 50'000) << 1;
    QTest::newRow("no UTF-8") << std::string("x = 1\ny = '\xff'\n") << 2;
    QTest::newRow("a zero byte") << std::string("x = 1\n\0", 7) << 2;
    QTest::newRow("a byte order mark") << std::string("\xEF\xBB\xBFx = 1\n") << 1;
    QTest::newRow("more signs than the parser takes") << "x = 1\nx = " + times("-", 100'000) + "1\n"
                                                      << 2;
    QTest::newRow("more operators than a tree is deep")
        << "x = 1\nx = 1" + times(" + 1", 3'000) + "\n"
        << 2;
    QTest::newRow("more brackets than the parser takes")
        << "x = 1\n\nx = " + times("(", 1000) + "1" + times(")", 1000) + "\n"
        << 3;
    QTest::newRow("an open bracket") << std::string("x = 1\nx = (\n") << 2;
}

void tst_SyntaxHelper::everyProblemHasAPlace()
{
    QFETCH(std::string, source);
    QFETCH(int, line);
    const Result<Parsed> parsed = m_helper.parse(source);
    ACCELOPT_VERIFY_OK(parsed);
    QVERIFY(!parsed->has_value());
    QVERIFY(!parsed->error().message.empty());
    QCOMPARE(parsed->error().place.line, line);
}

void tst_SyntaxHelper::randomTextIsAVerdict()
{
    std::mt19937 random(7);
    const std::string base =
        "def f(a):\n    for i in nl.affine_range(4):\n        b[i] = f'{a!r}' + a[i:, ...]\n";
    int trees = 0;
    for (int i = 0; i < 1500; ++i) {
        std::string text = base;
        const std::size_t changes = 1 + random() % 3;
        for (std::size_t k = 0; k < changes; ++k)
            text[random() % text.size()] =
                static_cast<char>(i % 2 ? random() % 256 : 32 + random() % 95);
        const Result<Parsed> parsed = m_helper.parse(text);
        ACCELOPT_VERIFY_OK(parsed);
        if (parsed->has_value())
            ++trees;
        else
            QVERIFY(!parsed->error().message.empty());
    }
    QVERIFY(trees > 50);
}

void tst_SyntaxHelper::theLargestTextIsParsed()
{
    std::string text = times("a,", static_cast<int>(SyntaxHelper::kMaximumSourceBytes / 2));
    const Result<Parsed> parsed = m_helper.parse(text);
    ACCELOPT_VERIFY_OK(parsed);
    QVERIFY2(parsed->has_value(), parsed->has_value() ? "" : parsed->error().message.c_str());
    QCOMPARE((*parsed)->size(), SyntaxHelper::kMaximumSourceBytes / 2 + 3);
}

ACCELOPT_TEST(tst_SyntaxHelper)
#include "tst_SyntaxHelper.moc"
