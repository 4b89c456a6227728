// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/agents/Directive.h"
#include "core/agents/OfflineAgent.h"
#include "core/nki/syntax/Lexer.h"

#include <algorithm>
#include <set>

using namespace accelopt;
using namespace accelopt::agents;

namespace {

const std::string kKernel = R"(import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    tile = 512
    y = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 128):
        for j in nl.affine_range(columns // tile):
            a = nl.load(x[i * 128:(i + 1) * 128, j * tile:(j + 1) * tile])
            b = nl.multiply(a, 0.5)
            c = nl.exp(b)
            d = nl.multiply(a, 0.25)
            e = nl.add(d, c)
            f = nl.multiply(c, 0.125)
            g = nl.add(f, e)
            nl.store(y[i * 128:(i + 1) * 128, j * tile:(j + 1) * tile], value=g)
    return y
)";

search::PlannerQuestion questionAbout(const std::string &source, int sample = 0)
{
    search::PlannerQuestion question;
    question.slot.plan = sample;
    question.samples = 4;
    question.source = source;
    question.candidate = nki::kernelIdentity(source);
    question.profile.latencyMs = 1;
    return question;
}

std::string rewriteIn(const search::PlannerAnswer &answer)
{
    return joinedNames(namesIn(answer.directive));
}

search::ExecutorQuestion executorQuestion(const std::string &source,
                                          const search::PlannerAnswer &answer)
{
    search::ExecutorQuestion question;
    question.source = source;
    question.candidate = nki::kernelIdentity(source);
    question.plan.title = answer.title;
    question.plan.text = answer.text;
    question.plan.directive = answer.directive;
    return question;
}

} // namespace

class tst_OfflineAgent : public QObject
{
    Q_OBJECT

private slots:
    void everySampleIsAnotherPlan();
    void theSameQuestionHasTheSameAnswer();
    void plansCanBeCarriedOut();
    void whatWasTriedOnTheCandidateIsNotTriedAgain();
    void whatFailedElsewhereIsNotTriedAgain();
    void experienceChangesTheOrder();
    void nothingLeftIsAClearError();
    void whatWasTriedIsToldWhenNothingIsLeft();
    void twoCandidatesAreNotLedToTheSameKernel();
    void aKernelThatTheRunKnowsIsNotWrittenAgain();
    void aChainIsItsStepsOneAfterTheOther();
    void everywhereLeavesNoPlaceBehind();
    void aPlanInProseIsMatched();
    void aPlanNobodyUnderstandsIsAClearError_data();
    void aPlanNobodyUnderstandsIsAClearError();
    void aKernelThatDoesNotParseIsAClearError();
    void repairIsRefused();
    void furtherAttemptsAreOtherKernels();
    void furtherAttemptsOfASettingAreOtherNumbers();
    void aPlanInProseHasFurtherPlaces();
    void theSummaryTellsWhatMoved();
    void theSummaryOfANegativePairWarns();
    void equalKernelsGiveNoLesson();
    void theRolesAnswerAtOnce();
    void theTaskTellsTheShapes();
};

void tst_OfflineAgent::everySampleIsAnotherPlan()
{
    OfflineAgent agent(rewrite::ModelContext{{{{4096, 2048}}}, {}});
    std::set<std::string> directives;
    std::set<std::string> titles;
    for (int sample = 0; sample < 5; ++sample) {
        const auto answer = agent.choosePlan(questionAbout(kKernel, sample));
        ACCELOPT_VERIFY_OK(answer);
        QVERIFY(directives.insert(answer->directive).second);
        titles.insert(answer->title);
        QVERIFY(!answer->text.empty());
    }
    QVERIFY(titles.size() >= 4);
}

void tst_OfflineAgent::theSameQuestionHasTheSameAnswer()
{
    OfflineAgent first;
    OfflineAgent second;
    (void)first.choosePlan(questionAbout("def kernel(x):\n    return x\n"));
    const auto a = first.choosePlan(questionAbout(kKernel, 1));
    const auto b = second.choosePlan(questionAbout(kKernel, 1));
    ACCELOPT_VERIFY_OK(a);
    ACCELOPT_VERIFY_OK(b);
    QCOMPARE(a->directive, b->directive);
    QCOMPARE(a->text, b->text);
}

