# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The entry points of the double. What it is to do is said in comments of a kernel: "# double: noisy 12"."""
import inspect
import re

import numpy as np


def jit(function):
    return function


def told(text, word):
    found = re.search(r"# double: %s ?(\d*)" % word, text)
    return int(found[1] or 1) if found else 0


def baremetal(function, save_neff_name, save_trace_name, additional_compile_opt):
    with open(inspect.getsourcefile(function), encoding="utf-8") as stream:
        text = stream.read()

    def call(*arguments):
        assert additional_compile_opt.startswith("--")
        if told(text, "compiler error"):
            raise RuntimeError("[NCC_DBL001] the double was told to fail")
        if told(text, "crash"):
            import os
            os.abort()
        result = function(*[np.array(value) for value in arguments])
        with open(save_neff_name, "w", encoding="utf-8") as stream:
            stream.write("noisy=%d refuses=%d\n" % (told(text, "noisy"), told(text, "refuses")))
        with open(save_trace_name, "w", encoding="utf-8") as stream:
            stream.write("{}")
        with open("compilations", "a", encoding="utf-8") as stream:
            stream.write("x")
        return result

    return call
