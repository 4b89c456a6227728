// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rewrite/Kernels.h"

using namespace accelopt;
using namespace accelopt::rewrite;
using tests::afterRewrite;
using tests::exchanged;
using tests::kNotApplied;

namespace {

const std::string kImports = R"(import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import neuronxcc.nki.isa as nisa
import numpy as np


@nki.jit
)";

// Products in the style people write.
const std::string kProduct = kImports + R"(def kernel(x, w):
    rows, depth = x.shape
    columns = w.shape[1]
    tile_m = 128
    tile_k = 128
    tile_n = 512
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // tile_m):
        # columns of the result
        for j in nl.affine_range(columns // tile_n):
            acc = nl.zeros((tile_m, tile_n), dtype=nl.float32, buffer=nl.psum)
            for k in nl.affine_range(depth // tile_k):
                x_tile = nl.load(x[i * tile_m:(i + 1) * tile_m, k * tile_k:(k + 1) * tile_k])
                w_tile = nl.load(w[k * tile_k:(k + 1) * tile_k, j * tile_n:(j + 1) * tile_n])
                acc += nl.matmul(x_tile, w_tile)
            nl.store(out[i * tile_m:(i + 1) * tile_m, j * tile_n:(j + 1) * tile_n], value=nl.copy(acc))
    return out
)";
const ModelContext kProductShapes{{{{512, 256}, {256, 2048}}}, {}};

// Elementwise work in the style people write.
const std::string kElementwise = kImports + R"(def kernel(x):
    rows, columns = x.shape
    tile = 512
    assert columns % tile == 0
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 128):
        for j in nl.affine_range(columns // tile):
            a = nl.load(x[i * 128:(i + 1) * 128, j * tile:(j + 1) * tile])
            r = nl.exp(a)
            nl.store(out[i * 128:(i + 1) * 128, j * tile:(j + 1) * tile], value=r)
    return out
)";
const ModelContext kElementwiseShapes{{{{512, 2048}}}, {}};

// The style of a compiler: one tensor with block axes for each value, index grids throughout.
const std::string kGenerated = kImports + R"(def kernel(v1):
    v2 = nl.ndarray((128, 4, 2048), dtype=np.float32, buffer=nl.shared_hbm)
    v3 = nl.ndarray((nl.par_dim(128), 1), dtype=np.float32, name='zero', buffer=nl.sbuf)
    v4 = nl.ndarray((4, 2, nl.par_dim(128), 1024), dtype=np.float32, name='x', buffer=nl.sbuf)
    v5 = nl.ndarray((4, 2, nl.par_dim(128), 1024), dtype=np.float32, name='', buffer=nl.sbuf)
    v6 = nl.ndarray((4, 2, 2, nl.par_dim(128), 512), dtype=np.float32, name='', buffer=nl.sbuf)
    v3[nl.arange(128)[:, None], 0] = nisa.memset(shape=(128, 1), value=np.dtype(np.uint16).type(0), dtype=np.float32, mask=None)
    for i0 in nl.affine_range(4):
        for i1 in nl.affine_range(2):
            v4[i0, i1, nl.arange(128)[:, None], nl.arange(1024)[None, :]] = nl.load(v1[nl.arange(128)[:, None], i0, nl.arange(1024)[None, :] + 1024 * i1], dtype=np.float32, mask=None)
            for i2 in nl.affine_range(2):
                v6[i0, i1, i2, nl.arange(128)[:, None], nl.arange(512)[None, :]] = nisa.activation(op=nl.exp, data=v4[i0, i1, nl.arange(128)[:, None], 512 * i2 + nl.arange(512)[None, :]], bias=v3[nl.arange(128)[:, None], 0], scale=-1.0, mask=None, dtype=np.float32)
                v5[i0, i1, nl.arange(128)[:, None], 512 * i2 + nl.arange(512)[None, :]] = nl.multiply(v4[i0, i1, nl.arange(128)[:, None], 512 * i2 + nl.arange(512)[None, :]], v6[i0, i1, i2, nl.arange(128)[:, None], nl.arange(512)[None, :]], mask=None, dtype=np.float32)
                ' end loop i2 '
            nl.store(v2[nl.arange(128)[:, None], i0, nl.arange(1024)[None, :] + 1024 * i1], value=v5[i0, i1, nl.arange(128)[:, None], nl.arange(1024)[None, :]], mask=None)
            ' end loop i1 '
        ' end loop i0 '
    return v2
)";

} // namespace

