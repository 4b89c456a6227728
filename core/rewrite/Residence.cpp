// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/Residence.h"

#include <algorithm>
#include <map>
#include <set>

namespace accelopt::rewrite {
namespace {

constexpr double kUsableBytes = 160 * 1024;
constexpr double kUnknownTrips = 8;

struct Held
{
    double tiles = 0; ///< alive at once
    std::set<int> readers;
};

double tripsOf(const KernelModel &model, const LoopNode &node)
{
    return static_cast<double>(
        model.trips(node.loops[0]).value_or(static_cast<std::int64_t>(kUnknownTrips)));
}

std::size_t commonLoops(const LoopLeaf &a, const LoopLeaf &b)
{
    std::size_t common = 0;
    while (common < a.path.size() && common < b.path.size() && a.path[common] == b.path[common])
        ++common;
    return common;
}

// Tiles that a statement writes in one pass of the first `around` loops.
double tilesWritten(const KernelModel &model, const LoopLeaf &writer, const Access &access,
                    int partitionAxis, std::size_t around)
{
    double tiles = 1;
    for (std::size_t i = around; i < writer.path.size(); ++i)
        for (const int loop : writer.path[i]->loops) {
            if (!model.inside(writer.statement, loop))
                continue;
            const std::string &variable = model.loops()[static_cast<std::size_t>(loop)].variable;
            bool named = false;
            for (std::size_t axis = 0;
                 axis < access.indices.size() && axis < static_cast<std::size_t>(partitionAxis);
                 ++axis)
                named = named || access.indices[axis].offset.mentions(variable);
            if (named)
                tiles *= tripsOf(model, *writer.path[i]);
        }
    return tiles;
}

// Bytes of a partition that the tiles without a declaration need in the body of one loop.
double passingBytes(const KernelModel &model, const std::vector<LoopLeaf> &leaves)
{
    std::map<const LoopNode *, double> bodies;
    double most = 0;
    for (const LoopLeaf &leaf : leaves) {
        const Statement &statement = model.statement(leaf.statement);
        const std::string &name = statement.destination.base;
        if (name.empty() || leaf.path.empty() || !statement.operation || statement.augmented ||
            model.declarations().contains(name) ||
            statement.operation->kind == OperationKind::Store || !statement.shape.elements)
            continue;
        double &bytes = bodies[leaf.path.back()];
        bytes += statement.shape.width() * 4;
        most = std::max(most, bytes);
    }
    // About half of what a pass makes is still needed when the other half is made.
    return most / 2;
}

} // namespace

Residence residenceOf(const KernelModel &model, const std::vector<LoopNode> &nest)
{
    const std::vector<LoopLeaf> leaves = leavesOf(nest);
    std::map<std::string, Held> held;
    for (const LoopLeaf &writer : leaves)
        for (const Touch &written : model.statement(writer.statement).touches) {
            const auto declared = model.declarations().find(written.access.base);
            if (!written.write || declared == model.declarations().end() ||
                declared->second.memory != "sbuf")
                continue;
            Held &tensor = held[written.access.base];
            for (const LoopLeaf &reader : leaves)
                for (const Touch &read : model.statement(reader.statement).touches) {
                    if (read.write || read.access.base != written.access.base)
                        continue;
                    tensor.tiles =
                        std::max(tensor.tiles, tilesWritten(model, writer, written.access,
                                                            declared->second.partitionAxis,
                                                            commonLoops(writer, reader)));
                    tensor.readers.insert(reader.statement);
                }
        }
    Residence result;
    result.bytesPerPartition = passingBytes(model, leaves);
    for (const auto &[name, tensor] : held)
        result.bytesPerPartition += tensor.tiles * model.declarations().at(name).tile.width() * 4;
    if (result.bytesPerPartition <= kUsableBytes)
        return result;
    const double share = 1 - kUsableBytes / result.bytesPerPartition;
    for (const auto &[name, tensor] : held) {
        const Declaration &declaration = model.declarations().at(name);
        // What is overwritten in the next pass anyway is not worth saving.
        if (tensor.tiles < 2)
            continue;
        double tiles = 1;
        for (int axis = 0; axis < declaration.partitionAxis; ++axis)
            tiles *= static_cast<double>(
                declaration.dimensions[static_cast<std::size_t>(axis)].constant().value_or(
                    static_cast<std::int64_t>(kUnknownTrips)));
        const double moves = 1 + std::min<double>(static_cast<double>(tensor.readers.size()), 2);
        result.spillMs +=
            share * tiles * moves *
            dmaMs(declaration.tile.partitions
                      ? static_cast<double>(declaration.tile.partitions->constant().value_or(128))
                      : 128,
                  declaration.tile.width());
    }
    return result;
}

} // namespace accelopt::rewrite
