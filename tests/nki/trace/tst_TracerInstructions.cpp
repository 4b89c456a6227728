// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/nki/support/Traced.h"
#include "tests/support/TestMain.h"

using namespace accelopt;
using namespace accelopt::tests;

/// Which instructions the calls of NKI become. Each row starts with x = the tile of b (128 x 512),
/// w = its first 128 columns in a tile of their own, and c = a column of 128 values.
class tst_TracerInstructions : public QObject
{
    Q_OBJECT

private slots:
    void callsBecomeInstructions_data();
    void callsBecomeInstructions();
    void loopReduceStartsOverAtTheFirstPass();
    void sumsOfProductsAccumulateInPsum();
    void parametersReachTheInstruction();
    void aValueAssignedTwiceIsOneInstruction();
};

void tst_TracerInstructions::callsBecomeInstructions_data()
{
    QTest::addColumn<QString>("statements");
    QTest::addColumn<QString>("program");
    const auto row = [](const char *name, const char *statements, const char *program) {
        QTest::newRow(name) << QString::fromUtf8(statements) << QString::fromUtf8(program);
    };
    row("a transposing load reads its region in another order",
        "t = nl.load_transpose2d(b[0:64, 0:32])", "load dma t[32:64 64:1] <- b[32:1 64:512]");
    row("a scalar operation with a reduction has two results",
        "m = nl.ndarray((128, 4), dtype=nl.float32)\n"
        "t = nisa.tensor_scalar_reduce(data=x, op0=nl.multiply, operand0=2.0, reduce_op=nl.max, "
        "reduce_res=m[:, 1])",
        "tensor_scalar vector t[128:512 512:1] m+1[128:4 1:0] <- x[128:512 512:1]");
    row("a region without elements is nothing to do",
        "t = nl.ndarray((128, 512), dtype=nl.float32)\nt[:, 0:0] = nl.copy(x[:, 0:0])\n"
        "s = nl.copy(x[0:0, :])",
        "");
    row("a result in PSUM is moved where a product needs it",
        "p = nisa.nc_transpose(x[:, 0:128])\nt = nisa.nc_matmul(p, x)",
        "transpose tensor p[128:128 128:1] <- x[128:512 128:1]\n"
        "copy scalar sbuf[128:128 128:1] <- p[128:128 128:1]\n"
        "matmul tensor t[128:512 512:1] <- sbuf[128:128 128:1] x[128:512 512:1]");
    row("nl.matmul moves an operand out of PSUM",
        "p = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)\np[...] = nl.copy(x)\n"
        "t = nl.matmul(x[:, 0:128], p, transpose_x=True)",
        "copy scalar p[128:512 512:1] <- x[128:512 512:1]\n"
        "copy scalar sbuf[128:512 512:1] <- p[128:512 512:1]\n"
        "matmul tensor t[128:512 512:1] <- x[128:512 128:1] sbuf[128:512 512:1]");
    row("a load into a region is one instruction",
        "t = nl.ndarray((128, 2, 512), dtype=nl.float32)\nt[:, 1, :] = nl.load(b)",
        "load dma t+512[128:1024 512:1] <- b[128:512 512:1]");
    row("arithmetic into a region is one instruction",
        "t = nl.ndarray((128, 512), dtype=nl.float32)\nt[...] = nl.add(x, x)",
        "tensor_tensor vector t[128:512 512:1] <- x[128:512 512:1] x[128:512 512:1]");
    row("a tile with a name is copied", "t = nl.ndarray((128, 512), dtype=nl.float32)\nt[...] = x",
        "copy scalar t[128:512 512:1] <- x[128:512 512:1]");
    row("a number fills a region", "t = nl.ndarray((128, 512), dtype=nl.float32)\nt[:, 0:4] = 2.5",
        "memset vector t[128:512 4:1] <-");
    row("two tiles go to the vector engine", "t = x * x",
        "tensor_tensor vector t[128:512 512:1] <- x[128:512 512:1] x[128:512 512:1]");
    row("a tile and a number are one operand", "t = x + 1.0",
        "tensor_scalar vector t[128:512 512:1] <- x[128:512 512:1]");
    row("a column is repeated along the free axis", "t = nl.multiply(x, c)",
        "tensor_scalar vector t[128:512 512:1] <- x[128:512 512:1] c[128:1 1:0]");
    row("a row is repeated over the partitions through the tensor engine",
        "t = nl.add(x, x[0:1, :])",
        "partition_broadcast tensor sbuf[128:512 512:1] <- x[1:0 512:1]\n"
        "tensor_tensor vector t[128:512 512:1] <- x[128:512 512:1] sbuf[128:512 512:1]");
    row("a free axis of one element is repeated by its stride",
        "s = x.reshape((128, 8, 64))\nt = nl.add(s, s[:, :, 0:1])",
        "tensor_tensor vector t[128:512 8:64 64:1] <- x[128:512 8:64 64:1] x[128:512 8:64 64:0]");
    row("division is a reciprocal and a product", "t = x / c",
        "reciprocal vector sbuf[128:1 1:0] <- c[128:1 1:0]\n"
        "tensor_scalar vector t[128:512 512:1] <- x[128:512 512:1] sbuf[128:1 1:0]");
    row("one divided by a tile is its reciprocal", "t = 1.0 / x",
        "reciprocal vector t[128:512 512:1] <- x[128:512 512:1]");
    row("division by a number is a product", "t = x / 4.0",
        "tensor_scalar vector t[128:512 512:1] <- x[128:512 512:1]");
    row("functions go to the scalar engine", "t = nl.exp(x)",
        "activation scalar t[128:512 512:1] <- x[128:512 512:1]");
    row("an activation takes scale and bias", "t = nisa.activation(nl.exp, x, bias=c, scale=2.0)",
        "activation scalar t[128:512 512:1] <- x[128:512 512:1] c[128:1 1:0]");
    row("an activation may sum as well",
        "s = nl.ndarray((128, 1), dtype=nl.float32)\n"
        "t = nisa.activation_reduce(nl.square, x, reduce_op=np.add, reduce_res=s)",
        "activation scalar t[128:512 512:1] s[128:1 1:0] <- x[128:512 512:1]");
    row("tensor_scalar takes two operations",
        "t = nisa.tensor_scalar(x, np.multiply, c, op1=np.add, operand1=1.0)",
        "tensor_scalar vector t[128:512 512:1] <- x[128:512 512:1] c[128:1 1:0]");
    row("tensor_tensor may be given to GpSimd",
        "t = nisa.tensor_tensor(x, x, np.add, engine=nisa.gpsimd_engine)",
        "tensor_tensor gpsimd t[128:512 512:1] <- x[128:512 512:1] x[128:512 512:1]");
    row("scalar_tensor_tensor",
        "t = nisa.scalar_tensor_tensor(data=x, op0=np.multiply, "
        "operand0=c, op1=np.add, operand1=x)",
        "scalar_tensor_tensor vector t[128:512 512:1] <- x[128:512 512:1] c[128:1 1:0] "
        "x[128:512 512:1]");
    row("a sum over the free axis", "t = nl.sum(x, axis=1, keepdims=True)",
        "tensor_reduce vector t[128:1 1:0] <- x[128:512 512:1]");
    row("a maximum over one of two free axes", "t = nl.max(x.reshape((128, 8, 64)), axis=2)",
        "tensor_reduce vector t[128:8 8:1] <- x[128:512 8:64 64:1]");
    row("tensor_reduce of several axes",
        "t = nisa.tensor_reduce(np.add, x.reshape((128, 8, 64)), axis=[1, 2])",
        "tensor_reduce vector t[128:1 1:0] <- x[128:512 8:64 64:1]");
    row("a mean is a sum and a product", "t = nl.mean(x, axis=[1])",
        "tensor_reduce vector sbuf[128:1 1:0] <- x[128:512 512:1]\n"
        "tensor_scalar vector t[128:1 1:0] <- sbuf[128:1 1:0]");
    row("a transpose swaps both axes", "t = nisa.nc_transpose(x[:, 0:64])",
        "transpose tensor t[64:128 128:1] <- x[128:512 64:1]");
    row("small transposes may go to the vector engine",
        "t = nisa.nc_transpose(x[0:32, 0:32], engine=nisa.vector_engine)",
        "transpose vector t[32:32 32:1] <- x[32:512 32:1]");
    row("nc_matmul contracts the partitions", "t = nisa.nc_matmul(w, x)",
        "matmul tensor t[128:512 512:1] <- w[128:128 128:1] x[128:512 512:1]");
    row("nl.matmul with transpose_x is one product", "t = nl.matmul(w, x, transpose_x=True)",
        "matmul tensor t[128:512 512:1] <- w[128:128 128:1] x[128:512 512:1]");
    row("nl.matmul transposes x first", "t = nl.matmul(w, x)",
        "transpose tensor psum[128:128 128:1] <- w[128:128 128:1]\n"
        "copy scalar sbuf[128:128 128:1] <- psum[128:128 128:1]\n"
        "matmul tensor t[128:512 512:1] <- sbuf[128:128 128:1] x[128:512 512:1]");
    row("a product is copied out of PSUM into a tile",
        "t = nl.ndarray((128, 512), dtype=nl.float32)\nt[...] = nisa.nc_matmul(w, x)",
        "matmul tensor psum[128:512 512:1] <- w[128:128 128:1] x[128:512 512:1]\n"
        "copy scalar t[128:512 512:1] <- psum[128:512 512:1]");
    row("two operands in PSUM: one is moved", "p = nisa.nc_matmul(w, x)\nt = nl.add(p, p)",
        "matmul tensor p[128:512 512:1] <- w[128:128 128:1] x[128:512 512:1]\n"
        "copy scalar sbuf[128:512 512:1] <- p[128:512 512:1]\n"
        "tensor_tensor vector t[128:512 512:1] <- p[128:512 512:1] sbuf[128:512 512:1]");
    row("a store from PSUM goes through SBUF",
        "p = nisa.nc_matmul(w, x)\nnl.store(out[0:128, :], value=p)",
        "matmul tensor p[128:512 512:1] <- w[128:128 128:1] x[128:512 512:1]\n"
        "copy scalar sbuf[128:512 512:1] <- p[128:512 512:1]\n"
        "store dma out[128:512 512:1] <- sbuf[128:512 512:1]");
    row("a number is stored through a tile", "nl.store(out[0:2, :], value=0.0)",
        "memset vector sbuf[2:512 512:1] <-\n"
        "store dma out[2:512 512:1] <- sbuf[2:512 512:1]");
    row("one element is stored",
        "t = nl.load(v[0:1])\ns = nl.ndarray((4,), dtype=nl.float32, "
        "buffer=nl.hbm)\nnl.store(s[2], value=t)",
        "load dma t[1:0 1:0] <- v[1:0]\nstore dma s+2[1:0] <- t[1:0 1:0]");
    row("augmented assignment writes in place", "x[...] += x",
        "tensor_tensor vector x[128:512 512:1] <- x[128:512 512:1] x[128:512 512:1]");
    row("a name's augmented assignment writes in place, too", "x *= 2.0",
        "tensor_scalar vector x[128:512 512:1] <- x[128:512 512:1]");
    row("zeros of a tensor with blocks fill every tile",
        "t = nl.zeros((2, nl.par_dim(128), 64), dtype=nl.float32)",
        "memset vector t#0[128:64 64:1] <-\nmemset vector t#1[128:64 64:1] <-");
    row("zeros in PSUM issue nothing", "t = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)",
        "");
    row("a comparison of tiles is arithmetic", "t = nl.where(x > c, x, 0.0)",
        "tensor_scalar vector sbuf[128:512 512:1] <- x[128:512 512:1] c[128:1 1:0]\n"
        "select vector t[128:512 512:1] <- sbuf[128:512 512:1] x[128:512 512:1]");
    row("a scan", "t = nisa.tensor_tensor_scan(x, x, initial=0, op0=np.multiply, op1=np.add)",
        "tensor_tensor_scan vector t[128:512 512:1] <- x[128:512 512:1] x[128:512 512:1]");
    row("DMA copies between HBM tensors", "nisa.dma_copy(dst=out[0:128, :], src=b)",
        "dma_copy dma out[128:512 512:1] <- b[128:512 512:1]");
    row("statistics give six and two values", "t = nisa.bn_aggr(nisa.bn_stats(x))",
        "bn_stats vector sbuf[128:6 6:1] <- x[128:512 512:1]\n"
        "bn_aggr vector t[128:2 2:1] <- sbuf[128:6 6:1]");
    row("an identity from numpy makes a product a transpose",
        "e = nl.load(nl.shared_constant(np.identity(128, dtype=np.float32)))\n"
        "t = nisa.nc_matmul(w, e, is_transpose=True)",
        "load dma e[128:128 128:1] <- hbm[128:128 128:1]\n"
        "transpose tensor t[128:128 128:1] <- w[128:128 128:1]");
    row("a helper's tile is used like any other",
        "def twice(t):\n    return nl.add(t, t)\ny = twice(x)",
        "tensor_tensor vector y[128:512 512:1] <- x[128:512 512:1] x[128:512 512:1]");
}

