// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/trace/Tracer.h"

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

namespace accelopt::tests {

/// Writes kernels that know the grammar of NKI: loops, tiles, masks, instructions over tiles whose
/// shapes fit, most of the time. Now and then something is wrong on purpose. The same seed gives
/// the same kernel on every machine.
class KernelGenerator
{
public:
    explicit KernelGenerator(std::uint64_t seed) : m_random(seed) {}

    std::string kernel();

    /// What the kernels are called with: a (256, 64), b (128, 64), v (128).
    static std::vector<nki::TraceArgument> arguments();

private:
    struct Tile
    {
        std::string name;
        int partitions = 128;
        int columns = 64;
        bool inPsum = false;
    };

    // Below `many`, from 0. Not std::uniform_int_distribution, which differs between libraries.
    int below(int many) { return int(m_random() % std::uint64_t(many)); }
    bool rarely() { return below(24) == 0; }
    std::string pick(std::initializer_list<const char *> words);

    void line(const std::string &text);
    std::string fresh(const char *prefix);
    const Tile &anyTile();
    const Tile &tileLike(int partitions, int columns);
    std::string number();
    std::string dtype();

    void block(int statements);
    void statement();
    void load();
    void maskedLoad();
    void elementwise();
    void scalarInstruction();
    void reduction();
    void product();
    void subregion();
    void declare();
    void selection();
    void loop();
    void condition();
    void python();
    void store();
    void nonsense();

    std::mt19937_64 m_random;
    std::string m_text;
    int m_depth = 1;
    int m_names = 0;
    int m_budget = 0; ///< statements left
    std::vector<Tile> m_tiles;
    std::vector<std::string> m_indices; ///< loop indices in scope
};

} // namespace accelopt::tests
