# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np


def reference(delta, u, a, b, c):
    """Selective scan: time in columns, channels in rows of delta and u, states of b and c."""
    channels, steps = delta.shape
    # Time first, so that a step reads and writes contiguous rows.
    delta_t = np.ascontiguousarray(delta.T)
    input_t = np.ascontiguousarray((delta * u).T)
    b_t = np.ascontiguousarray(b.T)
    c_t = np.ascontiguousarray(c.T)
    state = np.zeros((channels, a.shape[1]), dtype=delta.dtype)
    result = np.empty((steps, channels), dtype=delta.dtype)
    for step in range(steps):
        state *= np.exp(delta_t[step][:, None] * a)
        state += input_t[step][:, None] * b_t[step]
        result[step] = state @ c_t[step]
    return np.ascontiguousarray(result.T)