void tst_OfflineAgent::plansCanBeCarriedOut()
{
    OfflineAgent agent(rewrite::ModelContext{{{{4096, 2048}}}, {}});
    int carriedOut = 0;
    for (int sample = 0; sample < 40; ++sample) {
        const auto plan = agent.choosePlan(questionAbout(kKernel, sample));
        if (!plan)
            break;
        const auto kernel = agent.carryOut(executorQuestion(kKernel, *plan));
        ACCELOPT_VERIFY_OK(kernel);
        QVERIFY(nki::kernelIdentity(kernel->source) != nki::kernelIdentity(kKernel));
        ++carriedOut;
    }
    QVERIFY(carriedOut >= 6);
}

void tst_OfflineAgent::whatWasTriedOnTheCandidateIsNotTriedAgain()
{
    OfflineAgent agent(rewrite::ModelContext{{{{4096, 2048}}}, {}});
    search::PlannerQuestion question = questionAbout(kKernel);
    std::set<std::string> seen;
    for (int round = 0; round < 100; ++round) {
        const auto answer = agent.choosePlan(question);
        if (!answer)
            break;
        QVERIFY2(seen.insert(answer->directive).second, answer->directive.c_str());
        question.past.push_back({question.candidate, answer->title, answer->directive,
                                 VerdictStatus::Correct, 1.1, false, 0, KernelId(answer->title)});
    }
    QVERIFY(seen.size() >= 6);
    QVERIFY(!agent.choosePlan(question).has_value());
}

void tst_OfflineAgent::whatFailedElsewhereIsNotTriedAgain()
{
    OfflineAgent agent;
    search::PlannerQuestion question = questionAbout(kKernel);
    const auto best = agent.choosePlan(question);
    ACCELOPT_VERIFY_OK(best);
    question.past.push_back(
        {KernelId("another"), best->title, best->directive, VerdictStatus::Wrong, 0, false, 0, {}});
    const auto next = agent.choosePlan(question);
    ACCELOPT_VERIFY_OK(next);
    QVERIFY(next->title != best->title);
}

void tst_OfflineAgent::experienceChangesTheOrder()
{
    OfflineAgent agent;
    // The first sample with this rewrite alone.
    const auto rank = [&](const std::vector<ExperienceItem> &experiences) {
        for (int sample = 0; sample < 40; ++sample) {
            search::PlannerQuestion question = questionAbout(kKernel, sample);
            question.experiences = experiences;
            const auto answer = agent.choosePlan(question);
            if (!answer)
                break;
            if (rewriteIn(*answer) == "join-scalar-and-tensor")
                return sample;
        }
        return -1;
    };
    ExperienceItem lesson;
    lesson.tags["rewrite"] = "join-scalar-and-tensor";
    const int plain = rank({});
    QVERIFY(plain > 0);
    lesson.positive = true;
    const int praised = rank(std::vector(6, lesson));
    lesson.positive = false;
    const int warned = rank(std::vector(6, lesson));
    QVERIFY(praised >= 0 && praised <= plain);
    QVERIFY2(warned > plain, std::to_string(warned).c_str());
}

void tst_OfflineAgent::nothingLeftIsAClearError()
{
    OfflineAgent agent;
    const auto answer = agent.choosePlan(questionAbout("def kernel(x):\n    return x\n"));
    QVERIFY(!answer.has_value());
    QCOMPARE(answer.error().code, ErrorCode::NotGood);
    QVERIFY(answer.error().message.find("no rewrite and no setting is left") != std::string::npos);
}

void tst_OfflineAgent::whatWasTriedIsToldWhenNothingIsLeft()
{
    OfflineAgent agent;
    search::PlannerQuestion question = questionAbout("def kernel(x):\n    return x\n");
    question.profile.bound = "memory";
    question.profile.percentOfPeak = 63.2;
    question.past.push_back({KernelId("parent"), "Widen it",
                             R"({"rewrite": "widen-tile", "parameters": {}})",
                             VerdictStatus::Correct, 1.25, false, 0, KernelId("wide")});
    const auto answer = agent.choosePlan(question);
    QVERIFY(!answer.has_value());
    QCOMPARE(answer.error().message,
             std::string("no rewrite and no setting is left to try for this kernel after 1 plan on "
                         "it and its relatives: widen-tile once (best 1.25x); it is bound by "
                         "memory at 63 % of peak"));
}

