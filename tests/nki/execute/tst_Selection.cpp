// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/nki/support/ProgramRunner.h"
#include "tests/nki/support/Traced.h"
#include "tests/support/TestMain.h"

#include <algorithm>
#include <functional>

using namespace accelopt;
using namespace accelopt::tests;

namespace {

/// Arguments are a (256, 512), b (128, 512) and v (128); out is (256, 512).
struct SelectionRun
{
    explicit SelectionRun(const std::string &statements) : traced(traceStatements(statements))
    {
        if (!traced.failed())
            out = runAll(traced.program(), {a, b, v}).at(0);
    }
    float outAt(int row, int column) const { return out[std::size_t(row * 512 + column)]; }

    std::vector<float> a = randomValues(256 * 512, 1);
    std::vector<float> b = randomValues(128 * 512, 2);
    std::vector<float> v = randomValues(128, 3);
    Traced traced;
    std::vector<float> out;
};

/// The first element of the result's first 128 rows that is not what `expected` says.
std::string firstDifference(const SelectionRun &values,
                            const std::function<float(int, int)> &expected)
{
    if (values.traced.failed())
        return values.traced.failure() + ": " + values.traced.words();
    for (int row = 0; row < 128; ++row)
        for (int column = 0; column < 512; ++column)
            if (values.outAt(row, column) != expected(row, column))
                return fmt::format("[{}, {}] is {}, not {}", row, column, values.outAt(row, column),
                                   expected(row, column));
    return {};
}

const std::string kPredicate = "x = nl.load(a[0:128, :])\ny = nl.load(b)\n"
                               "p = nl.greater(x, 0.5, dtype=nl.uint8)\n";

} // namespace

/// Instructions that choose between values or move them between partitions, on numbers.
class tst_Selection : public QObject
{
    Q_OBJECT

private slots:
    void aPredicatedCopyKeepsTheRest_data();
    void aPredicatedCopyKeepsTheRest();
    void selectReduceChoosesAndReduces();
    void selectReduceTakesOneValuePerPartition();
    void aShuffleTakesLanesOfTheQuadrant();
    void aShuffleLeavesLanesAsTheyAre();
    void dmaTransposes();
    void tilesOfTheArrayDoNotChangeProducts();
};

void tst_Selection::aPredicatedCopyKeepsTheRest_data()
{
    QTest::addColumn<QString>("call");
    QTest::addColumn<bool>("reversed");
    QTest::addColumn<bool>("constant");
    QTest::newRow("a tile") << "src=y, dst=x, predicate=p" << false << false;
    QTest::newRow("a tile where the predicate is not")
        << "src=y, dst=x, predicate=p, reverse_pred=True" << true << false;
    QTest::newRow("a number") << "src=3.0, dst=x, predicate=p" << false << true;
    QTest::newRow("a number where the predicate is not")
        << "src=3.0, dst=x, predicate=p, reverse_pred=True" << true << true;
}

void tst_Selection::aPredicatedCopyKeepsTheRest()
{
    QFETCH(QString, call);
    QFETCH(bool, reversed);
    QFETCH(bool, constant);
    const SelectionRun values(kPredicate + "nisa.tensor_copy_predicated(" + call.toStdString() +
                              ")\nnl.store(out[0:128, :], value=x)\n"
                              "nl.store(out[128:256, :], value=x)\n");
    QCOMPARE(firstDifference(values,
                             [&](int row, int column) {
                                 const auto at = std::size_t(row * 512 + column);
                                 const bool copied = (values.a[at] > 0.5F) != reversed;
                                 return !copied ? values.a[at] : constant ? 3.0F : values.b[at];
                             }),
             std::string());
}

void tst_Selection::selectReduceChoosesAndReduces()
{
    const SelectionRun values(
        kPredicate + "d = nl.ndarray((128, 512), dtype=nl.float32)\n"
                     "r = nl.ndarray((128, 1), dtype=nl.float32)\n"
                     "nisa.select_reduce(dst=d, predicate=p, on_true=y, on_false=-1.0, "
                     "reduce_cmd=nisa.reduce_cmd.reset_reduce, reduce_res=r, reduce_op=nl.max)\n"
                     "nl.store(out[0:128, :], value=d)\n"
                     "nl.store(out[128:256, :], value=r.broadcast_to((128, 512)))\n");
    const auto chosen = [&](int row, int column) {
        const auto at = std::size_t(row * 512 + column);
        return values.a[at] > 0.5F ? values.b[at] : -1.0F;
    };
    QCOMPARE(firstDifference(values, chosen), std::string());
    for (int row = 0; row < 128; ++row) {
        float largest = -10;
        for (int column = 0; column < 512; ++column)
            largest = std::max(largest, chosen(row, column));
        QCOMPARE(values.outAt(128 + row, 7), largest);
    }
}

