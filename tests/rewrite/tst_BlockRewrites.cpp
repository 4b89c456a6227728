// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rewrite/SameNumbers.h"

#include "core/rewrite/EngineLoad.h"
#include "core/rewrite/Residence.h"

using namespace accelopt;
using namespace accelopt::rewrite;
using tests::afterRewrite;
using tests::exchanged;
using tests::kKernelHead;
using tests::kNotApplied;
using tests::ModelledKernel;
using tests::numbersDiffer;

namespace {

// A product whose right operand is more than SBUF keeps: every row block loads it again.
const std::string kReusedProduct = kKernelHead + R"(def kernel(lhs, rhs):
    rows, depth = lhs.shape
    columns = rhs.shape[1]
    tile = 128
    result = nl.ndarray((rows, columns), dtype=lhs.dtype, buffer=nl.shared_hbm)
    # row blocks
    for i in nl.affine_range(rows // tile):
        left = nl.load(lhs[i * tile:(i + 1) * tile, 0:1280])  # both halves
        for j in nl.affine_range(columns // 512):
            acc = nl.zeros((tile, 512), dtype=nl.float32, buffer=nl.psum)
            for k in nl.affine_range(10):
                right = nl.load(rhs[k * tile:(k + 1) * tile, j * 512:(j + 1) * 512])
                # the product of a block
                acc += nl.matmul(left[:, k * tile:(k + 1) * tile], right)
            done = nl.copy(acc)
            nl.store(result[i * tile:(i + 1) * tile, j * 512:(j + 1) * 512], value=done)
    return result
)";
const tests::Shapes kReusedProductShapes{{512, 1280}, {1280, 4608}};

// The same as a compiler writes it: the right operand outside, rows transposed inside.
const std::string kColumnsOutside = kKernelHead + R"(def kernel(v1, v2, v3):
    v4 = nl.ndarray((4, 128, 1024), dtype=nl.float32, buffer=nl.shared_hbm)
    v5 = nl.ndarray((nl.par_dim(128), 128), dtype=nl.float32, name='unit', buffer=nl.sbuf)
    v6 = nl.ndarray((2, 2, nl.par_dim(128), 512), dtype=nl.float32, name='rhs', buffer=nl.sbuf)
    v7 = nl.ndarray((2, 4, nl.par_dim(128), 256), dtype=nl.float32, name='', buffer=nl.sbuf)
    v8 = nl.zeros((2, 4, 2, nl.par_dim(128), 128), dtype=nl.float32, name='', buffer=nl.psum)
    v9 = nl.ndarray((4, 2, 2, nl.par_dim(128), 128), dtype=nl.float32, name='', buffer=nl.sbuf)
    v10 = nl.zeros((2, 4, nl.par_dim(128), 512), dtype=nl.float32, name='', buffer=nl.psum)
    v11 = nl.ndarray((2, 4, nl.par_dim(128), 512), dtype=nl.float32, name='', buffer=nl.sbuf)
    v5[nl.arange(128)[:, None], nl.arange(128)[None, :]] = nl.load(v3[nl.arange(128)[:, None], nl.arange(128)[None, :]])
    # columns
    for i0 in nl.affine_range(2):
        for i1 in nl.affine_range(2):
            v6[i0, i1, nl.arange(128)[:, None], nl.arange(512)[None, :]] = nl.load(v2[i1, nl.arange(128)[:, None], 512 * i0 + nl.arange(512)[None, :]])
            ' end loop i1 '
        # rows
        for i2 in nl.affine_range(4):
            v7[i0, i2, nl.arange(128)[:, None], nl.arange(256)[None, :]] = nl.load(v1[i2, nl.arange(128)[:, None], nl.arange(256)[None, :]])
            for i3 in nl.affine_range(2):
                v8[i0, i2, i3, nl.arange(128)[:, None], nl.arange(128)[None, :]] = nisa.nc_matmul(v7[i0, i2, nl.arange(128)[:, None], 128 * i3 + nl.arange(128)[None, :]], v5[nl.arange(128)[:, None], nl.arange(128)[None, :]], is_moving_onezero=True, is_transpose=True)
                v9[i2, i0, i3, nl.arange(128)[:, None], nl.arange(128)[None, :]] = nl.copy(v8[i0, i2, i3, nl.arange(128)[:, None], nl.arange(128)[None, :]])
                ' end loop i3 '
            for i4 in nl.affine_range(2):
                v10[i0, i2, nl.arange(128)[:, None], nl.arange(512)[None, :]] += nisa.nc_matmul(v9[i2, i0, i4, nl.arange(128)[:, None], nl.arange(128)[None, :]], v6[i0, i4, nl.arange(128)[:, None], nl.arange(512)[None, :]])
                ' end loop i4 '
            v11[i0, i2, nl.arange(128)[:, None], nl.arange(512)[None, :]] = nl.copy(v10[i0, i2, nl.arange(128)[:, None], nl.arange(512)[None, :]])
            nl.store(v4[i2, nl.arange(128)[:, None], 512 * i0 + nl.arange(512)[None, :]], value=v11[i0, i2, nl.arange(128)[:, None], nl.arange(512)[None, :]])
            ' end loop i2 '
        ' end loop i0 '
    return v4
)";
const tests::Shapes kColumnsShapes{{4, 128, 256}, {2, 128, 1024}, {128, 128}};

// Heads side by side in rows that are loaded whole, more of them than SBUF holds.
const std::string kWholeRows = kKernelHead + R"(def kernel(x):
    out = nl.ndarray((2, 48, 16, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    kept = nl.ndarray((48, nl.par_dim(16), 1024), dtype=nl.float32, buffer=nl.sbuf)
    for t in nl.affine_range(48):
        kept[t, nl.arange(16)[:, None], nl.arange(1024)[None, :]] = nl.load(x[t, nl.arange(16)[:, None], nl.arange(1024)[None, :]])  # rows
    for h in nl.affine_range(2):
        for c in nl.affine_range(48):
            for q in nl.affine_range(2):
                r = nl.multiply(kept[c, nl.arange(16)[:, None], 512 * h + 256 * q + nl.arange(256)[None, :]], 2.0)
                nl.store(out[h, c, nl.arange(16)[:, None], 256 * q + nl.arange(256)[None, :]], value=r)
    return out
)";
const tests::Shapes kWholeRowsShapes{{48, 16, 1024}};

// Tiles that stay, and a loop over halves of others beside them.
const std::string kBesideOthers = kKernelHead + R"(def kernel(x, y):
    out = nl.ndarray((40, 16, 2048), dtype=x.dtype, buffer=nl.shared_hbm)
    kept = nl.ndarray((40, nl.par_dim(16), 1024), dtype=nl.float32, buffer=nl.sbuf)
    for t in nl.affine_range(40):
        kept[t, :, :] = nl.load(y[t, 0:16, 0:1024])
    for t in nl.affine_range(40):
        for j in nl.affine_range(2):
            a = nl.load(x[t, 0:16, j * 1024:(j + 1) * 1024])
            b = nl.exp(a)
            nl.store(out[t, 0:16, j * 1024:(j + 1) * 1024], value=b)
        last = nl.exp(kept[t, :, :])
        nl.store(out[t, 0:16, 0:1024], value=last)
    return out
)";

// A product that is stored in pieces of 2 KiB a row.
const std::string kPieces = kKernelHead + R"(def kernel(lhs, rhs):
    rows = lhs.shape[0]
    columns = rhs.shape[1]
    tile = 64
    piece = 512
    result = nl.ndarray((rows, columns), dtype=lhs.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // tile):
        left = nl.load(lhs[i * tile:(i + 1) * tile, 0:64])
        for j in nl.affine_range(columns // piece):
            right = nl.load(rhs[0:64, j * piece:(j + 1) * piece])
            product = nl.matmul(left, right)
            done = nl.copy(product)  # out of PSUM
            nl.store(result[i * tile:(i + 1) * tile,
                            j * piece:(j + 1) * piece], value=done)
    return result
)";
const tests::Shapes kPiecesShapes{{128, 64}, {64, 2048}};

// 1500 columns in blocks of 512 and halves of 256, the last one masked.
const std::string kRagged = kKernelHead + R"(def kernel(v1, v2):
    v3 = nl.ndarray((32, 1500), dtype=nl.float32, buffer=nl.shared_hbm)
    v4 = nl.ndarray((nl.par_dim(64), 32), dtype=nl.float32, name='lhs', buffer=nl.sbuf)
    v5 = nl.ndarray((3, nl.par_dim(64), 512), dtype=nl.float32, name='', buffer=nl.sbuf)
    v6 = nl.zeros((3, 2, nl.par_dim(32), 256), dtype=nl.float32, name='', buffer=nl.psum)
    v7 = nl.ndarray((3, nl.par_dim(32), 512), dtype=nl.float32, name='', buffer=nl.sbuf)
    v4[nl.arange(64)[:, None], nl.arange(32)[None, :]] = nl.load(v1[nl.arange(64)[:, None], nl.arange(32)[None, :]])
    for i0 in nl.affine_range(3):
        # the last columns are not there
        v5[i0, nl.arange(64)[:, None], nl.arange(512)[None, :]] = nl.load(v2[nl.arange(64)[:, None], 512 * i0 + nl.arange(512)[None, :]], mask=-512 * i0 + -1 * nl.arange(512)[None, :] + 1499 >= 0)
        for i1 in nl.affine_range(2):
            v6[i0, i1, nl.arange(32)[:, None], nl.arange(256)[None, :]] += nisa.nc_matmul(v4[nl.arange(64)[:, None], nl.arange(32)[None, :]], v5[i0, nl.arange(64)[:, None], 256 * i1 + nl.arange(256)[None, :]], mask=-256 * i1 + -512 * i0 + -1 * nl.arange(256)[None, :] + 1499 >= 0)
            v7[i0, nl.arange(32)[:, None], 256 * i1 + nl.arange(256)[None, :]] = nl.copy(v6[i0, i1, nl.arange(32)[:, None], nl.arange(256)[None, :]], mask=-256 * i1 + -512 * i0 + -1 * nl.arange(256)[None, :] + 1499 >= 0)
        nl.store(v3[nl.arange(32)[:, None], 512 * i0 + nl.arange(512)[None, :]], value=v7[i0, nl.arange(32)[:, None], nl.arange(512)[None, :]], mask=-512 * i0 + -1 * nl.arange(512)[None, :] + 1499 >= 0)
    return v3
)";
const tests::Shapes kRaggedShapes{{64, 32}, {64, 1500}};

ModelContext blockContext(const tests::Shapes &shapes)
{
    ModelContext context;
    context.layouts.emplace_back(shapes.begin(), shapes.end());
    return context;
}

const Proposal *firstOf(const std::vector<Proposal> &proposals)
{
    return proposals.empty() ? nullptr : proposals.data();
}

} // namespace

