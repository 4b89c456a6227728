// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/oracle/Mutants.h"

#include "core/oracle/KernelCalls.h"
#include "core/rewrite/SourceEdits.h"

#include <fmt/format.h>
#include <functional>

namespace accelopt::oracle {
namespace {

using nki::NodeId;
using nki::NodeKind;
using rewrite::SourceEdits;

bool isReduction(const std::string &function)
{
    return function == "max" || function == "min" || function == "sum" || function == "mean";
}

bool isProduct(const KernelCall &call)
{
    return call.function == "matmul" || call.function == "nc_matmul";
}

class MutantMaker
{
public:
    explicit MutantMaker(const nki::SyntaxTree &tree) : m_tree(tree), m_calls(tree) {}

    std::vector<KernelVariant> run()
    {
        for (const KernelCall &call : m_calls.calls()) {
            terms(call);
            reductions(call);
            functions(call);
            products(call);
            memory(call);
            if (call.function == "load")
                loads(call);
            if (call.function == "store")
                stores(call);
        }
        loops();
        results();
        return std::move(m_made);
    }

private:
    using Edit = std::function<void(SourceEdits &)>;

    void add(const std::string &kind, const std::string &what, NodeId at, const Edit &edit)
    {
        SourceEdits edits(m_tree);
        edit(edits);
        if (auto source = edits.apply(); source && *source != m_tree.source())
            m_made.push_back({kind, what, m_tree[at].place, std::move(*source)});
    }

    void replaced(const std::string &kind, const std::string &what, NodeId node,
                  const std::string &text)
    {
        add(kind, what, node, [&](SourceEdits &edits) { edits.replace(node, text); });
    }

    std::string text(NodeId node) const { return m_calls.text(node); }

    /// A part of a tile's columns.
    static std::string columns(const std::string &tile, const std::string &from,
                               const std::string &to)
    {
        return fmt::format("{}[:, {}:{}]", tile, from, to);
    }

    void terms(const KernelCall &call)
    {
        const std::string &f = call.function;
        const bool binary = f == "add" || f == "subtract" || f == "multiply" || f == "divide" ||
                            f == "maximum" || f == "minimum";
        if (!binary || call.arguments.size() != 2)
            return;
        const NodeId a = call.arguments[0];
        const NodeId b = call.arguments[1];
        const std::string keywords = m_calls.keywordText(call);
        replaced("term_dropped", fmt::format("{} left out of {}", text(b), text(call.node)),
                 call.node, fmt::format("nl.copy({}{})", text(a), keywords));
        if (m_calls.isTile(b)) {
            replaced("term_dropped", fmt::format("{} left out of {}", text(a), text(call.node)),
                     call.node, fmt::format("nl.copy({}{})", text(b), keywords));
        } else {
            replaced("constant_dropped", fmt::format("{} taken as 0", text(b)), b, "0.0");
            if (m_tree[b].kind == NodeKind::Name)
                replaced("constant_dropped", fmt::format("{} times 0", text(b)), b,
                         fmt::format("{} * 0.0", text(b)));
        }
        if (f == "subtract")
            replaced("operands_swapped", fmt::format("operands of {} swapped", text(call.node)),
                     call.node, fmt::format("nl.subtract({}, {}{})", text(b), text(a), keywords));
        if (f == "add" || f == "multiply")
            replaced("other_operation", fmt::format("{} with another operation", text(call.node)),
                     call.node,
                     fmt::format("nl.{}({}, {}{})", f == "add" ? "subtract" : "add", text(a),
                                 text(b), keywords));
    }

