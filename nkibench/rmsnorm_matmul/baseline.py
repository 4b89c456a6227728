# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x, w):
    rows, depth = x.shape
    columns = w.shape[1]
    tile_m = 128
    tile_k = 128
    tile_n = 512
    assert rows % tile_m == 0
    assert depth % tile_k == 0
    assert columns % tile_n == 0

    result = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // tile_m):
        x_tile = nl.load(x[i * tile_m:(i + 1) * tile_m, 0:depth])

        # root mean square of every row
        square = nl.square(x_tile)
        square_sum = nl.sum(square, axis=[1], keepdims=True)
        mean = nl.multiply(square_sum, 1.0 / depth)
        rms = nl.sqrt(mean)
        inverse = nl.reciprocal(rms)
        normalised = nl.multiply(x_tile, inverse)

        for j in nl.affine_range(columns // tile_n):
            acc = nl.zeros((tile_m, tile_n), dtype=nl.float32, buffer=nl.psum)
            for k in nl.affine_range(depth // tile_k):
                w_tile = nl.load(w[k * tile_k:(k + 1) * tile_k, j * tile_n:(j + 1) * tile_n])
                acc += nl.matmul(normalised[:, k * tile_k:(k + 1) * tile_k], w_tile)
            acc_sb = nl.copy(acc)
            nl.store(result[i * tile_m:(i + 1) * tile_m, j * tile_n:(j + 1) * tile_n], value=acc_sb)
    return result
