// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/ChatService.h"

#include "tests/support/ScriptedServer.h"
#include "tests/support/TestMain.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QSignalSpy>

using namespace accelopt;
using namespace accelopt::agents;
using namespace accelopt::tests;

namespace {

constexpr const char *kCanary = "sk-canary-7f3b91d2";

Letter letterTo(const std::string &call)
{
    return {CallId(call), RoleName::Planner, {{"system", "Be brief."}, {"user", "Hello"}}, {}};
}

} // namespace

/// The client against a server that does exactly what each row says.
class tst_ChatService : public QObject
{
    Q_OBJECT

private slots:
    void readsAnswersInEveryForm_data();
    void readsAnswersInEveryForm();
    void sendsWhatTheServerNeeds();
    void retriesWhatPasses_data();
    void retriesWhatPasses();
    void givesUpWhatDoesNot_data();
    void givesUpWhatDoesNot();
    void waitsAsLongAsItIsToldAndSlowsDown();
    void stopsEveryCallWhenTheKeyIsRefused();
    void sendsAShorterPromptOnce();
    void leavesOutWhatTheServerDoesNotKnow();
    void keepsManyCallsUnderWayAtOnce();
    void cancelsWithoutAWord();
    void mayGoRightAfterAnAnswer();
    void countsTokensAndMoney();
    void neverHandsOnTheKey();
    void capsAnErrorThatDoesNotEnd();

private:
    LetterReply exchange(ScriptedServer &server,
                         const std::function<void(ModelProfile &)> &set = {},
                         Letter letter = letterTo("i0.c0.p0.plan"));
    static ModelProfile profileOf(const ScriptedServer &server);
};

ModelProfile tst_ChatService::profileOf(const ScriptedServer &server)
{
    ModelProfile profile;
    profile.name = "scripted";
    profile.address = server.address();
    profile.model = "m";
    return profile;
}

LetterReply tst_ChatService::exchange(ScriptedServer &server,
                                      const std::function<void(ModelProfile &)> &set, Letter letter)
{
    ModelProfile profile = profileOf(server);
    if (set)
        set(profile);
    ChatService service(profile, kCanary);
    service.setBackoff(0);
    std::optional<LetterReply> reply;
    service.ask(std::move(letter), [&](LetterReply given) { reply = std::move(given); });
    for (int turn = 0; !reply && turn < 2000; ++turn)
        QTest::qWait(5);
    if (!reply)
        return {fail(ErrorCode::Internal, "no reply"), {}, {}, {}, {}, {}};
    return std::move(*reply);
}

void tst_ChatService::readsAnswersInEveryForm_data()
{
    QTest::addColumn<QList<QByteArray>>("pieces");
    QTest::addColumn<bool>("asDocument");
    QTest::addColumn<QString>("text");
    const QByteArray whole = delta("gr\xc3\xbc\xc3\x9f") + finish() + kDone;
    QTest::newRow("one chunk") << QList<QByteArray>{whole} << false << "gr\u00fc\u00df";
    QList<QByteArray> bytes;
    for (const char c : whole)
        bytes << QByteArray(1, c);
    QTest::newRow("byte by byte, through the middle of a character")
        << bytes << false << "gr\u00fc\u00df";
    QTest::newRow("comments between the events")
        << QList<QByteArray>{": PROCESSING\n\n", delta("a"), ": PROCESSING\n\n",
                             delta("b"),         finish(),   kDone}
        << false << "ab";
    QTest::newRow("carriage returns and no blank behind data:")
        << QList<QByteArray>{"data:{\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":"
                             "\"stop\"}]}\r\n\r\ndata:[DONE]\r\n\r\n"}
        << false << "a";
    QTest::newRow("a chunk without choices first")
        << QList<QByteArray>{sse("{\"choices\":[],\"prompt_filter_results\":[]}"), delta("a"),
                             finish(), kDone}
        << false << "a";
    QTest::newRow("null for content")
        << QList<QByteArray>{sse("{\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":"
                                 "null}}]}"),
                             delta("a"), finish(), kDone}
        << false << "a";
    QTest::newRow("no blank line behind the end mark")
        << QList<QByteArray>{delta("a"), finish(), "data: [DONE]"} << false << "a";
    QTest::newRow("a server that does not stream")
        << QList<QByteArray>{"{\"choices\":[{\"message\":{\"content\":\"a\"},\"finish_reason\":"
                             "\"stop\"}]}"}
        << true << "a";
}

void tst_ChatService::readsAnswersInEveryForm()
{
    QFETCH(QList<QByteArray>, pieces);
    QFETCH(bool, asDocument);
    QFETCH(QString, text);
    ScriptedServer server([&](const Requested &, int) {
        return asDocument ? http(200, pieces.join())
                          : stream(std::vector<QByteArray>(pieces.begin(), pieces.end()));
    });
    const LetterReply reply = exchange(server);
    ACCELOPT_VERIFY_OK(reply.text);
    QCOMPARE(QString::fromStdString(*reply.text), text);
    QCOMPARE(reply.author, std::string("scripted"));
}