    void reductions(const KernelCall &call)
    {
        if (!isReduction(call.function) || call.arguments.empty() ||
            !m_calls.isTile(call.arguments[0]))
            return;
        const NodeId tile = call.arguments[0];
        const std::string name = text(tile);
        const std::string half = name + ".shape[1] // 2";
        replaced("part_of_row", fmt::format("{} of the first 128 columns only", call.function),
                 tile, columns(name, "0", "128"));
        replaced("part_of_row", fmt::format("{} of the first half only", call.function), tile,
                 columns(name, "0", half));
        replaced("part_of_row", fmt::format("{} of the last half only", call.function), tile,
                 columns(name, half, name + ".shape[1]"));
        if (call.function == "sum")
            replaced("part_of_row", "sum of the first half, doubled", call.node,
                     fmt::format("nl.multiply(nl.sum({}{}), 2.0)", columns(name, "0", half),
                                 m_calls.keywordText(call)));
        if (call.function == "max" || call.function == "min") {
            replaced("other_operation", call.function + " turned round", call.node,
                     fmt::format("nl.{}({}{})", call.function == "max" ? "min" : "max", name,
                                 m_calls.keywordText(call)));
            if (!call.boundName.empty())
                add("shared_maximum", "one maximum for all rows of a tile", call.node,
                    [&](SourceEdits &edits) {
                        edits.insertAfter(
                            call.statement,
                            {fmt::format("{0} = nl.max(nl.copy(nl.transpose({0})), axis=[1], "
                                         "keepdims=True).broadcast_to(({0}.shape[0], 1))",
                                         call.boundName)});
                    });
        }
    }

    /// Cheaper forms that agree near one point.
    void functions(const KernelCall &call)
    {
        if (call.arguments.size() != 1)
            return;
        const std::string x = text(call.arguments[0]);
        const std::string k = m_calls.keywordText(call);
        const auto cheaper = [&](const std::string &what, const std::string &form) {
            replaced("cheaper_function", what, call.node, form);
        };
        if (call.function == "exp") {
            cheaper("exp by 1 + x", fmt::format("nl.add({}, 1.0{})", x, k));
            cheaper("exp by 1 + x + x^2 / 2",
                    fmt::format("nl.add(nl.multiply(nl.add(nl.multiply({0}, 0.5{1}), 1.0{1}), "
                                "{0}{1}), 1.0{1})",
                                x, k));
            cheaper("exp by its series to x^4",
                    fmt::format("nl.add(nl.multiply(nl.add(nl.multiply(nl.add(nl.multiply(nl.add("
                                "nl.multiply({0}, 1.0 / 24{1}), 1.0 / 6{1}), {0}{1}), 0.5{1}), "
                                "{0}{1}), 1.0{1}), {0}{1}), 1.0{1})",
                                x, k));
        } else if (call.function == "sqrt") {
            cheaper("sqrt by its tangent at 1",
                    fmt::format("nl.multiply(nl.add({0}, 1.0{1}), 0.5{1})", x, k));
        } else if (call.function == "reciprocal") {
            cheaper("reciprocal by its tangent at 1", fmt::format("nl.subtract(2.0, {}{})", x, k));
        }
        if (call.function == "square")
            cheaper("square by the value itself", fmt::format("nl.copy({}{})", x, k));
    }

    void products(const KernelCall &call)
    {
        if (!isProduct(call) || call.arguments.size() < 2)
            return;
        const NodeId a = call.arguments[0];
        const NodeId b = call.arguments[1];
        const auto product = [&](const std::string &left, const std::string &right) {
            return fmt::format("{}.{}({}, {}{})", call.module, call.function, left, right,
                               m_calls.keywordText(call));
        };
        const auto narrowed = [&](NodeId node) {
            return fmt::format("nl.copy({}, dtype=nl.bfloat16)", text(node));
        };
        replaced("narrow_operands", "bfloat16 operands", call.node,
                 product(narrowed(a), narrowed(b)));
        replaced(
            "narrow_operands", "bfloat16 operands by a composed name", call.node,
            product(fmt::format("nl.copy({}, dtype=getattr(nl, \"bfl\" + \"oat16\"))", text(a)),
                    narrowed(b)));
        split(call, a, b, 2);
        split(call, a, b, 3);
        // One of several products that are summed up.
        if (m_tree[call.statement].kind == NodeKind::AugAssign)
            add("term_dropped", "a product that is not added", call.node,
                [&](SourceEdits &edits) { edits.replace(call.statement, "pass"); });
    }

