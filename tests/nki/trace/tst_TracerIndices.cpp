// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/nki/support/Traced.h"
#include "tests/support/TestMain.h"

using namespace accelopt;
using namespace accelopt::tests;

/// Which elements an index means: each row is one statement and the operands it gives.
class tst_TracerIndices : public QObject
{
    Q_OBJECT

private slots:
    void indicesNameElements_data();
    void indicesNameElements();
    void masksSelectElements_data();
    void masksSelectElements();
    void loopIndicesMoveTheRegion();
    void laterPassesMeanWhatTheySay_data();
    void laterPassesMeanWhatTheySay();
    void indicesLeaveTheirTensorOnlyInTheLastPass();
};

void tst_TracerIndices::indicesNameElements_data()
{
    QTest::addColumn<QString>("statements");
    QTest::addColumn<QString>("program");
    const auto row = [](const char *name, const char *statements, const char *program) {
        QTest::newRow(name) << QString::fromUtf8(statements) << QString::fromUtf8(program);
    };
    row("slices", "t = nl.load(a[128:256, 0:64])",
        "load dma t[128:64 64:1] <- a+65536[128:512 64:1]");
    row("slices with steps", "t = nl.load(a[0:256:2, 3:512:4])",
        "load dma t[128:128 128:1] <- a+3[128:1024 128:4]");
    row("slices from the end", "t = nl.load(a[-128:, :-384])",
        "load dma t[128:128 128:1] <- a+65536[128:512 128:1]");
    row("an ellipsis stands for what is left", "t = nl.load(b[..., 0:8])",
        "load dma t[128:8 8:1] <- b[128:512 8:1]");
    row("axes left away are whole", "t = nl.load(a[128:130])",
        "load dma t[2:512 512:1] <- a+65536[2:512 512:1]");
    row("an integer drops an axis of an HBM tensor", "t = nl.load(a[3, 0:64])",
        "load dma t[64:1 1:0] <- a+1536[64:1]");
    row("nl.ds is a start and a size", "t = nl.load(a[nl.ds(128, 64), nl.ds(256, 32)])",
        "load dma t[64:32 32:1] <- a+65792[64:512 32:1]");
    row("an integer keeps the partition axis of a tile", "t = nl.load(b)\ns = nl.copy(t[32, 0:16])",
        "load dma t[128:512 512:1] <- b[128:512 512:1]\n"
        "copy scalar s[1:0 16:1] <- t+16384[1:0 16:1]");
    row("a column of a tile keeps one free element", "t = nl.load(b)\ns = nl.copy(t[:, 7])",
        "load dma t[128:512 512:1] <- b[128:512 512:1]\n"
        "copy scalar s[128:1 1:0] <- t+7[128:512 1:0]");
    row("a grid of two index vectors",
        "i = nl.arange(128)[:, None]\nj = nl.arange(64)[None, :]\nt = nl.load(a[i + 128, j * 2])",
        "load dma t[128:64 64:1] <- a+65536[128:512 64:2]");
    row("nl.mgrid gives both vectors", "i, j = nl.mgrid[0:128, 0:32]\nt = nl.load(a[i, j + 5])",
        "load dma t[128:32 32:1] <- a+5[128:512 32:1]");
    row("nl.mgrid by letters", "g = nl.mgrid[0:16, 0:8]\nt = nl.load(a[g.p, 511 - g.x])",
        "load dma t[16:8 8:1] <- a+511[16:512 8:-1]");
    row("a three-dimensional grid",
        "i, j, k = nl.mgrid[0:128, 0:4, 0:8]\nt = nl.load(a[i, j * 128 + k])",
        "load dma t[128:32 4:8 8:1] <- a[128:512 4:128 8:1]");
    row("one axis of the grid in two dimensions",
        "i, j = nl.mgrid[0:16, 0:4]\nt = nl.load(a[i + 2 * j, j])",
        "load dma t[16:4 4:1] <- a[16:512 4:1025]");
    row("an index in front of the grid takes one row",
        "i, j = nl.mgrid[0:4, 0:8]\nt = nl.ndarray((2, nl.par_dim(128), 512), dtype=nl.float32)\n"
        "t[1, i, j] = nl.load(a[i, j])",
        "load dma t#1[4:512 8:1] <- a[4:512 8:1]");
    row("index vectors are moved into grids of more axes",
        "i = nl.arange(8)\nt = nl.load(a[i[:, None, None], i[None, None, :] + 8 * "
        "i[None, :, None]])",
        "load dma t[8:64 8:8 8:1] <- a[8:512 8:8 8:1]");
    row("a block dimension names one tile at a time",
        "t = nl.ndarray((2, nl.par_dim(128), 512), dtype=nl.float32)\nt[1] = nl.load(b)",
        "load dma t#1[128:512 512:1] <- b[128:512 512:1]");
    row("reshape joins and splits contiguous axes",
        "t = nl.load(b)\ns = nl.copy(t.reshape((128, 4, 128))[:, 1, :])",
        "load dma t[128:512 512:1] <- b[128:512 512:1]\n"
        "copy scalar s[128:128 128:1] <- t+128[128:512 128:1]");
    row("broadcast_to repeats a free axis without an instruction",
        "t = nl.load(v)\ns = nl.copy(t.broadcast_to((128, 16)))",
        "load dma t[128:1 1:0] <- v[128:1]\n"
        "copy scalar s[128:16 16:1] <- t[128:1 16:0]");
}

