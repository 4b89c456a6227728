// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/domain/Hash.h"

#include "tests/support/TestMain.h"

class tst_Hash : public QObject
{
    Q_OBJECT

private slots:
    void sha256_data();
    void sha256();
};

// The expected digests are the examples that NIST publishes for FIPS 180-4.
void tst_Hash::sha256_data()
{
    QTest::addColumn<std::string>("bytes");
    QTest::addColumn<std::string>("expected");
    QTest::newRow("no bytes at all")
        << std::string()
        << std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    QTest::newRow("one block")
        << std::string("abc")
        << std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    QTest::newRow("padding that needs a second block")
        << std::string("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
        << std::string("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    QTest::newRow("a million letters a")
        << std::string(1'000'000, 'a')
        << std::string("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    QTest::newRow("a zero byte counts")
        << std::string(1, '\0')
        << std::string("6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
}

void tst_Hash::sha256()
{
    QFETCH(const std::string, bytes);
    QFETCH(const std::string, expected);
    QCOMPARE(accelopt::sha256(bytes), expected);
}

ACCELOPT_TEST(tst_Hash)
#include "tst_Hash.moc"
