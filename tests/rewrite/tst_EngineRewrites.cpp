// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rewrite/SameNumbers.h"

using namespace accelopt;
using namespace accelopt::rewrite;
using tests::afterRewrite;
using tests::bodyOf;
using tests::exchanged;
using tests::humanKernel;
using tests::kKernelHead;
using tests::kNotApplied;
using tests::kNothingToExchange;
using tests::numbersDiffer;

namespace {

// Passes that need nothing of each other.
const std::string kPasses = kKernelHead + R"(def kernel(x):
    out = nl.ndarray((128, 2048), dtype=x.dtype, buffer=nl.shared_hbm)
    kept = nl.zeros((nl.par_dim(128), 2048), dtype=nl.float32, buffer=nl.sbuf)
    total = nl.zeros((nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)
    step = 512
    # along the columns
    for t in range(0, 2048, step):
        a = nl.load(x[0:128, t:t + step])
        r = nl.exp(a)
        kept[:, t:t + step] = nl.copy(r)
        total += r
        nl.store(out[0:128, t:t + step], value=nl.copy(kept[:, t:t + step]))
    return out
)";
const tests::Shapes kPassesShapes{{128, 2048}};

// Sums of products with a row, as scans over states make them.
const std::string kGrowingSum = kKernelHead + R"(def kernel(x, rows):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    a = nl.load(x[0:128, 0:512])
    acc = nl.zeros((nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)
    for s in nl.affine_range(4):
        row = nl.load(rows[s:s + 1, 0:512])
        spread = row.broadcast_to((128, 512))
        # one state's share
        part = nl.multiply(a, spread)
        acc += part
    nl.store(out[0:128, 0:512], value=acc)
    return out
)";
const tests::Shapes kSumShapes{{128, 512}, {4, 512}};

const std::string kSpread = kKernelHead + R"(def kernel(x, g):
    out = nl.ndarray((512, 1024), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(4):
        a = nl.load(x[i * 128:(i + 1) * 128, 0:1024])
        row = nl.load(g[0:1, 0:1024])
        spread = row.broadcast_to((128, 1024))
        r = nl.multiply(a, spread)
        nl.store(out[i * 128:(i + 1) * 128, 0:1024], value=r)
    return out
)";
const tests::Shapes kSpreadShapes{{512, 1024}, {1, 1024}};

// Both halves of a tile, turned by an angle for each element.
const std::string kRotation = kKernelHead + R"(def kernel(x, cos, sin):
    y = nl.ndarray((128, 1024), dtype=x.dtype, buffer=nl.shared_hbm)
    for j in nl.affine_range(2):
        x0 = nl.load(x[0:64, j * 512:(j + 1) * 512])
        x1 = nl.load(x[64:128, j * 512:(j + 1) * 512])
        c = nl.load(cos[0:64, j * 512:(j + 1) * 512])
        s = nl.load(sin[0:64, j * 512:(j + 1) * 512])
        x0_c = nl.multiply(x0, c)
        x1_s = nl.multiply(s, x1)
        # the first half
        y0 = nl.subtract(x0_c, x1_s)
        x1_c = nl.multiply(x1, c)
        x0_s = nl.multiply(x0, s)
        y1 = nl.add(x0_s, x1_c)
        nl.store(y[0:64, j * 512:(j + 1) * 512], value=y0)
        nl.store(y[64:128, j * 512:(j + 1) * 512], value=y1)
    return y
)";
const tests::Shapes kRotationShapes{{128, 1024}, {64, 1024}, {64, 1024}};

ModelContext contextOf(const tests::Shapes &shapes)
{
    ModelContext context;
    context.layouts.emplace_back(shapes.begin(), shapes.end());
    return context;
}

} // namespace

