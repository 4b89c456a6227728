// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/report/HtmlReport.h"
#include "core/report/RunFigures.h"
#include "core/store/RunFile.h"
#include "core/store/RunReader.h"
#include "tests/report/RunStory.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <filesystem>

using namespace accelopt;

namespace {

const std::string kHostile = "<script>alert('x')</script> & \"quoted\" <img src=x onerror=y>";

/// A run that is written event by event.
class Story
{
public:
    explicit Story(const QString &folder)
        : m_path((folder + QStringLiteral("/r.run")).toStdString())
    {}

    Text text(std::string bytes)
    {
        m_texts.push_back(makeText(std::move(bytes)));
        return m_texts.back();
    }
    void add(EventBody body) { m_events.push_back({0, "engine", 0, std::move(body)}); }

    void open(const std::string &task = "silu")
    {
        RunOpened opened;
        opened.task = task;
        opened.software = "0.1 " + kHostile;
        opened.modelVersion = "m1";
        opened.config.preset = "quick";
        opened.baseline = KernelId("base00000000");
        opened.baselineText = text("def kernel(a):\n    return a < 1\n").id;
        add(opened);
    }
    void plan(int number, const std::string &title)
    {
        PlanMade made;
        made.call = CallId("plan " + std::to_string(number));
        made.plan.slot = {0, 0, number};
        made.plan.parent = KernelId("base00000000");
        made.plan.title = title;
        made.plan.text = title;
        made.plan.author = "offline";
        add(made);
    }
    void attempt(int plan, const std::string &kernel, const std::string &source)
    {
        AttemptMade made;
        made.call = CallId("write " + kernel);
        made.slot = {{0, 0, plan}, 0};
        made.kernel = KernelId(kernel);
        made.text = text(source).id;
        add(made);
    }
    void correct(const std::string &kernel, double latencyMs)
    {
        KernelJudged judged;
        judged.kernel = KernelId(kernel);
        judged.verdict.status = VerdictStatus::Correct;
        judged.profile.device = "trn1";
        judged.profile.modelVersion = "m1";
        judged.profile.latencyMs = latencyMs;
        judged.profile.percentOfPeak = 40;
        add(judged);
    }
    void wrong(const std::string &kernel, const std::string &why)
    {
        KernelJudged judged;
        judged.kernel = KernelId(kernel);
        judged.verdict.status = VerdictStatus::Wrong;
        judged.verdict.reasons = {{"numbers", "tolerance", why, "", {}}};
        add(judged);
    }
    void lesson(const std::string &words)
    {
        PairSummarized summarized;
        summarized.call = CallId("summary");
        summarized.item.id = ItemId("e0.0");
        summarized.item.title = words;
        summarized.item.strategy = words;
        summarized.item.before = words;
        summarized.item.after = words;
        summarized.item.speedup = 1.25;
        add(summarized);
    }

    std::string html()
    {
        auto file = store::RunFile::create(m_path);
        if (!file)
            return describe(file.error());
        if (const auto written = file->append(m_events, m_texts); !written)
            return describe(written.error());
        if (const auto closed = file->close(); !closed)
            return describe(closed.error());
        auto reader = store::RunReader::openForReading(m_path);
        if (!reader)
            return describe(reader.error());
        const auto made = report::htmlReport(*reader);
        return made ? *made : describe(made.error());
    }

private:
    std::filesystem::path m_path;
    std::vector<Event> m_events;
    std::vector<Text> m_texts;
};

/// What a reader of the page sees, without tags; empty when the markup does not nest.
QString words(const std::string &html)
{
    QString page = QString::fromStdString(html);
    // The two void elements of the head and the names of signs are HTML's, not XML's.
    page.remove(QStringLiteral("<!doctype html>\n"));
    page.replace(QRegularExpression(QStringLiteral("<(meta|br)([^>]*)>")),
                 QStringLiteral("<\\1\\2/>"));
    page.replace(QRegularExpression(QStringLiteral("&(ndash|times|hellip);")), QStringLiteral("?"));
    page.remove(QRegularExpression(QStringLiteral("<style>.*</style>"),
                                   QRegularExpression::DotMatchesEverythingOption));
    QXmlStreamReader xml(page);
    QString text;
    while (!xml.atEnd())
        if (xml.readNext() == QXmlStreamReader::Characters)
            text += xml.text().toString() + QLatin1Char(' ');
    if (xml.hasError())
        return QStringLiteral("line %1: %2").arg(xml.lineNumber()).arg(xml.errorString());
    return text;
}

bool refersElsewhere(const std::string &html)
{
    for (const char *reference : {"http:", "https:", "src=\"", "href=", "@import", "url("})
        if (html.find(reference) != std::string::npos)
            return true;
    return false;
}

} // namespace

