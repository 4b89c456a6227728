// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runner/Steering.h"

#include "core/nki/syntax/Lexer.h"
#include "tests/runner/RunnerWorld.h"
#include "tests/support/TestMain.h"

#include <QEventLoop>
#include <QTemporaryDir>
#include <QTimer>
#include <memory>
#include <optional>

using namespace accelopt;
using namespace accelopt::runner;

/// Orders that come over the local socket of whoever drives a run.
class tst_Steering : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void ordersSurviveTheLine();
    void whatIsNoOrderIsRefused_data();
    void whatIsNoOrderIsRefused();
    void theDriverDoesAsItIsTold();
    void decisionsOfAPersonAreWritten();
    void whatIsNotAPersonsIsRefused();
    void nobodyAnswersForAnotherRun();

private:
    /// Sends and waits for the answer.
    Result<SteerReport> send(const std::filesystem::path &file, const SteerOrder &order);

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<tests::Postman> m_postman;
    std::unique_ptr<tests::FakeRole> m_role;
    std::unique_ptr<tests::FakeProfiler> m_profiler;
    std::unique_ptr<tests::MemoryJournal> m_journal;
    std::unique_ptr<SearchRunner> m_runner;
    std::unique_ptr<SteerServer> m_server;
    std::filesystem::path m_file;
};

void tst_Steering::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    m_file = m_folder->filePath(QStringLiteral("a run.accelopt")).toStdString();
    m_postman = std::make_unique<tests::Postman>(tests::Postman::Delivery::Held);
    m_role = std::make_unique<tests::FakeRole>(m_postman.get(), 2);
    m_profiler = std::make_unique<tests::FakeProfiler>(m_postman.get(), 2);
    m_journal = std::make_unique<tests::MemoryJournal>();
    m_runner = std::make_unique<SearchRunner>(
        search::State{}, m_journal.get(),
        Players{m_role.get(), m_role.get(), m_role.get(), m_profiler.get()});
    const std::string source = "def kernel():\n    return 1000\n";
    RunOpened opened;
    opened.task = "silu";
    opened.baseline = nki::kernelIdentity(source);
    const std::vector<Text> texts{makeText(source)};
    opened.baselineText = texts.front().id;
    ACCELOPT_VERIFY_OK(m_runner->record({opened}, texts, "engine"));
    m_server = std::make_unique<SteerServer>(m_runner.get(), m_file);
    QVERIFY(m_server->isListening());
}

void tst_Steering::cleanup()
{
    m_server.reset();
    m_runner.reset();
    m_postman->forget();
}

Result<SteerReport> tst_Steering::send(const std::filesystem::path &file, const SteerOrder &order)
{
    SteerClient client;
    std::optional<Result<SteerReport>> answer;
    QEventLoop loop;
    QTimer::singleShot(30'000, &loop, &QEventLoop::quit);
    client.send(file, order, [&](Result<SteerReport> report) {
        answer = std::move(report);
        loop.quit();
    });
    if (!answer)
        loop.exec();
    return answer ? *answer : Result<SteerReport>(fail(ErrorCode::Internal, "no answer came"));
}

void tst_Steering::ordersSurviveTheLine()
{
    SteerOrder order;
    order.advance = Advance::Phase;
    PersonDecided decided;
    decided.decision = Decision::RejectItem;
    decided.item = ItemId("e0.1");
    decided.reason = "a \"reason\"\nof two lines";
    order.bodies = {decided};
    order.texts = {makeText("def kernel():\n    pass\n")};
    const std::string line = toLine(order);
    QVERIFY(line.find('\n') == std::string::npos);
    const Result<SteerOrder> read = steerOrder(line);
    ACCELOPT_VERIFY_OK(read);
    QVERIFY(read->advance == Advance::Phase);
    QCOMPARE(read->bodies.size(), std::size_t(1));
    QCOMPARE(std::get<PersonDecided>(read->bodies.front()).reason, decided.reason);
    QCOMPARE(read->texts.front().id, order.texts.front().id);
}

void tst_Steering::whatIsNoOrderIsRefused_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::newRow("nothing") << QByteArray();
    QTest::newRow("words") << QByteArray("pause, please");
    QTest::newRow("an unknown way to advance") << QByteArray(R"({"advance": "fly"})");
    QTest::newRow("an event without a payload") << QByteArray(R"({"events": [{"kind": "x"}]})");
    QTest::newRow("an unknown event")
        << QByteArray(R"({"events": [{"kind": "x", "version": 1, "payload": {}}]})");
    QTest::newRow("a text that is a number") << QByteArray(R"({"texts": [5]})");
}

void tst_Steering::whatIsNoOrderIsRefused()
{
    QFETCH(const QByteArray, line);
    QVERIFY(!steerOrder(line.toStdString()));
}

void tst_Steering::theDriverDoesAsItIsTold()
{
    const auto before = send(m_file, {});
    ACCELOPT_VERIFY_OK(before);
    QVERIFY(before->mode == Advance::Pause);
    SteerOrder order;
    order.advance = Advance::Run;
    ACCELOPT_VERIFY_OK(send(m_file, order));
    QVERIFY(m_runner->mode() == Advance::Run);
    // The baseline's judgement is under way as long as its answer is held back.
    QTRY_COMPARE(m_runner->inFlight().size(), std::size_t(1));
    order.advance = Advance::Pause;
    const auto pausing = send(m_file, order);
    ACCELOPT_VERIFY_OK(pausing);
    QVERIFY(pausing->mode == Advance::Pause);
    QCOMPARE(pausing->inFlight, 1);
}

void tst_Steering::decisionsOfAPersonAreWritten()
{
    PersonDecided drop;
    drop.decision = Decision::PinKernel;
    drop.kernel = m_runner->state().opened.baseline;
    ACCELOPT_VERIFY_OK(send(m_file, {std::nullopt, {drop}, {}}));
    QVERIFY(m_runner->state().pinned.contains(drop.kernel));
    QCOMPARE(m_journal->events.back().actor, std::string("human"));
}

void tst_Steering::whatIsNotAPersonsIsRefused()
{
    const std::size_t before = m_journal->events.size();
    KernelJudged judged;
    judged.kernel = m_runner->state().opened.baseline;
    judged.verdict.status = VerdictStatus::Correct;
    judged.profile.latencyMs = 0.001;
    const auto refused = send(m_file, {std::nullopt, {judged}, {}});
    QVERIFY(!refused);
    QVERIFY(refused.error().code == ErrorCode::WrongUse);
    PersonDecided unknown;
    unknown.decision = Decision::PinKernel;
    unknown.kernel = KernelId("unknown");
    const auto ignored = send(m_file, {std::nullopt, {unknown}, {}});
    QVERIFY(!ignored);
    QVERIFY2(ignored.error().message.find("no kernel unknown") != std::string::npos,
             ignored.error().message.c_str());
    QCOMPARE(m_journal->events.size(), before);
}

void tst_Steering::nobodyAnswersForAnotherRun()
{
    const auto answer = send(m_file.parent_path() / "other.accelopt", {});
    QVERIFY(!answer);
    QVERIFY(answer.error().code == ErrorCode::Environment);
    m_server.reset();
    QVERIFY(!send(m_file, {}));
}

ACCELOPT_TEST(tst_Steering)
#include "tst_Steering.moc"