// Rewrites that give work to another engine or let engines overlap: the text, when they must stay
// away, and that the numbers stay.
class tst_EngineRewrites : public QObject
{
    Q_OBJECT

private slots:
    void passesRunInParallel();
    void passesStaySequential_data();
    void passesStaySequential();
    void theTensorEngineAddsUp();
    void namesOfExtentsAreKept();
    void theVectorEngineKeepsAddingUp_data();
    void theVectorEngineKeepsAddingUp();
    void broadcastsGoThroughPsum();
    void broadcastsGoThroughPsumInPlace();
    void broadcastsStay_data();
    void broadcastsStay();
    void halvesAreRotatedOnTheTensorEngine();
    void halvesOfOneTileAreRotatedOnTheTensorEngine();
    void halvesAreFoundInAnyOrder();
    void halvesStay_data();
    void halvesStay();
    void bodies_data();
    void bodies();
};

void tst_EngineRewrites::passesRunInParallel()
{
    const std::string after =
        afterRewrite(kPasses, "run-passes-in-parallel", contextOf(kPassesShapes));
    QCOMPARE(after, exchanged(kPasses, "in range(0", "in nl.affine_range(0"));
    QCOMPARE(numbersDiffer(kPasses, after, kPassesShapes), std::string());
}

void tst_EngineRewrites::passesStaySequential_data()
{
    QTest::addColumn<std::string>("what");
    QTest::addColumn<std::string>("with");
    const auto row = [](const char *name, const std::string &what, const std::string &with) {
        QTest::newRow(name) << what << with;
    };
    row("a tile carried to the next pass", "r = nl.exp(a)", "r = nl.add(a, kept[:, 0:step])");
    row("a name carried to the next pass", "r = nl.exp(a)", "r = nl.add(a, total)");
    row("overlapping parts", "kept[:, t:t + step] = nl.copy(r)",
        "kept[:, t:t + step + 64] = nl.copy(r)");
    row("a part that is the same in all passes", "kept[:, t:t + step] = nl.copy(r)",
        "kept[:, 0:step] = nl.copy(r)");
    row("a product instead of a sum", "total += r", "total *= r");
    row("a variable that is no sum of multiples", "r = nl.exp(a)",
        "r = nl.exp(a)\n        half = t // 2");
    row("a condition", "r = nl.exp(a)",
        "r = nl.exp(a)\n        if t > 0:\n            r = nl.exp(r)");
    row("a list that grows", "r = nl.exp(a)", "r = nl.exp(a)\n        parts.append(r)");
    row("another name for a tensor", "kept[:, t:t + step] = nl.copy(r)",
        "other = kept\n        other[:, 0:step] = nl.copy(r)");
    row("a value that leaves the loop", "    return out", "    last = nl.copy(r)\n    return out");
    row("a loop that is parallel already", "in range(0", "in nl.affine_range(0");
}

void tst_EngineRewrites::passesStaySequential()
{
    QFETCH(const std::string, what);
    QFETCH(const std::string, with);
    const std::string source = exchanged(kPasses, what, with);
    QVERIFY(source != kNothingToExchange);
    QCOMPARE(afterRewrite(source, "run-passes-in-parallel", contextOf(kPassesShapes)), kNotApplied);
}

void tst_EngineRewrites::theTensorEngineAddsUp()
{
    std::string expected = exchanged(kGrowingSum, "import neuronxcc.nki.isa as nisa\n",
                                     "import neuronxcc.nki.isa as nisa\nimport numpy as np\n");
    expected = exchanged(expected, "dtype=nl.float32, buffer=nl.sbuf)\n",
                         "dtype=nl.float32, buffer=nl.psum)\n    identity = "
                         "nl.load(nl.shared_constant(np.identity(128, dtype=np.float32)))\n");
    expected = exchanged(expected, "acc += part", "acc += nisa.nc_matmul(identity, part)");
    expected = exchanged(expected, "value=acc)", "value=nl.copy(acc))");
    const std::string after =
        afterRewrite(kGrowingSum, "accumulate-on-tensor-engine", contextOf(kSumShapes));
    QCOMPARE(after, expected);
    QCOMPARE(numbersDiffer(kGrowingSum, after, kSumShapes), std::string());
}

