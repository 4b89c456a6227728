// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/ChatFailure.h"

#include "tests/support/TestMain.h"

using namespace accelopt::agents;

class tst_ChatFailure : public QObject
{
    Q_OBJECT

private slots:
    void classifiesByStatusAndWords_data();
    void classifiesByStatusAndWords();
    void readsHowLongToWait();
    void keepsMessagesShort();
};

void tst_ChatFailure::classifiesByStatusAndWords_data()
{
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("retryAfter");
    QTest::addColumn<QString>("kind");
    const auto row = [](const char *name, int status, const char *body, const char *kind,
                        const char *retryAfter = "") {
        QTest::newRow(name) << status << QString::fromUtf8(body) << QString::fromUtf8(retryAfter)
                            << QString::fromUtf8(kind);
    };
    row("a busy server", 503, R"({"error":{"message":"loading","type":"unavailable_error"}})",
        "transient");
    row("a proxy's page", 502, "<html><body>Bad Gateway</body></html>", "transient");
    row("a request that took too long", 408, "{}", "transient");
    row("a conflict", 409, "{}", "transient");
    row("an overloaded server with its own status", 529,
        R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})",
        "transient");
    row("too many requests", 429,
        R"({"error":{"message":"Slow down","type":"requests","code":"rate_limit_exceeded"}})",
        "rate", "2");
    row("too many requests without a code", 429, R"({"detail":"Too many requests"})", "rate");
    row("an exhausted quota has the status of a rate", 429,
        R"({"error":{"message":"You exceeded your quota","type":"insufficient_quota","code":"insufficient_quota"}})",
        "money");
    row("a spend limit without a time to wait", 429,
        R"({"type":"error","error":{"type":"error","message":"spend limit reached"}})", "money");
    row("payment required", 402, R"({"error":{"message":"Insufficient credits","code":402}})",
        "money");
    row("a wrong key", 401,
        R"({"error":{"message":"Incorrect API key provided","type":"invalid_request_error","code":"invalid_api_key"}})",
        "auth");
    row("a forbidden region", 403, "{}", "auth");
    row("an unknown model", 404,
        R"({"error":{"message":"The model does not exist","code":"model_not_found"}})", "config");
    row("a redirection", 301, "", "config");
    row("a prompt too long, by code", 400,
        R"({"error":{"message":"no","type":"invalid_request_error","code":"context_length_exceeded"}})",
        "context");
    row("a prompt too long, flat and by words", 400,
        R"({"object":"error","message":"This model's maximum context length is 8192 tokens","type":"BadRequestError","code":400})",
        "context");
    row("a prompt too long, by type", 400,
        R"({"error":{"code":400,"message":"the request exceeds","type":"exceed_context_size_error","n_ctx":4096}})",
        "context");
    row("a body too large", 413, "", "context");
    row("an option that is not known", 422, R"({"detail":[{"msg":"extra fields not permitted"}]})",
        "request");
    row("another refusal", 400, R"({"error":{"message":"messages: empty"}})", "request");
    row("words of a middleman", 500, R"({"status":"failure","message":"upstream"})", "transient");
}

void tst_ChatFailure::classifiesByStatusAndWords()
{
    QFETCH(int, status);
    QFETCH(QString, body);
    QFETCH(QString, retryAfter);
    QFETCH(QString, kind);
    const ChatFailure failure =
        classifyStatus(status, body.toStdString(), retryAfter.toStdString());
    QCOMPARE(name(failure.kind), std::string_view(kind.toStdString()));
    QVERIFY(failure.message.find(std::to_string(status)) != std::string::npos);
    QVERIFY(!hintFor(failure.kind).empty());
}

void tst_ChatFailure::readsHowLongToWait()
{
    QCOMPARE(classifyStatus(429, "{}", "7").retryAfterSeconds.value_or(0), 7.0);
    QVERIFY(!classifyStatus(429, "{}", "Wed, 21 Oct").retryAfterSeconds);
    QVERIFY(!classifyStatus(429, "{}", "-3").retryAfterSeconds);
}

void tst_ChatFailure::keepsMessagesShort()
{
    const ChatFailure failure = classifyStatus(500, std::string(100'000, 'x'), "");
    QVERIFY(failure.message.size() < 600);
    // A number in the error stands for the status that a stream could not have.
    QCOMPARE(classifyError(R"({"error":{"code":402,"message":"no credit"}})", 200).kind,
             ChatClass::Money);
    QCOMPARE(classifyError(R"({"error":{"message":"context size of 4096 exceeded"}})", 200).kind,
             ChatClass::Context);
    QCOMPARE(classifyError(R"({"error":{"code":502,"message":"provider"}})", 200).kind,
             ChatClass::Transient);
}

ACCELOPT_TEST(tst_ChatFailure)
#include "tst_ChatFailure.moc"
