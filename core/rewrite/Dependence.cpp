// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/Dependence.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace accelopt::rewrite {
namespace {

constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max() / 4;

// An index as a number in a mixed base: loops by falling factor, what else may be added below.
struct Digits
{
    std::vector<std::pair<std::int64_t, int>> loops; ///< factor, loop
    std::map<std::string, std::int64_t> others;      ///< constant under "", names that are no loops
    std::int64_t lanes = 0;                          ///< largest sum of the lanes
};

std::int64_t capped(std::int64_t a, std::int64_t b)
{
    return a >= kUnbounded || b >= kUnbounded ? kUnbounded : std::min(a + b, kUnbounded);
}

std::optional<Digits> digitsOf(const KernelModel &model, const AxisIndex &index, int statement)
{
    if (!index.known)
        return std::nullopt;
    const auto terms = index.offset.linear();
    if (!terms)
        return std::nullopt;
    Digits result;
    for (const auto &[name, factor] : *terms) {
        int found = -1;
        for (const int loop : model.loopsAround(statement))
            if (found < 0 && model.loops()[static_cast<std::size_t>(loop)].variable == name)
                found = loop;
        if (found < 0)
            result.others[name] = factor;
        else if (factor < 0)
            return std::nullopt;
        else
            result.loops.emplace_back(factor, found);
    }
    std::sort(result.loops.rbegin(), result.loops.rend());
    for (const Lane &lane : index.lanes) {
        const auto size = lane.size.constant();
        if (lane.stride < 0)
            return std::nullopt;
        result.lanes =
            capped(result.lanes, size && *size > 0 ? lane.stride * (*size - 1) : kUnbounded);
    }
    return result;
}

// The largest value of the digits from `from` on.
std::int64_t rest(const KernelModel &model, const Digits &digits, std::size_t from)
{
    std::int64_t result = digits.lanes;
    for (std::size_t i = from; i < digits.loops.size(); ++i) {
        const auto trips = model.trips(digits.loops[i].second);
        result = capped(result, trips ? digits.loops[i].first * (*trips - 1) : kUnbounded);
    }
    return result;
}

void overlapOfAxis(const KernelModel &model, const AxisIndex &first, int firstStatement,
                   const AxisIndex &second, int secondStatement, Overlap &overlap)
{
    const auto a = digitsOf(model, first, firstStatement);
    const auto b = digitsOf(model, second, secondStatement);
    if (!a || !b)
        return;
    if (a->others != b->others) {
        // Numbers apart: separate when neither reaches the other.
        auto left = a->others;
        auto right = b->others;
        const std::int64_t from = left[""];
        const std::int64_t to = right[""];
        left.erase("");
        right.erase("");
        if (left == right &&
            (capped(from, rest(model, *a, 0)) < to || capped(to, rest(model, *b, 0)) < from))
            overlap.possible = false;
        return;
    }
    for (std::size_t i = 0; i < a->loops.size() && i < b->loops.size(); ++i) {
        const std::int64_t factor = a->loops[i].first;
        if (factor != b->loops[i].first || rest(model, *a, i + 1) >= factor ||
            rest(model, *b, i + 1) >= factor)
            return;
        overlap.equal.emplace(a->loops[i].second, b->loops[i].second);
    }
}

// += and loop_reduce: the order of these among themselves does not matter.
bool accumulates(const Statement &statement, const std::string &name)
{
    if (statement.destination.base != name)
        return false;
    return statement.augmented ||
           (statement.operation && statement.operation->kind == OperationKind::LoopReduce);
}

// Something whose effects are not known: an expression for its own sake that is no store.
bool opaque(const KernelModel &model, const Statement &statement)
{
    const nki::Node &node = model.tree()[statement.node];
    if (node.kind != nki::NodeKind::ExprStatement)
        return false;
    if (model.tree()[node.children[0]].kind == nki::NodeKind::Constant)
        return false;
    return !statement.operation || statement.operation->kind != OperationKind::Store;
}

class Checker
{
public:
    Checker(const KernelModel &model, const std::vector<LoopNode> &before,
            const std::vector<LoopNode> &after)
        : m_model(model),
          m_old(leavesOf(before)),
          m_new(leavesOf(after))
    {}

    bool good()
    {
        if (m_old.size() != m_new.size())
            return false;
        for (std::size_t i = 0; i < m_new.size(); ++i)
            m_position[m_new[i].statement] = i;
        for (const LoopLeaf &leaf : m_old)
            if (!m_position.contains(leaf.statement) ||
                opaque(m_model, m_model.statement(leaf.statement)) || !keepsItsLoops(leaf))
                return false;
        return namesKeepTheirMeaning() && valuesKeepTheirOrder();
    }

private:
    const LoopLeaf &moved(int statement) const { return m_new[m_position.at(statement)]; }

    // The loop of the old text that runs as `node` around a statement.
    int ownLoop(const LoopNode &node, int statement) const
    {
        for (const int loop : node.loops)
            if (m_model.inside(statement, loop))
                return loop;
        return -1;
    }

