// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/PromptedRole.h"

#include "core/agents/PromptTemplate.h"
#include "tests/support/TestMain.h"

#include <algorithm>

using namespace accelopt;
using namespace accelopt::agents;

namespace {

/// Answers at once with what it was given.
class Echo : public Correspondent
{
public:
    void ask(Letter letter, Done done) override
    {
        letters.push_back(letter);
        done({text, reasoning, {1, 5, 0, 2, 0.1, 0}, "echo", "sent", "received"});
    }
    int callsAtOnce() const override { return 3; }
    void cancelAll() override { ++cancelled; }

    Result<std::string> text = std::string("Title: T\nDo it.");
    std::string reasoning;
    std::vector<Letter> letters;
    int cancelled = 0;
};

search::PlannerQuestion plannerQuestion()
{
    search::PlannerQuestion question;
    question.slot = {1, 0, 2};
    question.samples = 4;
    question.source = "def kernel(x):\n    return x\n";
    question.profile.device = "trn1";
    question.profile.latencyMs = 2.5;
    question.profile.bound = "memory";
    question.profile.percentOfPeak = 42.5;
    question.profile.counters["hbm_read_bytes"] = 1e6;
    question.profile.findings = {
        {"spill", "12 MB > 0", "too much is alive", "use smaller tiles", {7, 1, 7, 2}}};
    question.profile.lines = {{3, 10, 1e6, 0, 5e3}, {9, 10, 2e6, 0, 9e3}};
    ExperienceItem item;
    item.title = "Load once";
    item.strategy = "Keep it in SBUF.";
    item.before = "a = nl.load(x)\n";
    item.speedup = 1.25;
    question.experiences = {item, item, item};
    question.experiences[1].positive = false;
    search::PastAttempt past;
    past.planTitle = "Widen the tile";
    past.verdict = VerdictStatus::Wrong;
    question.past = {past};
    return question;
}

std::string allOf(const std::vector<PromptMessage> &messages)
{
    return readable(messages);
}

} // namespace

class tst_PromptedRole : public QObject
{
    Q_OBJECT

private slots:
    void fillsEverySlotOfEveryTemplate();
    void refusesASlotThatNothingFills();
    void tellsThePlannerWhatItNeeds();
    void tellsOnlyTheDetailsAskedFor();
    void keepsTheSamePrefixForCaches();
    void repairsOnTheCheckersOwnMessage();
    void readsTheThreeRolesAnswers();
    void takesKernelsButNeverLessonsFromThinking();
    void handsOnTheErrorOfTheService();
};

void tst_PromptedRole::fillsEverySlotOfEveryTemplate()
{
    Echo echo;
    PromptedRole role(&echo, "TASK WORDS", {});
    for (const auto &letter : {role.letter(CallId("a"), plannerQuestion()),
                               role.letter(CallId("b"), search::ExecutorQuestion{}),
                               role.letter(CallId("c"), search::SummarizerQuestion{})}) {
        ACCELOPT_VERIFY_OK(letter);
        const std::string text = allOf(letter->messages);
        QVERIFY(text.find("{{") == std::string::npos);
        QVERIFY(text.find("TASK WORDS") != std::string::npos);
        QVERIFY(text.find("SPDX") == std::string::npos);
        // Facts, glossary and guide stand before the role's own part.
        const std::size_t facts = text.find("# The machine and the language");
        const std::size_t guide = text.find("# Mistakes that cost most");
        const std::size_t part = text.find("# Your part");
        QVERIFY(facts < guide && guide < part && part != std::string::npos);
    }
}

void tst_PromptedRole::refusesASlotThatNothingFills()
{
    QVERIFY(!fillTemplate("a {{b}} c\n", {}, "t"));
    QVERIFY(!fillTemplate("a {{b c\n", {{"b c", ""}}, "t"));
    QVERIFY(!fillPrompt("no-such-prompt", {}));
    // A slot's text may look like a slot; it stays text.
    QCOMPARE(fillTemplate("{{a}}\n{{b}}\nx {{b}}\n", {{"a", "{{b}}"}, {"b", ""}}, "t").value_or(""),
             std::string("{{b}}\nx \n"));
}

void tst_PromptedRole::tellsThePlannerWhatItNeeds()
{
    Echo echo;
    PromptedRole role(&echo, "TASK", {});
    const auto letter = role.letter(CallId("a"), plannerQuestion());
    ACCELOPT_VERIFY_OK(letter);
    const std::string text = letter->messages.back().text;
    for (const char *part :
         {"def kernel(x)", "latency: 2.5 ms", "hbm_read_bytes: 1e+06", "roofline's peak: 42.5",
          "bound by: memory", "spill: 12 MB > 0", "(line 7)", "line 9: 9 us busy",
          "did help, 1.25x", "did harm, 1.25x", "Keep it in SBUF.", "a = nl.load(x)",
          "Widen the tile: wrong", "proposal 3 of 4"})
        QVERIFY2(text.find(part) != std::string::npos, part);
    // The busiest line comes first.
    QVERIFY(text.find("line 9: 9 us") < text.find("line 3: 5 us"));
    QVERIFY(allOf(letter->shorter).size() < allOf(letter->messages).size());
}

