// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// How long the numbers of kernels take, beside numpy on the same products and elementwise work: for
// each kernel file of a folder whose name begins with a task's, at the task's published shape, as
// many of its first stores as a budget pays for are carried out; then numpy, in a process of its
// own, does operations of the same kinds and shapes, as often, on arrays of its own. Both use one
// thread. numpy has nothing to look up, place or round: it is the floor.
//
//     bench_numbers FOLDER [GFLOP [RUNS]]
#include "core/bench/TaskLoader.h"
#include "core/nki/check/Dependences.h"
#include "core/nki/execute/Executor.h"
#include "core/nki/execute/Slice.h"
#include "core/nki/syntax/SyntaxHelper.h"
#include "core/oracle/LayoutTrial.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <unistd.h>

using namespace accelopt;

namespace {

/// Does what its input lists: "kind rows columns inner count", one line each.
constexpr const char *kNumpy = R"(import sys, time
import numpy as np
work = [line.split() for line in open(sys.argv[1])]
pool = {}
def array(*shape):
    if shape not in pool:
        pool[shape] = [np.random.default_rng(n).random(shape, np.float32) + 0.5 for n in range(3)]
    return pool[shape]
jobs = []
for kind, p, f, k, count in work:
    p, f, k, count = int(p), int(f), int(k), int(count)
    x, y, z = array(p, f)
    if kind == 'product':
        left, right = array(k, p)[0], array(k, f)[0]
        job = lambda left=left, right=right, z=z: np.matmul(left.T, right, out=z)
    elif kind == 'sumofproducts':
        left, right = array(k, p)[0], array(k, f)[0]
        job = lambda left=left, right=right, y=y, z=z: np.add(z, np.matmul(left.T, right, out=y), out=z)
    elif kind == 'transpose':
        turned = array(f, p)[0]
        job = lambda x=x, turned=turned: np.copyto(turned, x.T)
    elif kind == 'reduce':
        job = lambda x=x: x.sum(axis=1)
    elif kind == 'scan':
        def job(x=x, y=y, z=z, f=f):
            state = z[:, 0].copy()
            for t in range(f):
                state = x[:, t] * state + y[:, t]
                z[:, t] = state
    elif kind == 'exp':
        job = lambda x=x, z=z: np.exp(x, out=z)
    elif kind == 'sqrt':
        job = lambda x=x, z=z: np.sqrt(x, out=z)
    elif kind == 'fill':
        job = lambda z=z: z.fill(1.0)
    elif kind == 'one':
        job = lambda x=x, z=z: np.multiply(x, 1.5, out=z)
    elif kind == 'two':
        job = lambda x=x, y=y, z=z: np.add(x, y, out=z)
    elif kind == 'twice':
        job = lambda x=x, y=y, z=z: np.add(np.multiply(x, 1.5, out=z), y, out=z)
    else:
        job = lambda x=x, z=z: np.copyto(z, x)
    jobs.append((job, count))
for job, count in jobs:
    job()
best = 1e9
for run in range(int(sys.argv[2])):
    start = time.perf_counter()
    for job, count in jobs:
        for n in range(count):
            job()
    best = min(best, time.perf_counter() - start)
print(best)
)";

struct Work
{
    std::string kind;
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::int64_t inner = 0;
    auto operator<=>(const Work &) const = default;
};