// Rewrites that decide how often a loaded tile is used before another takes its place.
class tst_BlockRewrites : public QObject
{
    Q_OBJECT

private slots:
    void severalPassesShareWhatTheyLoad();
    void blockingStaysAway_data();
    void blockingStaysAway();
    void valuesOfTheInnerLoopAreMadeOnce();
    void loadingAgainStaysAway_data();
    void loadingAgainStaysAway();
    void rowsAreCutIntoTheBlocksThatAreUsed();
    void cuttingStaysAway_data();
    void cuttingStaysAway();
    void mergingCountsTheTilesThatLiveAtOnce();
    void mergingWeighsWhatNoLongerFits();
    void piecesOfRowsAreStoredAtOnce();
    void gatheringStaysAway_data();
    void gatheringStaysAway();
    void blocksOfColumnsComeOutEven();
    void evenTilesStayAway_data();
    void evenTilesStayAway();
};

void tst_BlockRewrites::severalPassesShareWhatTheyLoad()
{
    const ModelContext context = blockContext(kReusedProductShapes);
    const std::string text = afterRewrite(kReusedProduct, "block-loop", context);
    const std::size_t begin = text.find("    # row blocks");
    QVERIFY2(begin != std::string::npos, text.c_str());
    QCOMPARE(text.substr(begin), std::string(R"(    # row blocks
    for i in nl.affine_range((rows // tile) // 4):
        left = nl.ndarray((4, nl.par_dim(tile), 1280), dtype=lhs.dtype, buffer=nl.sbuf)
        for i_b in nl.affine_range(4):
            left[i_b, :, :] = nl.load(lhs[(4 * i + i_b) * tile:((4 * i + i_b) + 1) * tile, 0:1280])  # both halves
        for j in nl.affine_range(columns // 512):
            acc = nl.zeros((4, nl.par_dim(tile), 512), dtype=nl.float32, buffer=nl.psum)
            for k in nl.affine_range(10):
                right = nl.load(rhs[k * tile:(k + 1) * tile, j * 512:(j + 1) * 512])
                for i_b in nl.affine_range(4):
                    # the product of a block
                    acc[i_b, :, :] += nl.matmul(left[i_b, :, k * tile:(k + 1) * tile], right)
            for i_b in nl.affine_range(4):
                done = nl.copy(acc[i_b, :, :])
                nl.store(result[(4 * i + i_b) * tile:((4 * i + i_b) + 1) * tile, j * 512:(j + 1) * 512], value=done)
    return result
)"));
    QCOMPARE(numbersDiffer(kReusedProduct, text, kReusedProductShapes), std::string());
    // The right operand is transferred once instead of four times.
    const ModelledKernel before(kReusedProduct, context);
    const std::vector<Proposal> proposals = findRewrite("block-loop")->proposals(before.model());
    QCOMPARE(proposals.size(), std::size_t{2});
    const double once = 10 * 9 * dmaMs(128, 512);
    QVERIFY(std::abs(proposals[0].change.dma + 3 * once) < 1e-6);
    QVERIFY(std::abs(proposals[1].change.dma + 2 * once) < 1e-6);
}

void tst_BlockRewrites::blockingStaysAway_data()
{
    QTest::addColumn<std::string>("source");
    QTest::addColumn<tests::Shapes>("shapes");
    const auto row = [](const char *name, const std::string &source,
                        const tests::Shapes &shapes = kReusedProductShapes) {
        QTest::newRow(name) << source << shapes;
    };
    row("what the passes load alike stays on the chip", kReusedProduct,
        {{512, 1280}, {1280, 2048}});
    row("passes that must follow each other",
        exchanged(kReusedProduct, "for i in nl.affine_range", "for i in nl.sequential_range"));
    row("one pass", kReusedProduct, {{128, 1280}, {1280, 4608}});
    row("all passes write the same rows",
        exchanged(kReusedProduct, "nl.store(result[i * tile:(i + 1) * tile,",
                  "nl.store(result[0:tile,"));
    row("the loop says how often an inner one runs",
        exchanged(kReusedProduct, "for k in nl.affine_range(10)",
                  "for k in nl.affine_range(10 - i // 4)"));
    row("a tile is made anew under the same name",
        exchanged(kReusedProduct,
                  "            done = ", "            left = nl.copy(left)\n            done = "));
    // Eight sums of one pass fill PSUM.
    row("the sums of two passes do not fit into PSUM",
        exchanged(exchanged(kReusedProduct, "nl.zeros((tile, 512)",
                            "nl.zeros((8, nl.par_dim(tile), 512)"),
                  "acc += nl.matmul(left[:, k * tile:(k + 1) * tile], right)",
                  "acc[0, 0:tile, 0:512] += nl.matmul(left[:, k * tile:(k + 1) * tile], right)"));
}

void tst_BlockRewrites::blockingStaysAway()
{
    QFETCH(const std::string, source);
    QFETCH(const tests::Shapes, shapes);
    QVERIFY(source != tests::kNothingToExchange);
    QCOMPARE(afterRewrite(source, "block-loop", blockContext(shapes)), kNotApplied);
}

void tst_BlockRewrites::valuesOfTheInnerLoopAreMadeOnce()
{
    const ModelContext context = blockContext(kColumnsShapes);
    const std::string text = afterRewrite(kColumnsOutside, "load-again", context);
    std::string expected = kColumnsOutside;
    // The tensors of the rows lose the axis of the columns, wherever it stands.
    for (const auto &[from, to] : std::initializer_list<std::pair<const char *, const char *>>{
             {"v7 = nl.ndarray((2, 4,", "v7 = nl.ndarray((4,"},
             {"v8 = nl.zeros((2, 4, 2,", "v8 = nl.zeros((4, 2,"},
             {"v9 = nl.ndarray((4, 2, 2,", "v9 = nl.ndarray((4, 2,"}})
        expected = exchanged(expected, from, to);
    const std::string made =
        "v6 = nl.ndarray((2, 2, nl.par_dim(128), 512), dtype=nl.float32, name='rhs', "
        "buffer=nl.sbuf)\n";
    expected = exchanged(expected, "    " + made, "");
    for (int use = 0; use < 2; ++use)
        expected = exchanged(expected, "v7[i0, i2,", "v7[i2,");
    for (int use = 0; use < 2; ++use)
        expected = exchanged(expected, "v8[i0, i2,", "v8[i2,");
    for (int use = 0; use < 2; ++use)
        expected = exchanged(expected, "v9[i2, i0,", "v9[i2,");
    const auto lineWith = [&expected](const std::string &start) {
        const std::size_t at = expected.find(start);
        return expected.substr(at, expected.find('\n', at) - at);
    };
    std::string order = expected.substr(0, expected.find("    # columns"));
    const auto add = [&order](int depth, const std::string &line) {
        order += std::string(static_cast<std::size_t>(depth) * 4, ' ') + line + "\n";
    };
    add(1, "# columns");
    add(1, "for i2 in nl.affine_range(4):");
    add(2, lineWith("v7[i2"));
    add(2, "for i3 in nl.affine_range(2):");
    add(3, lineWith("v8[i2"));
    add(3, lineWith("v9[i2"));
    add(3, "' end loop i3 '");
    order += "        " + made;
    add(2, "# rows");
    add(2, "for i0 in nl.affine_range(2):");
    add(3, "for i1 in nl.affine_range(2):");
    add(4, lineWith("v6[i0"));
    add(4, "' end loop i1 '");
    add(3, "for i4 in nl.affine_range(2):");
    add(4, lineWith("v10[i0"));
    add(4, "' end loop i4 '");
    add(3, lineWith("v11[i0"));
    add(3, lineWith("nl.store("));
    add(3, "' end loop i0 '");
    add(2, "' end loop i2 '");
    order += "    return v4\n";
    QCOMPARE(text, order);
    QCOMPARE(numbersDiffer(kColumnsOutside, text, kColumnsShapes), std::string());
    // Half of the transposes; the right operand, which fits, four times.
    const ModelledKernel before(kColumnsOutside, context);
    const std::vector<Proposal> proposals = findRewrite("load-again")->proposals(before.model());
    const Proposal *proposal = firstOf(proposals);
    QVERIFY(proposal != nullptr);
    QVERIFY(std::abs(proposal->change.tensor + 8 * tensorMs(128)) < 1e-6);
    QVERIFY(std::abs(proposal->change.dma + 4 * dmaMs(128, 256) - 12 * dmaMs(128, 512)) < 1e-6);
}

void tst_BlockRewrites::loadingAgainStaysAway_data()
{
    QTest::addColumn<std::string>("source");
    QTest::newRow("the outer loop must run in order")
        << exchanged(kColumnsOutside, "for i0 in nl.affine_range", "for i0 in nl.sequential_range");
    QTest::newRow("the values of the inner loop depend on the outer one")
        << exchanged(kColumnsOutside, "nl.load(v1[i2, nl.arange(128)[:, None],",
                     "nl.load(v1[i2 - i0, nl.arange(128)[:, None],");
    QTest::newRow("the loaded tiles are used after the loop")
        << exchanged(kColumnsOutside, "    return v4",
                     "    last = nl.copy(v6[0, 0, nl.arange(128)[:, None], nl.arange(512)[None, "
                     ":]])\n    return v4");
    QTest::newRow("the values of the inner loop are used elsewhere")
        << exchanged(kColumnsOutside, "    return v4",
                     "    last = nl.copy(v9[0, 0, 0, nl.arange(128)[:, None], nl.arange(128)[None, "
                     ":]])\n    return v4");
    QTest::newRow("what is loaded is written in the kernel")
        << exchanged(kColumnsOutside, "nl.load(v2[i1, nl.arange(128)[:, None],",
                     "nl.load(v4[i1, nl.arange(128)[:, None],");
    QTest::newRow("all columns write the same result")
        << exchanged(kColumnsOutside, "nl.store(v4[i2, nl.arange(128)[:, None], 512 * i0 +",
                     "nl.store(v4[i2, nl.arange(128)[:, None],");
}

void tst_BlockRewrites::loadingAgainStaysAway()
{
    QFETCH(const std::string, source);
    QVERIFY(source != tests::kNothingToExchange);
    QCOMPARE(afterRewrite(source, "load-again", blockContext(kColumnsShapes)), kNotApplied);
}

void tst_BlockRewrites::rowsAreCutIntoTheBlocksThatAreUsed()
{
    const ModelContext context = blockContext(kWholeRowsShapes);
    // In blocks of 256, which every use takes whole, or of 512, one for each pass over h.
    std::string expected = kWholeRows;
    expected = exchanged(expected, "(48, nl.par_dim(16), 1024)", "(48, 4, nl.par_dim(16), 256)");
    expected = exchanged(
        expected,
        "        kept[t, nl.arange(16)[:, None], nl.arange(1024)[None, :]] = nl.load(x[t, "
        "nl.arange(16)[:, None], nl.arange(1024)[None, :]])",
        "        for block in nl.affine_range(4):\n"
        "            kept[t, block, nl.arange(16)[:, None], nl.arange(256)[None, :]] = "
        "nl.load(x[t, "
        "nl.arange(16)[:, None], 256 * block + nl.arange(256)[None, :]])");
    expected = exchanged(
        expected, "kept[c, nl.arange(16)[:, None], 512 * h + 256 * q + nl.arange(256)[None, :]]",
        "kept[c, 2*h + q, nl.arange(16)[:, None], nl.arange(256)[None, :]]");
    const std::string text = afterRewrite(kWholeRows, "cut-tiles", context);
    QCOMPARE(text, expected);
    QCOMPARE(numbersDiffer(kWholeRows, text, kWholeRowsShapes), std::string());
    const std::string halves = afterRewrite(kWholeRows, "cut-tiles", context, 1);
    QVERIFY2(halves.find("kept[c, h, nl.arange(16)[:, None], 256*q + nl.arange(256)[None, :]]") !=
                 std::string::npos,
             halves.c_str());
    QCOMPARE(afterRewrite(kWholeRows, "cut-tiles", context, 2), kNotApplied);
    // Then loops can follow the blocks, and nothing waits on the chip.
    const std::string fused = afterRewrite(halves, "fuse-loops", context);
    const ModelledKernel after(fused, context);
    QCOMPARE(after.problem(), std::string());
    QCOMPARE(residenceOf(after.model(), *wholeNest(after.model())).spillMs, 0.0);
    QCOMPARE(numbersDiffer(kWholeRows, fused, kWholeRowsShapes), std::string());
}

void tst_BlockRewrites::cuttingStaysAway_data()
{
    QTest::addColumn<std::string>("source");
    QTest::newRow("all rows fit into SBUF")
        << exchanged(kWholeRows, "for t in nl.affine_range(48)", "for t in nl.affine_range(8)");
    QTest::newRow("a part lies in two blocks") << exchanged(
        kWholeRows, "512 * h + 256 * q + nl.arange(256)", "384 * h + 256 * q + nl.arange(256)");
    QTest::newRow("the load has a mask")
        << exchanged(kWholeRows, "nl.arange(1024)[None, :]])  # rows",
                     "nl.arange(1024)[None, :]], mask=nl.arange(1024)[None, :] < 1000)");
    QTest::newRow("the rows are computed")
        << exchanged(exchanged(kWholeRows, "] = nl.load(x[t, nl", "] = nl.exp(nl.load(x[t, nl"),
                     "nl.arange(1024)[None, :]])  # rows", "nl.arange(1024)[None, :]]))");
    QTest::newRow("something uses whole rows") << exchanged(
        kWholeRows, "    return out",
        "    last = nl.copy(kept[0, nl.arange(16)[:, None], nl.arange(1024)[None, :]])\n"
        "    return out");
}

void tst_BlockRewrites::cuttingStaysAway()
{
    QFETCH(const std::string, source);
    QVERIFY(source != tests::kNothingToExchange);
    std::string fewer = source;
    // The load fills what the rest uses.
    if (source.find("affine_range(8)") != std::string::npos)
        fewer = exchanged(
            exchanged(source, "for c in nl.affine_range(48)", "for c in nl.affine_range(8)"),
            "((48, nl.par_dim", "((8, nl.par_dim");
    QVERIFY(fewer != tests::kNothingToExchange);
    QCOMPARE(afterRewrite(fewer, "cut-tiles", blockContext(kWholeRowsShapes)), kNotApplied);
}

void tst_BlockRewrites::mergingCountsTheTilesThatLiveAtOnce()
{
    // Six tiles of 32 KiB when merged: too many together, but only two are needed at a time.
    const std::string chain = kKernelHead + R"(def kernel(x):
    out = nl.ndarray((16, 8192), dtype=x.dtype, buffer=nl.shared_hbm)
    for j in nl.affine_range(4):
        a = nl.load(x[0:16, j * 2048:(j + 1) * 2048])
        b = nl.tanh(a)
        c = nl.tanh(b)
        d = nl.tanh(c)
        e = nl.tanh(d)
        f = nl.tanh(e)
        nl.store(out[0:16, j * 2048:(j + 1) * 2048], value=f)
    return out
)";
    const tests::Shapes shapes{{16, 8192}};
    const std::string text = afterRewrite(chain, "merge-inner-loop", blockContext(shapes));
    QVERIFY2(text.find("    a = nl.load(x[0:16, 0:8192])") != std::string::npos, text.c_str());
    QCOMPARE(numbersDiffer(chain, text, shapes), std::string());
    // Where the first is read again at the end, three are.
    QCOMPARE(afterRewrite(exchanged(chain, "f = nl.tanh(e)", "f = nl.add(e, a)"),
                          "merge-inner-loop", blockContext(shapes)),
             kNotApplied);
}

void tst_BlockRewrites::mergingWeighsWhatNoLongerFits()
{
    const auto change = [](const std::string &source) {
        const ModelledKernel kernel(source, blockContext({{40, 16, 2048}, {40, 16, 1024}}));
        for (const Proposal &proposal : findRewrite("merge-inner-loop")->proposals(kernel.model()))
            if (proposal.title.find("over j") != std::string::npos)
                return proposal.change.dma;
        return -1000.0;
    };
    // 160 KiB are full; what the wide tiles need more goes to HBM and back in each of 40 passes.
    const double crowded = change(kBesideOthers);
    std::string fewer = kBesideOthers;
    for (int loop = 0; loop < 2; ++loop)
        fewer = exchanged(fewer, "for t in nl.affine_range(40)", "for t in nl.affine_range(8)");
    fewer = exchanged(fewer, "nl.ndarray((40, nl.par_dim(16)", "nl.ndarray((8, nl.par_dim(16)");
    const double free = change(fewer);
    QVERIFY(free > -1000 && free < 1e-9);
    QVERIFY2(crowded > 0, std::to_string(crowded).c_str());
}

void tst_BlockRewrites::piecesOfRowsAreStoredAtOnce()
{
    const ModelContext context = blockContext(kPiecesShapes);
    std::string expected = kPieces;
    expected = exchanged(expected, "        for j in",
                         "        done_rows = nl.ndarray((nl.par_dim(tile), 2048), "
                         "dtype=result.dtype, buffer=nl.sbuf)\n        for j in");
    expected = exchanged(expected, "            done = nl.copy",
                         "            done_rows[:, j * piece:(j + 1) * piece] = nl.copy");
    expected = exchanged(expected, R"(            nl.store(result[i * tile:(i + 1) * tile,
                            j * piece:(j + 1) * piece], value=done)
)",
                         "        nl.store(result[i * tile:(i + 1) * tile, 0:2048], "
                         "value=done_rows)\n");
    const std::string text = afterRewrite(kPieces, "gather-stores", context);
    QCOMPARE(text, expected);
    QCOMPARE(numbersDiffer(kPieces, text, kPiecesShapes), std::string());
    const ModelledKernel before(kPieces, context);
    const std::vector<Proposal> proposals = findRewrite("gather-stores")->proposals(before.model());
    QCOMPARE(proposals.size(), std::size_t{1});
    QVERIFY(std::abs(proposals[0].change.dma - 2 * dmaMs(64, 2048) + 8 * dmaMs(64, 512)) < 1e-9);
}

