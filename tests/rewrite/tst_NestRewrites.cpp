// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rewrite/SameNumbers.h"

#include "core/rewrite/Dependence.h"
#include "core/rewrite/Residence.h"

using namespace accelopt;
using namespace accelopt::rewrite;
using tests::afterRewrite;
using tests::exchanged;
using tests::kNotApplied;
using tests::ModelledKernel;
using tests::numbersDiffer;

namespace {

const std::string kNestHead = R"(import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import neuronxcc.nki.isa as nisa
import numpy as np


@nki.jit
)";

// Row softmax of a product as a compiler writes it: all products first, then all rows, with the
// blocks of columns outside the blocks of rows.
const std::string kTwoNests = kNestHead + R"(def kernel(v1, v2):
    v3 = nl.ndarray((4, 128, 1024), dtype=np.float32, buffer=nl.shared_hbm)
    v4 = nl.ndarray((2, nl.par_dim(64), 512), dtype=np.float32, name='rhs', buffer=nl.sbuf)
    v5 = nl.ndarray((4, nl.par_dim(64), 128), dtype=np.float32, name='lhs', buffer=nl.sbuf)
    v6 = nl.zeros((2, 4, nl.par_dim(128), 512), dtype=np.float32, name='', buffer=nl.psum, lazy_initialization=True)
    v7 = nl.ndarray((4, 2, nl.par_dim(128), 512), dtype=np.float32, name='', buffer=nl.sbuf)
    v8 = nl.ndarray((2, 4, nl.par_dim(128), 1), dtype=np.float32, name='', buffer=nl.sbuf)
    v9 = nl.ndarray((4, nl.par_dim(128), 1), dtype=np.float32, name='', buffer=nl.sbuf)
    v10 = nl.ndarray((4, 2, nl.par_dim(128), 512), dtype=np.float32, name='', buffer=nl.sbuf)
    v11 = nl.ndarray((4, nl.par_dim(128), 1), dtype=np.float32, name='', buffer=nl.sbuf)
    # all products
    for i0 in nl.affine_range(2):
        v4[i0, nl.arange(64)[:, None], nl.arange(512)[None, :]] = nl.load(v2[nl.arange(64)[:, None], 512 * i0 + nl.arange(512)[None, :]], dtype=np.float32, mask=None)
        for i1 in nl.affine_range(4):
            v5[i1, nl.arange(64)[:, None], nl.arange(128)[None, :]] = nl.load(v1[i1, nl.arange(64)[:, None], nl.arange(128)[None, :]], dtype=np.float32, mask=None)
            v6[i0, i1, nl.arange(128)[:, None], nl.arange(512)[None, :]] = nisa.nc_matmul(v5[i1, nl.arange(64)[:, None], nl.arange(128)[None, :]], v4[i0, nl.arange(64)[:, None], nl.arange(512)[None, :]], is_stationary_onezero=False, is_moving_onezero=False, mask=None)
            v7[i1, i0, nl.arange(128)[:, None], nl.arange(512)[None, :]] = nl.copy(v6[i0, i1, nl.arange(128)[:, None], nl.arange(512)[None, :]], dtype=np.float32, mask=None)
            v8[i0, i1, nl.arange(128)[:, None], 0] = nisa.tensor_reduce(nl.max, data=v7[i1, i0, nl.arange(128)[:, None], nl.arange(512)[None, :]], mask=None, axis=[1], dtype=np.float32, negate=False)
            v9[i1, nl.arange(128)[:, None], 0] = nl.loop_reduce(v8[i0, i1, nl.arange(128)[:, None], 0], op=np.max, loop_indices=[i0], mask=None, dtype=np.float32)
            ' end loop i1 '
        ' end loop i0 '
    # all rows
    for i2 in nl.affine_range(4):
        v11[i2, nl.arange(128)[:, None], 0] = nisa.tensor_scalar(data=v9[i2, nl.arange(128)[:, None], 0], op0=nl.multiply, operand0=-1.0, dtype=np.float32, mask=None)
        for i3 in nl.affine_range(2):
            v10[i2, i3, nl.arange(128)[:, None], nl.arange(512)[None, :]] = nisa.activation(op=nl.exp, data=v7[i2, i3, nl.arange(128)[:, None], nl.arange(512)[None, :]], bias=v11[i2, nl.arange(128)[:, None], 0], scale=1.0, mask=None, dtype=np.float32)
            nl.store(v3[i2, nl.arange(128)[:, None], 512 * i3 + nl.arange(512)[None, :]], value=v10[i2, i3, nl.arange(128)[:, None], nl.arange(512)[None, :]], mask=None)
            ' end loop i3 '
        ' end loop i2 '
    return v3
)";
const tests::Shapes kTwoNestsShapes{{4, 64, 128}, {64, 1024}};