/// What numpy would do for an instruction.
std::vector<Work> workOf(const nki::Program &program, const nki::Instruction &instruction)
{
    const nki::Parameters &p = program.parametersOf(instruction);
    const auto inputs = program.inputsOf(instruction);
    const nki::AccessPattern &out = program.pattern(program.outputsOf(instruction).front());
    const nki::AccessPattern &in = inputs.empty() ? out : program.pattern(inputs.front());
    const Work like{"copy", out.partitions(), out.freeCount(), 0};
    const auto as = [&](const char *kind) { return Work{kind, like.rows, like.columns, 0}; };
    switch (instruction.opcode) {
    case nki::Opcode::Matmul:
        return {
            {p.accumulate ? "sumofproducts" : "product", like.rows, like.columns, in.partitions()}};
    case nki::Opcode::PartitionBroadcast: return {{"product", like.rows, like.columns, 1}};
    case nki::Opcode::Transpose: return {{"transpose", in.partitions(), in.freeCount(), 0}};
    case nki::Opcode::Activation: {
        std::vector<Work> work;
        if (!p.operand0IsConstant || p.constant0 != 1)
            work.push_back(as("one"));
        if (!p.operand1IsConstant || p.constant1 != 0)
            work.push_back(as("one"));
        switch (p.function) {
        case nki::ActivationFunction::Copy: break;
        case nki::ActivationFunction::Square: work.push_back(as("two")); break;
        case nki::ActivationFunction::Sqrt:
        case nki::ActivationFunction::Rsqrt: work.push_back(as("sqrt")); break;
        default: work.push_back(as("exp"));
        }
        if (p.reduceOp != nki::AluOp::None)
            work.push_back(as("reduce"));
        return work.empty() ? std::vector<Work>{like} : work;
    }
    case nki::Opcode::TensorScalar: {
        std::vector<Work> work{as("one")};
        if (p.op1 != nki::AluOp::None)
            work.push_back(as("one"));
        if (p.reduceOp != nki::AluOp::None)
            work.push_back(as("reduce"));
        return work;
    }
    case nki::Opcode::TensorTensor: return {as("two")};
    case nki::Opcode::ScalarTensorTensor: return {as("twice")};
    case nki::Opcode::LoopReduce: return {p.firstPass ? like : as("two")};
    case nki::Opcode::Reduce: return {{"reduce", in.partitions(), in.freeCount(), 0}};
    case nki::Opcode::Scan: return {as("scan")};
    case nki::Opcode::Reciprocal: return {as("one")};
    case nki::Opcode::Memset: return {as("fill")};
    default: return {like};
    }
}

