// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Long because: one test for each instruction, all over the same small kernel.
#include "core/nki/execute/Executor.h"
#include "tests/nki/support/ProgramBuilder.h"
#include "tests/nki/support/ProgramRunner.h"
#include "tests/support/TestMain.h"

#include <cmath>
#include <functional>

using namespace accelopt;
using namespace accelopt::nki;
using accelopt::tests::ProgramBuilder;
using accelopt::tests::randomValues;
using accelopt::tests::runAll;

namespace {

constexpr std::int64_t kP = 6;  // partitions of the small tests
constexpr std::int64_t kF = 10; // free elements

using Axes = ProgramBuilder::Axes;

std::string differs(const std::vector<float> &got, const std::vector<double> &want,
                    double tolerance)
{
    if (got.size() != want.size())
        return "sizes differ: " + std::to_string(got.size()) + " and " +
               std::to_string(want.size());
    for (std::size_t k = 0; k < got.size(); ++k) {
        if (std::isnan(want[k]) != std::isnan(got[k]) ||
            std::abs(double(got[k]) - want[k]) > tolerance * std::max(1.0, std::abs(want[k])))
            return "element " + std::to_string(k) + " is " + std::to_string(got[k]) +
                   " instead of " + std::to_string(want[k]);
    }
    return {};
}

/// Loads inputs (kP x kF each) into tiles, lets `body` compute a tile of kP x resultFree, stores
/// it.
struct SmallKernel
{
    ProgramBuilder b;
    std::vector<ProgramBuilder::TensorId> tiles;
    ProgramBuilder::TensorId result = -1;

    SmallKernel(int inputs, std::int64_t resultFree, DType type = DType::Float32,
                DType inType = DType::Float32)
    {
        for (int n = 0; n < inputs; ++n) {
            const auto in = b.input("in" + std::to_string(n), {kP, kF}, inType);
            tiles.push_back(b.tile("t" + std::to_string(n), kP, kF, inType));
            b.add(Opcode::Load, Engine::Dma, {b.whole(tiles.back())}, {b.whole(in)});
        }
        result = b.tile("result", kP, resultFree, type);
    }
    std::vector<float> run(const std::vector<std::vector<float>> &inputs,
                           DType type = DType::Float32)
    {
        const auto &storage =
            b.program()
                .storages[std::size_t(b.program().tensors[std::size_t(result)].firstStorage)];
        const auto out = b.output("out", {kP, storage.freeElements}, type);
        b.add(Opcode::Store, Engine::Dma, {b.whole(out)}, {b.whole(result)});
        const auto outputs = runAll(b.take(), inputs);
        return outputs.empty() ? std::vector<float>{} : outputs[0];
    }
};

} // namespace

/// Each instruction against plain loops, and what holds for all of them: slices, memory, types.
class tst_Executor : public QObject
{
    Q_OBJECT

private slots:
    void binaryOperators_data();
    void binaryOperators();
    void activationFunctions_data();
    void activationFunctions();
    void tensorScalarTakesOperandsInEitherOrder_data();
    void tensorScalarTakesOperandsInEitherOrder();
    void scalarTensorTensorMayWriteOverItsInput();
    void activationScalesShiftsAndReduces();
    void reducesAnyFreeAxes_data();
    void reducesAnyFreeAxes();
    void scanCarriesTheState();
    void matmulAccumulatesAndTakesStridedOperands();
    void transposeFlattensTheFreeAxes();
    void broadcastsThroughZeroStrides();
    void loopReduceStartsWithItsFirstPass();
    void selectIotaAndAffineSelect();
    void partitionReduceAndShuffle();
    void batchNormStatisticsMerge();
    void max8OrdersTheLargest();
    void copiesBetweenOverlappingRegionsReadFirst();
    void columnsOfATileAreWrittenOneByOne();
    void roundsToTheDestinationType_data();
    void roundsToTheDestinationType();
    void thirtyTwoBitIntegersAreExact();
    void masksLeaveElementsAlone();
    void maskedReductionsLeaveElementsOut();
    void scratchAndOutputsCanBeReadBack();
    void uninitialisedMemoryIsNaN();
    void carriesOutOnlyTheSliceBehindTheStores();
    void stopsWhenTheVisitorSaysSo();
    void agreesWithAnElementByElementModel_data();
    void agreesWithAnElementByElementModel();
};

void tst_Executor::binaryOperators_data()
{
    QTest::addColumn<int>("op");
    for (int op = int(AluOp::Add); op <= int(AluOp::Mod); ++op)
        QTest::addRow("%s", std::string(name(AluOp(op))).c_str()) << op;
}

