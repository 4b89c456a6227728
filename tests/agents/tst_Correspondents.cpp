// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/CommandCorrespondent.h"
#include "core/agents/PersonCorrespondent.h"

#include "tests/support/TestMain.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace accelopt;
using namespace accelopt::agents;

/// An outside program and a person, as those who answer.
class tst_Correspondents : public QObject
{
    Q_OBJECT

private slots:
    void aProgramReadsThePromptAndAnswers();
    void aProgramFails_data();
    void aProgramFails();
    void aProgramIsEndedWhenItIsTooSlow();
    void aPersonAnswersInAFile();
    void anAnswerFromBeforeIsTaken();

private:
    static ModelProfile python(const char *script)
    {
        ModelProfile profile;
        profile.name = "agent";
        profile.command = {"/usr/bin/python3", "-I", "-c", script};
        return profile;
    }
    static LetterReply ask(Correspondent &correspondent)
    {
        std::optional<LetterReply> reply;
        correspondent.ask({CallId("i0.c0.p0.plan"), RoleName::Planner, {{"user", "Hello"}}, {}},
                          [&](LetterReply given) { reply = std::move(given); });
        for (int turn = 0; !reply && turn < 2000; ++turn)
            QTest::qWait(5);
        if (!reply)
            return {fail(ErrorCode::Internal, "no reply"), {}, {}, {}, {}, {}};
        return std::move(*reply);
    }
};

void tst_Correspondents::aProgramReadsThePromptAndAnswers()
{
    CommandCorrespondent program(python(R"(
import json, sys
asked = json.load(sys.stdin)
print(json.dumps({"text": asked["role"] + " " + asked["call"] + " " + asked["messages"][0]["content"],
                  "usage": {"prompt_tokens": 7, "completion_tokens": 3, "usd": 0.5}}))
)"));
    const LetterReply reply = ask(program);
    ACCELOPT_VERIFY_OK(reply.text);
    QCOMPARE(*reply.text, std::string("planner i0.c0.p0.plan Hello"));
    QCOMPARE(reply.usage.usd, 0.5);
    QCOMPARE(reply.usage.promptTokens, std::int64_t(7));
    QCOMPARE(reply.usage.unpricedCalls, std::int64_t(0));
    QCOMPARE(reply.author, std::string("agent"));
    QVERIFY(reply.received.find("planner i0") != std::string::npos);
}

void tst_Correspondents::aProgramFails_data()
{
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QString>("word");
    QTest::newRow("with a status")
        << QByteArray("import sys; sys.exit('out of luck')") << "status 1: out of luck";
    QTest::newRow("by a signal") << QByteArray("import os; os.kill(os.getpid(), 9)") << "crashed";
    QTest::newRow("with words instead of JSON")
        << QByteArray("print('hello')") << "{\"text\": ...}";
    QTest::newRow("with another type") << QByteArray("print('{\"text\": 3}')") << "{\"text\": ...}";
}

void tst_Correspondents::aProgramFails()
{
    QFETCH(QByteArray, script);
    QFETCH(QString, word);
    CommandCorrespondent program(python(script.constData()));
    const LetterReply reply = ask(program);
    QVERIFY(!reply.text);
    QVERIFY(reply.text.error().code == ErrorCode::NotGood);
    QVERIFY2(reply.text.error().message.find(word.toStdString()) != std::string::npos,
             reply.text.error().message.c_str());
    ModelProfile missing;
    missing.name = "none";
    missing.command = {"/nowhere/to/be/found"};
    CommandCorrespondent nobody(missing);
    QVERIFY(ask(nobody).text.error().code == ErrorCode::Environment);
}

void tst_Correspondents::aProgramIsEndedWhenItIsTooSlow()
{
    ModelProfile profile = python("import time; time.sleep(600)");
    profile.callSeconds = 0.2;
    CommandCorrespondent program(profile);
    const LetterReply reply = ask(program);
    QVERIFY(!reply.text);
    QVERIFY(reply.text.error().message.find("within 0.2 s") != std::string::npos);
}

void tst_Correspondents::aPersonAnswersInAFile()
{
    QTemporaryDir folder;
    PersonCorrespondent person(folder.filePath(QStringLiteral("exchange")).toStdString());
    person.setInterval(5);
    connect(&person, &PersonCorrespondent::waiting, &person,
            [](const QString &prompt, const QString &answer) {
                QFile asked(prompt);
                QVERIFY(asked.open(QIODevice::ReadOnly));
                QVERIFY(asked.readAll().contains("Hello"));
                QFile file(answer);
                QVERIFY(file.open(QIODevice::WriteOnly));
                file.write("Title: mine\nDo it.");
            });
    const LetterReply reply = ask(person);
    ACCELOPT_VERIFY_OK(reply.text);
    QCOMPARE(*reply.text, std::string("Title: mine\nDo it."));
    QCOMPARE(reply.author, std::string("person"));
}

void tst_Correspondents::anAnswerFromBeforeIsTaken()
{
    QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("i0.c0.p0.plan.answer.md")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("early");
    file.close();
    PersonCorrespondent person(folder.path().toStdString());
    person.setInterval(5);
    QCOMPARE(ask(person).text.value_or(""), std::string("early"));
}

ACCELOPT_TEST(tst_Correspondents)
#include "tst_Correspondents.moc"
