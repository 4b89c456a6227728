# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x, w, eps, z, g):
    rows, depth = x.shape
    columns = w.shape[1]
    tile_m = 128
    tile_k = 128
    tile_n = 512
    assert rows % tile_m == 0
    assert depth % tile_k == 0
    assert columns % tile_n == 0

    result = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)

    # one copy of g for every row of a tile
    g_row = nl.load(g.reshape((1, depth)))
    g_tile = g_row.broadcast_to((tile_m, depth))

    for i in nl.affine_range(rows // tile_m):
        x_tile = nl.load(x[i * tile_m:(i + 1) * tile_m, 0:depth])
        z_tile = nl.load(z[i * tile_m:(i + 1) * tile_m, 0:depth])
        y = nl.add(x_tile, z_tile)

        # root mean square of every row
        square = nl.square(y)
        square_sum = nl.sum(square, axis=[1], keepdims=True)
        mean = nl.multiply(square_sum, 1.0 / depth)
        shifted = nl.add(mean, eps)
        rms = nl.sqrt(shifted)
        inverse = nl.reciprocal(rms)
        normalised = nl.multiply(y, inverse)
        scaled = nl.multiply(normalised, g_tile)

        for j in nl.affine_range(columns // tile_n):
            acc = nl.zeros((tile_m, tile_n), dtype=nl.float32, buffer=nl.psum)
            for k in nl.affine_range(depth // tile_k):
                w_tile = nl.load(w[k * tile_k:(k + 1) * tile_k, j * tile_n:(j + 1) * tile_n])
                acc += nl.matmul(scaled[:, k * tile_k:(k + 1) * tile_k], w_tile)
            acc_sb = nl.copy(acc)
            nl.store(result[i * tile_m:(i + 1) * tile_m, j * tile_n:(j + 1) * tile_n], value=acc_sb)
    return result
