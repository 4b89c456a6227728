// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/execute/Inspector.h"
#include "tests/nki/support/ProgramRunner.h"
#include "tests/nki/support/Traced.h"
#include "tests/support/TestMain.h"

#include <algorithm>

using namespace accelopt;
using namespace accelopt::tests;

namespace {

/// Doubles a, in tiles of 128 rows and 256 columns; with `mistake`, the tile of the second rows and
/// columns is doubled twice.
std::string doubling(bool mistake)
{
    return kernelAround(std::string("for i in nl.affine_range(2):\n"
                                    "    for j in nl.affine_range(2):\n"
                                    "        x = nl.load(a[i * 128:i * 128 + 128, "
                                    "j * 256:j * 256 + 256])\n"
                                    "        y = nl.multiply(x, ") +
                        (mistake ? "2.0 + 2.0 * (i * j)" : "2.0") +
                        ")\n"
                        "        nl.store(out[i * 128:i * 128 + 128, j * 256:j * 256 + 256], "
                        "value=y)\n");
}

struct Looked
{
    explicit Looked(const std::string &source)
        : tree(**nki::SyntaxHelper().parse(source)),
          traced(traceText(source)),
          dependences(nki::analyse(traced.program())),
          values(randomValues(256 * 512, 5)),
          others(randomValues(128 * 512, 6)),
          inspector(traced.program(), dependences, &tree)
    {
        inputs = {{values.data(), std::int64_t(values.size())},
                  {others.data(), std::int64_t(others.size())},
                  {others.data(), 128}};
        for (const float value : values)
            doubled.push_back(2 * value);
    }
    Looked(const Looked &) = delete;

    /// Instances of the last line that holds the text.
    std::vector<nki::InstructionId> at(const std::string &text) const
    {
        const std::size_t place = tree.source().rfind(text);
        const auto line = 1 + std::count(tree.source().begin(),
                                         tree.source().begin() + std::ptrdiff_t(place), '\n');
        return inspector.instancesAt(int(line));
    }

    nki::SyntaxTree tree;
    Traced traced;
    nki::Dependences dependences;
    std::vector<float> values;
    std::vector<float> others;
    std::vector<nki::InputData> inputs;
    std::vector<float> doubled;
    nki::Inspector inspector;
};

} // namespace

class tst_Inspector : public QObject
{
    Q_OBJECT

private slots:
    void aLineHasOneInstancePerPass();
    void tilesHaveShapesAndPlaces();
    void valuesAreThoseOfTheInstance();
    void inputsAreShownAsTheyWereBefore();
    void theWindowIsClippedToTheTile();
    void whatNothingWroteIsNotANumber();
    void theFirstWrongElementIsFoundWithItsWriter();
    void aRightKernelHasNoWrongElement();
    void aWrongValueThatIsOverwrittenDoesNotCount();
    void theLimitIsOfTheRowsScale();
    void occupancyFollowsWhatIsAlive();
};

void tst_Inspector::aLineHasOneInstancePerPass()
{
    const Looked looked(doubling(false));
    const auto instances = looked.at("nl.multiply");
    QCOMPARE(instances.size(), std::size_t(4));
    QCOMPARE(looked.inspector.describe(instances[2]).loopsText(), std::string("i = 1, j = 0"));
    QVERIFY(looked.inspector.instancesAt(1).empty());
    const nki::Inspector withoutNames(looked.traced.program(), looked.dependences);
    QCOMPARE(withoutNames.describe(instances[2]).loopsText(), std::string("pass 1, pass 0"));
}

void tst_Inspector::tilesHaveShapesAndPlaces()
{
    const Looked looked(doubling(false));
    const auto store = looked.inspector.describe(looked.at("nl.store").back());
    QCOMPARE(store.tiles.size(), std::size_t(2));
    QVERIFY(store.tiles[0].destination && !store.tiles[1].destination);
    QCOMPARE(store.tiles[0].describe(),
             std::string("out[128 x 256] float32 in hbm, from element 65792"));
    QCOMPARE(store.tiles[1].describe(),
             std::string("y[128 x 256] float32 in sbuf, partitions 0 to 127, from element 0"));
    QVERIFY(!store.tiles[0].values);

    const Looked part(kernelAround("t = nl.load(b)\nt[32:64, 3:5] = 1.0\nnl.store(out[0:128, :], "
                                   "value=t)\n"));
    QCOMPARE(part.inspector.describe(part.at("t[32:64")[0]).tiles[0].describe(),
             std::string("t[32 x 2] float32 in sbuf, partitions 32 to 63, from element 3"));
}

