// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/oracle/Mutants.h"

#include "core/nki/syntax/SyntaxHelper.h"
#include "tests/oracle/TinyTask.h"
#include "tests/support/TestMain.h"

#include <algorithm>
#include <set>

using namespace accelopt;
using oracle::KernelVariant;

class tst_Mutants : public QObject
{
    Q_OBJECT

private slots:
    void everyMutantOfAKernelIsCaughtOrChangesNothing();
    void everyVariantOfAKernelIsAccepted();
    void aLogisticFunctionHasATanhForm();
    void aSoftmaxHasAnOnlineForm();

private:
    std::vector<KernelVariant> variantsOf(std::string_view source);

    nki::SyntaxHelper m_helper;
};

namespace {

constexpr std::string_view kSoftmaxKernel = R"py(import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    logits = nl.load(x[0:128, 0:512])
    largest = nl.max(logits, axis=[1], keepdims=True)
    shifted = nl.subtract(logits, largest)
    power = nl.exp(shifted)
    total = nl.sum(power, axis=[1], keepdims=True)
    inverse = nl.reciprocal(total)
    negative = nl.multiply(logits, -1.0)
    other = nl.exp(negative)
    denominator = nl.add(other, 1.0)
    sigmoid = nl.reciprocal(denominator)
    p = nl.multiply(power, inverse)
    result = nl.multiply(p, sigmoid)
    nl.store(y[0:128, 0:512], value=result)
    return y
)py";

bool has(const std::vector<KernelVariant> &variants, const std::string &kind,
         const std::string &text)
{
    return std::any_of(variants.begin(), variants.end(), [&](const KernelVariant &variant) {
        return variant.kind == kind && variant.source.find(text) != std::string::npos;
    });
}

} // namespace

std::vector<KernelVariant> tst_Mutants::variantsOf(std::string_view source)
{
    const auto parsed = m_helper.parse(source);
    if (!parsed || !*parsed)
        qFatal("the kernel does not parse");
    return oracle::honestVariants(**parsed);
}

void tst_Mutants::everyMutantOfAKernelIsCaughtOrChangesNothing()
{
    const tests::TinyTask folder;
    const auto task = folder.load();
    ACCELOPT_VERIFY_OK(task);
    oracle::JudgeInput input;
    input.task = *task;
    input.check = oracle::NumberCheck::Full;
    const auto tensors = folder.tensors(3);
    ACCELOPT_VERIFY_OK(tensors);
    input.tensors = {*tensors};
    input.tensors[0].noise = {2e-6};
    const auto parsed = m_helper.parse(tests::kTinyKernel);
    ACCELOPT_VERIFY_OK(parsed);
    oracle::Judge judge(m_helper);
    std::set<std::string> kinds;
    std::set<std::string> layers;
    for (const KernelVariant &mutant : oracle::mutants(**parsed)) {
        input.source = mutant.source;
        const auto judgement = judge.judge(input);
        ACCELOPT_VERIFY_OK(judgement);
        kinds.insert(mutant.kind);
        // Values of exp(8 x) z reach from 1e-8 to 1e7 in each row: those below 1e-6 are lost in
        // what single precision leaves of the row.
        if (mutant.kind == "small_zeroed")
            continue;
        QVERIFY2(!judgement->verdict.correct(), mutant.what.c_str());
        layers.insert(judgement->verdict.reasons.front().layer);
    }
    for (const char *kind :
         {"term_dropped", "cheaper_function", "wrong_block", "last_pass_skipped", "copy_through",
          "race", "over_capacity", "nan", "input_overwritten", "narrow_result", "library"})
        QVERIFY2(kinds.contains(kind), kind);
    QVERIFY(layers.contains("language"));
    QVERIFY(layers.contains("structure"));
    QVERIFY(layers.contains("numbers"));
}

void tst_Mutants::everyVariantOfAKernelIsAccepted()
{
    const tests::TinyTask folder;
    const auto task = folder.load();
    ACCELOPT_VERIFY_OK(task);
    oracle::JudgeInput input;
    input.task = *task;
    input.check = oracle::NumberCheck::Full;
    const auto tensors = folder.tensors(4);
    ACCELOPT_VERIFY_OK(tensors);
    input.tensors = {*tensors};
    input.tensors[0].noise = {2e-6};
    oracle::Judge judge(m_helper);
    int accepted = 0;
    for (const KernelVariant &variant : variantsOf(tests::kTinyKernel)) {
        input.source = variant.source;
        const auto judgement = judge.judge(input);
        ACCELOPT_VERIFY_OK(judgement);
        QVERIFY2(judgement->verdict.status != VerdictStatus::Wrong, variant.what.c_str());
        accepted += judgement->verdict.correct() ? 1 : 0;
    }
    QVERIFY(accepted >= 3);
}

void tst_Mutants::aLogisticFunctionHasATanhForm()
{
    QVERIFY(has(variantsOf(kSoftmaxKernel), "tanh_form",
                "sigmoid = nl.add(nl.multiply(nl.tanh(nl.multiply(logits, 0.5)), 0.5), 0.5)"));
}

void tst_Mutants::aSoftmaxHasAnOnlineForm()
{
    const auto variants = variantsOf(kSoftmaxKernel);
    QVERIFY(has(variants, "online_softmax", "total = nl.add(nl.multiply(nl.sum(nl.exp("));
    QVERIFY(has(variants, "regrouped", "largest = nl.maximum("));
}

ACCELOPT_TEST(tst_Mutants)
#include "tst_Mutants.moc"
