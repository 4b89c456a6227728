# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    tile_m = 128
    tile_n = 512
    assert rows % tile_m == 0
    assert columns % tile_n == 0

    y = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // tile_m):
        for j in nl.affine_range(columns // tile_n):
            x_tile = nl.load(x[i * tile_m:(i + 1) * tile_m, j * tile_n:(j + 1) * tile_n])

            # sigmoid(x) = 1 / (1 + exp(-x))
            negative = nl.multiply(x_tile, -1.0)
            power = nl.exp(negative)
            denominator = nl.add(power, 1.0)
            sigmoid = nl.reciprocal(denominator)
            y_tile = nl.multiply(x_tile, sigmoid)

            nl.store(y[i * tile_m:(i + 1) * tile_m, j * tile_n:(j + 1) * tile_n], value=y_tile)
    return y
