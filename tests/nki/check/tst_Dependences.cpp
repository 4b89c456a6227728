// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/check/Dependences.h"
#include "core/nki/program/MaskWalk.h"
#include "tests/nki/support/ProgramBuilder.h"
#include "tests/support/TestMain.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace accelopt;
using namespace accelopt::nki;
using accelopt::tests::ProgramBuilder;

namespace {

/// What analyse() should find, worked out element by element.
struct Model
{
    std::vector<std::vector<InstructionId>> producers;
    std::set<InstructionId> readersThatMatter; ///< undefined contents get from them into an output
    std::int64_t neverWritten = 0;
};

Model bruteForce(const Program &program)
{
    Model model;
    std::vector<std::vector<InstructionId>> writer(program.storages.size());
    for (std::size_t s = 0; s < writer.size(); ++s)
        writer[s].assign(std::size_t(program.storages[s].elements()), kNoInstruction);
    const auto given = [&](const Operand &o) {
        const Storage &s = program.storage(o);
        return s.role == StorageRole::Input || s.role == StorageRole::Constant ||
               program.tensors[std::size_t(s.tensor)].initialised;
    };
    // 0: defined, -1: never written, else 1 + the first reader that met it undefined.
    std::vector<std::vector<std::int64_t>> origin(program.storages.size());
    for (std::size_t n = 0; n < origin.size(); ++n)
        origin[n].assign(std::size_t(program.storages[n].elements()), -1);
    for (std::size_t id = 0; id < program.instructions.size(); ++id) {
        const Instruction &instruction = program.instructions[id];
        const Operand &out = program.outputsOf(instruction)[0];
        const auto targets = addressesOf(program.pattern(out), out.offset);
        std::vector<bool> selected(targets.size(), instruction.mask < 0);
        if (instruction.mask >= 0)
            forEachSelected(program.masks[std::size_t(instruction.mask)], program.pattern(out),
                            [&](std::int64_t n) { selected[std::size_t(n)] = true; });
        std::set<InstructionId> sources;
        std::vector<std::int64_t> result(targets.size());
        const auto join = [](std::int64_t &a, std::int64_t b) {
            a = a == 0 || (b != 0 && b < a) ? b : a;
        };
        const auto read = [&](const Operand &o) {
            const auto addresses = addressesOf(program.pattern(o), o.offset);
            const bool masked = instruction.mask >= 0 && addresses.size() == targets.size();
            const auto rows = std::size_t(program.pattern(o).partitions());
            const auto length = std::size_t(program.pattern(o).freeCount());
            const auto outLength = std::size_t(program.pattern(out).freeCount());
            for (std::size_t k = 0; k < addresses.size(); ++k) {
                if (masked && !selected[k])
                    continue;
                const auto storage = std::size_t(o.storage);
                const auto address = std::size_t(addresses[k]);
                std::int64_t flag =
                    given(o) && origin[storage][address] < 0 ? 0 : origin[storage][address];
                if (flag < 0)
                    flag = std::int64_t(id) + 1;
                if (writer[storage][address] != kNoInstruction)
                    sources.insert(writer[storage][address]);
                for (std::size_t n = 0; n < targets.size(); ++n) {
                    const bool feeds = addresses.size() == targets.size() ? n == k
                                       : length == 1 && rows == targets.size() / outLength
                                           ? n / outLength == k
                                       : rows == 1 && length == outLength ? n % outLength == k
                                                                          : true;
                    if (feeds)
                        join(result[n], flag);
                }
            }
        };
        for (const Operand &o : program.inputsOf(instruction))
            read(o);
        if (instruction.opcode == Opcode::LoopReduce)
            read(out);
        for (std::size_t n = 0; n < targets.size(); ++n) {
            if (!selected[n])
                continue;
            const auto storage = std::size_t(out.storage);
            writer[storage][std::size_t(targets[n])] = InstructionId(id);
            origin[storage][std::size_t(targets[n])] = result[n];
            if (result[n] > 0 && program.storage(out).role == StorageRole::Output)
                model.readersThatMatter.insert(InstructionId(result[n] - 1));
        }
        model.producers.emplace_back(sources.begin(), sources.end());
    }
    for (const std::int32_t tensor : program.outputs)
        for (const InstructionId w :
             writer[std::size_t(program.tensors[std::size_t(tensor)].firstStorage)])
            model.neverWritten += w == kNoInstruction ? 1 : 0;
    return model;
}

std::vector<InstructionId> producersOf(const Dependences &d, InstructionId id)
{
    const auto span = d.producers(id);
    return {span.begin(), span.end()};
}

std::vector<std::string> rulesOf(const Dependences &d)
{
    std::vector<std::string> rules;
    for (const Reason &reason : d.problems())
        rules.push_back(reason.rule);
    return rules;
}

std::string joined(const std::vector<std::string> &words)
{
    std::string text;
    for (const std::string &word : words)
        text += (text.empty() ? "" : " ") + word;
    return text;
}

Parameters accumulating()
{
    Parameters p;
    p.accumulate = true;
    return p;
}

} // namespace

