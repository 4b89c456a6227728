// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/OwnTask.h"
#include "tests/support/TestMain.h"

#include <QTemporaryDir>
#include <algorithm>

using namespace accelopt::tests;

/// A kernel of one's own becomes a task, its reference is confirmed, and it is judged.
class tst_OwnTasks : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void aNewTaskIsJudgedOnce();
    void aWrongKernelIsToldWhenTheTaskIsMade();
    void aReferenceIsConfirmedLater();
    void aPersonAtTheTerminalIsAsked();
    void aChangedReferenceIsAskedAboutAgain();
    void searchesAskBeforeTheyBegin();
    void aTaskThatCameWithTheProgramIsNotReplaced();
    void aTaskThatIsThereIsSaidToBe();
    void mistakesAreToldByOption();
    void wideInputsShowWhatIsOnlyRightForSmallNumbers();
    void wideInputsAreNoWiderThanTheReferenceAllows();
    void aKernelThatDoesNotCompileIsSaidInsteadOfSearched();
    void aKernelWithoutADecoratorIsNoted();

private:
    std::string path(const std::string &name) const
    {
        return m_folder.path().toStdString() + "/" + name;
    }
    Ran check(const std::string &task) const
    {
        return runProgram({"check", path("scale.py"), "--task", task});
    }
    QTemporaryDir m_folder;
};

void tst_OwnTasks::initTestCase()
{
    QVERIFY(m_folder.isValid());
    qputenv("XDG_DATA_HOME", QByteArray::fromStdString(path("data")));
    write(path("scale.py"), scaleRows(kScaleBody));
    write(path("scale_ref.py"), kScaleReference);
}

void tst_OwnTasks::aNewTaskIsJudgedOnce()
{
    const Ran made = runProgram(newScaleRows("judged", path(""), {"--trust"}));
    QVERIFY2(made.status == 0, (made.out + made.err).c_str());
    QVERIFY2(contains(made.out, "judged is a task now"), made.out.c_str());
    QVERIFY2(contains(made.out, "correct (simulated)"), made.out.c_str());
}

void tst_OwnTasks::aWrongKernelIsToldWhenTheTaskIsMade()
{
    write(path("scale.py"), scaleRows("        out = nl.add(tile, factor)\n"));
    const Ran made = runProgram(newScaleRows("slips", path(""), {"--trust"}));
    write(path("scale.py"), scaleRows(kScaleBody));
    QCOMPARE(made.status, 1);
    QVERIFY2(contains(made.out, "slips is a task now"), made.out.c_str());
    QVERIFY2(contains(made.out, "wrong (simulated)"), made.out.c_str());
    QVERIFY2(contains(made.out, "--task slips"), made.out.c_str());
}

void tst_OwnTasks::aReferenceIsConfirmedLater()
{
    const Ran made = runProgram(newScaleRows("later", path("")));
    QCOMPARE(made.status, 0);
    QVERIFY2(contains(made.out, "`accelopt bench trust later`"), made.out.c_str());
    for (const Ran &ran :
         {check("later"), runProgram({"run", "--task", "later", "--out", path("no.accelopt")})}) {
        QCOMPARE(ran.status, 2);
        QVERIFY2(contains(ran.err, "nobody has confirmed it yet"), ran.err.c_str());
        QVERIFY2(contains(ran.err, "`accelopt bench trust later`"), ran.err.c_str());
    }
    QVERIFY(!exists(path("no.accelopt")));
    QVERIFY(contains(runProgram({"tasks"}).out, "later (its reference is not confirmed)"));
    // Nobody is there to be asked.
    const Ran refused = runProgram({"bench", "trust", "later"});
    QCOMPARE(refused.status, 2);
    QVERIFY2(contains(refused.err, "--yes"), refused.err.c_str());
    QVERIFY2(contains(refused.err, std::to_string(kScaleReference.size()) + " bytes, SHA-256 "),
             refused.err.c_str());
    const Ran trusted = runProgram({"bench", "trust", "later", "--yes"});
    QVERIFY2(trusted.status == 0, trusted.err.c_str());
    const Ran checked = check("later");
    QVERIFY2(checked.status == 0, (checked.out + checked.err).c_str());
    const Ran again = runProgram({"bench", "trust", "later"});
    QCOMPARE(again.status, 0);
    QVERIFY2(contains(again.out, "already"), again.out.c_str());
    QCOMPARE(runProgram({"bench", "trust", "nowhere", "--yes"}).status, 2);
}

