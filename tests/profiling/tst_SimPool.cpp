// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/SimPool.h"

#include "core/profiling/ReferenceMaker.h"
#include "tests/oracle/TinyTask.h"
#include "tests/support/TestMain.h"

#include <QFile>
#include <csignal>
#include <memory>
#include <optional>

using namespace accelopt;
using namespace accelopt::profiling;
using tests::changed;
using tests::kTinyKernel;

class tst_SimPool : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void cleanup();
    void judgesARightKernel();
    void searchAndConfirmationDrawDifferentInputs();
    void suitesAreJudgedWhereTheyAreNotTooLarge();
    void eachAnswerBelongsToItsQuestion();
    void aKernelThatDoesNotEndGetsAVerdict();
    void aWorkerKilledInFlightIsReplaced();
    void aKernelThatKillsTwoWorkersGetsAVerdict();
    void whoStandsBehindACrashIsNotHarmed();
    void aMemoryBlowUpIsAVerdict();
    void oddSources_data();
    void oddSources();
    void cancelledQuestionsAreNotAnswered();
    void aMissingSimulatorIsAnErrorWithAHint();
    void aProgramThatIsNoSimulatorIsAnError();
    void aFailingReferenceIsAnErrorAndAskedAgainNextTime();
    void answersMayDeleteThePool();
    void workersDieWithThePool();

private:
    using Answer = std::optional<Result<search::JudgeAnswer>>;

    void makePool(int workers, const ChildLimits &limits = {}, const QString &program = {});
    void judge(const std::string &source, Answer &answer,
               JudgePurpose purpose = JudgePurpose::Search);
    /// A kernel whose numbers take more than a minute to compute, within the tracer's own limits.
    static std::string endless();

    tests::TinyTask m_task;
    std::optional<Task> m_loaded;
    QTemporaryDir m_cacheFolder;
    std::unique_ptr<ReferenceMaker> m_references;
    std::unique_ptr<SimPool> m_pool;
};

namespace {

bool alive(qint64 processId)
{
    QFile stat(QStringLiteral("/proc/%1/stat").arg(processId));
    return stat.open(QIODevice::ReadOnly) && !stat.readAll().contains(") Z");
}

std::string firstReason(const Verdict &verdict)
{
    return verdict.reasons.empty() ? std::string("no reason") : verdict.reasons.front().message;
}

} // namespace

void tst_SimPool::initTestCase()
{
    const auto task = m_task.load();
    ACCELOPT_VERIFY_OK(task);
    m_loaded = *task;
}

void tst_SimPool::init()
{
    auto cache = bench::TensorCache::open(m_cacheFolder.path().toStdString());
    ACCELOPT_VERIFY_OK(cache);
    m_references = std::make_unique<ReferenceMaker>(*cache);
}

void tst_SimPool::cleanup()
{
    m_pool.reset();
    m_references.reset();
}

void tst_SimPool::makePool(int workers, const ChildLimits &limits, const QString &program)
{
    SimPoolOptions options;
    options.task = *m_loaded;
    options.workers = workers;
    options.limits = limits;
    options.program = program;
    m_pool = std::make_unique<SimPool>(options, m_references.get());
}

void tst_SimPool::judge(const std::string &source, Answer &answer, JudgePurpose purpose)
{
    search::JudgeQuestion question;
    question.kernel = KernelId("k");
    question.source = source;
    question.purpose = purpose;
    question.seed = 1;
    m_pool->judge(question,
                  [&answer](Result<search::JudgeAnswer> got) { answer = std::move(got); });
}

std::string tst_SimPool::endless()
{
    return changed(kTinyKernel, "    return y",
                   "    w = nl.load(x[0:128, 0:512])\n"
                   "    for p in nl.static_range(1000000):\n"
                   "        w = nl.exp(w)\n"
                   "    nl.store(y[0:128, 0:512], value=w)\n"
                   "    return y");
}

void tst_SimPool::judgesARightKernel()
{
    makePool(2);
    QCOMPARE(m_pool->kernelsAtOnce(), 4);
    QVERIFY(m_pool->workerProcessIds().empty()); // nothing is started before it is needed
    Answer answer;
    judge(std::string(kTinyKernel), answer);
    QVERIFY(!answer);
    QTRY_VERIFY_WITH_TIMEOUT(answer.has_value(), 60000);
    ACCELOPT_VERIFY_OK(*answer);
    QVERIFY2((*answer)->verdict.correct(), firstReason((*answer)->verdict).c_str());
    QCOMPARE((*answer)->verdict.figures.at("seeds"), 1.0);
    QVERIFY((*answer)->profile.latencyMs > 0);
    QCOMPARE((*answer)->profile.device, std::string("trn1"));
    QVERIFY(!(*answer)->profile.lines.empty());
}

