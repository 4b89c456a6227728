// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/runner/RunnerWorld.h"
#include "tests/support/TestMain.h"

#include "core/nki/syntax/Lexer.h"
#include "core/runner/SearchRunner.h"
#include "core/search/Canonical.h"
#include "core/search/Fold.h"

#include <QEventLoop>
#include <QTimer>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

using namespace accelopt;
using namespace accelopt::runner;
using namespace accelopt::search;
using namespace accelopt::tests;
using Delivery = Postman::Delivery;

namespace {

RunConfig smallRun()
{
    RunConfig config;
    config.beamWidth = 2;
    config.plansPerCandidate = 3;
    config.attemptsPerPlan = 2;
    config.iterations = 3;
    config.patience = 0;
    return config;
}

/// A runner with everything it needs, and what it announced.
struct Rig
{
    explicit Rig(Delivery delivery, int callsAtOnce = 3, int kernelsAtOnce = 2,
                 std::optional<Delivery> ofJudgements = {})
        : postman(delivery),
          judgements(ofJudgements.value_or(delivery)),
          role(&postman, callsAtOnce),
          profiler(ofJudgements ? &judgements : &postman, kernelsAtOnce)
    {}

    void start(State state = {})
    {
        runner = std::make_unique<SearchRunner>(std::move(state), &journal,
                                                Players{&role, &role, &role, &profiler});
        QObject::connect(runner.get(), &SearchRunner::paused, [this] { announce("paused"); });
        QObject::connect(runner.get(), &SearchRunner::finishedRun,
                         [this](const QString &) { announce("finished"); });
        QObject::connect(runner.get(), &SearchRunner::waiting,
                         [this](const QString &) { announce("waiting"); });
        QObject::connect(runner.get(), &SearchRunner::blocked,
                         [this](const QString &message, int status) {
                             announce(fmt::format("blocked {}: {}", status, message.toStdString()));
                         });
    }
    void open(const RunConfig &config = smallRun())
    {
        start();
        const std::string source = "def kernel():\n    return 1000\n";
        RunOpened opened;
        opened.config = config;
        opened.task = "silu";
        opened.baseline = nki::kernelIdentity(source);
        std::vector<Text> texts{makeText(source)};
        opened.baselineText = texts.front().id;
        ACCELOPT_VERIFY_OK(runner->record({opened}, texts, "engine"));
    }
    /// Advances and waits for the next announcement, which is given.
    std::string advance(Advance mode)
    {
        runner->advance(mode);
        return wait();
    }
    std::string wait()
    {
        const std::size_t before = announced.size();
        QEventLoop loop;
        quit = [&loop] { loop.quit(); };
        QTimer::singleShot(30'000, &loop, &QEventLoop::quit);
        if (announced.size() == before)
            loop.exec();
        quit = {};
        return announced.size() > before ? announced.back() : "nothing happened";
    }
    std::string canonicalText() const
    {
        return canonical(fold(journal.events),
                         [this](const TextId &id) {
                             const auto it = journal.kept.find(id);
                             return it == journal.kept.end() ? std::string() : it->second;
                         })
            .dump(1);
    }

    Postman postman;
    Postman judgements; ///< used when judgements are delivered in another way than answers
    MemoryJournal journal;
    FakeRole role;
    FakeProfiler profiler;
    std::unique_ptr<SearchRunner> runner;
    std::vector<std::string> announced;
    std::function<void()> quit;

private:
    void announce(std::string what)
    {
        announced.push_back(std::move(what));
        if (quit)
            quit();
    }
};

/// The canonical export of the undisturbed run.
const std::string &undisturbed()
{
    static const std::string text = [] {
        Rig rig(Delivery::AtOnce);
        rig.open();
        rig.advance(Advance::Run);
        return rig.canonicalText();
    }();
    return text;
}

template <typename Body> int count(const std::vector<Event> &events)
{
    return int(std::count_if(events.begin(), events.end(), [](const Event &event) {
        return std::holds_alternative<Body>(event.body);
    }));
}

/// Answers of roles in the log, failed calls included.
int answersIn(const std::vector<Event> &events)
{
    return count<PlanMade>(events) + count<AttemptMade>(events) + count<PairSummarized>(events) +
           count<CallFailed>(events);
}

} // namespace

class tst_SearchRunner : public QObject
{
    Q_OBJECT

private slots:
    void aRunGoesToItsEnd_data()
    {
        QTest::addColumn<int>("delivery");
        QTest::newRow("answers at once") << int(Delivery::AtOnce);
        QTest::newRow("answers in the order of the questions") << int(Delivery::InOrder);
        QTest::newRow("the last question is answered first") << int(Delivery::Backwards);
        QTest::newRow("answers in any order") << int(Delivery::Shuffled);
    }
    void aRunGoesToItsEnd()
    {
        QFETCH(int, delivery);
        Rig rig{Delivery(delivery)};
        rig.open();
        QCOMPARE(rig.advance(Advance::Run), std::string("finished"));
        QVERIFY(rig.runner->finished());
        QVERIFY(rig.runner->inFlight().empty());
        QCOMPARE(rig.canonicalText(), undisturbed());
        QVERIFY(rig.runner->state().complaints.empty());
        QVERIFY(rig.runner->state().best != rig.runner->state().opened.baseline);
        QCOMPARE(count<RunFinished>(rig.journal.events), 1);
        QCOMPARE(answersIn(rig.journal.events), rig.role.answered);
    }