void tst_ChatService::sendsWhatTheServerNeeds()
{
    ScriptedServer server([](const Requested &, int) { return answer("ok"); });
    const LetterReply reply = exchange(server, [](ModelProfile &profile) {
        profile.temperature = 0.5;
        profile.maxTokens = 77;
    });
    ACCELOPT_VERIFY_OK(reply.text);
    QCOMPARE(server.requests.size(), std::size_t(1));
    const Requested &request = server.requests.front();
    QVERIFY(request.head.startsWith("POST /v1/chat/completions "));
    QVERIFY(request.head.contains(QByteArray(QByteArray("Authorization: Bearer ") + kCanary)));
    const QJsonObject body = QJsonDocument::fromJson(request.body).object();
    QCOMPARE(body[QStringLiteral("model")].toString(), QStringLiteral("m"));
    QCOMPARE(body[QStringLiteral("max_tokens")].toInt(), 77);
    QCOMPARE(body[QStringLiteral("temperature")].toDouble(), 0.5);
    QVERIFY(body[QStringLiteral("stream")].toBool());
    QVERIFY(reply.sent.find("Be brief.") != std::string::npos);
    QVERIFY(reply.received.find("\"ok\"") != std::string::npos);
}

void tst_ChatService::retriesWhatPasses_data()
{
    QTest::addColumn<int>("kind");
    for (const auto &[name, kind] : {std::pair{"a reset before the first byte", 0},
                                     {"status 503", 1},
                                     {"status 529", 2},
                                     {"an error event of an overloaded server", 3},
                                     {"a stream that is cut", 4},
                                     {"a stream without its end mark", 5},
                                     {"silence within the answer", 6},
                                     {"silence before the answer", 7},
                                     {"too many requests", 8},
                                     {"an end mark without a reason", 9},
                                     {"a chunk that is no JSON", 10}})
        QTest::newRow(name) << kind;
}

void tst_ChatService::retriesWhatPasses()
{
    QFETCH(int, kind);
    const auto bad = [kind]() -> Scripted {
        using End = Scripted::End;
        switch (kind) {
        case 0: return {{}, End::Reset};
        case 1: return http(503, R"({"error":{"message":"loading"}})");
        case 2: return http(529, R"({"error":{"type":"overloaded_error","message":"x"}})");
        case 3:
            return stream(
                {delta("half"), sse(R"({"error":{"type":"overloaded_error","message":"x"}})")});
        case 4: return stream({delta("half")}, End::Reset);
        case 5: return stream({delta("half"), finish()});
        case 6: return stream({delta("half")}, End::Silence);
        case 7: return {{}, End::Silence};
        case 8: return http(429, R"({"error":{"code":"rate_limit_exceeded","message":"x"}})");
        case 9: return stream({delta("half"), kDone});
        default: return stream({"data: {\"choi\n\n", kDone});
        }
    };
    ScriptedServer server(
        [&](const Requested &, int number) { return number == 1 ? bad() : answer("whole"); });
    const LetterReply reply = exchange(server, [](ModelProfile &profile) {
        profile.firstByteSeconds = 0.3;
        profile.idleSeconds = 0.2;
    });
    ACCELOPT_VERIFY_OK(reply.text);
    QCOMPARE(*reply.text, std::string("whole")); // and nothing of the half one
    QCOMPARE(server.requests.size(), std::size_t(2));
}

void tst_ChatService::givesUpWhatDoesNot_data()
{
    QTest::addColumn<QByteArray>("raw");
    QTest::addColumn<int>("status");
    QTest::addColumn<int>("requests");
    QTest::addColumn<bool>("blocks");
    QTest::addColumn<QString>("kind");
    QTest::newRow("an exhausted quota")
        << QByteArray(R"({"error":{"code":"insufficient_quota","message":"x"}})") << 429 << 1
        << true << "money";
    QTest::newRow("a refused key")
        << QByteArray(R"({"error":{"message":"x"}})") << 401 << 1 << true << "auth";
    QTest::newRow("an unknown model")
        << QByteArray(R"({"error":{"message":"x"}})") << 404 << 1 << true << "config";
    QTest::newRow("a prompt too long")
        << QByteArray(R"({"error":{"code":"context_length_exceeded","message":"x"}})") << 400 << 1
        << false << "context";
    QTest::newRow("a refused request")
        << QByteArray(R"({"error":{"message":"x"}})") << 400 << 1 << true << "request";
    QTest::newRow("a server that stays broken")
        << QByteArray("{}") << 500 << 6 << true << "transient";
    QTest::newRow("an answer at its limit")
        << QByteArray(delta("half") + finish("length") + kDone) << 200 << 1 << false << "truncated";
    QTest::newRow("an answer at its limit of thinking")
        << QByteArray(finish("length") + kDone) << 200 << 1 << false << "truncated";
    QTest::newRow("a filtered answer")
        << QByteArray(finish("content_filter") + kDone) << 200 << 1 << false << "filtered";
    QTest::newRow("an empty answer")
        << QByteArray(finish() + kDone) << 200 << 1 << false << "empty";
    QTest::newRow("a stream that is always cut")
        << QByteArray(delta("half")) << 200 << 3 << true << "cut";
    QTest::newRow("a context error in a stream of status 200")
        << sse(R"({"error":{"message":"maximum context length is 10"}})") << 200 << 1 << false
        << "context";
}

