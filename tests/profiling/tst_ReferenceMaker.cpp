// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/ReferenceMaker.h"

#include "tests/oracle/TinyTask.h"
#include "tests/support/TestMain.h"

#include <QSignalSpy>
#include <cmath>
#include <optional>

using namespace accelopt;
using namespace accelopt::profiling;

class tst_ReferenceMaker : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void makesOnceThenFinds();
    void twoQuestionsAreOnePieceOfWork();
    void anUntrustedReferenceIsNotRun();
    void aFailingReferenceSaysWhy();
    void aReferenceThatTakesTooLongIsEnded();
    void aReferenceThatEatsMemoryIsStopped();
    void aMissingInterpreterIsNamed();
    void keysOfTheUserDoNotReachTheReference();
    void canceledQuestionsAreNotAnswered();

private:
    using Answer = std::optional<Result<bench::TensorEntry>>;

    Task task() const;
    void make(const Task &task, std::uint64_t seed, Answer &answer);

    std::optional<tests::TinyTask> m_task;
    std::optional<QTemporaryDir> m_folder;
    std::unique_ptr<ReferenceMaker> m_maker;
};

void tst_ReferenceMaker::init()
{
    m_task.emplace();
    m_folder.emplace();
    auto cache = bench::TensorCache::open(m_folder->path().toStdString());
    ACCELOPT_VERIFY_OK(cache);
    m_maker = std::make_unique<ReferenceMaker>(*cache);
}

void tst_ReferenceMaker::cleanup()
{
    m_maker.reset();
    m_folder.reset();
    m_task.reset();
}

Task tst_ReferenceMaker::task() const
{
    auto loaded = m_task->load();
    if (!loaded)
        qFatal("%s", describe(loaded.error()).c_str());
    return *loaded;
}

void tst_ReferenceMaker::make(const Task &task, std::uint64_t seed, Answer &answer)
{
    m_maker->make(task, seed, {},
                  [&answer](Result<bench::TensorEntry> entry) { answer = std::move(entry); });
}

void tst_ReferenceMaker::makesOnceThenFinds()
{
    QSignalSpy progress(m_maker.get(), &ReferenceMaker::progress);
    Answer first;
    make(task(), 5, first);
    QVERIFY(!first); // never before the call returns
    QTRY_VERIFY_WITH_TIMEOUT(first.has_value(), 30000);
    ACCELOPT_VERIFY_OK(*first);
    const auto x = (*first)->argument(0)->values<float>();
    const auto z = (*first)->argument(1)->values<float>();
    const auto y = (*first)->result(0).values<float>();
    QCOMPARE(y.size(), std::size_t(256 * 512));
    for (const std::size_t i : {std::size_t(0), std::size_t(1000), y.size() - 1})
        QCOMPARE(y[i], float(std::exp(8 * double(x[i])) * double(z[i])));
    QVERIFY(progress.count() >= 1);
    QVERIFY(progress[0][0].toString().contains(QStringLiteral("tiny")));

    progress.clear();
    Answer second;
    make(task(), 5, second);
    QTRY_VERIFY_WITH_TIMEOUT(second.has_value(), 30000);
    ACCELOPT_VERIFY_OK(*second);
    QCOMPARE((*second)->folder(), (*first)->folder());
    QCOMPARE(progress.count(), 0);
}

void tst_ReferenceMaker::twoQuestionsAreOnePieceOfWork()
{
    QSignalSpy progress(m_maker.get(), &ReferenceMaker::progress);
    Answer first;
    Answer second;
    Answer other;
    make(task(), 1, first);
    make(task(), 1, second);
    make(task(), 2, other);
    QTRY_VERIFY_WITH_TIMEOUT(first && second && other, 30000);
    ACCELOPT_VERIFY_OK(*first);
    ACCELOPT_VERIFY_OK(*second);
    ACCELOPT_VERIFY_OK(*other);
    QCOMPARE((*first)->folder(), (*second)->folder());
    QVERIFY((*first)->folder() != (*other)->folder());
    int computed = 0;
    for (const auto &arguments : progress)
        computed += arguments[0].toString().startsWith(QStringLiteral("computing")) ? 1 : 0;
    QCOMPARE(computed, 2);
}

