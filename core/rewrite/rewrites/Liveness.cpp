// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rewrites/Liveness.h"

#include "core/rewrite/EngineLoad.h"
#include "core/rewrite/Residence.h"
#include "core/rewrite/rewrites/Support.h"

#include <algorithm>
#include <map>

namespace accelopt::rewrite {

LiveTiles liveTiles(const KernelModel &model, const std::vector<int> &statements)
{
    struct Life
    {
        double bytes = 0;
        std::size_t from = 0;
        std::size_t to = 0;
    };
    std::map<std::string, Life> lives;
    for (std::size_t i = 0; i < statements.size(); ++i) {
        const Statement &statement = model.statement(statements[i]);
        for (const auto &[name, count] : statement.reads)
            if (const auto life = lives.find(name); life != lives.end())
                life->second.to = i;
        if (!statement.operation || statement.destination.base.empty() ||
            statement.operation->kind == OperationKind::Store ||
            statement.operation->kind == OperationKind::Reduce ||
            statement.operation->kind == OperationKind::LoopReduce)
            continue;
        const std::string &name = statement.destination.base;
        Life &life = lives.try_emplace(name, Life{0, i, i}).first->second;
        life.bytes = std::max(life.bytes, statement.shape.width() * 4);
        life.to = i;
    }
    for (auto &[name, life] : lives)
        for (const int user : model.users(name)) {
            const Statement &statement = model.statement(user);
            if (!statement.hasBody && statement.reads.contains(name) &&
                std::find(statements.begin(), statements.end(), user) == statements.end())
                life.to = statements.size();
        }
    LiveTiles result;
    for (std::size_t i = 0; i < statements.size(); ++i) {
        double now = 0;
        for (const auto &[name, life] : lives)
            if (life.from <= i && i <= life.to)
                now += life.bytes;
        result.peak = std::max(result.peak, now);
    }
    for (const auto &[name, life] : lives)
        result.together += life.bytes;
    return result;
}

double wideningSpillMs(const KernelModel &model, const LiveTiles &tiles, double factor)
{
    const auto nest = wholeNest(model);
    if (!nest)
        return 0;
    const double held = residenceOf(model, *nest).bytesPerPartition;
    const double excess = held + tiles.peak * (factor - 1) - std::max(held, kUsableBytes);
    return excess > 0 ? 2 * dmaMs(128, excess / 4) : 0;
}

} // namespace accelopt::rewrite
