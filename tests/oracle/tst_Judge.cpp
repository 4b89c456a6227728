// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/oracle/Judge.h"

#include "tests/oracle/TinyTask.h"
#include "tests/support/TestMain.h"

#include <QRegularExpression>
#include <algorithm>
#include <optional>

using namespace accelopt;
using tests::changed;
using tests::kTinyBlockKernel;
using tests::kTinyKernel;

class tst_Judge : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void aRightKernelIsCorrectAndProfiled();
    void theLayoutIsFound();
    void wrongKernels_data();
    void wrongKernels();
    void aWrongNumberNamesElementAndStore();
    void zerosForSmallValuesPassTheNormAndAreFound();
    void withoutACheckTheVerdictSaysSo();
    void theFailureThatGotFurthestIsReported();
    void onlyWhatIsWrongWithUsIsAnError();
    void theNoiseOfTheReferenceDecidesAnElementsLimit();
    void narrowValuesAreNotSinglePrecision();
    void anInputBlockThatIsIgnoredIsNamed();
    void aScalarThatIsNotReadIsNamed();
    void aTooLongSourceIsRefused();

private:
    Result<oracle::Judgement> judged(const std::string &source,
                                     oracle::NumberCheck check = oracle::NumberCheck::Full);

    tests::TinyTask m_task;
    std::optional<Task> m_loaded;
    oracle::SeedTensors m_tensors;
    nki::SyntaxHelper m_helper;
};

void tst_Judge::initTestCase()
{
    const auto task = m_task.load();
    ACCELOPT_VERIFY_OK(task);
    m_loaded = *task;
    const auto tensors = m_task.tensors(1);
    ACCELOPT_VERIFY_OK(tensors);
    m_tensors = *tensors;
}

Result<oracle::Judgement> tst_Judge::judged(const std::string &source, oracle::NumberCheck check)
{
    oracle::JudgeInput input;
    input.source = source;
    input.task = *m_loaded;
    input.tensors = {m_tensors};
    input.check = check;
    oracle::Judge judge(m_helper);
    return judge.judge(input);
}

void tst_Judge::aRightKernelIsCorrectAndProfiled()
{
    const auto judgement = judged(std::string(kTinyKernel));
    ACCELOPT_VERIFY_OK(judgement);
    QVERIFY2(judgement->verdict.correct(), judgement->verdict.reasons.empty()
                                               ? "no reason"
                                               : judgement->verdict.reasons[0].message.c_str());
    QVERIFY(judgement->verdict.reasons.empty());
    QCOMPARE(judgement->layout, m_loaded->layouts.front().name);
    const auto &figures = judgement->verdict.figures;
    QCOMPARE(figures.at("checked_share"), 1.0);
    QCOMPARE(figures.at("seeds"), 1.0);
    QVERIFY(figures.at("relative_l2") < 1e-5);
    QVERIFY(figures.at("worst_element") < 1e-5);
    QVERIFY(judgement->profile.latencyMs > 0);
    QCOMPARE(judgement->profile.bound, std::string("memory"));
    QVERIFY(judgement->profile.percentOfPeak.has_value());
    QVERIFY(*judgement->profile.percentOfPeak > 0);
    QVERIFY(*judgement->profile.percentOfPeak < 100);
    QVERIFY(judgement->profile.lines.empty());
}

void tst_Judge::theLayoutIsFound()
{
    const auto judgement = judged(std::string(kTinyBlockKernel));
    ACCELOPT_VERIFY_OK(judgement);
    QVERIFY2(judgement->verdict.correct(), judgement->verdict.reasons.empty()
                                               ? "no reason"
                                               : judgement->verdict.reasons[0].message.c_str());
    QCOMPARE(judgement->layout, std::string("blocks"));
}