void tst_BlockRewrites::gatheringStaysAway_data()
{
    QTest::addColumn<std::string>("source");
    QTest::newRow("pieces that are long enough")
        << exchanged(exchanged(kPieces, "piece = 512", "piece = 1024"), "nl.matmul(left, right)",
                     "nl.multiply(right, 2.0)");
    QTest::newRow("passes that must follow each other")
        << exchanged(kPieces, "for j in nl.affine_range", "for j in nl.sequential_range");
    QTest::newRow("the tile is used once more") << exchanged(
        kPieces, "    return result", "            again = nl.copy(done)\n    return result");
    QTest::newRow("the pieces do not lie side by side") << exchanged(
        kPieces, "j * piece:(j + 1) * piece], value", "(3 - j) * piece:(4 - j) * piece], value");
    QTest::newRow("another store to the tensor in the loop")
        << exchanged(kPieces, "    return result",
                     "            nl.store(result[0:64, 0:512], value=right)\n    return result");
    QTest::newRow("a mask") << exchanged(kPieces, "value=done)",
                                         "value=done, mask=nl.arange(512)[None, :] < 500)");
}

void tst_BlockRewrites::gatheringStaysAway()
{
    QFETCH(const std::string, source);
    QVERIFY(source != tests::kNothingToExchange);
    QCOMPARE(afterRewrite(source, "gather-stores", blockContext(kPiecesShapes)), kNotApplied);
}

