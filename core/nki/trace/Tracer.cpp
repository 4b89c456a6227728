// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/trace/Tracer.h"

#include "core/nki/trace/Evaluator.h"
#include "core/nki/trace/TraceStop.h"

#include <new>
#include <optional>
#include <stdexcept>

namespace accelopt::nki {

tl::expected<Program, TraceFailure> trace(const SyntaxTree &tree, const TraceRequest &request)
{
    // Outside the block, so that the statement that asked for too much is still known.
    std::optional<Evaluator> evaluator;
    const auto place = [&] { return evaluator ? evaluator->place() : tree[tree.root()].place; };
    try {
        evaluator.emplace(tree, request);
        return evaluator->run();
    } catch (TraceStop &stop) {
        return tl::unexpected(std::move(stop.failure));
    } catch (const std::length_error &) {
        return tl::unexpected(TraceFailure{VerdictStatus::RunFailed,
                                           Reason{"run", "out_of_memory",
                                                  "the kernel asks for more than any memory holds",
                                                  "use smaller shapes", place()}});
    } catch (const std::bad_alloc &) {
        return tl::unexpected(TraceFailure{
            VerdictStatus::RunFailed,
            Reason{"run", "out_of_memory", "the kernel's program does not fit into memory",
                   "use larger tiles or fewer iterations", place()}});
    }
}

std::vector<std::string> entryPoints(const SyntaxTree &tree)
{
    std::vector<std::string> decorated;
    std::vector<std::string> all;
    for (const NodeId id : tree[tree.root()].children) {
        const Node &node = tree[id];
        if (node.kind != NodeKind::FunctionDef)
            continue;
        all.push_back(node.text);
        for (std::size_t child = 2; child < node.children.size(); ++child) {
            const std::string_view decorator = tree.text(node.children[child]);
            if (decorator.find("jit") != std::string_view::npos ||
                decorator.find("baremetal") != std::string_view::npos ||
                decorator.find("benchmark") != std::string_view::npos ||
                decorator.find("profile") != std::string_view::npos) {
                decorated.push_back(node.text);
                break;
            }
        }
    }
    return decorated.empty() ? all : decorated;
}

} // namespace accelopt::nki