namespace {

const char *const kTiles = "x = nl.load(b)\nw = nl.load(b[:, 0:128])\nc = nl.load(v)\n";
const char *const kLoads = "load dma x[128:512 512:1] <- b[128:512 512:1]\n"
                           "load dma w[128:128 128:1] <- b[128:512 128:1]\n"
                           "load dma c[128:1 1:0] <- v[128:1]\n";

} // namespace

void tst_TracerInstructions::callsBecomeInstructions()
{
    QFETCH(QString, statements);
    QFETCH(QString, program);
    const Traced traced = traceStatements(kTiles + statements.toStdString());
    std::string text = programText(traced) + "\n";
    QVERIFY2(text.starts_with(kLoads), text.c_str());
    text.erase(0, std::string(kLoads).size());
    if (!text.empty())
        text.pop_back();
    QCOMPARE(text, program.toStdString());
}

void tst_TracerInstructions::loopReduceStartsOverAtTheFirstPass()
{
    const Traced traced =
        traceStatements("t = nl.ndarray((128, 512), dtype=nl.float32)\n"
                        "for i in nl.affine_range(2):\n"
                        "    for j in nl.affine_range(2):\n"
                        "        x = nl.load(a[j * 128:(j + 1) * 128, :])\n"
                        "        t[...] = nl.loop_reduce(x, op=np.add, loop_indices=[j])");
    const std::string load = "load dma x[128:512 512:1] <- a[128:512 512:1]\n";
    const std::string next = "load dma x[128:512 512:1] <- a+65536[128:512 512:1]\n";
    const std::string reduce = "loop_reduce vector t[128:512 512:1] <- x[128:512 512:1]";
    QCOMPARE(programText(traced), load + reduce + " first\n" + next + reduce + "\n" + load +
                                      reduce + " first\n" + next + reduce);
}