// Sums over states for tiles of channels, as people write them, kept until all states are done.
const std::string kStates = kNestHead + R"(def kernel(x, g):
    out = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    kept = nl.zeros((2, nl.par_dim(128), 512), dtype=nl.float32)
    # states
    for s in nl.affine_range(3):
        for c in nl.affine_range(2):
            start = c * 128
            a = nl.load(x[start:start + 128, 0:512])
            f = nl.load(g[start:start + 128, s])
            kept[c, 0:128, 0:512] += nisa.activation(op=nl.exp, data=a, scale=f)
    # results
    for c in nl.affine_range(2):
        start = c * 128
        nl.store(out[start:start + 128, 0:512], kept[c, 0:128, 0:512])
    return out
)";
const tests::Shapes kStatesShapes{{256, 512}, {256, 3}};

// Two passes over rows, one after the other.
const std::string kPassAfterPass = kNestHead + R"(def kernel(x):
    out = nl.ndarray((512, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    kept = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.affine_range(4):
        a = nl.load(x[i * 128:(i + 1) * 128, 0:512])
        kept[i, :, :] = nl.exp(a)
    # the second pass
    for j in nl.affine_range(4):
        r = nl.multiply(kept[j, :, :], 2.0)
        nl.store(out[j * 128:(j + 1) * 128, 0:512], value=r)
    return out
)";
const tests::Shapes kPassShapes{{512, 512}};

// Heads side by side in a free axis, of which each use takes one.
const std::string kHeads = kNestHead + R"(def kernel(x):
    out = nl.ndarray((4, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    heads = nl.ndarray((2, nl.par_dim(128), 4, 256), dtype=nl.float32, buffer=nl.sbuf)
    for b in nl.affine_range(2):
        for h in nl.affine_range(4):
            heads[b, nl.arange(128)[:, None], h, nl.arange(256)[None, :]] = nl.load(x[h, nl.arange(128)[:, None], 256 * b + nl.arange(256)[None, :]])
    for h in nl.affine_range(4):
        for b in nl.affine_range(2):
            r = nl.exp(heads[b, nl.arange(128)[:, None], h, nl.arange(256)[None, :]])
            nl.store(out[h, nl.arange(128)[:, None], 256 * b + nl.arange(256)[None, :]], value=r)
    return out
)";
const tests::Shapes kHeadsShapes{{4, 128, 512}};

// Tiles too many for SBUF, of which each pass of the outer loop reads all.
const std::string kSweeps = kNestHead + R"(def kernel(x):
    out = nl.ndarray((8, 64, 128, 1024), dtype=x.dtype, buffer=nl.shared_hbm)
    kept = nl.ndarray((64, nl.par_dim(128), 1024), dtype=nl.float32, buffer=nl.sbuf)
    for t in nl.affine_range(64):
        kept[t, :, :] = nl.load(x[t, 0:128, 0:1024])
    for s in nl.affine_range(8):
        for c in nl.affine_range(64):
            r = nl.multiply(kept[c, :, :], 2.0)
            nl.store(out[s, c, 0:128, 0:1024], value=r)
    return out
)";
const tests::Shapes kSweepsShapes{{64, 128, 1024}};

ModelContext nestContext(const tests::Shapes &shapes)
{
    ModelContext context;
    context.layouts.emplace_back(shapes.begin(), shapes.end());
    return context;
}

} // namespace

