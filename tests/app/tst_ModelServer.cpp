// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/TextCodec.h"
#include "tests/app/RunProgram.h"
#include "tests/support/ScriptedServer.h"
#include "tests/support/TestMain.h"

#include <QDirIterator>
#include <QEventLoop>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <nlohmann/json.hpp>

using namespace accelopt;
using namespace accelopt::tests;

namespace {

constexpr const char *kPlantedKey = "sk-planted-51c7e0aa94";

/// A kernel of the task silu around the lines that compute a tile.
QByteArray kernelWith(const QByteArray &lines, const QByteArray &name = "kernel")
{
    return "import neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\n\n\n@nki.jit\ndef " +
           name +
           "(x):\n"
           "    rows, columns = x.shape\n"
           "    y = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)\n"
           "    for i in nl.affine_range(rows // 128):\n" +
           lines + "    return y\n";
}

QByteArray fencedIn(const QByteArray &code)
{
    return "Here it is.\n```python\n" + code + "```\nThat should do.\n";
}

/// Every text in a run file, unpacked; whether an event names it or not.
std::vector<std::string> textsOf(const std::string &file)
{
    QProcess python;
    python.start(
        QStringLiteral("/usr/bin/python3"),
        {QStringLiteral("-I"), QStringLiteral("-c"),
         QStringLiteral("import json, sqlite3, sys\n"
                        "file = sqlite3.connect('file:' + sys.argv[1] + '?mode=ro', uri=True)\n"
                        "print(json.dumps([[codec, size, bytes.hex()] for codec, size, bytes in\n"
                        "                  file.execute('select codec, size, bytes from text')]))"),
         QString::fromStdString(file)});
    python.waitForFinished();
    std::vector<std::string> texts;
    const auto rows = nlohmann::json::parse(python.readAllStandardOutput().toStdString());
    for (const auto &row : rows) {
        const QByteArray bytes =
            QByteArray::fromHex(QByteArray::fromStdString(row.at(2).get<std::string>()));
        auto text = store::decodeText(row.at(0).get<std::string>(), row.at(1).get<std::int64_t>(),
                                      bytes.toStdString());
        texts.push_back(text ? std::move(*text) : "not unpacked: " + text.error().message);
    }
    return texts;
}

const QByteArray kRow = "x[i * 128:(i + 1) * 128, 0:2048]";

QByteArray goodKernel()
{
    return kernelWith("        t = nl.load(" + kRow +
                      ")\n        nl.store(y[i * 128:(i + 1) * 128, 0:2048], nl.silu(t))\n");
}

QByteArray wrongKernel()
{
    return kernelWith("        t = nl.load(" + kRow +
                      ")\n        nl.store(y[i * 128:(i + 1) * 128, 0:2048], nl.sigmoid(t))\n");
}

/// Writes half of the rows' columns and hopes that nobody looks at the rest.
QByteArray cheatingKernel()
{
    return kernelWith("        t = nl.load(x[i * 128:(i + 1) * 128, 0:1024])\n"
                      "        nl.store(y[i * 128:(i + 1) * 128, 0:1024], nl.silu(t))\n");
}

QByteArray brokenKernel()
{
    return kernelWith("        t = nl.load(" + kRow + "\n");
}

} // namespace

/// A whole search in the terminal program whose roles are played by a scripted model server, an
/// outside program, and a recording of the first.
class tst_ModelServer : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void searchesWithGoodAndBadAnswers();
    void whatTheMemoryCostsIsTold();
    void aRecordingGivesTheSameRun();
    void theKeyIsFoundNowhere();
    void repairsWhatDoesNotCompile();
    void anOutsideProgramPlaysARole();
    void aRefusedKeyStopsTheRunAndNothingIsLost();
    void testsAModelInWords();
    void refusesWhatIsNotConfigured_data();
    void refusesWhatIsNotConfigured();

private:
    Ran runHere(const Arguments &arguments, const std::string &key = kPlantedKey) const;
    void configure(const std::string &address, const std::string &command = {}) const;
    Scripted reply(const Requested &request);
    std::string at(const char *name) const
    {
        return m_folder->filePath(QString::fromLatin1(name)).toStdString();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ScriptedServer> m_server;
    int m_kernels = 0;
    bool m_refuse = false;
};

void tst_ModelServer::initTestCase()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    m_server = std::make_unique<ScriptedServer>(
        [this](const Requested &request, int) { return reply(request); });
    configure(m_server->address());
}

