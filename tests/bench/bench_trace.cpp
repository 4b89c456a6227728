// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// How long the steps before numbers take: parse, trace and structural check, for every kernel file
// of a folder whose name begins with a task's, at the task's published shape; a folder of tasks
// gives their baselines. Prints the best of the runs for each, and a fingerprint of the program and
// its dependences, which must not change when only speed does.
//
//     bench_trace FOLDER [RUNS [DEVICE]]
#include "core/bench/TaskLoader.h"
#include "core/nki/check/Dependences.h"
#include "core/nki/syntax/SyntaxHelper.h"
#include "core/oracle/LayoutTrial.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace accelopt;

namespace {

struct KernelFile
{
    std::string task;
    std::filesystem::path path;
};

/// Best time of each step, in seconds.
struct Times
{
    double parse = 1e9;
    double trace = 1e9;
    double check = 1e9;
    double sum() const { return parse + trace + check; }
};

/// FNV-1a over words.
class Fingerprint
{
public:
    void add(std::uint64_t word) { m_hash = (m_hash ^ word) * 1099511628211ULL; }
    void add(double number) { add(std::uint64_t(std::hash<double>{}(number))); }
    void add(const std::string &text)
    {
        for (const char letter : text)
            add(std::uint64_t(std::uint8_t(letter)));
        add(std::uint64_t(text.size()));
    }
    void add(const SourcePlace &place)
    {
        for (const int number : {place.line, place.column, place.endLine, place.endColumn})
            add(std::uint64_t(number));
    }
    std::uint64_t value() const { return m_hash; }

private:
    std::uint64_t m_hash = 14695981039346656037ULL;
};

void addParameters(Fingerprint &print, const nki::Parameters &p)
{
    for (const int word :
         {int(p.op0), int(p.op1), int(p.reduceOp), int(p.function), int(p.reverse0),
          int(p.reverse1), int(p.accumulate), int(p.implicitTranspose), int(p.firstPass),
          int(p.negate), int(p.operand0IsConstant), int(p.operand1IsConstant), int(p.reducedAxes)})
        print.add(std::uint64_t(word));
    print.add(p.constant0);
    print.add(p.constant1);
    for (const std::int64_t word : p.iota)
        print.add(std::uint64_t(word));
}

/// Of everything that later steps see, by meaning: not of the numbers interned things have.
std::uint64_t fingerprint(const nki::Program &program, const nki::Dependences &dependences)
{
    Fingerprint print;
    for (const nki::Storage &storage : program.storages)
        for (const std::int64_t word :
             {std::int64_t(storage.memory), std::int64_t(storage.role), std::int64_t(storage.dtype),
              std::int64_t(storage.partitions), storage.freeElements, std::int64_t(storage.tensor)})
            print.add(std::uint64_t(word));
    for (const nki::Tensor &tensor : program.tensors) {
        print.add(tensor.name);
        print.add(tensor.place);
        for (const std::int64_t size : tensor.shape)
            print.add(std::uint64_t(size));
        for (const std::int64_t word :
             {std::int64_t(tensor.firstStorage), std::int64_t(tensor.blocks),
              std::int64_t(tensor.parameter), std::int64_t(tensor.output),
              std::int64_t(tensor.iteration), std::int64_t(tensor.initialised)})
            print.add(std::uint64_t(word));
        print.add(tensor.initialValue);
    }
    for (const nki::Iteration &iteration : program.iterations)
        for (const int word : {iteration.parent, iteration.loop, iteration.index,
                               int(iteration.depth), int(iteration.kind)})
            print.add(std::uint64_t(word));
    for (std::size_t id = 0; id < program.instructions.size(); ++id) {
        const nki::Instruction &instruction = program.instructions[id];
        for (const int word :
             {int(instruction.opcode), int(instruction.engine), int(instruction.outputs),
              int(instruction.inputs), instruction.iteration})
            print.add(std::uint64_t(word));
        print.add(program.placeOf(instruction));
        addParameters(print, program.parametersOf(instruction));
        for (int n = 0; n < instruction.outputs + instruction.inputs; ++n) {
            const nki::Operand &operand =
                program.operands[std::size_t(instruction.firstOperand + n)];
            const nki::AccessPattern &pattern = program.pattern(operand);
            print.add(std::uint64_t(operand.storage));
            print.add(std::uint64_t(operand.offset));
            print.add(std::uint64_t(pattern.rank));
            for (std::size_t axis = 0; axis < std::size_t(pattern.rank); ++axis) {
                print.add(std::uint64_t(pattern.size[axis]));
                print.add(std::uint64_t(pattern.stride[axis]));
            }
        }
        if (instruction.mask >= 0)
            for (const nki::AffineCondition &condition :
                 program.masks[std::size_t(instruction.mask)]) {
                print.add(std::uint64_t(condition.constant));
                for (const std::int64_t coefficient : condition.coefficient)
                    print.add(std::uint64_t(coefficient));
            }
        for (const nki::InstructionId producer : dependences.producers(nki::InstructionId(id)))
            print.add(std::uint64_t(producer));
    }
    for (const std::int32_t output : program.outputs)
        print.add(std::uint64_t(output));
    print.add(program.printed);
    for (const auto &writers : dependences.outputWriters())
        for (const nki::InstructionId writer : writers)
            print.add(std::uint64_t(writer));
    for (const Reason &reason : dependences.problems())
        print.add(reason.message);
    return print.value();
}

std::string readText(const std::filesystem::path &path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// The kernels of the folder, by name.
std::vector<KernelFile> kernelsOf(const std::filesystem::path &folder,
                                  const std::filesystem::path &tasks)
{
    std::vector<KernelFile> kernels;
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (std::filesystem::exists(entry.path() / "baseline.py")) {
            kernels.push_back({name, entry.path() / "baseline.py"});
        } else if (entry.path().extension() == ".py") {
            KernelFile kernel{{}, entry.path()};
            for (const auto &task : std::filesystem::directory_iterator(tasks)) {
                const std::string taskName = task.path().filename().string();
                if (name.starts_with(taskName + "_") && taskName.size() > kernel.task.size())
                    kernel.task = taskName;
            }
            kernels.push_back(kernel);
        }
    }
    std::ranges::sort(kernels, {}, &KernelFile::path);
    return kernels;
}

double secondsSince(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 2) {
        fmt::print(stderr, "usage: bench_trace FOLDER [RUNS [DEVICE]]\n");
        return 2;
    }
    const std::filesystem::path tasks = std::filesystem::path(ACCELOPT_SOURCE_DIR) / "nkibench";
    const int runs = argc > 2 ? std::max(1, std::atoi(argv[2])) : 5;
    const std::string device = argc > 3 ? argv[3] : "trn1";