void tst_EngineRewrites::namesOfExtentsAreKept()
{
    std::string source = exchanged(kGrowingSum, "    out = ", "    rows_at_once = 128\n    out = ");
    source = exchanged(source, "nl.par_dim(128)", "nl.par_dim(rows_at_once)");
    std::string after = afterRewrite(source, "accumulate-on-tensor-engine", contextOf(kSumShapes));
    QVERIFY2(after.find("np.identity(rows_at_once, dtype") != std::string::npos, after.c_str());

    source = exchanged(kSpread, "    out = ", "    columns = 1024\n    out = ");
    source = exchanged(source, "broadcast_to((128, 1024))", "broadcast_to((128, columns))");
    after = afterRewrite(source, "broadcast-through-psum", contextOf(kSpreadShapes));
    QVERIFY2(after.find("for bank in nl.affine_range(columns // 512):") != std::string::npos,
             after.c_str());
    QVERIFY(after.find("r = nl.ndarray((nl.par_dim(128), columns), ") != std::string::npos);
    QCOMPARE(numbersDiffer(source, after, kSpreadShapes), std::string());
}

void tst_EngineRewrites::theVectorEngineKeepsAddingUp_data()
{
    QTest::addColumn<std::string>("what");
    QTest::addColumn<std::string>("with");
    const auto row = [](const char *name, const std::string &what, const std::string &with) {
        QTest::newRow(name) << what << with;
    };
    row("a difference", "acc += part", "acc -= part");
    row("a sum that starts with something", "nl.zeros((nl.par_dim(128), 512), dtype=nl.float32",
        "nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32");
    row("a sum in half precision", "dtype=nl.float32", "dtype=nl.bfloat16");
    row("a share in half precision", "nl.multiply(a, spread)",
        "nl.multiply(a, spread, dtype=nl.bfloat16)");
    row("a sum that is read while it grows", "acc += part",
        "acc += part\n        b = nl.exp(acc)\n"
        "        acc += b");
    row("a sum that is multiplied with", "    nl.store(out",
        "    z = nl.matmul(acc, a, transpose_x=True)\n    nl.store(out");
    row("a share from somewhere else", "        part = nl.multiply(a, spread)\n", "");
    row("a single sum", "    for s in nl.affine_range(4):\n", "    if 1:\n        s = 0\n");
}

void tst_EngineRewrites::theVectorEngineKeepsAddingUp()
{
    QFETCH(const std::string, what);
    QFETCH(const std::string, with);
    const std::string source = exchanged(kGrowingSum, what, with);
    QVERIFY(source != kNothingToExchange);
    QCOMPARE(afterRewrite(source, "accumulate-on-tensor-engine", contextOf(kSumShapes)),
             kNotApplied);
}

void tst_EngineRewrites::broadcastsGoThroughPsum()
{
    std::string expected =
        exchanged(kSpread, "        spread = row.broadcast_to((128, 1024))\n", "");
    expected =
        exchanged(expected, "        r = nl.multiply(a, spread)\n",
                  R"(        r = nl.ndarray((nl.par_dim(128), 1024), dtype=a.dtype, buffer=nl.sbuf)
        for bank in nl.affine_range(2):
            spread = row[:, bank * 512:(bank + 1) * 512].broadcast_to((128, 512))
            r[:, bank * 512:(bank + 1) * 512] = nl.multiply(a[:, bank * 512:(bank + 1) * 512], spread)
)");
    const std::string after =
        afterRewrite(kSpread, "broadcast-through-psum", contextOf(kSpreadShapes));
    QCOMPARE(after, expected);
    QCOMPARE(numbersDiffer(kSpread, after, kSpreadShapes), std::string());
}