void tst_ModelServer::configure(const std::string &address, const std::string &command) const
{
    std::filesystem::create_directories(at("config"));
    nlohmann::json models = nlohmann::json::array();
    models.push_back({{"name", "scripted"},
                      {"address", address},
                      {"model", "m"},
                      {"key_variable", "PLANTED_KEY"},
                      {"price", {{"in", 1}, {"cached", 0.5}, {"out", 10}}},
                      {"calls_at_once", 2}});
    if (!command.empty())
        models.push_back({{"name", "program"}, {"command", {"/usr/bin/python3", "-I", command}}});
    write(at("config/models.json"), nlohmann::json{{"models", models}}.dump());
}

Ran tst_ModelServer::runHere(const Arguments &arguments, const std::string &key) const
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("ACCELOPT_CONFIG"), QString::fromStdString(at("config")));
    environment.insert(QStringLiteral("XDG_DATA_HOME"), QString::fromStdString(at("data")));
    if (key.empty())
        environment.remove(QStringLiteral("PLANTED_KEY"));
    else
        environment.insert(QStringLiteral("PLANTED_KEY"), QString::fromStdString(key));
    process.setProcessEnvironment(environment);
    // The server lives on this thread: it must be able to answer meanwhile.
    QEventLoop loop;
    QObject::connect(&process, &QProcess::finished, &loop, &QEventLoop::quit);
    QTimer::singleShot(100'000, &loop, &QEventLoop::quit);
    process.start(kProgram, toQt(arguments));
    process.closeWriteChannel();
    loop.exec();
    Ran ran;
    if (process.state() == QProcess::NotRunning && process.exitStatus() == QProcess::NormalExit)
        ran.status = process.exitCode();
    ran.out = process.readAllStandardOutput().toStdString();
    ran.err = process.readAllStandardError().toStdString();
    return ran;
}

/// What a model would say; the role is told by the system message.
Scripted tst_ModelServer::reply(const Requested &request)
{
    if (m_refuse)
        return http(401, QByteArray("{\"error\":{\"message\":\"no: ") + kPlantedKey + "\"}}");
    if (request.body.contains("Your part: the planner"))
        return answer("Title: Use one instruction\nReplace the steps of the sigmoid by nl.silu.");
    if (request.body.contains("Your part: the summarizer"))
        return answer("Title: One function instead of five\nThe scalar engine has silu.\n"
                      "```\nnl.exp\n```\n```\nnl.silu\n```\n");
    if (request.body.contains("answer = 42"))
        return answer("```python\nanswer = 42\n```");
    if (request.body.contains("The checker refused"))
        return answer(fencedIn(goodKernel()));
    switch (m_kernels++ % 6) {
    case 0: return answer(fencedIn(wrongKernel()));
    case 1: return answer(fencedIn(cheatingKernel()));
    case 2: return answer(fencedIn(brokenKernel()));
    case 3: return answer("I would rather not write code today.");
    case 4: return answer(fencedIn(goodKernel()));
    default: // the same kernel with other words
        return answer(fencedIn("# a remark\n" + goodKernel()));
    }
}

void tst_ModelServer::searchesWithGoodAndBadAnswers()
{
    const Ran ran = runHere({"run", "--task", "silu", "--shape", "lab", "-B", "1", "-N", "6", "-T",
                             "1", "--workers", "1", "--agents", "scripted", "--out",
                             at("first.accelopt"), "--json"});
    QVERIFY2(ran.status == 0, ran.err.c_str());
    const auto document = nlohmann::json::parse(ran.out);
    const auto &run = document.at("runs").at(0);
    QCOMPARE(run.at("kernels").at("not_compiling").get<int>(), 1);
    QCOMPARE(run.at("kernels").at("wrong").get<int>(), 2); // the wrong one and the cheating one
    QCOMPARE(run.at("kernels").at("correct").get<int>(), 1);
    QCOMPARE(run.at("kernels").at("duplicate").get<int>(), 1);
    QVERIFY(run.at("best").at("speedup").get<double>() > 1.05);
    QVERIFY(run.at("best").at("confirmed").get<bool>());
    const auto &usage = run.at("usage");
    QCOMPARE(usage.at("planner").at("calls").get<int>(), 6);
    QCOMPARE(usage.at("executor").at("calls").get<int>(), 6);
    // Two plans came to the good kernel, and each of them is a lesson.
    QCOMPARE(usage.at("summarizer").at("calls").get<int>(), 2);
    // 60 tokens at 1, 40 cached at 0.5, 10 out at 10 dollars a million.
    QVERIFY(qAbs(usage.at("planner").at("usd").get<double>() - 6 * 180e-6) < 1e-9);
    // Two lessons were written, and no plan was told of them yet.
    QVERIFY(qAbs(run.at("memory_cost").at("lessons_usd").get<double>() - 2 * 180e-6) < 1e-9);
    QCOMPARE(run.at("memory_cost").at("prompt_tokens").get<double>(), 0.0);
    const Ran shown = runHere({"show", at("first.accelopt")});
    QVERIFY2(shown.status == 0, shown.err.c_str());
    QVERIFY2(contains(shown.out, "planner $0.0011 in 6 calls"), shown.out.c_str());
    QVERIFY(contains(shown.out, "$0.0004 to write lessons"));
}

