// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/domain/Profile.h"
#include "tests/support/TestMain.h"

#include <nlohmann/json.hpp>

using namespace accelopt;

namespace {

Profile sample()
{
    Profile profile;
    profile.device = "trn1";
    profile.modelVersion = "1";
    profile.tableHash = "abc";
    profile.latencyMs = 1.25;
    profile.intervalMs = {1.2, 1.3};
    profile.tieMargin = 0.02;
    profile.counters = {{"hbm_read_bytes", 1e9}, {"tensor_engine_active_time_percent", 0.5}};
    profile.bound = "memory";
    profile.percentOfPeak = 42.5;
    profile.findings = {Finding{"spill", "3 > 0", "too large", "smaller tiles", {4, 1, 4, 9}}};
    profile.lines = {LineCost{4, 10, 1e6, 0, 3000}};
    return profile;
}

} // namespace

class tst_Profile : public QObject
{
    Q_OBJECT

private slots:
    void survivesJson()
    {
        const Profile profile = sample();
        QCOMPARE(nlohmann::json::parse(nlohmann::json(profile).dump()).get<Profile>(), profile);
        Profile roofless = profile;
        roofless.percentOfPeak.reset();
        QCOMPARE(nlohmann::json(roofless).get<Profile>(), roofless);
    }

    void comparesOnlyLikeWithLike_data()
    {
        QTest::addColumn<int>("field");
        QTest::addColumn<bool>("expected");
        QTest::newRow("the same kind compares") << 0 << true;
        QTest::newRow("another device does not") << 1 << false;
        QTest::newRow("measured and simulated do not") << 2 << false;
        QTest::newRow("another model version does not") << 3 << false;
        QTest::newRow("another table does not") << 4 << false;
    }

    void comparesOnlyLikeWithLike()
    {
        QFETCH(int, field);
        QFETCH(bool, expected);
        Profile other = sample();
        other.latencyMs = 9;
        if (field == 1)
            other.device = "trn2";
        if (field == 2)
            other.simulated = false;
        if (field == 3)
            other.modelVersion = "2";
        if (field == 4)
            other.tableHash = "def";
        QCOMPARE(comparable(sample(), other), expected);
    }

    void tiesWithinTheLargerMargin_data()
    {
        QTest::addColumn<double>("other");
        QTest::addColumn<double>("margin");
        QTest::addColumn<bool>("expected");
        QTest::newRow("equal is a tie") << 1.25 << 0.0 << true;
        QTest::newRow("within two percent is a tie") << 1.23 << 0.0 << true;
        QTest::newRow("beyond two percent is none") << 1.2 << 0.0 << false;
        QTest::newRow("the other margin may be the larger") << 1.2 << 0.05 << true;
    }

    void tiesWithinTheLargerMargin()
    {
        QFETCH(double, other);
        QFETCH(double, margin);
        QFETCH(bool, expected);
        Profile second = sample();
        second.latencyMs = other;
        second.tieMargin = margin;
        QCOMPARE(tied(sample(), second), expected);
        QCOMPARE(tied(second, sample()), expected);
    }
};

ACCELOPT_TEST(tst_Profile)
#include "tst_Profile.moc"
