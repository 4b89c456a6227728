// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/domain/NamesLike.h"
#include "tests/support/TestMain.h"

#include <QTest>
#include <string>
#include <vector>

using namespace accelopt;

using NameList = std::vector<std::string>;

/// What a person may have meant.
class tst_NamesLike : public QObject
{
    Q_OBJECT

private slots:
    void theNearestComeFirst()
    {
        const NameList names{"--task", "--tneg", "--target", "--tpos", "--device"};
        const NameList like = namesLike("--taks", names);
        QVERIFY(!like.empty());
        QCOMPARE(like.front(), std::string("--task"));
        QVERIFY(like.size() <= 3);
    }

    void aPartOfANameIsLikeIt()
    {
        QCOMPARE(namesLike("softmax", {"silu", "bmm_softmax"}), NameList{"bmm_softmax"});
    }

    void nothingIsLikeEverything()
    {
        QVERIFY(namesLike("frobnicate", {"silu", "adamw"}).empty());
        // Two letters replaced make any other word of two letters of it.
        QVERIFY(namesLike("xy", {"ab"}).empty());
        QVERIFY(namesLike("", {"ab"}).empty());
    }
};

ACCELOPT_TEST(tst_NamesLike)
#include "tst_NamesLike.moc"
