// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of ModelBuilder that understands sizes, numbers, index expressions and regions.
#include "core/rewrite/ModelBuilder.h"

#include <algorithm>
#include <cmath>

namespace accelopt::rewrite {

std::optional<std::vector<Symbolic>> ModelBuilder::tensorShape(const std::string &name) const
{
    if (const auto found = m_parameterShapes.find(name); found != m_parameterShapes.end())
        return found->second;
    if (const auto found = m_model.m_declarations.find(name); found != m_model.m_declarations.end())
        return found->second.dimensions;
    return std::nullopt;
}

// Dimensions that `x.shape` stands for.
std::optional<std::vector<Symbolic>> ModelBuilder::shapeOf(NodeId node)
{
    if (at(node).kind != NodeKind::Attribute || at(node).text != "shape" ||
        at(child(node, 0)).kind != NodeKind::Name)
        return std::nullopt;
    const std::string &name = at(child(node, 0)).text;
    if (const auto known = tensorShape(name))
        return known;
    if (!m_parameters.contains(name))
        return std::nullopt;
    std::vector<Symbolic> dimensions;
    for (int i = 0; i < 6; ++i)
        dimensions.push_back(Symbolic::named(name + ".shape[" + std::to_string(i) + "]"));
    return dimensions;
}

std::optional<Symbolic> ModelBuilder::size(NodeId id)
{
    const nki::Node &node = at(id);
    switch (node.kind) {
    case NodeKind::Constant:
        if (const auto *value = std::get_if<std::int64_t>(&node.literal))
            return Symbolic(*value);
        return std::nullopt;
    case NodeKind::Name: {
        if (const auto found = m_model.m_sizes.find(node.text); found != m_model.m_sizes.end())
            return found->second;
        for (const Loop &loop : m_model.m_loops)
            if (loop.variable == node.text)
                return Symbolic::named(node.text);
        return std::nullopt;
    }
    case NodeKind::Attribute: {
        static const std::map<std::string, std::int64_t> kLimits{
            {"nl.tile_size.pmax", 128},
            {"nl.tile_size.psum_fmax", 512},
            {"nl.tile_size.gemm_stationary_fmax", 128},
            {"nl.tile_size.gemm_moving_fmax", 512},
            {"nl.tile_size.bn_stats_fmax", 512}};
        const auto found = kLimits.find(resolved(id));
        return found == kLimits.end() ? std::nullopt : std::optional(Symbolic(found->second));
    }
    case NodeKind::Subscript: {
        const auto dimensions = shapeOf(node.children[0]);
        const nki::Node &index = at(node.children[1]);
        const auto *position = std::get_if<std::int64_t>(&index.literal);
        if (!dimensions || index.kind != NodeKind::Constant || !position || *position < 0 ||
            static_cast<std::size_t>(*position) >= dimensions->size())
            return std::nullopt;
        return (*dimensions)[static_cast<std::size_t>(*position)];
    }
    case NodeKind::UnaryOp: {
        const auto value = size(node.children[0]);
        if (!value || node.text != "-")
            return std::nullopt;
        return Symbolic::product(*value, Symbolic(-1));
    }
    case NodeKind::BinOp: {
        const auto left = size(node.children[0]);
        const auto right = left ? size(node.children[1]) : std::nullopt;
        if (!right)
            return std::nullopt;
        if (node.text == "+")
            return Symbolic::sum(*left, *right);
        if (node.text == "-")
            return Symbolic::difference(*left, *right);
        if (node.text == "*")
            return Symbolic::product(*left, *right);
        if (node.text == "//") {
            if (const auto exact = Symbolic::quotient(*left, *right))
                return exact;
            return Symbolic::named("(" + left->text() + ")//(" + right->text() + ")");
        }
        return std::nullopt;
    }
    default: return std::nullopt;
    }
}

std::optional<double> ModelBuilder::number(NodeId id)
{
    const nki::Node &node = at(id);
    if (const auto whole = size(id))
        if (const auto value = whole->constant())
            return static_cast<double>(*value);
    switch (node.kind) {
    case NodeKind::Constant:
        if (const auto *value = std::get_if<double>(&node.literal))
            return *value;
        return std::nullopt;
    case NodeKind::Name: {
        const auto found = m_numbers.find(node.text);
        return found == m_numbers.end() ? std::nullopt : std::optional(found->second);
    }
    case NodeKind::UnaryOp: {
        const auto value = number(node.children[0]);
        if (!value || (node.text != "-" && node.text != "+"))
            return std::nullopt;
        return node.text == "-" ? -*value : *value;
    }
    case NodeKind::BinOp: {
        const auto left = number(node.children[0]);
        const auto right = left ? number(node.children[1]) : std::nullopt;
        if (!right)
            return std::nullopt;
        if (node.text == "+")
            return *left + *right;
        if (node.text == "-")
            return *left - *right;
        if (node.text == "*")
            return *left * *right;
        if (node.text == "/" && *right != 0)
            return *left / *right;
        if (node.text == "**")
            return std::pow(*left, *right);
        return std::nullopt;
    }
    case NodeKind::Call: {
        // np.float32(1e-5) and np.dtype(np.float32).type(1e-5)
        if (node.children.size() != 2 || at(node.children[1]).kind == NodeKind::Keyword)
            return std::nullopt;
        const std::string callee = resolved(node.children[0]);
        const nki::Node &function = at(node.children[0]);
        const bool typed = function.kind == NodeKind::Attribute && function.text == "type" &&
                           at(function.children[0]).kind == NodeKind::Call &&
                           resolved(child(function.children[0], 0)) == "np.dtype";
        if (typed || callee == "np.float32" || callee == "float" || callee == "int")
            return number(node.children[1]);
        return std::nullopt;
    }
    default: return std::nullopt;
    }
}

// An index expression made of nl.arange(n)[:, None], numbers, + and *.
std::optional<AxisIndex> ModelBuilder::grid(NodeId id)
{
    const nki::Node &node = at(id);
    AxisIndex result;
    result.known = true;
    result.node = id;
    if (const auto value = size(id)) {
        result.offset = *value;
        return result;
    }
    if (node.kind == NodeKind::Name) {
        const auto found = m_grids.find(node.text);
        return found == m_grids.end() ? std::nullopt : std::optional(found->second);
    }
    if (node.kind == NodeKind::Subscript && at(node.children[0]).kind == NodeKind::Call &&
        resolved(child(node.children[0], 0)) == "nl.arange" &&
        at(node.children[0]).children.size() == 2) {
        const auto extent = size(child(node.children[0], 1));
        const nki::Node &index = at(node.children[1]);
        if (!extent || index.kind != NodeKind::Tuple)
            return std::nullopt;
        int axis = -1;
        for (std::size_t i = 0; i < index.children.size(); ++i)
            if (at(index.children[i]).kind == NodeKind::Slice) {
                if (axis >= 0)
                    return std::nullopt;
                axis = static_cast<int>(i);
            }
        if (axis < 0)
            return std::nullopt;
        result.lanes.push_back({axis, 1, *extent});
        return result;
    }
    if (node.kind != NodeKind::BinOp)
        return std::nullopt;
    const auto left = grid(node.children[0]);
    const auto right = left ? grid(node.children[1]) : std::nullopt;
    if (!right)
        return std::nullopt;
    if (node.text == "+" || (node.text == "-" && right->lanes.empty())) {
        const auto offset = node.text == "+" ? Symbolic::sum(left->offset, right->offset)
                                             : Symbolic::difference(left->offset, right->offset);
        if (!offset)
            return std::nullopt;
        result.offset = *offset;
        result.lanes = left->lanes;
        result.lanes.insert(result.lanes.end(), right->lanes.begin(), right->lanes.end());
        std::sort(result.lanes.begin(), result.lanes.end(),
                  [](const Lane &a, const Lane &b) { return a.axis < b.axis; });
        return result;
    }
    if (node.text == "*") {
        const AxisIndex &lanes = left->lanes.empty() ? *right : *left;
        const AxisIndex &factor = left->lanes.empty() ? *left : *right;
        const auto by = factor.offset.constant();
        const auto offset = Symbolic::product(lanes.offset, factor.offset);
        if (!factor.lanes.empty() || !by || !offset || std::abs(*by) > 1'000'000)
            return std::nullopt;
        result.offset = *offset;
        result.lanes = lanes.lanes;
        for (Lane &lane : result.lanes)
            lane.stride *= *by;
        return result;
    }
    return std::nullopt;
}

AxisIndex ModelBuilder::axisIndex(NodeId id, std::optional<Symbolic> extent, int &nextAxis)
{
    AxisIndex result;
    result.text = m_model.normalized(id);
    result.node = id;
    const nki::Node &node = at(id);
    std::optional<Symbolic> start;
    std::optional<Symbolic> length;
    if (node.kind == NodeKind::Slice) {
        if (at(node.children[2]).kind != NodeKind::None)
            return result;
        start = at(node.children[0]).kind == NodeKind::None ? Symbolic(0) : size(node.children[0]);
        const auto end =
            at(node.children[1]).kind == NodeKind::None ? extent : size(node.children[1]);
        if (start && end)
            length = Symbolic::difference(*end, *start);
    } else if (node.kind == NodeKind::Call && resolved(node.children[0]) == "nl.ds" &&
               node.children.size() == 3) {
        start = size(node.children[1]);
        length = size(node.children[2]);
    } else {
        if (auto lanes = grid(id)) {
            lanes->text = result.text;
            lanes->node = id;
            return *lanes;
        }
        return result;
    }
    const int axis = nextAxis++;
    if (start && length) {
        result.known = true;
        result.offset = *start;
        result.lanes.push_back({axis, 1, *length});
    }
    return result;
}

Access ModelBuilder::access(NodeId id)
{
    Access result;
    result.node = id;
    const nki::Node &node = at(id);
    if (node.kind == NodeKind::Name) {
        result.base = node.text;
        result.whole = true;
        return result;
    }
    if (node.kind != NodeKind::Subscript || at(node.children[0]).kind != NodeKind::Name)
        return result;
    result.base = at(node.children[0]).text;
    const nki::Node &index = at(node.children[1]);
    const auto extents = tensorShape(result.base);
    std::vector<NodeId> entries =
        index.kind == NodeKind::Tuple ? index.children : std::vector<NodeId>{node.children[1]};
    if (entries.size() == 1 && at(entries[0]).kind == NodeKind::Constant &&
        std::holds_alternative<nki::EllipsisLiteral>(at(entries[0]).literal)) {
        result.whole = true;
        return result;
    }
    int nextAxis = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        std::optional<Symbolic> extent;
        if (extents && i < extents->size())
            extent = (*extents)[i];
        else if (!extents && entries.size() == 2)
            if (const auto tile = m_tiles.find(result.base); tile != m_tiles.end())
                extent = i == 0 ? tile->second.partitions : tile->second.elements;
        result.indices.push_back(axisIndex(entries[i], extent, nextAxis));
    }
    return result;
}