void tst_EngineRewrites::broadcastsGoThroughPsumInPlace()
{
    const std::string source = exchanged(kSpread, "r = nl.multiply(a, spread)",
                                         "r = nl.exp(a)\n        r[...] = nl.multiply(spread, r)");
    const std::string after =
        afterRewrite(source, "broadcast-through-psum", contextOf(kSpreadShapes));
    QVERIFY2(after.find("            r[:, bank * 512:(bank + 1) * 512] = nl.multiply(spread, "
                        "r[:, bank * 512:(bank + 1) * 512])\n") != std::string::npos,
             after.c_str());
    QVERIFY(after.find("ndarray((nl.par_dim") == std::string::npos);
    QCOMPARE(numbersDiffer(source, after, kSpreadShapes), std::string());
}

void tst_EngineRewrites::broadcastsStay_data()
{
    QTest::addColumn<std::string>("what");
    QTest::addColumn<std::string>("with");
    const auto row = [](const char *name, const std::string &what, const std::string &with) {
        QTest::newRow(name) << what << with;
    };
    row("one with two readers", "        nl.store(out",
        "        q = nl.add(a, spread)\n"
        "        nl.store(out");
    row("one that the scalar engine reads", "nl.multiply(a, spread)", "nl.exp(spread)");
    row("one that is masked", "nl.multiply(a, spread)", "nl.multiply(a, spread, mask=i < 3)");
    row("a part of the other tile", "nl.multiply(a, spread)", "nl.multiply(a[:, 0:1024], spread)");
    row("a row that changes in between", "        r = nl.multiply",
        "        row = nl.load(g[0:1, 0:1024])\n        r = nl.multiply");
    row("one as narrow as a bank", "row.broadcast_to((128, 1024))", "row.broadcast_to((128, 512))");
}

void tst_EngineRewrites::broadcastsStay()
{
    QFETCH(const std::string, what);
    QFETCH(const std::string, with);
    const std::string source = exchanged(kSpread, what, with);
    QVERIFY(source != kNothingToExchange);
    QCOMPARE(afterRewrite(source, "broadcast-through-psum", contextOf(kSpreadShapes)), kNotApplied);
}

void tst_EngineRewrites::halvesAreRotatedOnTheTensorEngine()
{
    const std::string after =
        afterRewrite(kRotation, "rotate-on-tensor-engine", contextOf(kRotationShapes));
    for (const char *line :
         {"    turn = nl.zeros((nl.par_dim(128), 128), dtype=nl.float32, buffer=nl.sbuf)\n"
          "    turn[0:64, 64:128] = nl.copy(identity[0:64, 0:64])\n"
          "    turn[64:128, 0:64] = nl.multiply(identity[64:128, 64:128], -1.0)\n"
          "    for j in nl.affine_range(2):\n",
          "        both_halves[64:128, 0:512] = nl.load(x[64:128, j * 512:(j + 1) * 512])\n",
          "        c_twice[64:128, 0:512] = nl.copy(c_twice[0:64, 0:512])\n",
          "        part_along = nl.multiply(both_halves, c_twice)\n"
          "        rotated += nisa.nc_matmul(identity, part_along)\n"
          "        part_across = nl.multiply(both_halves, s_twice)\n"
          "        rotated += nisa.nc_matmul(turn, part_across)\n",
          "        # the first half\n", "        y1 = nl.copy(rotated[64:128, 0:512])\n"})
        QVERIFY2(after.find(line) != std::string::npos,
                 (std::string(line) + "is not in\n" + after).c_str());
    QVERIFY(after.find("x1_c") == std::string::npos);
    QCOMPARE(numbersDiffer(kRotation, after, kRotationShapes), std::string());
}