void tst_Executor::binaryOperators()
{
    QFETCH(int, op);
    const std::map<AluOp, std::function<double(double, double)>> meaning = {
        {AluOp::Add, [](double a, double b) { return a + b; }},
        {AluOp::Subtract, [](double a, double b) { return a - b; }},
        {AluOp::Multiply, [](double a, double b) { return a * b; }},
        {AluOp::Divide, [](double a, double b) { return a / b; }},
        {AluOp::Maximum, [](double a, double b) { return std::max(a, b); }},
        {AluOp::Minimum, [](double a, double b) { return std::min(a, b); }},
        {AluOp::Power, [](double a, double b) { return std::pow(a, b); }},
        {AluOp::Equal, [](double a, double b) { return a == b ? 1.0 : 0.0; }},
        {AluOp::NotEqual, [](double a, double b) { return a != b ? 1.0 : 0.0; }},
        {AluOp::Greater, [](double a, double b) { return a > b ? 1.0 : 0.0; }},
        {AluOp::GreaterEqual, [](double a, double b) { return a >= b ? 1.0 : 0.0; }},
        {AluOp::Less, [](double a, double b) { return a < b ? 1.0 : 0.0; }},
        {AluOp::LessEqual, [](double a, double b) { return a <= b ? 1.0 : 0.0; }},
        {AluOp::LogicalAnd, [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }},
        {AluOp::LogicalOr, [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }},
        {AluOp::LogicalXor, [](double a, double b) { return (a != 0) != (b != 0) ? 1.0 : 0.0; }},
        {AluOp::BitwiseAnd, [](double a, double b) { return double(int(a) & int(b)); }},
        {AluOp::BitwiseOr, [](double a, double b) { return double(int(a) | int(b)); }},
        {AluOp::BitwiseXor, [](double a, double b) { return double(int(a) ^ int(b)); }},
        {AluOp::LeftShift, [](double a, double b) { return double(int(a) << int(b)); }},
        {AluOp::RightShift, [](double a, double b) { return double(int(a) >> int(b)); }},
        {AluOp::Rsqrt, [](double a, double) { return 1.0 / std::sqrt(a); }},
        {AluOp::Abs, [](double a, double) { return std::abs(a); }},
        {AluOp::Mod, [](double a, double b) { return a - std::floor(a / b) * b; }},
    };
    // Whole numbers for everything, so that equal pairs, zeros and bit operations occur.
    std::vector<float> a;
    std::vector<float> b;
    for (int k = 0; k < kP * kF; ++k) {
        a.push_back(float((k * 7) % 13));
        b.push_back(
            float((k * 5) % 9 + (op == int(AluOp::Divide) || op == int(AluOp::Mod) ? 1 : 0)));
    }
    SmallKernel kernel(2, kF);
    Parameters p;
    p.op0 = AluOp(op);
    kernel.b.add(Opcode::TensorTensor, Engine::Vector, {kernel.b.whole(kernel.result)},
                 {kernel.b.whole(kernel.tiles[0]), kernel.b.whole(kernel.tiles[1])}, p);
    std::vector<double> want;
    for (std::size_t k = 0; k < a.size(); ++k)
        want.push_back(meaning.at(AluOp(op))(double(a[k]), double(b[k])));
    QCOMPARE(differs(kernel.run({a, b}), want, 1e-6), std::string());
}

void tst_Executor::activationFunctions_data()
{
    QTest::addColumn<int>("function");
    for (int f = 0; f <= int(ActivationFunction::Negative); ++f)
        QTest::addRow("%s", std::string(name(ActivationFunction(f))).c_str()) << f;
}

void tst_Executor::activationFunctions()
{
    QFETCH(int, function);
    using F = ActivationFunction;
    const auto sigmoid = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
    const auto phi = [](double x) { return std::exp(-0.5 * x * x) / std::sqrt(2.0 * M_PI); };
    const auto cumulative = [](double x) { return 0.5 * (1.0 + std::erf(x / std::sqrt(2.0))); };
    const std::map<F, std::function<double(double)>> meaning = {
        {F::Copy, [](double x) { return x; }},
        {F::Square, [](double x) { return x * x; }},
        {F::Sigmoid, sigmoid},
        {F::Relu, [](double x) { return std::max(x, 0.0); }},
        {F::Gelu, [&](double x) { return x * cumulative(x); }},
        {F::GeluDx, [&](double x) { return cumulative(x) + x * phi(x); }},
        {F::GeluApproxTanh,
         [](double x) {
             return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x)));
         }},
        {F::Silu, [&](double x) { return x * sigmoid(x); }},
        {F::SiluDx, [&](double x) { return sigmoid(x) * (1.0 + x * (1.0 - sigmoid(x))); }},
        {F::Tanh, [](double x) { return std::tanh(x); }},
        {F::Softplus, [](double x) { return std::log1p(std::exp(x)); }},
        {F::Mish, [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
        {F::Erf, [](double x) { return std::erf(x); }},
        {F::ErfDx, [](double x) { return 2.0 / std::sqrt(M_PI) * std::exp(-x * x); }},
        {F::Exp, [](double x) { return std::exp(x); }},
        {F::Log, [](double x) { return std::log(x); }},
        {F::Sign, [](double x) { return x > 0   ? 1.0
                                        : x < 0 ? -1.0
                                                : 0.0; }},
        {F::Abs, [](double x) { return std::abs(x); }},
        {F::Sqrt, [](double x) { return std::sqrt(x); }},
        {F::Rsqrt, [](double x) { return 1.0 / std::sqrt(x); }},
        {F::Reciprocal, [](double x) { return 1.0 / x; }},
        {F::Sin, [](double x) { return std::sin(x); }},
        {F::Cos, [](double x) { return std::cos(x); }},
        {F::Arctan, [](double x) { return std::atan(x); }},
        {F::Floor, [](double x) { return std::floor(x); }},
        {F::Ceil, [](double x) { return std::ceil(x); }},
        {F::LogicalNot, [](double x) { return x == 0 ? 1.0 : 0.0; }},
        {F::Negative, [](double x) { return -x; }},
    };
    auto in = randomValues(kP * kF, 3, -6.0F, 6.0F);
    in[0] = 0.0F;
    in[1] = 30.0F;
    in[2] = -30.0F;
    if (F(function) == F::Log || F(function) == F::Sqrt || F(function) == F::Rsqrt)
        for (float &value : in)
            value = std::abs(value);
    SmallKernel kernel(1, kF);
    Parameters p;
    p.function = F(function);
    p.constant0 = 1.0;
    kernel.b.add(Opcode::Activation, Engine::Scalar, {kernel.b.whole(kernel.result)},
                 {kernel.b.whole(kernel.tiles[0])}, p);
    std::vector<double> want;
    for (const float value : in)
        want.push_back(meaning.at(F(function))(double(value)));
    const auto got = kernel.run({in});
    for (std::size_t k = 0; k < want.size(); ++k) {
        const bool same = std::isinf(want[k]) ? double(got[k]) == want[k]
                                              : std::abs(double(got[k]) - want[k]) <=
                                                    3e-6 * std::max(std::abs(want[k]), 1e-6);
        QVERIFY2(same,
                 qPrintable(QString("f(%1) = %2, not %3").arg(in[k]).arg(got[k]).arg(want[k])));
    }
}