void tst_SimPool::searchAndConfirmationDrawDifferentInputs()
{
    makePool(1);
    Answer search;
    Answer again;
    Answer confirmation;
    judge(std::string(kTinyKernel), search);
    judge(std::string(kTinyKernel), again);
    judge(std::string(kTinyKernel), confirmation, JudgePurpose::Confirmation);
    QTRY_VERIFY_WITH_TIMEOUT(search && again && confirmation, 60000);
    ACCELOPT_VERIFY_OK(*search);
    ACCELOPT_VERIFY_OK(*again);
    ACCELOPT_VERIFY_OK(*confirmation);
    QVERIFY((*search)->verdict == (*again)->verdict);
    QVERIFY((*search)->profile == (*again)->profile);
    // The rounding errors of other inputs are others; the profile does not depend on inputs.
    QVERIFY((*search)->verdict.figures.at("relative_l2") !=
            (*confirmation)->verdict.figures.at("relative_l2"));
    QVERIFY((*search)->profile == (*confirmation)->profile);
}

void tst_SimPool::suitesAreJudgedWhereTheyAreNotTooLarge()
{
    // Right for the inputs as drawn, whose z is never negative; wrong for the suite's.
    const std::string cheat =
        changed(kTinyKernel, "value=nl.multiply(e, b)", "value=nl.multiply(e, nl.abs(b))");
    tests::TinyTask withSuite;
    withSuite.write("task.json",
                    changed(tests::kTinyTask, "\"tolerance\"",
                            R"("suites": [{"name": "negative", "why": "a test", "edits": [
                                {"argument": "z", "multiply": -1}]}], "tolerance")"));
    const auto task = withSuite.load();
    ACCELOPT_VERIFY_OK(task);
    for (const std::int64_t bytes : {std::int64_t(0), std::int64_t(1) << 30}) {
        SimPoolOptions options;
        options.task = *task;
        options.workers = 1;
        options.searchSuiteBytes = bytes;
        m_pool = std::make_unique<SimPool>(options, m_references.get());
        Answer search;
        Answer confirmation;
        judge(cheat, search);
        judge(cheat, confirmation, JudgePurpose::Confirmation);
        QTRY_VERIFY_WITH_TIMEOUT(search && confirmation, 60000);
        ACCELOPT_VERIFY_OK(*search);
        ACCELOPT_VERIFY_OK(*confirmation);
        QCOMPARE((*search)->verdict.correct(), bytes == 0);
        QCOMPARE((*confirmation)->verdict.status, VerdictStatus::Wrong);
        QVERIFY2(firstReason((*confirmation)->verdict).find("\"negative\"") != std::string::npos,
                 firstReason((*confirmation)->verdict).c_str());
    }
}

void tst_SimPool::eachAnswerBelongsToItsQuestion()
{
    makePool(2);
    constexpr int kKernels = 40;
    std::vector<Answer> answers(kKernels);
    for (int i = 0; i < kKernels; ++i)
        judge(i % 3 == 0
                  ? std::string(kTinyKernel)
                  : changed(kTinyKernel, "nl.exp(", "nl.no_such_thing_" + std::to_string(i) + "("),
              answers[std::size_t(i)]);
    QTRY_VERIFY_WITH_TIMEOUT(std::all_of(answers.begin(), answers.end(),
                                         [](const Answer &answer) { return answer.has_value(); }),
                             100000);
    for (int i = 0; i < kKernels; ++i) {
        const Answer &answer = answers[std::size_t(i)];
        ACCELOPT_VERIFY_OK(*answer);
        if (i % 3 == 0) {
            QVERIFY2((*answer)->verdict.correct(), firstReason((*answer)->verdict).c_str());
        } else {
            const std::string named = "no_such_thing_" + std::to_string(i);
            QVERIFY2(firstReason((*answer)->verdict).find(named) != std::string::npos,
                     firstReason((*answer)->verdict).c_str());
        }
    }
    QCOMPARE(m_pool->workerProcessIds().size(), std::size_t(2));
}

void tst_SimPool::aKernelThatDoesNotEndGetsAVerdict()
{
    ChildLimits limits;
    limits.cpuSeconds = 1;
    makePool(1, limits);
    Answer endlessAnswer;
    Answer behind;
    judge(endless(), endlessAnswer);
    judge(std::string(kTinyKernel), behind);
    QTRY_VERIFY_WITH_TIMEOUT(endlessAnswer && behind, 60000);
    ACCELOPT_VERIFY_OK(*endlessAnswer);
    QCOMPARE((*endlessAnswer)->verdict.status, VerdictStatus::RunFailed);
    QCOMPARE((*endlessAnswer)->verdict.reasons.front().rule, std::string("time_limit"));
    QVERIFY(firstReason((*endlessAnswer)->verdict).find("1 s of CPU") != std::string::npos);
    ACCELOPT_VERIFY_OK(*behind);
    QVERIFY((*behind)->verdict.correct());
}