/// analyse(): producers, races, uninitialised reads, capacity, outputs.
class tst_Dependences : public QObject
{
    Q_OBJECT

private slots:
    void agreesWithAnElementByElementModel_data();
    void agreesWithAnElementByElementModel();
    void racesOfLoops_data();
    void racesOfLoops();
    void accumulationAcrossParallelPassesIsNoRace();
    void blocksWrittenInOneLoopMayBeReadInALaterOne();
    void aTensorMadeInsideThePassIsItsOwn();
    void tellsWhichOutputElementsAreMissing();
    void namesCapacityProblems_data();
    void namesCapacityProblems();
    void refusesWritesToInputs();
    void refusesAccessesOutsideOfAStorage();
    void listsTheWritersOfEachOutput();
    void uninitialisedReadNamesTensorAndPlace();
    void reportsAtMostAHandful();
    void undefinedRowsThatAreThrownAwayAreNoProblem_data();
    void undefinedRowsThatAreThrownAwayAreNoProblem();
};

void tst_Dependences::agreesWithAnElementByElementModel_data()
{
    QTest::addColumn<int>("seed");
    for (int seed = 1; seed <= 60; ++seed)
        QTest::addRow("random strided program %d", seed) << seed;
}

void tst_Dependences::agreesWithAnElementByElementModel()
{
    QFETCH(int, seed);
    std::mt19937 random{std::uint32_t(seed)};
    const auto upTo = [&](std::int64_t n) {
        return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random);
    };
    ProgramBuilder b;
    constexpr std::int64_t kRow = 24;
    constexpr std::int32_t kPartitions = 8;
    const auto t0 = b.tile("t0", kPartitions, kRow);
    const auto t1 = b.filled("t1", kPartitions, kRow, 0.0);
    const auto in = b.input("in", {kPartitions, kRow});
    const auto scratch = b.scratch("scratch", {kPartitions, kRow});
    const auto out = b.output("out", {kPartitions, kRow});
    const bool fine = upTo(2) == 0; // otherwise everything in multiples of 4 x 8
    // A random box that stays inside kPartitions x kRow; the same recipe on chip and in HBM.
    const auto box = [&](ProgramBuilder::TensorId tensor) {
        const std::int64_t unit = fine ? 1 : 4;
        const std::int64_t p = upTo(kPartitions / unit) * unit;
        const std::int64_t partitions = (1 + upTo((kPartitions - p) / unit)) * unit;
        ProgramBuilder::Axes axes;
        axes.emplace_back(partitions, upTo(8) == 0 && fine ? 0 : kRow);
        std::int64_t f = 0;
        switch (upTo(4)) {
        case 0:
            f = upTo(3) * 8;
            axes.emplace_back(8 * (1 + upTo((kRow - f) / 8)), 1);
            break;
        case 1: // blocks of 4 or 8, apart from each other
            axes.emplace_back(1 + upTo(3), 8);
            axes.emplace_back(fine ? 1 + upTo(8) : 8, 1);
            break;
        case 2: // the other way round: a transposed walk
            axes.emplace_back(fine ? 1 + upTo(8) : 8, 1);
            axes.emplace_back(1 + upTo(3), 8);
            break;
        default:
            if (fine && upTo(2) == 0) {
                f = upTo(3);
                axes.emplace_back(1 + upTo((kRow - f - 1) / 3 + 1), 3);
                if (upTo(3) == 0) { // from the last to the first
                    f += (axes.back().first - 1) * 3;
                    axes.back().second = -3;
                }
            } else {
                axes.emplace_back(1, 1);
                axes.emplace_back(kRow, 1);
                axes.emplace_back(3, 0);
            }
        }
        return b.boxed(tensor, p * kRow + f, axes);
    };
    const ProgramBuilder::TensorId all[] = {t0, t1, in, scratch, out};
    for (int n = 0; n < 40; ++n) {
        const auto destination = all[upTo(5)] == in ? t0 : all[upTo(2)];
        const auto target = upTo(3) == 0 ? (upTo(2) == 0 ? scratch : out) : destination;
        std::vector<Operand> inputs;
        for (std::int64_t k = upTo(3); k >= 0; --k)
            inputs.push_back(box(all[upTo(5)]));
        std::int32_t mask = -1;
        if (upTo(6) == 0) {
            AffineCondition condition;
            condition.constant = upTo(12) - 4;
            condition.coefficient[0] = upTo(5) - 2;
            condition.coefficient[1] = upTo(3) - 1;
            mask = b.mask({condition});
        }
        const bool accumulate = upTo(5) == 0;
        b.add(accumulate ? Opcode::LoopReduce : Opcode::TensorTensor, Engine::Vector, {box(target)},
              inputs, {}, mask);
    }
    const Program program = b.take();
    const Model model = bruteForce(program);
    const Dependences found = analyse(program);
    for (std::size_t id = 0; id < program.instructions.size(); ++id)
        QVERIFY2(producersOf(found, InstructionId(id)) == model.producers[id],
                 qPrintable(QString("instruction %1").arg(id)));
    std::set<InstructionId> uninitialised;
    for (const Reason &reason : found.problems())
        if (reason.rule == "uninitialised_read")
            uninitialised.insert(reason.place.line - 1);
    if (model.readersThatMatter.size() <= 8)
        QVERIFY(uninitialised == model.readersThatMatter);
    else
        QVERIFY(uninitialised.size() == 8);
    for (const Reason &reason : found.problems())
        if (reason.rule == "err_tensor_output_not_written_to" && model.neverWritten != 8 * 24)
            QVERIFY2(reason.message.starts_with(std::to_string(model.neverWritten) + " of "),
                     reason.message.c_str());
}