void tst_Executor::tensorScalarTakesOperandsInEitherOrder_data()
{
    QTest::addColumn<bool>("reverse0");
    QTest::addColumn<bool>("reverse1");
    QTest::addColumn<bool>("tile0");
    QTest::addColumn<bool>("tile1");
    for (int bits = 0; bits < 16; ++bits)
        QTest::addRow("%s operand first, %s operand second; %s and %s",
                      (bits & 1) != 0 ? "reversed" : "plain",
                      (bits & 2) != 0 ? "reversed" : "plain",
                      (bits & 4) != 0 ? "a column" : "a constant",
                      (bits & 8) != 0 ? "a column" : "a constant")
            << ((bits & 1) != 0) << ((bits & 2) != 0) << ((bits & 4) != 0) << ((bits & 8) != 0);
}

void tst_Executor::tensorScalarTakesOperandsInEitherOrder()
{
    QFETCH(bool, reverse0);
    QFETCH(bool, reverse1);
    QFETCH(bool, tile0);
    QFETCH(bool, tile1);
    const auto in = randomValues(kP * kF, 1);
    const auto columns = randomValues(kP * kF, 2, 1.0F, 3.0F);
    SmallKernel kernel(2, kF);
    auto &b = kernel.b;
    const auto sum = b.tile("sum", kP, 1);
    Parameters p;
    p.op0 = AluOp::Subtract;
    p.op1 = AluOp::Divide;
    p.reverse0 = reverse0;
    p.reverse1 = reverse1;
    p.operand0IsConstant = !tile0;
    p.operand1IsConstant = !tile1;
    p.constant0 = 0.25;
    p.constant1 = 8.0;
    p.reduceOp = AluOp::Add;
    std::vector<Operand> inputs{b.whole(kernel.tiles[0])};
    if (tile0)
        inputs.push_back(b.part(kernel.tiles[1], 0, kP, 2, 1));
    if (tile1)
        inputs.push_back(b.part(kernel.tiles[1], 0, kP, 3, 1));
    b.add(Opcode::TensorScalar, Engine::Vector, {b.whole(kernel.result), b.whole(sum)}, inputs, p);
    const auto sumOut = b.output("sum", {kP, 1});
    b.add(Opcode::Store, Engine::Dma, {b.whole(sumOut)}, {b.whole(sum)});
    const auto out = b.output("out", {kP, kF});
    b.add(Opcode::Store, Engine::Dma, {b.whole(out)}, {b.whole(kernel.result)});
    const auto outputs = runAll(b.take(), {in, columns});
    QCOMPARE(outputs.size(), std::size_t(2));
    std::vector<double> want;
    std::vector<double> sums;
    for (std::int64_t r = 0; r < kP; ++r) {
        double rowSum = 0;
        for (std::int64_t k = 0; k < kF; ++k) {
            const auto x = double(in[std::size_t(r * kF + k)]);
            const double first = tile0 ? double(columns[std::size_t(r * kF + 2)]) : 0.25;
            const double second = tile1 ? double(columns[std::size_t(r * kF + 3)]) : 8.0;
            const double middle = reverse0 ? first - x : x - first;
            want.push_back(reverse1 ? second / middle : middle / second);
            rowSum += want.back();
        }
        sums.push_back(rowSum);
    }
    QCOMPARE(differs(outputs[1], want, 1e-4), std::string());
    QCOMPARE(differs(outputs[0], sums, 1e-4), std::string());
}

void tst_Executor::scalarTensorTensorMayWriteOverItsInput()
{
    const auto x = randomValues(kP * kF, 1);
    const auto y = randomValues(kP * kF, 2);
    SmallKernel kernel(2, kF);
    auto &b = kernel.b;
    Parameters p;
    p.op0 = AluOp::Multiply;
    p.op1 = AluOp::Add;
    p.constant0 = 3.0;
    b.add(Opcode::ScalarTensorTensor, Engine::Vector, {b.whole(kernel.tiles[1])},
          {b.whole(kernel.tiles[0]), b.whole(kernel.tiles[1])}, p);
    b.add(Opcode::Copy, Engine::Vector, {b.whole(kernel.result)}, {b.whole(kernel.tiles[1])});
    std::vector<double> want;
    for (std::size_t k = 0; k < x.size(); ++k)
        want.push_back(3.0 * double(x[k]) + double(y[k]));
    QCOMPARE(differs(kernel.run({x, y}), want, 1e-6), std::string());
}

void tst_Executor::activationScalesShiftsAndReduces()
{
    const auto in = randomValues(kP * kF, 4);
    SmallKernel kernel(1, 1);
    auto &b = kernel.b;
    const auto bias = b.filled("bias", kP, 1, 0.5);
    const auto scale = b.filled("scale", kP, 1, -2.0);
    const auto values = b.tile("values", kP, kF);
    Parameters p;
    p.function = ActivationFunction::Exp;
    p.operand0IsConstant = false;
    p.operand1IsConstant = false;
    p.reduceOp = AluOp::Add;
    b.add(Opcode::Activation, Engine::Scalar, {b.whole(values), b.whole(kernel.result)},
          {b.whole(kernel.tiles[0]), b.whole(scale), b.whole(bias)}, p);
    std::vector<double> want(kP);
    for (std::int64_t k = 0; k < kP * kF; ++k)
        want[std::size_t(k / kF)] += std::exp(-2.0 * double(in[std::size_t(k)]) + 0.5);
    QCOMPARE(differs(kernel.run({in}), want, 1e-5), std::string());
}

void tst_Executor::reducesAnyFreeAxes_data()
{
    QTest::addColumn<int>("axes");
    QTest::addColumn<int>("op");
    QTest::addColumn<bool>("negate");
    QTest::newRow("all free axes, sum") << 0b1110 << int(AluOp::Add) << false;
    QTest::newRow("the last axis, sum") << 0b1000 << int(AluOp::Add) << false;
    QTest::newRow("the middle axis, maximum") << 0b0100 << int(AluOp::Maximum) << false;
    QTest::newRow("the first free and the last axis, minimum")
        << 0b1010 << int(AluOp::Minimum) << false;
    QTest::newRow("the two last axes, product") << 0b1100 << int(AluOp::Multiply) << false;
    QTest::newRow("the last axis, negated maximum") << 0b1000 << int(AluOp::Maximum) << true;
}