    /// The product in passes over bfloat16 halves of the operands: full range, fewer digits.
    void split(const KernelCall &call, NodeId a, NodeId b, int passes)
    {
        const nki::Node &statement = m_tree[call.statement];
        const bool adds =
            statement.kind == NodeKind::AugAssign && statement.children.back() == call.node;
        if (!adds && call.boundName.empty())
            return;
        std::vector<std::string> before;
        for (const auto &[name, node] : {std::pair{"split_a", a}, {"split_b", b}}) {
            before.push_back(
                fmt::format("{0}_high = nl.copy({1}, dtype=nl.bfloat16)", name, text(node)));
            before.push_back(fmt::format("{0}_rest = nl.copy(nl.subtract({1}, {0}_high, "
                                         "dtype=nl.float32), dtype=nl.bfloat16)",
                                         name, text(node)));
        }
        const std::pair<const char *, const char *> pairs[] = {{"split_a_high", "split_b_high"},
                                                               {"split_a_high", "split_b_rest"},
                                                               {"split_a_rest", "split_b_high"}};
        add("split_product", fmt::format("product in {} passes of bfloat16", passes), call.node,
            [&](SourceEdits &edits) {
                std::vector<std::string> after;
                std::string sum;
                for (int pass = 0; pass < passes; ++pass) {
                    const std::string one = fmt::format(
                        "{}.{}({}, {}{})", call.module, call.function, pairs[pass].first,
                        pairs[pass].second, m_calls.keywordText(call));
                    if (pass > 0 && adds)
                        after.push_back(
                            fmt::format("{} += {}", text(statement.children.front()), one));
                    sum = sum.empty() ? fmt::format("nl.copy({})", one)
                                      : fmt::format("nl.add({}, nl.copy({}))", sum, one);
                    if (pass == 0 && adds)
                        edits.replace(call.node, one);
                }
                edits.insertBefore(call.statement, before);
                if (adds)
                    edits.insertAfter(call.statement, after);
                else
                    edits.replace(call.node, sum);
            });
    }

    void memory(const KernelCall &call)
    {
        if (call.function == "zeros")
            add("uninitialised", "an accumulator that is not set to zero", call.node,
                [&](SourceEdits &edits) {
                    edits.replace(m_tree[call.node].children.front(), call.module + ".ndarray");
                });
        const auto type = m_calls.keyword(call, "dtype");
        const auto buffer = m_calls.keyword(call, "buffer");
        if (call.function == "ndarray" && type && buffer &&
            text(*buffer).find("shared_hbm") != std::string::npos) {
            replaced("wrong_type", "a result of another type", *type, "nl.float16");
            add("wrong_shape", "a result with one more axis", call.node, [&](SourceEdits &edits) {
                edits.replace(call.arguments.front(),
                              fmt::format("(1,) + tuple({})", text(call.arguments.front())));
            });
            add("over_capacity", "a tile larger than SBUF", call.node, [&](SourceEdits &edits) {
                edits.insertAfter(call.statement,
                                  {"hog = nl.zeros((nl.par_dim(128), 65536), dtype=nl.float32, "
                                   "buffer=nl.sbuf)"});
            });
        }
    }

    void loads(const KernelCall &call)
    {
        if (call.arguments.empty())
            return;
        const NodeId region = call.arguments.front();
        for (const KernelLoop &loop : m_calls.loops()) {
            const auto uses = m_calls.names(region, loop.variable);
            if (uses.empty() || !isInside(call.node, loop.node))
                continue;
            const auto everywhere = [&](const std::string &kind, const std::string &what,
                                        const std::string &index) {
                add(kind, what, call.node, [&](SourceEdits &edits) {
                    for (const NodeId use : uses)
                        edits.replace(use, index);
                });
            };
            everywhere("wrong_block",
                       fmt::format("{} always at {} = 0", text(region), loop.variable), "0");
            everywhere("out_of_bounds",
                       fmt::format("{} one block further in {}", text(region), loop.variable),
                       "(" + loop.variable + " + 1)");
        }
        if (!call.boundName.empty()) {
            add("input_overwritten", "writes into " + text(region), call.node,
                [&](SourceEdits &edits) {
                    edits.insertAfter(call.statement,
                                      {fmt::format("nl.store({}, value={}{})", text(region),
                                                   call.boundName, m_calls.keywordText(call))});
                });
        }
    }

    bool isInside(NodeId node, NodeId outer) const
    {
        for (NodeId up = node; up >= 0; up = m_tree[up].parent)
            if (up == outer)
                return true;
        return false;
    }