void tst_Dependences::racesOfLoops_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<bool>("sameTile");
    QTest::addColumn<bool>("carried");
    QTest::addColumn<QString>("rules");
    const int affine = int(LoopKind::Affine);
    const int sequential = int(LoopKind::Sequential);
    const int grid = int(LoopKind::Program);
    QTest::newRow("affine passes with a tile each") << affine << false << false << "";
    QTest::newRow("affine passes that fill one tile")
        << affine << true << false << "err_unexpected_output_dependencies";
    QTest::newRow("grid programs that fill one tile")
        << grid << true << false << "err_unexpected_output_dependencies";
    QTest::newRow("sequential passes that fill one tile") << sequential << true << false << "";
    QTest::newRow("affine pass that reads its predecessor's tile")
        << affine << false << true << "needs_sequential_range";
    QTest::newRow("sequential pass that reads its predecessor's tile")
        << sequential << false << true << "";
}

void tst_Dependences::racesOfLoops()
{
    QFETCH(int, kind);
    QFETCH(bool, sameTile);
    QFETCH(bool, carried);
    QFETCH(QString, rules);
    ProgramBuilder b;
    const auto t = b.tile("state", 4, 8, DType::Float32, Memory::Sbuf, 4);
    b.add(Opcode::Memset, Engine::Vector, {b.whole(t, 0)}, {});
    b.beginLoop(LoopKind(kind));
    for (int n = 1; n < 4; ++n) {
        b.pass();
        std::vector<Operand> inputs;
        if (carried)
            inputs.push_back(b.whole(t, n - 1));
        b.add(carried ? Opcode::Copy : Opcode::Memset, Engine::Vector,
              {b.whole(t, sameTile ? 1 : n)}, inputs);
    }
    b.endLoop();
    const Program program = b.take();
    QCOMPARE(joined(rulesOf(analyse(program))).substr(0, std::size_t(rules.size())),
             rules.toStdString());
    QCOMPARE(analyse(program).problems().empty(), rules.isEmpty());
}

