// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which share of a folder of kernels the simulator can run: calls each entry point that a manifest
// of ours names, with small shapes, and says how far it got: traced, checked (no structural
// problem), and equal to a numpy reference. What does not get there is named with its reason and
// line. The kernels themselves stay outside the repository.
//
//     nki_corpus FOLDER MANIFEST [NAME...]
//
// The manifest is a JSON object with a list "kernels"; each has "name", "file" (below FOLDER),
// "call" (a Python expression over the arguments' names), "arguments" (name: [dtype, shape]),
// "reference" (a function of references.py beside the manifest, called with the arguments) or
// "expect" (a numpy expression over the arguments' names), "prelude" (text before the call),
// "tolerance" (relative L2 norm) and, for what is not promised, "apart" (why).
#include "core/bench/NpyFile.h"
#include "core/nki/check/Dependences.h"
#include "core/nki/execute/Executor.h"
#include "core/nki/program/MaskWalk.h"
#include "core/nki/syntax/SyntaxHelper.h"
#include "core/nki/trace/Tracer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>

using namespace accelopt;

namespace {

std::string readText(const std::filesystem::path &path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// How far a kernel got.
enum class Stage { None, Traced, Checked, Right };

struct Outcome
{
    Stage stage = Stage::None;
    std::string words;
};

std::string describe(const Reason &reason)
{
    return fmt::format("line {}: {}: {}", reason.place.line, reason.rule, reason.message);
}

/// The values of the returned tensors; NaN where nothing was stored.
Result<std::vector<std::vector<float>>> execute(const nki::Program &program,
                                                const nki::Dependences &dependences,
                                                const std::vector<std::vector<float>> &inputs)
{
    std::vector<std::vector<float>> outputs;
    std::vector<nki::InstructionId> stores;
    for (const std::int32_t tensor : program.outputs) {
        const auto storage = std::size_t(program.tensors[std::size_t(tensor)].firstStorage);
        outputs.emplace_back(std::size_t(program.storages[storage].elements()),
                             std::numeric_limits<float>::quiet_NaN());
    }
    for (const auto &writers : dependences.outputWriters())
        stores.insert(stores.end(), writers.begin(), writers.end());
    std::sort(stores.begin(), stores.end());
    std::vector<nki::InputData> data;
    for (const auto &input : inputs)
        data.push_back({input.data(), std::int64_t(input.size())});
    const auto take = [&](const nki::StoredRegion &region) {
        auto &to = outputs[std::size_t(region.output)];
        const nki::Instruction &instruction = program.instructions[std::size_t(region.instruction)];
        const nki::AccessPattern &pattern = program.patterns[region.pattern];
        const auto addresses = nki::addressesOf(pattern, region.offset);
        const auto put = [&](std::int64_t n) {
            to[std::size_t(addresses[std::size_t(n)])] = region.values[std::size_t(n)];
        };
        if (instruction.mask >= 0)
            nki::forEachSelected(program.masks[std::size_t(instruction.mask)], pattern, put);
        else
            for (std::int64_t n = 0; n < std::int64_t(addresses.size()); ++n)
                put(n);
        return true;
    };
    ACCELOPT_CHECK(nki::Executor(program, dependences).run(stores, data, take));
    return outputs;
}

Result<std::vector<float>> readValues(const std::filesystem::path &path)
{
    ACCELOPT_TRY(const bench::NpyFile file, bench::NpyFile::open(path));
    const auto values = file.values<float>();
    return std::vector<float>(values.begin(), values.end());
}

/// Compares with what references.py wrote; empty words when all is right.
Result<Outcome> compare(const std::filesystem::path &folder,
                        const std::vector<std::vector<float>> &outputs, double tolerance)
{
    double worst = 0;
    for (std::size_t n = 0; n < outputs.size(); ++n) {
        const std::filesystem::path path = folder / fmt::format("result{}.npy", n);
        if (!std::filesystem::exists(path))
            return Outcome{Stage::Checked, fmt::format("the reference has no result {}", n)};
        ACCELOPT_TRY(const std::vector<float> expected, readValues(path));
        if (expected.size() != outputs[n].size())
            return Outcome{Stage::Checked,
                           fmt::format("result {} has {} elements, the reference {}", n,
                                       outputs[n].size(), expected.size())};
        double error = 0;
        double norm = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const double difference = double(outputs[n][i]) - double(expected[i]);
            error += difference * difference;
            norm += double(expected[i]) * double(expected[i]);
        }
        const double relative = norm > 0 ? std::sqrt(error / norm) : std::sqrt(error);
        if (!(relative <= tolerance))
            return Outcome{Stage::Checked,
                           fmt::format("WRONG: result {} is off by {:.2e}, allowed are {:.0e}", n,
                                       relative, tolerance)};
        worst = std::max(worst, relative);
    }
    return Outcome{Stage::Right, fmt::format("off by {:.1e}", worst)};
}

class Corpus
{
public:
    Corpus(std::filesystem::path folder, std::filesystem::path manifest)
        : m_folder(std::move(folder)),
          m_manifest(std::move(manifest)),
          m_scratch(std::filesystem::temp_directory_path() /
                    fmt::format("nki_corpus.{}", std::random_device{}()))
    {
        std::filesystem::create_directories(m_scratch);
    }
    ~Corpus()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_scratch, ignored);
    }
    Corpus(const Corpus &) = delete;
    Corpus &operator=(const Corpus &) = delete;

    Result<Outcome> run(const nlohmann::json &kernel)
    {
        std::string source = readText(m_folder / kernel.at("file").get<std::string>());
        if (source.empty())
            return Outcome{Stage::None, "the file is not there"};
        nki::TraceRequest request;
        request.device = "trn1";
        request.entryPoint = "corpus_entry";
        std::string names;
        for (const auto &argument : kernel.at("arguments")) {
            nki::TraceArgument made;
            made.name = argument.at(0).get<std::string>();
            made.dtype = nki::dtype(argument.at(1).get<std::string>()).value();
            made.shape = argument.at(2).get<std::vector<std::int64_t>>();
            names += (names.empty() ? "" : ", ") + made.name;
            request.arguments.push_back(made);
        }
        source +=
            fmt::format("\n{}\n\ndef corpus_entry({}):\n    return {}\n",
                        kernel.value("prelude", ""), names, kernel.at("call").get<std::string>());
        ACCELOPT_TRY(const nki::Parsed parsed, m_helper.parse(source));
        if (!parsed)
            return Outcome{Stage::None,
                           fmt::format("line {}: syntax: {}", parsed.error().place.line,
                                       parsed.error().message)};
        const auto program = nki::trace(*parsed, request);
        if (!program)
            return Outcome{Stage::None, std::string(name(program.error().status)) + " " +
                                            describe(program.error().reason)};
        const nki::Dependences dependences = nki::analyse(*program);
        if (!dependences.problems().empty())
            return Outcome{Stage::Traced, describe(dependences.problems().front())};
        if (!kernel.contains("reference") && !kernel.contains("expect"))
            return Outcome{Stage::Checked, "no reference"};

        const std::string name = kernel.at("name").get<std::string>();
        const std::filesystem::path values = m_scratch / name;
        const std::string command =
            fmt::format("/usr/bin/python3 -B '{}' '{}' '{}' '{}'",
                        (m_manifest.parent_path() / "references.py").string(), m_manifest.string(),
                        name, values.string());
        if (std::system(command.c_str()) != 0)
            return Outcome{Stage::Checked, "the reference failed"};
        std::vector<std::vector<float>> inputs;
        for (const nki::TraceArgument &argument : request.arguments) {
            ACCELOPT_TRY(std::vector<float> input, readValues(values / (argument.name + ".npy")));
            inputs.push_back(std::move(input));
        }
        ACCELOPT_TRY(const auto outputs, execute(*program, dependences, inputs));
        return compare(values, outputs, kernel.value("tolerance", 2e-5));
    }