void tst_EngineRewrites::halvesOfOneTileAreRotatedOnTheTensorEngine()
{
    std::string source = exchanged(
        kRotation, "x0 = nl.load(x[0:64, j * 512:(j + 1) * 512])",
        "xs = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)\n        xs[0:128, "
        "0:512] = nl.load(x[0:128, j * 512:(j + 1) * 512])\n        x0 = xs[0:64, 0:512]");
    source = exchanged(source, "x1 = nl.load(x[64:128, j * 512:(j + 1) * 512])",
                       "x1 = nl.copy(xs[64:128, 0:512])");
    source = exchanged(source, "y0 = nl.subtract(", "y0 = nl.add(");
    const std::string after =
        afterRewrite(source, "rotate-on-tensor-engine", contextOf(kRotationShapes));
    QVERIFY2(after.find("part_along = nl.multiply(xs, c_twice)") != std::string::npos,
             after.c_str());
    QVERIFY(after.find("x1 = ") == std::string::npos);
    QVERIFY(after.find("-1.0") == std::string::npos);
    QCOMPARE(numbersDiffer(source, after, kRotationShapes), std::string());
}

void tst_EngineRewrites::halvesAreFoundInAnyOrder()
{
    std::string source = exchanged(kRotation, "nl.subtract(x0_c, x1_s)", "nl.subtract(x1_s, x0_c)");
    source = exchanged(source, "nl.multiply(x1, c)", "nl.multiply(c, x1)");
    const std::string after =
        afterRewrite(source, "rotate-on-tensor-engine", contextOf(kRotationShapes));
    QVERIFY(after.find("nc_matmul(turn") != std::string::npos);
    QCOMPARE(numbersDiffer(source, after, kRotationShapes), std::string());
}

void tst_EngineRewrites::halvesStay_data()
{
    QTest::addColumn<std::string>("what");
    QTest::addColumn<std::string>("with");
    const auto row = [](const char *name, const std::string &what, const std::string &with) {
        QTest::newRow(name) << what << with;
    };
    row("a third factor", "x0_s = nl.multiply(x0, s)", "x0_s = nl.multiply(x0, x1)");
    row("a product that is read again", "value=y1)", "value=nl.add(y1, x0_s))");
    row("a factor that is read again", "value=y1)", "value=nl.add(y1, c))");
    row("a factor that is computed", "s = nl.load(sin[0:64, j * 512:(j + 1) * 512])",
        "s = nl.exp(c)");
    row("a half that changes in between",
        "        x1_c = ", "        x1 = nl.load(x[64:128, 0:512])\n        x1_c = ");
}

void tst_EngineRewrites::halvesStay()
{
    QFETCH(const std::string, what);
    QFETCH(const std::string, with);
    const std::string source = exchanged(kRotation, what, with);
    QVERIFY(source != kNothingToExchange);
    QCOMPARE(afterRewrite(source, "rotate-on-tensor-engine", contextOf(kRotationShapes)),
             kNotApplied);
}

