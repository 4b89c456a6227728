// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rewrite/Kernels.h"

using namespace accelopt;
using namespace accelopt::rewrite;
using tests::humanKernel;
using tests::ModelledKernel;

namespace {

std::string described(const Statement &statement)
{
    if (!statement.operation)
        return "nothing";
    static constexpr std::string_view kNames[] = {
        "Declare", "Load",         "Store",      "Copy",       "Activation", "Scalars",
        "Tensors", "ScalarTensor", "Reduce",     "Reciprocal", "Matmul",     "Transpose",
        "Memset",  "Broadcast",    "LoopReduce", "Other"};
    std::string text(kNames[static_cast<int>(statement.operation->kind)]);
    if (!statement.operation->function.empty())
        text += " " + statement.operation->function;
    for (const ScalarStep &step : statement.operation->steps)
        text += " " + std::string(step.reverse ? "reversed " : "") + step.op +
                (step.operand.scalar()   ? " number"
                 : step.operand.column() ? " column"
                                         : " tile");
    return text;
}

} // namespace

class tst_KernelModel : public QObject
{
    Q_OBJECT

private slots:
    void operationsHaveOneName_data();
    void operationsHaveOneName();
    void shapesFollowTheStatements();
    void gridsAndSlicesMeanTheSame();
    void definitions_data();
    void definitions();
    void theLayoutThatFitsIsTaken();
    void tripCountsNeedSizes();
    void aFileWithoutFunctionIsNoKernel();
    void hostileTextsAreModelled_data();
    void hostileTextsAreModelled();
};

void tst_KernelModel::operationsHaveOneName_data()
{
    QTest::addColumn<std::string>("expression");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char *name, const char *expression, const char *expected) {
        QTest::newRow(name) << std::string(expression) << std::string(expected);
    };
    row("nl.exp", "nl.exp(a)", "Activation exp");
    row("nisa.activation", "nisa.activation(op=nl.exp, data=a, scale=1.0)", "Activation exp");
    row("nisa by its long name", "nki.isa.activation(nl.exp, a)", "Activation exp");
    row("a product with a number", "nl.multiply(a, 2.0)", "Scalars multiply number");
    row("the number first", "nl.multiply(2.0, a)", "Scalars multiply number");
    row("a difference with the number first", "1.0 - a", "Scalars reversed subtract number");
    row("an operator", "a * 2", "Scalars multiply number");
    row("a typed number of numpy", "nl.multiply(a, np.dtype(np.float32).type(2))",
        "Scalars multiply number");
    row("a product with a column", "nl.multiply(a, c)", "Scalars multiply column");
    row("a product with an argument that is a number", "a + eps", "Scalars add number");
    row("a product of tiles", "nl.multiply(a, b)", "Tensors multiply");
    row("tensor_tensor", "nisa.tensor_tensor(a, b, nl.add)", "Tensors add");
    row("two steps",
        "nisa.tensor_scalar(data=a, op0=nl.multiply, operand0=2.0, op1=nl.add, operand1=c)",
        "Scalars multiply number add column");
    row("a maximum by axis", "nl.max(a, axis=[1])", "Reduce maximum");
    row("tensor_reduce with numpy's name", "nisa.tensor_reduce(nl.add, data=a, axis=[1])",
        "Reduce add");
    row("a function of no known effect", "nl.unknown(a)", "nothing");
    row("a nested call is not taken apart", "nl.exp(nl.exp(a))", "Activation exp");
}

void tst_KernelModel::operationsHaveOneName()
{
    QFETCH(const std::string, expression);
    QFETCH(const std::string, expected);
    const ModelledKernel kernel(humanKernel("r = " + expression));
    QVERIFY2(kernel.problem().empty(), kernel.problem().c_str());
    QCOMPARE(described(kernel.model().statement(kernel.statement("r = "))), expected);
}

void tst_KernelModel::shapesFollowTheStatements()
{
    const ModelledKernel kernel(
        humanKernel("d = nl.exp(a)\ns = nl.sum(d, axis=[1])\nr = nl.multiply(d, s)"));
    const KernelModel &model = kernel.model();
    const Statement &d = model.statement(kernel.statement("d = "));
    QCOMPARE(d.shape.partitions->constant(), std::optional<std::int64_t>(128));
    QCOMPARE(d.shape.elements->constant(), std::optional<std::int64_t>(512));
    QVERIFY(model.statement(kernel.statement("s = ")).shape.column());
    QCOMPARE(model.statement(kernel.statement("r = ")).shape.elements->constant(),
             std::optional<std::int64_t>(512));
    QCOMPARE(model.executions(kernel.statement("r = ")), 4.0);
}

void tst_KernelModel::gridsAndSlicesMeanTheSame()
{
    const ModelledKernel kernel(
        humanKernel("w = nl.ndarray((nl.par_dim(128), 1024), dtype=nl.float32)\n"
                    "j = nl.arange(512)[None, :]\n"
                    "w[:, 512:1024] = nl.exp(a)\n"
                    "r = nl.exp(w[nl.arange(128)[:, None], 512 + j])"));
    const KernelModel &model = kernel.model();
    const int use = kernel.statement("r = ");
    QCOMPARE(model.definition(model.statement(use).operation->data[0], use),
             kernel.statement("w[:"));
}