void tst_TracerIndices::indicesNameElements()
{
    QFETCH(QString, statements);
    QFETCH(QString, program);
    QCOMPARE(programText(traceStatements(statements.toStdString())), program.toStdString());
}

void tst_TracerIndices::masksSelectElements_data()
{
    QTest::addColumn<QString>("statements");
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("conditions");
    const auto row = [](const char *name, const char *statements, const char *program,
                        const char *conditions = "") {
        QTest::newRow(name) << QString::fromUtf8(statements) << QString::fromUtf8(program)
                            << QString::fromUtf8(conditions);
    };
    row("a condition on one axis makes the region smaller",
        "i, j = nl.mgrid[0:128, 0:512]\nt = nl.load(a[i + 192, j], mask=(i < 64))",
        "load dma t[64:512 512:1] <- a+98304[64:512 512:1]");
    row("a condition with a loop index is the same with its value",
        "i, j = nl.mgrid[0:128, 0:512]\nfor k in nl.affine_range(2):\n"
        "    t = nl.load(a[i + k * 200, j], mask=(i + k * 200 < 256))",
        "load dma t[128:512 512:1] <- a[128:512 512:1]\n"
        "load dma t[56:512 512:1] <- a+102400[56:512 512:1]");
    row("conditions on two axes both clip",
        "i, j = nl.mgrid[0:128, 0:512]\nt = nl.load(a[i, j], mask=(i >= 3) & (j < 10))",
        "load dma t+1536[125:512 10:1] <- a+1536[125:512 10:1]");
    row("a reversed coefficient clips the other end",
        "i, j = nl.mgrid[0:128, 0:512]\nt = nl.load(a[i, j], mask=(10 - 2 * j >= 0))",
        "load dma t[128:512 6:1] <- a[128:512 6:1]");
    row("equality leaves one row",
        "i, j = nl.mgrid[0:128, 0:512]\nt = nl.load(a[i, j], mask=(i == 5))",
        "load dma t+2560[1:0 512:1] <- a+2560[1:0 512:1]");
    row("a mask that nothing passes issues nothing",
        "i, j = nl.mgrid[0:128, 0:512]\nt = nl.load(a[i, j], mask=(i >= 128))", "");
    row("a condition of numbers alone is all or nothing",
        "t = nl.load(b, mask=1 > 2)\ns = nl.load(b, mask=1 < 2)",
        "load dma s[128:512 512:1] <- b[128:512 512:1]");
    row("a condition on two axes at once stays with the instruction",
        "i, j = nl.mgrid[0:128, 0:512]\nt = nl.load(a[i, j], mask=(i >= j))",
        "load dma t[128:512 512:1] <- a[128:512 512:1] masked", "0 + 1 -1");
    row("clipping moves the origin of the condition that stays",
        "i, j = nl.mgrid[0:128, 0:512]\nt = nl.load(a[i, j], mask=(i >= j) & (i >= 10))",
        "load dma t+5120[118:512 512:1] <- a+5120[118:512 512:1] masked", "10 + 1 -1");
    row("axes that the operand leaves out take no part in the condition",
        "i, k, l, j = nl.mgrid[0:128, 0:2, 0:1, 0:256]\n"
        "t = nl.load(a[i, 256 * k + l + j], mask=(i >= 2 * j + 3 * l))",
        "load dma t[128:512 2:256 256:1] <- a[128:512 2:256 256:1] masked", "0 + 1 0 -2");
    row("an HBM destination leaves out its axes of one element, too",
        "i, k, j = nl.mgrid[0:128, 0:1, 0:512]\nt = nl.load(b)\n"
        "nl.store(out[i, k + j], value=t[i, k + j], mask=(i >= 2 * j))",
        "load dma t[128:512 512:1] <- b[128:512 512:1]\n"
        "store dma out[128:512 512:1] <- t[128:512 1:0 512:1] masked",
        "0 + 1 -2");
    row("the destination of a masked load is clipped with it",
        "i, j = nl.mgrid[0:128, 0:512]\nt = nl.zeros((128, 512), dtype=nl.float32)\n"
        "t[i, j] = nl.load(a[i + 192, j], mask=(i < 64))",
        "memset vector t[128:512 512:1] <-\n"
        "load dma t[64:512 512:1] <- a+98304[64:512 512:1]");
    row("a masked store writes the part it may",
        "i, j = nl.mgrid[0:128, 0:512]\nt = nl.load(b)\n"
        "nl.store(out[i + 192, j], value=t[i, j], mask=(i + 192 < 256))",
        "load dma t[128:512 512:1] <- b[128:512 512:1]\n"
        "store dma out+98304[64:512 512:1] <- t[64:512 512:1]");
    row("a transpose swaps the axes of its mask",
        "i, j = nl.mgrid[0:128, 0:64]\nt = nl.load(b[0:128, 0:64])\n"
        "s = nisa.nc_transpose(t[i, j], mask=(i < 100))",
        "load dma t[128:64 64:1] <- b[128:512 64:1]\n"
        "transpose tensor s[64:128 100:1] <- t[100:64 64:1]");
}

