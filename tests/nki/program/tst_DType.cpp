// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/program/DType.h"
#include "tests/support/TestMain.h"

#include <cmath>
#include <limits>
#include <random>

using namespace accelopt;
using namespace accelopt::nki;

/// Names, promotion and rounding of the element types.
class tst_DType : public QObject
{
    Q_OBJECT

private slots:
    void namesLeadBack();
    void promotes_data();
    void promotes();
    void rounds_data();
    void rounds();
    void bothPrecisionsRoundToTheNearestValue_data();
    void bothPrecisionsRoundToTheNearestValue();
};

void tst_DType::namesLeadBack()
{
    for (int type = 0; type <= int(DType::Float32); ++type)
        QCOMPARE(dtype(name(DType(type))), std::optional(DType(type)));
    QCOMPARE(dtype("bool_"), std::optional(DType::Bool));
    QVERIFY(!dtype("float64"));
}

void tst_DType::promotes_data()
{
    QTest::addColumn<QString>("a");
    QTest::addColumn<QString>("b");
    QTest::addColumn<QString>("result");
    const char *rows[][3] = {
        {"float32", "bfloat16", "float32"},
        {"float16", "bfloat16", "float32"},
        {"float8_e4m3", "float16", "float16"},
        {"float8_e5m2", "bfloat16", "bfloat16"},
        {"float8_e4m3", "float8_e5m2", "bfloat16"},
        {"bfloat16", "int32", "bfloat16"},
        {"int8", "uint8", "int16"},
        {"int8", "uint16", "int32"},
        {"int32", "uint32", "float32"},
        {"int32", "uint8", "int32"},
        {"uint8", "uint16", "uint16"},
        {"int16", "int8", "int16"},
        {"bfloat16", "bfloat16", "bfloat16"},
        {"int8", "uint32", "float32"},
    };
    for (const auto &row : rows)
        QTest::addRow("%s with %s gives %s", row[0], row[1], row[2])
            << QString(row[0]) << QString(row[1]) << QString(row[2]);
}

void tst_DType::promotes()
{
    QFETCH(QString, a);
    QFETCH(QString, b);
    QFETCH(QString, result);
    const DType left = *dtype(a.toStdString());
    const DType right = *dtype(b.toStdString());
    QCOMPARE(name(promote(left, right)), std::string_view(result.toStdString()));
    QCOMPARE(name(promote(right, left)), std::string_view(result.toStdString()));
}

void tst_DType::rounds_data()
{
    QTest::addColumn<int>("type");
    QTest::addColumn<double>("value");
    QTest::addColumn<double>("result");
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const auto row = [](const char *text, DType type, double value, double result) {
        QTest::newRow(text) << int(type) << value << result;
    };
    row("bfloat16 keeps 8 bits", DType::BFloat16, 1.0 + 1.0 / 128, 1.0 + 1.0 / 128);
    row("bfloat16 ties go to even, down", DType::BFloat16, 1.0 + 1.0 / 256, 1.0);
    row("bfloat16 ties go to even, up", DType::BFloat16, 1.0 + 3.0 / 256, 1.0 + 2.0 / 128);
    row("bfloat16 overflows to infinity", DType::BFloat16, 3.4e38, kInfinity);
    row("float16 largest", DType::Float16, 65519.0, 65504.0);
    row("float16 overflows at the tie", DType::Float16, 65520.0, kInfinity);
    row("float16 below the normal numbers", DType::Float16, 3.0e-8,
        std::ldexp(1.0, -25) * 2 * 0.5 * 2);
    row("float16 underflows to zero", DType::Float16, std::ldexp(1.0, -25), 0.0);
    row("float8_e4m3 has 3 bits", DType::Float8E4M3, 17.0, 16.0);
    row("float8_e4m3 largest", DType::Float8E4M3, 247.0, 240.0);
    row("float8_e4m3 overflows", DType::Float8E4M3, 249.0, kInfinity);
    row("float8_e4m3 smallest", DType::Float8E4M3, 0.002, std::ldexp(1.0, -9));
    row("float8_e5m2 has 2 bits", DType::Float8E5M2, -9.1, -10.0);
    row("float8_e5m2 largest", DType::Float8E5M2, 60000.0, 57344.0);
    row("tfloat32 keeps 11 bits", DType::TFloat32, 1.0 + std::ldexp(1.0, -11), 1.0);
    row("integers round to even", DType::Int8, 2.5, 2.0);
    row("integers saturate above", DType::Int8, 300.0, 127.0);
    row("integers saturate below", DType::UInt16, -4.0, 0.0);
    row("int32 saturates", DType::Int32, 1e12, 2147483647.0);
    row("NaN becomes integer zero", DType::Int32, std::nan(""), 0.0);
    row("bool is one for anything but zero", DType::Bool, 0.1, 1.0);
}

void tst_DType::rounds()
{
    QFETCH(int, type);
    QFETCH(double, value);
    QFETCH(double, result);
    QCOMPARE(rounded(value, DType(type)), result);
    if (DType(type) != DType::Int32)
        QCOMPARE(double(rounded(float(value), DType(type))), result);
}

void tst_DType::bothPrecisionsRoundToTheNearestValue_data()
{
    QTest::addColumn<int>("type");
    for (int type = 0; type < int(DType::Float32); ++type)
        QTest::addRow("%s", std::string(name(DType(type))).c_str()) << type;
}

void tst_DType::bothPrecisionsRoundToTheNearestValue()
{
    QFETCH(int, type);
    std::mt19937 random{7};
    std::uniform_real_distribution<float> mantissa(-2.0F, 2.0F);
    std::uniform_int_distribution<int> exponent(-30, 18);
    for (int n = 0; n < 20000; ++n) {
        const float value = std::ldexp(mantissa(random), exponent(random));
        const auto single = double(rounded(value, DType(type)));
        QCOMPARE(single, rounded(double(value), DType(type)) > 2147483646.0
                             ? single
                             : rounded(double(value), DType(type)));
        // What is already of the type stays.
        QCOMPARE(rounded(single, DType(type)), single);
    }
}

ACCELOPT_TEST(tst_DType)
#include "tst_DType.moc"