void tst_OfflineAgent::twoCandidatesAreNotLedToTheSameKernel()
{
    // One of two independent changes was made in each candidate; the other one leads both to the
    // same kernel.
    OfflineAgent agent;
    const auto only = [&](const std::string &title) {
        search::PlannerAnswer plan;
        plan.text = title;
        const auto kernel = agent.carryOut(executorQuestion(kKernel, plan));
        return kernel ? kernel->source : std::string();
    };
    const std::string first = only("fold-into-activation for c");
    const std::string second = only("join-scalar-and-tensor for g");
    QVERIFY(!first.empty() && !second.empty() && first != second);
    const auto kernelsOf = [&](search::PlannerQuestion question, int samples) {
        std::set<KernelId> kernels;
        for (int sample = 0; sample < samples; ++sample) {
            question.slot.plan = sample;
            const auto plan = agent.choosePlan(question);
            if (!plan)
                break;
            const auto kernel = agent.carryOut(executorQuestion(question.source, *plan));
            if (kernel)
                kernels.insert(nki::kernelIdentity(kernel->source));
        }
        return kernels;
    };
    search::PlannerQuestion one = questionAbout(first);
    one.samples = 12;
    const std::set<KernelId> before = kernelsOf(one, 12);
    const auto shared = [&](const std::set<KernelId> &others) {
        return std::count_if(others.begin(), others.end(),
                             [&](const KernelId &id) { return before.contains(id); });
    };
    search::PlannerQuestion other = questionAbout(second);
    other.samples = 12;
    QVERIFY(shared(kernelsOf(other, 12)) > 0);
    other.before.push_back({one.candidate, one.source, one.profile, {}});
    const std::set<KernelId> after = kernelsOf(other, 12);
    QVERIFY(!after.empty());
    QCOMPARE(shared(after), std::ptrdiff_t(0));
}

void tst_OfflineAgent::aKernelThatTheRunKnowsIsNotWrittenAgain()
{
    OfflineAgent agent;
    search::PlannerQuestion question = questionAbout(kKernel);
    for (int round = 0; round < 8; ++round) {
        const auto plan = agent.choosePlan(question);
        if (!plan)
            break;
        const auto kernel = agent.carryOut(executorQuestion(kKernel, *plan));
        ACCELOPT_VERIFY_OK(kernel);
        const KernelId id = nki::kernelIdentity(kernel->source);
        QVERIFY2(std::find(question.known.begin(), question.known.end(), id) ==
                     question.known.end(),
                 plan->title.c_str());
        question.known.push_back(id);
    }
    QVERIFY(question.known.size() >= 6);
}

void tst_OfflineAgent::aChainIsItsStepsOneAfterTheOther()
{
    OfflineAgent agent(rewrite::ModelContext{{{{4096, 2048}}}, {}});
    for (int sample = 0; sample < 8; ++sample) {
        const auto plan = agent.choosePlan(questionAbout(kKernel, sample));
        ACCELOPT_VERIFY_OK(plan);
        const auto steps = stepsOf(plan->directive);
        ACCELOPT_VERIFY_OK(steps);
        if (steps->size() < 2)
            continue;
        QVERIFY2(plan->title.find("; then ") != std::string::npos, plan->title.c_str());
        QVERIFY(plan->text.find(" Then: ") != std::string::npos);
        // The steps one by one come to the same kernel as the plan.
        std::string source = kKernel;
        for (const Step &step : *steps) {
            search::PlannerAnswer part;
            part.directive = directiveOf({step});
            const auto kernel = agent.carryOut(executorQuestion(source, part));
            ACCELOPT_VERIFY_OK(kernel);
            source = kernel->source;
        }
        const auto whole = agent.carryOut(executorQuestion(kKernel, *plan));
        ACCELOPT_VERIFY_OK(whole);
        QCOMPARE(whole->source, source);
        return;
    }
    QFAIL("no plan with several steps among the first eight");
}