void tst_TracerInstructions::sumsOfProductsAccumulateInPsum()
{
    const Traced traced = traceStatements(
        std::string(kTiles) + "p = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)\n"
                              "for k in nl.affine_range(2):\n"
                              "    p += nisa.nc_matmul(w, x)\n"
                              "    p[...] += nl.matmul(w, x, transpose_x=True)\n"
                              "s = nl.zeros((128, 512), dtype=nl.float32)\n"
                              "s += nisa.nc_matmul(w, x)");
    const std::string product =
        "matmul tensor p[128:512 512:1] <- w[128:128 128:1] x[128:512 512:1] accumulate\n";
    QCOMPARE(programText(traced),
             kLoads + product + product + product + product +
                 "memset vector s[128:512 512:1] <-\n"
                 "matmul tensor psum[128:512 512:1] <- w[128:128 128:1] x[128:512 512:1]\n"
                 "tensor_tensor vector s[128:512 512:1] <- s[128:512 512:1] psum[128:512 512:1]");
    const auto &program = traced.program();
    const nki::Operand &operand = program.outputsOf(program.instructions[3])[0];
    QCOMPARE(program.storage(operand).memory, nki::Memory::Psum);
    QVERIFY(program.tensors[std::size_t(program.storage(operand).tensor)].initialised);
}