TileShape ModelBuilder::accessShape(const Access &access) const
{
    if (access.base.empty())
        return {};
    if (access.whole) {
        const auto tile = m_tiles.find(access.base);
        return tile == m_tiles.end() ? TileShape{} : tile->second;
    }
    TileShape shape;
    std::map<int, Symbolic> extents;
    for (const AxisIndex &index : access.indices) {
        if (!index.known)
            return {};
        for (const Lane &lane : index.lanes)
            extents[lane.axis] = lane.size;
    }
    // Trailing axes left out of a block index: `tiles[i]` is the whole tile.
    const auto declared = m_model.m_declarations.find(access.base);
    if (declared != m_model.m_declarations.end() &&
        access.indices.size() <= static_cast<std::size_t>(declared->second.partitionAxis) &&
        extents.empty())
        return declared->second.tile;
    Symbolic elements(1);
    for (const auto &[axis, extent] : extents) {
        if (axis == 0) {
            shape.partitions = extent;
        } else {
            const auto product = Symbolic::product(elements, extent);
            if (!product)
                return {};
            elements = *product;
        }
    }
    shape.elements = elements;
    return shape;
}

// "nl.exp" for a name or attribute that leads into NKI or numpy; the text otherwise.
std::string ModelBuilder::resolved(NodeId id) const
{
    const nki::Node &node = at(id);
    if (node.kind == NodeKind::Name) {
        const auto found = m_model.m_modules.find(node.text);
        return found == m_model.m_modules.end() ? node.text : found->second;
    }
    if (node.kind == NodeKind::Attribute) {
        const std::string object = resolved(node.children[0]);
        if (object == "nki" && node.text == "language")
            return "nl";
        if (object == "nki" && node.text == "isa")
            return "nisa";
        return object.empty() ? std::string() : object + "." + node.text;
    }
    return {};
}

} // namespace accelopt::rewrite