void tst_ChatService::givesUpWhatDoesNot()
{
    QFETCH(QByteArray, raw);
    QFETCH(int, status);
    QFETCH(int, requests);
    QFETCH(bool, blocks);
    QFETCH(QString, kind);
    ScriptedServer server(
        [&](const Requested &, int) { return status == 200 ? stream({raw}) : http(status, raw); });
    const LetterReply reply = exchange(server);
    QVERIFY(!reply.text);
    QCOMPARE(reply.text.error().detail, kind.toStdString());
    QCOMPARE(reply.text.error().code, blocks ? ErrorCode::Environment : ErrorCode::NotGood);
    QVERIFY(reply.text.error().message.find("scripted") != std::string::npos);
    QCOMPARE(int(server.requests.size()), requests);
}

void tst_ChatService::waitsAsLongAsItIsToldAndSlowsDown()
{
    // Four calls at once meet "too many requests": from then on they come one after the other.
    ScriptedServer server([](const Requested &, int number) {
        return number <= 4 ? http(429, R"({"error":{"code":"rate_limit_exceeded","message":"x"}})",
                                  "Retry-After: 1\r\n")
                           : answer("ok");
    });
    ModelProfile profile = profileOf(server);
    profile.callsAtOnce = 4;
    ChatService service(profile, {});
    service.setBackoff(0);
    QSignalSpy troubled(&service, &ChatService::troubled);
    int answered = 0;
    for (int i = 0; i < 4; ++i)
        service.ask(letterTo("call" + std::to_string(i)), [&](const LetterReply &reply) {
            QVERIFY(reply.text.has_value());
            ++answered;
        });
    QTRY_COMPARE(server.requests.size(), std::size_t(4));
    server.mostOpen = 0;
    QTRY_COMPARE(troubled.count(), 4);
    QVERIFY(troubled.first().first().toString().contains(QStringLiteral("in 1 s")));
    QCOMPARE(server.requests.size(), std::size_t(4)); // nothing before the time
    QTRY_COMPARE(answered, 4);
    QCOMPARE(server.requests.size(), std::size_t(8));
    QVERIFY(server.mostOpen <= 2); // one at once, then one more for each answer
}

void tst_ChatService::stopsEveryCallWhenTheKeyIsRefused()
{
    ScriptedServer server([](const Requested &, int) { return http(401, "{}"); });
    ModelProfile profile = profileOf(server);
    profile.callsAtOnce = 1;
    ChatService service(profile, kCanary);
    int failed = 0;
    for (int i = 0; i < 50; ++i)
        service.ask(letterTo("call" + std::to_string(i)), [&](const LetterReply &reply) {
            QVERIFY(!reply.text);
            QVERIFY(reply.text.error().code == ErrorCode::Environment);
            ++failed;
        });
    QTRY_COMPARE(failed, 50);
    QCOMPARE(server.requests.size(), std::size_t(1));
}

void tst_ChatService::sendsAShorterPromptOnce()
{
    ScriptedServer server([](const Requested &request, int) {
        return request.body.contains("Hello")
                   ? http(400, R"({"error":{"code":"context_length_exceeded","message":"x"}})")
                   : answer("ok");
    });
    Letter letter = letterTo("call");
    letter.shorter = {{"user", "Hi"}};
    const LetterReply reply = exchange(server, {}, letter);
    ACCELOPT_VERIFY_OK(reply.text);
    QCOMPARE(server.requests.size(), std::size_t(2));
    QVERIFY(reply.sent.find("Hi") != std::string::npos);
    QVERIFY(reply.sent.find("Hello") == std::string::npos);
}

void tst_ChatService::leavesOutWhatTheServerDoesNotKnow()
{
    ScriptedServer server([](const Requested &request, int) {
        if (request.body.contains("stream_options"))
            return http(400, R"({"error":{"message":"Unknown field: stream_options"}})");
        if (!request.body.contains("max_completion_tokens"))
            return http(
                400,
                R"({"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}})");
        return answer("ok");
    });
    const LetterReply reply = exchange(server);
    ACCELOPT_VERIFY_OK(reply.text);
    QCOMPARE(server.requests.size(), std::size_t(3));
}