void tst_ModelServer::whatTheMemoryCostsIsTold()
{
    m_kernels = 4; // a good one
    const Ran ran = runHere({"run",
                             "--task",
                             "silu",
                             "--shape",
                             "lab",
                             "-B",
                             "1",
                             "-N",
                             "1",
                             "-T",
                             "1",
                             "--workers",
                             "1",
                             "--agents",
                             "scripted",
                             "--memory-from",
                             at("first.accelopt"),
                             "--out",
                             at("carried.accelopt"),
                             "--json"});
    QVERIFY2(ran.status == 0, ran.err.c_str());
    const auto cost = nlohmann::json::parse(ran.out).at("runs").at(0).at("memory_cost");
    const double share = cost.at("prompt_share");
    QVERIFY(share > 0.001 && share < 0.5); // some lines of a prompt of pages
    QVERIFY(qAbs(cost.at("prompt_tokens").get<double>() - 100 * share) < 1e-9);
    // 60 tokens at 1 and 40 cached ones at 0.5 dollars a million, rounded to whole tokens.
    QVERIFY(qAbs(cost.at("prompt_usd").get<double>() - share * 80e-6) < 1.01e-6);
}

void tst_ModelServer::aRecordingGivesTheSameRun()
{
    const std::size_t asked = m_server->requests.size();
    const Ran ran = runHere({"run", "--task", "silu", "--shape", "lab", "-B", "1", "-N", "6", "-T",
                             "1", "--workers", "1", "--agents", "replay:" + at("first.accelopt"),
                             "--out", at("again.accelopt"), "--json"},
                            {});
    QVERIFY2(ran.status == 0, ran.err.c_str());
    QCOMPARE(m_server->requests.size(), asked); // without the network
    for (const char *name : {"first", "again"})
        QCOMPARE(runHere({"export", at((std::string(name) + ".accelopt").c_str()), "--canonical",
                          at((std::string(name) + ".txt").c_str())})
                     .status,
                 0);
    QVERIFY(!contentOf(at("first.txt")).empty());
    // Who was asked is part of the configuration, and nothing else may differ.
    std::string text = contentOf(at("again.txt"));
    const std::string replay = "replay:" + at("first.accelopt");
    for (std::size_t place = text.find(replay); place != std::string::npos;
         place = text.find(replay))
        text.replace(place, replay.size(), "scripted");
    QCOMPARE(text, contentOf(at("first.txt")));
}

