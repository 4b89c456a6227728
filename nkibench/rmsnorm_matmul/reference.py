# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np


def reference(x, w):
    rms = np.sqrt(np.mean(x * x, axis=1, keepdims=True))
    return (x / rms) @ w