void tst_TracerInstructions::parametersReachTheInstruction()
{
    const Traced traced = traceStatements(
        std::string(kTiles) + "t = nisa.tensor_scalar(x, np.subtract, 3.0, reverse0=True, "
                              "op1=np.maximum, operand1=0.5)\n"
                              "s = nisa.activation(nl.tanh, x, scale=0.25)\n"
                              "r = nisa.tensor_reduce(np.max, x, axis=1, negate=True)\n"
                              "q = 2.0 - x\n"
                              "m = nisa.memset((64, 8), value=7, dtype=nl.bfloat16)");
    QVERIFY2(!traced.failed(), traced.words().c_str());
    const auto &program = traced.program();
    const auto parameters = [&](std::size_t instruction) {
        return program.parametersOf(program.instructions[instruction]);
    };
    QCOMPARE(parameters(3).op0, nki::AluOp::Subtract);
    QVERIFY(parameters(3).reverse0);
    QVERIFY(!parameters(3).reverse1);
    QCOMPARE(parameters(3).constant0, 3.0);
    QCOMPARE(parameters(3).op1, nki::AluOp::Maximum);
    QCOMPARE(parameters(3).constant1, 0.5);
    QCOMPARE(parameters(4).function, nki::ActivationFunction::Tanh);
    QCOMPARE(parameters(4).constant0, 0.25);
    QCOMPARE(parameters(4).constant1, 0.0);
    QCOMPARE(parameters(5).op0, nki::AluOp::Maximum);
    QVERIFY(parameters(5).negate);
    QCOMPARE(int(parameters(5).reducedAxes), 2);
    QCOMPARE(parameters(6).op0, nki::AluOp::Subtract);
    QVERIFY(parameters(6).reverse0);
    QCOMPARE(parameters(6).constant0, 2.0);
    QCOMPARE(parameters(7).constant0, 7.0);
    const nki::Storage &filled = program.storage(program.outputsOf(program.instructions[7])[0]);
    QCOMPARE(filled.dtype, nki::DType::BFloat16);
    QCOMPARE(filled.partitions, 64);
    QCOMPARE(filled.freeElements, std::int64_t(8));
}

void tst_TracerInstructions::aValueAssignedTwiceIsOneInstruction()
{
    // The region takes the result over; the name that gets the same value means the region.
    const Traced traced = traceStatements("t = nl.ndarray((128, 512), dtype=nl.float32)\n"
                                          "t[...] = s = nl.load(b)\n"
                                          "u = nl.exp(s)");
    QCOMPARE(programText(traced),
             std::string("load dma t[128:512 512:1] <- b[128:512 512:1]\n"
                         "activation scalar u[128:512 512:1] <- t[128:512 512:1]"));
}

ACCELOPT_TEST(tst_TracerInstructions)
#include "tst_TracerInstructions.moc"
