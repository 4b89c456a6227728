// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/domain/Search.h"

#include <nlohmann/json.hpp>

using namespace accelopt;

class tst_Search : public QObject
{
    Q_OBJECT

private slots:
    void slotsAreNamedByTheirNumbers()
    {
        QCOMPARE(planId(PlanSlot{2, 0, 3}).value, std::string("i2.c0.p3"));
        QCOMPARE(describe(AttemptSlot{{2, 0, 3}, 1}), std::string("i2.c0.p3.a1"));
    }

    void slotsAreOrderedByIterationCandidatePlanAttempt()
    {
        QVERIFY((PlanSlot{0, 9, 9} < PlanSlot{1, 0, 0}));
        QVERIFY((PlanSlot{1, 0, 9} < PlanSlot{1, 1, 0}));
        QVERIFY((AttemptSlot{{1, 0, 0}, 9} < AttemptSlot{{1, 0, 1}, 0}));
    }

    void everyRoleHasItsNameBack()
    {
        for (RoleName role : kRoles)
            QCOMPARE(roleName(name(role)).value(), role);
        QVERIFY(!roleName("critic").has_value());
    }

    void usageAddsUp()
    {
        Usage sum{1, 100, 10, 20, 0.5, 0};
        sum += Usage{2, 200, 0, 30, 0.25, 1};
        QCOMPARE(sum, (Usage{3, 300, 10, 50, 0.75, 1}));
    }

    void plansAndItemsSurviveJson()
    {
        Plan plan{
            {2, 1, 3},        KernelId("k"), "fuse", "Fuse the loops.", "{\"rewrite\":\"fuse\"}",
            {ItemId("e0.1")}, "offline"};
        QCOMPARE(nlohmann::json::parse(nlohmann::json(plan).dump()).get<Plan>(), plan);
        ExperienceItem item;
        item.id = ItemId("e0.1");
        item.title = "Fuse";
        item.strategy = "Fuse loops over one tile.";
        item.before = "a";
        item.after = "b";
        item.positive = false;
        item.speedup = 1.5;
        item.slow = KernelId("s");
        item.fast = KernelId("f");
        item.plan = PlanId("i0.c0.p0");
        item.iteration = 3;
        item.tags = {{"bound", "memory"}};
        QCOMPARE(nlohmann::json::parse(nlohmann::json(item).dump()).get<ExperienceItem>(), item);
    }
};

ACCELOPT_TEST(tst_Search)
#include "tst_Search.moc"