void tst_BlockRewrites::blocksOfColumnsComeOutEven()
{
    const ModelContext context = blockContext(kRaggedShapes);
    std::string expected = kRagged;
    const auto everywhere = [&expected](const std::string &from, const std::string &to) {
        for (std::size_t at = 0; (at = expected.find(from, at)) != std::string::npos;
             at += to.size())
            expected.replace(at, from.size(), to);
    };
    everywhere("mask=-512 * i0 + -1 * nl.arange(512)[None, :] + 1499 >= 0", "mask=None");
    everywhere("mask=-256 * i1 + -512 * i0 + -1 * nl.arange(256)[None, :] + 1499 >= 0",
               "mask=None");
    everywhere("512", "500");
    everywhere("256", "250");
    const std::string text = afterRewrite(kRagged, "even-tiles", context);
    QCOMPARE(text, expected);
    QCOMPARE(numbersDiffer(kRagged, text, kRaggedShapes), std::string());
    const ModelledKernel before(kRagged, context);
    const std::vector<Proposal> proposals = findRewrite("even-tiles")->proposals(before.model());
    QCOMPARE(proposals.size(), std::size_t{1});
    QVERIFY(std::abs(proposals[0].change.tensor - 6 * (tensorMs(250) - tensorMs(256))) < 1e-9);
    // 1900 columns in 4 blocks of 512 become 5 of 380, as 475 has no halves.
    std::string more = kRagged;
    for (int use = 0; use < 4; ++use)
        more = exchanged(more, "1499", "1899");
    more = exchanged(more, "(32, 1500)", "(32, 1900)");
    more = exchanged(more, "affine_range(3)", "affine_range(4)");
    for (int tensor = 0; tensor < 3; ++tensor)
        more = exchanged(more, "((3, ", "((4, ");
    const tests::Shapes shapes{{64, 32}, {64, 1900}};
    const std::string five = afterRewrite(more, "even-tiles", blockContext(shapes));
    QVERIFY2(five.find("v6 = nl.zeros((5, 2, nl.par_dim(32), 190)") != std::string::npos,
             five.c_str());
    QCOMPARE(numbersDiffer(more, five, shapes), std::string());
}