void tst_Executor::reducesAnyFreeAxes()
{
    QFETCH(int, axes);
    QFETCH(int, op);
    QFETCH(bool, negate);
    constexpr std::int64_t kSize[4] = {3, 4, 5, 6};
    const auto in = randomValues(3 * 4 * 5 * 6, 9, 0.5F, 1.5F);
    std::int64_t results = 1;
    for (int axis = 1; axis < 4; ++axis)
        if ((axes >> axis & 1) == 0)
            results *= kSize[axis];
    ProgramBuilder b;
    const auto input = b.input("in", {3, 120});
    const auto t = b.tile("t", 3, 120);
    const auto r = b.tile("r", 3, results);
    b.add(Opcode::Load, Engine::Dma, {b.whole(t)}, {b.whole(input)});
    Parameters p;
    p.op0 = AluOp(op);
    p.reducedAxes = std::uint8_t(axes);
    p.negate = negate;
    b.add(Opcode::Reduce, Engine::Vector, {b.whole(r)},
          {b.boxed(t, 0, {{3, 120}, {4, 30}, {5, 6}, {6, 1}})}, p);
    const auto out = b.output("out", {3, results});
    b.add(Opcode::Store, Engine::Dma, {b.whole(out)}, {b.whole(r)});
    const auto got = runAll(b.take(), {in});
    std::vector<double> want(std::size_t(3 * results), std::nan(""));
    for (std::int64_t n = 0; n < 360; ++n) {
        const std::int64_t index[4] = {n / 120, n / 30 % 4, n / 6 % 5, n % 6};
        std::int64_t place = index[0];
        for (int axis = 1; axis < 4; ++axis)
            if ((axes >> axis & 1) == 0)
                place = place * kSize[axis] + index[axis];
        double &w = want[std::size_t(place)];
        const auto x = double(in[std::size_t(n)]);
        w = std::isnan(w)                  ? x
            : AluOp(op) == AluOp::Add      ? w + x
            : AluOp(op) == AluOp::Multiply ? w * x
            : AluOp(op) == AluOp::Maximum  ? std::max(w, x)
                                           : std::min(w, x);
    }
    if (negate)
        for (double &w : want)
            w = -w;
    QCOMPARE(differs(got[0], want, 1e-5), std::string());
}

void tst_Executor::scanCarriesTheState()
{
    const auto a = randomValues(kP * kF, 5, 0.1F, 0.9F);
    const auto x = randomValues(kP * kF, 6);
    for (const bool general : {false, true}) {
        SmallKernel kernel(2, kF);
        auto &b = kernel.b;
        const auto initial = b.filled("initial", kP, 1, 2.0);
        Parameters p;
        p.op0 = AluOp::Multiply;
        p.op1 = general ? AluOp::Subtract : AluOp::Add;
        p.reverse1 = general;
        p.operand0IsConstant = false;
        b.add(Opcode::Scan, Engine::Vector, {b.whole(kernel.result)},
              {b.whole(kernel.tiles[0]), b.whole(kernel.tiles[1]), b.whole(initial)}, p);
        std::vector<double> want;
        for (std::size_t r = 0; r < std::size_t(kP); ++r) {
            double state = 2.0;
            for (std::size_t k = r * kF; k < (r + 1) * kF; ++k) {
                state = double(a[k]) * state;
                state = general ? double(x[k]) - state : state + double(x[k]);
                want.push_back(state);
            }
        }
        QCOMPARE(differs(kernel.run({a, x}), want, 1e-5), std::string());
    }
}

void tst_Executor::matmulAccumulatesAndTakesStridedOperands()
{
    constexpr std::int64_t kK = 7;
    constexpr std::int64_t kM = 5;
    constexpr std::int64_t kN = 9;
    const auto a = randomValues(kK * kM * 2, 1);
    const auto m = randomValues(kK * kN, 2);
    ProgramBuilder b;
    const auto aIn = b.input("a", {kK, kM * 2});
    const auto mIn = b.input("m", {kK, kN});
    const auto at = b.tile("at", kK, kM * 2);
    const auto mt = b.tile("mt", kK, kN);
    const auto acc = b.filled("acc", kM, kN, 0.0, DType::Float32, Memory::Psum);
    b.add(Opcode::Load, Engine::Dma, {b.whole(at)}, {b.whole(aIn)});
    b.add(Opcode::Load, Engine::Dma, {b.whole(mt)}, {b.whole(mIn)});
    Parameters p;
    p.accumulate = true;
    // The even columns, then the odd ones: strides the BLAS cannot take as they are.
    for (int odd = 0; odd < 2; ++odd)
        b.add(Opcode::Matmul, Engine::Tensor, {b.whole(acc)},
              {b.boxed(at, odd, {{kK, kM * 2}, {kM, 2}}), b.whole(mt)}, p);
    const auto out = b.output("out", {kM, kN});
    b.add(Opcode::Store, Engine::Dma, {b.whole(out)}, {b.whole(acc)});
    ExecutionStatistics statistics;
    const auto got = runAll(b.take(), {a, m}, &statistics);
    std::vector<double> want(kM * kN);
    for (std::int64_t k = 0; k < kK; ++k)
        for (std::int64_t i = 0; i < kM; ++i)
            for (std::int64_t j = 0; j < kN; ++j)
                want[std::size_t(i * kN + j)] += (double(a[std::size_t(k * kM * 2 + 2 * i)]) +
                                                  double(a[std::size_t(k * kM * 2 + 2 * i + 1)])) *
                                                 double(m[std::size_t(k * kN + j)]);
    QCOMPARE(differs(got[0], want, 1e-5), std::string());
    QCOMPARE(statistics.flops, double(2 * 2 * kK * kM * kN));
}

void tst_Executor::transposeFlattensTheFreeAxes()
{
    const auto in = randomValues(4 * 6, 1);
    ProgramBuilder b;
    const auto input = b.input("in", {4, 6});
    const auto t = b.tile("t", 4, 6);
    const auto r = b.tile("r", 6, 4, DType::Float32, Memory::Psum);
    b.add(Opcode::Load, Engine::Dma, {b.whole(t)}, {b.whole(input)});
    b.add(Opcode::Transpose, Engine::Tensor, {b.whole(r)},
          {b.boxed(t, 0, {{4, 6}, {2, 3}, {3, 1}})});
    const auto out = b.output("out", {6, 4});
    b.add(Opcode::Store, Engine::Dma, {b.whole(out)}, {b.whole(r)});
    const auto got = runAll(b.take(), {in});
    std::vector<double> want;
    for (std::size_t f = 0; f < 6; ++f)
        for (std::size_t p = 0; p < 4; ++p)
            want.push_back(double(in[p * 6 + f]));
    QCOMPARE(differs(got[0], want, 0.0), std::string());
}