void tst_OfflineAgent::everywhereLeavesNoPlaceBehind()
{
    OfflineAgent agent;
    search::PlannerAnswer plan;
    plan.directive =
        R"({"rewrite": "join-scalar-and-tensor", "everywhere": true, "busy_ms": [0, 1, 5, 1]})";
    const auto kernel = agent.carryOut(executorQuestion(kKernel, plan));
    ACCELOPT_VERIFY_OK(kernel);
    const std::string joined = "nisa.scalar_tensor_tensor(";
    const std::size_t first = kernel->source.find(joined);
    QVERIFY(first != std::string::npos);
    QVERIFY(kernel->source.find(joined, first + 1) != std::string::npos);
    QVERIFY(!agent.carryOut(executorQuestion(kernel->source, plan)).has_value());
    QVERIFY(kernel->source.find("nl.add(") == std::string::npos);
}

void tst_OfflineAgent::aPlanInProseIsMatched()
{
    OfflineAgent agent;
    search::PlannerAnswer plan;
    plan.text = "The product b is only needed by exp: fold the scale into the activation.";
    const auto kernel = agent.carryOut(executorQuestion(kKernel, plan));
    ACCELOPT_VERIFY_OK(kernel);
    QVERIFY2(kernel->source.find("c = nisa.activation(op=nl.exp, data=a, scale=0.5)") !=
                 std::string::npos,
             kernel->source.c_str());
}

void tst_OfflineAgent::aPlanNobodyUnderstandsIsAClearError_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("directive");
    QTest::addColumn<std::string>("words");
    QTest::newRow("prose about something else") << std::string("Use more cowbell.") << std::string()
                                                << std::string("does not understand this plan");
    QTest::newRow("a rewrite that applies nowhere")
        << std::string("Use silu here.") << std::string() << std::string("applies nowhere");
    QTest::newRow("a directive of somebody else")
        << std::string() << std::string(R"({"tool": "other"})")
        << std::string("not one of the offline agent's");
    QTest::newRow("an unknown rewrite")
        << std::string() << std::string(R"({"rewrite": "magic", "parameters": {}})")
        << std::string("no rewrite named magic");
    QTest::newRow("a place that does not exist")
        << std::string()
        << std::string(R"({"rewrite": "combine-scalars", "parameters": {"statement": 999}})")
        << std::string("does not apply there");
    QTest::newRow("a directive that is not JSON")
        << std::string() << std::string("{{{") << std::string("not one of the offline agent's");
    QTest::newRow("everywhere without figures")
        << std::string() << std::string(R"({"rewrite": "combine-scalars", "everywhere": true})")
        << std::string("how busy the engines are");
}

void tst_OfflineAgent::aPlanNobodyUnderstandsIsAClearError()
{
    QFETCH(const std::string, text);
    QFETCH(const std::string, directive);
    QFETCH(const std::string, words);
    OfflineAgent agent;
    search::PlannerAnswer plan;
    plan.text = text;
    plan.directive = directive;
    const auto kernel = agent.carryOut(executorQuestion(kKernel, plan));
    QVERIFY(!kernel.has_value());
    QVERIFY2(kernel.error().message.find(words) != std::string::npos,
             kernel.error().message.c_str());
}

void tst_OfflineAgent::aKernelThatDoesNotParseIsAClearError()
{
    OfflineAgent agent;
    const auto answer = agent.choosePlan(questionAbout("def kernel(x:\n"));
    QVERIFY(!answer.has_value());
    QVERIFY(answer.error().message.find("cannot be parsed (line 1") != std::string::npos);
}

void tst_OfflineAgent::repairIsRefused()
{
    OfflineAgent agent;
    const auto plan = agent.choosePlan(questionAbout(kKernel));
    ACCELOPT_VERIFY_OK(plan);
    search::ExecutorQuestion question = executorQuestion(kKernel, *plan);
    question.repair = 1;
    QVERIFY(!agent.carryOut(question).has_value());
}

