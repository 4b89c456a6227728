// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/syntax/SyntaxHelper.h"
#include "tests/fuzz/KernelGenerator.h"
#include "tests/fuzz/Properties.h"
#include "tests/fuzz/TreeMutator.h"
#include "tests/support/TestMain.h"

#include <cstdlib>
#include <fmt/format.h>

using namespace accelopt;
using namespace accelopt::tests;
using nlohmann::json;

namespace {

/// How many kernels: a few hundred, or as many times that as the environment says.
int rounds(int usually)
{
    const char *const more = std::getenv("ACCELOPT_FUZZ_ROUNDS");
    return usually * std::max(1, more != nullptr ? std::atoi(more) : 1);
}

} // namespace

/// Kernels that nobody would write. The program fuzz_kernels does the same for as long as one likes
/// and follows which code a kernel reaches.
class tst_KernelFuzz : public QObject
{
    Q_OBJECT

private slots:
    void whatWasFoundKeepsTheProperties_data();
    void whatWasFoundKeepsTheProperties();
    void generatedKernelsKeepTheProperties();
    void generatedKernelsAreMostlyKernels();
    void changedTreesKeepTheProperties();
    void treesThatBreakTheSchemaAreRefused_data();
    void treesThatBreakTheSchemaAreRefused();

private:
    nki::SyntaxHelper m_helper;
    Properties m_properties;
};

void tst_KernelFuzz::whatWasFoundKeepsTheProperties_data()
{
    QTest::addColumn<QString>("statements");
    const auto row = [](const char *name, const char *statements) {
        QTest::newRow(name) << QString::fromUtf8(statements);
    };
    row("a tile without partitions", "t = nl.ndarray((0, 4), dtype=nl.float32)");
    row("a tile without elements", "t = nl.ndarray((4, 0), dtype=nl.float32)\nt[...] = 1.0");
    row("blocks of tiles without partitions",
        "t = nl.ndarray((3, nl.par_dim(0), 4), dtype=nl.float32)\nx = t[1]");
    row("no blocks at all", "t = nl.ndarray((0, nl.par_dim(4), 4), dtype=nl.float32)");
    row("a loop without passes", "for i in nl.affine_range(0):\n    x = nl.exp(x)");
    row("an asynchronous comprehension", "x = [y async for y in (1, 2)]");
}

void tst_KernelFuzz::whatWasFoundKeepsTheProperties()
{
    QFETCH(QString, statements);
    std::string source = "import neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\n"
                         "@nki.jit\ndef kernel(a, b, v):\n"
                         "    out = nl.ndarray((128, 64), dtype=nl.float32, "
                         "buffer=nl.shared_hbm)\n"
                         "    x = nl.load(b)\n    nl.store(out, value=x)\n";
    for (const QString &line : statements.split('\n'))
        source += "    " + line.toStdString() + "\n";
    const auto parsed = m_helper.parse(source + "    return out\n");
    ACCELOPT_VERIFY_OK(parsed);
    QVERIFY(parsed->has_value());
    QCOMPARE(m_properties.broken(**parsed, 1), std::string());
}

void tst_KernelFuzz::generatedKernelsKeepTheProperties()
{
    for (int seed = 0; seed < rounds(120); ++seed) {
        const std::string source = KernelGenerator(std::uint64_t(seed)).kernel();
        const auto parsed = m_helper.parse(source);
        ACCELOPT_VERIFY_OK(parsed);
        QVERIFY2(parsed->has_value(), source.c_str());
        const std::string broken = m_properties.broken(**parsed, std::uint64_t(seed));
        QVERIFY2(broken.empty(), fmt::format("seed {}: {}\n{}", seed, broken, source).c_str());
    }
}

void tst_KernelFuzz::generatedKernelsAreMostlyKernels()
{
    // A generator that only writes nonsense would find nothing behind the first check.
    Properties properties;
    constexpr int kKernels = 100;
    for (int seed = 1000; seed < 1000 + kKernels; ++seed) {
        const auto parsed = m_helper.parse(KernelGenerator(std::uint64_t(seed)).kernel());
        ACCELOPT_VERIFY_OK(parsed);
        QVERIFY(parsed->has_value());
        QCOMPARE(properties.broken(**parsed, 1), std::string());
    }
    QVERIFY2(properties.traced() > 10, std::to_string(properties.traced()).c_str());
    QVERIFY2(properties.executed() > 5, std::to_string(properties.executed()).c_str());
}