void tst_OwnTasks::aPersonAtTheTerminalIsAsked()
{
    QCOMPARE(runProgram(newScaleRows("asked", path(""))).status, 0);
    const Arguments arguments{"check", path("scale.py"), "--task", "asked"};
    const Ran no = runAtTerminal(arguments, "n\n");
    if (no.status == kNoTerminal)
        QSKIP("there is no terminal to ask at");
    QCOMPARE(no.status, 2);
    QVERIFY2(contains(no.out, "reference.py"), no.out.c_str());
    QVERIFY2(contains(no.out, "may it be run? [y/N]"), no.out.c_str());
    const Ran yes = runAtTerminal(arguments, "y\n");
    QVERIFY2(yes.status == 0, yes.out.c_str());
    QVERIFY2(contains(yes.out, "correct (simulated)"), yes.out.c_str());
    const Ran after = runAtTerminal(arguments, "");
    QCOMPARE(after.status, 0);
    QVERIFY2(!contains(after.out, "[y/N]"), after.out.c_str());
}

void tst_OwnTasks::aChangedReferenceIsAskedAboutAgain()
{
    QCOMPARE(runProgram(newScaleRows("edited", path(""), {"--trust"})).status, 0);
    write(path("data/accelopt/tasks/edited/reference.py"),
          "def reference(x, s):\n    return s * x\n");
    const Ran changed = check("edited");
    QCOMPARE(changed.status, 2);
    QVERIFY2(contains(changed.err, "has changed since"), changed.err.c_str());
    QVERIFY2(contains(changed.err, "`accelopt bench trust edited`"), changed.err.c_str());
    QCOMPARE(runProgram({"bench", "trust", "edited", "--yes"}).status, 0);
    QCOMPARE(check("edited").status, 0);
}

void tst_OwnTasks::searchesAskBeforeTheyBegin()
{
    QCOMPARE(runProgram(newScaleRows("sought", path(""))).status, 0);
    const Ran ran = runAtTerminal({"run", "--task", "sought", "-T", "1", "-N", "1", "-B", "1",
                                   "--workers", "1", "--out", path("sought.accelopt")},
                                  "y\n");
    if (ran.status == kNoTerminal)
        QSKIP("there is no terminal to ask at");
    QVERIFY2(ran.status <= 1, ran.out.c_str());
    QVERIFY2(contains(ran.out, "may it be run? [y/N]"), ran.out.c_str());
    QVERIFY(exists(path("sought.accelopt")));
}

void tst_OwnTasks::aTaskThatCameWithTheProgramIsNotReplaced()
{
    const Ran ran = runProgram(newScaleRows("silu", path(""), {"--trust"}));
    QCOMPARE(ran.status, 2);
    QVERIFY2(contains(ran.err, "\"silu\" is a task that came with the program"), ran.err.c_str());
    QVERIFY(!exists(path("data/accelopt/tasks/silu")));
}

void tst_OwnTasks::aTaskThatIsThereIsSaidToBe()
{
    QCOMPARE(runProgram(newScaleRows("twice", path(""))).status, 0);
    const Ran ran = runProgram(newScaleRows("twice", path(""), {"--trust"}));
    QCOMPARE(ran.status, 2);
    QVERIFY2(contains(ran.err, "there is already a task \"twice\""), ran.err.c_str());
    QVERIFY2(contains(ran.err, "`accelopt bench trust twice`"), ran.err.c_str());
}

void tst_OwnTasks::mistakesAreToldByOption()
{
    Arguments arguments = newScaleRows("mistaken", path(""));
    std::replace(arguments.begin(), arguments.end(), std::string("x:M,N"), std::string("x:M,Q"));
    const Ran size = runProgram(arguments);
    QCOMPARE(size.status, 2);
    QVERIFY2(size.err.starts_with("accelopt: --arg x:M,Q: "), size.err.c_str());
    QVERIFY2(!contains(size.err, ".new-"), size.err.c_str());
    const Ran traffic = runProgram(newScaleRows("mistaken", path(""), {"--traffic", "2*M*Z"}));
    QCOMPARE(traffic.status, 2);
    QVERIFY2(traffic.err.starts_with("accelopt: --traffic 2*M*Z: "), traffic.err.c_str());
    QVERIFY(!exists(path("data/accelopt/tasks/mistaken")));
}