void tst_Executor::broadcastsThroughZeroStrides()
{
    const auto row = randomValues(kF, 1);
    ProgramBuilder b;
    const auto in = b.input("row", {kF});
    const auto one = b.tile("one", 1, kF);
    const auto all = b.tile("all", kP, kF);
    const auto sum = b.tile("sum", kP, kF);
    b.add(Opcode::Load, Engine::Dma, {b.whole(one)}, {b.boxed(in, 0, {{1, kF}, {kF, 1}})});
    b.add(Opcode::PartitionBroadcast, Engine::Tensor, {b.whole(all)}, {b.whole(one)});
    Parameters p;
    p.op0 = AluOp::Add;
    // The third element of each row, repeated along the row.
    b.add(Opcode::TensorTensor, Engine::Vector, {b.whole(sum)},
          {b.whole(all), b.boxed(all, 3, {{kP, kF}, {kF, 0}})}, p);
    const auto out = b.output("out", {kP, kF});
    b.add(Opcode::Store, Engine::Dma, {b.whole(out)}, {b.whole(sum)});
    const auto got = runAll(b.take(), {row});
    std::vector<double> want;
    for (std::int64_t k = 0; k < kP * kF; ++k)
        want.push_back(double(row[std::size_t(k % kF)]) + double(row[3]));
    QCOMPARE(differs(got[0], want, 1e-6), std::string());
}

void tst_Executor::loopReduceStartsWithItsFirstPass()
{
    const auto x = randomValues(kP * kF, 1);
    const auto y = randomValues(kP * kF, 2);
    SmallKernel kernel(2, kF);
    auto &b = kernel.b;
    Parameters p;
    p.op0 = AluOp::Maximum;
    p.firstPass = true;
    b.add(Opcode::LoopReduce, Engine::Vector, {b.whole(kernel.result)}, {b.whole(kernel.tiles[0])},
          p);
    p.firstPass = false;
    b.add(Opcode::LoopReduce, Engine::Vector, {b.whole(kernel.result)}, {b.whole(kernel.tiles[1])},
          p);
    std::vector<double> want;
    for (std::size_t k = 0; k < x.size(); ++k)
        want.push_back(double(std::max(x[k], y[k])));
    QCOMPARE(differs(kernel.run({x, y}), want, 0.0), std::string());
}

void tst_Executor::selectIotaAndAffineSelect()
{
    const auto in = randomValues(kP * kF, 1);
    SmallKernel kernel(1, kF);
    auto &b = kernel.b;
    const auto numbers = b.tile("numbers", kP, kF, DType::Int32);
    const auto triangle = b.tile("triangle", kP, kF);
    Parameters iota;
    iota.iota[0] = 20000000; // more than float32 holds exactly
    iota.iota[1] = 100;
    iota.iota[2] = 1;
    b.add(Opcode::Iota, Engine::GpSimd, {b.whole(numbers)}, {}, iota);
    Parameters affine; // partition - free >= 0: the lower triangle
    affine.iota[1] = 1;
    affine.iota[2] = -1;
    affine.constant0 = -7.0;
    b.add(Opcode::AffineSelect, Engine::GpSimd, {b.whole(triangle)}, {b.whole(kernel.tiles[0])},
          affine);
    Parameters compare;
    compare.op0 = AluOp::Mod;
    compare.constant0 = 2.0;
    const auto odd = b.tile("odd", kP, kF, DType::UInt8);
    b.add(Opcode::TensorScalar, Engine::Vector, {b.whole(odd)}, {b.whole(numbers)}, compare);
    Parameters select;
    select.operand0IsConstant = false;
    select.constant1 = 5.0;
    b.add(Opcode::Select, Engine::Vector, {b.whole(kernel.result)},
          {b.whole(odd), b.whole(triangle)}, select);
    std::vector<double> want;
    for (std::int64_t k = 0; k < kP * kF; ++k) {
        const bool isOdd = (20000000 + k / kF * 100 + k % kF) % 2 == 1;
        const double lower = k / kF >= k % kF ? double(in[std::size_t(k)]) : -7.0;
        want.push_back(isOdd ? lower : 5.0);
    }
    QCOMPARE(differs(kernel.run({in}), want, 0.0), std::string());
}

void tst_Executor::partitionReduceAndShuffle()
{
    const auto in = randomValues(64 * 3, 1);
    ProgramBuilder b;
    const auto input = b.input("in", {64, 3});
    const auto t = b.tile("t", 64, 3);
    const auto sum = b.tile("sum", 1, 3);
    const auto mixed = b.filled("mixed", 64, 3, -1.0);
    b.add(Opcode::Load, Engine::Dma, {b.whole(t)}, {b.whole(input)});
    Parameters add;
    add.op0 = AluOp::Add;
    b.add(Opcode::PartitionReduce, Engine::GpSimd, {b.whole(sum)}, {b.whole(t)}, add);
    Parameters shuffle; // lane i takes lane 31 - i; lane 4 is left alone
    for (int lane = 0; lane < 32; ++lane)
        shuffle.iota[lane / 8] |=
            std::int64_t(std::uint64_t(lane == 4 ? 255 : 31 - lane) << (8 * (lane % 8)));
    b.add(Opcode::Shuffle, Engine::Vector, {b.whole(mixed)}, {b.whole(t)}, shuffle);
    const auto sumOut = b.output("sum", {1, 3});
    const auto out = b.output("out", {64, 3});
    b.add(Opcode::Store, Engine::Dma, {b.whole(sumOut)}, {b.whole(sum)});
    b.add(Opcode::Store, Engine::Dma, {b.whole(out)}, {b.whole(mixed)});
    const auto got = runAll(b.take(), {in});
    std::vector<double> sums(3);
    std::vector<double> want;
    for (std::size_t k = 0; k < in.size(); ++k) {
        sums[k % 3] += double(in[k]);
        const std::size_t lane = k / 3 % 32;
        want.push_back(lane == 4 ? -1.0 : double(in[(k / 96 * 32 + 31 - lane) * 3 + k % 3]));
    }
    QCOMPARE(differs(got[0], sums, 1e-5), std::string());
    QCOMPARE(differs(got[1], want, 0.0), std::string());
}

