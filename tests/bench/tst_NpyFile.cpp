// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/NpyFile.h"
#include "tests/bench/BenchSupport.h"
#include "tests/support/TestMain.h"

#include <cstring>
#include <numeric>

using namespace accelopt;
using namespace accelopt::tests;
using bench::NpyFile;

namespace {

std::string npyText(const std::string &dictionary, std::size_t dataBytes, char version = 1)
{
    std::string text("\x93NUMPY");
    text += version;
    text += '\0';
    const std::size_t length = dictionary.size();
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
        text += char(length >> (8 * i) & 0xff);
    return text + dictionary + std::string(dataBytes, '\0');
}

template <typename T> std::span<const std::byte> bytesOf(const std::vector<T> &values)
{
    return std::as_bytes(std::span(values));
}

} // namespace

class tst_NpyFile : public QObject
{
    Q_OBJECT

private slots:
    void whatIsWrittenIsRead_data()
    {
        QTest::addColumn<QList<int>>("sizes");
        QTest::newRow("a matrix") << QList<int>{3, 5};
        QTest::newRow("a row of numbers") << QList<int>{15};
        QTest::newRow("many axes") << QList<int>{1, 3, 1, 5, 1};
        QTest::newRow("a single number without axes") << QList<int>{};
        QTest::newRow("an empty axis") << QList<int>{3, 0};
    }
    void whatIsWrittenIsRead()
    {
        QFETCH(QList<int>, sizes);
        const Shape shape(sizes.begin(), sizes.end());
        std::vector<float> values(std::size_t(elementCount(shape)));
        std::iota(values.begin(), values.end(), 0.5f);
        QTemporaryDir folder;
        const auto path = pathOf(folder) / "x.npy";
        ACCELOPT_VERIFY_OK(bench::writeNpy(path, "float32", shape, bytesOf(values)));
        const auto file = NpyFile::open(path);
        ACCELOPT_VERIFY_OK(file);
        QCOMPARE(file->dtype(), std::string("float32"));
        QVERIFY(file->shape() == shape);
        const auto read = file->values<float>();
        QVERIFY(std::equal(read.begin(), read.end(), values.begin(), values.end()));
        QVERIFY(file->values<double>().empty());
    }

    void doublesAndIntegersKeepTheirBits()
    {
        QTemporaryDir folder;
        const auto path = pathOf(folder) / "x.npy";
        const std::vector<double> doubles = {0.1, -1e300};
        ACCELOPT_VERIFY_OK(bench::writeNpy(path, "float64", {2}, bytesOf(doubles)));
        QCOMPARE(NpyFile::open(path)->values<double>()[1], -1e300);
        const std::vector<std::int32_t> integers = {7, INT32_MIN};
        ACCELOPT_VERIFY_OK(bench::writeNpy(path, "int32", {2, 1}, bytesOf(integers)));
        QCOMPARE(NpyFile::open(path)->values<std::int32_t>()[1], INT32_MIN);
    }

    void elementsAreAlignedTo64Bytes()
    {
        QTemporaryDir folder;
        const auto path = pathOf(folder) / "x.npy";
        const std::vector<float> values(6);
        ACCELOPT_VERIFY_OK(bench::writeNpy(path, "float32", {2, 3}, bytesOf(values)));
        const auto size = std::filesystem::file_size(path);
        QCOMPARE((size - 24) % 64, std::uintmax_t(0));
    }

    void headersAsOthersWriteThem_data()
    {
        QTest::addColumn<QByteArray>("dictionary");
        QTest::addColumn<int>("version");
        QTest::newRow("version 1")
            << QByteArray("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n") << 1;
        QTest::newRow("version 2")
            << QByteArray("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n") << 2;
        QTest::newRow("another order")
            << QByteArray("{'shape': (2,3), 'fortran_order': False, 'descr': '<f4'}") << 1;
        QTest::newRow("double quotes")
            << QByteArray("{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (2, 3)}") << 1;
    }
    void headersAsOthersWriteThem()
    {
        QFETCH(QByteArray, dictionary);
        QFETCH(int, version);
        QTemporaryDir folder;
        const auto path = pathOf(folder) / "x.npy";
        writeFile(path, npyText(dictionary.toStdString(), 24, char(version)));
        const auto file = NpyFile::open(path);
        ACCELOPT_VERIFY_OK(file);
        QVERIFY((file->shape() == Shape{2, 3}));
        QCOMPARE(file->bytes().size(), std::size_t(24));
    }