    void stores(const KernelCall &call)
    {
        const auto value = m_calls.keyword(call, "value");
        if (!value || call.arguments.empty())
            return;
        const std::string v = text(*value);
        const auto mask = m_calls.keyword(call, "mask");
        const std::string k = mask ? ", mask=" + text(*mask) : std::string();
        for (const char *threshold : {"1e-6", "1e-5", "1e-2"})
            replaced("small_zeroed", fmt::format("values below {} become 0", threshold), *value,
                     fmt::format("nl.multiply({0}, nl.greater(nl.abs({0}{2}), {1}{2}){2})", v,
                                 threshold, k));
        replaced("zeros", "nothing but zeros, computed", *value,
                 fmt::format("nl.multiply({}, 0.0{})", v, k));
        replaced("constant", "a constant", *value,
                 fmt::format("nl.full({}.shape, 0.5, dtype=nl.float32)", v));
        replaced(
            "nan", "not a number", *value,
            fmt::format("nl.multiply(nl.reciprocal(nl.multiply({0}, 0.0{1}){1}), 0.0{1})", v, k));
        replaced("library", "a value of numpy", *value, fmt::format("np.zeros({}.shape)", v));
        replaced(
            "narrow_result", "the result rounded to bfloat16", *value,
            fmt::format("nl.copy(nl.copy({0}, dtype=nl.bfloat16{1}), dtype=nl.float32{1})", v, k));
        for (const KernelCall &other : m_calls.calls())
            if (other.function == "load" && !other.boundName.empty())
                replaced("copy_through", fmt::format("{} stored as it is", other.boundName), *value,
                         other.boundName);
        add("not_stored", "a store that is left out", call.node,
            [&](SourceEdits &edits) { edits.replace(call.statement, "pass"); });
        if (m_tree[*value].kind == NodeKind::Name) {
            const auto before = [&](const std::string &kind, const std::string &what,
                                    const std::string &line) {
                add(kind, what, call.node,
                    [&](SourceEdits &edits) { edits.insertBefore(call.statement, {line}); });
            };
            before("one_element", "one element of a tile off by 10 %",
                   fmt::format("{0}[0:1, 3:4] = nl.multiply({0}[0:1, 3:4], 1.1)", v));
            before("one_row", "one row of a tile left at zero",
                   fmt::format("{0}[32:33, 0:{0}.shape[1]] = nl.multiply({0}[32:33, "
                               "0:{0}.shape[1]], 0.0)",
                               v));
        }
        for (const KernelLoop &loop : m_calls.loops()) {
            const auto uses = m_calls.names(call.arguments.front(), loop.variable);
            if (!uses.empty() && isInside(call.node, loop.node))
                add("race", fmt::format("all passes of {} write the same place", loop.variable),
                    call.node, [&](SourceEdits &edits) {
                        for (const NodeId use : uses)
                            edits.replace(use, "0");
                    });
        }
    }

    void loops()
    {
        for (const KernelLoop &loop : m_calls.loops()) {
            replaced("last_pass_skipped",
                     fmt::format("the last pass of {} is left out", loop.variable), loop.count,
                     fmt::format("({}) - 1", text(loop.count)));
            if (loop.range == "sequential_range")
                add("race", fmt::format("the passes of {} at once", loop.variable), loop.node,
                    [&](SourceEdits &edits) {
                        edits.replace(m_tree[loop.rangeCall].children.front(), "nl.affine_range");
                    });
        }
    }

    void results()
    {
        for (NodeId node = 0; std::size_t(node) < m_tree.size(); ++node)
            if (m_tree[node].kind == NodeKind::Return && m_tree[node].children.size() == 1 &&
                m_tree[m_tree[node].children.front()].kind == NodeKind::Name) {
                const std::string value = text(m_tree[node].children.front());
                replaced("wrong_shape", "the result twice", node,
                         fmt::format("return {0}, {0}", value));
            }
    }

    const nki::SyntaxTree &m_tree;
    KernelCalls m_calls;
    std::vector<KernelVariant> m_made;
};

} // namespace

std::vector<KernelVariant> mutants(const nki::SyntaxTree &tree)
{
    return MutantMaker(tree).run();
}

} // namespace accelopt::oracle