void tst_SimPool::aWorkerKilledInFlightIsReplaced()
{
    makePool(1);
    Answer first;
    judge(std::string(kTinyKernel), first);
    QTRY_VERIFY_WITH_TIMEOUT(first.has_value(), 60000);
    const qint64 worker = m_pool->workerProcessIds().front();
    // Stopped first, so that it cannot answer before it is killed.
    QCOMPARE(::kill(pid_t(worker), SIGSTOP), 0);
    Answer second;
    judge(std::string(kTinyKernel), second);
    for (int i = 0; i < 10; ++i)
        QCoreApplication::processEvents();
    QVERIFY(!second);
    QCOMPARE(::kill(pid_t(worker), SIGKILL), 0);
    QTRY_VERIFY_WITH_TIMEOUT(second.has_value(), 60000);
    ACCELOPT_VERIFY_OK(*second);
    QVERIFY((*second)->verdict.correct());
    QVERIFY(m_pool->workerProcessIds().front() != worker);
}

void tst_SimPool::aKernelThatKillsTwoWorkersGetsAVerdict()
{
    makePool(1);
    Answer answer;
    judge(endless(), answer);
    qint64 killed = 0;
    for (int i = 0; i < 2; ++i) {
        // Busy for longer than the self-test takes: the kernel is at work.
        const auto busyWorker = [&]() -> qint64 {
            for (const qint64 id : m_pool->workerProcessIds())
                if (id != killed && alive(id) && cpuSecondsOf(id) > 0.5)
                    return id;
            return 0;
        };
        QTRY_VERIFY_WITH_TIMEOUT(busyWorker() > 0, 60000);
        QVERIFY(!answer);
        killed = busyWorker();
        QCOMPARE(::kill(pid_t(killed), SIGSEGV), 0);
    }
    QTRY_VERIFY_WITH_TIMEOUT(answer.has_value(), 60000);
    ACCELOPT_VERIFY_OK(*answer);
    QCOMPARE((*answer)->verdict.status, VerdictStatus::RunFailed);
    QCOMPARE((*answer)->verdict.reasons.front().layer, std::string("run"));
    QCOMPARE((*answer)->verdict.reasons.front().rule, std::string("crash"));
}

void tst_SimPool::whoStandsBehindACrashIsNotHarmed()
{
    ChildLimits limits;
    limits.wallSeconds = 1.5;
    makePool(1, limits);
    std::vector<Answer> answers(4);
    judge(endless(), answers[0]);
    judge(std::string(kTinyKernel), answers[1]);
    judge(endless(), answers[2]);
    judge(std::string(kTinyKernel), answers[3]);
    QTRY_VERIFY_WITH_TIMEOUT(std::all_of(answers.begin(), answers.end(),
                                         [](const Answer &answer) { return answer.has_value(); }),
                             60000);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        ACCELOPT_VERIFY_OK(*answers[i]);
        QCOMPARE((*answers[i])->verdict.status,
                 i % 2 == 0 ? VerdictStatus::RunFailed : VerdictStatus::Correct);
    }
}

void tst_SimPool::aMemoryBlowUpIsAVerdict()
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("memory is not limited under sanitizers");
#endif
    ChildLimits limits;
    limits.memoryBytes = 300 << 20;
    limits.cpuSeconds = 20;
    makePool(1, limits);
    Answer answer;
    judge(changed(kTinyKernel, "    for i in nl.affine_range",
                  "    n = []\n"
                  "    for p in nl.static_range(100000000):\n"
                  "        n.append([p])\n"
                  "    for i in nl.affine_range"),
          answer);
    QTRY_VERIFY_WITH_TIMEOUT(answer.has_value(), 100000);
    ACCELOPT_VERIFY_OK(*answer);
    QCOMPARE((*answer)->verdict.status, VerdictStatus::RunFailed);
    QVERIFY(!firstReason((*answer)->verdict).empty());
}

void tst_SimPool::oddSources_data()
{
    QTest::addColumn<std::string>("source");
    QTest::newRow("no text") << std::string();
    QTest::newRow("not Python") << std::string("int main() { return 0; }");
    QTest::newRow("bytes that are not UTF-8") << std::string("\xff\xfe\x00k", 4);
    QTest::newRow("more than 256 KiB") << std::string(300 * 1024, ' ') + "x";
    QTest::newRow("256 KiB of nested parentheses")
        << std::string(128 * 1024, '(') + std::string(128 * 1024, ')');
    QTest::newRow("an import of something else") << std::string("import os\nos.system('ls')\n");
}

