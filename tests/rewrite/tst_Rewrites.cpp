// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rewrite/Kernels.h"

#include <set>

using namespace accelopt;
using namespace accelopt::rewrite;
using tests::afterRewrite;
using tests::bodyOf;
using tests::humanKernel;
using tests::kNotApplied;

namespace {} // namespace

// Each rewrite on statements the way people write them: the exact text, and what it must not touch.
class tst_Rewrites : public QObject
{
    Q_OBJECT

private slots:
    void body_data();
    void body();
    void commentsAndLayoutStay();
    void aMissingModuleIsImported();
    void everyRewriteExplainsItself();
    void unknownRewritesAndPlacesAreErrors();
    void sitesAreSortedByPromise();
    void theProfileDecidesWhichEngineIsBusy();
};

void tst_Rewrites::body_data()
{
    QTest::addColumn<std::string>("rewrite");
    QTest::addColumn<std::string>("before");
    QTest::addColumn<std::string>("after");
    const auto row = [](const char *name, const char *rewrite, const std::string &before,
                        const std::string &after) {
        QTest::newRow(name) << std::string(rewrite) << before << after;
    };

    row("two factors become one", "combine-scalars",
        "d = nl.multiply(a, 2.0)\nr = nl.multiply(d, 0.25)", "r = nl.multiply(a, 0.5)");
    row("a factor and a sum become two steps", "combine-scalars",
        "d = nl.multiply(a, 2.0)\nr = nl.add(d, c)",
        "r = nisa.tensor_scalar(data=a, op0=nl.multiply, operand0=2.0, op1=nl.add, operand1=c)");
    row("a division by a number is a factor", "combine-scalars", "d = a / 4\nr = d * 2.0",
        "r = nl.multiply(a, 0.5)");
    row("a reversed step stays reversed", "combine-scalars",
        "d = nl.subtract(1.0, a)\nr = nl.multiply(d, c)",
        "r = nisa.tensor_scalar(data=a, op0=nl.subtract, operand0=1.0, reverse0=True, "
        "op1=nl.multiply, operand1=c)");
    row("an argument that is a number", "combine-scalars",
        "d = nl.multiply(a, 2.0)\nr = nl.add(d, eps)",
        "r = nisa.tensor_scalar(data=a, op0=nl.multiply, operand0=2.0, op1=nl.add, operand1=eps)");
    row("three different steps are too many", "combine-scalars",
        "d = nisa.tensor_scalar(data=a, op0=nl.multiply, operand0=2.0, op1=nl.add, operand1=c)\nr "
        "= nl.multiply(d, 3.0)",
        kNotApplied);
    row("an intermediate that is read again", "combine-scalars",
        "d = nl.multiply(a, 2.0)\ne = nl.exp(d)\nr = nl.add(d, 1.0)", kNotApplied);
    row("other masks", "combine-scalars", "d = nl.multiply(a, 2.0, mask=i < 3)\nr = nl.add(d, 1.0)",
        kNotApplied);
    row("a narrower intermediate", "combine-scalars",
        "d = nl.multiply(a, 2.0, dtype=nl.bfloat16)\nr = nl.add(d, 1.0)", kNotApplied);
    row("an operand that changes in between", "combine-scalars",
        "d = nl.multiply(a, c)\nc = nl.max(a, axis=[1])\nr = nl.add(d, 1.0)", kNotApplied);

    row("less a part of itself", "collect-terms", "d = nl.multiply(a, 0.25)\nr = nl.subtract(a, d)",
        "r = nl.multiply(a, 0.75)");
    row("a part less itself", "collect-terms", "d = nl.multiply(a, 0.25)\nr = nl.subtract(d, a)",
        "r = nl.multiply(a, -0.75)");
    row("with masks", "collect-terms",
        "d = nl.multiply(a, 0.25, mask=i < 3)\nr = nl.add(d, a, mask=i < 3)",
        "r = nl.multiply(a, 1.25, mask=i < 3)");
    row("a part of another tile", "collect-terms",
        "d = nl.multiply(b, 0.25)\nr = nl.subtract(a, d)", kNotApplied);
    row("the tile changes in between", "collect-terms",
        "d = nl.multiply(a, 0.25)\na = nl.exp(b)\nr = nl.subtract(a, d)", kNotApplied);

    row("a factor becomes a scale", "fold-into-activation",
        "d = nl.multiply(a, 0.5)\nr = nl.exp(d)",
        "r = nisa.activation(op=nl.exp, data=a, scale=0.5)");
    row("scales multiply", "fold-into-activation",
        "d = nl.multiply(a, 0.5)\nr = nisa.activation(op=nl.tanh, data=d, bias=c, scale=2.0)",
        "r = nisa.activation(op=nl.tanh, data=a, bias=c, scale=1.0)");
    row("a sum with a column becomes a bias", "fold-into-activation",
        "d = nl.add(a, c)\nr = nl.exp(d)", "r = nisa.activation(op=nl.exp, data=a, bias=c)");
    row("a difference needs the negative column", "fold-into-activation",
        "d = nl.subtract(a, c)\nr = nl.exp(d)",
        "negative_c = nl.multiply(c, -1.0)\nr = nisa.activation(op=nl.exp, data=a, "
        "bias=negative_c)");
    row("a column less the tile", "fold-into-activation", "d = nl.subtract(c, a)\nr = nl.exp(d)",
        "r = nisa.activation(op=nl.exp, data=a, bias=c, scale=-1.0)");
    row("a factor after a square", "fold-into-activation",
        "d = nl.square(a)\nr = nl.multiply(d, 0.25)",
        "r = nisa.activation(op=nl.square, data=a, scale=0.5)");
    row("a negative factor after a square", "fold-into-activation",
        "d = nl.square(a)\nr = nl.multiply(d, -0.25)", kNotApplied);
    row("a factor after another function", "fold-into-activation",
        "d = nl.exp(a)\nr = nl.multiply(d, 0.25)", kNotApplied);
    row("a sum with a number has no bias tile", "fold-into-activation",
        "d = nl.add(a, 1.0)\nr = nl.exp(d)", kNotApplied);
    row("a bias that is taken", "fold-into-activation",
        "d = nl.add(a, c)\nr = nisa.activation(op=nl.exp, data=d, bias=c)", kNotApplied);
    row("an activation that reduces keeps doing so", "fold-into-activation",
        "s = nl.ndarray((nl.par_dim(128), 1), dtype=nl.float32)\nd = nl.multiply(a, 0.5)\n"
        "r = nisa.activation_reduce(op=nl.exp, data=d, reduce_op=nl.add, reduce_res=s[...])",
        "s = nl.ndarray((nl.par_dim(128), 1), dtype=nl.float32)\n"
        "r = nisa.activation_reduce(op=nl.exp, data=a, reduce_op=nl.add, reduce_res=s[...], "
        "scale=0.5)");

    row("silu spelled out", "name-the-activation",
        "n = nl.multiply(a, -1.0)\np = nl.exp(n)\nd = nl.add(p, 1.0)\ns = nl.reciprocal(d)\nr = "
        "nl.multiply(a, s)",
        "s = nl.sigmoid(a)\nr = nl.multiply(a, s)");
    row("silu as a division", "name-the-activation",
        "p = nisa.activation(op=nl.exp, data=a, scale=-1.0)\nd = 1.0 + p\nr = nl.divide(a, d)",
        "r = nl.silu(a)");
    row("x times sigmoid", "name-the-activation", "s = nl.sigmoid(a)\nr = nl.multiply(s, a)",
        "r = nl.silu(a)");
    row("one over one plus exp", "name-the-activation",
        "n = nl.negative(a)\np = nl.exp(n)\nd = nl.add(p, 1.0)\nr = 1.0 / d", "r = nl.sigmoid(a)");
    row("exp of x itself", "name-the-activation",
        "p = nl.exp(a)\nd = nl.add(p, 1.0)\nr = nl.reciprocal(d)", kNotApplied);
    row("plus another number", "name-the-activation",
        "n = nl.multiply(a, -1.0)\np = nl.exp(n)\nd = nl.add(p, 2.0)\nr = nl.reciprocal(d)",
        kNotApplied);
    row("sigmoid of another tile", "name-the-activation",
        "s = nl.sigmoid(b)\nr = nl.multiply(s, a)", kNotApplied);

    row("a factor and a sum of tiles", "join-scalar-and-tensor",
        "d = nl.multiply(a, 0.5)\nr = nl.add(d, b)",
        "r = nisa.scalar_tensor_tensor(data=a, op0=nl.multiply, operand0=0.5, op1=nl.add, "
        "operand1=b)");
    row("the other way round", "join-scalar-and-tensor",
        "d = nl.multiply(a, c)\nr = nl.subtract(b, d)",
        "r = nisa.scalar_tensor_tensor(data=a, op0=nl.multiply, operand0=c, op1=nl.subtract, "
        "operand1=b, reverse1=True)");
    row("operators are operations", "join-scalar-and-tensor", "d = a * 0.5\nr = d - b",
        "r = nisa.scalar_tensor_tensor(data=a, op0=nl.multiply, operand0=0.5, op1=nl.subtract, "
        "operand1=b)");
    row("a tile written in place is made by the joint instruction", "join-scalar-and-tensor",
        "r = nl.multiply(a, 0.5)\nr[...] = nl.add(r, b)",
        "r = nisa.scalar_tensor_tensor(data=a, op0=nl.multiply, operand0=0.5, op1=nl.add, "
        "operand1=b)");
    row("a division of tiles has no instruction", "join-scalar-and-tensor",
        "d = nl.multiply(a, 0.5)\nr = nl.divide(d, b)", kNotApplied);
    row("two steps do not fit", "join-scalar-and-tensor",
        "d = nisa.tensor_scalar(data=a, op0=nl.multiply, operand0=2.0, op1=nl.add, operand1=c)\nr "
        "= nl.add(d, b)",
        kNotApplied);

    row("what may be a column is no second tile", "join-scalar-and-tensor",
        "m = nl.rsqrt(nl.mean(b, axis=0))\nd = nl.subtract(a, 0.5)\nr = nl.multiply(d, m)",
        kNotApplied);
    row("a mean over the row is a column", "join-scalar-and-tensor",
        "m = nl.mean(b, axis=1, keepdims=True)\nd = nl.subtract(a, 0.5)\nr = nl.multiply(d, m)",
        kNotApplied);
    row("steps with a mean become one instruction", "combine-scalars",
        "m = nl.mean(b, axis=1, keepdims=True)\nd = nl.subtract(a, 0.5)\nr = nl.multiply(d, m)",
        "m = nl.mean(b, axis=1, keepdims=True)\nr = nisa.tensor_scalar(data=a, op0=nl.subtract, "
        "operand0=0.5, op1=nl.multiply, operand1=m)");

    row("a sum of exponentials", "reduce-while-activating",
        "p = nl.exp(a)\ns = nl.sum(p, axis=[1], keepdims=True)\nr = nl.multiply(p, s)",
        "s = nl.ndarray((nl.par_dim(128), 1), dtype=nl.float32, buffer=nl.sbuf)\n"
        "p = nisa.activation_reduce(op=nl.exp, data=a, reduce_op=nl.add, reduce_res=s[...])\nr = "
        "nl.multiply(p, s)");
    row("bias and scale stay", "reduce-while-activating",
        "p = nisa.activation(op=nl.exp, data=a, bias=c, scale=0.5)\ns = nl.sum(p, axis=1)\nr = "
        "nl.multiply(p, s)",
        "s = nl.ndarray((nl.par_dim(128), 1), dtype=nl.float32, buffer=nl.sbuf)\n"
        "p = nisa.activation_reduce(op=nl.exp, data=a, reduce_op=nl.add, reduce_res=s[...], "
        "bias=c, scale=0.5)\n"
        "r = nl.multiply(p, s)");
    row("a maximum cannot be taken on the way", "reduce-while-activating",
        "p = nl.exp(a)\ns = nl.max(p, axis=[1])\nr = nl.multiply(p, s)", kNotApplied);
    row("a sum of something else", "reduce-while-activating",
        "p = nl.add(a, b)\ns = nl.sum(p, axis=[1])\nr = nl.multiply(p, s)", kNotApplied);
    row("a column used in between", "reduce-while-activating",
        "s = nl.max(a, axis=[1])\np = nl.exp(a)\nq = nl.multiply(p, s)\ns = nl.sum(p, axis=[1])\nr "
        "= nl.multiply(q, s)",
        kNotApplied);

    row("a factor on the scalar engine", "balance-engines", "r = nl.multiply(a, 0.5)",
        "r = nisa.activation(op=nl.copy, data=a, scale=0.5)");
    row("a column on the scalar engine", "balance-engines", "r = nl.multiply(a, c)",
        "r = nisa.activation(op=nl.copy, data=a, scale=c)");
    row("a tile times itself", "balance-engines", "r = nl.multiply(a, a)", "r = nl.square(a)");
    row("a square on the vector engine", "balance-engines", "r = nl.square(a)",
        "r = nl.multiply(a, a)");
    row("a product of tiles stays", "balance-engines", "r = nl.multiply(a, b)", kNotApplied);
    row("an engine somebody chose", "balance-engines",
        "r = nisa.tensor_scalar(data=a, op0=nl.multiply, operand0=0.5, engine=nisa.gpsimd_engine)",
        kNotApplied);
}

