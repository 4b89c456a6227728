// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rewrites/DeclaredTile.h"

#include <charconv>

namespace accelopt::rewrite {
namespace {

std::optional<std::int64_t> writtenExtent(const KernelModel &model, nki::NodeId node)
{
    if (model.tree()[node].kind != nki::NodeKind::Constant)
        return model.constantSize(node);
    std::int64_t value = 0;
    const std::string_view text = model.text(node);
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    return read.ptr == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

} // namespace

std::optional<DeclaredTile> declaredTile(const KernelModel &model, int statement)
{
    const auto &operation = model.statement(statement).operation;
    if (!operation || operation->kind != OperationKind::Declare)
        return std::nullopt;
    const nki::SyntaxTree &tree = model.tree();
    const std::vector<nki::NodeId> &call = tree[operation->node].children;
    if (call.size() < 2 || tree[call[1]].kind != nki::NodeKind::Tuple ||
        tree[call[1]].children.size() < 2)
        return std::nullopt;
    DeclaredTile result;
    result.dimensions = tree[call[1]].children;
    if (const auto buffer = operation->keywords.find("buffer");
        buffer != operation->keywords.end()) {
        const std::string_view memory = model.text(buffer->second);
        result.psum = memory.ends_with("psum");
        if (!result.psum && !memory.ends_with("sbuf"))
            return std::nullopt;
    }
    for (std::size_t i = 0; i < result.dimensions.size(); ++i)
        if (model.text(result.dimensions[i]).find("par_dim") != std::string_view::npos)
            result.partitionAxis = i;
    result.bytes = 4;
    for (std::size_t i = 0; i < result.dimensions.size(); ++i) {
        if (i == result.partitionAxis)
            continue;
        const auto extent = writtenExtent(model, result.dimensions[i]);
        if (!extent)
            return std::nullopt;
        (i < result.partitionAxis ? result.blocks : result.bytes) *= static_cast<double>(*extent);
    }
    return result;
}

} // namespace accelopt::rewrite