void tst_ReferenceMaker::anUntrustedReferenceIsNotRun()
{
    const std::filesystem::path trace = m_task->path("was-run");
    m_task->write("reference.py", "open('" + trace.string() + "', 'w')\n");
    Task foreign = task();
    foreign.trusted = false;
    Answer answer;
    make(foreign, 1, answer);
    QTRY_VERIFY_WITH_TIMEOUT(answer.has_value(), 30000);
    QVERIFY(!*answer);
    QCOMPARE(answer->error().code, ErrorCode::WrongUse);
    QVERIFY(answer->error().message.find("tiny") != std::string::npos);
    QVERIFY(answer->error().hint.find("reference.py") != std::string::npos);
    QVERIFY(!std::filesystem::exists(trace));
}

void tst_ReferenceMaker::aFailingReferenceSaysWhy()
{
    m_task->write("reference.py", "def reference(x, z):\n    return x.reshape(3, 5)\n");
    Answer answer;
    make(task(), 1, answer);
    QTRY_VERIFY_WITH_TIMEOUT(answer.has_value(), 30000);
    QVERIFY(!*answer);
    QVERIFY2(answer->error().message.find("line 2") != std::string::npos,
             answer->error().message.c_str());
    // Nothing half-made is left in the cache.
    QVERIFY(std::filesystem::is_empty(m_folder->path().toStdString()));
}

void tst_ReferenceMaker::aReferenceThatTakesTooLongIsEnded()
{
    m_task->write("reference.py", "def reference(x, z):\n    while True:\n        pass\n");
    m_maker->setTimeLimit(2);
    Answer answer;
    make(task(), 1, answer);
    QTRY_VERIFY_WITH_TIMEOUT(answer.has_value(), 30000);
    QVERIFY(!*answer);
    QVERIFY2(answer->error().message.find("more than 2 s") != std::string::npos,
             answer->error().message.c_str());
}

void tst_ReferenceMaker::aReferenceThatEatsMemoryIsStopped()
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("memory is not limited under sanitizers");
#endif
    m_task->write("reference.py",
                  "import numpy as np\n\n\ndef reference(x, z):\n    return np.ones((1 << 30,))\n");
    Answer answer;
    make(task(), 1, answer);
    QTRY_VERIFY_WITH_TIMEOUT(answer.has_value(), 30000);
    QVERIFY(!*answer);
    QVERIFY2(answer->error().message.find("memory") != std::string::npos,
             answer->error().message.c_str());
}

void tst_ReferenceMaker::aMissingInterpreterIsNamed()
{
    m_maker->setPython("/nowhere/python3");
    Answer answer;
    make(task(), 1, answer);
    QTRY_VERIFY_WITH_TIMEOUT(answer.has_value(), 30000);
    QVERIFY(!*answer);
    QCOMPARE(answer->error().code, ErrorCode::Environment);
    QVERIFY(answer->error().message.find("/nowhere/python3") != std::string::npos);
}

void tst_ReferenceMaker::keysOfTheUserDoNotReachTheReference()
{
    qputenv("OPENAI_API_KEY", "secret");
    m_task->write(
        "reference.py",
        "import os\n\n\ndef reference(x, z):\n    raise ValueError(sorted(os.environ))\n");
    Answer answer;
    make(task(), 1, answer);
    QTRY_VERIFY_WITH_TIMEOUT(answer.has_value(), 30000);
    qunsetenv("OPENAI_API_KEY");
    QVERIFY(!*answer);
    QVERIFY2(answer->error().message.find("PATH") != std::string::npos,
             answer->error().message.c_str());
    QVERIFY(answer->error().message.find("OPENAI_API_KEY") == std::string::npos);
    QVERIFY(answer->error().message.find("XDG_") == std::string::npos);
}

void tst_ReferenceMaker::canceledQuestionsAreNotAnswered()
{
    Answer canceled;
    make(task(), 1, canceled);
    QCoreApplication::processEvents();
    m_maker->cancelAll();
    Answer later;
    make(task(), 2, later);
    QTRY_VERIFY_WITH_TIMEOUT(later.has_value(), 30000);
    ACCELOPT_VERIFY_OK(*later);
    QVERIFY(!canceled);
}

ACCELOPT_TEST(tst_ReferenceMaker)
#include "tst_ReferenceMaker.moc"
