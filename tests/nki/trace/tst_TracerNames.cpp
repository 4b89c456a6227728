// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/nki/support/Traced.h"
#include "tests/support/TestMain.h"

using namespace accelopt;
using namespace accelopt::tests;

/// Names that NKI's modules do not have: slips of the pen are told from what only the simulator
/// lacks.
class tst_TracerNames : public QObject
{
    Q_OBJECT

private slots:
    void namesAreToldApart_data()
    {
        QTest::addColumn<QString>("statement");
        QTest::addColumn<QString>("failure");
        QTest::addColumn<QString>("words");
        const auto row = [](const char *name, const char *statement, const char *failure,
                            const char *words) {
            QTest::newRow(name) << QString::fromUtf8(statement) << QString::fromUtf8(failure)
                                << QString::fromUtf8(words);
        };
        row("a letter too many", "t = nl.expp(nl.load(b))  # here", "not_compiling unknown_name",
            "NKI has no nl.expp / did you mean nl.exp?");
        row("two letters exchanged", "t = nl.mutliply(nl.load(b), 2.0)  # here",
            "not_compiling unknown_name", "did you mean nl.multiply?");
        row("a name that NKI documents", "t = nl.gather_flattened(nl.load(b))  # here",
            "unsupported unsupported", "it may still run on hardware");
        row("a name like none", "t = nl.frobnicate(nl.load(b))  # here", "unsupported unsupported",
            "it may still run on hardware");
        row("an instruction that newer versions may have", "t = nisa.activate(nl.load(b))  # here",
            "unsupported unsupported", "it may still run on hardware");
        row("a method of numpy's arrays", "t = nl.load(b).max(axis=1)  # here",
            "not_compiling unknown_name", "write nl.max(tile, axis=...)");
        row("numpy", "t = np.linalg(nl.load(b))  # here", "unsupported unsupported",
            "a kernel cannot use np.linalg / numpy runs on the host");
    }

    void namesAreToldApart()
    {
        QFETCH(const QString, statement);
        QFETCH(const QString, failure);
        QFETCH(const QString, words);
        const std::string source = kernelAround(statement.toStdString());
        const Traced traced = traceText(source);
        QCOMPARE(traced.failure(),
                 fmt::format("{} line {}", failure.toStdString(), lineOfRemark(source)));
        QVERIFY2(traced.words().find(words.toStdString()) != std::string::npos,
                 traced.words().c_str());
    }
};

ACCELOPT_TEST(tst_TracerNames)
#include "tst_TracerNames.moc"
