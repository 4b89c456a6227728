# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np


def reference(x, w_up, w_down, w_gate):
    gate = np.matmul(x, w_gate)
    # exp of a very negative gate overflows to infinity, and the quotient is then the right 0.
    with np.errstate(over="ignore"):
        gate /= 1 + np.exp(-gate)
    gate *= np.matmul(x, w_up)
    return np.matmul(gate, w_down)
