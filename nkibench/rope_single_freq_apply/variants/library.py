# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x, cos, sin):
    """Whole heads are fetched at once; halves change partitions on chip, one product at a time."""
    depth, columns = x.shape
    half = depth // 2
    tile_n = 512
    assert depth <= nl.tile_size.pmax
    assert columns % tile_n == 0

    y = nl.ndarray((depth, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for j in nl.sequential_range(columns // tile_n):
        span = nl.ds(j * tile_n, tile_n)
        x_tile = nl.load(x[0:depth, span])
        cos_tile = nl.load(cos[0:half, span])
        sin_tile = nl.load(sin[0:half, span])

        # both operands of an elementwise instruction begin at the same partition
        upper = nl.copy(x_tile[half:depth, 0:tile_n])

        lower_cos = nl.multiply(x_tile[0:half, 0:tile_n], cos_tile)
        upper_sin = nl.multiply(upper, sin_tile)
        lower_sin = nl.multiply(x_tile[0:half, 0:tile_n], sin_tile)
        upper_cos = nl.multiply(upper, cos_tile)

        turned = nl.ndarray((nl.par_dim(depth), tile_n), dtype=x.dtype, buffer=nl.sbuf)
        turned[0:half, 0:tile_n] = nl.subtract(lower_cos, upper_sin)
        turned[half:depth, 0:tile_n] = nl.add(lower_sin, upper_cos)
        nl.store(y[0:depth, span], value=turned)
    return y
