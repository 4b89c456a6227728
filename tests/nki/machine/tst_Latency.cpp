// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Latency.h"
#include "tests/nki/machine/MachineTests.h"
#include "tests/support/TestMain.h"

#include <cmath>

using namespace accelopt;
using namespace accelopt::nki;
using namespace accelopt::tests;

namespace {

Profile profileAt(double latencyMs)
{
    Profile profile;
    profile.device = "trn1";
    profile.latencyMs = latencyMs;
    profile.intervalMs = latencyInterval(latencyMs, deviceTable());
    profile.tieMargin = deviceTable().tieMargin;
    return profile;
}

} // namespace

class tst_Latency : public QObject
{
    Q_OBJECT

private slots:
    void differencesAreSurerThanTheirLatencies()
    {
        const Profile slow = profileAt(4.0);
        const Profile fast = profileAt(3.0);
        const Interval difference = differenceInterval(slow, fast);
        QVERIFY(difference.low < -1.0 && difference.high > -1.0);
        const double apart = (slow.intervalMs.high - slow.intervalMs.low) / 2 +
                             (fast.intervalMs.high - fast.intervalMs.low) / 2;
        QVERIFY((difference.high - difference.low) / 2 < 0.5 * apart);
        QVERIFY(difference.high < 0); // a gain of a quarter is believed
    }

    void tiesMayGoEitherWay()
    {
        const Interval none = differenceInterval(profileAt(2.0), profileAt(2.0));
        QVERIFY(none.low < 0 && none.high > 0);
        QVERIFY(std::abs(none.low + none.high) < 1e-12);
        const Interval little = differenceInterval(profileAt(2.0), profileAt(1.98));
        QVERIFY(little.low < 0 && little.high > 0);
    }

    void theOtherWayRoundIsTheNegative()
    {
        const Interval there = differenceInterval(profileAt(4.0), profileAt(3.0));
        const Interval back = differenceInterval(profileAt(3.0), profileAt(4.0));
        QVERIFY(std::abs(there.low + back.high) < 1e-12);
        QVERIFY(std::abs(there.high + back.low) < 1e-12);
    }

    void shortKernelsAreLessSure()
    {
        const auto width = [](double ms) {
            const Interval interval = latencyInterval(ms, deviceTable());
            return (interval.high - interval.low) / ms;
        };
        QVERIFY(width(0.2) > 1.5 * width(5.0));
    }
};

ACCELOPT_TEST(tst_Latency)
#include "tst_Latency.moc"
