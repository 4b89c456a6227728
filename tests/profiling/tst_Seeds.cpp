// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/Seeds.h"

#include "tests/support/TestMain.h"

#include <set>

using namespace accelopt;
using namespace accelopt::profiling;

class tst_Seeds : public QObject
{
    Q_OBJECT

private slots:
    void theSameRunDrawsTheSameInputs();
    void purposesAndRunsDrawDifferentInputs();
    void eachKernelIsSampledInItsOwnWay();
};

void tst_Seeds::theSameRunDrawsTheSameInputs()
{
    QCOMPARE(secretSeeds(3, JudgePurpose::Search, 2), secretSeeds(3, JudgePurpose::Search, 2));
    // More seeds begin with the fewer ones, so that their references are still of use.
    QCOMPARE(secretSeeds(3, JudgePurpose::Search, 5)[0],
             secretSeeds(3, JudgePurpose::Search, 1)[0]);
}

void tst_Seeds::purposesAndRunsDrawDifferentInputs()
{
    std::set<std::uint64_t> all;
    for (std::uint64_t run = 0; run < 10; ++run)
        for (const JudgePurpose purpose : {JudgePurpose::Search, JudgePurpose::Confirmation})
            for (const std::uint64_t seed : secretSeeds(run, purpose, 3))
                all.insert(seed);
    QCOMPARE(all.size(), std::size_t(60));
    QVERIFY(!all.contains(0)); // the published benchmark's own seed is known to everybody
}

void tst_Seeds::eachKernelIsSampledInItsOwnWay()
{
    const KernelId a("aaaa");
    const KernelId b("bbbb");
    QVERIFY(samplingSeed(1, JudgePurpose::Search, a) != samplingSeed(1, JudgePurpose::Search, b));
    QVERIFY(samplingSeed(1, JudgePurpose::Search, a) !=
            samplingSeed(1, JudgePurpose::Confirmation, a));
    QCOMPARE(samplingSeed(1, JudgePurpose::Search, a), samplingSeed(1, JudgePurpose::Search, a));
}

ACCELOPT_TEST(tst_Seeds)
#include "tst_Seeds.moc"
