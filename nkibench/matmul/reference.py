# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np


def reference(lhs, rhs):
    return np.matmul(lhs, rhs)