void tst_Judge::wrongKernels_data()
{
    QTest::addColumn<std::string>("source");
    QTest::addColumn<QString>("status");
    QTest::addColumn<std::string>("layer");
    QTest::addColumn<std::string>("rule"); // empty: any
    const auto row = [](const char *name, std::string source, const char *status, const char *layer,
                        const char *rule) {
        QTest::newRow(name) << std::move(source) << QString::fromLatin1(status)
                            << std::string(layer) << std::string(rule);
    };
    row("text that is not Python", changed(kTinyKernel, "for i in", "for i on"), "not_compiling",
        "language", "syntax_error");
    row("bytes that are not UTF-8", changed(kTinyKernel, "return y", "return y  # \xff"),
        "not_compiling", "language", "syntax_error");
    row("a name that does not exist", changed(kTinyKernel, "nl.exp(", "nl.expo("), "", "", "");
    row("a result of another shape",
        changed(kTinyKernel, "nl.ndarray(x.shape,", "nl.ndarray((x.shape[0], 1024),"), "wrong",
        "structure", "result_shape");
    row("a result of another dtype", changed(kTinyKernel, "dtype=x.dtype", "dtype=nl.bfloat16"),
        "wrong", "structure", "result_shape");
    row("two results", changed(kTinyKernel, "return y", "return y, y"), "wrong", "structure",
        "result_shape");
    row("half of the rows never written",
        changed(kTinyKernel, "x.shape[0] // 128", "x.shape[0] // 256"), "wrong", "structure",
        "err_tensor_output_not_written_to");
    row("an input that is not read",
        changed(changed(kTinyKernel, "nl.load(z[", "nl.load(x["), "nl.multiply(e, b)",
                "nl.multiply(e, e)"),
        "wrong", "structure", "input_not_read");
    row("an input that is loaded and not used",
        changed(kTinyKernel, "nl.multiply(e, b)", "nl.multiply(e, e)"), "wrong", "structure",
        "input_not_read");
    row("another formula", changed(kTinyKernel, "nl.multiply(a, 8.0)", "nl.multiply(a, 8.01)"),
        "wrong", "numbers", "element_error");
    row("values that overflow", changed(kTinyKernel, "nl.multiply(a, 8.0)", "nl.multiply(a, 80.0)"),
        "wrong", "numbers", "not_finite");
}

void tst_Judge::wrongKernels()
{
    QFETCH(const std::string, source);
    QFETCH(const QString, status);
    QFETCH(const std::string, layer);
    QFETCH(const std::string, rule);
    const auto judgement = judged(source);
    ACCELOPT_VERIFY_OK(judgement);
    const Verdict &verdict = judgement->verdict;
    QVERIFY(!verdict.correct());
    QVERIFY(!verdict.reasons.empty());
    QVERIFY(!verdict.reasons.front().message.empty());
    if (!status.isEmpty())
        QCOMPARE(QString::fromStdString(std::string(name(verdict.status))), status);
    if (!layer.empty())
        QCOMPARE(verdict.reasons.front().layer, layer);
    if (!rule.empty())
        QCOMPARE(verdict.reasons.front().rule, rule);
    // All but missing reads have a place in the text.
    if (rule != "input_not_read")
        QVERIFY(verdict.reasons.front().place.line > 0);
}

void tst_Judge::aWrongNumberNamesElementAndStore()
{
    // Only the last 12 columns of the second block are wrong.
    const std::string source = changed(
        kTinyKernel, "    return y",
        "    c = nl.load(x[128:256, 500:512])\n"
        "    d = nl.load(z[128:256, 500:512])\n"
        "    nl.store(y[128:256, 500:512], value=nl.multiply(nl.exp(nl.multiply(c, 7.9)), d))\n"
        "    return y");
    const auto judgement = judged(source);
    ACCELOPT_VERIFY_OK(judgement);
    QCOMPARE(judgement->verdict.status, VerdictStatus::Wrong);
    const auto found =
        std::find_if(judgement->verdict.reasons.begin(), judgement->verdict.reasons.end(),
                     [](const Reason &reason) { return reason.rule == "element_error"; });
    QVERIFY(found != judgement->verdict.reasons.end());
    // The first wrong element stands in a column that the last store wrote, and so does the line.
    const QString message = QString::fromStdString(found->message);
    const QRegularExpression form(
        QStringLiteral("^y\\[(\\d+), (\\d+)\\] is \\S+ where the reference has \\S+ "));
    const QRegularExpressionMatch match = form.match(message);
    QVERIFY2(match.hasMatch(), qPrintable(message));
    QVERIFY(match.captured(1).toInt() >= 128);
    QVERIFY(match.captured(2).toInt() >= 500);
    const std::string text = source;
    const auto lineOf = [&](const char *what) {
        const auto at = text.find(what);
        return int(std::count(text.begin(), text.begin() + std::ptrdiff_t(at), '\n')) + 1;
    };
    QCOMPARE(found->place.line, lineOf("nl.store(y[128:256"));
}