// Rewrites that change loops: the exact text in both styles, and when they must stay away.
class tst_LoopRewrites : public QObject
{
    Q_OBJECT

private slots:
    void transposeOnceMovesTheLoadOutOfTheLoop();
    void transposeOnceOfATileMadeOutside();
    void transposeOnceOfPartsOfATileMadeOutside();
    void transposeOnceStaysAway_data();
    void transposeOnceStaysAway();
    void widenTileChangesOneNumber();
    void widenTileStaysAway_data();
    void widenTileStaysAway();
    void mergeInnerLoopOfGeneratedCode();
    void mergeInnerLoopOfSlices();
    void mergeInnerLoopStaysAway_data();
    void mergeInnerLoopStaysAway();
    void scalarRewritesOnGeneratedCode();
    void widenTransfersKeepsComputingOnSlices();
    void widenTransfersStaysAway_data();
    void widenTransfersStaysAway();
};

void tst_LoopRewrites::transposeOnceMovesTheLoadOutOfTheLoop()
{
    std::string expected = exchanged(kProduct, "        # columns of the result\n",
                                     R"(        # columns of the result
        x_tile_t = nl.ndarray((nl.par_dim(tile_k), (depth // tile_k) * tile_m), dtype=x.dtype, buffer=nl.sbuf)
        for k in nl.affine_range(depth // tile_k):
            x_tile = nl.load(x[i * tile_m:(i + 1) * tile_m, k * tile_k:(k + 1) * tile_k])
            x_tile_t[:, k * tile_m:(k + 1) * tile_m] = nl.copy(nl.transpose(x_tile))
)");
    expected = exchanged(expected,
                         "                x_tile = nl.load(x[i * tile_m:(i + 1) * tile_m, k * "
                         "tile_k:(k + 1) * tile_k])\n",
                         "");
    expected =
        exchanged(expected, "nl.matmul(x_tile, w_tile)",
                  "nl.matmul(x_tile_t[:, k * tile_m:(k + 1) * tile_m], w_tile, transpose_x=True)");
    QCOMPARE(afterRewrite(kProduct, "transpose-once", kProductShapes), expected);
}

void tst_LoopRewrites::transposeOnceOfATileMadeOutside()
{
    const std::string source = kImports + R"(def kernel(x, w):
    out = nl.ndarray((128, 2048), dtype=x.dtype, buffer=nl.shared_hbm)
    x_tile = nl.load(x[0:128, 0:64])
    for j in nl.affine_range(4):
        w_tile = nl.load(w[0:64, j * 512:(j + 1) * 512])
        p = nl.matmul(x_tile, w_tile)
        nl.store(out[0:128, j * 512:(j + 1) * 512], value=nl.copy(p))
    return out
)";
    std::string expected = exchanged(source, "    for j in",
                                     "    x_tile_t = nl.copy(nl.transpose(x_tile))\n    for j in");
    expected = exchanged(expected, "nl.matmul(x_tile, w_tile)",
                         "nl.matmul(x_tile_t, w_tile, transpose_x=True)");
    QCOMPARE(afterRewrite(source, "transpose-once"), expected);
}

void tst_LoopRewrites::transposeOnceOfPartsOfATileMadeOutside()
{
    const std::string source = kImports + R"(def kernel(x, w):
    out = nl.ndarray((128, 2048), dtype=x.dtype, buffer=nl.shared_hbm)
    rows = nl.load(x[0:128, 0:512])
    for j in nl.affine_range(4):
        acc = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
        for k in nl.affine_range(4):
            w_tile = nl.load(w[k * 128:(k + 1) * 128, j * 512:(j + 1) * 512])
            acc += nl.matmul(rows[:, k * 128:(k + 1) * 128], w_tile)
        nl.store(out[0:128, j * 512:(j + 1) * 512], value=nl.copy(acc))
    return out
)";
    std::string expected = exchanged(
        source, "    for j in",
        R"(    rows_t = nl.ndarray((nl.par_dim(128), (4) * 128), dtype=rows.dtype, buffer=nl.sbuf)
    for k in nl.affine_range(4):
        rows_t[:, k * 128:(k + 1) * 128] = nl.copy(nl.transpose(rows[:, k * 128:(k + 1) * 128]))
    for j in)");
    expected = exchanged(expected, "nl.matmul(rows[:, k * 128:(k + 1) * 128], w_tile)",
                         "nl.matmul(rows_t[:, k * 128:(k + 1) * 128], w_tile, transpose_x=True)");
    QCOMPARE(afterRewrite(source, "transpose-once"), expected);
}

void tst_LoopRewrites::transposeOnceStaysAway_data()
{
    QTest::addColumn<std::string>("source");
    QTest::newRow("already transposed") << exchanged(kProduct, "nl.matmul(x_tile, w_tile)",
                                                     "nl.matmul(x_tile, w_tile, transpose_x=True)");
    QTest::newRow("the operand changes with every loop")
        << exchanged(kProduct, "x[i * tile_m:(i + 1) * tile_m, k * tile_k:(k + 1) * tile_k]",
                     "x[i * tile_m:(i + 1) * tile_m, (j + k) * tile_k:(j + k + 1) * tile_k]");
    QTest::newRow("the operand is read twice") << exchanged(
        kProduct, "                acc += nl.matmul(x_tile, w_tile)\n",
        "                acc += nl.matmul(x_tile, w_tile)\n                y = nl.exp(x_tile)\n");
    QTest::newRow("the operand is masked")
        << exchanged(kProduct, "k * tile_k:(k + 1) * tile_k])\n                w_tile",
                     "k * tile_k:(k + 1) * tile_k], mask=i < 2)\n                w_tile");
}

void tst_LoopRewrites::transposeOnceStaysAway()
{
    QFETCH(const std::string, source);
    QCOMPARE(afterRewrite(source, "transpose-once", kProductShapes), kNotApplied);
}

void tst_LoopRewrites::widenTileChangesOneNumber()
{
    QCOMPARE(afterRewrite(kElementwise, "widen-tile", kElementwiseShapes, 0),
             exchanged(kElementwise, "tile = 512", "tile = 1024"));
    QCOMPARE(afterRewrite(kElementwise, "widen-tile", kElementwiseShapes, 1),
             exchanged(kElementwise, "tile = 512", "tile = 2048"));
    QCOMPARE(afterRewrite(kElementwise, "widen-tile", kElementwiseShapes, 2), kNotApplied);
}

void tst_LoopRewrites::widenTileStaysAway_data()
{
    QTest::addColumn<std::string>("source");
    QTest::addColumn<int>("columns");
    QTest::newRow("sizes are not known") << kElementwise << 0;
    QTest::newRow("nothing larger divides the axis") << kElementwise << 512;
    QTest::newRow("the axis is not a multiple") << kElementwise << 2000;
    QTest::newRow("somebody counts on the old number")
        << exchanged(kElementwise, "j * tile:(j + 1) * tile])", "j * 512:j * 512 + tile])") << 2048;
    QTest::newRow("a slice on chip that counts on the old number")
        << exchanged(exchanged(kElementwise, "            r = nl.exp(a)",
                               "            w[:, j * 512:(j + 1) * 512] = nl.exp(a)"),
                     "        for j in",
                     "        w = nl.ndarray((nl.par_dim(128), 2048), dtype=nl.float32)\n        "
                     "for j in")
        << 2048;
    // The loop would step by the new width and reach the old one.
    std::string fixed = kElementwise;
    while (fixed.find("(j + 1) * tile]") != std::string::npos)
        fixed = exchanged(fixed, "(j + 1) * tile]", "j * tile + 512]");
    QTest::newRow("tiles of a width of their own") << fixed << 2048;
    QTest::newRow("a reduction per tile")
        << exchanged(kElementwise, "r = nl.exp(a)", "r = nl.max(a, axis=[1])") << 2048;
    QTest::newRow("a value bound twice")
        << exchanged(kElementwise, "    assert", "    tile = 512\n    assert") << 2048;
}

void tst_LoopRewrites::widenTileStaysAway()
{
    QFETCH(const std::string, source);
    QFETCH(const int, columns);
    const ModelContext context =
        columns == 0 ? ModelContext{} : ModelContext{{{{512, std::int64_t(columns)}}}, {}};
    QCOMPARE(afterRewrite(source, "widen-tile", context), kNotApplied);
}

void tst_LoopRewrites::mergeInnerLoopOfGeneratedCode()
{
    std::string expected = exchanged(kGenerated, "v6 = nl.ndarray((4, 2, 2, nl.par_dim(128), 512)",
                                     "v6 = nl.ndarray((4, 2, nl.par_dim(128), 1024)");
    const std::size_t begin = expected.find("            for i2 in");
    const std::size_t end = expected.find("            nl.store");
    expected.replace(
        begin, end - begin,
        R"(            v6[i0, i1, nl.arange(128)[:, None], nl.arange(1024)[None, :]] = nisa.activation(op=nl.exp, data=v4[i0, i1, nl.arange(128)[:, None], nl.arange(1024)[None, :]], bias=v3[nl.arange(128)[:, None], 0], scale=-1.0, mask=None, dtype=np.float32)
            v5[i0, i1, nl.arange(128)[:, None], nl.arange(1024)[None, :]] = nl.multiply(v4[i0, i1, nl.arange(128)[:, None], nl.arange(1024)[None, :]], v6[i0, i1, nl.arange(128)[:, None], nl.arange(1024)[None, :]], mask=None, dtype=np.float32)
)");
    QCOMPARE(afterRewrite(kGenerated, "merge-inner-loop"), expected);
}

void tst_LoopRewrites::mergeInnerLoopOfSlices()
{
    const std::string expected = kImports + R"(def kernel(x):
    rows, columns = x.shape
    tile = 512
    assert columns % tile == 0
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 128):
        a = nl.load(x[i * 128:(i + 1) * 128, 0:2048])
        r = nl.exp(a)
        nl.store(out[i * 128:(i + 1) * 128, 0:2048], value=r)
    return out
)";
    QCOMPARE(afterRewrite(kElementwise, "merge-inner-loop", kElementwiseShapes), expected);
}

