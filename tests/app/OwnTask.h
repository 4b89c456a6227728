// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/app/RunProgram.h"

#include <QByteArray>
#include <QtGlobal>
#include <string>

namespace accelopt::tests {

/// A small kernel: rows of a matrix times a number each. `body` are the lines between load and
/// store, which make `out` of `tile` and `factor`.
inline std::string scaleRows(const std::string &body)
{
    return "import neuronxcc.nki as nki\n"
           "import neuronxcc.nki.language as nl\n\n\n"
           "@nki.jit\n"
           "def kernel(x, s):\n"
           "    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)\n"
           "    for i in nl.affine_range(x.shape[0] // 128):\n"
           "        tile = nl.load(x[i * 128:(i + 1) * 128, :])\n"
           "        factor = nl.load(s[i * 128:(i + 1) * 128, :])\n" +
           body +
           "        nl.store(y[i * 128:(i + 1) * 128, :], value=out)\n"
           "    return y\n";
}

inline const std::string kScaleBody = "        out = nl.multiply(tile, factor)\n";
inline const std::string kScaleReference = "def reference(x, s):\n    return x * s\n";

/// `bench new NAME` for the two files, and more arguments.
inline Arguments newScaleRows(const std::string &name, const std::string &folder,
                              const Arguments &more = {})
{
    Arguments arguments{"bench",
                        "new",
                        name,
                        "--kernel",
                        folder + "/scale.py",
                        "--reference",
                        folder + "/scale_ref.py",
                        "--shape",
                        "M=256,N=64",
                        "--arg",
                        "x:M,N",
                        "--arg",
                        "s:M,1",
                        "--result",
                        "y:M,N"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

/// Status of runAtTerminal() where the system gives no terminals.
inline constexpr int kNoTerminal = 77;

/// The program with a person at a terminal of 80 columns who types `typed`; what is seen there is
/// the output.
inline Ran runAtTerminal(const Arguments &arguments, const std::string &typed)
{
    static const char kTerminal[] =
        "import fcntl, os, pty, struct, sys, termios\n"
        "try:\n"
        "    pid, screen = pty.fork()\n"
        "except OSError:\n"
        "    sys.exit(77)\n"
        "if pid == 0:\n"
        "    os.execv(sys.argv[2], sys.argv[2:])\n"
        "fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack('HHHH', 25, 80, 0, 0))\n"
        "os.write(screen, sys.argv[1].encode())\n"
        "while True:\n"
        "    try:\n"
        "        seen = os.read(screen, 65536)\n"
        "    except OSError:\n"
        "        break\n"
        "    if not seen:\n"
        "        break\n"
        "    sys.stdout.buffer.write(seen)\n"
        "sys.stdout.flush()\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n";
    Arguments all{"-c", kTerminal, typed, kProgram.toStdString()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run(QStringLiteral("/usr/bin/python3"), all);
}

} // namespace accelopt::tests
