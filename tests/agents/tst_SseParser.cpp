// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/SseParser.h"

#include "tests/support/TestMain.h"

using accelopt::agents::SseParser;

class tst_SseParser : public QObject
{
    Q_OBJECT

private slots:
    void findsTheSameEventsHoweverTheBytesAreCut();
    void keepsWhatHasNoBlankLineYet();
};

void tst_SseParser::findsTheSameEventsHoweverTheBytesAreCut()
{
    const std::string text = ": a comment\r\ndata: one\r\n\r\nevent: x\ndata:two\ndata: lines\n\n"
                             "data: gr\xc3\xbc\xc3\x9f\n\n\n\nid: 4\n\n";
    const std::vector<std::string> expected{"one", "two\nlines", "gr\xc3\xbc\xc3\x9f"};
    for (std::size_t step = 1; step <= text.size(); ++step) {
        SseParser parser;
        std::vector<std::string> events;
        for (std::size_t at = 0; at < text.size(); at += step)
            for (const std::string &event : parser.feed(text.substr(at, step)))
                events.push_back(event);
        QCOMPARE(events, expected);
        QCOMPARE(parser.rest(), std::string());
    }
}

void tst_SseParser::keepsWhatHasNoBlankLineYet()
{
    SseParser parser;
    QVERIFY(parser.feed("data: [DO").empty());
    QVERIFY(parser.feed("NE]").empty());
    QCOMPARE(parser.rest(), std::string("[DONE]"));
    QCOMPARE(parser.rest(), std::string());
}

ACCELOPT_TEST(tst_SseParser)
#include "tst_SseParser.moc"
