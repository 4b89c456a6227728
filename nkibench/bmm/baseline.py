# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(lhs, rhs):
    batches, rows, depth = lhs.shape
    columns = rhs.shape[2]
    tile_m = 128
    tile_n = 512
    assert depth <= 128
    assert rows % tile_m == 0
    assert columns % tile_n == 0

    result = nl.ndarray((batches, rows, columns), dtype=lhs.dtype, buffer=nl.shared_hbm)
    for b in nl.affine_range(batches):
        for i in nl.affine_range(rows // tile_m):
            lhs_tile = nl.load(lhs[b, i * tile_m:(i + 1) * tile_m, 0:depth])
            for j in nl.affine_range(columns // tile_n):
                rhs_tile = nl.load(rhs[b, 0:depth, j * tile_n:(j + 1) * tile_n])
                # the contraction fits one matmul
                product = nl.matmul(lhs_tile, rhs_tile)
                product_sb = nl.copy(product)
                nl.store(result[b, i * tile_m:(i + 1) * tile_m, j * tile_n:(j + 1) * tile_n],
                         value=product_sb)
    return result
