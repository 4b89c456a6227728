// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bench/NpyFile.h"
#include "core/bench/TaskLoader.h"
#include "core/domain/Task.h"
#include "core/oracle/Judge.h"

#include <QTemporaryDir>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace accelopt::tests {

/// y = exp(8 x) * z over a small matrix: values of one row differ by many orders of magnitude, as a
/// softmax's do.
inline constexpr std::string_view kTinyTask = R"json({
  "format": 1,
  "name": "tiny",
  "title": "Tiny",
  "description": "y = exp(8 x) * z",
  "shapes": {"lab": {"dimensions": {"M": 256, "N": 512}}},
  "arguments": [
    {"name": "x", "shape": ["M", "N"], "dtype": "float32", "draw": {"normal": 1}},
    {"name": "z", "shape": ["M", "N"], "dtype": "float32", "draw": {"absolute_normal": 1}}
  ],
  "results": [{"name": "y", "shape": ["M", "N"], "dtype": "float32"}],
  "layouts": [{"name": "blocks", "arguments": [["2", "128", "N"], ["2", "128", "N"]],
               "results": [["2", "128", "N"]]}],
  "tolerance": 2e-5,
  "matmul_dtype": "float32",
  "minimum_work": {"traffic_bytes": "3*M*N*4", "matmul_flops": "0", "vector_flops": "3*M*N"},
  "reference": "reference.py",
  "baseline": "baseline.py",
  "entry_point": "kernel"
})json";

inline constexpr std::string_view kTinyReference =
    "import numpy as np\n\n\ndef reference(x, z):\n    return np.exp(8 * x) * z\n";

/// A right kernel for the task's own layout.
inline constexpr std::string_view kTinyKernel = R"py(import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x, z):
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(x.shape[0] // 128):
        a = nl.load(x[i * 128:(i + 1) * 128, 0:512])
        b = nl.load(z[i * 128:(i + 1) * 128, 0:512])
        e = nl.exp(nl.multiply(a, 8.0))
        nl.store(y[i * 128:(i + 1) * 128, 0:512], value=nl.multiply(e, b))
    return y
)py";

/// A right kernel for the layout "blocks".
inline constexpr std::string_view kTinyBlockKernel = R"py(import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x, z):
    blocks, rows, columns = x.shape
    y = nl.ndarray((blocks, rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(blocks):
        a = nl.load(x[i, 0:rows, 0:columns])
        b = nl.load(z[i, 0:rows, 0:columns])
        e = nl.exp(nl.multiply(a, 8.0))
        nl.store(y[i, 0:rows, 0:columns], value=nl.multiply(e, b))
    return y
)py";

/// The kernel with its first `from` replaced.
inline std::string changed(std::string_view kernel, std::string_view from, std::string_view to)
{
    std::string text(kernel);
    const std::size_t at = text.find(from);
    if (at == std::string::npos)
        qFatal("the kernel has no \"%s\"", std::string(from).c_str());
    return text.replace(at, from.size(), to);
}

/// A folder with the task above.
class TinyTask
{
public:
    TinyTask()
    {
        std::filesystem::create_directories(folder());
        write("task.json", kTinyTask);
        write("reference.py", kTinyReference);
        write("baseline.py", kTinyKernel);
    }

    std::filesystem::path folder() const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / "tiny";
    }
    std::filesystem::path path(const std::string &name) const { return folder() / name; }

    void write(const std::string &name, std::string_view text) const
    {
        std::ofstream(path(name), std::ios::binary) << text;
    }

    Result<Task> load() const { return bench::loadTask(folder(), "lab"); }

    /// Inputs and results as the reference would give them, worked out here in double precision.
    Result<oracle::SeedTensors> tensors(unsigned seed) const
    {
        constexpr std::size_t kCount = 256 * 512;
        std::mt19937 random(seed);
        std::vector<float> x(kCount);
        std::vector<float> z(kCount);
        std::vector<float> y(kCount);
        for (std::size_t i = 0; i < kCount; ++i) {
            x[i] = float(double(random()) / 4294967296.0 * 4 - 2);
            z[i] = float(double(random()) / 4294967296.0 + 0.1);
            y[i] = float(std::exp(8 * double(x[i])) * double(z[i]));
        }
        oracle::SeedTensors tensors;
        tensors.seed = seed;
        const std::string prefix = "seed" + std::to_string(seed) + "-";
        const Shape shape{256, 512};
        const auto keep = [&](const char *name, const std::vector<float> &values,
                              std::vector<std::string> &paths) -> Result<void> {
            const std::filesystem::path file = path(prefix + name + ".npy");
            ACCELOPT_CHECK(
                bench::writeNpy(file, "float32", shape, std::as_bytes(std::span(values))));
            paths.push_back(file.string());
            return {};
        };
        ACCELOPT_CHECK(keep("x", x, tensors.inputs));
        ACCELOPT_CHECK(keep("z", z, tensors.inputs));
        ACCELOPT_CHECK(keep("y", y, tensors.results));
        return tensors;
    }

private:
    QTemporaryDir m_folder;
};

} // namespace accelopt::tests