void tst_Dependences::accumulationAcrossParallelPassesIsNoRace()
{
    ProgramBuilder b;
    const auto a = b.filled("a", 4, 4, 1.0);
    const auto psum = b.filled("psum", 4, 4, 0.0, DType::Float32, Memory::Psum);
    const auto sum = b.filled("sum", 4, 4, 0.0);
    const auto best = b.tile("best", 4, 4);
    b.beginLoop(LoopKind::Affine);
    for (int n = 0; n < 3; ++n) {
        b.pass();
        b.add(Opcode::Matmul, Engine::Tensor, {b.whole(psum)}, {b.whole(a), b.whole(a)},
              accumulating());
        Parameters add;
        add.op0 = AluOp::Add;
        b.add(Opcode::TensorTensor, Engine::Vector, {b.whole(sum)}, {b.whole(sum), b.whole(a)},
              add);
        Parameters reduce;
        reduce.op0 = AluOp::Maximum;
        reduce.firstPass = n == 0;
        b.add(Opcode::LoopReduce, Engine::Vector, {b.whole(best)}, {b.whole(a)}, reduce);
    }
    b.endLoop();
    const Program program = b.take();
    const Dependences d = analyse(program);
    QCOMPARE(joined(rulesOf(d)), std::string());
    QCOMPARE(producersOf(d, 3), (std::vector<InstructionId>{0}));
    QCOMPARE(producersOf(d, 4), (std::vector<InstructionId>{1}));
    QCOMPARE(producersOf(d, 5), (std::vector<InstructionId>{2}));
    QCOMPARE(producersOf(d, 2), (std::vector<InstructionId>{}));
}

void tst_Dependences::blocksWrittenInOneLoopMayBeReadInALaterOne()
{
    ProgramBuilder b;
    const auto blocks = b.tile("blocks", 4, 8, DType::Float32, Memory::Sbuf, 3);
    b.beginLoop(LoopKind::Affine);
    b.pass();
    b.beginLoop(LoopKind::Affine);
    for (int n = 0; n < 3; ++n) {
        b.pass();
        b.add(Opcode::Memset, Engine::Vector, {b.whole(blocks, n)}, {});
    }
    b.endLoop();
    const auto out = b.tile("copy", 4, 8, DType::Float32, Memory::Sbuf, 3);
    b.beginLoop(LoopKind::Affine);
    for (int n = 0; n < 3; ++n) {
        b.pass();
        b.add(Opcode::Copy, Engine::Vector, {b.whole(out, n)}, {b.whole(blocks, 2 - n)});
    }
    b.endLoop();
    b.endLoop();
    const Program program = b.take();
    const Dependences d = analyse(program);
    QCOMPARE(joined(rulesOf(d)), std::string());
    QCOMPARE(producersOf(d, 3), (std::vector<InstructionId>{2}));
}

void tst_Dependences::aTensorMadeInsideThePassIsItsOwn()
{
    ProgramBuilder b;
    b.beginLoop(LoopKind::Affine);
    for (int n = 0; n < 2; ++n) {
        b.pass();
        const auto own = b.tile("own", 4, 8);
        b.beginLoop(LoopKind::Sequential);
        for (int k = 0; k < 2; ++k) {
            b.pass();
            b.add(Opcode::Memset, Engine::Vector, {b.whole(own)}, {});
        }
        b.endLoop();
    }
    b.endLoop();
    QCOMPARE(joined(rulesOf(analyse(b.take()))), std::string());
}