void tst_Rewrites::body()
{
    QFETCH(const std::string, rewrite);
    QFETCH(const std::string, before);
    QFETCH(const std::string, after);
    const std::string text = afterRewrite(humanKernel(before), rewrite);
    QCOMPARE(text == kNotApplied ? text : bodyOf(text), after);
}

void tst_Rewrites::commentsAndLayoutStay()
{
    const std::string before =
        "# first\nd = nl.multiply(a, 0.5)\n\n# then\nr = nl.exp(d)  # the end";
    QCOMPARE(
        bodyOf(afterRewrite(humanKernel(before), "fold-into-activation")),
        std::string(
            "# first\n\n# then\nr = nisa.activation(op=nl.exp, data=a, scale=0.5)  # the end"));
}

void tst_Rewrites::aMissingModuleIsImported()
{
    std::string source = humanKernel("d = nl.multiply(a, 0.5)\nr = nl.exp(d)");
    const std::string import = "import neuronxcc.nki.isa as nisa\n";
    source.erase(source.find(import), import.size());
    const std::string text = afterRewrite(source, "fold-into-activation");
    QVERIFY2(text.find("import neuronxcc.nki.language as nl\n" + import) != std::string::npos,
             text.c_str());
    QVERIFY(text.find("r = nisa.activation(op=nl.exp, data=a, scale=0.5)\n") != std::string::npos);
}