void tst_LoopRewrites::mergeInnerLoopStaysAway_data()
{
    QTest::addColumn<std::string>("source");
    QTest::newRow("a loop that must run in order")
        << exchanged(kElementwise, "for j in nl.affine_range", "for j in nl.sequential_range");
    QTest::newRow("a reduction in the body")
        << exchanged(kElementwise, "r = nl.exp(a)", "r = nl.max(a, axis=[1])");
    QTest::newRow("the variable in a mask")
        << exchanged(kElementwise, "nl.exp(a)", "nl.exp(a, mask=j < 2)");
    QTest::newRow("slices that overlap")
        << exchanged(kElementwise, "x[i * 128:(i + 1) * 128, j * tile:(j + 1) * tile]",
                     "x[i * 128:(i + 1) * 128, j * 256:j * 256 + 512]");
    QTest::newRow("another statement in the body")
        << exchanged(kElementwise, "            r =", "            print(j)\n            r =");
}

void tst_LoopRewrites::mergeInnerLoopStaysAway()
{
    QFETCH(const std::string, source);
    QCOMPARE(afterRewrite(source, "merge-inner-loop", kElementwiseShapes), kNotApplied);
}

void tst_LoopRewrites::scalarRewritesOnGeneratedCode()
{
    // 1 / (1 + exp(-x)) spelled with tensor_scalar and a bias of zeros, then times x.
    const std::string grid = "[i0, nl.arange(128)[:, None], nl.arange(512)[None, :]]";
    const std::string head = kImports + R"(def kernel(v1):
    v2 = nl.ndarray((4, 128, 512), dtype=np.float32, buffer=nl.shared_hbm)
    v3 = nl.ndarray((nl.par_dim(128), 1), dtype=np.float32, name='zero', buffer=nl.sbuf)
    v4 = nl.ndarray((4, nl.par_dim(128), 512), dtype=np.float32, name='', buffer=nl.sbuf)
)";
    const std::string gone =
        R"(    v5 = nl.ndarray((4, nl.par_dim(128), 512), dtype=np.float32, name='', buffer=nl.sbuf)
    v6 = nl.ndarray((4, nl.par_dim(128), 512), dtype=np.float32, name='', buffer=nl.sbuf)
    v7 = nl.ndarray((4, nl.par_dim(128), 512), dtype=np.float32, name='', buffer=nl.sbuf)
)";
    const std::string start =
        R"(    v8 = nl.ndarray((4, nl.par_dim(128), 512), dtype=np.float32, name='', buffer=nl.sbuf)
    v3[nl.arange(128)[:, None], 0] = nisa.memset(shape=(128, 1), value=0, dtype=np.float32)
    for i0 in nl.affine_range(4):
        v4)" +
        grid + " = nl.load(v1" + grid + ", dtype=np.float32, mask=None)\n";
    const std::string chain =
        "        v5" + grid + " = nisa.activation(op=nl.exp, data=v4" + grid +
        ", bias=v3[nl.arange(128)[:, None], 0], scale=-1.0, mask=None, dtype=np.float32)\n        "
        "v6" +
        grid + " = nisa.tensor_scalar(data=v5" + grid +
        ", op0=nl.add, operand0=np.dtype(np.float32).type(1), reverse0=True, dtype=np.float32, "
        "mask=None)\n        v7" +
        grid + " = nisa.reciprocal(data=v6" + grid + ", mask=None, dtype=np.float32)\n        v8" +
        grid + " = nl.multiply(v4" + grid + ", v7" + grid + ", mask=None, dtype=np.float32)\n";
    const std::string tail =
        "        nl.store(v2" + grid + ", value=v8" + grid + ", mask=None)\n    return v2\n";
    const std::string named = "        v8" + grid + " = nisa.activation(op=nl.silu, data=v4" +
                              grid + ", dtype=np.float32)\n";
    // The first place is the sigmoid inside, the second the whole.
    QCOMPARE(afterRewrite(head + gone + start + chain + tail, "name-the-activation", {}, 1),
             head + start + named + tail);
}