    void callsAreWrittenDownBeforeTheyAreMade()
    {
        Rig rig(Delivery::Held);
        rig.open();
        rig.runner->advance(Advance::Run);
        QTRY_VERIFY(rig.postman.waiting() == 1); // the baseline's judgement
        rig.postman.deliverAll();
        QTRY_COMPARE(rig.postman.waiting(), std::size_t(3));
        QCOMPARE(count<CallStarted>(rig.journal.events), 3);
        QCOMPARE(rig.runner->inFlight().size(), std::size_t(3));
        QVERIFY(rig.runner->inFlight().front().what.find("plan") != std::string::npos);
    }

    void noMoreIsUnderWayThanThePlayersTake()
    {
        Rig rig(Delivery::Shuffled, 2, 1);
        rig.open();
        QCOMPARE(rig.advance(Advance::Run), std::string("finished"));
        QCOMPARE(rig.role.most, 2);
        QCOMPARE(rig.canonicalText(), undisturbed());
    }

    void anItemIsOneQuestion()
    {
        Rig rig(Delivery::InOrder);
        rig.open();
        QCOMPARE(rig.advance(Advance::Item), std::string("paused"));
        QCOMPARE(count<KernelJudged>(rig.journal.events), 1);
        QCOMPARE(rig.profiler.asked, 1);
        for (int step = 1; step <= 4; ++step) {
            QCOMPARE(rig.advance(Advance::Item), std::string("paused"));
            QCOMPARE(int(rig.role.asked.size()) + rig.profiler.asked, 1 + step);
            QVERIFY(rig.runner->inFlight().empty());
        }
        int steps = 0;
        while (!rig.runner->finished() && ++steps < 500)
            rig.advance(Advance::Item);
        QCOMPARE(rig.canonicalText(), undisturbed());
    }

    void aPhaseIsAllOfOneKind()
    {
        Rig rig(Delivery::Shuffled);
        rig.open();
        QCOMPARE(rig.advance(Advance::Phase), std::string("paused"));
        QCOMPARE(count<KernelJudged>(rig.journal.events), 1);
        QCOMPARE(rig.advance(Advance::Phase), std::string("paused"));
        QCOMPARE(answersIn(rig.journal.events), 3); // one plan for each of N, one candidate
        QCOMPARE(count<AttemptMade>(rig.journal.events), 0);
        QCOMPARE(count<KernelJudged>(rig.journal.events), 1);
        QCOMPARE(rig.advance(Advance::Phase), std::string("paused"));
        QCOMPARE(count<KernelJudged>(rig.journal.events), 1);
        QVERIFY(count<AttemptMade>(rig.journal.events) > 0);
        int phases = 0;
        while (!rig.runner->finished() && ++phases < 100)
            rig.advance(Advance::Phase);
        QCOMPARE(rig.canonicalText(), undisturbed());
        QVERIFY(phases > 6);
    }

    void anIterationEndsWithTheNextBeam()
    {
        Rig rig(Delivery::Shuffled);
        rig.open();
        for (std::size_t iterations = 1; iterations <= 3; ++iterations) {
            QCOMPARE(rig.advance(Advance::Iteration), std::string("paused"));
            QCOMPARE(rig.runner->state().iterations.size(), iterations);
            QVERIFY(rig.runner->inFlight().empty());
        }
        QCOMPARE(rig.advance(Advance::Iteration), std::string("finished"));
        QCOMPARE(rig.canonicalText(), undisturbed());
    }

