// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/Residence.h"

#include "core/rewrite/Dependence.h"

#include <algorithm>
#include <map>
#include <set>

namespace accelopt::rewrite {
namespace {

constexpr double kResidentBytes = 160 * 1024;
constexpr double kUnknownTrips = 8;

double tripsOf(const KernelModel &model, const LoopNode &node)
{
    if (node.passes > 0)
        return static_cast<double>(node.passes);
    const auto known = model.trips(node.loops[0]);
    return known && *known > 0 ? static_cast<double>(*known) : kUnknownTrips;
}

// One read or write of a tile in SBUF.
struct Use
{
    const LoopLeaf *leaf = nullptr;
    bool write = false;
    std::vector<bool> tells; ///< for each loop of the path: different passes use different tiles
};

struct Tensor
{
    double tileBytes = 0;
    double partitions = 128;
    bool loaded = false;    ///< a copy of something in HBM, which needs no saving
    std::size_t around = 0; ///< loops around all its uses
    std::vector<Use> uses;
};

class Estimate
{
public:
    Estimate(const KernelModel &model, const std::vector<LoopNode> &nest, const BlockAxis &moved)
        : m_model(model),
          m_moved(moved),
          m_leaves(leavesOf(nest))
    {
        for (const LoopLeaf &leaf : m_leaves)
            readLeaf(leaf);
        findLoopsAround(m_tensors);
        findLoopsAround(m_psum);
        addPassing();
    }

    Residence result()
    {
        Residence total;
        total.bytesPerPartition = bytes(nullptr, 0);
        for (const LoopLeaf &leaf : m_leaves)
            for (std::size_t depth = 0; depth < leaf.path.size(); ++depth)
                total.bytesPerPartition =
                    std::max(total.bytesPerPartition, bytes(&leaf, depth + 1));
        for (const auto &[name, tensor] : m_tensors)
            total.spillMs += spill(tensor);
        for (const auto &[name, tensor] : m_psum)
            for (const Use &use : tensor.uses)
                total.psumTiles = std::max(total.psumTiles, tilesOf(use, tensor.around));
        return total;
    }

private:
    void findLoopsAround(std::map<std::string, Tensor> &tensors)
    {
        for (auto &[name, tensor] : tensors) {
            tensor.around = tensor.uses.front().leaf->path.size();
            for (const Use &use : tensor.uses)
                tensor.around =
                    std::min(tensor.around, common(*use.leaf, *tensor.uses.front().leaf));
        }
    }

    // Tiles that a use tells apart in one pass of the first `depth` loops around it.
    double tilesOf(const Use &use, std::size_t depth) const
    {
        double tiles = 1;
        for (std::size_t i = depth; i < use.tells.size(); ++i)
            if (use.tells[i])
                tiles *= tripsOf(m_model, *use.leaf->path[i]);
        return tiles;
    }

    static std::size_t common(const LoopLeaf &a, const LoopLeaf &b)
    {
        std::size_t count = 0;
        while (count < a.path.size() && count < b.path.size() && a.path[count] == b.path[count])
            ++count;
        return count;
    }

    void readLeaf(const LoopLeaf &leaf)
    {
        const Statement &statement = m_model.statement(leaf.statement);
        for (const Touch &touch : statement.touches) {
            const auto declared = m_model.declarations().find(touch.access.base);
            if (declared == m_model.declarations().end() ||
                (declared->second.memory != "sbuf" && declared->second.memory != "psum") ||
                (statement.operation && statement.operation->kind == OperationKind::Declare))
                continue;
            const Declaration &declaration = declared->second;
            Tensor &tensor = (declaration.memory == "psum" ? m_psum : m_tensors)[touch.access.base];
            tensor.tileBytes = declaration.tile.width() * 4;
            if (touch.access.base == m_moved.tensor)
                tensor.tileBytes /= static_cast<double>(
                    declaration.dimensions[m_moved.axis].constant().value_or(1));
            if (declaration.tile.partitions)
                tensor.partitions =
                    static_cast<double>(declaration.tile.partitions->constant().value_or(128));
            tensor.loaded = tensor.loaded || (touch.write && statement.operation &&
                                              statement.operation->kind == OperationKind::Load);
            Use use{&leaf, touch.write, {}};
            for (const LoopNode *node : leaf.path)
                use.tells.push_back(
                    tells(touch.access, *node, leaf.statement, declaration.partitionAxis));
            tensor.uses.push_back(std::move(use));
        }
    }

    bool tells(const Access &access, const LoopNode &node, int statement, int partitionAxis) const
    {
        for (const int loop : node.loops) {
            if (!m_model.inside(statement, loop))
                continue;
            const std::string &name = m_model.loops()[static_cast<std::size_t>(loop)].variable;
            for (std::size_t axis = 0; axis < access.indices.size(); ++axis) {
                const bool block = axis < static_cast<std::size_t>(partitionAxis) ||
                                   (access.base == m_moved.tensor && axis == m_moved.axis);
                if (block &&
                    (access.indices[axis].offset.mentions(name) || !access.indices[axis].known))
                    return true;
            }
        }
        return false;
    }

