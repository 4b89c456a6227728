// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/nki/syntax/SyntaxHelper.h"
#include "core/rewrite/SourceEdits.h"

using namespace accelopt;
using rewrite::SourceEdits;

namespace {

nki::SyntaxTree treeOf(const std::string &source)
{
    nki::SyntaxHelper helper;
    return std::move(helper.parse(source).value().value());
}

nki::NodeId statementAt(const nki::SyntaxTree &tree, std::size_t index)
{
    return tree[tree.root()].children[index];
}

} // namespace

class tst_SourceEdits : public QObject
{
    Q_OBJECT

private slots:
    void removal_data();
    void removal();
    void insertionsAreIndentedLikeTheirNeighbour();
    void windowsLineEndsStay();
    void insertionAfterTheLastLineWithoutLineEnd();
    void unwrappingKeepsCommentsOfTheBody();
    void changesThatOverlapAreRefused();
};

void tst_SourceEdits::removal_data()
{
    QTest::addColumn<std::string>("source");
    QTest::addColumn<int>("statement");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char *name, const char *source, int statement, const char *expected) {
        QTest::newRow(name) << std::string(source) << statement << std::string(expected);
    };
    row("a line of its own goes whole", "a = 1\nb = 2\nc = 3\n", 1, "a = 1\nc = 3\n");
    row("a comment line above stays", "a = 1\n# why\nb = 2\nc = 3\n", 1, "a = 1\n# why\nc = 3\n");
    row("a statement over several lines goes whole", "a = 1\nb = f(\n    2)\nc = 3\n", 1,
        "a = 1\nc = 3\n");
    row("the first of two on a line", "a = 1; b = 2\nc = 3\n", 0, "b = 2\nc = 3\n");
    row("the second of two on a line", "a = 1; b = 2\nc = 3\n", 1, "a = 1; pass\nc = 3\n");
    row("the last line without line end", "a = 1\nb = 2", 1, "a = 1\n");
}

void tst_SourceEdits::removal()
{
    QFETCH(const std::string, source);
    QFETCH(const int, statement);
    QFETCH(const std::string, expected);
    const nki::SyntaxTree tree = treeOf(source);
    SourceEdits edits(tree);
    edits.remove(statementAt(tree, static_cast<std::size_t>(statement)));
    const Result<std::string> text = edits.apply();
    ACCELOPT_VERIFY_OK(text);
    QCOMPARE(*text, expected);
}

void tst_SourceEdits::insertionsAreIndentedLikeTheirNeighbour()
{
    const nki::SyntaxTree tree = treeOf("for i in r:\n\ta = 1  # one\n\tb = 2\n");
    const nki::NodeId body = tree[statementAt(tree, 0)].children[2];
    SourceEdits edits(tree);
    edits.insertBefore(tree[body].children[1], {"x = 1", "y = 2"});
    edits.insertAfter(tree[body].children[1], {"z = 3"});
    QCOMPARE(edits.apply().value(),
             std::string("for i in r:\n\ta = 1  # one\n\tx = 1\n\ty = 2\n\tb = 2\n\tz = 3\n"));
}

void tst_SourceEdits::windowsLineEndsStay()
{
    const nki::SyntaxTree tree = treeOf("a = 1\r\nb = 2\r\n");
    SourceEdits edits(tree);
    edits.insertAfter(statementAt(tree, 0), {"x = 1"});
    edits.replace(tree[statementAt(tree, 1)].children[0], "3");
    QCOMPARE(edits.apply().value(), std::string("a = 1\r\nx = 1\r\nb = 3\r\n"));
}

void tst_SourceEdits::insertionAfterTheLastLineWithoutLineEnd()
{
    const nki::SyntaxTree tree = treeOf("a = 1");
    SourceEdits edits(tree);
    edits.insertAfter(statementAt(tree, 0), {"b = 2"});
    QCOMPARE(edits.apply().value(), std::string("a = 1\nb = 2\n"));
}

void tst_SourceEdits::unwrappingKeepsCommentsOfTheBody()
{
    const nki::SyntaxTree tree = treeOf("if a:\n    for i in r:\n        # first\n        x = "
                                        "1\n\n        y = 2  # second\n    z = 3\n");
    const nki::NodeId loop = tree[tree[statementAt(tree, 0)].children[1]].children[0];
    SourceEdits edits(tree);
    edits.unwrap(loop, tree[loop].children[2]);
    QCOMPARE(edits.apply().value(),
             std::string("if a:\n    # first\n    x = 1\n\n    y = 2  # second\n    z = 3\n"));
}

void tst_SourceEdits::changesThatOverlapAreRefused()
{
    const nki::SyntaxTree tree = treeOf("a = b + c\n");
    const nki::NodeId sum = tree[statementAt(tree, 0)].children[0];
    SourceEdits edits(tree);
    edits.replace(sum, "1");
    edits.replace(tree[sum].children[0], "2");
    QVERIFY(!edits.apply().has_value());
}

ACCELOPT_TEST(tst_SourceEdits)
#include "tst_SourceEdits.moc"