// Rewrites that change the order of loops and what is kept between them: the text, dependences that
// forbid it, and that every proposal computes the same numbers.
class tst_NestRewrites : public QObject
{
    Q_OBJECT

private slots:
    void fusionMovesTheCommonLoopsOutside();
    void fusionOfHandWrittenNests();
    void fusionOfNeighboursRenamesTheVariable();
    void fusionStaysAway_data();
    void fusionStaysAway();
    void fusionKeepsLessAlive();
    void aFreeAxisBecomesABlockAxis();
    void splitTilesStaysAway_data();
    void splitTilesStaysAway();
    void aLoopIsSplitInFrontOfWideWork();
    void splitLoopStaysAway_data();
    void splitLoopStaysAway();
    void interchangeReadsEachTileOnce();
    void interchangeStaysAway_data();
    void interchangeStaysAway();
    void partsOfRowsAreReducedAtOnce();
    void mergingPartsStaysAway_data();
    void mergingPartsStaysAway();
    void everyProposalComputesTheSame_data();
    void everyProposalComputesTheSame();
    void elementsAreToldApartByDigits();
};

void tst_NestRewrites::fusionMovesTheCommonLoopsOutside()
{
    const std::string text = afterRewrite(kTwoNests, "fuse-loops", nestContext(kTwoNestsShapes));
    const std::size_t begin = text.find("    # all products");
    QVERIFY2(begin != std::string::npos, text.c_str());
    std::string shape;
    for (std::size_t at = begin; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        const std::string line = text.substr(at, end - at);
        shape += line.substr(0, std::min(line.find_first_of("[("), line.find(" in "))) + "\n";
        at = end + 1;
    }
    QCOMPARE(shape, std::string(R"(    # all products
    for i0
        v4
        ' end loop i0 '
    for i1
        for i0
            v5
            v6
            v7
            v8
            v9
            ' end loop i0 '
        # all rows
        v11
        for i3
            v10
            nl.store
            ' end loop i3 '
        ' end loop i1 '
    return v3
)"));
    QVERIFY(text.find("v11[i1, nl.arange(128)[:, None], 0] = nisa.tensor_scalar(data=v9[i1,") !=
            std::string::npos);
    QCOMPARE(numbersDiffer(kTwoNests, text, kTwoNestsShapes), std::string());
}

void tst_NestRewrites::fusionOfHandWrittenNests()
{
    const std::string expected = exchanged(exchanged(kStates, R"(    for s in nl.affine_range(3):
        for c in nl.affine_range(2):
)",
                                                     R"(    for c in nl.affine_range(2):
        for s in nl.affine_range(3):
)"),
                                           R"(    # results
    for c in nl.affine_range(2):
        start = c * 128
)",
                                           R"(        # results
        start = c * 128
)");
    const std::string text = afterRewrite(kStates, "fuse-loops", nestContext(kStatesShapes));
    QCOMPARE(text, expected);
    QCOMPARE(numbersDiffer(kStates, text, kStatesShapes), std::string());
}

void tst_NestRewrites::fusionOfNeighboursRenamesTheVariable()
{
    const std::string expected = exchanged(kPassAfterPass, R"(    # the second pass
    for j in nl.affine_range(4):
        r = nl.multiply(kept[j, :, :], 2.0)
        nl.store(out[j * 128:(j + 1) * 128, 0:512], value=r)
)",
                                           R"(        # the second pass
        r = nl.multiply(kept[i, :, :], 2.0)
        nl.store(out[i * 128:(i + 1) * 128, 0:512], value=r)
)");
    QCOMPARE(afterRewrite(kPassAfterPass, "fuse-loops", nestContext(kPassShapes)), expected);
}

void tst_NestRewrites::fusionStaysAway_data()
{
    QTest::addColumn<std::string>("source");
    QTest::newRow("a pass reads what a later pass makes")
        << exchanged(kPassAfterPass, "kept[j, :, :]", "kept[3 - j, :, :]");
    QTest::newRow("every pass reads the same tile")
        << exchanged(kPassAfterPass, "kept[j, :, :]", "kept[0, :, :]");
    QTest::newRow("other trip counts")
        << exchanged(kPassAfterPass, "for j in nl.affine_range(4)", "for j in nl.affine_range(2)");
    QTest::newRow("another kind of loop")
        << exchanged(kPassAfterPass, "for j in nl.affine_range", "for j in nl.sequential_range");
    QTest::newRow("no tile in common")
        << exchanged(kPassAfterPass, "nl.multiply(kept[j, :, :], 2.0)",
                     "nl.load(x[j * 128:(j + 1) * 128, 0:512])");
    QTest::newRow("the first variable means something in the second loop")
        << exchanged(kPassAfterPass, "        r = nl", "        i = 2\n        r = nl");
    QTest::newRow("a statement in between needs all passes") << exchanged(
        kPassAfterPass, "    # the second pass\n", "    kept[0, :, :] = nl.copy(kept[3, :, :])\n");
}

