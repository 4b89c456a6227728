# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(delta, u, a, b, c):
    """As v2, with time in tiles: what is in flight is small, so nothing spills and engines overlap."""
    channels, steps = delta.shape
    states = a.shape[1]
    tile_c = nl.tile_size.pmax
    tile_t = 512
    assert channels % tile_c == 0
    assert steps % tile_t == 0

    y = nl.ndarray((channels, steps), dtype=delta.dtype, buffer=nl.shared_hbm)

    for i in nl.affine_range(channels // tile_c):
        total = nl.zeros((nl.par_dim(tile_c), steps), dtype=delta.dtype, buffer=nl.sbuf)

        delta_tile = nl.load(delta[i * tile_c:(i + 1) * tile_c, 0:steps])
        u_tile = nl.load(u[i * tile_c:(i + 1) * tile_c, 0:steps])
        delta_u = nisa.tensor_tensor(delta_tile, u_tile, op=nl.multiply)

        for s in nl.affine_range(states):
            a_column = nl.load(a[i * tile_c:(i + 1) * tile_c, s:s + 1])

            # where the state stands at the end of the tile before
            carry = nl.zeros((nl.par_dim(tile_c), 1), dtype=delta.dtype, buffer=nl.sbuf)

            for t in nl.static_range(steps // tile_t):
                span = nl.ds(t * tile_t, tile_t)
                b_row = nl.load(b[s:s + 1, span])
                c_row = nl.load(c[s:s + 1, span])

                decay = nisa.activation(op=nl.exp, data=delta_tile[0:tile_c, span], scale=a_column)
                inflow = nisa.tensor_tensor(delta_u[0:tile_c, span], b_row.broadcast_to((tile_c, tile_t)),
                                            op=nl.multiply)
                h = nisa.tensor_tensor_scan(decay, inflow, initial=carry, op0=nl.multiply, op1=nl.add)
                carry[0:tile_c, 0:1] = h[0:tile_c, tile_t - 1:tile_t]

                weighted = nisa.tensor_tensor(h, c_row.broadcast_to((tile_c, tile_t)), op=nl.multiply)
                total[0:tile_c, span] += weighted

        nl.store(y[i * tile_c:(i + 1) * tile_c, 0:steps], total)
    return y
