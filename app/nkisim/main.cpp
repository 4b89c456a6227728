// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/PoolLoop.h"
#include "core/profiling/SimWorkerLoop.h"

#include <QCoreApplication>
#include <clocale>
#include <cstdio>
#include <string_view>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc > 1) {
        const std::string_view argument = argv[1];
        if (argument == "--version") {
            std::puts("nkisim " ACCELOPT_VERSION);
            return 0;
        }
        if (argument == "--pool") {
            QCoreApplication application(argc, argv);
            std::setlocale(LC_NUMERIC, "C");
            const accelopt::profiling::PoolLoop loop(STDIN_FILENO, STDOUT_FILENO, ACCELOPT_VERSION);
            return QCoreApplication::exec();
        }
        std::fputs(
            "nkisim judges kernels for accelopt: it reads questions on standard input and answers "
            "on standard output, a line of JSON each. With --pool it runs a pool of "
            "simulators for the far end of a connection; else it takes no arguments but "
            "--version.\n",
            stderr);
        return argument == "--help" ? 0 : 2;
    }
    return accelopt::profiling::runWorkerOnStandardStreams(ACCELOPT_VERSION);
}
