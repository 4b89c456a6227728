// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/KernelGenerator.h"

#include <algorithm>
#include <fmt/format.h>

namespace accelopt::tests {

std::vector<nki::TraceArgument> KernelGenerator::arguments()
{
    return {{"a", false, 0, {256, 64}, nki::DType::Float32},
            {"b", false, 0, {128, 64}, nki::DType::Float32},
            {"v", false, 0, {128}, nki::DType::Float32}};
}

std::string KernelGenerator::pick(std::initializer_list<const char *> words)
{
    return *(words.begin() + below(int(words.size())));
}

void KernelGenerator::line(const std::string &text)
{
    m_text += std::string(std::size_t(m_depth) * 4, ' ') + text + "\n";
}

std::string KernelGenerator::fresh(const char *prefix)
{
    return fmt::format("{}{}", prefix, m_names++);
}

const KernelGenerator::Tile &KernelGenerator::anyTile()
{
    return m_tiles[std::size_t(below(int(m_tiles.size())))];
}

const KernelGenerator::Tile &KernelGenerator::tileLike(int partitions, int columns)
{
    for (int tries = 0; tries < 8; ++tries) {
        const Tile &tile = anyTile();
        if (tile.partitions == partitions && (tile.columns == columns || tile.columns == 1))
            return tile;
    }
    return anyTile();
}

std::string KernelGenerator::number()
{
    if (rarely())
        return pick({"0", "-1", "2 ** 31", "2 ** 62", "1e30", "float('inf')", "True", "None", "'x'",
                     "[1]", "nl.float32", "1 / 3"});
    return pick({"2", "0.5", "1.0", "-3", "0.25", "1e-5", "4"});
}

std::string KernelGenerator::dtype()
{
    return pick({"nl.float32", "nl.float32", "nl.float32", "nl.bfloat16", "nl.float16", "nl.int32",
                 "nl.uint8", "nl.int8", "nl.float8_e4m3"});
}

void KernelGenerator::load()
{
    const std::string name = fresh("t");
    if (m_indices.empty() || below(3) == 0) {
        const int rows = rarely() ? 256 : 128;
        line(fmt::format("{} = nl.load({}[0:{}, 0:64]{})", name, pick({"a", "b"}), rows,
                         below(4) == 0 ? ", dtype=" + dtype() : ""));
        m_tiles.push_back({name, 128, 64, false});
        return;
    }
    const std::string index = m_indices[std::size_t(below(int(m_indices.size())))];
    if (below(2) == 0) {
        line(fmt::format("{} = nl.load(a[{} * {}:{} * {} + 32, 0:64])", name, index,
                         pick({"32", "16", "64"}), index, pick({"32", "16", "64"})));
        m_tiles.push_back({name, 32, 64, false});
        return;
    }
    line(fmt::format("{} = nl.load(a[{} * 32 + nl.arange(64)[:, None], "
                     "nl.arange(64)[None, :]])",
                     name, index));
    m_tiles.push_back({name, 64, 64, false});
}

void KernelGenerator::maskedLoad()
{
    const std::string name = fresh("t");
    line("i, j = nl.mgrid[0:128, 0:64]");
    line(fmt::format("{} = nl.load(a[i + {}, j], mask=({}))", name,
                     pick({"0", "128", "192", "200"}),
                     pick({"i < 56", "i + j < 100", "i >= j", "(i < 50) & (j < 33)", "i < 0",
                           "-1 * i - j + 90 >= 0"})));
    m_tiles.push_back({name, 128, 64, false});
}

void KernelGenerator::elementwise()
{
    const Tile left = anyTile();
    const Tile right = tileLike(left.partitions, left.columns);
    const std::string name = fresh("t");
    const int columns = std::max(left.columns, right.columns);
    switch (below(7)) {
    case 0:
        line(fmt::format("{} = {} {} {}", name, left.name,
                         pick({"+", "-", "*", "/", ">", "==", "&", "**", "//", "%", "@"}),
                         below(2) ? right.name : number()));
        break;
    case 1:
        line(fmt::format("{} = nl.{}({}, {}{})", name,
                         pick({"add", "subtract", "multiply", "divide", "maximum", "minimum",
                               "power", "greater", "logical_and", "bitwise_or"}),
                         left.name, right.name, below(5) == 0 ? ", dtype=" + dtype() : ""));
        break;
    case 2:
        line(fmt::format("{} = nl.{}({})", name,
                         pick({"exp", "square", "sqrt", "rsqrt", "tanh", "sigmoid", "silu", "gelu",
                               "log", "abs", "negative", "relu", "sin", "erf"}),
                         left.name));
        break;
    case 3:
        line(fmt::format("{} = nisa.tensor_tensor({}, {}, {})", name, left.name, right.name,
                         pick({"np.add", "nl.multiply", "np.subtract", "nl.maximum", "np.power"})));
        break;
    case 4: line(fmt::format("{} = nisa.reciprocal({})", name, left.name)); break;
    case 5: line(fmt::format("{} = nl.copy({}, dtype={})", name, left.name, dtype())); break;
    default:
        line(fmt::format("{} {}= {}", left.name, pick({"+", "*", "-", "/"}), right.name));
        return;
    }
    m_tiles.push_back({name, left.partitions, columns, false});
}

void KernelGenerator::scalarInstruction()
{
    const Tile data = anyTile();
    const Tile vector = tileLike(data.partitions, 1);
    const std::string name = fresh("t");
    const std::string operand = vector.columns == 1 && below(2) ? vector.name : number();
    switch (below(4)) {
    case 0:
        line(fmt::format("{} = nisa.tensor_scalar({}, {}, {}{})", name, data.name,
                         pick({"np.add", "np.multiply", "nl.maximum", "np.subtract"}), operand,
                         below(2) ? fmt::format(", op1=np.{}, operand1={}, reverse1={}",
                                                pick({"add", "multiply"}), number(),
                                                pick({"True", "False"}))
                                  : ""));
        break;
    case 1:
        line(fmt::format("{} = nisa.activation({}, {}, scale={}{})", name,
                         pick({"nl.exp", "np.tanh", "nl.copy", "nl.sigmoid"}), data.name, operand,
                         vector.columns == 1 ? ", bias=" + vector.name : ""));
        break;
    case 2:
        line(fmt::format("{} = nisa.scalar_tensor_tensor(data={}, op0=np.multiply, operand0={}, "
                         "op1=np.add, operand1={})",
                         name, data.name, operand, data.name));
        break;
    default:
        line(fmt::format("{} = nisa.tensor_tensor_scan({}, {}, initial={}, op0=np.multiply, "
                         "op1=np.add)",
                         name, data.name, data.name, operand));
    }
    m_tiles.push_back({name, data.partitions, data.columns, false});
}

void KernelGenerator::reduction()
{
    const Tile data = anyTile();
    const std::string name = fresh("t");
    switch (below(5)) {
    case 0:
        line(fmt::format("{} = nl.{}({}, axis={}, keepdims=True)", name,
                         pick({"sum", "max", "min", "mean", "var"}), data.name,
                         rarely() ? "0" : "1"));
        break;
    case 1:
        line(fmt::format("{} = nisa.tensor_reduce({}, {}, axis=(1,), negate={}{})", name,
                         pick({"np.add", "np.max", "np.multiply"}), data.name,
                         pick({"True", "False"}), below(3) == 0 ? ", dtype=" + dtype() : ""));
        break;
    case 2:
        line(fmt::format("{} = nisa.bn_stats({})", name, data.name));
        m_tiles.push_back({name, data.partitions, 6, false});
        return;
    case 3:
        line(fmt::format("{} = nisa.max8({})", name, data.name));
        m_tiles.push_back({name, data.partitions, 8, false});
        return;
    default:
        line(fmt::format("{} = nl.softmax({}, axis=1)", name, data.name));
        m_tiles.push_back({name, data.partitions, data.columns, false});
        return;
    }
    m_tiles.push_back({name, data.partitions, 1, false});
}

void KernelGenerator::product()
{
    const Tile stationary = anyTile();
    const Tile moving = tileLike(stationary.partitions, 64);
    const std::string name = fresh("p");
    if (below(3) == 0) {
        line(fmt::format("{} = {}({})", name, pick({"nisa.nc_transpose", "nl.transpose"}),
                         stationary.name));
        m_tiles.push_back({name, stationary.columns, stationary.partitions, true});
        return;
    }
    if (below(2) == 0) {
        line(fmt::format("{} = nl.matmul({}, {}, transpose_x=True)", name, stationary.name,
                         moving.name));
    } else {
        line(fmt::format("{} = nl.zeros(({}, {}), dtype=nl.float32, buffer=nl.psum)", name,
                         stationary.columns, moving.columns));
        const bool looped = below(2) == 0;
        if (looped) {
            line(fmt::format("for k in nl.affine_range({}):", 1 + below(4)));
            ++m_depth;
        }
        line(fmt::format("{} {} nisa.nc_matmul({}, {})", name,
                         rarely() ? "=" : pick({"+=", "+=", "[...] ="}), stationary.name,
                         moving.name));
        m_depth -= looped ? 1 : 0;
    }
    m_tiles.push_back({name, stationary.columns, moving.columns, true});
}

void KernelGenerator::subregion()
{
    const Tile to = anyTile();
    const Tile from = anyTile();
    const std::string part =
        pick({"0:32, 0:32", "0:64, :", ":, 0:1", ":, 1:3", "32:64, 0:16", "0:1, :", "...",
              "nl.arange(32)[:, None], 2 * nl.arange(8)[None, :]",
              "nl.arange(32)[:, None, None], 8 * nl.arange(4)[None, :, None] + "
              "nl.arange(4)[None, None, :]",
              "nl.ds(0, 16), nl.ds(8, 8)", "16:48, :", ":, 60:70", "0, :"});
    switch (below(3)) {
    case 0: line(fmt::format("{}[{}] = {}", to.name, part, number())); return;
    case 1: line(fmt::format("{}[{}] = {}[{}]", to.name, part, from.name, part)); return;
    default: {
        const std::string name = fresh("t");
        line(fmt::format("{} = nl.copy({}[{}])", name, from.name, part));
        m_tiles.push_back({name, 32, 32, false});
    }
    }
}

void KernelGenerator::declare()
{
    const std::string name = fresh("t");
    const int partitions = rarely() ? 129 : 32 * (1 + below(4));
    const int columns = rarely() ? 70000 : 1 + below(96);
    switch (below(4)) {
    case 0:
        line(fmt::format("{} = nl.ndarray(({}, {}), dtype={}{})", name, partitions, columns,
                         dtype(), below(4) == 0 ? ", buffer=nl.psum" : ""));
        break;
    case 1:
        line(fmt::format("{} = nl.full(({}, {}), {}, dtype={})", name, partitions, columns,
                         number(), dtype()));
        break;
    case 2:
        line(fmt::format("{} = nisa.memset(({}, {}), {}, dtype={})", name, partitions, columns,
                         number(), dtype()));
        break;
    default: {
        const std::string blocks = fresh("g");
        line(fmt::format("{} = nl.ndarray(({}, nl.par_dim({}), {}), dtype=nl.float32)", blocks,
                         rarely() ? 100000 : 3, partitions, columns));
        line(fmt::format("{}[{}] = nisa.memset(({}, {}), 1.0, dtype=nl.float32)", blocks,
                         m_indices.empty() ? "1" : m_indices.back() + " % 3", partitions, columns));
        line(fmt::format("{} = {}[{}]", name, blocks, below(3)));
    }
    }
    m_tiles.push_back({name, std::min(partitions, 128), columns, false});
}

void KernelGenerator::selection()
{
    const Tile data = anyTile();
    const std::string name = fresh("t");
    switch (below(4)) {
    case 0:
        line(fmt::format("{} = nl.where({} > 0, {}, {})", name, data.name, data.name, number()));
        break;
    case 1:
        line(fmt::format("i, j = nl.mgrid[0:{}, 0:{}]", data.partitions, data.columns));
        line(fmt::format("{} = nisa.affine_select({}, {}, {})", name,
                         pick({"i >= j", "i - j < 7", "2 * i > 3 * j"}), data.name, number()));
        break;
    case 2:
        line(fmt::format("i, j = nl.mgrid[0:{}, 0:{}]", data.partitions, data.columns));
        line(fmt::format("{} = nisa.iota(3 * i - j, dtype={})", name, dtype()));
        break;
    default:
        line(fmt::format("{} = {}.broadcast_to(({}, {}))", name, data.name, data.partitions,
                         data.columns * (data.columns == 1 ? 16 : 1)));
    }
    m_tiles.push_back({name, data.partitions, data.columns, false});
}

void KernelGenerator::loop()
{
    const std::string index = fresh("i");
    const bool masked = below(6) == 0;
    line(fmt::format("for {} in {}({}):", index,
                     pick({"nl.affine_range", "nl.sequential_range", "nl.static_range", "range"}),
                     rarely() ? "10 ** 9" : fmt::format("{}", below(5))));
    ++m_depth;
    const std::size_t tiles = m_tiles.size();
    m_indices.push_back(index);
    block(1 + below(4));
    if (masked)
        line(fmt::format("{} = nl.loop_reduce({}, op={}, loop_indices=[{}])", anyTile().name,
                         anyTile().name, pick({"np.add", "np.max"}), index));
    m_indices.pop_back();
    if (!rarely()) // otherwise what was made inside is used outside
        m_tiles.resize(tiles);
    --m_depth;
}

void KernelGenerator::condition()
{
    const std::size_t tiles = m_tiles.size();
    line(fmt::format("if {}:", m_indices.empty() || rarely()
                                   ? pick({"a.shape[0] == 256", "True", "1 > 2", "a", "not v"})
                                   : m_indices.back() + pick({" == 0", " < 2", " % 2 == 1"})));
    ++m_depth;
    block(1 + below(2));
    --m_depth;
    if (below(2)) {
        line("else:");
        ++m_depth;
        block(1);
        --m_depth;
    }
    m_tiles.resize(tiles);
}

void KernelGenerator::python()
{
    switch (below(9)) {
    case 0: line(fmt::format("x = [{} for y in range({})]", anyTile().name, below(5))); return;
    case 1: line("x = f'{a.shape} and {1 + 2}'"); return;
    case 2:
        line(fmt::format("assert {}.shape[0] {} 128, f'rows'", anyTile().name,
                         pick({"==", "<=", "!="})));
        return;
    case 3: line(fmt::format("print({}, {})", anyTile().name, number())); return;
    case 4: {
        const std::string name = fresh("f");
        const Tile tile = anyTile();
        line(fmt::format("def {}(x, y={}):", name, number()));
        line("    return nl.multiply(x, y)");
        const std::string made = fresh("t");
        line(fmt::format("{} = {}({})", made, name, tile.name));
        m_tiles.push_back({made, tile.partitions, tile.columns, false});
        return;
    }
    case 5: line("n = 0"); return;
    case 6: line(pick({"n = n + 1", "n += 1", "m = n * 2", "n = max(n, 3)"})); return;
    case 7: line(fmt::format("{} = {}", anyTile().name, anyTile().name)); return;
    default: line(fmt::format("x = {{'k': {}}}['k']", anyTile().name));
    }
}

void KernelGenerator::store()
{
    const Tile tile = anyTile();
    const std::string index = m_indices.empty() ? "0" : m_indices.back();
    switch (below(3)) {
    case 0:
        line(fmt::format("nl.store(out[{} * 32:{} * 32 + {}, 0:{}], value={})", index, index,
                         tile.partitions, tile.columns, tile.name));
        return;
    case 1:
        line("i, j = nl.mgrid[0:128, 0:64]");
        line(fmt::format("nl.store(out[i, j], value={}, mask=({}))", tile.name,
                         pick({"i < 100", "i + j < 64", "j >= i"})));
        return;
    default:
        line(fmt::format("nisa.dma_copy(dst=out[0:{}, 0:{}], src={})", tile.partitions,
                         tile.columns, tile.name));
    }
}

void KernelGenerator::nonsense()
{
    line(pick({"x = nowhere",
               "x = ().__class__",
               "import os",
               "x = a[0]",
               "x = v",
               "del a",
               "x = a + b",
               "nl.store(a, value=1)",
               "x = nl.load(v)",
               "return out",
               "x = [0] * 10 ** 9",
               "x = 2 ** 64",
               "raise ValueError('x')",
               "x = nl.arange(4) // 2",
               "x = t0.reshape((64, 128))",
               "x = nl.load(a[t0, 0:4])",
               "break",
               "x = lambda: x()",
               "x = (lambda y: y)(1, 2)",
               "while True: pass",
               "out[0:128, :] = t0",
               "x = nl.expand_dims(t0, 2)",
               "global out",
               "x = a.dtype.frob",
               "t0 = 3"}));
}

void KernelGenerator::statement()
{
    using Write = void (KernelGenerator::*)();
    constexpr Write kStatements[] = {
        &KernelGenerator::load,        &KernelGenerator::maskedLoad,
        &KernelGenerator::elementwise, &KernelGenerator::elementwise,
        &KernelGenerator::elementwise, &KernelGenerator::scalarInstruction,
        &KernelGenerator::reduction,   &KernelGenerator::product,
        &KernelGenerator::subregion,   &KernelGenerator::subregion,
        &KernelGenerator::declare,     &KernelGenerator::selection,
        &KernelGenerator::store,       &KernelGenerator::python};
    --m_budget;
    if (below(40) == 0)
        nonsense();
    else if (m_depth < 5 && m_budget > 0 && below(5) == 0)
        loop();
    else if (m_depth < 5 && m_budget > 0 && below(12) == 0)
        condition();
    else
        (this->*kStatements[below(int(std::size(kStatements)))])();
}

void KernelGenerator::block(int statements)
{
    line("pass");
    for (int n = 0; n < statements && m_budget > 0; ++n)
        statement();
}

std::string KernelGenerator::kernel()
{
    m_text = "import numpy as np\n"
             "import neuronxcc.nki as nki\n"
             "import neuronxcc.nki.isa as nisa\n"
             "import neuronxcc.nki.language as nl\n"
             "@nki.jit\n"
             "def kernel(a, b, v):\n";
    m_depth = 1;
    m_names = 0;
    m_tiles.clear();
    m_indices.clear();
    m_budget = 4 + below(24);
    line("out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)");
    line("t0 = nl.load(b)");
    m_names = 1;
    m_tiles.push_back({"t0", 128, 64, false});
    line("nl.store(out, value=t0)");
    while (m_budget > 0)
        statement();
    if (below(2) == 0)
        line(fmt::format("nl.store(out, value={})", tileLike(128, 64).name));
    line("return out");
    return m_text;
}

} // namespace accelopt::tests