    // Each statement under exactly the loops it had, each variable under a name of its own.
    bool keepsItsLoops(const LoopLeaf &leaf) const
    {
        const LoopLeaf &now = moved(leaf.statement);
        std::set<int> old;
        for (const LoopNode *node : leaf.path)
            old.insert(node->loops.begin(), node->loops.end());
        std::set<std::string> heads;
        std::set<int> kept;
        for (const LoopNode *node : now.path) {
            const int own = ownLoop(*node, leaf.statement);
            const Loop &head = m_model.loops()[static_cast<std::size_t>(node->loops[0])];
            if (own < 0 || !kept.insert(own).second || !heads.insert(head.variable).second)
                return false;
            const std::string &name = m_model.loops()[static_cast<std::size_t>(own)].variable;
            if (name != head.variable &&
                !m_model.mentions(m_model.statement(leaf.statement).node, head.variable).empty())
                return false;
            // Trip counts must not depend on loops that change places.
            const nki::NodeId iterable =
                m_model.tree()[m_model.loops()[static_cast<std::size_t>(own)].node].children[1];
            for (const Loop &other : m_model.loops())
                if (!m_model.mentions(iterable, other.variable).empty())
                    return false;
        }
        return kept == old;
    }

    // For every name that the statements bind: each reader gets it from the statement it got it
    // from, in the same pass of all loops around that.
    bool namesKeepTheirMeaning() const
    {
        std::set<std::string> bound;
        for (const LoopLeaf &leaf : m_old)
            for (const auto &[name, count] : m_model.statement(leaf.statement).writes)
                if (bindsName(m_model, m_model.statement(leaf.statement), name))
                    bound.insert(name);
        for (const std::string &name : bound)
            for (const LoopLeaf &leaf : m_old) {
                const Statement &reader = m_model.statement(leaf.statement);
                const bool reads =
                    reader.reads.contains(name) ||
                    (reader.writes.contains(name) && !bindsName(m_model, reader, name));
                if (!reads)
                    continue;
                const LoopLeaf *was = binding(m_old, leaf.statement, name);
                const LoopLeaf *is = binding(m_new, leaf.statement, name);
                if (!was || !is || was->statement != is->statement ||
                    !startsWith(leaf.path, was->path) ||
                    !startsWith(moved(leaf.statement).path, is->path))
                    return false;
            }
        return !std::any_of(bound.begin(), bound.end(),
                            [this](const std::string &name) { return leaks(name); });
    }

    // True when a name bound in a loop here is read by a statement elsewhere.
    bool leaks(const std::string &name) const
    {
        int last = -1; // binding that a statement of the text would see
        for (std::size_t id = 0; id < m_model.statements().size(); ++id) {
            const Statement &statement = m_model.statements()[id];
            if (statement.hasBody)
                continue;
            const int number = static_cast<int>(id);
            const bool here = m_position.contains(number);
            const bool binds = bindsName(m_model, statement, name);
            if (!here && last >= 0 && m_position.contains(last) &&
                (statement.reads.contains(name) || (statement.writes.contains(name) && !binds)))
                for (const LoopLeaf &leaf : m_old)
                    if (leaf.statement == last && !leaf.path.empty())
                        return true;
            if (binds)
                last = number;
        }
        return false;
    }

    const LoopLeaf *binding(const std::vector<LoopLeaf> &leaves, int statement,
                            const std::string &name) const
    {
        const LoopLeaf *result = nullptr;
        for (const LoopLeaf &leaf : leaves) {
            if (leaf.statement == statement)
                return result;
            if (bindsName(m_model, m_model.statement(leaf.statement), name))
                result = &leaf;
        }
        return nullptr;
    }

    static bool startsWith(const std::vector<const LoopNode *> &path,
                           const std::vector<const LoopNode *> &start)
    {
        return path.size() >= start.size() && std::equal(start.begin(), start.end(), path.begin());
    }

    bool valuesKeepTheirOrder() const
    {
        for (std::size_t i = 0; i < m_old.size(); ++i)
            for (std::size_t j = i; j < m_old.size(); ++j)
                if (!pairKeepsItsOrder(m_old[i], m_old[j]))
                    return false;
        return true;
    }

    bool pairKeepsItsOrder(const LoopLeaf &first, const LoopLeaf &second) const
    {
        const Statement &a = m_model.statement(first.statement);
        const Statement &b = m_model.statement(second.statement);
        for (const Touch &one : a.touches)
            for (const Touch &other : b.touches) {
                const std::string &name = one.access.base;
                if (name.empty() || name != other.access.base || (!one.write && !other.write) ||
                    bindsName(m_model, a, name) || bindsName(m_model, b, name) ||
                    (accumulates(a, name) && accumulates(b, name)))
                    continue;
                const Overlap overlap =
                    overlapOf(m_model, one.access, first.statement, other.access, second.statement);
                if (overlap.possible && !keepsOrder(first, second, overlap))
                    return false;
            }
        return true;
    }

