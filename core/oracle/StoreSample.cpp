// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/oracle/StoreSample.h"

#include <algorithm>
#include <map>
#include <random>
#include <span>
#include <tuple>
#include <unordered_set>

namespace accelopt::oracle {
namespace {

using nki::InstructionId;

// Loading, storing and comparing one element takes about as long as this many FLOPs of a product.
constexpr double kFlopsPerElement = 100;

/// The order in which stores are taken until the budget is used up.
struct Priority
{
    std::vector<InstructionId> order;
    std::size_t mandatory = 0;
};

/// Draws an order. By hand: std::shuffle may differ between libraries, and a verdict must not.
void shuffle(std::vector<InstructionId> &stores, std::mt19937_64 &random)
{
    for (std::size_t last = stores.size(); last > 1; --last)
        std::swap(stores[last - 1], stores[random() % last]);
}

/// The first and the last store of each kind, in a drawn order.
template <typename KindOf>
std::vector<InstructionId> endsOfKinds(const std::vector<InstructionId> &stores,
                                       std::mt19937_64 &random, KindOf &&kindOf)
{
    std::map<decltype(kindOf(InstructionId())), std::pair<InstructionId, InstructionId>> kinds;
    for (InstructionId store : stores)
        kinds.try_emplace(kindOf(store), store, store).first->second.second = store;
    std::vector<InstructionId> ends;
    for (const auto &[kind, firstAndLast] : kinds) {
        ends.push_back(firstAndLast.first);
        ends.push_back(firstAndLast.second);
    }
    shuffle(ends, random);
    return ends;
}

Priority prioritise(const nki::Program &program,
                    const std::vector<std::vector<InstructionId>> &byOutput, std::uint64_t seed)
{
    Priority priority;
    std::unordered_set<InstructionId> taken;
    const auto take = [&](InstructionId store) {
        if (taken.insert(store).second)
            priority.order.push_back(store);
    };
    std::vector<InstructionId> all;
    for (const std::vector<InstructionId> &stores : byOutput) {
        if (stores.empty())
            continue;
        take(stores.front());
        take(stores.back());
        all.insert(all.end(), stores.begin(), stores.end());
    }
    priority.mandatory = priority.order.size();

    std::mt19937_64 random(seed);
    const auto instruction = [&](InstructionId store) -> const nki::Instruction & {
        return program.instructions[std::size_t(store)];
    };
    for (InstructionId store : endsOfKinds(all, random, [&](InstructionId id) {
             const nki::Operand &destination = program.outputsOf(instruction(id))[0];
             return std::tuple(destination.storage, destination.pattern, instruction(id).mask);
         }))
        take(store);
    for (InstructionId store :
         endsOfKinds(all, random, [&](InstructionId id) { return instruction(id).place; }))
        take(store);
    shuffle(all, random);
    for (InstructionId store : all)
        take(store);
    return priority;
}

std::vector<std::vector<InstructionId>> lastingStores(const nki::Dependences &dependences,
                                                      const FinalWrites &finalWrites)
{
    std::vector<std::vector<InstructionId>> lasting;
    for (const std::vector<InstructionId> &writers : dependences.outputWriters()) {
        std::vector<InstructionId> &stores = lasting.emplace_back();
        for (InstructionId store : writers)
            if (finalWrites.lasts(store))
                stores.push_back(store);
    }
    return lasting;
}

} // namespace

StoreSample chooseStores(const nki::Program &program, const nki::Dependences &dependences,
                         const FinalWrites &finalWrites, const nki::Executor &executor,
                         double budgetFlops, std::uint64_t seed)
{
    const Priority priority = prioritise(program, lastingStores(dependences, finalWrites), seed);
    const std::span<const InstructionId> order = priority.order;

    const auto costOf = [&](std::size_t count) {
        double elements = 0;
        for (InstructionId store : order.first(count))
            elements += double(
                program.pattern(program.outputsOf(program.instructions[std::size_t(store)])[0])
                    .count());
        return executor.sliceCost(order.first(count)) + kFlopsPerElement * elements;
    };
    // The cost grows with the number of stores: the largest affordable number is found by halving.
    std::size_t affordable = std::min(priority.mandatory, order.size());
    double cost = costOf(affordable);
    std::size_t tooMany = order.size() + 1;
    if (cost >= budgetFlops)
        tooMany = affordable + 1;
    while (affordable + 1 < tooMany) {
        // Everything at once is the common case for cheap kernels: ask for it first.
        const std::size_t middle =
            tooMany == order.size() + 1 ? order.size() : affordable + (tooMany - affordable) / 2;
        const double middleCost = costOf(middle);
        if (middleCost <= budgetFlops) {
            affordable = middle;
            cost = middleCost;
        } else {
            tooMany = middle;
        }
    }

    StoreSample sample;
    sample.stores.assign(order.begin(), order.begin() + std::ptrdiff_t(affordable));
    std::sort(sample.stores.begin(), sample.stores.end());
    sample.allStores = std::int64_t(order.size());
    sample.flops = cost;
    return sample;
}

StoreSample allStores(const nki::Dependences &dependences, const FinalWrites &finalWrites)
{
    StoreSample sample;
    for (const std::vector<InstructionId> &stores : lastingStores(dependences, finalWrites))
        sample.stores.insert(sample.stores.end(), stores.begin(), stores.end());
    std::sort(sample.stores.begin(), sample.stores.end());
    sample.stores.erase(std::unique(sample.stores.begin(), sample.stores.end()),
                        sample.stores.end());
    sample.allStores = std::int64_t(sample.stores.size());
    return sample;
}

} // namespace accelopt::oracle