    void brokenFiles_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("words");
        const auto row = [](const char *name, const std::string &content, const char *words) {
            QTest::newRow(name) << QByteArray::fromStdString(content) << words;
        };
        const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
        row("an empty file", "", "does not begin like a .npy file");
        row("a text file", "hello, this is text", "does not begin like a .npy file");
        row("only the magic", "\x93NUMPY", "does not begin like a .npy file");
        row("version 3", npyText(good, 24, 3), "format version 3 is not known");
        row("half a header", npyText(good, 0).substr(0, 40), "cut short");
        row("one byte too few", npyText(good, 23), "cut short");
        row("one byte too many", npyText(good, 25), "1 bytes follow its last element");
        row("Fortran order",
            npyText("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", 24),
            "Fortran order");
        row("big-endian",
            npyText("{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3), }", 24),
            "element type is \">f4\"");
        row("half precision",
            npyText("{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }", 12),
            "element type is \"<f2\"");
        row("a structure",
            npyText("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,), }", 24),
            "element type is a structure");
        row("a negative size",
            npyText("{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3), }", 24),
            "header cannot be read");
        row("a size beyond 64 bits",
            npyText("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }",
                    24),
            "cut short");
        row("no shape", npyText("{'descr': '<f4', 'fortran_order': False}", 24),
            "header cannot be read");
        row("a shape without end",
            npyText("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3", 24),
            "header cannot be read");
        row("something else than a dictionary", npyText("[1, 2]", 24), "header cannot be read");
    }
    void brokenFiles()
    {
        QFETCH(QByteArray, content);
        QFETCH(QString, words);
        QTemporaryDir folder;
        const auto path = pathOf(folder) / "broken.npy";
        writeFile(path, content.toStdString());
        const auto file = NpyFile::open(path);
        QVERIFY(!file);
        QCOMPARE(file.error().code, ErrorCode::Format);
        QVERIFY2(file.error().message.find(words.toStdString()) != std::string::npos,
                 file.error().message.c_str());
        QVERIFY(file.error().message.find("broken.npy") != std::string::npos);
    }

    void aMissingFileIsNamed()
    {
        const auto file = NpyFile::open("/nowhere/x.npy");
        QVERIFY(!file);
        QCOMPARE(file.error().code, ErrorCode::Environment);
        QVERIFY(file.error().message.find("/nowhere/x.npy") != std::string::npos);
    }

    void bytesThatDoNotFitTheShapeAreNotWritten()
    {
        QTemporaryDir folder;
        const std::vector<float> values(5);
        QVERIFY(!bench::writeNpy(pathOf(folder) / "x.npy", "float32", {2, 3}, bytesOf(values)));
        QVERIFY(!std::filesystem::exists(pathOf(folder) / "x.npy"));
        QVERIFY(!bench::writeNpy(pathOf(folder) / "x.npy", "bfloat16", {5}, bytesOf(values)));
    }

    void aMovedFileLeavesNothingBehind()
    {
        QTemporaryDir folder;
        const auto path = pathOf(folder) / "x.npy";
        const std::vector<float> values = {1, 2};
        ACCELOPT_VERIFY_OK(bench::writeNpy(path, "float32", {2}, bytesOf(values)));
        NpyFile first = *NpyFile::open(path);
        NpyFile second = std::move(first);
        QCOMPARE(second.values<float>()[1], 2.0f);
        QCOMPARE(first.elements(), std::int64_t(0));
        QVERIFY(first.values<float>().empty());
    }
};

ACCELOPT_TEST(tst_NpyFile)
#include "tst_NpyFile.moc"