private:
    std::filesystem::path m_folder;
    std::filesystem::path m_manifest;
    std::filesystem::path m_scratch;
    nki::SyntaxHelper m_helper;
};

} // namespace

int main(int argc, char **argv)
{
    if (argc < 3) {
        fmt::print(stderr, "usage: nki_corpus FOLDER MANIFEST [NAME...]\n");
        return 2;
    }
    const nlohmann::json manifest = nlohmann::json::parse(readText(argv[2]), nullptr, false);
    if (!manifest.is_object() || !manifest.contains("kernels")) {
        fmt::print(stderr, "{} is not a manifest\n", argv[2]);
        return 2;
    }
    const std::set<std::string> wanted(argv + 3, argv + argc);
    Corpus corpus(argv[1], argv[2]);
    int all = 0;
    int traced = 0;
    int checked = 0;
    int right = 0;
    std::vector<std::string> apart;
    for (const auto &kernel : manifest.at("kernels")) {
        const std::string name = kernel.at("name").get<std::string>();
        if (!wanted.empty() && !wanted.contains(name))
            continue;
        const Result<Outcome> outcome = corpus.run(kernel);
        if (!outcome) {
            fmt::print(stderr, "{}: {}\n", name, accelopt::describe(outcome.error()));
            return exitStatus(outcome.error().code);
        }
        constexpr const char *kStages[] = {"-", "traced", "checked", "right"};
        const std::string line =
            fmt::format("{:<40} {:<8} {}", name, kStages[int(outcome->stage)], outcome->words);
        if (kernel.contains("apart")) {
            apart.push_back(fmt::format("{} [{}]", line, kernel.at("apart").get<std::string>()));
            continue;
        }
        fmt::print("{}\n", line);
        std::fflush(stdout);
        ++all;
        traced += outcome->stage >= Stage::Traced ? 1 : 0;
        checked += outcome->stage >= Stage::Checked ? 1 : 0;
        right += outcome->stage == Stage::Right ? 1 : 0;
    }
    fmt::print("\n{} entry points: {} trace, {} pass the check, {} match numpy ({:.0f} %)\n", all,
               traced, checked, right, all > 0 ? 100.0 * right / all : 0);
    if (!apart.empty())
        fmt::print("\nListed apart:\n");
    for (const std::string &line : apart)
        fmt::print("{}\n", line);
    return right == all ? 0 : 1;
}
