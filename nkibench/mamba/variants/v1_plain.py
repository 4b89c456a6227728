# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(delta, u, a, b, c):
    """The scan as it is defined: state by state, for each of them channel by channel, whole rows of time."""
    channels, steps = delta.shape
    states = a.shape[1]
    tile_c = nl.tile_size.pmax
    assert channels % tile_c == 0
    groups = channels // tile_c

    y = nl.ndarray((channels, steps), dtype=delta.dtype, buffer=nl.shared_hbm)

    # what each channel has been given by the states so far
    total = nl.zeros((groups, nl.par_dim(tile_c), steps), dtype=delta.dtype, buffer=nl.sbuf)

    for s in nl.affine_range(states):
        for i in nl.affine_range(groups):
            # the same rows are fetched again for every state
            delta_tile = nl.load(delta[i * tile_c:(i + 1) * tile_c, 0:steps])
            u_tile = nl.load(u[i * tile_c:(i + 1) * tile_c, 0:steps])
            a_column = nl.load(a[i * tile_c:(i + 1) * tile_c, s:s + 1])
            b_row = nl.load(b[s:s + 1, 0:steps])
            c_row = nl.load(c[s:s + 1, 0:steps])

            # exp(delta a): the scalar engine multiplies by a column for nothing
            decay = nisa.activation(op=nl.exp, data=delta_tile, scale=a_column)

            delta_u = nisa.tensor_tensor(delta_tile, u_tile, op=nl.multiply)
            inflow = nisa.tensor_tensor(delta_u, b_row.broadcast_to((tile_c, steps)), op=nl.multiply)

            # h_t = decay_t h_(t-1) + inflow_t
            h = nisa.tensor_tensor_scan(decay, inflow, initial=0, op0=nl.multiply, op1=nl.add)

            weighted = nisa.tensor_tensor(h, c_row.broadcast_to((tile_c, steps)), op=nl.multiply)
            total[i, 0:tile_c, 0:steps] += weighted

    for i in nl.affine_range(groups):
        nl.store(y[i * tile_c:(i + 1) * tile_c, 0:steps], total[i, 0:tile_c, 0:steps])
    return y
