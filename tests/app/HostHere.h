// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/app/RunProgram.h"
#include "tests/support/SshHere.h"

#include <QTemporaryDir>
#include <string>

namespace accelopt::tests {

/// A hosts.json with the host "near", behind a program that stands for ssh and runs what it is told
/// on this machine. The environment of the programs that a test starts points to it as long as it
/// lives.
class HostHere
{
public:
    /// `more` are further fields of the entry, beginning with a comma.
    explicit HostHere(const std::string &more = {})
    {
        const std::string folder = m_folder.path().toStdString();
        standForSsh(m_folder.filePath(QStringLiteral("ssh")));
        write(folder + "/hosts.json",
              R"({"hosts": [{"name": "near", "ssh": "near", "workers": 1,)"
              R"( "python": "/usr/bin/python3", "nkisim": ")" ACCELOPT_BIN_DIR "/nkisim\"" +
                  more + "}]}");
        qputenv("ACCELOPT_CONFIG", QByteArray::fromStdString(folder));
    }
    ~HostHere()
    {
        qunsetenv("ACCELOPT_SSH");
        qunsetenv("ACCELOPT_CONFIG");
    }
    HostHere(const HostHere &) = delete;
    HostHere &operator=(const HostHere &) = delete;

private:
    QTemporaryDir m_folder;
};

} // namespace accelopt::tests
