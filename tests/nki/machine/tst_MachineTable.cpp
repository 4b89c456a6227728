// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/domain/Resources.h"
#include "core/nki/machine/Machine.h"
#include "core/nki/machine/MachineTable.h"
#include "tests/support/TestMain.h"

#include <nlohmann/json.hpp>

using namespace accelopt;
using namespace accelopt::nki;

class tst_MachineTable : public QObject
{
    Q_OBJECT

private slots:
    void shippedDevicesLoad_data()
    {
        QTest::addColumn<QString>("device");
        QTest::addColumn<double>("vectorClock");
        QTest::addColumn<qint64>("sbuf");
        QTest::newRow("trn1") << "trn1" << 1.12e9 << qint64(192 * 1024);
        QTest::newRow("trn2") << "trn2" << 0.96e9 << qint64(224 * 1024);
    }
    void shippedDevicesLoad()
    {
        QFETCH(QString, device);
        QFETCH(double, vectorClock);
        QFETCH(qint64, sbuf);
        const auto machine = Machine::load(device.toStdString());
        ACCELOPT_VERIFY_OK(machine);
        const MachineTable &table = machine->table();
        QCOMPARE(machine->device(), device.toStdString());
        QCOMPARE(table.engine(Engine::Vector).clockHz, vectorClock);
        QCOMPARE(qint64(table.sbufBytesPerPartition), sbuf);
        QCOMPARE(table.psumBanks, 8);
        QVERIFY(table.spillCapacityBytesPerPartition <= table.usableSbufBytesPerPartition);
        QVERIFY(table.usableSbufBytesPerPartition < table.sbufBytesPerPartition);
        QCOMPARE(machine->tableHash().size(), std::size_t(64));
        for (const auto &[path, number] : table.numbers)
            QVERIFY2(!number.source.empty(), path.c_str());
    }

    void peakOfTrn1IsTheArrayTimesItsClock()
    {
        const auto machine = Machine::load("trn1");
        ACCELOPT_VERIFY_OK(machine);
        const MachineTable &table = machine->table();
        QCOMPARE(table.tensorPeakFlops, 2.0 * 128 * 128 * table.engine(Engine::Tensor).clockHz);
        // neuron-profile reports the ratio rounded from a bandwidth of 410 GB/s.
        QVERIFY(std::abs(table.peakFlopsBandwidthRatio - table.tensorPeakFlops / 410e9) < 0.01);
    }

    void devicesHaveDifferentTables()
    {
        QVERIFY(Machine::load("trn1")->tableHash() != Machine::load("trn2")->tableHash());
        QCOMPARE(Machine::load("trn1")->tableHash(), Machine::load("trn1")->tableHash());
    }

    void unknownDeviceNamesTheKnownOnes()
    {
        const auto machine = Machine::load("trn9");
        QVERIFY(!machine);
        QCOMPARE(machine.error().code, ErrorCode::WrongUse);
        QVERIFY(machine.error().message.find("trn9") != std::string::npos);
        QVERIFY(machine.error().hint.find("trn1") != std::string::npos);
        QVERIFY(machine.error().hint.find("trn2") != std::string::npos);
    }

    void malformedFilesAreRefusedWithThePlace_data()
    {
        QTest::addColumn<QString>("change");
        QTest::addColumn<QString>("place");
        QTest::newRow("a number without a source")
            << R"([{"op": "remove", "path": "/machine/dma/engines/source"}])"
            << "machine/dma/engines";
        QTest::newRow("a number that does not say whether it is fitted")
            << R"([{"op": "remove", "path": "/machine/psum/banks/fitted"}])"
            << "machine/psum/banks";
        QTest::newRow("a value that is a text")
            << R"([{"op": "replace", "path": "/machine/latency/launch_ns/value", "value": "fast"}])"
            << "machine/latency/launch_ns";
        QTest::newRow("a missing number")
            << R"([{"op": "remove", "path": "/machine/engines/scalar/clock_hz"}])"
            << "machine/engines/scalar/clock_hz";
        QTest::newRow("a negative number")
            << R"([{"op": "replace", "path": "/machine/latency/overlap_share/value", "value": -1}])"
            << "machine/latency/overlap_share";
        QTest::newRow("a clock of zero")
            << R"([{"op": "replace", "path": "/machine/engines/vector/clock_hz/value", "value": 0}])"
            << "clock";
        QTest::newRow("a bare number")
            << R"([{"op": "replace", "path": "/machine/psum/banks", "value": 8}])"
            << "machine/psum/banks";
        QTest::newRow("no section") << R"([{"op": "remove", "path": "/machine"}])"
                                    << "machine";
    }
    void malformedFilesAreRefusedWithThePlace()
    {
        QFETCH(QString, change);
        QFETCH(QString, place);
        const auto good = nlohmann::json::parse(resource("resources/devices/trn1.json"));
        const auto bad = good.patch(nlohmann::json::parse(change.toStdString()));
        const auto table = MachineTable::parse(bad.dump(), "trn1.json");
        QVERIFY(!table);
        QCOMPARE(table.error().code, ErrorCode::Format);
        QVERIFY2(table.error().message.find(place.toStdString()) != std::string::npos,
                 table.error().message.c_str());
        QVERIFY(!table.error().hint.empty());
    }

    void textThatIsNoJsonIsRefused()
    {
        for (const char *text : {"", "{", "[]", "7"}) {
            const auto table = MachineTable::parse(text, "x.json");
            QVERIFY(!table);
            QCOMPARE(table.error().code, ErrorCode::Format);
        }
    }
};

ACCELOPT_TEST(tst_MachineTable)
#include "tst_MachineTable.moc"
