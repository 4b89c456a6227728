// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/syntax/SyntaxTree.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

namespace accelopt::tests {

/// Changes syntax trees in the form of the node schema (see SyntaxTree.h and the syntax helper):
/// other subtrees, other names, other numbers, one statement more or less. What comes out need not
/// be a tree that Python could have given.
class TreeMutator
{
public:
    explicit TreeMutator(std::uint64_t seed) : m_random(seed) {}

    /// Changes the tree (a node: [kind, line, column, end line, end column, text, literal,
    /// [child...]]) in one to four places; may take subtrees out of `donor`.
    void mutate(nlohmann::json &tree, const nlohmann::json &donor);

private:
    int below(std::size_t many) { return int(m_random() % many); }
    void changeOnce(nlohmann::json &tree, const std::vector<nlohmann::json *> &nodes,
                    const std::vector<nlohmann::json *> &donated);
    void changeConstant(nlohmann::json &node);
    void changeText(nlohmann::json &node, const std::vector<nlohmann::json *> &donated);

    std::mt19937_64 m_random;
};

/// The JSON of a parsed tree, as the syntax helper gave it.
nlohmann::json jsonOf(const nki::SyntaxTree &tree);

} // namespace accelopt::tests