void tst_TracerIndices::masksSelectElements()
{
    QFETCH(QString, statements);
    QFETCH(QString, program);
    QFETCH(QString, conditions);
    const Traced traced = traceStatements(statements.toStdString());
    QCOMPARE(programText(traced), program.toStdString());
    std::string found;
    for (const nki::Mask &mask : traced.program().masks)
        for (const nki::AffineCondition &condition : mask) {
            int last = nki::AccessPattern::kMaximumRank - 1;
            while (last > 0 && condition.coefficient[last] == 0)
                --last;
            found += fmt::format("{} +", condition.constant);
            for (int axis = 0; axis <= last; ++axis)
                found += fmt::format(" {}", condition.coefficient[axis]);
        }
    QCOMPARE(found, conditions.toStdString());
}

void tst_TracerIndices::loopIndicesMoveTheRegion()
{
    const Traced traced = traceStatements("for i in nl.affine_range(2):\n"
                                          "    for j in nl.sequential_range(2):\n"
                                          "        t = nl.load(a[i * 128:(i + 1) * 128, "
                                          "j * 256:j * 256 + 256])\n"
                                          "        nl.store(out[i * 128:(i + 1) * 128, "
                                          "nl.ds(j * 256, 256)], t)");
    QVERIFY2(!traced.failed(), traced.words().c_str());
    const nki::Program &program = traced.program();
    QCOMPARE(program.instructions.size(), std::size_t(8));
    std::vector<std::int64_t> offsets;
    for (const nki::Instruction &instruction : program.instructions)
        if (instruction.opcode == nki::Opcode::Load)
            offsets.push_back(program.inputsOf(instruction)[0].offset);
    QCOMPARE(offsets, (std::vector<std::int64_t>{0, 256, 65536, 65536 + 256}));
    // The iterations form the tree of the loops: two passes, each with two passes inside.
    const nki::Iteration &inner =
        program.iterations[std::size_t(program.instructions.back().iteration)];
    QCOMPARE(inner.kind, nki::LoopKind::Sequential);
    QCOMPARE(inner.index, 1);
    const nki::Iteration &outer = program.iterations[std::size_t(inner.parent)];
    QCOMPARE(outer.kind, nki::LoopKind::Affine);
    QCOMPARE(outer.index, 1);
    QCOMPARE(outer.parent, 0);
}

