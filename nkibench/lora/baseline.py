# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x, w, a, b):
    rows, depth = x.shape
    columns = w.shape[1]
    rank = a.shape[1]
    tile_m = 128
    tile_k = 128
    tile_n = 512
    assert rank <= 128
    assert rows % tile_m == 0
    assert depth % tile_k == 0
    assert columns % tile_n == 0

    result = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // tile_m):
        # x @ a for this block of rows
        low_acc = nl.zeros((tile_m, rank), dtype=nl.float32, buffer=nl.psum)
        for k in nl.affine_range(depth // tile_k):
            x_tile = nl.load(x[i * tile_m:(i + 1) * tile_m, k * tile_k:(k + 1) * tile_k])
            a_tile = nl.load(a[k * tile_k:(k + 1) * tile_k, 0:rank])
            low_acc += nl.matmul(x_tile, a_tile)
        low = nl.copy(low_acc)

        for j in nl.affine_range(columns // tile_n):
            # x @ w
            acc = nl.zeros((tile_m, tile_n), dtype=nl.float32, buffer=nl.psum)
            for k in nl.affine_range(depth // tile_k):
                x_tile = nl.load(x[i * tile_m:(i + 1) * tile_m, k * tile_k:(k + 1) * tile_k])
                w_tile = nl.load(w[k * tile_k:(k + 1) * tile_k, j * tile_n:(j + 1) * tile_n])
                acc += nl.matmul(x_tile, w_tile)
            acc_sb = nl.copy(acc)

            # (x @ a) @ b
            b_tile = nl.load(b[0:rank, j * tile_n:(j + 1) * tile_n])
            adapter = nl.matmul(low, b_tile)
            adapter_sb = nl.copy(adapter)

            y = nl.add(acc_sb, adapter_sb)
            nl.store(result[i * tile_m:(i + 1) * tile_m, j * tile_n:(j + 1) * tile_n], value=y)
    return result
