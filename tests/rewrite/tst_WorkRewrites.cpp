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

// A row that is the same for all blocks, and a buffer for all of them.
const std::string kBlocks = kKernelHead + R"(def kernel(x, g):
    out = nl.ndarray((512, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    row = nl.load(g[0:1, 0:256])
    tile = nl.ndarray((nl.par_dim(128), 256), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.affine_range(4):
        # the same for every block
        spread = row.broadcast_to((128, 256))
        tile[0:128, 0:256] = nl.load(x[i * 128:(i + 1) * 128, 0:256])
        r = nl.multiply(tile, spread)
        nl.store(out[i * 128:(i + 1) * 128, 0:256], value=r)
    return out
)";
const tests::Shapes kBlocksShapes{{512, 256}, {1, 256}};

// Two products that are added outside PSUM.
const std::string kTwoProducts = kKernelHead + R"(def kernel(x, w, a, b):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for j in nl.affine_range(1):
        acc = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
        for k in nl.affine_range(2):
            x_tile = nl.load(x[0:128, k * 128:(k + 1) * 128])
            w_tile = nl.load(w[k * 128:(k + 1) * 128, 0:512])
            acc += nl.matmul(x_tile, w_tile)
        acc_sb = nl.copy(acc)
        a_tile = nl.load(a[0:128, 0:64])
        b_tile = nl.load(b[0:64, 0:512])
        # the smaller one
        low = nl.matmul(a_tile, b_tile)
        low_sb = nl.copy(low)
        y = nl.add(acc_sb, low_sb)
        nl.store(out[0:128, 0:512], value=y)
    return out
)";
const tests::Shapes kTwoProductsShapes{{128, 256}, {256, 512}, {128, 64}, {64, 512}};

// Rows scaled on their way into a product, in the style people write.
const std::string kScaledRows = kKernelHead + R"(def kernel(x, w):
    out = nl.ndarray((256, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(2):
        a = nl.load(x[i * 128:(i + 1) * 128, 0:256])
        total = nl.sum(a, axis=[1], keepdims=True)
        # scaled rows
        p = nl.multiply(a, total)
        acc = nl.zeros((128, 64), dtype=nl.float32, buffer=nl.psum)
        for t in nl.affine_range(2):
            w_tile = nl.load(w[t * 128:(t + 1) * 128, 0:64])
            acc += nl.matmul(p[:, t * 128:(t + 1) * 128], w_tile)
        acc_sb = nl.copy(acc)
        nl.store(out[i * 128:(i + 1) * 128, 0:64], value=acc_sb)
    return out
)";
const tests::Shapes kScaledRowsShapes{{256, 256}, {256, 64}};

// The same with block axes and explicit transposes, as compilers write it.
const std::string kScaledBlocks = kKernelHead + R"(def kernel(x, w):
    import numpy as np
    v1 = nl.ndarray((2, 128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    v2 = nl.ndarray((nl.par_dim(128), 128), dtype=nl.float32, buffer=nl.sbuf)
    v3 = nl.ndarray((2, nl.par_dim(128), 256), dtype=nl.float32, buffer=nl.sbuf)
    v4 = nl.ndarray((2, nl.par_dim(128), 1), dtype=nl.float32, buffer=nl.sbuf)
    v5 = nl.ndarray((2, nl.par_dim(128), 256), dtype=nl.float32, buffer=nl.sbuf)
    v6 = nl.zeros((2, 2, nl.par_dim(128), 128), dtype=nl.float32, buffer=nl.psum)
    v7 = nl.ndarray((2, 2, nl.par_dim(128), 128), dtype=nl.float32, buffer=nl.sbuf)
    v8 = nl.zeros((2, nl.par_dim(128), 64), dtype=nl.float32, buffer=nl.psum)
    v9 = nl.ndarray((2, nl.par_dim(128), 64), dtype=nl.float32, buffer=nl.sbuf)
    v2[nl.arange(128)[:, None], nl.arange(128)[None, :]] = nl.load(nl.shared_constant(np.identity(128, dtype=np.float32)))
    for i0 in nl.affine_range(2):
        v3[i0, nl.arange(128)[:, None], nl.arange(256)[None, :]] = nl.load(x[128 * i0 + nl.arange(128)[:, None], nl.arange(256)[None, :]])
        v4[i0, nl.arange(128)[:, None], 0] = nisa.tensor_reduce(nl.add, data=v3[i0, nl.arange(128)[:, None], nl.arange(256)[None, :]], axis=[1])
        v5[i0, nl.arange(128)[:, None], nl.arange(256)[None, :]] = nisa.tensor_scalar(data=v3[i0, nl.arange(128)[:, None], nl.arange(256)[None, :]], op0=nl.multiply, operand0=v4[i0, nl.arange(128)[:, None], 0])
        for i1 in nl.affine_range(2):
            v6[i0, i1, nl.arange(128)[:, None], nl.arange(128)[None, :]] = nisa.nc_matmul(v5[i0, nl.arange(128)[:, None], 128 * i1 + nl.arange(128)[None, :]], v2[nl.arange(128)[:, None], nl.arange(128)[None, :]], is_moving_onezero=True, is_transpose=True)
            v7[i0, i1, nl.arange(128)[:, None], nl.arange(128)[None, :]] = nl.copy(v6[i0, i1, nl.arange(128)[:, None], nl.arange(128)[None, :]])
        for i2 in nl.affine_range(2):
            w_tile = nl.load(w[i2 * 128:(i2 + 1) * 128, 0:64])
            v8[i0, nl.arange(128)[:, None], nl.arange(64)[None, :]] += nisa.nc_matmul(v7[i0, i2, nl.arange(128)[:, None], nl.arange(128)[None, :]], w_tile)
        v9[i0, nl.arange(128)[:, None], nl.arange(64)[None, :]] = nl.copy(v8[i0, nl.arange(128)[:, None], nl.arange(64)[None, :]])
        nl.store(v1[i0, nl.arange(128)[:, None], nl.arange(64)[None, :]], value=v9[i0, nl.arange(128)[:, None], nl.arange(64)[None, :]])
    return v1
)";
const tests::Shapes kScaledBlocksShapes{{256, 256}, {256, 64}};

ModelContext knowing(const tests::Shapes &shapes)
{
    ModelContext context;
    context.layouts.emplace_back(shapes.begin(), shapes.end());
    return context;
}

} // namespace

// Rewrites that leave work out or do it elsewhere: the text, when they must stay away, and that the
// numbers stay.
class tst_WorkRewrites : public QObject
{
    Q_OBJECT

private slots:
    void whatIsTheSameIsMadeOnce();
    void whatDiffersStaysInTheLoop_data();
    void whatDiffersStaysInTheLoop();
    void everyPassGetsABuffer();
    void buffersStayOutside_data();
    void buffersStayOutside();
    void productsAreAddedInPsum();
    void productsStayApart_data();
    void productsStayApart();
    void productsAreScaledInsteadOfRows();
    void blocksOfProductsAreScaledInsteadOfRows();
    void rowsStayScaled_data();
    void rowsStayScaled();
    void deadWorkIsRemoved_data();
    void deadWorkIsRemoved();
};

void tst_WorkRewrites::whatIsTheSameIsMadeOnce()
{
    const std::string after = afterRewrite(kBlocks, "hoist-out-of-loop", knowing(kBlocksShapes));
    std::string expected =
        exchanged(kBlocks, "        spread = row.broadcast_to((128, 256))\n", "");
    expected = exchanged(expected, "    for i in",
                         "    spread = row.broadcast_to((128, 256))\n    for i in");
    QCOMPARE(after, expected);
    QCOMPARE(numbersDiffer(kBlocks, after, kBlocksShapes), std::string());
}

void tst_WorkRewrites::whatDiffersStaysInTheLoop_data()
{
    QTest::addColumn<std::string>("what");
    QTest::addColumn<std::string>("with");
    const auto row = [](const char *name, const std::string &what, const std::string &with) {
        QTest::newRow(name) << what << with;
    };
    row("a value that depends on the variable", "spread = row.broadcast_to((128, 256))",
        "spread = nl.load(x[i * 128:(i + 1) * 128, 0:256])");
    row("a value made from one of the loop", "spread = row.broadcast_to((128, 256))",
        "spread = nl.multiply(tile, 2.0)");
    row("a name that is bound again", "r = nl.multiply(tile, spread)",
        "r = nl.multiply(tile, spread)\n        spread = nl.multiply(tile, 2.0)");
    row("a name that is used after the loop", "    return out",
        "    last = nl.multiply(spread, 2.0)\n    return out");
    row("a sum", "spread = row.broadcast_to((128, 256))",
        "spread = nl.zeros((nl.par_dim(128), 256), dtype=nl.float32, buffer=nl.sbuf)\n"
        "        spread += row");
}

void tst_WorkRewrites::whatDiffersStaysInTheLoop()
{
    QFETCH(const std::string, what);
    QFETCH(const std::string, with);
    const std::string source = exchanged(kBlocks, what, with);
    QVERIFY(source != kNothingToExchange);
    QCOMPARE(afterRewrite(source, "hoist-out-of-loop", knowing(kBlocksShapes)), kNotApplied);
}

void tst_WorkRewrites::everyPassGetsABuffer()
{
    const std::string declaration =
        "tile = nl.ndarray((nl.par_dim(128), 256), dtype=nl.float32, buffer=nl.sbuf)\n";
    const std::string after = afterRewrite(kBlocks, "buffer-per-pass", knowing(kBlocksShapes));
    std::string expected = exchanged(kBlocks, "    " + declaration, "");
    expected =
        exchanged(expected, "        tile[0:128", "        " + declaration + "        tile[0:128");
    QCOMPARE(after, expected);
    QCOMPARE(numbersDiffer(kBlocks, after, kBlocksShapes), std::string());
}

void tst_WorkRewrites::buffersStayOutside_data()
{
    QTest::addColumn<std::string>("what");
    QTest::addColumn<std::string>("with");
    const auto row = [](const char *name, const std::string &what, const std::string &with) {
        QTest::newRow(name) << what << with;
    };
    row("one that is written in part",
        "tile[0:128, 0:256] = nl.load(x[i * 128:(i + 1) * 128, 0:256])",
        "tile[0:128, 0:128] = nl.load(x[i * 128:(i + 1) * 128, 0:128])");
    row("one that is read first", "        # the same for every block\n",
        "        before = nl.multiply(tile, 2.0)\n");
    row("one that is used after the loop", "    return out",
        "    last = nl.multiply(tile, 2.0)\n    return out");
    row("one that starts with zeros", "tile = nl.ndarray(", "tile = nl.zeros(");
    row("one that grows", "tile[0:128, 0:256] = nl.load", "tile[0:128, 0:256] += nl.load");
}

void tst_WorkRewrites::buffersStayOutside()
{
    QFETCH(const std::string, what);
    QFETCH(const std::string, with);
    const std::string source = exchanged(kBlocks, what, with);
    QVERIFY(source != kNothingToExchange);
    QCOMPARE(afterRewrite(source, "buffer-per-pass", knowing(kBlocksShapes)), kNotApplied);
}

void tst_WorkRewrites::productsAreAddedInPsum()
{
    std::string expected = exchanged(kTwoProducts, "        acc_sb = nl.copy(acc)\n", "");
    expected = exchanged(expected, "        low_sb = nl.copy(low)\n", "");
    expected = exchanged(expected, "low = nl.matmul", "acc += nl.matmul");
    expected = exchanged(expected, "nl.add(acc_sb, low_sb)", "nl.copy(acc)");
    const std::string after =
        afterRewrite(kTwoProducts, "accumulate-in-psum", knowing(kTwoProductsShapes));
    QCOMPARE(after, expected);
    QCOMPARE(numbersDiffer(kTwoProducts, after, kTwoProductsShapes), std::string());
    // The other way round, and read from PSUM directly.
    const std::string other =
        exchanged(exchanged(kTwoProducts, "        low_sb = nl.copy(low)\n", ""),
                  "nl.add(acc_sb, low_sb)", "nl.add(low, acc_sb)");
    QCOMPARE(afterRewrite(other, "accumulate-in-psum", knowing(kTwoProductsShapes)), expected);
}

void tst_WorkRewrites::productsStayApart_data()
{
    QTest::addColumn<std::string>("what");
    QTest::addColumn<std::string>("with");
    const auto row = [](const char *name, const std::string &what, const std::string &with) {
        QTest::newRow(name) << what << with;
    };
    row("a difference", "nl.add(acc_sb, low_sb)", "nl.subtract(acc_sb, low_sb)");
    row("a product that is read again", "value=y)", "value=nl.add(y, low_sb))");
    row("a sum that is read again", "value=y)", "value=nl.add(y, acc_sb))");
    row("a sum that goes on growing", "        y = nl.add",
        "        acc += nl.matmul(a_tile, b_tile)\n        y = nl.add");
    row("no sum of products", "acc += nl.matmul(x_tile, w_tile)", "acc += nl.exp(w_tile)");
    row("a sum outside PSUM", "buffer=nl.psum", "buffer=nl.sbuf");
}

void tst_WorkRewrites::productsStayApart()
{
    QFETCH(const std::string, what);
    QFETCH(const std::string, with);
    const std::string source = exchanged(kTwoProducts, what, with);
    QVERIFY(source != kNothingToExchange);
    QCOMPARE(afterRewrite(source, "accumulate-in-psum", knowing(kTwoProductsShapes)), kNotApplied);
}

void tst_WorkRewrites::productsAreScaledInsteadOfRows()
{
    std::string expected = exchanged(kScaledRows, "        p = nl.multiply(a, total)\n", "");
    expected = exchanged(expected, "matmul(p[", "matmul(a[");
    expected = exchanged(expected, "nl.copy(acc)", "nl.multiply(acc, total)");
    const std::string after =
        afterRewrite(kScaledRows, "scale-after-product", knowing(kScaledRowsShapes));
    QCOMPARE(after, expected);
    QCOMPARE(numbersDiffer(kScaledRows, after, kScaledRowsShapes), std::string());
}

void tst_WorkRewrites::blocksOfProductsAreScaledInsteadOfRows()
{
    const std::string after =
        afterRewrite(kScaledBlocks, "scale-after-product", knowing(kScaledBlocksShapes));
    QVERIFY2(after.find("nisa.nc_matmul(v3[i0, nl.arange(128)[:, None], 128 * i1 + "
                        "nl.arange(128)[None, :]], v2") != std::string::npos,
             after.c_str());
    QVERIFY(after.find("nl.multiply(v8[i0, nl.arange(128)[:, None], nl.arange(64)[None, :]], "
                       "v4[i0, nl.arange(128)[:, None], 0])") != std::string::npos);
    QVERIFY(after.find("v5") == std::string::npos);
    QCOMPARE(numbersDiffer(kScaledBlocks, after, kScaledBlocksShapes), std::string());
    // The next block's rows would be scaled by this block's column.
    QCOMPARE(afterRewrite(exchanged(kScaledBlocks, "nisa.nc_matmul(v7[i0, i2, ",
                                    "nisa.nc_matmul(v7[i2, i2, "),
                          "scale-after-product", knowing(kScaledBlocksShapes)),
             kNotApplied);
}

void tst_WorkRewrites::rowsStayScaled_data()
{
    QTest::addColumn<std::string>("what");
    QTest::addColumn<std::string>("with");
    const auto row = [](const char *name, const std::string &what, const std::string &with) {
        QTest::newRow(name) << what << with;
    };
    row("rows that something else reads", "value=acc_sb)",
        "value=nl.add(acc_sb, nl.multiply(p[:, 0:64], 2.0)))");
    row("rows on the right of the product", "nl.matmul(p[:, t * 128:(t + 1) * 128], w_tile)",
        "nl.matmul(w_tile, p[:, t * 128:t * 128 + 64], transpose_x=True)");
    row("columns instead of rows", "w_tile)\n", "w_tile, transpose_x=True)\n");
    row("a sum with another part", "        acc_sb",
        "        acc += nl.matmul(a[:, 0:128], "
        "w_tile)\n        acc_sb");
    row("a sum with two readers", "value=acc_sb)", "value=nl.add(acc_sb, acc))");
    row("a sum with no copy", "acc_sb = nl.copy(acc)", "acc_sb = nl.exp(acc)");
    row("a column that changes", "        acc_sb",
        "        total = nl.max(a, axis=[1], keepdims=True)\n        acc_sb");
    row("rows that change", "        acc_sb", "        a = nl.exp(a)\n        acc_sb");
    row("a number instead of a column", "nl.multiply(a, total)", "nl.multiply(a, 2.0)");
    row("a sum over all rows",
        "        acc = nl.zeros((128, 64), dtype=nl.float32, buffer=nl.psum)\n", "");
}

void tst_WorkRewrites::rowsStayScaled()
{
    QFETCH(const std::string, what);
    QFETCH(const std::string, with);
    const std::string source = exchanged(kScaledRows, what, with);
    QVERIFY(source != kNothingToExchange);
    QCOMPARE(afterRewrite(source, "scale-after-product", knowing(kScaledRowsShapes)), kNotApplied);
}

void tst_WorkRewrites::deadWorkIsRemoved_data()
{
    QTest::addColumn<std::string>("before");
    QTest::addColumn<std::string>("after");
    const auto row = [](const char *name, const std::string &before, const std::string &after) {
        QTest::newRow(name) << before << after;
    };
    const std::string tile = "(nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)\n";
    row("a tile that nothing reads", "d = nl.exp(a)\nr = nl.add(a, b)", "r = nl.add(a, b)");
    row("a tile that nothing reads with all that writes it",
        "d = nl.ndarray(" + tile + "d[...] = nl.exp(a)\n# kept\nr = nl.add(a, b)",
        "# kept\nr = nl.add(a, b)");
    row("a sum that nothing reads", "d = nl.zeros(" + tile + "d += a\nr = nl.add(a, b)",
        "r = nl.add(a, b)");
    row("a copy for one reader", "d = nl.copy(a)\nr = nl.add(d, b)", "r = nl.add(a, b)");
    row("a product with one", "d = nl.multiply(a, 1.0)\nr = nl.add(b, d)", "r = nl.add(b, a)");
    row("a sum with zero", "d = nl.add(a, 0.0)\nr = nl.exp(d)", "r = nl.exp(a)");
    row("zeros that are overwritten",
        "d = nl.zeros(" + tile + "d[...] = nl.exp(a)\nr = nl.add(d, b)",
        "d = nl.ndarray(" + tile + "d[...] = nl.exp(a)\nr = nl.add(d, b)");
    row("a tile that is read", "d = nl.exp(a)\nr = nl.add(d, b)", kNotApplied);
    row("a copy whose original changes", "d = nl.copy(a)\na = nl.exp(b)\nr = nl.add(d, a)",
        kNotApplied);
    row("a copy with two readers", "d = nl.copy(a)\ne = nl.add(d, b)\nr = nl.add(d, e)",
        kNotApplied);
    row("a copy into another type", "d = nl.copy(a, dtype=nl.bfloat16)\nr = nl.add(d, b)",
        kNotApplied);
    row("a part of a tile",
        "d = nl.copy(a[64:128, 0:512])\ne = nl.add(d, b[0:64, 0:512])\nr = "
        "nl.add(a, b)\nr[0:64, 0:512] = nl.copy(e)",
        kNotApplied);
    row("zeros that are overwritten in part",
        "d = nl.zeros(" + tile + "d[:, 0:256] = nl.exp(a[:, 0:256])\nr = nl.add(d, b)",
        kNotApplied);
    row("zeros that are added to", "d = nl.zeros(" + tile + "d += a\nr = nl.add(d, b)",
        kNotApplied);
}

void tst_WorkRewrites::deadWorkIsRemoved()
{
    QFETCH(const std::string, before);
    QFETCH(const std::string, after);
    const std::string source = humanKernel("e = nl.add(a, c)\na = nl.add(e, b)\n" + before);
    const std::string text = afterRewrite(source, "remove-dead-work");
    if (text == kNotApplied) {
        QCOMPARE(text, after);
        return;
    }
    QCOMPARE(bodyOf(text), "e = nl.add(a, c)\na = nl.add(e, b)\n" + after);
    QCOMPARE(numbersDiffer(source, text, {{512, 512}, {512, 512}, {}}), std::string());
}

ACCELOPT_TEST(tst_WorkRewrites)
#include "tst_WorkRewrites.moc"