void tst_BlockRewrites::evenTilesStayAway_data()
{
    QTest::addColumn<std::string>("source");
    QTest::newRow("a mask that ends elsewhere") << exchanged(kRagged, "1499", "1498");
    QTest::newRow("a mask of another form") << exchanged(kRagged, "+ 1499 >= 0", "+ 1499 > 0");
    QTest::newRow("the loop must run in order")
        << exchanged(kRagged, "for i0 in nl.affine_range", "for i0 in nl.sequential_range");
    QTest::newRow("the tiles are used after the loop")
        << exchanged(kRagged, "    return v3",
                     "    last = nl.copy(v7[0, nl.arange(32)[:, None], nl.arange(512)[None, :]])\n"
                     "    return v3");
    QTest::newRow("the columns are turned into rows") << exchanged(
        kRagged, "nisa.nc_matmul(v4[nl.arange(64)[:, None], nl.arange(32)[None, :]], v5[i0,",
        "nisa.nc_matmul(v5[i0, nl.arange(64)[:, None], nl.arange(32)[None, :]], v5[i0,");
    QTest::newRow("blocks that are full") << exchanged(kRagged, "(32, 1500)", "(32, 1536)");
    QTest::newRow("no number of about as many blocks divides the columns")
        << exchanged(exchanged(exchanged(exchanged(exchanged(kRagged, "(32, 1500)", "(32, 1499)"),
                                                   "1499 >=", "1498 >="),
                                         "1499 >=", "1498 >="),
                               "1499 >=", "1498 >="),
                     "1499 >=", "1498 >=");
}

void tst_BlockRewrites::evenTilesStayAway()
{
    QFETCH(const std::string, source);
    QVERIFY(source != tests::kNothingToExchange);
    QCOMPARE(afterRewrite(source, "even-tiles", blockContext(kRaggedShapes)), kNotApplied);
}

ACCELOPT_TEST(tst_BlockRewrites)
#include "tst_BlockRewrites.moc"
