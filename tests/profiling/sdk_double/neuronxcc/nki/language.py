# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A few names of the language, in numpy."""
import os

import numpy as np

float32 = np.float32
shared_hbm = "hbm"


def ndarray(shape, dtype, buffer):
    return np.zeros(shape, dtype)


def load(tensor):
    return np.array(tensor)


def store(tensor, value):
    tensor[...] = value


def add(a, b):
    return a + b + np.float32(os.environ.get("ACCELOPT_DOUBLE_OFF", "0"))


def silu(x):
    return (x / (1 + np.exp(-np.float64(x)))).astype(np.float32)