void tst_Dependences::tellsWhichOutputElementsAreMissing()
{
    ProgramBuilder b;
    const auto out = b.output("result", {3, 4, 10});
    const auto t = b.filled("t", 4, 10, 1.0);
    b.add(Opcode::Store, Engine::Dma, {b.boxed(out, 0, {{4, 10}, {10, 1}})}, {b.whole(t)});
    b.add(Opcode::Store, Engine::Dma, {b.boxed(out, 40, {{4, 10}, {7, 1}})},
          {b.part(t, 0, 4, 0, 7)});
    b.add(Opcode::Store, Engine::Dma, {b.boxed(out, 80, {{4, 10}, {10, 1}})}, {b.whole(t)});
    const Dependences d = analyse(b.take());
    QCOMPARE(joined(rulesOf(d)), std::string("err_tensor_output_not_written_to"));
    QVERIFY2(d.problems()[0].message.starts_with("12 of 120 elements of the output 'result'"),
             d.problems()[0].message.c_str());
    QVERIFY2(d.problems()[0].message.find("[1, 0, 7]") != std::string::npos,
             d.problems()[0].message.c_str());
}

void tst_Dependences::namesCapacityProblems_data()
{
    QTest::addColumn<int>("memory");
    QTest::addColumn<int>("partitions");
    QTest::addColumn<qint64>("freeElements");
    QTest::addColumn<QString>("rule");
    const int sbuf = int(Memory::Sbuf);
    const int psum = int(Memory::Psum);
    QTest::newRow("a full SBUF partition fits") << sbuf << 128 << qint64(180224 / 4) << "";
    QTest::newRow("one element more does not")
        << sbuf << 128 << qint64(180224 / 4 + 1) << "err_sbuf_tile_too_large";
    QTest::newRow("a full PSUM bank fits") << psum << 128 << qint64(512) << "";
    QTest::newRow("a tile over two banks does not")
        << psum << 128 << qint64(513) << "err_psum_tile_too_large";
    QTest::newRow("129 partitions do not")
        << sbuf << 129 << qint64(1) << "err_num_partition_exceed_arch_limit";
}

void tst_Dependences::namesCapacityProblems()
{
    QFETCH(int, memory);
    QFETCH(int, partitions);
    QFETCH(qint64, freeElements);
    QFETCH(QString, rule);
    ProgramBuilder b;
    b.tile("big", partitions, freeElements, DType::Float32, Memory(memory));
    QCOMPARE(joined(rulesOf(analyse(b.take()))), rule.toStdString());
}

void tst_Dependences::refusesWritesToInputs()
{
    ProgramBuilder b;
    const auto in = b.input("x", {4, 8});
    const auto t = b.filled("t", 4, 8, 1.0);
    b.add(Opcode::Store, Engine::Dma, {b.whole(in)}, {b.whole(t)});
    const Dependences d = analyse(b.take());
    QCOMPARE(joined(rulesOf(d)), std::string("err_cannot_update_immutable_parameter"));
    QVERIFY(d.problems()[0].message.find("'x'") != std::string::npos);
}

void tst_Dependences::refusesAccessesOutsideOfAStorage()
{
    ProgramBuilder b;
    const auto in = b.input("x", {4, 8});
    const auto t = b.tile("t", 4, 8);
    b.add(Opcode::Load, Engine::Dma, {b.whole(t)}, {b.boxed(in, 8, {{4, 8}, {8, 1}})});
    const Dependences d = analyse(b.take());
    QCOMPARE(joined(rulesOf(d)), std::string("err_tensor_access_out_of_bound"));
    QCOMPARE(d.problems()[0].place.line, 1);
}

void tst_Dependences::listsTheWritersOfEachOutput()
{
    ProgramBuilder b;
    const auto first = b.output("first", {4, 8});
    const auto second = b.output("second", {4, 8});
    const auto t = b.filled("t", 4, 8, 1.0);
    b.add(Opcode::Store, Engine::Dma, {b.whole(second)}, {b.whole(t)});
    b.add(Opcode::Store, Engine::Dma, {b.boxed(first, 0, {{4, 8}, {4, 1}})},
          {b.part(t, 0, 4, 0, 4)});
    b.add(Opcode::Store, Engine::Dma, {b.boxed(first, 4, {{4, 8}, {4, 1}})},
          {b.part(t, 0, 4, 4, 4)});
    const Program program = b.take();
    const Dependences d = analyse(program);
    QCOMPARE(joined(rulesOf(d)), std::string());
    QCOMPARE(d.outputWriters().size(), std::size_t(2));
    QCOMPARE(d.outputWriters()[0], (std::vector<InstructionId>{1, 2}));
    QCOMPARE(d.outputWriters()[1], (std::vector<InstructionId>{0}));
}

