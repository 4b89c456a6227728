// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProcess>
#include <QString>
#include <QStringList>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace accelopt::tests {

using Arguments = std::vector<std::string>;

/// What a program printed and its exit status; 255 when it crashed or did not end.
struct Ran
{
    int status = 255;
    std::string out;
    std::string err;
};

inline QStringList toQt(const Arguments &arguments)
{
    QStringList list;
    for (const std::string &argument : arguments)
        list.append(QString::fromStdString(argument));
    return list;
}

inline const QString kProgram = QStringLiteral(ACCELOPT_BIN_DIR "/accelopt");

inline Ran run(const QString &program, const Arguments &arguments, const QString &folder = {})
{
    QProcess process;
    if (!folder.isEmpty())
        process.setWorkingDirectory(folder);
    process.start(program, toQt(arguments));
    process.closeWriteChannel();
    Ran ran;
    if (process.waitForFinished(110'000) && process.exitStatus() == QProcess::NormalExit)
        ran.status = process.exitCode();
    ran.out = process.readAllStandardOutput().toStdString();
    ran.err = process.readAllStandardError().toStdString();
    return ran;
}

inline Ran runProgram(const Arguments &arguments)
{
    return run(kProgram, arguments);
}

inline std::string contentOf(const std::string &path)
{
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

inline void write(const std::string &path, const std::string &bytes)
{
    std::ofstream stream(path, std::ios::binary | std::ios::trunc);
    stream << bytes;
}

inline bool contains(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

inline bool exists(const std::string &path)
{
    return std::filesystem::exists(path);
}

} // namespace accelopt::tests
