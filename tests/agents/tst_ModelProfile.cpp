// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/ModelProfile.h"

#include "tests/support/TestMain.h"

using namespace accelopt;
using namespace accelopt::agents;

class tst_ModelProfile : public QObject
{
    Q_OBJECT

private slots:
    void readsServersAndPrograms();
    void refusesInWords_data();
    void refusesInWords();
    void comesFromTheEnvironment();
    void takesTheKeyFromTheEnvironmentOnly();
    void countsCachedTokensOnce();
};

void tst_ModelProfile::readsServersAndPrograms()
{
    const auto models = readModels(R"({"models": [
        {"name": "big", "address": "https://models.example/v1/", "model": "gpt-oss-120b",
         "key_variable": "BIG_KEY", "price": {"in": 0.15, "cached": 0.075, "out": 0.6},
         "calls_at_once": 9, "max_tokens": 4000, "temperature": 0.7, "idle_seconds": 5,
         "tell_lines": false},
        {"name": "agent", "command": ["my-agent", "--json"]}]})",
                                   "models.json");
    ACCELOPT_VERIFY_OK(models);
    QCOMPARE(models->size(), std::size_t(2));
    const ModelProfile &big = models->front();
    QCOMPARE(big.address, std::string("https://models.example/v1"));
    QCOMPARE(big.keyVariable, std::string("BIG_KEY"));
    QCOMPARE(big.prices->cached, 0.075);
    QCOMPARE(big.callsAtOnce, 9);
    QCOMPARE(big.temperature.value_or(0), 0.7);
    QCOMPARE(big.idleSeconds, 5.0);
    QVERIFY(!big.tellLines && big.tellPeak);
    QCOMPARE(models->back().command.size(), std::size_t(2));
}

void tst_ModelProfile::refusesInWords_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("word");
    QTest::newRow("no JSON") << "{"
                             << "not of the form";
    QTest::newRow("a key in the file")
        << R"({"models": [{"name": "a", "address": "http://x/v1", "model": "m", "api_key": "s"}]})"
        << "keys do not belong in files";
    QTest::newRow("an unknown field") << R"({"models": [{"name": "a", "adress": "http://x"}]})"
                                      << "\"adress\"";
    QTest::newRow("neither server nor program") << R"({"models": [{"name": "a"}]})"
                                                << "command";
    QTest::newRow("another protocol")
        << R"({"models": [{"name": "a", "address": "ftp://x", "model": "m"}]})"
        << "http://";
    QTest::newRow("a password in the address")
        << R"({"models": [{"name": "a", "address": "http://u:p@x/v1", "model": "m"}]})"
        << "password";
    QTest::newRow("a name with a meaning of its own")
        << R"({"models": [{"name": "offline", "command": ["x"]}]})"
        << "meaning";
    QTest::newRow("the same name twice")
        << R"({"models": [{"name": "a", "command": ["x"]}, {"name": "a", "command": ["y"]}]})"
        << "taken";
    QTest::newRow("a wrong type") << R"({"models": [{"name": "a", "command": "x"}]})"
                                  << "entry 1";
}

void tst_ModelProfile::refusesInWords()
{
    QFETCH(QString, text);
    QFETCH(QString, word);
    const auto models = readModels(text.toStdString(), "models.json");
    QVERIFY(!models);
    QVERIFY2(models.error().message.find(word.toStdString()) != std::string::npos,
             models.error().message.c_str());
    QVERIFY(models.error().message.find("models.json") != std::string::npos);
}

void tst_ModelProfile::comesFromTheEnvironment()
{
    qunsetenv("ACCELOPT_MODEL_ADDRESS");
    QVERIFY(!modelOfEnvironment()->has_value());
    qputenv("ACCELOPT_MODEL_ADDRESS", "http://127.0.0.1:1/v1");
    QVERIFY(!modelOfEnvironment()); // which model?
    qputenv("ACCELOPT_MODEL", "tiny");
    qputenv("ACCELOPT_MODEL_CALLS", "3");
    qputenv("ACCELOPT_MODEL_PRICE_IN", "2");
    qputenv("ACCELOPT_MODEL_PRICE_OUT", "8");
    const auto model = modelOfEnvironment();
    ACCELOPT_VERIFY_OK(model);
    QCOMPARE((*model)->name, std::string("env"));
    QCOMPARE((*model)->callsAtOnce, 3);
    QCOMPARE((*model)->prices->cached, 2.0);
    qputenv("ACCELOPT_MODEL_PRICE_IN", "cheap");
    QVERIFY(!modelOfEnvironment());
    for (const char *name : {"ACCELOPT_MODEL_ADDRESS", "ACCELOPT_MODEL", "ACCELOPT_MODEL_CALLS",
                             "ACCELOPT_MODEL_PRICE_IN", "ACCELOPT_MODEL_PRICE_OUT"})
        qunsetenv(name);
}

void tst_ModelProfile::takesTheKeyFromTheEnvironmentOnly()
{
    ModelProfile profile;
    QCOMPARE(keyOf(profile).value_or("?"), std::string());
    profile.keyVariable = "ACCELOPT_TEST_KEY";
    qunsetenv("ACCELOPT_TEST_KEY");
    const auto missing = keyOf(profile);
    QVERIFY(!missing);
    QVERIFY(missing.error().message.find("ACCELOPT_TEST_KEY") != std::string::npos);
    qputenv("ACCELOPT_TEST_KEY", "value\n");
    QCOMPARE(keyOf(profile).value_or("?"), std::string("value"));
    qunsetenv("ACCELOPT_TEST_KEY");
}

void tst_ModelProfile::countsCachedTokensOnce()
{
    ModelProfile profile;
    Usage usage;
    usage.promptTokens = 1'000'000;
    usage.cachedTokens = 400'000;
    usage.completionTokens = 500'000;
    QVERIFY(!priceOf(profile, usage));
    profile.prices = ModelPrices{1.0, 0.25, 4.0};
    QCOMPARE(priceOf(profile, usage).value_or(0), 0.6 + 0.1 + 2.0);
    QVERIFY(!priceOf(profile, Usage{})); // the server told no usage
}

ACCELOPT_TEST(tst_ModelProfile)
#include "tst_ModelProfile.moc"
