# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(lhs, rhs):
    depth, rows = lhs.shape
    columns = rhs.shape[1]
    tile_m = 128
    tile_k = 128
    tile_n = 512
    assert rows % tile_m == 0
    assert depth % tile_k == 0

    result = nl.ndarray((rows, columns), dtype=lhs.dtype, buffer=nl.shared_hbm)
    i_p = nl.arange(128)[:, None]
    i_m = nl.arange(tile_m)[None, :]
    i_n = nl.arange(tile_n)[None, :]
    for i in nl.affine_range(rows // tile_m):
        # The last column tile is not full: columns past the end are masked.
        for j in nl.affine_range((columns + tile_n - 1) // tile_n):
            inside = (j * tile_n + i_n < columns)
            acc = nl.zeros((nl.par_dim(tile_m), tile_n), dtype=nl.float32, buffer=nl.psum)
            for k in nl.affine_range(depth // tile_k):
                # lhs already has the contraction in its rows, as the tensor engine wants it
                lhs_tile = nl.load(lhs[k * tile_k + i_p, i * tile_m + i_m])
                rhs_tile = nl.load(rhs[k * tile_k + i_p, j * tile_n + i_n], mask=inside)
                acc[i_p, i_n] += nisa.nc_matmul(lhs_tile[i_p, i_m], rhs_tile[i_p, i_n], mask=inside)
            acc_sb = nl.copy(acc[i_p, i_n], mask=inside)
            nl.store(result[i * tile_m + i_p, j * tile_n + i_n], value=acc_sb, mask=inside)
    return result
