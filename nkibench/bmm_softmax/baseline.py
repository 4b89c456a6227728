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

            # a full row of logits is needed before its softmax
            logits = nl.ndarray((nl.par_dim(tile_m), columns), dtype=nl.float32, buffer=nl.sbuf)
            for j in nl.affine_range(columns // tile_n):
                rhs_tile = nl.load(rhs[b, 0:depth, j * tile_n:(j + 1) * tile_n])
                product = nl.matmul(lhs_tile, rhs_tile)
                logits[:, j * tile_n:(j + 1) * tile_n] = nl.copy(product)

            row_max = nl.max(logits, axis=[1], keepdims=True)
            shifted = nl.subtract(logits, row_max)
            power = nl.exp(shifted)
            row_sum = nl.sum(power, axis=[1], keepdims=True)
            inverse = nl.reciprocal(row_sum)
            p = nl.multiply(power, inverse)
            nl.store(result[b, i * tile_m:(i + 1) * tile_m, 0:columns], value=p)
    return result
