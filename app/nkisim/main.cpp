// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/SimWorkerLoop.h"

#include <cstdio>
#include <string_view>

int main(int argc, char **argv)
{
    if (argc > 1) {
        const std::string_view argument = argv[1];
        if (argument == "--version") {
            std::puts("nkisim " ACCELOPT_VERSION);
            return 0;
        }
        std::fputs(
            "nkisim judges kernels for accelopt: it reads questions on standard input and answers "
            "on standard output, a line of JSON each. It takes no arguments but --version.\n",
            stderr);
        return argument == "--help" ? 0 : 2;
    }
    return accelopt::profiling::runWorkerOnStandardStreams(ACCELOPT_VERSION);
}