void tst_LoopRewrites::widenTransfersKeepsComputingOnSlices()
{
    const std::string source = kImports + R"(def kernel(x, y):
    out = nl.ndarray((500, 2048), dtype=x.dtype, buffer=nl.shared_hbm)
    p = nl.arange(128)[:, None]
    f = nl.arange(512)[None, :]
    for i in nl.affine_range(4):
        # columns
        for j in nl.affine_range(4):
            inside = i * 128 + p < 500
            a = nl.load(x[i * 128 + p, j * 512 + f], mask=inside)
            b = nl.load(y[i * 128:(i + 1) * 128, j * 512:(j + 1) * 512])
            # work
            c = nl.add(a, b, mask=inside)
            r = nl.multiply(c, a, mask=inside)
            nl.store(out[i * 128 + p, j * 512 + f], value=r, mask=inside)
    return out
)";
    const std::string expected = kImports + R"(def kernel(x, y):
    out = nl.ndarray((500, 2048), dtype=x.dtype, buffer=nl.shared_hbm)
    p = nl.arange(128)[:, None]
    f = nl.arange(512)[None, :]
    for i in nl.affine_range(4):
        # columns
        inside = i * 128 + p < 500
        a = nl.load(x[i * 128 + p, nl.arange(2048)[None, :]], mask=inside)
        b = nl.load(y[i * 128:(i + 1) * 128, 0:2048])
        r = nl.ndarray((nl.par_dim(128), 2048), dtype=nl.float32, buffer=nl.sbuf)
        for j in nl.affine_range(4):
            # work
            c = nl.add(a[:, j * 512:(j + 1) * 512], b[:, j * 512:(j + 1) * 512], mask=inside)
            r[:, j * 512:(j + 1) * 512] = nl.multiply(c, a[:, j * 512:(j + 1) * 512], mask=inside)
        nl.store(out[i * 128 + p, nl.arange(2048)[None, :]], value=r, mask=inside)
    return out
)";
    QCOMPARE(afterRewrite(source, "widen-transfers"), expected);
}