void tst_Executor::batchNormStatisticsMerge()
{
    const auto in = randomValues(kP * kF, 8);
    SmallKernel kernel(1, 2);
    auto &b = kernel.b;
    const auto statistics = b.tile("statistics", kP, 12);
    for (int half = 0; half < 2; ++half)
        b.add(Opcode::BatchNormStats, Engine::Vector, {b.part(statistics, 0, kP, half * 6, 6)},
              {b.part(kernel.tiles[0], 0, kP, half * 5, 5)});
    b.add(Opcode::BatchNormAggregate, Engine::Vector, {b.whole(kernel.result)},
          {b.whole(statistics)});
    std::vector<double> want;
    for (std::size_t r = 0; r < std::size_t(kP); ++r) {
        double mean = 0;
        double square = 0;
        for (std::size_t k = r * kF; k < (r + 1) * kF; ++k) {
            mean += double(in[k]) / double(kF);
            square += double(in[k]) * double(in[k]) / double(kF);
        }
        want.push_back(mean);
        want.push_back(square - mean * mean);
    }
    QCOMPARE(differs(kernel.run({in}), want, 1e-5), std::string());
}

void tst_Executor::max8OrdersTheLargest()
{
    const auto in = randomValues(kP * kF, 8);
    SmallKernel kernel(1, 8);
    kernel.b.add(Opcode::Max8, Engine::Vector, {kernel.b.whole(kernel.result)},
                 {kernel.b.whole(kernel.tiles[0])});
    std::vector<double> want;
    for (std::size_t r = 0; r < std::size_t(kP); ++r) {
        std::vector<double> row(in.begin() + std::ptrdiff_t(r * kF),
                                in.begin() + std::ptrdiff_t((r + 1) * kF));
        std::sort(row.rbegin(), row.rend());
        want.insert(want.end(), row.begin(), row.begin() + 8);
    }
    QCOMPARE(differs(kernel.run({in}), want, 0.0), std::string());
}

void tst_Executor::copiesBetweenOverlappingRegionsReadFirst()
{
    const auto in = randomValues(kP * kF, 8);
    SmallKernel kernel(1, kF);
    auto &b = kernel.b;
    b.add(Opcode::Copy, Engine::Vector, {b.part(kernel.tiles[0], 0, kP, 1, kF - 1)},
          {b.part(kernel.tiles[0], 0, kP, 0, kF - 1)});
    b.add(Opcode::Copy, Engine::Vector, {b.whole(kernel.result)}, {b.whole(kernel.tiles[0])});
    std::vector<double> want;
    for (std::size_t k = 0; k < in.size(); ++k)
        want.push_back(double(k % kF == 0 ? in[k] : in[k - 1]));
    QCOMPARE(differs(kernel.run({in}), want, 0.0), std::string());
}

void tst_Executor::columnsOfATileAreWrittenOneByOne()
{
    const auto in = randomValues(kP * kF, 8);
    SmallKernel kernel(1, kF);
    auto &b = kernel.b;
    Parameters p;
    p.op0 = AluOp::Multiply;
    p.constant0 = 2.0;
    for (std::int64_t column = 0; column < kF; ++column)
        b.add(Opcode::TensorScalar, Engine::Vector, {b.part(kernel.result, 0, kP, column, 1)},
              {b.part(kernel.tiles[0], 0, kP, kF - 1 - column, 1)}, p);
    std::vector<double> want;
    for (std::size_t k = 0; k < in.size(); ++k)
        want.push_back(2.0 * double(in[k / kF * kF + (kF - 1 - k % kF)]));
    QCOMPARE(differs(kernel.run({in}), want, 0.0), std::string());
}

void tst_Executor::roundsToTheDestinationType_data()
{
    QTest::addColumn<int>("type");
    for (const DType type : {DType::Bool, DType::Int8, DType::UInt8, DType::Int16, DType::UInt16,
                             DType::Int32, DType::UInt32, DType::Float8E4M3, DType::Float8E5M2,
                             DType::Float16, DType::BFloat16, DType::TFloat32})
        QTest::addRow("%s", std::string(name(type)).c_str()) << int(type);
}

void tst_Executor::roundsToTheDestinationType()
{
    QFETCH(int, type);
    auto in = randomValues(kP * kF, 8, -300.0F, 300.0F);
    for (std::size_t k = 0; k < 12; ++k)
        in[k] = std::ldexp(in[k], -int(k) * 2 - 8);
    SmallKernel kernel(1, kF, DType(type));
    Parameters p;
    p.op0 = AluOp::Multiply;
    p.constant0 = 1.5;
    kernel.b.add(Opcode::TensorScalar, Engine::Vector, {kernel.b.whole(kernel.result)},
                 {kernel.b.whole(kernel.tiles[0])}, p);
    std::vector<double> want;
    for (const float value : in)
        want.push_back(rounded(double(value * 1.5F), DType(type)));
    // Into an output of the same type, and into one of float32: nothing is lost on the way.
    QCOMPARE(differs(kernel.run({in}), want, 0.0), std::string());
}

void tst_Executor::thirtyTwoBitIntegersAreExact()
{
    std::vector<float> in(kP * kF, 3.0F);
    SmallKernel kernel(1, kF, DType::Int32, DType::Int32);
    auto &b = kernel.b;
    const auto large = b.filled("large", kP, kF, 123456789.0, DType::Int32);
    const auto product = b.tile("product", kP, kF, DType::Int32);
    Parameters p;
    p.op0 = AluOp::Multiply;
    b.add(Opcode::TensorTensor, Engine::GpSimd, {b.whole(product)},
          {b.whole(large), b.whole(kernel.tiles[0])}, p);
    p.op0 = AluOp::Subtract;
    p.constant0 = 370370360.0;
    b.add(Opcode::TensorScalar, Engine::GpSimd, {b.whole(kernel.result)}, {b.whole(product)}, p);
    QCOMPARE(differs(kernel.run({in}), std::vector<double>(kP * kF, 7.0), 0.0), std::string());
}

