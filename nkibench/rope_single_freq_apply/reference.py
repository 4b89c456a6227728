# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np


def reference(x, cos, sin):
    half = x.shape[0] // 2
    x0, x1 = x[:half], x[half:]
    return np.concatenate([x0 * cos - x1 * sin, x0 * sin + x1 * cos], axis=0)
