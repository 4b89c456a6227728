// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QFile>
#include <QString>

namespace accelopt::tests {

/// Writes a program that stands for ssh and runs what it is told on this machine, and lets the
/// environment name it. A login shell says something first; the -E file gets what a real login
/// would log.
inline bool standForSsh(const QString &path)
{
    QFile ssh(path);
    if (!ssh.open(QIODevice::WriteOnly))
        return false;
    // The last argument is the far command.
    ssh.write("#!/bin/sh\nlog=$4\nfor last; do :; done\n"
              "printf 'Authenticated to h\\n' > \"$log\"\necho welcome\n"
              "sh -c \"$last\"\nstatus=$?\n"
              "printf 'rtype exit-status\\n' >> \"$log\"\nexit $status\n");
    ssh.close();
    return ssh.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner) &&
           qputenv("ACCELOPT_SSH", path.toLocal8Bit());
}

} // namespace accelopt::tests
