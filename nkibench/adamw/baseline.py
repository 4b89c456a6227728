# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(theta, g, m, v):
    rows, columns = theta.shape
    tile_m = 128
    tile_n = 512
    assert columns % tile_n == 0

    new_theta = nl.ndarray((rows, columns), dtype=theta.dtype, buffer=nl.shared_hbm)
    i_p = nl.arange(tile_m)[:, None]
    i_f = nl.arange(tile_n)[None, :]

    # The last row tile is not full: rows past the end are masked.
    for i in nl.affine_range((rows + tile_m - 1) // tile_m):
        for j in nl.affine_range(columns // tile_n):
            inside = (i * tile_m + i_p < rows)
            theta_tile = nl.load(theta[i * tile_m + i_p, j * tile_n + i_f], mask=inside)
            g_tile = nl.load(g[i * tile_m + i_p, j * tile_n + i_f], mask=inside)
            m_tile = nl.load(m[i * tile_m + i_p, j * tile_n + i_f], mask=inside)
            v_tile = nl.load(v[i * tile_m + i_p, j * tile_n + i_f], mask=inside)

            # weight decay
            decay = nl.multiply(theta_tile, 1e-5, mask=inside)
            decayed = nl.subtract(theta_tile, decay, mask=inside)

            # first moment
            m_old = nl.multiply(m_tile, 0.9, mask=inside)
            m_add = nl.multiply(g_tile, 0.1, mask=inside)
            m_new = nl.add(m_old, m_add, mask=inside)

            # second moment
            g_square = nl.square(g_tile, mask=inside)
            v_old = nl.multiply(v_tile, 0.999, mask=inside)
            v_add = nl.multiply(g_square, 0.001, mask=inside)
            v_new = nl.add(v_old, v_add, mask=inside)
            v_hat = nl.multiply(v_new, 1000.0, mask=inside)

            # step
            root = nl.sqrt(v_hat, mask=inside)
            denominator = nl.add(root, 1e-8, mask=inside)
            inverse = nl.reciprocal(denominator, mask=inside)
            ratio = nl.multiply(m_new, inverse, mask=inside)
            step = nl.multiply(ratio, 0.01, mask=inside)
            result = nl.subtract(decayed, step, mask=inside)

            nl.store(new_theta[i * tile_m + i_p, j * tile_n + i_f], value=result, mask=inside)
    return new_theta
