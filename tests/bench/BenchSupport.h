// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDir>
#include <QTemporaryDir>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace accelopt::tests {

/// The tasks of the source tree.
inline std::filesystem::path sourceTasks()
{
    return std::filesystem::path(ACCELOPT_SOURCE_DIR) / "nkibench";
}

inline std::filesystem::path pathOf(const QTemporaryDir &folder)
{
    return folder.path().toStdString();
}

inline void writeFile(const std::filesystem::path &path, std::string_view text)
{
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

inline std::string readFile(const std::filesystem::path &path)
{
    std::ifstream stream(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
}

/// A small task that uses every part of task.json; tests break one place of it at a time.
inline constexpr std::string_view kSmallTask = R"json({
  "format": 1,
  "name": "small",
  "title": "Small",
  "description": "A task for tests.",
  "shapes": {
    "lab": {"dimensions": {"M": 8, "N": 4}},
    "published": {"dimensions": {"M": 16, "N": 4}, "reference_compute": "float32"}
  },
  "arguments": [
    {"name": "x", "shape": ["M", "N"], "dtype": "float32", "draw": {"normal": 0.5}},
    {"name": "eps", "draw": {"constant": 1e-5}},
    {"name": "v", "shape": ["N"], "dtype": "bfloat16", "draw": {"absolute_normal": 1}}
  ],
  "results": [{"name": "y", "shape": ["M", "N"], "dtype": "float32"}],
  "layouts": [{"name": "tiled", "arguments": [["M/2", 2, "N"], null, [1, "N"]], "results": [["M*N"]]}],
  "suites": [{"name": "late", "why": "looks at the last column", "edits": [
    {"argument": "x", "box": [null, ["N - 1", "N"]], "multiply": 10}]}],
  "tolerance": 2e-5,
  "matmul_dtype": "bfloat16",
  "minimum_work": {"traffic_bytes": "2*M*N*4", "matmul_flops": "0", "vector_flops": "3*M*N"},
  "published": [{"device": "trn1", "shape": "published", "baseline_ms": 1.5, "source": "a test"}],
  "reference": "reference.py",
  "baseline": "baseline.py",
  "entry_point": "kernel"
})json";

inline constexpr std::string_view kSmallReference =
    "def reference(x, eps, v):\n    return x * v + eps\n";

/// Writes the small task, with `from` replaced by `to` in its task.json, and returns its folder.
inline std::filesystem::path writeSmallTask(const std::filesystem::path &parent,
                                            std::string_view from = {}, std::string_view to = {})
{
    std::string text(kSmallTask);
    if (!from.empty()) {
        const std::size_t at = text.find(from);
        Q_ASSERT(at != std::string::npos);
        text.replace(at, from.size(), to);
    }
    const std::filesystem::path folder = parent / "small";
    writeFile(folder / "task.json", text);
    writeFile(folder / "reference.py", kSmallReference);
    writeFile(folder / "baseline.py", "def kernel(x, eps, v):\n    pass\n");
    return folder;
}

/// Sets an environment variable for the life of the object.
class ScopedVariable
{
public:
    ScopedVariable(const char *name, const std::string &value) : m_name(name), m_old(qgetenv(name))
    {
        m_wasSet = qEnvironmentVariableIsSet(name);
        qputenv(name, QByteArray::fromStdString(value));
    }
    ~ScopedVariable()
    {
        if (m_wasSet)
            qputenv(m_name, m_old);
        else
            qunsetenv(m_name);
    }
    ScopedVariable(const ScopedVariable &) = delete;
    ScopedVariable &operator=(const ScopedVariable &) = delete;

private:
    const char *m_name;
    QByteArray m_old;
    bool m_wasSet = false;
};

} // namespace accelopt::tests