void tst_Rewrites::everyRewriteExplainsItself()
{
    std::set<std::string_view> names;
    for (const auto &rewrite : allRewrites()) {
        QVERIFY(names.insert(rewrite->name()).second);
        QCOMPARE(findRewrite(rewrite->name()), rewrite.get());
        QVERIFY(!rewrite->precondition().empty());
        QVERIFY(!rewrite->reason().empty());
        QVERIFY(!rewrite->counters().empty());
        QVERIFY(!rewrite->keywords().empty());
    }
    QVERIFY(names.size() >= 16);
}

void tst_Rewrites::unknownRewritesAndPlacesAreErrors()
{
    const tests::ModelledKernel kernel(humanKernel("r = nl.exp(a)"));
    const Result<std::string> unknown = applyRewrite(kernel.model(), "make-it-fast", {});
    QVERIFY(!unknown.has_value());
    QCOMPARE(unknown.error().code, ErrorCode::WrongUse);
    QVERIFY(unknown.error().hint.find("combine-scalars") != std::string::npos);
    const Result<std::string> elsewhere =
        applyRewrite(kernel.model(), "combine-scalars", {{"statement", 3}});
    QVERIFY(!elsewhere.has_value());
    QVERIFY(elsewhere.error().message.find("does not apply") != std::string::npos);
}