    nki::SyntaxHelper helper;
    (void)helper.parse("pass\n"); // the start of the parser is not part of the figures
    Times total{0, 0, 0};
    std::size_t instructions = 0;
    fmt::print("{:<26} {:>9} {:>9} {:>9} {:>9} {:>9}  {}\n", "kernel", "instr.", "parse s",
               "trace s", "check s", "sum s", "fingerprint");
    for (const KernelFile &kernel : kernelsOf(argv[1], tasks)) {
        const Result<Task> task = bench::loadTask(tasks / kernel.task, "published");
        if (kernel.task.empty() || !task) {
            fmt::print("{:<26} no task has this name\n", kernel.path.filename().string());
            continue;
        }
        const std::string source = readText(kernel.path);
        Times best;
        std::string failure;
        std::uint64_t print = 0;
        std::size_t count = 0;
        for (int run = 0; run < runs && failure.empty(); ++run) {
            auto start = std::chrono::steady_clock::now();
            const Result<nki::Parsed> parsed = helper.parse(source);
            if (!parsed || !*parsed) {
                failure = parsed ? parsed->error().message : describe(parsed.error());
                break;
            }
            best.parse = std::min(best.parse, secondsSince(start));
            start = std::chrono::steady_clock::now();
            auto traced = oracle::traceWithLayouts(**parsed, *task, device, {});
            if (!traced || !*traced) {
                failure = traced ? traced->error().reason.message : describe(traced.error());
                break;
            }
            best.trace = std::min(best.trace, secondsSince(start));
            const nki::Program &program = (*traced)->program;
            start = std::chrono::steady_clock::now();
            const nki::Dependences dependences = nki::analyse(program);
            best.check = std::min(best.check, secondsSince(start));
            count = program.instructions.size();
            print = fingerprint(program, dependences);
        }
        if (!failure.empty()) {
            fmt::print("{:<26} {}\n", kernel.task, failure);
            continue;
        }
        fmt::print("{:<26} {:>9} {:>9.4f} {:>9.4f} {:>9.4f} {:>9.4f}  {:016x}\n", kernel.task,
                   count, best.parse, best.trace, best.check, best.sum(), print);
        total.parse += best.parse;
        total.trace += best.trace;
        total.check += best.check;
        instructions += count;
    }
    fmt::print("{:<26} {:>9} {:>9.4f} {:>9.4f} {:>9.4f} {:>9.4f}\n", "all", instructions,
               total.parse, total.trace, total.check, total.sum());
    return 0;
}