class tst_HtmlReport : public QObject
{
    Q_OBJECT

private slots:
    void aRunIsToldWhole()
    {
        const QTemporaryDir folder;
        Story story(folder.path());
        story.open();
        story.correct("base00000000", 4.0);
        story.plan(0, "Load wider tiles");
        story.attempt(0, "fast00000000", "def kernel(a):\n    return a < 2\n");
        story.correct("fast00000000", 2.0);
        story.plan(1, "Guess");
        story.attempt(1, "wrong0000000", "def kernel(a):\n    return 0\n");
        story.wrong("wrong0000000", "row 3 differs");
        story.lesson("Wide loads");
        story.add(RunFinished{"6 iterations done"});
        const std::string html = story.html();
        const QString text = words(html);
        for (const char *part :
             {"silu on trn1", "simulated", "6 iterations done", "2 ms", "2.000?", "40 %",
              "Load wider tiles", "Guess", "row 3 differs", "Wide loads", "+     return a < 2",
              "-     return a < 1", "baseline", "m1", "not judged again"})
            QVERIFY2(text.contains(QString::fromUtf8(part)),
                     qPrintable(QString::fromUtf8(part) + QStringLiteral(" in ") + text));
        QVERIFY(!refersElsewhere(html));
        QVERIFY(html.starts_with("<!doctype html>"));
        QVERIFY(html.find("Content-Security-Policy") != std::string::npos);
    }

    void aRunWithoutAWinnerSaysSo()
    {
        const QTemporaryDir folder;
        Story story(folder.path());
        story.open();
        story.correct("base00000000", 4.0);
        story.plan(0, "Guess");
        story.attempt(0, "slow00000000", "def kernel(a):\n    return a < 3\n");
        story.correct("slow00000000", 8.0);
        story.add(RunFinished{"1 iteration done"});
        const QString text = words(story.html());
        QVERIFY2(text.contains(QStringLiteral("no faster kernel found")), qPrintable(text));
        QVERIFY2(!text.contains(QStringLiteral("not judged again")), qPrintable(text));
    }

    void hostileTextsAreShownAndNotObeyed()
    {
        const QTemporaryDir folder;
        Story story(folder.path());
        story.open("silu" + kHostile);
        story.correct("base00000000", 4.0);
        story.plan(0, kHostile);
        story.attempt(0, "fast<i>00000", "def kernel(a):\n    return '''" + kHostile + "'''\n");
        story.correct("fast<i>00000", 2.0);
        story.plan(1, kHostile);
        story.attempt(1, "wrong0000000", "x");
        story.wrong("wrong0000000", kHostile);
        story.lesson(kHostile);
        story.add(RunFinished{kHostile});
        const std::string html = story.html();
        QVERIFY(html.find("<script") == std::string::npos);
        QVERIFY(html.find("<img") == std::string::npos);
        QVERIFY(html.find("<i>") == std::string::npos);
        // Title, heading, plan twice, kernel, reason, lesson four times, end, software.
        const QString text = words(html);
        QVERIFY2(text.count(QString::fromStdString(kHostile)) >= 11, qPrintable(text));
    }

    void bytesThatAreNoTextDoNotBreakThePage()
    {
        const QTemporaryDir folder;
        Story story(folder.path());
        story.open();
        story.correct("base00000000", 4.0);
        story.plan(0, "Plan");
        story.attempt(0, "fast00000000",
                      std::string("def kernel(a):\n    return '\xff\x01\x0c'\n"));
        story.correct("fast00000000", 2.0);
        const std::string html = story.html();
        QVERIFY(QString::fromUtf8(QByteArray::fromStdString(html))
                    .contains(QStringLiteral("def kernel")));
        QVERIFY2(!words(html).startsWith(QStringLiteral("line ")), qPrintable(words(html)));
    }

    void aRunUnderWayIsToldAsFarAsItGot()
    {
        const QTemporaryDir folder;
        Story story(folder.path());
        story.open();
        const QString text = words(story.html());
        QVERIFY2(text.contains(QStringLiteral("not finished")), qPrintable(text));
        QVERIFY(text.contains(QStringLiteral("No iteration has been concluded yet.")));
        QVERIFY(text.contains(QStringLiteral("No correct kernel yet.")));
        QVERIFY(text.contains(QStringLiteral("not judged yet")));
        QVERIFY(text.contains(QStringLiteral("No lesson has been distilled.")));
    }