void tst_Executor::masksLeaveElementsAlone()
{
    // A last tile of 4 rows of which the tensor has 2 only, in a triangle: the box reaches outside.
    const std::vector<float> in = randomValues(2 * kF, 3);
    ProgramBuilder b;
    const auto input = b.input("in", {2, kF});
    const auto t = b.filled("t", 4, kF, 9.0);
    AffineCondition rowsThere; // 1 - partition >= 0
    rowsThere.constant = 1;
    rowsThere.coefficient[0] = -1;
    AffineCondition lower; // partition - free + 3 >= 0
    lower.constant = 3;
    lower.coefficient[0] = 1;
    lower.coefficient[1] = -1;
    const auto mask = b.mask({rowsThere, lower});
    b.add(Opcode::Load, Engine::Dma, {b.whole(t)}, {b.boxed(input, 0, {{4, kF}, {kF, 1}})}, {},
          mask);
    const auto all = b.output("all", {4, kF});
    b.add(Opcode::Store, Engine::Dma, {b.whole(all)}, {b.whole(t)});
    const auto part = b.output("part", {2, kF});
    b.add(Opcode::Store, Engine::Dma, {b.boxed(part, 0, {{4, kF}, {kF, 1}})}, {b.whole(t)}, {},
          mask);
    const auto got = runAll(b.take(), {in});
    std::vector<double> want;
    std::vector<double> wantPart;
    for (std::int64_t k = 0; k < 4 * kF; ++k) {
        const bool inside = k / kF < 2 && k % kF <= k / kF + 3;
        want.push_back(inside ? double(in[std::size_t(k)]) : 9.0);
        if (k < 2 * kF)
            wantPart.push_back(inside ? double(in[std::size_t(k)]) : std::nan(""));
    }
    QCOMPARE(differs(got[0], want, 0.0), std::string());
    QCOMPARE(differs(got[1], wantPart, 0.0), std::string());
}

void tst_Executor::maskedReductionsLeaveElementsOut()
{
    const auto in = randomValues(kP * kF, 3);
    SmallKernel kernel(1, 2);
    auto &b = kernel.b;
    AffineCondition lower; // partition - last axis >= 0
    lower.coefficient[0] = 1;
    lower.coefficient[2] = -1;
    Parameters p;
    p.op0 = AluOp::Maximum;
    p.reducedAxes = 0b100;
    b.add(Opcode::Reduce, Engine::Vector, {b.whole(kernel.result)},
          {b.boxed(kernel.tiles[0], 0, {{kP, kF}, {2, 5}, {5, 1}})}, p, b.mask({lower}));
    std::vector<double> want;
    for (std::int64_t r = 0; r < kP; ++r)
        for (std::int64_t half = 0; half < 2; ++half) {
            double most = -1e30;
            for (std::int64_t k = 0; k < 5 && k <= r; ++k)
                most = std::max(most, double(in[std::size_t(r * kF + half * 5 + k)]));
            want.push_back(most);
        }
    QCOMPARE(differs(kernel.run({in}), want, 0.0), std::string());
}

void tst_Executor::scratchAndOutputsCanBeReadBack()
{
    const auto in = randomValues(kP * kF, 3);
    ProgramBuilder b;
    const auto input = b.input("in", {kP, kF});
    const auto spill = b.scratch("spill", {kP, kF});
    const auto out = b.output("out", {kP, kF});
    const auto again = b.output("again", {kP, kF});
    const auto t = b.tile("t", kP, kF);
    const auto u = b.tile("u", kP, kF);
    const auto v = b.tile("v", kP, kF);
    b.add(Opcode::Load, Engine::Dma, {b.whole(t)}, {b.whole(input)});
    b.add(Opcode::Store, Engine::Dma, {b.whole(spill)}, {b.whole(t)});
    b.add(Opcode::Load, Engine::Dma, {b.whole(u)}, {b.whole(spill)});
    b.add(Opcode::Store, Engine::Dma, {b.whole(out)}, {b.whole(u)});
    b.add(Opcode::Load, Engine::Dma, {b.whole(v)}, {b.whole(out)});
    b.add(Opcode::DmaCopy, Engine::Dma, {b.whole(again)}, {b.whole(v)});
    const auto got = runAll(b.take(), {in});
    const std::vector<double> want(in.begin(), in.end());
    QCOMPARE(differs(got[0], want, 0.0), std::string());
    QCOMPARE(differs(got[1], want, 0.0), std::string());
}

void tst_Executor::uninitialisedMemoryIsNaN()
{
    SmallKernel kernel(0, kF);
    auto &b = kernel.b;
    b.add(Opcode::Memset, Engine::Vector, {b.part(kernel.result, 0, kP, 0, 3)}, {});
    std::vector<double> want;
    for (std::int64_t k = 0; k < kP * kF; ++k)
        want.push_back(k % kF < 3 ? 0.0 : std::nan(""));
    QCOMPARE(differs(kernel.run({}), want, 0.0), std::string());
}

void tst_Executor::carriesOutOnlyTheSliceBehindTheStores()
{
    ProgramBuilder b;
    const auto out = b.output("out", {4, kP, kF});
    for (std::int64_t n = 0; n < 4; ++n) {
        const auto t = b.tile("t", kP, kF);
        Parameters p;
        p.constant0 = double(n);
        b.add(Opcode::Memset, Engine::Vector, {b.whole(t)}, {}, p);
        b.add(Opcode::Store, Engine::Dma, {b.boxed(out, n * kP * kF, {{kP, kF}, {kF, 1}})},
              {b.whole(t)});
    }
    const Program program = b.take();
    const Dependences dependences = analyse(program);
    const Executor executor(program, dependences);
    const std::vector<InstructionId> stores{5};
    int calls = 0;
    const auto result = executor.run(stores, {}, [&](const StoredRegion &region) {
        ++calls;
        return region.instruction == 5 && region.output == 0 && region.offset == 2 * kP * kF &&
               region.values.size() == std::size_t(kP * kF) && region.values[7] == 2.0F;
    });
    ACCELOPT_VERIFY_OK(result);
    QCOMPARE(calls, 1);
    QCOMPARE(result->instructions, std::int64_t(2));
}