    void aPauseKeepsWhatIsUnderWay()
    {
        Rig rig(Delivery::Held);
        rig.open();
        rig.runner->advance(Advance::Run);
        QTRY_COMPARE(rig.postman.waiting(), std::size_t(1));
        rig.postman.deliverAll();
        QTRY_COMPARE(rig.postman.waiting(), std::size_t(3));
        rig.runner->advance(Advance::Pause);
        rig.postman.deliverAll();
        QCOMPARE(rig.wait(), std::string("paused"));
        QCOMPARE(answersIn(rig.journal.events), 3);
        QCOMPARE(rig.postman.waiting(), std::size_t(0));
        QVERIFY(rig.runner->state().callsInDoubt.empty());
    }

    void aFailingProfilerIsAskedThreeTimes()
    {
        Rig rig(Delivery::InOrder, 3, 1);
        rig.open();
        rig.profiler.failures = 3;
        QVERIFY(rig.advance(Advance::Run).starts_with("blocked 3: the worker does not start"));
        QCOMPARE(rig.profiler.asked, 3);
        QCOMPARE(rig.runner->mode(), Advance::Pause);
        QCOMPARE(rig.advance(Advance::Run), std::string("finished"));
        QCOMPARE(rig.canonicalText(), undisturbed());
    }

    void twoFailuresOfTheProfilerAreNoMatter()
    {
        Rig rig(Delivery::InOrder, 3, 1);
        rig.open();
        rig.profiler.failures = 2;
        QCOMPARE(rig.advance(Advance::Run), std::string("finished"));
        QCOMPARE(rig.canonicalText(), undisturbed());
    }

    void whatTheMachineLacksIsSaidAtOnce()
    {
        Rig rig(Delivery::AtOnce);
        rig.open();
        rig.profiler.failures = 1;
        rig.profiler.failureCode = ErrorCode::Environment;
        QVERIFY(rig.advance(Advance::Run).starts_with("blocked 3"));
        QCOMPARE(rig.profiler.asked, 1);
    }

    void answersThatComeWhileTheProfilerFailsAreKept()
    {
        Rig rig(Delivery::Held, 3, 1, Delivery::AtOnce);
        rig.open();
        rig.runner->advance(Advance::Run);
        QTRY_COMPARE(rig.postman.waiting(), std::size_t(3));
        rig.postman.deliverAll(); // plans
        QTRY_VERIFY(rig.postman.waiting() >= 3);
        rig.profiler.failures = -1;
        while (rig.postman.waiting() > 2 || rig.announced.empty()) {
            rig.postman.deliverOne(); // kernels, until one is to be judged
            QCoreApplication::processEvents();
            QVERIFY(rig.role.answered < 20);
        }
        QVERIFY(rig.announced.back().starts_with("blocked"));
        QVERIFY(rig.postman.waiting() > 0);
        rig.postman.deliverAll();
        QCoreApplication::processEvents();
        QCOMPARE(answersIn(rig.journal.events), rig.role.answered);
        QVERIFY(rig.runner->inFlight().empty());
        rig.runner->abandon();
        QVERIFY(fold(rig.journal.events).callsInDoubt.empty());
    }

    void aJournalThatFailsKeepsWhatCameBack()
    {
        // Every append of the run fails once, in turn; nothing is asked twice for it.
        Rig calm(Delivery::InOrder);
        calm.open();
        calm.advance(Advance::Run);
        int blocks = 0;
        for (int step = 0; step < 40; ++step) {
            Rig rig(Delivery::InOrder);
            rig.open();
            int appends = 0;
            QObject::connect(rig.runner.get(), &SearchRunner::appended,
                             [&appends, step, journal = &rig.journal](const auto &) {
                                 if (appends++ == step)
                                     journal->failures = 1;
                             });
            std::string said = rig.advance(Advance::Run);
            if (said.starts_with("blocked")) {
                ++blocks;
                QCOMPARE(said, std::string("blocked 3: the disk is full. make room"));
                said = rig.advance(Advance::Run);
            }
            QCOMPARE(said, std::string("finished"));
            QCOMPARE(rig.canonicalText(), undisturbed());
            QCOMPARE(rig.role.answered, calm.role.answered);
            QCOMPARE(answersIn(rig.journal.events), calm.role.answered);
        }
        QVERIFY(blocks > 10);
    }

