# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(lhs, rhs):
    rows, depth = lhs.shape
    columns = rhs.shape[1]
    tile_m = 128
    tile_k = 128
    tile_n = 512
    assert rows % tile_m == 0
    assert depth % tile_k == 0
    assert columns % tile_n == 0

    # bfloat16 goes in, sums are kept and stored in single precision
    result = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // tile_m):
        for j in nl.affine_range(columns // tile_n):
            acc = nl.zeros((tile_m, tile_n), dtype=nl.float32, buffer=nl.psum)
            for k in nl.affine_range(depth // tile_k):
                lhs_tile = nl.load(lhs[i * tile_m:(i + 1) * tile_m, k * tile_k:(k + 1) * tile_k])
                rhs_tile = nl.load(rhs[k * tile_k:(k + 1) * tile_k, j * tile_n:(j + 1) * tile_n])
                acc += nl.matmul(lhs_tile, rhs_tile)
            acc_sb = nl.copy(acc)
            nl.store(result[i * tile_m:(i + 1) * tile_m, j * tile_n:(j + 1) * tile_n], value=acc_sb)
    return result