    // Tiles made by name in the body of a loop: about half of them are needed at once.
    void addPassing()
    {
        for (const LoopLeaf &leaf : m_leaves) {
            const Statement &statement = m_model.statement(leaf.statement);
            const std::string &name = statement.destination.base;
            if (name.empty() || leaf.path.empty() || !statement.operation || statement.augmented ||
                m_model.declarations().contains(name) || !statement.destination.whole ||
                statement.operation->kind == OperationKind::Store || !statement.shape.elements)
                continue;
            m_passing[leaf.path.back()] += statement.shape.width() * 4 / 2;
        }
    }

    // Bytes of a partition used in one pass of the first `depth` loops around a statement.
    double bytes(const LoopLeaf *leaf, std::size_t depth) const
    {
        double total = 0;
        for (const auto &[name, tensor] : m_tensors) {
            double tiles = 0;
            for (const Use &use : tensor.uses) {
                if (leaf && common(*leaf, *use.leaf) < depth)
                    continue;
                tiles = std::max(tiles, tilesOf(use, std::max(depth, tensor.around)));
            }
            total += tiles * tensor.tileBytes;
        }
        double passing = 0;
        for (const LoopLeaf &other : m_leaves)
            if (!leaf || common(*leaf, other) >= depth)
                for (const LoopNode *node : other.path)
                    if (const auto found = m_passing.find(node); found != m_passing.end())
                        passing = std::max(passing, found->second);
        return total + passing;
    }

    double spill(const Tensor &tensor) const
    {
        const LoopLeaf &first = *tensor.uses.front().leaf;
        const double needed = bytes(tensor.around == 0 ? nullptr : &first, tensor.around);
        if (needed <= kResidentBytes)
            return 0;
        const double share = 1 - kResidentBytes / needed;
        double moved = 0;
        double written = 0;
        for (const Use &use : tensor.uses) {
            double tiles = 1;
            for (std::size_t i = 0; i < tensor.around; ++i)
                tiles *= tripsOf(m_model, *use.leaf->path[i]);
            double between = 1;
            double repeated = 1;
            for (std::size_t i = tensor.around; i < use.tells.size(); ++i) {
                const double trips = tripsOf(m_model, *use.leaf->path[i]);
                if (use.tells[i]) {
                    between *= trips * repeated;
                    repeated = 1;
                } else if (bytes(use.leaf, i + 1) > kResidentBytes) {
                    repeated *= trips;
                }
            }
            if (use.write)
                written = std::max(written, tiles * between);
            else if (farFromItsWriter(tensor, use))
                moved += tiles * between;
        }
        if (!tensor.loaded && moved > 0)
            moved += written;
        return share * moved * dmaMs(tensor.partitions, tensor.tileBytes / 4);
    }

    // A tile that is read in the innermost loop that writes it is still there.
    static bool farFromItsWriter(const Tensor &tensor, const Use &reader)
    {
        return std::none_of(tensor.uses.begin(), tensor.uses.end(), [&](const Use &writer) {
            return writer.write && common(*writer.leaf, *reader.leaf) == writer.leaf->path.size();
        });
    }

    const KernelModel &m_model;
    BlockAxis m_moved;
    std::vector<LoopLeaf> m_leaves;
    std::map<std::string, Tensor> m_tensors;
    std::map<std::string, Tensor> m_psum;
    std::map<const LoopNode *, double> m_passing;
};

} // namespace

bool Residence::fitsPsum(const Residence &before) const
{
    return psumTiles <= std::max(kPsumBanks, before.psumTiles);
}

Residence residenceOf(const KernelModel &model, const std::vector<LoopNode> &nest,
                      const BlockAxis &moved)
{
    return Estimate(model, nest, moved).result();
}

bool canSplit(const KernelModel &model, int loop, std::size_t cut)
{
    for (const Statement &statement : model.statements()) {
        if (statement.node != model.loops()[static_cast<std::size_t>(loop)].node)
            continue;
        const auto nest = readNest(model, statement.block, statement.position, statement.position);
        if (!nest || cut >= nest->front().children.size())
            return false;
        const std::vector<LoopNode> parts = cutLoop(nest->front(), cut);
        return computesTheSame(model, *nest, parts) &&
               residenceOf(model, parts).fitsPsum(residenceOf(model, *nest));
    }
    return false;
}

std::optional<std::vector<LoopNode>> wholeNest(const KernelModel &model)
{
    const nki::NodeId block = model.tree()[model.function()].children[1];
    const std::vector<int> &ids = model.block(block);
    int first = -1;
    int last = -1;
    for (const int id : ids)
        if (model.tree()[model.statement(id).node].kind == nki::NodeKind::For) {
            last = model.statement(id).position;
            first = first < 0 ? last : first;
        }
    return first < 0 ? std::nullopt : readNest(model, block, first, last);
}

} // namespace accelopt::rewrite