void tst_ChatService::keepsManyCallsUnderWayAtOnce()
{
    constexpr int kCalls = 20;
    ScriptedServer server([&](const Requested &, int) { return answer("ok"); });
    // Nothing is answered before all are there: with fewer connections this would never end.
    ScriptedServer gate([&](const Requested &, int) {
        return Scripted{{}, Scripted::End::Silence};
    });
    ModelProfile profile = profileOf(gate);
    profile.callsAtOnce = kCalls;
    ChatService service(profile, {});
    for (int i = 0; i < kCalls + 10; ++i)
        service.ask(letterTo("call" + std::to_string(i)), [](const LetterReply &) {});
    QTRY_COMPARE(int(gate.requests.size()), kCalls);
    service.cancelAll();
}

void tst_ChatService::cancelsWithoutAWord()
{
    ScriptedServer server([](const Requested &, int) {
        return Scripted{{}, Scripted::End::Silence};
    });
    ModelProfile profile = profileOf(server);
    ChatService service(profile, {});
    bool told = false;
    service.ask(letterTo("a"), [&](const LetterReply &) { told = true; });
    QTRY_COMPARE(server.requests.size(), std::size_t(1));
    service.cancelAll();
    QCoreApplication::processEvents();
    QVERIFY(!told);
}

void tst_ChatService::mayGoRightAfterAnAnswer()
{
    ScriptedServer server([](const Requested &, int) { return answer("ok"); });
    auto service = std::make_unique<ChatService>(profileOf(server), std::string());
    bool answered = false;
    // From within the loop in which the answer came: what is over has not been cleared away yet.
    service->ask(letterTo("a"), [&](const LetterReply &) { answered = true; });
    while (!answered)
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    service.reset();
    QVERIFY(answered);
}

void tst_ChatService::countsTokensAndMoney()
{
    ScriptedServer server([](const Requested &, int number) {
        return number == 1 ? stream({delta("half"), usageEvent(100, 0, 10)}) : answer("ok");
    });
    const LetterReply reply = exchange(server, [](ModelProfile &profile) {
        profile.prices = ModelPrices{1, 0.5, 10};
    });
    ACCELOPT_VERIFY_OK(reply.text);
    // The stream that was cut is paid, too.
    QCOMPARE(reply.usage.calls, std::int64_t(2));
    QCOMPARE(reply.usage.promptTokens, std::int64_t(200));
    QCOMPARE(reply.usage.cachedTokens, std::int64_t(40));
    QCOMPARE(reply.usage.completionTokens, std::int64_t(20));
    QVERIFY(qFuzzyCompare(reply.usage.usd, (160 * 1 + 40 * 0.5 + 20 * 10) / 1e6));
    QCOMPARE(reply.usage.unpricedCalls, std::int64_t(0));
    ScriptedServer silent([](const Requested &, int) {
        return stream({delta("a"), finish(), kDone});
    });
    const LetterReply unpriced = exchange(silent);
    QCOMPARE(unpriced.usage.unpricedCalls, std::int64_t(1));
}

void tst_ChatService::neverHandsOnTheKey()
{
    // A server that says the key aloud, in an answer and in an error.
    const QByteArray leak = QByteArray("your key ") + kCanary + " is " + kCanary;
    for (const bool good : {true, false}) {
        ScriptedServer server([&](const Requested &, int) {
            return good ? answer(leak) : http(401, "{\"error\":{\"message\":\"" + leak + "\"}}");
        });
        const LetterReply reply = exchange(server);
        const std::string all =
            (reply.text ? *reply.text : describe(reply.text.error()) + reply.text.error().detail) +
            reply.sent + reply.received + reply.reasoning + reply.author;
        QVERIFY(all.find(kCanary) == std::string::npos);
        QVERIFY(all.find("[key]") != std::string::npos);
    }
}

void tst_ChatService::capsAnErrorThatDoesNotEnd()
{
    ScriptedServer server([](const Requested &, int) {
        Scripted script;
        script.pieces.push_back("HTTP/1.1 400 x\r\nContent-Type: text/plain\r\n"
                                "Content-Length: 104857600\r\n\r\n");
        for (int i = 0; i < 8; ++i)
            script.pieces.push_back(QByteArray(1 << 20, 'x'));
        script.end = Scripted::End::Silence;
        return script;
    });
    const LetterReply reply = exchange(server);
    QVERIFY(!reply.text);
    QCOMPARE(reply.text.error().detail, std::string("request"));
    QVERIFY(reply.text.error().message.size() < 1000);
}

ACCELOPT_TEST(tst_ChatService)
#include "tst_ChatService.moc"