// A statement that is carried out again and again is not evaluated name by name each time: what is
// different in a later pass must be seen all the same.
void tst_TracerIndices::laterPassesMeanWhatTheySay_data()
{
    QTest::addColumn<QString>("statements");
    QTest::addColumn<QString>("loads"); ///< operands of the loads, without sizes
    const auto row = [](const char *name, const char *statements, const char *loads) {
        QTest::newRow(name) << QString::fromUtf8(statements) << QString::fromUtf8(loads);
    };
    row("a factor that changes between the passes",
        "i, j = nl.mgrid[0:16, 0:8]\n"
        "for step in [1, 2, 4, 8]:\n"
        "    for k in nl.affine_range(3):\n"
        "        t = nl.load(b[i, k * step + j])\n",
        "0 1 2 0 2 4 0 4 8 0 8 16");
    row("the index of an unrolled loop times a size",
        "size = 64\n"
        "i, j = nl.mgrid[0:16, 0:8]\n"
        "for k in nl.static_range(5):\n"
        "    t = nl.load(b[i, k * size + j])\n",
        "0 64 128 192 256");
    row("an index expression bound anew in each pass",
        "for k in nl.static_range(5):\n"
        "    j = nl.arange(8 + k)[None, :] + 10 * k\n"
        "    t = nl.load(b[nl.arange(16)[:, None], j])\n",
        "0 10 20 30 40");
    row("a stride that changes",
        "for k in nl.static_range(1, 5):\n"
        "    j = nl.arange(8)[None, :]\n"
        "    t = nl.load(b[nl.arange(16)[:, None], k + k * j])\n",
        "1 2 3 4");
    row("a tensor of another shape under the same name",
        "i, j = nl.mgrid[0:16, 0:8]\n"
        "for t in [a, a, a, b, a.reshape((512, 256)), a]:\n"
        "    s = nl.load(t[1 + i, 2 + j])\n",
        "514 514 514 514 258 514");
    row("a quotient and a remainder of a loop index",
        "for k in nl.affine_range(6):\n"
        "    t = nl.load(a[k // 3 * 128:(k // 3 + 1) * 128, k % 3:k % 3 + 4])\n",
        "0 1 2 65536 65537 65538");
    row("a negative index in the middle",
        "i, j = nl.mgrid[0:16, 0:8]\n"
        "x = nl.ndarray((4, nl.par_dim(16), 8), dtype=nl.float32)\n"
        "for k in nl.affine_range(4):\n"
        "    t = nl.load(b[k - 2, 0:8])\n",
        "64512 65024 0 512");
    row("a slice whose length changes",
        "for k in nl.static_range(4):\n"
        "    t = nl.load(b[0:16, k:2 * k + 1])\n",
        "0 1 2 3");
    row("a helper called with a size of its own",
        "def part(x, k, size):\n"
        "    return nl.load(x[0:16, k * size:(k + 1) * size])\n"
        "for k in nl.affine_range(3):\n"
        "    part(a, k, 4)\n"
        "    part(b, k, 8)\n",
        "0 0 4 8 8 16");
}

void tst_TracerIndices::laterPassesMeanWhatTheySay()
{
    QFETCH(QString, statements);
    QFETCH(QString, loads);
    const Traced traced = traceStatements(statements.toStdString());
    QVERIFY2(!traced.failed(), traced.words().c_str());
    QStringList offsets;
    for (const nki::Instruction &instruction : traced.program().instructions)
        if (instruction.opcode == nki::Opcode::Load)
            offsets << QString::number(traced.program().inputsOf(instruction)[0].offset);
    QCOMPARE(offsets.join(u' '), loads);
}

void tst_TracerIndices::indicesLeaveTheirTensorOnlyInTheLastPass()
{
    const std::string text = "i, j = nl.mgrid[0:128, 0:100]\n"
                             "for k in nl.affine_range(6):\n"
                             "    t = nl.load(b[i, k * 100 + j]MASK) # here\n";
    std::string masked = text;
    masked.replace(masked.find("MASK"), 4, ", mask=k * 100 + j < 512");
    const Traced good = traceStatements(masked);
    QVERIFY2(!good.failed(), good.words().c_str());
    const nki::Program &program = good.program();
    QCOMPARE(program.pattern(program.inputsOf(program.instructions.back())[0]).size[1],
             std::int64_t(12));
    std::string bare = text;
    bare.replace(bare.find("MASK"), 4, "");
    const Traced bad = traceStatements(bare);
    QCOMPARE(QString::fromStdString(bad.failure()),
             QStringLiteral("not_compiling err_tensor_access_out_of_bound line %1")
                 .arg(lineOfRemark(kernelAround(bare))));
}

ACCELOPT_TEST(tst_TracerIndices)
#include "tst_TracerIndices.moc"