void tst_Executor::stopsWhenTheVisitorSaysSo()
{
    ProgramBuilder b;
    const auto out = b.output("out", {2, kP, kF});
    const auto t = b.filled("t", kP, kF, 1.0);
    for (std::int64_t n = 0; n < 2; ++n)
        b.add(Opcode::Store, Engine::Dma, {b.boxed(out, n * kP * kF, {{kP, kF}, {kF, 1}})},
              {b.whole(t)});
    const Program program = b.take();
    const Dependences dependences = analyse(program);
    int calls = 0;
    const std::vector<InstructionId> stores{0, 1};
    const auto result = Executor(program, dependences).run(stores, {}, [&](const StoredRegion &) {
        return ++calls > 1;
    });
    ACCELOPT_VERIFY_OK(result);
    QCOMPARE(calls, 1);
}

void tst_Executor::agreesWithAnElementByElementModel_data()
{
    QTest::addColumn<int>("seed");
    for (int seed = 1; seed <= 40; ++seed)
        QTest::addRow("random strided program %d", seed) << seed;
}

void tst_Executor::agreesWithAnElementByElementModel()
{
    QFETCH(int, seed);
    std::mt19937 random{std::uint32_t(seed)};
    const auto upTo = [&](std::int64_t n) {
        return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random);
    };
    constexpr std::int64_t kPartitions = 8;
    constexpr std::int64_t kRow = 24;
    ProgramBuilder b;
    std::vector<ProgramBuilder::TensorId> tiles;
    std::vector<std::vector<float>> memory;
    for (int n = 0; n < 3; ++n) {
        tiles.push_back(b.filled("t", kPartitions, kRow, double(n) + 0.5));
        memory.emplace_back(kPartitions * kRow, float(n) + 0.5F);
    }
    // Boxes of the same partitions and the same number of free elements, in different
    // factorisations.
    const auto box = [&](ProgramBuilder::TensorId tile, std::int64_t partitions,
                         std::int64_t freeCount) {
        const std::int64_t p = upTo(kPartitions - partitions + 1);
        Axes axes{{partitions, kRow}};
        std::int64_t f = 0;
        const std::int64_t choice = upTo(4);
        if (choice == 0) {
            f = upTo(kRow - freeCount + 1);
            axes.emplace_back(freeCount, 1);
        } else if (choice == 1 && freeCount * 2 <= kRow) {
            f = upTo(2);
            axes.emplace_back(freeCount, 2);
        } else if (choice == 2) { // columns first
            axes.emplace_back(2, 1);
            axes.emplace_back(freeCount / 2, 2);
        } else {
            axes.emplace_back(freeCount / 2, kRow / (freeCount / 2));
            axes.emplace_back(2, 1);
        }
        return b.boxed(tile, p * kRow + f, axes);
    };
    for (int n = 0; n < 30; ++n) {
        const std::int64_t partitions = 1 + upTo(kPartitions);
        const std::int64_t freeCount = 2 * (1 + upTo(6));
        const auto to = std::size_t(upTo(3));
        const auto from0 = std::size_t(upTo(3));
        const auto from1 = std::size_t(upTo(3));
        const Operand out = box(tiles[to], partitions, freeCount);
        const Operand in0 = box(tiles[from0], partitions, freeCount);
        const bool column = upTo(4) == 0;
        const Operand in1 = column ? b.boxed(tiles[from1], upTo(kRow), {{partitions, kRow}, {1, 1}})
                                   : box(tiles[from1], partitions, freeCount);
        Parameters p;
        p.op0 = upTo(2) == 0 ? AluOp::Subtract : AluOp::Maximum;
        std::int32_t mask = -1;
        if (upTo(4) == 0) {
            AffineCondition condition;
            condition.constant = upTo(6) - 2;
            condition.coefficient[0] = upTo(3) - 1;
            condition.coefficient[1] = upTo(3) - 1;
            mask = b.mask({condition});
        }
        b.add(Opcode::TensorTensor, Engine::Vector, {out}, {in0, in1}, p, mask);
        const auto &patterns = b.program().patterns;
        const auto outAddress = addressesOf(patterns[out.pattern], out.offset);
        const auto address0 = addressesOf(patterns[in0.pattern], in0.offset);
        const auto address1 = addressesOf(patterns[in1.pattern], in1.offset);
        std::vector<bool> selected(outAddress.size(), mask < 0);
        if (mask >= 0)
            forEachSelected(b.program().masks[std::size_t(mask)], patterns[out.pattern],
                            [&](std::int64_t k) { selected[std::size_t(k)] = true; });
        std::vector<float> values;
        for (std::size_t k = 0; k < outAddress.size(); ++k) {
            const float x = memory[from0][std::size_t(address0[k])];
            const float y =
                memory[from1]
                      [std::size_t(column ? address1[k / std::size_t(freeCount)] : address1[k])];
            values.push_back(p.op0 == AluOp::Subtract ? x - y : std::max(x, y));
        }
        for (std::size_t k = 0; k < outAddress.size(); ++k)
            if (selected[k])
                memory[to][std::size_t(outAddress[k])] = values[k];
    }
    for (int n = 0; n < 3; ++n) {
        const auto out = b.output("out", {kPartitions, kRow});
        b.add(Opcode::Store, Engine::Dma, {b.whole(out)}, {b.whole(tiles[std::size_t(n)])});
    }
    const auto got = runAll(b.take(), {});
    QCOMPARE(got.size(), std::size_t(3));
    for (std::size_t n = 0; n < 3; ++n)
        QCOMPARE(differs(got[n], {memory[n].begin(), memory[n].end()}, 0.0), std::string());
}

ACCELOPT_TEST(tst_Executor)
#include "tst_Executor.moc"