void tst_Judge::zerosForSmallValuesPassTheNormAndAreFound()
{
    // Values below one are zeroed; the largest of each row are near ten million.
    const std::string source =
        changed(kTinyKernel, "value=nl.multiply(e, b)",
                "value=nl.multiply(nl.multiply(e, b), nl.greater(nl.multiply(e, b), 1.0))");
    const auto judgement = judged(source);
    ACCELOPT_VERIFY_OK(judgement);
    QCOMPARE(judgement->verdict.status, VerdictStatus::Wrong);
    QVERIFY(judgement->verdict.figures.at("relative_l2") < m_loaded->tolerance);
    QCOMPARE(judgement->verdict.reasons.front().rule, std::string("small_values"));
}

void tst_Judge::withoutACheckTheVerdictSaysSo()
{
    const auto judgement = judged(changed(kTinyKernel, "8.0", "9.0"), oracle::NumberCheck::None);
    ACCELOPT_VERIFY_OK(judgement);
    QVERIFY(judgement->profile.latencyMs > 0);
    QCOMPARE(judgement->verdict.reasons.size(), std::size_t(1));
    QCOMPARE(judgement->verdict.reasons.front().rule, std::string("not_checked"));
    QVERIFY(!judgement->verdict.figures.contains("relative_l2"));
}

void tst_Judge::theFailureThatGotFurthestIsReported()
{
    // With the task's own layout the first line of the body fails; with "blocks" it gets to the
    // wrong name.
    const std::string source = changed(kTinyBlockKernel, "nl.exp(", "nl.expo(");
    const auto judgement = judged(source);
    ACCELOPT_VERIFY_OK(judgement);
    const auto at = source.find("nl.expo(");
    const int line = int(std::count(source.begin(), source.begin() + std::ptrdiff_t(at), '\n')) + 1;
    QCOMPARE(judgement->verdict.reasons.front().place.line, line);
}

void tst_Judge::theNoiseOfTheReferenceDecidesAnElementsLimit()
{
    oracle::JudgeInput input;
    // Off by 8e-6: far below the norm's tolerance, far above what single precision loses.
    input.source =
        changed(kTinyKernel, "nl.multiply(e, b)", "nl.multiply(e, nl.multiply(b, 1.000008))");
    input.task = *m_loaded;
    input.tensors = {m_tensors};
    input.check = oracle::NumberCheck::Full;
    oracle::Judge judge(m_helper);
    auto judgement = judge.judge(input);
    ACCELOPT_VERIFY_OK(judgement);
    QVERIFY(judgement->verdict.correct()); // nobody knows the noise: 25 tolerances
    input.tensors[0].noise = {1.2e-7};
    judgement = judge.judge(input);
    ACCELOPT_VERIFY_OK(judgement);
    QCOMPARE(judgement->verdict.status, VerdictStatus::Wrong);
    QCOMPARE(judgement->verdict.reasons.front().rule, std::string("element_error"));
    QVERIFY(judgement->verdict.figures.at("relative_l2") < m_loaded->tolerance);
    input.task.elementLimit = 1e-4; // the task's own word counts more
    judgement = judge.judge(input);
    ACCELOPT_VERIFY_OK(judgement);
    QVERIFY(judgement->verdict.correct());
}

void tst_Judge::narrowValuesAreNotSinglePrecision()
{
    const std::string narrow = "nl.multiply(nl.copy(e, dtype=nl.bfloat16), b, dtype=nl.float32)";
    const auto judgement = judged(changed(kTinyKernel, "nl.multiply(e, b)", narrow));
    ACCELOPT_VERIFY_OK(judgement);
    QCOMPARE(judgement->verdict.status, VerdictStatus::Wrong);
    QCOMPARE(judgement->verdict.reasons.front().layer, std::string("structure"));
    QCOMPARE(judgement->verdict.reasons.front().rule, std::string("narrow_values"));
    QVERIFY(judgement->verdict.reasons.front().message.find("bfloat16") != std::string::npos);
    // Truth values may be kept as small as one likes.
    const std::string masked =
        "nl.multiply(nl.multiply(e, b), nl.greater_equal(b, 0.0, dtype=nl.bfloat16), "
        "dtype=nl.float32)";
    const auto right = judged(changed(kTinyKernel, "nl.multiply(e, b)", masked));
    ACCELOPT_VERIFY_OK(right);
    QVERIFY2(right->verdict.correct(), right->verdict.reasons.empty()
                                           ? "no reason"
                                           : right->verdict.reasons[0].message.c_str());
}

