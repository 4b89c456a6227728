# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np


def reference(x, w, eps, z, g):
    y = x + z
    rms = np.sqrt(np.mean(y * y, axis=-1, keepdims=True) + eps)
    return (y / rms * g) @ w