    void aRunWithoutAnyGainShowsTheBaseline()
    {
        const QTemporaryDir folder;
        Story story(folder.path());
        story.open();
        story.correct("base00000000", 4.0);
        story.plan(0, "Guess");
        story.attempt(0, "wrong0000000", "def kernel(a):\n    return 0\n");
        story.wrong("wrong0000000", "row 3 differs");
        story.add(RunFinished{"1 iteration done"});
        const QString text = words(story.html());
        QVERIFY2(text.contains(QStringLiteral("The best kernel is the baseline.")),
                 qPrintable(text));
        QVERIFY(text.contains(QStringLiteral("1.000?")));
    }

    void aWrongBaselineIsToldToo()
    {
        const QTemporaryDir folder;
        Story story(folder.path());
        story.open();
        story.wrong("base00000000", "row 3 differs");
        story.add(RunFinished{"the baseline is not correct"});
        const QString text = words(story.html());
        QVERIFY2(text.contains(QStringLiteral("the baseline is not correct")), qPrintable(text));
        QVERIFY(text.contains(QStringLiteral("No correct kernel yet.")));
        QVERIFY(text.contains(QStringLiteral("row 3 differs")));
    }

    void everyChartSaysThatItsFiguresAreSimulated()
    {
        const QTemporaryDir folder;
        report::tests::RunStory story;
        story.tell();
        const std::filesystem::path path = (folder.path() + QStringLiteral("/t.run")).toStdString();
        std::vector<Event> events = story.events();
        auto file = store::RunFile::create(path);
        QVERIFY(file && file->append(events, story.texts()) && file->close());
        auto reader = store::RunReader::openForReading(path);
        QVERIFY(reader.has_value());
        const auto html = report::htmlReport(*reader);
        QVERIFY2(html.has_value(), html ? "" : html.error().message.c_str());
        QVERIFY2(!words(*html).startsWith(QStringLiteral("line ")), qPrintable(words(*html)));
        const QString page = QString::fromStdString(*html);
        const auto figures = page.count(QStringLiteral("<figure>"));
        QVERIFY2(figures >= 9, qPrintable(QString::number(figures)));
        QCOMPARE(page.count(QStringLiteral("simulated (cost model m1) on trn1</span>")), figures);
        QVERIFY(!refersElsewhere(*html));
        QVERIFY(html->find("<script") == std::string::npos);
        // Ids are what drawings are named by: none may stand twice.
        static const QRegularExpression id(QStringLiteral(" id=\"([^\"]*)\""));
        QStringList ids;
        for (auto match = id.globalMatch(page); match.hasNext();)
            ids.append(match.next().captured(1));
        QCOMPARE(ids.removeDuplicates(), 0);
        for (const char *title :
             {"Latency of the kernels", "Fast@p", "Speedup over US dollars", "lower bound",
              "Adoption of memory items", "HBM bytes read", "33.33 % repeat a known one",
              "25 % are not correct", "Speedup of candidates and new kernels"})
            QVERIFY2(page.contains(QString::fromUtf8(title)), title);
    }

    void severalRunsShareAPageWithTheirMeans()
    {
        report::tests::RunStory one;
        one.tell();
        report::tests::RunStory other;
        other.task = "bmm<b>";
        other.tell();
        report::tests::RunStory measured;
        measured.task = "lora";
        measured.simulated = false;
        measured.tell();
        report::tests::RunStory broken;
        broken.task = "mamba";
        broken.open();
        broken.failing("base", VerdictStatus::Wrong);
        const std::string html = report::htmlOverview(
            {report::figuresOf(one.events()), report::figuresOf(other.events()),
             report::figuresOf(measured.events()), report::figuresOf(broken.events())});
        const QString text = words(html);
        for (const char *part :
             {"4 runs", "2 runs, simulated (cost model m1) on trn1", "1 run, measured on trn1",
              "2.500?", "bmm<b>", "mamba is in no mean: its baseline is not correct.",
              "Measured on hardware over the fourteen NKIBench tasks.", "5806.83", "1.246?"})
            QVERIFY2(text.contains(QString::fromUtf8(part)),
                     qPrintable(QString::fromUtf8(part) + QStringLiteral(" in ") + text));
        QVERIFY(!refersElsewhere(html));
    }

    void aFileWithoutARunIsRefused()
    {
        const QTemporaryDir folder;
        Story story(folder.path());
        QVERIFY(story.html().find("holds no run yet") != std::string::npos);
    }
};

ACCELOPT_TEST(tst_HtmlReport)
#include "tst_HtmlReport.moc"
