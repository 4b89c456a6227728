// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/search/Calls.h"
#include "core/search/Random.h"

#include <set>

using namespace accelopt;
using namespace accelopt::search;

class tst_Calls : public QObject
{
    Q_OBJECT

private slots:
    void namesAreTheContract()
    {
        QCOMPARE(planCall({2, 0, 3}).value, std::string("i2.c0.p3.plan"));
        QCOMPARE(writeCall({{{2, 0, 3}, 1}, 0}).value, std::string("i2.c0.p3.a1.write"));
        QCOMPARE(writeCall({{{2, 0, 3}, 1}, 1}).value, std::string("i2.c0.p3.a1.r1.write"));
        QCOMPARE(summaryCall(2, 0).value, std::string("i2.m0.summary"));
        QCOMPARE(judgeCall(KernelId("abc"), JudgePurpose::Confirmation).value,
                 std::string("judge.abc.confirmation"));
    }

    void namesAreReadBack()
    {
        const Turn turn{{{12, 3, 45}, 6}, 2};
        const auto plan = callPlace(planCall(turn.slot.plan));
        QVERIFY(plan && plan->role == RoleName::Planner);
        QCOMPARE(plan->turn.slot.plan, turn.slot.plan);
        const auto write = callPlace(writeCall(turn));
        QVERIFY(write && write->role == RoleName::Executor);
        QVERIFY(write->turn == turn);
        const auto first = callPlace(writeCall({turn.slot, 0}));
        QVERIFY(first && first->turn.repair == 0);
        const auto summary = callPlace(summaryCall(7, 1));
        QVERIFY(summary && summary->role == RoleName::Summarizer);
        QCOMPARE(summary->iteration, 7);
        QCOMPARE(summary->rank, 1);
    }

    void refusesOtherNames_data()
    {
        QTest::addColumn<QString>("name");
        for (const char *name : {"", "i", "i2", "i2.c0.p3", "i2.c0.p3.plan.x", "i2.c0.p3.a1",
                                 "i-2.c0.p3.plan", "i2.c0.p3.a1.r0.write", "i2.m0", "i2.m.summary",
                                 "judge.abc.search", "i99999999999.m0.summary", "xi2.c0.p3.plan"})
            QTest::newRow(name[0] ? name : "nothing") << QString::fromUtf8(name);
    }

    void refusesOtherNames()
    {
        QFETCH(QString, name);
        QVERIFY(!callPlace(CallId(name.toStdString())));
    }

    void everyCallHasASeedOfItsOwn()
    {
        std::set<std::uint64_t> seeds;
        for (std::uint64_t run = 0; run < 10; ++run)
            for (int p = 0; p < 100; ++p)
                seeds.insert(callSeed(run, planCall({0, 0, p})));
        QCOMPARE(seeds.size(), std::size_t(1000));
        QCOMPARE(callSeed(3, planCall({0, 0, 1})), callSeed(3, planCall({0, 0, 1})));
    }

    void drawsAreUniformAndWithinTheBound()
    {
        Random random(1);
        int counts[7] = {};
        for (int i = 0; i < 70000; ++i) {
            const std::uint64_t value = random.below(7);
            QVERIFY(value < 7);
            ++counts[value];
        }
        for (const int number : counts)
            QVERIFY2(number > 9500 && number < 10500, std::to_string(number).c_str());
    }

    void theGeneratorIsSplitMix64()
    {
        // First outputs of SplitMix64 for seed 0.
        Random random(0);
        QCOMPARE(random.next(), 0xE220A8397B1DCDAFULL);
        QCOMPARE(random.next(), 0x6E789E6AA1B965F4ULL);
    }
};

ACCELOPT_TEST(tst_Calls)
#include "tst_Calls.moc"