void tst_PromptedRole::tellsOnlyTheDetailsAskedFor()
{
    Echo echo;
    PromptedRole role(&echo, "TASK", {false, false, false});
    const auto letter = role.letter(CallId("a"), plannerQuestion());
    ACCELOPT_VERIFY_OK(letter);
    const std::string text = letter->messages.back().text;
    for (const char *part : {"roofline's peak", "bound by", "spill: 12", "us busy"})
        QVERIFY2(text.find(part) == std::string::npos, part);
    QVERIFY(text.find("latency: 2.5 ms") != std::string::npos);
}

void tst_PromptedRole::keepsTheSamePrefixForCaches()
{
    Echo echo;
    PromptedRole role(&echo, "TASK", {});
    search::PlannerQuestion one = plannerQuestion();
    search::PlannerQuestion other = one;
    other.slot = {7, 3, 0};
    other.source = "def kernel(y):\n    return y + 1\n";
    other.seed = 99;
    const std::string a = allOf(role.letter(CallId("i1.c0.p2.plan"), one)->messages);
    const std::string b = allOf(role.letter(CallId("i7.c3.p0.plan"), other)->messages);
    const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    const std::string shared(a.begin(), differ.first);
    // All that does not depend on the candidate: up to its first line.
    QVERIFY(shared.ends_with("def kernel("));
}

void tst_PromptedRole::repairsOnTheCheckersOwnMessage()
{
    Echo echo;
    PromptedRole role(&echo, "TASK", {});
    search::ExecutorQuestion question;
    question.source = "def kernel(x):\n    return x\n";
    question.repair = 1;
    question.previousAnswer = "def kernel(x):\n    return y\n";
    question.previousVerdict.status = VerdictStatus::NotCompiling;
    question.previousVerdict.reasons = {
        {"language", "err_name", "y is not defined", "define y first", {2, 12, 2, 13}}};
    const auto letter = role.letter(CallId("a"), question);
    ACCELOPT_VERIFY_OK(letter);
    QCOMPARE(letter->messages.size(), std::size_t(4));
    QCOMPARE(letter->messages[2].speaker, std::string("assistant"));
    QVERIFY(letter->messages[2].text.find("return y") != std::string::npos);
    for (const char *part : {"line 2: y is not defined", "err_name", "define y first"})
        QVERIFY2(letter->messages[3].text.find(part) != std::string::npos, part);
}

void tst_PromptedRole::readsTheThreeRolesAnswers()
{
    Echo echo;
    PromptedRole role(&echo, "TASK", {});
    QCOMPARE(role.callsAtOnce(), 3);
    int answered = 0;
    role.plan(CallId("a"), plannerQuestion(), [&](const auto &reply) {
        QCOMPARE(reply.answer->title, std::string("T"));
        QCOMPARE(reply.author, std::string("echo"));
        QCOMPARE(reply.prompt, std::string("sent"));
        QCOMPARE(reply.rawAnswer, std::string("received"));
        QCOMPARE(reply.usage.promptTokens, std::int64_t(5));
        ++answered;
    });
    echo.text = std::string("```python\nk\n```");
    role.write(CallId("b"), {}, [&](const auto &reply) {
        QCOMPARE(reply.answer->source, std::string("k\n"));
        ++answered;
    });
    echo.text = std::string("NO LESSON");
    role.summarize(CallId("c"), {}, [&](const auto &reply) {
        QVERIFY(reply.answer->declined);
        ++answered;
    });
    QCOMPARE(answered, 3);
    QCOMPARE(echo.letters[1].role, RoleName::Executor);
}

void tst_PromptedRole::takesKernelsButNeverLessonsFromThinking()
{
    Echo echo;
    PromptedRole role(&echo, "TASK", {});
    echo.text = std::string();
    echo.reasoning = "Title: T\nso\n```\nk\n```\n";
    role.write(CallId("b"), {}, [](const auto &reply) {
        ACCELOPT_VERIFY_OK(reply.answer);
        QCOMPARE(reply.answer->source, std::string("k\n"));
    });
    bool told = false;
    role.summarize(CallId("c"), {}, [&](const auto &reply) {
        QVERIFY(!reply.answer);
        QCOMPARE(reply.usage.calls, std::int64_t(1)); // paid all the same
        told = true;
    });
    QVERIFY(told);
}

void tst_PromptedRole::handsOnTheErrorOfTheService()
{
    Echo echo;
    {
        PromptedRole role(&echo, "TASK", {});
        echo.text = fail(ErrorCode::Environment, "down");
        role.plan(CallId("a"), plannerQuestion(), [](const auto &reply) {
            QVERIFY(!reply.answer);
            QVERIFY(reply.answer.error().code == ErrorCode::Environment);
        });
    }
    QCOMPARE(echo.cancelled, 1); // nobody is left to hear an answer
}

ACCELOPT_TEST(tst_PromptedRole)
#include "tst_PromptedRole.moc"
