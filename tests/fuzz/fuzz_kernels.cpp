// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Looks for kernels that break the simulator, for as long as one likes: writes kernels that know
// the grammar, changes the trees of those that reached new code, and keeps what reaches more. The
// sources of core/nki are compiled into it so that each of their basic blocks reports itself.
//
//     fuzz_kernels SECONDS FOLDER [SEED]
//
// FOLDER receives the kernel under way (current.json, current.py), which is the culprit after a
// crash or a hang, and one pair of files for each broken property. Exits with 1 when there was one.
#include "core/nki/syntax/SyntaxHelper.h"
#include "tests/fuzz/KernelGenerator.h"
#include "tests/fuzz/Properties.h"
#include "tests/fuzz/TreeMutator.h"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

using namespace accelopt;
using namespace accelopt::tests;
using nlohmann::json;

namespace {

/// One entry for each pair of blocks that ran one after the other.
std::array<std::uint8_t, 1 << 18> g_reached{};
std::uintptr_t g_before = 0;

/// Seconds of the processor after which one kernel counts as hanging.
constexpr unsigned kHangSeconds = 10;

struct Kept
{
    std::string source;
    json tree;
};

void write(const std::filesystem::path &path, const std::string &text)
{
    std::ofstream(path, std::ios::binary) << text;
}

/// Takes over what the last kernel reached; how much of it is new.
int newlyReached(std::vector<bool> &known)
{
    int added = 0;
    for (std::size_t i = 0; i < g_reached.size(); ++i)
        if (g_reached[i] != 0 && !known[i]) {
            known[i] = true;
            ++added;
        }
    return added;
}

} // namespace

extern "C" void __sanitizer_cov_trace_pc()
{
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
    g_reached[(here ^ (g_before << 1)) % g_reached.size()] = 1;
    g_before = here;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fmt::print(stderr, "usage: fuzz_kernels SECONDS FOLDER [SEED]\n");
        return 2;
    }
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::seconds(std::atoi(argv[1]));
    const std::filesystem::path folder = argv[2];
    std::filesystem::create_directories(folder);
    const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;

    nki::SyntaxHelper helper;
    Properties properties;
    TreeMutator mutator(seed);
    std::mt19937_64 random(seed);
    std::vector<bool> known(g_reached.size(), false);
    std::vector<Kept> corpus;
    std::set<std::string> kinds;
    std::int64_t runs = 0;
    std::int64_t reached = 0;
    auto nextWord = Clock::now();
    while (Clock::now() < end) {
        Kept kernel;
        const bool fresh = corpus.size() < 20 || random() % 8 == 0;
        if (fresh) {
            kernel.source = KernelGenerator(random()).kernel();
            const auto parsed = helper.parse(kernel.source);
            if (!parsed || !*parsed) {
                fmt::print(stderr, "the generator wrote what is no Python:\n{}\n", kernel.source);
                return 1;
            }
            kernel.tree = jsonOf(**parsed);
        } else {
            // Later ones reach what the earlier did not: they are taken more often.
            const std::size_t last = corpus.size() - 1;
            kernel = corpus[std::max(random() % corpus.size(), random() % (last + 1))];
            mutator.mutate(kernel.tree, corpus[random() % corpus.size()].tree);
        }
        const std::string text = kernel.tree.dump();
        const auto tree =
            nki::SyntaxTree::fromJson(json{{"schema", 1}, {"tree", kernel.tree}}, kernel.source);
        if (!tree)
            continue;
        write(folder / "current.json", text);
        write(folder / "current.py", kernel.source);
        g_reached.fill(0);
        ::alarm(kHangSeconds);
        const std::string broken = properties.broken(*tree, random());
        ::alarm(0);
        ++runs;
        if (!broken.empty() && kinds.insert(broken.substr(0, 24)).second) {
            const std::string number = std::to_string(kinds.size());
            write(folder / ("broken" + number + ".json"), text);
            write(folder / ("broken" + number + ".py"), "# " + broken + "\n" + kernel.source);
            fmt::print("{}\n", broken);
            std::fflush(stdout);
        }
        if (const int added = newlyReached(known); added > 0) {
            reached += added;
            corpus.push_back(std::move(kernel));
        }
        if (Clock::now() >= nextWord) {
            nextWord = Clock::now() + std::chrono::seconds(30);
            fmt::print("{} kernels, {} traced, {} carried out, {} kept, {} edges, {} broken\n",
                       runs, properties.traced(), properties.executed(), corpus.size(), reached,
                       kinds.size());
            std::fflush(stdout);
        }
    }
    fmt::print("{} kernels, {} traced, {} carried out, {} kept, {} edges, {} broken\n", runs,
               properties.traced(), properties.executed(), corpus.size(), reached, kinds.size());
    return kinds.empty() ? 0 : 1;
}