void tst_KernelFuzz::changedTreesKeepTheProperties()
{
    std::vector<json> trees;
    std::vector<std::string> sources;
    for (int seed = 0; seed < 12; ++seed) {
        sources.push_back(KernelGenerator(std::uint64_t(seed)).kernel());
        const auto parsed = m_helper.parse(sources.back());
        ACCELOPT_VERIFY_OK(parsed);
        trees.push_back(jsonOf(**parsed));
    }
    std::set<std::uint64_t> seen;
    int accepted = 0;
    TreeMutator mutator(7);
    std::mt19937_64 random(8);
    for (int round = 0; round < rounds(300); ++round) {
        const std::size_t from = random() % trees.size();
        json tree = trees[from];
        mutator.mutate(tree, trees[random() % trees.size()]);
        const std::string written = tree.dump();
        const auto made = nki::SyntaxTree::fromJson(json{{"schema", 1}, {"tree", std::move(tree)}},
                                                    sources[from % sources.size()]);
        if (!made)
            continue;
        ++accepted;
        const std::string broken = m_properties.broken(*made, std::uint64_t(round));
        QVERIFY2(broken.empty(), fmt::format("round {}: {}\n{}", round, broken, written).c_str());
        const std::size_t before = seen.size();
        seen.insert(m_properties.behaviour().begin(), m_properties.behaviour().end());
        if (seen.size() > before && trees.size() < 200) {
            trees.push_back(json::parse(written));
            sources.push_back(sources[from]);
        }
    }
    QVERIFY2(accepted > 60, std::to_string(accepted).c_str());
    QVERIFY2(trees.size() > 20, std::to_string(trees.size()).c_str());
}

void tst_KernelFuzz::treesThatBreakTheSchemaAreRefused_data()
{
    QTest::addColumn<QString>("statement");
    const auto row = [](const char *name, const char *statement) {
        QTest::newRow(name) << QString::fromUtf8(statement);
    };
    row("a loop without a body", R"(["For",1,1,1,2,"",null,[]])");
    row("an assignment to nothing", R"(["Assign",1,1,1,2,"",null,[["Name",1,1,1,2,"a",null,[]]]])");
    row("a statement where an expression belongs",
        R"(["ExprStatement",1,1,1,2,"",null,[["Pass",1,1,1,2,"",null,[]]]])");
    row("a dict with a key and no value",
        R"(["ExprStatement",1,1,1,2,"",null,[["Dict",1,1,1,2,"",null,[["Name",1,1,1,2,"a",null,[]]]]]])");
    row("a comparison with nothing",
        R"(["ExprStatement",1,1,1,2,"",null,[["Compare",1,1,1,2,"",null,[["Name",1,1,1,2,"a",null,[]]]]]])");
    row("a leaf with children", R"(["Pass",1,1,1,2,"",null,[["Pass",1,1,1,2,"",null,[]]]])");
    row("a keyword outside of a call",
        R"(["ExprStatement",1,1,1,2,"",null,[["Keyword",1,1,1,2,"a",null,[["Name",1,1,1,2,"a",null,[]]]]]])");
}

void tst_KernelFuzz::treesThatBreakTheSchemaAreRefused()
{
    QFETCH(QString, statement);
    const json tree = json::array(
        {"Module", 1, 1, 1, 2, "", json(), json::array({json::parse(statement.toStdString())})});
    const auto made = nki::SyntaxTree::fromJson({{"schema", 1}, {"tree", tree}}, "pass\n");
    QVERIFY(!made);
    QCOMPARE(made.error().code, ErrorCode::Format);
    const json empty = json::array({"Module", 1, 1, 1, 2, "", json(), json::array()});
    ACCELOPT_VERIFY_OK(nki::SyntaxTree::fromJson({{"schema", 1}, {"tree", empty}}, "pass\n"));
}

ACCELOPT_TEST(tst_KernelFuzz)
#include "tst_KernelFuzz.moc"