void tst_NestRewrites::fusionStaysAway()
{
    QFETCH(const std::string, source);
    QCOMPARE(afterRewrite(source, "fuse-loops", nestContext(kPassShapes)), kNotApplied);
}

void tst_NestRewrites::fusionKeepsLessAlive()
{
    // With sixteen times the columns the products of all rows exceed SBUF, those of one row do not.
    std::string large = kTwoNests;
    for (const char *tensor : {"v4 = nl.ndarray((2,", "v6 = nl.zeros((2,", "v8 = nl.ndarray((2,"})
        large = exchanged(large, tensor, exchanged(tensor, "((2,", "((32,"));
    for (const char *tensor : {"v7 = nl.ndarray((4, 2,", "v10 = nl.ndarray((4, 2,"})
        large = exchanged(large, tensor, exchanged(tensor, "((4, 2,", "((4, 32,"));
    large = exchanged(large, "(4, 128, 1024)", "(4, 128, 16384)");
    large = exchanged(large, "for i0 in nl.affine_range(2)", "for i0 in nl.affine_range(32)");
    large = exchanged(large, "for i3 in nl.affine_range(2)", "for i3 in nl.affine_range(32)");
    const ModelContext context = nestContext({{4, 64, 128}, {64, 16384}});
    const ModelledKernel before(large, context);
    const ModelledKernel after(afterRewrite(large, "fuse-loops", context), context);
    const Residence first = residenceOf(before.model(), *wholeNest(before.model()));
    const Residence second = residenceOf(after.model(), *wholeNest(after.model()));
    QVERIFY(first.spillMs > 0);
    QCOMPARE(second.spillMs, 0.0);
    QVERIFY(second.bytesPerPartition < first.bytesPerPartition);
    const std::vector<RewriteSite> sites = findSites(before.model());
    const auto site = std::find_if(sites.begin(), sites.end(), [](const RewriteSite &one) {
        return one.rewrite == "fuse-loops";
    });
    QVERIFY(site != sites.end() && site->estimatedSpeedup > 1);
    QVERIFY(site->prose.find("interchange") != std::string::npos);
}

void tst_NestRewrites::aFreeAxisBecomesABlockAxis()
{
    std::string expected =
        exchanged(kHeads, "(2, nl.par_dim(128), 4, 256)", "(2, 4, nl.par_dim(128), 256)");
    for (int use = 0; use < 2; ++use)
        expected = exchanged(expected, "heads[b, nl.arange(128)[:, None], h, nl.arange(256)",
                             "heads[b, h, nl.arange(128)[:, None], nl.arange(256)");
    const std::string text = afterRewrite(kHeads, "split-tiles", nestContext(kHeadsShapes));
    QCOMPARE(text, expected);
    QCOMPARE(numbersDiffer(kHeads, text, kHeadsShapes), std::string());
}

void tst_NestRewrites::splitTilesStaysAway_data()
{
    QTest::addColumn<std::string>("source");
    QTest::newRow("a use takes several positions") << exchanged(
        kHeads, "nl.exp(heads[b, nl.arange(128)[:, None], h, nl.arange(256)[None, :]])",
        "nl.exp(heads[b, nl.arange(128)[:, None], nl.arange(1)[None, :], "
        "nl.arange(256)[None, :]])");
    QTest::newRow("a use takes the whole tensor")
        << exchanged(kHeads, "    return out", "    other = heads\n    return out");
    QTest::newRow("one free axis only")
        << exchanged(kHeads, "(2, nl.par_dim(128), 4, 256)", "(2, 4, nl.par_dim(128), 256)");
    QTest::newRow("a tensor in PSUM") << exchanged(kHeads, "buffer=nl.sbuf", "buffer=nl.psum");
}

