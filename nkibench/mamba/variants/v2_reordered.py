# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(delta, u, a, b, c):
    """Channels outside, states inside: delta, u and their product are fetched and made once per channel."""
    channels, steps = delta.shape
    states = a.shape[1]
    tile_c = nl.tile_size.pmax
    assert channels % tile_c == 0

    y = nl.ndarray((channels, steps), dtype=delta.dtype, buffer=nl.shared_hbm)

    for i in nl.affine_range(channels // tile_c):
        # only one sum is alive at a time
        total = nl.zeros((nl.par_dim(tile_c), steps), dtype=delta.dtype, buffer=nl.sbuf)

        delta_tile = nl.load(delta[i * tile_c:(i + 1) * tile_c, 0:steps])
        u_tile = nl.load(u[i * tile_c:(i + 1) * tile_c, 0:steps])
        delta_u = nisa.tensor_tensor(delta_tile, u_tile, op=nl.multiply)

        for s in nl.affine_range(states):
            a_column = nl.load(a[i * tile_c:(i + 1) * tile_c, s:s + 1])
            b_row = nl.load(b[s:s + 1, 0:steps])
            c_row = nl.load(c[s:s + 1, 0:steps])

            decay = nisa.activation(op=nl.exp, data=delta_tile, scale=a_column)
            inflow = nisa.tensor_tensor(delta_u, b_row.broadcast_to((tile_c, steps)), op=nl.multiply)
            h = nisa.tensor_tensor_scan(decay, inflow, initial=0, op0=nl.multiply, op1=nl.add)
            weighted = nisa.tensor_tensor(h, c_row.broadcast_to((tile_c, steps)), op=nl.multiply)
            total[0:tile_c, 0:steps] += weighted

        nl.store(y[i * tile_c:(i + 1) * tile_c, 0:steps], total)
    return y
