# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np


def reference(x, w, a, b):
    y = np.matmul(x, w)
    y += np.matmul(np.matmul(x, a), b)
    return y
