# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np


def reference(theta, g, m, v):
    """One AdamW update at step 1.

    There the corrected moments are m / (1 - 0.9) and v / (1 - 0.999); the first one's correction and
    the learning rate 0.001 together give the factor 0.01.
    """
    decayed = theta - 1e-5 * theta
    first = 0.9 * m + 0.1 * g
    second = 0.999 * v + 0.001 * g * g
    return decayed - 0.01 * first / (np.sqrt(1000 * second) + 1e-8)