void tst_OwnTasks::wideInputsShowWhatIsOnlyRightForSmallNumbers()
{
    write(path("scale_ref.py"), "import numpy as np\n\n\n"
                                "def reference(x, s):\n"
                                "    power = np.exp(x - x.max(axis=1, keepdims=True))\n"
                                "    return s * power / power.sum(axis=1, keepdims=True)\n");
    const std::string rest = "        total = nl.sum(power, axis=[1], keepdims=True)\n"
                             "        out = nl.multiply(nl.divide(power, total), factor)\n";
    write(path("scale.py"), scaleRows("        power = nl.exp(tile)\n" + rest));
    const Ran careless = runProgram(newScaleRows("careless", path(""), {"--trust"}));
    QCOMPARE(careless.status, 1);
    QVERIFY2(contains(careless.out, "wrong (simulated)"), careless.out.c_str());
    write(path("scale.py"), scaleRows("        largest = nl.max(tile, axis=[1], keepdims=True)\n"
                                      "        power = nl.exp(nl.subtract(tile, largest))\n" +
                                      rest));
    const Ran careful = runProgram(newScaleRows("careful", path(""), {"--trust"}));
    QVERIFY2(careful.status == 0, (careful.out + careful.err).c_str());
}

void tst_OwnTasks::wideInputsAreNoWiderThanTheReferenceAllows()
{
    write(path("scale_ref.py"), "import numpy as np\n\n\n"
                                "def reference(x, s):\n"
                                "    return s * np.exp(x)\n");
    write(path("scale.py"), scaleRows("        out = nl.multiply(nl.exp(tile), factor)\n"));
    const Ran made = runProgram(newScaleRows("power", path(""), {"--trust"}));
    QVERIFY2(made.status == 0, (made.out + made.err).c_str());
    const Ran checked =
        runProgram({"check", path("scale.py"), "--task", "power", "--full", "--json"});
    QVERIFY2(checked.status == 0, checked.out.c_str());
    QVERIFY(contains(contentOf(path("data/accelopt/tasks/power/task.json")), "\"wide\""));
    write(path("scale_ref.py"), kScaleReference);
    write(path("scale.py"), scaleRows(kScaleBody));
}

void tst_OwnTasks::aKernelThatDoesNotCompileIsSaidInsteadOfSearched()
{
    write(path("broken.py"), scaleRows("        out = nl.multiply(tile, factor\n"));
    const Arguments arguments{
        "run",       "--task", "silu",  "--shape",         "lab", "--kernel", path("broken.py"),
        "--workers", "1",      "--out", path("b.accelopt")};
    const Ran ran = runProgram(arguments);
    QCOMPARE(ran.status, 1);
    QVERIFY2(contains(ran.err, "not_compiling"), ran.err.c_str());
    QVERIFY2(contains(ran.err, "line ") && contains(ran.err, "^"), ran.err.c_str());
    QVERIFY2(ran.out.empty(), ran.out.c_str());
    // The next try finds nothing in its way.
    QVERIFY(!exists(path("b.accelopt")));
    QVERIFY2(!contains(runProgram(arguments).err, "exists already"), "the second try");
}

void tst_OwnTasks::aKernelWithoutADecoratorIsNoted()
{
    QCOMPARE(runProgram(newScaleRows("bare", path(""), {"--trust"})).status, 0);
    std::string source = scaleRows(kScaleBody);
    QVERIFY2(!contains(check("bare").out, "@nki.jit"), "a decorated kernel");
    source.erase(source.find("@nki.jit\n"), std::string("@nki.jit\n").size());
    write(path("bare.py"), source);
    const Ran bare = runProgram({"check", path("bare.py"), "--task", "bare"});
    QCOMPARE(bare.status, 0);
    QVERIFY2(contains(bare.out, "no function is decorated with @nki.jit"), bare.out.c_str());
}

ACCELOPT_TEST(tst_OwnTasks)
#include "tst_OwnTasks.moc"
