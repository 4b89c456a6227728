# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x, cos, sin):
    depth, columns = x.shape
    half = depth // 2
    tile_n = 512
    assert depth <= 128
    assert columns % tile_n == 0

    y = nl.ndarray((depth, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for j in nl.affine_range(columns // tile_n):
        # Both halves start at the first partition, so that they can be combined.
        x0 = nl.load(x[0:half, j * tile_n:(j + 1) * tile_n])
        x1 = nl.load(x[half:depth, j * tile_n:(j + 1) * tile_n])
        cos_tile = nl.load(cos[0:half, j * tile_n:(j + 1) * tile_n])
        sin_tile = nl.load(sin[0:half, j * tile_n:(j + 1) * tile_n])

        x0_cos = nl.multiply(x0, cos_tile)
        x1_sin = nl.multiply(x1, sin_tile)
        y0 = nl.subtract(x0_cos, x1_sin)

        x0_sin = nl.multiply(x0, sin_tile)
        x1_cos = nl.multiply(x1, cos_tile)
        y1 = nl.add(x0_sin, x1_cos)

        nl.store(y[0:half, j * tile_n:(j + 1) * tile_n], value=y0)
        nl.store(y[half:depth, j * tile_n:(j + 1) * tile_n], value=y1)
    return y