void tst_KernelModel::definitions_data()
{
    QTest::addColumn<std::string>("body");
    QTest::addColumn<bool>("certain");
    const auto row = [](const char *name, const char *body, bool certain) {
        QTest::newRow(name) << std::string(body) << certain;
    };
    row("the only reader", "d = nl.exp(a)\nr = nl.square(d)", true);
    row("a second reader", "d = nl.exp(a)\ne = nl.exp(d)\nr = nl.square(d)", false);
    row("a reader that sees an earlier value",
        "d = nl.exp(b)\ne = nl.exp(d)\nd = nl.exp(a)\nr = nl.square(d)", true);
    row("a reader that sees a later value",
        "d = nl.exp(a)\nr = nl.square(d)\nd = nl.exp(b)\nr = nl.add(r, d)", true);
    row("written in a loop", "for k in nl.affine_range(2):\n    d = nl.exp(a)\nr = nl.square(d)",
        false);
    row("read in a loop",
        "d = nl.exp(a)\nr = nl.square(d)\nfor k in nl.affine_range(2):\n    e = nl.exp(d)", false);
    row("another region",
        "d = nl.ndarray((nl.par_dim(128), 512))\nd[:, 0:256] = nl.exp(a)\nr = nl.square(d)", false);
    row("added up", "d = nl.zeros((nl.par_dim(128), 512))\nd += nl.exp(a)\nr = nl.square(d)",
        false);
}

void tst_KernelModel::definitions()
{
    QFETCH(const std::string, body);
    QFETCH(const bool, certain);
    const ModelledKernel kernel(humanKernel(body));
    QVERIFY2(kernel.problem().empty(), kernel.problem().c_str());
    const KernelModel &model = kernel.model();
    const int use = kernel.statement("r = nl.square");
    const int definition = model.definition(model.statement(use).operation->data[0], use);
    QCOMPARE(definition >= 0 && model.onlyUsedBy(definition, use), certain);
}

void tst_KernelModel::theLayoutThatFitsIsTaken()
{
    const std::string source =
        "@nki.jit\ndef kernel(x):\n    p, n, m = x.shape\n    for i in nl.affine_range(n):\n"
        "        pass\n";
    const ModelContext context{{{{4096, 7168}}, {{128, 32, 7168}}}, {}};
    const ModelledKernel kernel("import neuronxcc.nki.language as nl\n" + source, context);
    QCOMPARE(kernel.model().trips(0), std::optional<std::int64_t>(32));
}

void tst_KernelModel::tripCountsNeedSizes()
{
    const std::string source =
        "import neuronxcc.nki.language as nl\n@nki.jit\ndef kernel(x):\n    m, n = x.shape\n"
        "    t = 512\n    for i in nl.affine_range(n // t):\n        pass\n"
        "    for j in nl.affine_range(3 * t // 2):\n        pass\n";
    const ModelledKernel unknown(source);
    QVERIFY(!unknown.model().trips(0));
    QCOMPARE(unknown.model().trips(1), std::optional<std::int64_t>(768));
    const ModelledKernel known(source, {{{{128, 7168}}}, {}});
    QCOMPARE(known.model().trips(0), std::optional<std::int64_t>(14));
}

void tst_KernelModel::aFileWithoutFunctionIsNoKernel()
{
    const ModelledKernel kernel("a = 1\n");
    QVERIFY(kernel.problem().find("no kernel function") != std::string::npos);
}

void tst_KernelModel::hostileTextsAreModelled_data()
{
    QTest::addColumn<std::string>("source");
    QTest::newRow("no body to speak of") << std::string("def f(): pass\n");
    QTest::newRow("stars") << std::string("def f(*a, **b):\n    c, *d = a\n    nl.load(*a, **b)\n");
    QTest::newRow("deep powers of names") << std::string(
        "def f(a):\n    n = a.shape[0]\n    m = (n + n * n) * (n + 1) * (n + 2) * (n + 3) * (n + "
        "4) * "
        "(n + 5) * (n + 6) * (n + 7) * (n + 8) * (n + 9) * (n + 10)\n    k = m * m * m * m * m\n");
    QTest::newRow("divisions by zero")
        << std::string("def f(a):\n    n = 1 // 0\n    b = 1 / 0\n    c = 0 ** -1\n");
    QTest::newRow("calls without arguments") << std::string(
        "import neuronxcc.nki.language as nl\nimport neuronxcc.nki.isa as nisa\ndef f(a):\n"
        "    b = nl.load()\n    nl.store()\n    c = nl.exp()\n    d = nisa.activation()\n"
        "    e = nisa.tensor_scalar(op1=nl.add)\n    g = nl.ndarray()\n    h = nl.add(a)\n"
        "    i = nl.copy()\n    j = nl.sum()\n    k = nl.matmul(a)\n    l = nisa.nc_matmul()\n"
        "    for m in nl.affine_range():\n        pass\n    n = nl.ndarray(())\n");
    QTest::newRow("a function in a function")
        << std::string("def f(a):\n    def g(b):\n        return b\n    class C:\n        x = 1\n  "
                       "  return g(a)\n");
}

void tst_KernelModel::hostileTextsAreModelled()
{
    QFETCH(const std::string, source);
    const ModelledKernel kernel(source);
    QVERIFY2(kernel.problem().empty(), kernel.problem().c_str());
    // Nothing reads such results; more cannot be said of them.
    for (const RewriteSite &site : findSites(kernel.model())) {
        QCOMPARE(site.rewrite, std::string("remove-dead-work"));
        QVERIFY(applyRewrite(kernel.model(), site.rewrite, site.parameters));
    }
}

ACCELOPT_TEST(tst_KernelModel)
#include "tst_KernelModel.moc"
