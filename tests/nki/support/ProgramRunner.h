// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/check/Dependences.h"
#include "core/nki/execute/Executor.h"
#include "core/nki/program/MaskWalk.h"
#include "core/nki/program/Program.h"

#include <limits>
#include <random>
#include <vector>

namespace accelopt::tests {

/// All returned tensors of a program, carried out in full; elements that nothing stored are NaN.
inline std::vector<std::vector<float>> runAll(const nki::Program &program,
                                              const std::vector<std::vector<float>> &inputs,
                                              nki::ExecutionStatistics *statistics = nullptr)
{
    const nki::Dependences dependences = nki::analyse(program);
    std::vector<nki::InstructionId> stores;
    std::vector<std::vector<float>> outputs;
    for (const std::int32_t tensor : program.outputs) {
        const auto storage = std::size_t(program.tensors[std::size_t(tensor)].firstStorage);
        outputs.emplace_back(std::size_t(program.storages[storage].elements()),
                             std::numeric_limits<float>::quiet_NaN());
    }
    for (const auto &writers : dependences.outputWriters())
        stores.insert(stores.end(), writers.begin(), writers.end());
    std::vector<nki::InputData> data;
    for (const auto &input : inputs)
        data.push_back({input.data(), std::int64_t(input.size())});
    const auto result =
        nki::Executor(program, dependences).run(stores, data, [&](const nki::StoredRegion &region) {
            std::size_t next = 0;
            auto &to = outputs[std::size_t(region.output)];
            const auto &instruction = program.instructions[std::size_t(region.instruction)];
            if (instruction.mask >= 0) {
                const auto &pattern = program.patterns[region.pattern];
                const auto addresses = nki::addressesOf(pattern, region.offset);
                nki::forEachSelected(
                    program.masks[std::size_t(instruction.mask)], pattern, [&](std::int64_t n) {
                        to[std::size_t(addresses[std::size_t(n)])] = region.values[std::size_t(n)];
                    });
                return true;
            }
            nki::forEachRun(program.patterns[region.pattern], region.offset,
                            [&](std::int64_t first, std::int64_t n) {
                                for (std::int64_t k = 0; k < n; ++k)
                                    to[std::size_t(first + k)] = region.values[next++];
                            });
            return true;
        });
    if (!result)
        return {};
    if (statistics != nullptr)
        *statistics = *result;
    return outputs;
}

/// Reproducible values, uniform between the bounds.
inline std::vector<float> randomValues(std::size_t count, std::uint32_t seed, float least = -2.0F,
                                       float most = 2.0F)
{
    std::mt19937 random{seed};
    std::uniform_real_distribution<float> draw(least, most);
    std::vector<float> values(count);
    for (float &value : values)
        value = draw(random);
    return values;
}

} // namespace accelopt::tests