void tst_SimPool::oddSources()
{
    QFETCH(const std::string, source);
    makePool(1);
    Answer answer;
    judge(source, answer);
    QTRY_VERIFY_WITH_TIMEOUT(answer.has_value(), 60000);
    ACCELOPT_VERIFY_OK(*answer);
    QVERIFY(!(*answer)->verdict.correct());
    QVERIFY(!(*answer)->verdict.reasons.empty());
    QVERIFY(!(*answer)->verdict.reasons.front().message.empty());
}

void tst_SimPool::cancelledQuestionsAreNotAnswered()
{
    makePool(1);
    Answer warm;
    judge(std::string(kTinyKernel), warm);
    QTRY_VERIFY_WITH_TIMEOUT(warm.has_value(), 60000);
    std::vector<Answer> canceled(5);
    judge(endless(), canceled[0]);
    for (std::size_t i = 1; i < canceled.size(); ++i)
        judge(std::string(kTinyKernel), canceled[i]);
    QCoreApplication::processEvents();
    m_pool->cancelAll();
    Answer later;
    judge(std::string(kTinyKernel), later);
    QTRY_VERIFY_WITH_TIMEOUT(later.has_value(), 60000);
    ACCELOPT_VERIFY_OK(*later);
    for (const Answer &answer : canceled)
        QVERIFY(!answer);
}

void tst_SimPool::aMissingSimulatorIsAnErrorWithAHint()
{
    const QByteArray real = qgetenv("ACCELOPT_NKISIM");
    qputenv("ACCELOPT_NKISIM", "/nowhere/nkisim");
    makePool(1);
    Answer answer;
    judge(std::string(kTinyKernel), answer);
    QTRY_VERIFY_WITH_TIMEOUT(answer.has_value(), 60000);
    qputenv("ACCELOPT_NKISIM", real);
    QVERIFY(!*answer);
    QCOMPARE(answer->error().code, ErrorCode::Environment);
    QVERIFY(answer->error().message.find("/nowhere/nkisim") != std::string::npos);
    QVERIFY(answer->error().hint.find("ACCELOPT_NKISIM") != std::string::npos);
}

void tst_SimPool::aProgramThatIsNoSimulatorIsAnError()
{
    makePool(2, {}, QStringLiteral("/bin/true"));
    Answer first;
    Answer second;
    judge(std::string(kTinyKernel), first);
    judge(std::string(kTinyKernel), second);
    QTRY_VERIFY_WITH_TIMEOUT(first && second, 60000);
    QVERIFY(!*first);
    QVERIFY(!*second);
    QCOMPARE(first->error().code, ErrorCode::Environment);
    QVERIFY(first->error().message.find("/bin/true") != std::string::npos);
}

void tst_SimPool::aFailingReferenceIsAnErrorAndAskedAgainNextTime()
{
    m_references->setPython("/nowhere/python3");
    makePool(1);
    search::JudgeQuestion question;
    question.source = std::string(kTinyKernel);
    question.seed = 77; // not made by any other test
    Answer answer;
    m_pool->judge(question, [&](Result<search::JudgeAnswer> got) { answer = std::move(got); });
    QTRY_VERIFY_WITH_TIMEOUT(answer.has_value(), 60000);
    QVERIFY(!*answer);
    QVERIFY(answer->error().message.find("/nowhere/python3") != std::string::npos);
    m_references->setPython("/usr/bin/python3");
    Answer again;
    m_pool->judge(question, [&](Result<search::JudgeAnswer> got) { again = std::move(got); });
    QTRY_VERIFY_WITH_TIMEOUT(again.has_value(), 60000);
    ACCELOPT_VERIFY_OK(*again);
    QVERIFY((*again)->verdict.correct());
}

void tst_SimPool::answersMayDeleteThePool()
{
    makePool(1);
    bool told = false;
    search::JudgeQuestion question;
    question.source = std::string(kTinyKernel);
    question.seed = 1;
    m_pool->judge(question, [&](Result<search::JudgeAnswer>) {
        told = true;
        m_pool.reset();
    });
    QTRY_VERIFY_WITH_TIMEOUT(told, 60000);
    QVERIFY(!m_pool);
    QCoreApplication::processEvents();
}

void tst_SimPool::workersDieWithThePool()
{
    makePool(2);
    Answer first;
    Answer second;
    judge(endless(), first);
    judge(endless(), second);
    QTRY_VERIFY_WITH_TIMEOUT(m_pool->workerProcessIds().size() == 2, 60000);
    const std::vector<qint64> ids = m_pool->workerProcessIds();
    m_pool.reset();
    for (const qint64 id : ids)
        QTRY_VERIFY(!alive(id));
}

ACCELOPT_TEST(tst_SimPool)
#include "tst_SimPool.moc"