void tst_NestRewrites::splitTilesStaysAway()
{
    QFETCH(const std::string, source);
    QCOMPARE(afterRewrite(source, "split-tiles", nestContext(kHeadsShapes)), kNotApplied);
}

void tst_NestRewrites::aLoopIsSplitInFrontOfWideWork()
{
    const std::string source = kNestHead + R"(def kernel(x, w):
    out = nl.ndarray((128, 1024), dtype=x.dtype, buffer=nl.shared_hbm)
    a = nl.load(x[0:64, 0:128])
    kept = nl.ndarray((2, nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)
    last = nl.ndarray((2, nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)
    for j in nl.affine_range(2):
        b = nl.load(w[0:64, j * 512:(j + 1) * 512])
        p = nl.matmul(a, b, transpose_x=True)
        kept[j, :, :] = nl.copy(p)
        # wide from here on
        last[j, :, :] = nl.exp(kept[j, :, :])
        nl.store(out[0:128, j * 512:(j + 1) * 512], value=last[j, :, :])
    return out
)";
    const std::string expected = exchanged(source, "        # wide from here on\n",
                                           "    for j in nl.affine_range(2):\n"
                                           "        # wide from here on\n");
    const tests::Shapes shapes{{64, 128}, {64, 1024}};
    const std::string text = afterRewrite(source, "split-loop", nestContext(shapes));
    QCOMPARE(text, expected);
    QCOMPARE(numbersDiffer(source, text, shapes), std::string());
}

void tst_NestRewrites::splitLoopStaysAway_data()
{
    const std::string source = kNestHead + R"(def kernel(x, w):
    out = nl.ndarray((128, 1024), dtype=x.dtype, buffer=nl.shared_hbm)
    a = nl.load(x[0:64, 0:128])
    kept = nl.ndarray((2, nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)
    for j in nl.affine_range(2):
        b = nl.load(w[0:64, j * 512:(j + 1) * 512])
        p = nl.matmul(a, b, transpose_x=True)
        kept[j, :, :] = nl.copy(p)
        c = nl.exp(kept[j, :, :])
        nl.store(out[0:128, j * 512:(j + 1) * 512], value=c)
    return out
)";
    QTest::addColumn<std::string>("source");
    QTest::newRow("a name would have to outlive its pass")
        << exchanged(source, "kept[j, :, :] = nl.copy(p)\n        c = nl.exp(kept[j, :, :])",
                     "c = nl.copy(p)\n        c = nl.exp(c)");
    QTest::newRow("all passes use one tile")
        << exchanged(exchanged(source, "kept[j, :, :] =", "kept[0, :, :] ="), "exp(kept[j, :, :])",
                     "exp(kept[0, :, :])");
    QTest::newRow("a pass in order reads what the one before made") << exchanged(
        exchanged(source, "for j in nl.affine_range", "for j in nl.sequential_range"),
        "nl.copy(p)\n        c = nl.exp(kept[j, :, :])",
        "nl.add(nl.copy(p), kept[0, :, :])\n        kept[0, :, :] = nl.exp(kept[j, :, :])\n"
        "        c = nl.copy(kept[0, :, :])");
}

void tst_NestRewrites::splitLoopStaysAway()
{
    QFETCH(const std::string, source);
    QCOMPARE(afterRewrite(source, "split-loop", nestContext({{64, 128}, {64, 1024}})), kNotApplied);
}

void tst_NestRewrites::interchangeReadsEachTileOnce()
{
    const std::string text = afterRewrite(kSweeps, "interchange-loops", nestContext(kSweepsShapes));
    QCOMPARE(text, exchanged(kSweeps, R"(    for s in nl.affine_range(8):
        for c in nl.affine_range(64):
)",
                             R"(    for c in nl.affine_range(64):
        for s in nl.affine_range(8):
)"));
}

void tst_NestRewrites::interchangeStaysAway_data()
{
    QTest::addColumn<std::string>("source");
    QTest::newRow("a value is carried from pass to pass")
        << exchanged(exchanged(kSweeps, "for s in nl.affine_range", "for s in nl.sequential_range"),
                     "multiply(kept[c, :, :], 2.0)",
                     "multiply(kept[63 - c, :, :], 2.0)\n            kept[c, :, :] = nl.copy(r)");
    QTest::newRow("the inner trip count depends on the outer loop")
        << exchanged(kSweeps, "        for c in nl.affine_range(64)",
                     "        for c in nl.affine_range(s + 57)");
    QTest::newRow("a name of the outer pass is used inside")
        << exchanged(kSweeps, "        for c in nl.affine_range(64):\n            r = nl.multiply(",
                     "        b = nl.load(x[s, 0:128, 0:1024])\n        for c in "
                     "nl.affine_range(64):\n            r = nl.add(b, ");
    QTest::newRow("everything fits into SBUF") << exchanged(
        exchanged(exchanged(kSweeps, "((64, nl", "((8, nl"), "affine_range(64)", "affine_range(8)"),
        "affine_range(64)", "affine_range(8)");
}

void tst_NestRewrites::interchangeStaysAway()
{
    QFETCH(const std::string, source);
    QVERIFY(source.find("kernel") != std::string::npos);
    QCOMPARE(afterRewrite(source, "interchange-loops", nestContext(kSweepsShapes)), kNotApplied);
}

void tst_NestRewrites::partsOfRowsAreReducedAtOnce()
{
    // Once the column blocks run inside, the rows' maxima need no parts: what is behind the product
    // is taken out of the loop.
    const ModelContext context = nestContext(kTwoNestsShapes);
    const std::string fused = afterRewrite(kTwoNests, "fuse-loops", context);
    const std::string text = afterRewrite(fused, "merge-inner-loop", context, 1);
    QVERIFY2(text.find("            ' end loop i0 '\n        v9[i1, nl.arange(128)[:, None], 0] = "
                       "nisa.tensor_reduce(nl.max, data=v7[i1, nl.arange(128)[:, None], "
                       "nl.arange(1024)[None, :]]") != std::string::npos,
             text.c_str());
    QVERIFY(text.find("loop_reduce") == std::string::npos);
    QVERIFY(text.find("    v8 =") == std::string::npos);
    // The others that use the tensor find their part of the wide tile.
    QVERIFY(text.find("v7[i1, nl.arange(128)[:, None], 512 * i0 + nl.arange(512)[None, :]] = "
                      "nl.copy(") != std::string::npos);
    QVERIFY(text.find("data=v7[i1, nl.arange(128)[:, None], 512 * i3 + nl.arange(512)[None, :]]") !=
            std::string::npos);
    QCOMPARE(numbersDiffer(kTwoNests, text, kTwoNestsShapes), std::string());
}

void tst_NestRewrites::mergingPartsStaysAway_data()
{
    const std::string reduction = kNestHead + R"(def kernel(x):
    out = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = nl.ndarray((2, nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)
    parts = nl.ndarray((2, nl.par_dim(128), 1), dtype=nl.float32, buffer=nl.sbuf)
    total = nl.ndarray((nl.par_dim(128), 1), dtype=nl.float32, buffer=nl.sbuf)
    for j in nl.affine_range(2):
        tiles[j, nl.arange(128)[:, None], nl.arange(512)[None, :]] = nl.load(x[nl.arange(128)[:, None], 512 * j + nl.arange(512)[None, :]])
        parts[j, nl.arange(128)[:, None], 0] = nisa.tensor_reduce(nl.max, data=tiles[j, nl.arange(128)[:, None], nl.arange(512)[None, :]], axis=[1])
        total[nl.arange(128)[:, None], 0] = nl.loop_reduce(parts[j, nl.arange(128)[:, None], 0], op=np.max, loop_indices=[j])
    nl.store(out[nl.arange(128)[:, None], nl.arange(1)[None, :]], value=total)
    return out
)";
    QTest::addColumn<std::string>("source");
    QTest::addColumn<bool>("applies");
    QTest::newRow("the parts are only steps to the total") << reduction << true;
    QTest::newRow("parts and total by different operations")
        << exchanged(reduction, "op=np.max", "op=np.add") << false;
    QTest::newRow("the parts are read elsewhere")
        << exchanged(reduction, "    return out",
                     "    other = nl.copy(parts[0, nl.arange(128)[:, None], 0])\n    return out")
        << false;
    QTest::newRow("the total is one of each pass")
        << exchanged(reduction, "loop_indices=[j]", "loop_indices=[]") << false;
    QTest::newRow("a negated part")
        << exchanged(reduction, "axis=[1])", "axis=[1], negate=True)") << false;
}

void tst_NestRewrites::mergingPartsStaysAway()
{
    QFETCH(const std::string, source);
    QFETCH(const bool, applies);
    const tests::Shapes shapes{{128, 1024}};
    const std::string text = afterRewrite(source, "merge-inner-loop", nestContext(shapes));
    QCOMPARE(text != kNotApplied, applies);
    if (applies)
        QCOMPARE(numbersDiffer(source, text, shapes), std::string());
}

void tst_NestRewrites::everyProposalComputesTheSame_data()
{
    QTest::addColumn<std::string>("source");
    QTest::addColumn<tests::Shapes>("shapes");
    QTest::newRow("two nests") << kTwoNests << kTwoNestsShapes;
    QTest::newRow("sums over states") << kStates << kStatesShapes;
    QTest::newRow("pass after pass") << kPassAfterPass << kPassShapes;
    QTest::newRow("heads") << kHeads << kHeadsShapes;
    QTest::newRow("two nests, fused")
        << afterRewrite(kTwoNests, "fuse-loops", nestContext(kTwoNestsShapes)) << kTwoNestsShapes;
}

void tst_NestRewrites::everyProposalComputesTheSame()
{
    QFETCH(const std::string, source);
    QFETCH(const tests::Shapes, shapes);
    const ModelContext context = nestContext(shapes);
    int tried = 0;
    for (const char *name :
         {"fuse-loops", "interchange-loops", "split-loop", "split-tiles", "merge-inner-loop"})
        for (std::size_t place = 0; place < 6; ++place) {
            const std::string text = afterRewrite(source, name, context, place);
            if (text == kNotApplied)
                break;
            ++tried;
            const std::string difference = numbersDiffer(source, text, shapes);
            QVERIFY2(difference.empty(), (name + (": " + difference) + "\n" + text).c_str());
        }
    QVERIFY(tried > 0);
}

void tst_NestRewrites::elementsAreToldApartByDigits()
{
    const std::string source = kNestHead + R"(def kernel(x):
    out = nl.ndarray((128, 4096), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((nl.par_dim(128), 4096), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.affine_range(4):
        for j in nl.affine_range(2):
            t[:, 1024 * i + 512 * j:1024 * i + 512 * j + 512] = nl.load(x[0:128, 0:512])
    for k in nl.affine_range(4):
        nl.store(out[0:128, k * 1024:(k + 1) * 1024], value=t[:, 1024 * k:1024 * k + 1024])
    for m in nl.affine_range(8):
        nl.store(out[0:128, m * 512:(m + 1) * 512], value=t[:, 256 * m:256 * m + 512])
    return out
)";
    const ModelledKernel kernel(source, nestContext({{128, 512}}));
    const int write = kernel.statement("t[:,");
    const int whole = kernel.statement("nl.store(out[0:128, k");
    const int overlapping = kernel.statement("nl.store(out[0:128, m");
    const auto access = [&](int id) {
        const Statement &statement = kernel.model().statement(id);
        const auto touch = std::find_if(statement.touches.begin(), statement.touches.end(),
                                        [](const Touch &one) { return one.access.base == "t"; });
        return touch->access;
    };
    const Overlap tiled = overlapOf(kernel.model(), access(write), write, access(whole), whole);
    QVERIFY(tiled.equal == (std::set<std::pair<int, int>>{{0, 2}}));
    const Overlap loose =
        overlapOf(kernel.model(), access(write), write, access(overlapping), overlapping);
    QVERIFY(loose.possible && loose.equal.empty());
    const Overlap self = overlapOf(kernel.model(), access(write), write, access(write), write);
    QVERIFY(self.equal == (std::set<std::pair<int, int>>{{0, 0}, {1, 1}}));
}

ACCELOPT_TEST(tst_NestRewrites)
#include "tst_NestRewrites.moc"