void tst_Inspector::valuesAreThoseOfTheInstance()
{
    const Looked looked(doubling(false));
    const auto instance =
        looked.inspector.inspect(looked.at("nl.multiply").back(), looked.inputs, {2, 4, 2, 3});
    ACCELOPT_VERIFY_OK(instance);
    for (const std::size_t tile : {std::size_t(0), std::size_t(1)}) {
        const auto &excerpt = *instance->tiles[tile].values;
        QCOMPARE(excerpt.values.size(), std::size_t(6));
        for (std::size_t n = 0; n < 6; ++n) {
            const float in = looked.values[(128 + 2 + n / 3) * 512 + 256 + 4 + n % 3];
            QCOMPARE(excerpt.values[n], tile == 0 ? 2 * in : in);
        }
    }
}

void tst_Inspector::inputsAreShownAsTheyWereBefore()
{
    const Looked looked(kernelAround("t = nl.load(b)\nt[...] = nl.add(t, 1.0)  # once\n"
                                     "nl.store(out[0:128, :], value=t)\n"));
    const auto instance = looked.inspector.inspect(looked.at("# once")[0], looked.inputs, {});
    ACCELOPT_VERIFY_OK(instance);
    QCOMPARE(instance->tiles[1].values->values[0], looked.others[0]);
    QCOMPARE(instance->tiles[0].values->values[0], looked.others[0] + 1);
}

void tst_Inspector::theWindowIsClippedToTheTile()
{
    const Looked looked(doubling(false));
    const auto instance =
        looked.inspector.inspect(looked.at("nl.load")[0], looked.inputs, {126, 250, 100, 100});
    ACCELOPT_VERIFY_OK(instance);
    const auto &excerpt = *instance->tiles[0].values;
    QCOMPARE(excerpt.rows, 2);
    QCOMPARE(excerpt.columns, 6);
    QCOMPARE(excerpt.values.back(), looked.values[127 * 512 + 255]);
}

void tst_Inspector::whatNothingWroteIsNotANumber()
{
    const Looked looked(
        kernelAround("t = nl.ndarray((128, 4), dtype=nl.float32)\nt[0:32, :] = 1.0\n"
                     "s = nl.exp(t)  # all\nnl.store(out[0:32, 0:4], value=s[0:32, :])\n"));
    const auto instance =
        looked.inspector.inspect(looked.at("# all")[0], looked.inputs, {30, 0, 4, 1});
    ACCELOPT_VERIFY_OK(instance);
    const auto &values = instance->tiles[1].values->values;
    QCOMPARE(values[1], 1.0F);
    QVERIFY(std::isnan(values[2]));
}

void tst_Inspector::theFirstWrongElementIsFoundWithItsWriter()
{
    const Looked looked(doubling(true));
    const nki::ExpectedValues expected{looked.doubled.data(), 256 * 512, 512};
    const auto wrong = looked.inspector.firstWrong(looked.inputs, std::span(&expected, 1), 1e-3);
    ACCELOPT_VERIFY_OK(wrong);
    QVERIFY(wrong->has_value());
    const nki::WrongElement &found = **wrong;
    // The first of the tile (1, 1) that is not next to nothing.
    QVERIFY(found.element >= 128 * 512 + 256 && found.element < 128 * 512 + 512);
    QCOMPARE(found.expected, looked.doubled[std::size_t(found.element)]);
    QCOMPARE(found.value, 2 * found.expected);
    const auto writer = looked.inspector.describe(found.writer);
    QCOMPARE(writer.opcode, nki::Opcode::Store);
    QCOMPARE(writer.loopsText(), std::string("i = 1, j = 1"));
    const auto window = looked.inspector.positionOf(found.writer, found.element);
    QCOMPARE(window.firstRow, 0);
    QCOMPARE(window.firstColumn, found.element - 128 * 512 - 256);
    const auto seen = looked.inspector.inspect(found.writer, looked.inputs, window);
    ACCELOPT_VERIFY_OK(seen);
    QCOMPARE(seen->tiles[1].values->values[0], found.value);
}