    void nobodyIsAskedAboutATextThatCannotBeRead()
    {
        Rig first(Delivery::AtOnce);
        first.open();
        first.advance(Advance::Item);
        // Resumed, the runner has no text at hand and must read.
        Rig rig(Delivery::AtOnce);
        rig.journal.events = first.journal.events;
        rig.journal.kept = first.journal.kept;
        rig.journal.textFailures = 1;
        rig.start(fold(rig.journal.events));
        QVERIFY(rig.advance(Advance::Run).starts_with("blocked 3: the disk cannot be read"));
        QCOMPARE(rig.role.emptySources, 0);
        QCOMPARE(rig.profiler.emptySources, 0);
        QCOMPARE(rig.advance(Advance::Run), std::string("finished"));
        QCOMPARE(rig.role.emptySources, 0);
        QCOMPARE(rig.canonicalText(), undisturbed());
    }

    void aPersonsStopFinishesWhatIsUnderWay()
    {
        Rig rig(Delivery::Held);
        rig.open();
        rig.runner->advance(Advance::Run);
        QTRY_COMPARE(rig.postman.waiting(), std::size_t(1));
        rig.postman.deliverAll();
        QTRY_COMPARE(rig.postman.waiting(), std::size_t(3));
        PersonDecided stop;
        stop.decision = Decision::Stop;
        rig.runner->decide(stop);
        for (int turn = 0; !rig.runner->finished() && turn < 100; ++turn) {
            QCoreApplication::processEvents();
            rig.postman.deliverAll();
        }
        QVERIFY(rig.runner->finished());
        QCOMPARE(answersIn(rig.journal.events), rig.role.answered);
        QVERIFY(rig.role.answered >= 3);
        QVERIFY(rig.runner->state().callsInDoubt.empty());
        QVERIFY(rig.role.answered < 20); // nothing like the whole run
        QCOMPARE(rig.announced.back(), std::string("finished"));
    }

    void whatIsAbandonedIsInDoubtAndAskedAgain()
    {
        Rig rig(Delivery::Held);
        rig.open();
        rig.runner->advance(Advance::Run);
        QTRY_COMPARE(rig.postman.waiting(), std::size_t(1));
        rig.postman.deliverAll();
        QTRY_COMPARE(rig.postman.waiting(), std::size_t(3));
        rig.postman.deliverOne(); // arrived, but not written yet
        rig.runner->abandon();
        QCOMPARE(answersIn(rig.journal.events), 1);
        const State state = fold(rig.journal.events);
        QCOMPARE(state.callsInDoubt.size(), std::size_t(2));
        rig.postman.deliverAll();
        QCoreApplication::processEvents();
        QCOMPARE(answersIn(rig.journal.events), 1);

        Rig next(Delivery::InOrder);
        next.journal.events = rig.journal.events;
        next.journal.kept = rig.journal.kept;
        next.start(state);
        QCOMPARE(next.advance(Advance::Run), std::string("finished"));
        QCOMPARE(next.runner->state().callsAskedAgain, std::int64_t(2));
        QCOMPARE(next.canonicalText(), undisturbed());
    }

    void aRunResumedAnywhereComesToTheSame()
    {
        Rig whole(Delivery::Shuffled);
        whole.open();
        QCOMPARE(whole.advance(Advance::Run), std::string("finished"));
        for (std::size_t prefix = 1; prefix <= whole.journal.events.size(); ++prefix) {
            Rig rig(Delivery::Shuffled);
            rig.journal.events.assign(whole.journal.events.begin(),
                                      whole.journal.events.begin() + std::ptrdiff_t(prefix));
            rig.journal.kept = whole.journal.kept;
            rig.start(fold(rig.journal.events));
            if (!rig.runner->finished()) {
                QCOMPARE(rig.advance(Advance::Run), std::string("finished"));
            }
            QVERIFY2(rig.canonicalText() == undisturbed(),
                     qPrintable(QStringLiteral("resumed after event %1").arg(prefix)));
        }
    }

    void aRunWithAWrongBaselineEnds()
    {
        Rig rig(Delivery::AtOnce);
        rig.start();
        std::string source;
        for (int number = 0; source.empty() || search::mixSeed(3, source) % 5 != 0; ++number)
            source = fmt::format("def kernel():\n    return {}\n", number);
        RunOpened opened;
        opened.config = smallRun();
        opened.baseline = nki::kernelIdentity(source);
        std::vector<Text> texts{makeText(source)};
        opened.baselineText = texts.front().id;
        ACCELOPT_VERIFY_OK(rig.runner->record({opened}, texts, "engine"));
        QCOMPARE(rig.advance(Advance::Run), std::string("finished"));
        QCOMPARE(rig.role.answered, 0);
        QCOMPARE(rig.runner->state().stop.code, StopCode::BaselineNotGood);
    }
};

ACCELOPT_TEST(tst_SearchRunner)
#include "tst_SearchRunner.moc"