void tst_EngineRewrites::bodies_data()
{
    QTest::addColumn<std::string>("rewrite");
    QTest::addColumn<std::string>("before");
    QTest::addColumn<std::string>("after");
    QTest::addColumn<int>("place");
    const auto row = [](const char *name, const char *rewrite, const std::string &before,
                        const std::string &after, int place = 0) {
        QTest::newRow(name) << std::string(rewrite) << before << after << place;
    };
    row("a factor of a sum", "fold-factor",
        "d = nl.multiply(a, 0.5)\ne = nl.multiply(b, 0.25)\nf = nl.add(d, e)\nr = nl.multiply(f, "
        "4.0)",
        "d = nl.multiply(a, 2.0)\ne = nl.multiply(b, 1.0)\nr = nl.add(d, e)");
    row("a factor of a product goes to one side", "fold-factor",
        "d = nl.multiply(a, 0.5)\nf = nl.multiply(b, d)\nr = nl.multiply(f, 4.0)",
        "d = nl.multiply(a, 2.0)\nr = nl.multiply(b, d)");
    row("a factor of two instructions in one", "fold-factor",
        "d = nl.multiply(b, 0.5)\nf = nisa.scalar_tensor_tensor(data=a, op0=nl.multiply, "
        "operand0=0.25, op1=nl.subtract, operand1=d)\nr = nl.multiply(f, 4.0)",
        "d = nl.multiply(b, 2.0)\nr = nisa.scalar_tensor_tensor(data=a, op0=nl.multiply, "
        "operand0=1.0, op1=nl.subtract, operand1=d)");
    row("a factor of a square", "fold-factor",
        "d = nisa.activation(op=nl.square, data=a, scale=0.5)\nf = nl.multiply(d, b)\nr = "
        "nl.multiply(f, 4.0)",
        "d = nisa.activation(op=nl.square, data=a, scale=1.0)\nr = nl.multiply(d, b)");
    row("a negative factor of a square", "fold-factor",
        "d = nisa.activation(op=nl.square, data=a, scale=0.5)\nf = nl.multiply(d, b)\nr = "
        "nl.multiply(f, -4.0)",
        kNotApplied);
    row("a term without a number", "fold-factor",
        "d = nl.multiply(a, 0.5)\nf = nl.add(d, b)\nr = nl.multiply(f, 4.0)", kNotApplied);
    row("a term that is read again", "fold-factor",
        "d = nl.multiply(a, 0.5)\nf = nl.multiply(b, d)\ng = nl.multiply(f, 4.0)\nr = nl.add(g, d)",
        kNotApplied);
    row("a sum of a product and a number", "fold-factor",
        "d = nl.exp(a)\nf = nl.add(d, 1.0)\nr = nl.multiply(f, 4.0)", kNotApplied);

    row("a tile times a multiple of itself", "fold-into-activation",
        "d = nl.multiply(a, 0.25)\nr = nl.multiply(d, a)",
        "r = nisa.activation(op=nl.square, data=a, scale=0.5)");
    row("a tile times a negative multiple of itself", "fold-into-activation",
        "d = nl.multiply(a, -0.25)\nr = nl.multiply(d, a)", kNotApplied);
    row("a tile times a multiple of another", "fold-into-activation",
        "d = nl.multiply(a, 0.25)\nr = nl.multiply(d, b)", kNotApplied);

    row("a reciprocal of a sum with a number", "balance-engines",
        "p = nl.exp(a)\nd = nl.add(p, 1.0)\nr = nl.reciprocal(d)",
        "p = nl.exp(a)\nd = nl.add(p, 1.0)\nr = nisa.activation(op=nl.reciprocal, data=d)", 1);
    row("a reciprocal of anything", "balance-engines", "r = nl.reciprocal(a)", kNotApplied);
    row("a reciprocal of a sum that may vanish", "balance-engines",
        "p = nl.tanh(a)\nd = nisa.tensor_tensor(p, b, op=nl.add)\nr = nl.reciprocal(d)",
        kNotApplied);
    row("a factor on the GpSimd engine", "balance-engines", "r = nl.multiply(a, 0.5)",
        "r = nisa.tensor_scalar(data=a, op0=nl.multiply, operand0=0.5, engine=nisa.gpsimd_engine)",
        1);
    row("two steps on the GpSimd engine", "balance-engines",
        "r = nisa.tensor_scalar(data=a, op0=nl.subtract, operand0=c, op1=nl.multiply, "
        "operand1=2.0)",
        "r = nisa.tensor_scalar(data=a, op0=nl.subtract, operand0=c, op1=nl.multiply, "
        "operand1=2.0, engine=nisa.gpsimd_engine)");
    row("a column on the GpSimd engine", "balance-engines", "r = nl.multiply(a, nl.add(c, 1.0))",
        kNotApplied);
}

void tst_EngineRewrites::bodies()
{
    QFETCH(const std::string, rewrite);
    QFETCH(const std::string, before);
    QFETCH(const std::string, after);
    QFETCH(const int, place);
    const std::string text =
        afterRewrite(humanKernel(before), rewrite, {}, static_cast<std::size_t>(place));
    QCOMPARE(text == kNotApplied ? text : bodyOf(text), after);
    if (text != kNotApplied)
        QCOMPARE(numbersDiffer(humanKernel(before), text, {{512, 512}, {512, 512}, {}}),
                 std::string());
}

ACCELOPT_TEST(tst_EngineRewrites)
#include "tst_EngineRewrites.moc"