void tst_Inspector::aRightKernelHasNoWrongElement()
{
    const Looked looked(doubling(false));
    const nki::ExpectedValues expected{looked.doubled.data(), 256 * 512, 512};
    const auto wrong = looked.inspector.firstWrong(looked.inputs, std::span(&expected, 1), 1e-6);
    ACCELOPT_VERIFY_OK(wrong);
    QVERIFY(!wrong->has_value());
    QCOMPARE(looked.inspector.writerOf(0, 0), looked.at("nl.store")[0]);
    QCOMPARE(looked.inspector.writerOf(0, 256 * 512 - 1), looked.at("nl.store")[3]);
    QCOMPARE(looked.inspector.writerOf(0, 256 * 512), nki::kNoInstruction);
}

void tst_Inspector::aWrongValueThatIsOverwrittenDoesNotCount()
{
    const std::string right = doubling(false);
    const std::string head = right.substr(0, right.find("    for i"));
    const std::string rest = right.substr(right.find("    for i"));
    const Looked looked(head + "    z = nisa.memset((128, 512), 7.0, dtype=nl.float32)\n" +
                        "    nl.store(out[0:128, :], value=z)\n" + rest);
    const nki::ExpectedValues expected{looked.doubled.data(), 256 * 512, 512};
    const auto wrong = looked.inspector.firstWrong(looked.inputs, std::span(&expected, 1), 1e-6);
    ACCELOPT_VERIFY_OK(wrong);
    QVERIFY(!wrong->has_value());
}

void tst_Inspector::theLimitIsOfTheRowsScale()
{
    Looked looked(doubling(false));
    looked.doubled[1000] += 0.01F; // of a row whose root mean square is about 2.3
    const nki::ExpectedValues expected{looked.doubled.data(), 256 * 512, 512};
    const auto found = [&](double limit) {
        const auto wrong =
            looked.inspector.firstWrong(looked.inputs, std::span(&expected, 1), limit);
        return wrong && wrong->has_value() ? (*wrong)->element : -1;
    };
    QCOMPARE(found(1e-3), 1000);
    QCOMPARE(found(1e-2), -1);
}

void tst_Inspector::occupancyFollowsWhatIsAlive()
{
    const Looked looked(kernelAround("x = nl.load(b)\ny = nl.exp(x)\nz = nl.exp(y)\n"
                                     "p = nl.zeros((128, 128), dtype=nl.float32, buffer=nl.psum)\n"
                                     "p += nisa.nc_matmul(z[:, 0:128], z[:, 0:128])\n"
                                     "nl.store(out[0:128, 0:128], value=nl.copy(p))\n"));
    const auto occupancy = looked.inspector.occupancy(100);
    QCOMPARE(occupancy.points.size(), looked.traced.program().instructions.size());
    QCOMPARE(occupancy.points[0].sbufBytes, 512 * 4);
    QCOMPARE(occupancy.points[1].sbufBytes, 2 * 512 * 4); // x and y
    QCOMPARE(occupancy.points[2].sbufBytes, 2 * 512 * 4); // y and z, x is over
    QCOMPARE(occupancy.mostSbufBytes, 2 * 512 * 4);
    QCOMPARE(occupancy.mostSbufAt, 1);
    QCOMPARE(occupancy.points[2].psumBytes, 0);
    QCOMPARE(occupancy.mostPsumBytes, 128 * 4);
    QCOMPARE(looked.inspector.occupancy(2).points.size(), std::size_t(2));
    QCOMPARE(looked.inspector.occupancy(1).points[0].sbufBytes, 2 * 512 * 4);
}

ACCELOPT_TEST(tst_Inspector)
#include "tst_Inspector.moc"
