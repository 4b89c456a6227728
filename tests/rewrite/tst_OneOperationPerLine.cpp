// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rewrite/SameNumbers.h"

using namespace accelopt;
using tests::afterRewrite;
using tests::bodyOf;
using tests::humanKernel;
using tests::kNotApplied;

namespace {

const char *const kFlatten = "one-operation-per-line";

} // namespace

class tst_OneOperationPerLine : public QObject
{
    Q_OBJECT

private slots:
    void partsGetNames_data();
    void partsGetNames();
    void plainLinesStay_data();
    void plainLinesStay();
    void otherRewritesSeeTheParts_data();
    void otherRewritesSeeTheParts();
};

void tst_OneOperationPerLine::partsGetNames_data()
{
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("expected");
    QTest::newRow("operators within operators")
        << "r = a / (1.0 + nl.exp(-a))"
        << "r_negative = nl.negative(a)\nr_exp = nl.exp(r_negative)\nr_sum = 1.0 + r_exp\n"
           "r = a / r_sum";
    QTest::newRow("calls within calls, with keywords that stay")
        << "s = nl.sum(nl.square(a), axis=[1], keepdims=True)\nr = nl.multiply(a, s)"
        << "s_square = nl.square(a)\ns = nl.sum(s_square, axis=[1], keepdims=True)\n"
           "r = nl.multiply(a, s)";
    QTest::newRow("two parts in the order in which they are computed")
        << "r = nl.exp(a) * (nl.exp(b) + b)"
        << "r_exp = nl.exp(a)\nr_exp_2 = nl.exp(b)\nr_sum = r_exp_2 + b\nr = r_exp * r_sum";
    QTest::newRow("sums of numbers keep their parentheses")
        << "k = 3\nr = nl.exp(a * (2.0 + k))"
        << "k = 3\nr_product = a * (2.0 + k)\nr = nl.exp(r_product)";
    QTest::newRow("an expression over several lines")
        << "r = nl.add(\n    nl.exp(a),  # grows\n    b)"
        << "r_exp = nl.exp(a)\nr = nl.add(\n    r_exp,  # grows\n    b)";
    QTest::newRow("a minus alone gets its instruction's name")
        << "n = -a\nr = nl.exp(n)"
        << "n = nl.negative(a)\nr = nl.exp(n)";
    QTest::newRow("what is added to is not a part")
        << "r = nl.zeros((128, 512), dtype=nl.float32)\nr += nl.exp(a) * b"
        << "r = nl.zeros((128, 512), dtype=nl.float32)\nr_exp = nl.exp(a)\nr += r_exp * b";
    QTest::newRow("a name that is taken is not given again")
        << "r_exp = nl.exp(b)\nr = nl.add(nl.exp(a), r_exp)"
        << "r_exp = nl.exp(b)\nr_exp_2 = nl.exp(a)\nr = nl.add(r_exp_2, r_exp)";
}

void tst_OneOperationPerLine::partsGetNames()
{
    QFETCH(QString, body);
    QFETCH(QString, expected);
    const std::string before = humanKernel(body.toStdString());
    const std::string after = afterRewrite(before, kFlatten);
    QCOMPARE(QString::fromStdString(bodyOf(after)), expected);
    QCOMPARE(tests::numbersDiffer(before, after, {{512, 512}, {512, 512}, {}}), std::string());
    QCOMPARE(afterRewrite(after, kFlatten), kNotApplied);
}

void tst_OneOperationPerLine::plainLinesStay_data()
{
    QTest::addColumn<QString>("body");
    QTest::newRow("one operation a line") << "e = nl.exp(a)\nr = e * b";
    QTest::newRow("arithmetic of numbers") << "k = 2 * (3 + 1)\nr = a * k";
    QTest::newRow("a product in PSUM that is copied")
        << "r = nl.copy(nl.matmul(a[:, 0:128], b[0:128, 0:512]))";
    QTest::newRow("a second statement on the line") << "e = a; r = nl.exp(a * b)";
}

void tst_OneOperationPerLine::plainLinesStay()
{
    QFETCH(QString, body);
    QCOMPARE(afterRewrite(humanKernel(body.toStdString()), kFlatten), kNotApplied);
}

void tst_OneOperationPerLine::otherRewritesSeeTheParts_data()
{
    QTest::addColumn<QString>("body");
    QTest::newRow("operators") << "r = a / (1.0 + nl.exp(-a))";
    QTest::newRow("calls") << "r = nl.divide(a, nl.add(nl.exp(nl.negative(a)), 1.0))";
}

// The usual spellings of silu lead to the one instruction.
void tst_OneOperationPerLine::otherRewritesSeeTheParts()
{
    QFETCH(QString, body);
    const std::string before = humanKernel(body.toStdString());
    QCOMPARE(afterRewrite(before, "name-the-activation"), kNotApplied);
    const std::string after = afterRewrite(afterRewrite(before, kFlatten), "name-the-activation");
    QCOMPARE(bodyOf(after), std::string("r = nl.silu(a)"));
}

ACCELOPT_TEST(tst_OneOperationPerLine)
#include "tst_OneOperationPerLine.moc"