void tst_Judge::anInputBlockThatIsIgnoredIsNamed()
{
    // Row block i of y needs row block i of x; columns likewise.
    LearntDependence learnt;
    for (std::size_t argument = 0; argument < 2; ++argument)
        for (std::size_t axis = 0; axis < 2; ++axis) {
            LearntDependence::Axis one{argument, axis, 4, false, {}};
            LearntDependence::Reach reach{0, axis, {}};
            for (std::size_t from = 0; from < 4; ++from) {
                reach.reached.emplace_back(4, false);
                reach.reached.back()[from] = true;
            }
            one.reaches.push_back(reach);
            learnt.axes.push_back(one);
        }
    oracle::JudgeInput input;
    input.source = std::string(kTinyKernel);
    input.task = *m_loaded;
    input.task.dependence = learnt;
    input.tensors = {m_tensors};
    oracle::Judge judge(m_helper);
    auto judgement = judge.judge(input);
    ACCELOPT_VERIFY_OK(judgement);
    QVERIFY2(judgement->verdict.correct(), judgement->verdict.reasons.empty()
                                               ? "no reason"
                                               : judgement->verdict.reasons[0].message.c_str());

    input.source = changed(kTinyKernel, "nl.load(z[i * 128:(i + 1) * 128, 0:512])",
                           "nl.load(z[0:128, 0:512])");
    input.check = oracle::NumberCheck::None; // no number is needed to see it
    judgement = judge.judge(input);
    ACCELOPT_VERIFY_OK(judgement);
    QCOMPARE(judgement->verdict.status, VerdictStatus::Wrong);
    const Reason &reason = judgement->verdict.reasons.front();
    QCOMPARE(reason.layer, std::string("dependence"));
    QCOMPARE(reason.rule, std::string("input_ignored"));
    QVERIFY2(reason.message.find("y[128, 0] on ignores z[128:256, :]") != std::string::npos,
             reason.message.c_str());
    QVERIFY(reason.place.line > 0);

    // In the other layout the same elements have other indices.
    input.source = std::string(kTinyBlockKernel);
    judgement = judge.judge(input);
    ACCELOPT_VERIFY_OK(judgement);
    QVERIFY(judgement->verdict.correct());
}

void tst_Judge::aScalarThatIsNotReadIsNamed()
{
    oracle::JudgeInput input;
    input.task = *m_loaded;
    TaskArgument scale;
    scale.name = "scale";
    scale.scalar = true;
    scale.draw = Draw::Constant;
    scale.parameter = 8;
    input.task.arguments.push_back(scale);
    for (TaskLayout &layout : input.task.layouts)
        layout.arguments.emplace_back();
    input.check = oracle::NumberCheck::None;
    const std::string taken = changed(kTinyKernel, "def kernel(x, z)", "def kernel(x, z, scale)");
    oracle::Judge judge(m_helper);
    input.source = taken;
    auto judgement = judge.judge(input);
    ACCELOPT_VERIFY_OK(judgement);
    QCOMPARE(judgement->verdict.status, VerdictStatus::Wrong);
    QCOMPARE(judgement->verdict.reasons.front().rule, std::string("scalar_not_read"));
    input.source = changed(taken, "nl.multiply(a, 8.0)", "nl.multiply(a, scale)");
    judgement = judge.judge(input);
    ACCELOPT_VERIFY_OK(judgement);
    QVERIFY(judgement->verdict.correct());
}

void tst_Judge::onlyWhatIsWrongWithUsIsAnError()
{
    oracle::JudgeInput input;
    input.source = std::string(kTinyKernel);
    input.task = *m_loaded;
    input.tensors = {m_tensors};
    input.tensors[0].results[0] = m_task.path("missing.npy").string();
    oracle::Judge judge(m_helper);
    const auto judgement = judge.judge(input);
    QVERIFY(!judgement);
    QVERIFY(judgement.error().message.find("missing.npy") != std::string::npos);
}

void tst_Judge::aTooLongSourceIsRefused()
{
    std::string source(kTinyKernel);
    source.append(256 * 1024, '#');
    const auto judgement = judged(source);
    ACCELOPT_VERIFY_OK(judgement);
    QCOMPARE(judgement->verdict.status, VerdictStatus::NotCompiling);
    QCOMPARE(judgement->verdict.reasons.front().rule, std::string("source_too_long"));
}

ACCELOPT_TEST(tst_Judge)
#include "tst_Judge.moc"