void tst_Selection::selectReduceTakesOneValuePerPartition()
{
    const SelectionRun values(kPredicate +
                              "w = nl.load(v)\n"
                              "d = nl.ndarray((128, 512), dtype=nl.float32)\n"
                              "nisa.select_reduce(dst=d, predicate=p, on_true=y, on_false=w, "
                              "reverse_pred=True)\n"
                              "nl.store(out[0:128, :], value=d)\n"
                              "nl.store(out[128:256, :], value=d)\n");
    QCOMPARE(firstDifference(values,
                             [&](int row, int column) {
                                 const auto at = std::size_t(row * 512 + column);
                                 return values.a[at] > 0.5F ? values.v[std::size_t(row)]
                                                            : values.b[at];
                             }),
             std::string());
}

void tst_Selection::aShuffleTakesLanesOfTheQuadrant()
{
    const SelectionRun values(
        "x = nl.load(a[0:128, :])\ny = nl.ndarray((128, 512), dtype=nl.float32)\n"
        "nisa.nc_stream_shuffle(src=x, dst=y, "
        "shuffle_mask=[(i - 1) % 32 for i in range(32)])\n"
        "nl.store(out[0:128, :], value=y)\nnl.store(out[128:256, :], value=y)\n");
    QCOMPARE(firstDifference(values,
                             [&](int row, int column) {
                                 const int from = row / 32 * 32 + (row + 31) % 32;
                                 return values.a[std::size_t(from * 512 + column)];
                             }),
             std::string());
}

void tst_Selection::aShuffleLeavesLanesAsTheyAre()
{
    const SelectionRun values(
        "x = nl.load(a[0:128, :])\ny = nl.load(b)\n"
        "nisa.nc_stream_shuffle(src=x, dst=y, shuffle_mask=[5] + [255] * 31)\n"
        "nl.store(out[0:128, :], value=y)\nnl.store(out[128:256, :], value=y)\n");
    QCOMPARE(firstDifference(values,
                             [&](int row, int column) {
                                 return row % 32 == 0
                                            ? values.a[std::size_t((row + 5) * 512 + column)]
                                            : values.b[std::size_t(row * 512 + column)];
                             }),
             std::string());
}

void tst_Selection::dmaTransposes()
{
    const SelectionRun values(
        "x = nisa.dma_transpose(a[0:128, 0:128], axes=(1, 0))\n"
        "y = nl.load(b)\ny[:, 0:128] = x\n"
        "nl.store(out[0:128, :], value=y)\nnl.store(out[128:256, :], value=y)\n");
    QCOMPARE(firstDifference(values,
                             [&](int row, int column) {
                                 return column < 128 ? values.a[std::size_t(column * 512 + row)]
                                                     : values.b[std::size_t(row * 512 + column)];
                             }),
             std::string());
}

void tst_Selection::tilesOfTheArrayDoNotChangeProducts()
{
    const auto product = [](const std::string &tiling) {
        return SelectionRun("x = nl.load(a[0:64, :])\n"
                            "for i in nl.affine_range(2):\n"
                            "    y = nl.copy(nisa.nc_matmul(x[:, i * 64:i * 64 + 64], x" +
                            tiling +
                            "))\n"
                            "    nl.store(out[i * 64:i * 64 + 64, :], value=y)\n"
                            "    nl.store(out[i * 64 + 128:i * 64 + 192, :], value=y)\n");
    };
    const SelectionRun plain = product("");
    const SelectionRun tiled = product(", tile_position=(64, i * 64), tile_size=(64, 64)");
    QCOMPARE(firstDifference(tiled, [&](int row, int column) { return plain.outAt(row, column); }),
             std::string());
}

ACCELOPT_TEST(tst_Selection)
#include "tst_Selection.moc"