void tst_OfflineAgent::furtherAttemptsAreOtherKernels()
{
    OfflineAgent agent(rewrite::ModelContext{{{{4096, 2048}}}, {}});
    int several = 0;
    for (int sample = 0; sample < 6; ++sample) {
        const auto plan = agent.choosePlan(questionAbout(kKernel, sample));
        if (!plan)
            break;
        search::ExecutorQuestion question = executorQuestion(kKernel, *plan);
        std::set<KernelId> written{question.candidate};
        int ways = 0;
        for (; ways < 100; ++ways) {
            question.slot.attempt = ways;
            const auto kernel = agent.carryOut(question);
            if (!kernel) {
                QCOMPARE(kernel.error().code, ErrorCode::NotGood);
                break;
            }
            QVERIFY2(written.insert(nki::kernelIdentity(kernel->source)).second,
                     plan->title.c_str());
            QCOMPARE(agent.carryOut(question)->source, kernel->source);
        }
        QVERIFY(ways >= 1 && ways < 100);
        several += ways > 1 ? 1 : 0;
    }
    QVERIFY(several >= 1);
}

void tst_OfflineAgent::furtherAttemptsOfASettingAreOtherNumbers()
{
    OfflineAgent agent(rewrite::ModelContext{{{{4096, 2048}}}, {}});
    search::ExecutorQuestion question;
    question.source = kKernel;
    question.plan.directive = R"({"tune":{"constant":"tile","from":512,"value":1024}})";
    const auto number = [&](int attempt) {
        question.slot.attempt = attempt;
        const auto kernel = agent.carryOut(question);
        if (!kernel)
            return std::string("none");
        const std::size_t at = kernel->source.find("tile = ") + 7;
        return kernel->source.substr(at, kernel->source.find('\n', at) - at);
    };
    QCOMPARE(number(0), std::string("1024"));
    // The other larger one before the smaller ones.
    QCOMPARE(number(1), std::string("2048"));
    QCOMPARE(number(2), std::string("256"));
    QCOMPARE(number(50), std::string("none"));
}

void tst_OfflineAgent::aPlanInProseHasFurtherPlaces()
{
    OfflineAgent agent(rewrite::ModelContext{{{{4096, 2048}}}, {}});
    search::ExecutorQuestion question;
    question.source = kKernel;
    question.plan.title = "Use widen-tile";
    question.plan.text = "Make the tiles wider.";
    const auto first = agent.carryOut(question);
    ACCELOPT_VERIFY_OK(first);
    question.slot.attempt = 1;
    const auto second = agent.carryOut(question);
    ACCELOPT_VERIFY_OK(second);
    QVERIFY(nki::kernelIdentity(first->source) != nki::kernelIdentity(second->source));
}

void tst_OfflineAgent::theSummaryTellsWhatMoved()
{
    search::SummarizerQuestion question;
    question.slowSource = "a = 1\nb = nl.multiply(x, 2.0)\nc = nl.exp(b)\n";
    question.fastSource = "a = 1\nc = nisa.activation(op=nl.exp, data=x, scale=2.0)\n";
    question.slowProfile.latencyMs = 1.5;
    question.fastProfile.latencyMs = 1.2;
    question.slowProfile.bound = "vector";
    question.slowProfile.counters = {{"vector_engine_active_time_percent", 0.9},
                                     {"hbm_read_bytes", 1e6}};
    question.fastProfile.counters = {{"vector_engine_active_time_percent", 0.5},
                                     {"hbm_read_bytes", 1e6}};
    question.speedup = 1.25;
    question.plan.title = "Fold b into the scale of nl.exp";
    question.plan.directive = R"({"rewrite": "fold-into-activation", "parameters": {}})";
    const search::SummarizerAnswer answer = OfflineAgent::distil(question);
    QVERIFY(!answer.declined);
    QCOMPARE(answer.title, question.plan.title);
    QCOMPARE(answer.before, std::string("b = nl.multiply(x, 2.0)\nc = nl.exp(b)\n"));
    QCOMPARE(answer.after, std::string("c = nisa.activation(op=nl.exp, data=x, scale=2.0)\n"));
    QVERIFY(answer.strategy.find("vector_engine_active_time_percent 0.9 -> 0.5") !=
            std::string::npos);
    QVERIFY(answer.strategy.find("hbm_read_bytes") == std::string::npos);
    QVERIFY(answer.strategy.find("1.5 ms") != std::string::npos);
    QCOMPARE(answer.tags.at("rewrite"), std::string("fold-into-activation"));
    QCOMPARE(answer.tags.at("bound"), std::string("vector"));
}