void tst_Rewrites::sitesAreSortedByPromise()
{
    const tests::ModelledKernel kernel(
        humanKernel("n = nl.multiply(a, -1.0)\np = nl.exp(n)\nd = nl.add(p, 1.0)\ns = "
                    "nl.reciprocal(d)\nr = nl.multiply(a, s)"));
    const std::vector<RewriteSite> sites = findSites(kernel.model());
    QVERIFY(sites.size() >= 3);
    QCOMPARE(sites[0].rewrite, std::string("name-the-activation"));
    QVERIFY(sites[0].title.find("silu") != std::string::npos);
    QVERIFY(sites[0].estimatedSpeedup > 1.0);
    for (std::size_t i = 1; i < sites.size(); ++i)
        QVERIFY(sites[i - 1].estimatedSpeedup >= sites[i].estimatedSpeedup);
}

void tst_Rewrites::theProfileDecidesWhichEngineIsBusy()
{
    const tests::ModelledKernel kernel(humanKernel("r = nl.multiply(a, a)"));
    Profile profile;
    profile.latencyMs = 1;
    profile.counters = {{"vector_engine_active_time_percent", 0.9},
                        {"scalar_engine_active_time_percent", 0.1},
                        {"tensor_engine_active_time_percent", 0.0},
                        {"dma_active_time_percent", 0.2}};
    const auto promise = [&] {
        for (const RewriteSite &site : findSites(kernel.model(), profile))
            if (site.rewrite == "balance-engines")
                return site.estimatedSpeedup;
        return 0.0;
    };
    QVERIFY(promise() > 1);
    std::swap(profile.counters["vector_engine_active_time_percent"],
              profile.counters["scalar_engine_active_time_percent"]);
    QVERIFY(promise() > 0);
    QVERIFY(promise() < 1);
}

ACCELOPT_TEST(tst_Rewrites)
#include "tst_Rewrites.moc"