std::string readText(const std::filesystem::path &path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// Seconds that numpy takes for the work; negative when it cannot be run.
double numpySeconds(const std::map<Work, std::int64_t> &work, int runs,
                    const std::filesystem::path &folder)
{
    std::ofstream(folder / "peer.py") << kNumpy;
    std::ofstream list(folder / "work.txt");
    for (const auto &[one, count] : work)
        list << fmt::format("{} {} {} {} {}\n", one.kind, one.rows, one.columns, one.inner, count);
    list.close();
    const std::string command =
        fmt::format("OPENBLAS_NUM_THREADS=1 /usr/bin/python3 -B '{}' '{}' {}",
                    (folder / "peer.py").string(), (folder / "work.txt").string(), runs);
    FILE *const pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr)
        return -1;
    double seconds = -1;
    if (std::fscanf(pipe, "%lf", &seconds) != 1)
        seconds = -1;
    ::pclose(pipe);
    return seconds;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 2) {
        fmt::print(stderr, "usage: bench_numbers FOLDER [GFLOP [RUNS]]\n");
        return 2;
    }
    if (std::getenv("OPENBLAS_NUM_THREADS") == nullptr) { // read when the library is loaded
        ::setenv("OPENBLAS_NUM_THREADS", "1", 1);
        ::execv("/proc/self/exe", argv);
    }
    const double budget = (argc > 2 ? std::atof(argv[2]) : 4) * 1e9;
    const int runs = argc > 3 ? std::max(1, std::atoi(argv[3])) : 3;
    const std::filesystem::path tasks = std::filesystem::path(ACCELOPT_SOURCE_DIR) / "nkibench";
    const std::filesystem::path scratch =
        std::filesystem::temp_directory_path() / fmt::format("bench_numbers.{}", ::getpid());
    std::filesystem::create_directories(scratch);

    nki::SyntaxHelper helper;
    double ours = 0;
    double theirs = 0;
    fmt::print("{:<26} {:>8} {:>9} {:>9} {:>9} {:>7}\n", "kernel", "GFLOP", "instr.", "ours s",
               "numpy s", "ratio");
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::directory_iterator(argv[1]))
        if (entry.path().extension() == ".py")
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const std::filesystem::path &file : files) {
        std::string name;
        for (const auto &task : std::filesystem::directory_iterator(tasks)) {
            const std::string one = task.path().filename().string();
            if (file.filename().string().starts_with(one + "_") && one.size() > name.size())
                name = one;
        }
        const Result<Task> task = bench::loadTask(tasks / name, "published");
        const Result<nki::Parsed> parsed = helper.parse(readText(file));
        if (name.empty() || !task || !parsed || !*parsed)
            continue;
        const auto traced = oracle::traceWithLayouts(**parsed, *task, "trn1", {});
        if (!traced || !*traced) {
            fmt::print("{:<26} does not trace\n", name);
            continue;
        }
        const nki::Program &program = (*traced)->program;
        const nki::Dependences dependences = nki::analyse(program);
        const nki::Executor executor(program, dependences);
        std::vector<nki::InstructionId> all;
        for (const auto &writers : dependences.outputWriters())
            all.insert(all.end(), writers.begin(), writers.end());
        std::sort(all.begin(), all.end());
        // The most stores that the budget pays for; moving an element counts as ten operations.
        std::size_t take = 1;
        std::vector<nki::InstructionId> stores{all.front()};
        const auto costOf = [&](std::size_t many) {
            stores.assign(all.begin(), all.begin() + std::ptrdiff_t(many));
            double cost = executor.sliceCost(stores);
            for (const nki::InstructionId id : stores)
                cost +=
                    10.0 *
                    double(
                        program.pattern(program.outputsOf(program.instructions[std::size_t(id)])[0])
                            .count());
            return cost;
        };
        while (take < all.size() && costOf(std::min(all.size(), take * 2)) <= budget)
            take = std::min(all.size(), take * 2);
        costOf(take);

        std::vector<std::vector<float>> values;
        std::vector<nki::InputData> inputs;
        std::mt19937 random(1);
        for (const TaskArgument &argument : task->arguments) {
            auto &input = values.emplace_back(
                argument.scalar ? 0u : std::size_t(elementCount(argument.shape)));
            for (float &value : input)
                value = float(random() % 1000) / 500.0F - 1.0F;
            inputs.push_back({input.data(), std::int64_t(input.size())});
        }
        double seconds = 1e9;
        double flops = 0;
        std::int64_t instructions = 0;
        for (int run = 0; run < runs; ++run) {
            double sum = 0; // so that the values are wanted
            const auto start = std::chrono::steady_clock::now();
            const auto done = executor.run(stores, inputs, [&](const nki::StoredRegion &region) {
                sum += double(region.values.empty() ? 0.0F : region.values.front());
                return true;
            });
            const double took =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            if (!done) {
                fmt::print(stderr, "{}\n", describe(done.error()));
                return 1;
            }
            seconds = std::min(seconds, took);
            flops = done->flops;
            instructions = done->instructions;
        }
        std::map<Work, std::int64_t> work;
        for (const nki::InstructionId id : nki::sliceBehind(program, dependences, stores))
            for (const Work &one : workOf(program, program.instructions[std::size_t(id)]))
                ++work[one];
        const double peer = numpySeconds(work, runs, scratch);
        fmt::print("{:<26} {:>8.2f} {:>9} {:>9.4f} {:>9.4f} {:>7.2f}\n", name, flops / 1e9,
                   instructions, seconds, peer, seconds / peer);
        std::fflush(stdout);
        ours += seconds;
        theirs += peer;
    }
    fmt::print("{:<26} {:>8} {:>9} {:>9.4f} {:>9.4f} {:>7.2f}\n", "all", "", "", ours, theirs,
               ours / theirs);
    std::error_code ignored;
    std::filesystem::remove_all(scratch, ignored);
    return 0;
}
