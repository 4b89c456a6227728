// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/TextCodec.h"

#include "tests/support/TestMain.h"

#include <limits>

using namespace accelopt;
using store::decodeText;
using store::encodeText;

class tst_TextCodec : public QObject
{
    Q_OBJECT

private slots:
    void refusesWhatIsNoText_data();
    void refusesWhatIsNoText();
    void givesTheTextAgain();
};

void tst_TextCodec::refusesWhatIsNoText_data()
{
    const std::string text(10'000, 'k');
    const std::string packed = encodeText(text).bytes;
    const auto size = static_cast<qint64>(text.size());
    QTest::addColumn<std::string>("codec");
    QTest::addColumn<qint64>("size");
    QTest::addColumn<std::string>("bytes");
    QTest::addColumn<bool>("newer");
    const auto row = [](const char *name, const char *codec, qint64 bytes,
                        const std::string &content, bool newer) {
        QTest::newRow(name) << std::string(codec) << bytes << content << newer;
    };
    row("a compression of the future", "zpaq", size, packed, true);
    row("a raw text that is too short", "raw", 5, "four", false);
    row("a compressed text that is cut", "zstd", size, packed.substr(0, packed.size() - 3), false);
    row("a compressed text longer than it says", "zstd", size - 1, packed, false);
    row("a compressed text shorter than it says", "zstd", size + 1, packed, false);
    row("no compressed text", "zstd", size, text, false);
    row("a negative length", "raw", -1, "", false);
    row("a length that would exhaust the memory", "zstd", std::numeric_limits<qint64>::max(),
        packed, false);
}

void tst_TextCodec::refusesWhatIsNoText()
{
    QFETCH(std::string, codec);
    QFETCH(qint64, size);
    QFETCH(std::string, bytes);
    QFETCH(bool, newer);
    const auto text = decodeText(codec, size, bytes);
    QVERIFY(!text);
    QCOMPARE(text.error().code, newer ? ErrorCode::Newer : ErrorCode::Format);
}

void tst_TextCodec::givesTheTextAgain()
{
    const std::string text(10'000, 'k');
    const store::StoredText stored = encodeText(text);
    QCOMPARE(stored.codec, std::string("zstd"));
    QVERIFY(stored.bytes.size() < 100);
    const auto read = decodeText(stored.codec, 10'000, stored.bytes);
    ACCELOPT_VERIFY_OK(read);
    QVERIFY(*read == text);
    QCOMPARE(encodeText("ab").codec, std::string("raw"));
}

ACCELOPT_TEST(tst_TextCodec)
#include "tst_TextCodec.moc"