void tst_ModelServer::theKeyIsFoundNowhere()
{
    // The server did see it.
    QVERIFY(m_server->requests.front().head.contains(kPlantedKey));
    m_refuse = true;
    const Ran refused = runHere({"run", "--task", "silu", "--shape", "lab", "--agents", "scripted",
                                 "--out", at("refused.accelopt")});
    m_refuse = false;
    QVERIFY(refused.err.find(kPlantedKey) == std::string::npos);
    QVERIFY(refused.err.find("[key]") != std::string::npos);
    QCOMPARE(runHere({"export", at("first.accelopt"), "--html", at("report.html")}).status, 0);
    int files = 0;
    QDirIterator each(m_folder->path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (each.hasNext()) {
        QFile file(each.next());
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY2(!file.readAll().contains(kPlantedKey), qPrintable(file.fileName()));
        ++files;
    }
    QVERIFY(files >= 5);
    // Texts in a run file are compressed: every one of them is unpacked and looked at, too.
    int texts = 0;
    bool sawPrompt = false;
    for (const char *name : {"first.accelopt", "refused.accelopt"})
        for (const std::string &text : textsOf(at(name))) {
            QVERIFY(!text.starts_with("not unpacked"));
            QVERIFY2(text.find(kPlantedKey) == std::string::npos, text.substr(0, 300).c_str());
            sawPrompt = sawPrompt || contains(text, "Your part: the planner");
            ++texts;
        }
    QVERIFY(texts > 20);
    QVERIFY(sawPrompt); // what was sent is among them
}

void tst_ModelServer::repairsWhatDoesNotCompile()
{
    m_kernels = 2; // the broken one
    const Ran ran = runHere({"run",
                             "--task",
                             "silu",
                             "--shape",
                             "lab",
                             "-B",
                             "1",
                             "-N",
                             "1",
                             "-T",
                             "1",
                             "--workers",
                             "1",
                             "--repair",
                             "1",
                             "--agents",
                             "scripted",
                             "--out",
                             at("repair.accelopt"),
                             "--json"});
    QVERIFY2(ran.status == 0, ran.err.c_str());
    const auto run = nlohmann::json::parse(ran.out).at("runs").at(0);
    QCOMPARE(run.at("kernels").at("not_compiling").get<int>(), 1);
    QCOMPARE(run.at("kernels").at("correct").get<int>(), 1);
    bool sawMessage = false;
    for (const Requested &request : m_server->requests)
        sawMessage = sawMessage || (request.body.contains("The checker refused") &&
                                    request.body.contains("verdict: not_compiling"));
    QVERIFY(sawMessage);
}

void tst_ModelServer::anOutsideProgramPlaysARole()
{
    write(at("agent.py"),
          "import json, sys\nasked = json.load(sys.stdin)\nassert asked['role'] == 'executor'\n"
          "print(json.dumps({'text': '```python\\n' + open(" +
              nlohmann::json(at("good.py")).dump() + ").read() + '```'}))\n");
    write(at("good.py"), goodKernel().toStdString());
    configure(m_server->address(), at("agent.py"));
    const Ran ran = runHere({"run",        "--task",    "silu",
                             "--shape",    "lab",       "-B",
                             "1",          "-N",        "1",
                             "-T",         "1",         "--workers",
                             "1",          "--planner", "scripted",
                             "--executor", "program",   "--summarizer",
                             "offline",    "--out",     at("program.accelopt"),
                             "--json"});
    QVERIFY2(ran.status == 0, ran.err.c_str());
    const auto run = nlohmann::json::parse(ran.out).at("runs").at(0);
    QCOMPARE(run.at("kernels").at("correct").get<int>(), 1);
}

void tst_ModelServer::aRefusedKeyStopsTheRunAndNothingIsLost()
{
    m_refuse = true;
    const Arguments begin{"run",
                          "--task",
                          "silu",
                          "--shape",
                          "lab",
                          "-B",
                          "1",
                          "-N",
                          "2",
                          "-T",
                          "1",
                          "--workers",
                          "1",
                          "--agents",
                          "scripted",
                          "--out",
                          at("stopped.accelopt")};
    const Ran stopped = runHere(begin);
    m_refuse = false;
    QCOMPARE(stopped.status, 3);
    QVERIFY2(contains(stopped.err, "401") && contains(stopped.err, "--resume"),
             stopped.err.c_str());
    m_kernels = 4;
    const Ran resumed =
        runHere({"run", "--resume", "--out", at("stopped.accelopt"), "--json", "--workers", "1"});
    QVERIFY2(resumed.status == 0, resumed.err.c_str());
    QCOMPARE(
        nlohmann::json::parse(resumed.out).at("runs").at(0).at("kernels").at("correct").get<int>(),
        1);
}

void tst_ModelServer::testsAModelInWords()
{
    const Ran good = runHere({"models", "test", "scripted"});
    QVERIFY2(good.status == 0, good.err.c_str());
    QVERIFY(contains(good.out, "100 tokens in (40 cached), 10 out"));
    const Ran inJson = runHere({"models", "test", "scripted", "--json"});
    QVERIFY(nlohmann::json::parse(inJson.out).at("ready").get<bool>());
    const Ran keyless = runHere({"models", "test", "scripted"}, {});
    QCOMPARE(keyless.status, 1);
    QVERIFY(contains(keyless.err, "PLANTED_KEY"));
}

void tst_ModelServer::refusesWhatIsNotConfigured_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("words");
    const QStringList run{QStringLiteral("run"), QStringLiteral("--shape"), QStringLiteral("lab")};
    QTest::newRow("a model without a name in the file")
        << (run + QStringList{QStringLiteral("--agents"), QStringLiteral("nobody")})
        << "no agents named 'nobody'";
    QTest::newRow("a recording that is not there")
        << (run + QStringList{QStringLiteral("--agents"), QStringLiteral("replay:/nowhere")})
        << "/nowhere";
    QTest::newRow("a host without a name in the file")
        << (run + QStringList{QStringLiteral("--on"), QStringLiteral("trn7")}) << "'trn7'";
    QTest::newRow("a test of nobody")
        << QStringList{QStringLiteral("models"), QStringLiteral("test"), QStringLiteral("nobody")}
        << "nobody";
    QTest::newRow("a test of no host")
        << QStringList{QStringLiteral("hosts"), QStringLiteral("test"), QStringLiteral("trn7")}
        << "trn7";
}

void tst_ModelServer::refusesWhatIsNotConfigured()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, words);
    Arguments given;
    for (const QString &argument : arguments)
        given.push_back(argument.toStdString());
    const Ran ran = runHere(given);
    QCOMPARE(ran.status, 2);
    QVERIFY2(contains(ran.err, words.toStdString()), ran.err.c_str());
}

ACCELOPT_TEST(tst_ModelServer)
#include "tst_ModelServer.moc"