void tst_OfflineAgent::theSummaryOfANegativePairWarns()
{
    search::SummarizerQuestion question;
    question.positive = false;
    question.slowSource = "a = nl.square(x)\n";
    question.fastSource = "a = nl.multiply(x, x)\n";
    question.plan.title = "Compute a on the scalar engine";
    question.plan.directive = R"({"rewrite": "balance-engines", "parameters": {}})";
    const search::SummarizerAnswer answer = OfflineAgent::distil(question);
    QCOMPARE(answer.title, std::string("Avoid: Compute a on the scalar engine"));
    QVERIFY(answer.strategy.find("did not pay here") != std::string::npos);
    QCOMPARE(answer.before, question.slowSource);
}

void tst_OfflineAgent::equalKernelsGiveNoLesson()
{
    search::SummarizerQuestion question;
    question.slowSource = "a = 1  # slow\n";
    question.fastSource = "a = 1\n";
    QVERIFY(OfflineAgent::distil(question).declined);
}

void tst_OfflineAgent::theRolesAnswerAtOnce()
{
    OfflineAgent agent;
    search::Role &role = agent;
    int answers = 0;
    search::PlannerAnswer chosen;
    role.plan(CallId("p"), questionAbout(kKernel),
              [&](search::RoleReply<search::PlannerAnswer> reply) {
                  ++answers;
                  ACCELOPT_VERIFY_OK(reply.answer);
                  QCOMPARE(reply.author, std::string("offline"));
                  QCOMPARE(reply.usage.calls, std::int64_t(1));
                  QCOMPARE(reply.usage.unpricedCalls, std::int64_t(0));
                  chosen = *reply.answer;
              });
    role.write(CallId("w"), executorQuestion(kKernel, chosen),
               [&](search::RoleReply<search::ExecutorAnswer> reply) {
                   ++answers;
                   ACCELOPT_VERIFY_OK(reply.answer);
               });
    role.summarize(CallId("s"), {}, [&](search::RoleReply<search::SummarizerAnswer> reply) {
        ++answers;
        ACCELOPT_VERIFY_OK(reply.answer);
    });
    QCOMPARE(answers, 3);
}

void tst_OfflineAgent::theTaskTellsTheShapes()
{
    Task task;
    task.arguments.push_back({"x", false, {4096, 2048}, "float32", Draw::Normal, 1});
    task.arguments.push_back({"eps", true, {}, "float32", Draw::Constant, 1e-5});
    const rewrite::ModelContext plain = modelContextOf(task);
    QCOMPARE(plain.layouts.size(), std::size_t(1));
    QCOMPARE(plain.layouts[0], (std::vector<Shape>{{4096, 2048}, {}}));
    task.layouts.push_back({"blocks", {{128, 32, 2048}, {}}, {}});
    QCOMPARE(modelContextOf(task).layouts[0][0], (Shape{128, 32, 2048}));
    // With the shapes known there is one more idea: wider tiles.
    OfflineAgent without;
    const auto widens = [](OfflineAgent &agent) {
        for (int sample = 0; sample < 40; ++sample) {
            const auto answer = agent.choosePlan(questionAbout(kKernel, sample));
            if (!answer)
                return false;
            if (rewriteIn(*answer) == "widen-tile")
                return true;
        }
        return false;
    };
    QVERIFY(!widens(without));
    task.arguments.pop_back();
    task.layouts.clear();
    OfflineAgent fitting(modelContextOf(task));
    QVERIFY(widens(fitting));
}

ACCELOPT_TEST(tst_OfflineAgent)
#include "tst_OfflineAgent.moc"