    bool keepsOrder(const LoopLeaf &first, const LoopLeaf &second, const Overlap &overlap) const
    {
        std::set<std::pair<int, int>> equal = overlap.equal;
        std::vector<int> common;
        for (std::size_t i = 0;
             i < first.path.size() && i < second.path.size() && first.path[i] == second.path[i];
             ++i)
            common.push_back(first.path[i]->loops[0]);
        for (const int loop : common) {
            const std::string &kind = m_model.loops()[static_cast<std::size_t>(loop)].kind;
            if (kind == "affine_range") {
                // Each pass has the tensor to itself: it must go on having both statements.
                if (!overlap.equal.contains({loop, loop}) && !shared(first, second, loop))
                    return false;
            } else if (!equal.contains({loop, loop})) {
                if (!ordered(first.statement, second.statement, equal, loop) ||
                    !ordered(second.statement, first.statement, mirrored(equal), loop))
                    return false;
            }
            equal.emplace(loop, loop);
        }
        return first.statement == second.statement ||
               ordered(first.statement, second.statement, equal, -1);
    }

    static std::set<std::pair<int, int>> mirrored(const std::set<std::pair<int, int>> &equal)
    {
        std::set<std::pair<int, int>> result;
        for (const auto &[a, b] : equal)
            result.emplace(b, a);
        return result;
    }

    bool shared(const LoopLeaf &first, const LoopLeaf &second, int loop) const
    {
        const auto &a = moved(first.statement).path;
        const auto &b = moved(second.statement).path;
        for (std::size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i]; ++i)
            if (a[i]->stands(loop))
                return true;
        return false;
    }

    // True when in the new order every pass of `source` runs before every pass of `sink` that
    // agrees with it in the loops of `equal` and, when `carried` is a loop, comes later in that.
    bool ordered(int source, int sink, const std::set<std::pair<int, int>> &equal,
                 int carried) const
    {
        const auto &a = moved(source).path;
        const auto &b = moved(sink).path;
        for (std::size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i]; ++i) {
            const int left = ownLoop(*a[i], source);
            const int right = ownLoop(*b[i], sink);
            if (equal.contains({left, right}))
                continue;
            return carried >= 0 && left == carried && right == carried;
        }
        return m_position.at(source) < m_position.at(sink);
    }

    const KernelModel &m_model;
    std::vector<LoopLeaf> m_old;
    std::vector<LoopLeaf> m_new;
    std::map<int, std::size_t> m_position;
};

} // namespace

Overlap overlapOf(const KernelModel &model, const Access &first, int firstStatement,
                  const Access &second, int secondStatement)
{
    Overlap result;
    if (first.whole || second.whole)
        return result;
    for (std::size_t i = 0; i < first.indices.size() && i < second.indices.size(); ++i)
        overlapOfAxis(model, first.indices[i], firstStatement, second.indices[i], secondStatement,
                      result);
    return result;
}

bool bindsName(const KernelModel &model, const Statement &statement, const std::string &name)
{
    if (statement.augmented || model.tree()[statement.node].kind != nki::NodeKind::Assign)
        return false;
    return std::any_of(statement.touches.begin(), statement.touches.end(), [&](const Touch &touch) {
        return touch.write && touch.access.base == name &&
               model.tree()[touch.access.node].kind == nki::NodeKind::Name;
    });
}

std::optional<std::vector<Access>> everyAccess(const KernelModel &model, const std::string &name)
{
    std::vector<Access> result;
    for (const Statement &statement : model.statements()) {
        if (statement.operation && statement.operation->kind == OperationKind::Declare)
            continue;
        for (const Touch &touch : statement.touches) {
            const bool seen = std::any_of(result.begin(), result.end(), [&](const Access &access) {
                return access.node == touch.access.node;
            });
            if (touch.access.base == name && !seen)
                result.push_back(touch.access);
        }
    }
    if (model.mentions(model.function(), name).size() != result.size() + 1)
        return std::nullopt;
    return result;
}

std::vector<Flow> flowsBetween(const KernelModel &model, const std::vector<LoopLeaf> &first,
                               const std::vector<LoopLeaf> &second)
{
    std::vector<Flow> result;
    for (const LoopLeaf &writer : first)
        for (const Touch &written : model.statement(writer.statement).touches) {
            if (!written.write || written.access.base.empty() ||
                bindsName(model, model.statement(writer.statement), written.access.base))
                continue;
            for (const LoopLeaf &reader : second)
                for (const Touch &read : model.statement(reader.statement).touches) {
                    if (read.write || read.access.base != written.access.base)
                        continue;
                    const Overlap overlap = overlapOf(model, written.access, writer.statement,
                                                      read.access, reader.statement);
                    if (overlap.possible)
                        result.push_back(
                            {writer.statement, reader.statement, written.access.base, overlap});
                }
        }
    return result;
}

bool computesTheSame(const KernelModel &model, const std::vector<LoopNode> &before,
                     const std::vector<LoopNode> &after)
{
    return Checker(model, before, after).good();
}

} // namespace accelopt::rewrite