void tst_Dependences::uninitialisedReadNamesTensorAndPlace()
{
    ProgramBuilder b;
    const auto t = b.tile("half", 4, 8);
    const auto u = b.tile("u", 4, 8);
    b.add(Opcode::Memset, Engine::Vector, {b.part(t, 0, 4, 0, 4)}, {});
    b.add(Opcode::Copy, Engine::Vector, {b.whole(u)}, {b.whole(t)});
    const auto out = b.output("out", {4, 8});
    b.add(Opcode::Store, Engine::Dma, {b.whole(out)}, {b.whole(u)});
    const Dependences d = analyse(b.take());
    QCOMPARE(joined(rulesOf(d)), std::string("uninitialised_read"));
    QVERIFY2(d.problems()[0].message.starts_with("16 elements of 'half' are read by copy"),
             d.problems()[0].message.c_str());
    QCOMPARE(d.problems()[0].place.line, 2);
    QCOMPARE(d.problems()[0].layer, std::string("structure"));
}

void tst_Dependences::reportsAtMostAHandful()
{
    ProgramBuilder b;
    const auto t = b.tile("t", 4, 8);
    const auto u = b.tile("u", 4, 8);
    const auto out = b.output("out", {50, 4, 8});
    for (int n = 0; n < 50; ++n) {
        b.add(Opcode::Copy, Engine::Vector, {b.whole(u)}, {b.whole(t)});
        b.add(Opcode::Store, Engine::Dma, {b.boxed(out, n * 32, {{4, 8}, {8, 1}})}, {b.whole(u)});
    }
    QCOMPARE(analyse(b.take()).problems().size(), std::size_t(8));
}

void tst_Dependences::undefinedRowsThatAreThrownAwayAreNoProblem_data()
{
    QTest::addColumn<int>("opcode");
    QTest::addColumn<bool>("harmless");
    QTest::newRow("elementwise work keeps rows apart") << int(Opcode::Activation) << true;
    QTest::newRow("a reduction along the rows does, too") << int(Opcode::Reduce) << true;
    QTest::newRow("a scan along the rows does, too") << int(Opcode::Scan) << true;
    QTest::newRow("a sum over the partitions does not") << int(Opcode::PartitionReduce) << false;
    QTest::newRow("a product that contracts the partitions does not")
        << int(Opcode::Matmul) << false;
    QTest::newRow("a transpose turns rows into columns, which are stored")
        << int(Opcode::Transpose) << false;
}

void tst_Dependences::undefinedRowsThatAreThrownAwayAreNoProblem()
{
    QFETCH(int, opcode);
    QFETCH(bool, harmless);
    // Rows 0 and 1 of 4 are loaded; all 4 are computed on; rows 0 and 1 are stored.
    ProgramBuilder b;
    const auto in = b.input("in", {2, 4});
    const auto t = b.tile("t", 4, 4);
    b.add(Opcode::Load, Engine::Dma, {b.part(t, 0, 2, 0, 4)}, {b.whole(in)});
    const bool narrow = opcode == int(Opcode::Reduce);
    const bool flat = opcode == int(Opcode::PartitionReduce);
    const auto result = b.tile("result", flat ? 1 : 4, narrow ? 1 : 4);
    std::vector<Operand> inputs{b.whole(t)};
    if (opcode == int(Opcode::Matmul) || opcode == int(Opcode::Scan))
        inputs.push_back(b.whole(t));
    b.add(Opcode(opcode), Engine::Vector, {b.whole(result)}, inputs);
    const std::int64_t rows = flat ? 1 : 2;
    const auto out = b.output("out", {rows, narrow ? 1 : 4});
    b.add(Opcode::Store, Engine::Dma, {b.whole(out)}, {b.part(result, 0, rows, 0, narrow ? 1 : 4)});
    const Dependences d = analyse(b.take());
    QCOMPARE(joined(rulesOf(d)), std::string(harmless ? "" : "uninitialised_read"));
    if (!harmless)
        QCOMPARE(d.problems()[0].place.line, 2);
}

ACCELOPT_TEST(tst_Dependences)
#include "tst_Dependences.moc"
