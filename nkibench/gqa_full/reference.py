# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import math

import numpy as np


def reference(q, k, v):
    # One head at a time: all attention matrices together take a gigabyte at the published shape.
    batches, length, query_heads, depth = q.shape
    group = query_heads // k.shape[2]
    scale = 1 / math.sqrt(depth)
    result = np.empty((batches, query_heads, length, depth), dtype=q.dtype)
    for batch in range(batches):
        for head in range(query_heads):
            p = np.matmul(q[batch, :, head], k[batch, :, head // group].T)
            p *= scale
            p -= np.max(p, axis=1, keepdims=True)
            np.exp(p, out=p)
            p /= np.sum(p, axis=1, keepdims=True)
            np.matmul(p, v[batch, :, head // group], out=result[batch, head])
    return result