void tst_LoopRewrites::widenTransfersStaysAway_data()
{
    QTest::addColumn<std::string>("source");
    QTest::newRow("rows as long as they need to be")
        << exchanged(kElementwise, "tile = 512", "tile = 1024");
    QTest::newRow("a loop that must run in order")
        << exchanged(kElementwise, "for j in nl.affine_range", "for j in nl.sequential_range");
    QTest::newRow("a mask that depends on the loop")
        << exchanged(kElementwise, "nl.exp(a)", "nl.exp(a, mask=j < 2)");
    QTest::newRow("work that depends on the loop")
        << exchanged(kElementwise, "nl.exp(a)", "nl.multiply(a, j)");
    QTest::newRow("two names for one result")
        << exchanged(kElementwise, "r = nl.exp(a)", "r, s = nl.exp(a)");
    QTest::newRow("a load from somewhere else")
        << exchanged(kElementwise, "x[i * 128:(i + 1) * 128, j * tile:(j + 1) * tile]",
                     "x[i * 128:(i + 1) * 128, 0:512]");
    QTest::newRow("a reduction of a slice")
        << exchanged(kElementwise, "r = nl.exp(a)", "r = nl.max(a, axis=[1])");
}

void tst_LoopRewrites::widenTransfersStaysAway()
{
    QFETCH(const std::string, source);
    QCOMPARE(afterRewrite(source, "widen-transfers", kElementwiseShapes), kNotApplied);
}

ACCELOPT_TEST(tst_LoopRewrites)
#include "tst_LoopRewrites.moc"
