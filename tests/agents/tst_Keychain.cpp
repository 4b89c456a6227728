// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/Keychain.h"
#include "core/agents/ModelProfile.h"
#include "tests/support/TestMain.h"

using namespace accelopt;
using namespace accelopt::agents;

/// The order of the places in which a key is looked for. A real keychain is asked by the system
/// tests; here it is switched off, as in every test.
class tst_Keychain : public QObject
{
    Q_OBJECT

private slots:
    void isSwitchedOffForTests();
    void theEnvironmentComesFirst();
};

void tst_Keychain::isSwitchedOffForTests()
{
    QVERIFY(!Keychain::available());
    for (const Result<void> &done : {Keychain::write("K", "secret-1"), Keychain::forget("K"),
                                     Keychain::read("K").map([](const std::string &) {})}) {
        QVERIFY(!done);
        QVERIFY(done.error().code == ErrorCode::Environment);
        QVERIFY(describe(done.error()).find("secret-1") == std::string::npos);
    }
}

void tst_Keychain::theEnvironmentComesFirst()
{
    ModelProfile model;
    model.name = "m";
    model.keyVariable = "ACCELOPT_TEST_KEY_OF_NOBODY";
    const auto missing = keyOf(model);
    QVERIFY(!missing);
    QVERIFY(missing.error().message.find("ACCELOPT_TEST_KEY_OF_NOBODY") != std::string::npos);
    // Where there is no keychain, nobody is sent there.
    QVERIFY(describe(missing.error()).find("keychain") == std::string::npos);
    qputenv("ACCELOPT_TEST_KEY_OF_NOBODY", "sk-1 \n");
    const auto found = keyOf(model);
    qunsetenv("ACCELOPT_TEST_KEY_OF_NOBODY");
    ACCELOPT_VERIFY_OK(found);
    QCOMPARE(*found, std::string("sk-1"));
}

ACCELOPT_TEST(tst_Keychain)
#include "tst_Keychain.moc"
