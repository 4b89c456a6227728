# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(delta, u, a, b, c):
    channels, steps = delta.shape
    states = a.shape[1]
    tile_c = 128
    tile_t = 512
    assert channels % tile_c == 0
    assert steps % tile_t == 0

    y = nl.ndarray((channels, steps), dtype=delta.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(channels // tile_c):
        a_tile = nl.load(a[i * tile_c:(i + 1) * tile_c, 0:states])

        # where every state stands at the end of the last tile of time
        carry = nl.zeros((nl.par_dim(tile_c), states), dtype=nl.float32, buffer=nl.sbuf)

        for t in nl.sequential_range(steps // tile_t):
            delta_tile = nl.load(delta[i * tile_c:(i + 1) * tile_c, t * tile_t:(t + 1) * tile_t])
            u_tile = nl.load(u[i * tile_c:(i + 1) * tile_c, t * tile_t:(t + 1) * tile_t])
            delta_u = nl.multiply(delta_tile, u_tile)

            acc = nl.zeros((nl.par_dim(tile_c), tile_t), dtype=nl.float32, buffer=nl.sbuf)
            for s in nl.sequential_range(states):
                exponent = nl.multiply(delta_tile, a_tile[:, s:s + 1])
                decay = nl.exp(exponent)

                # b and c are the same for all channels
                b_row = nl.load(b[s:s + 1, t * tile_t:(t + 1) * tile_t])
                b_tile = b_row.broadcast_to((tile_c, tile_t))
                inflow = nl.multiply(delta_u, b_tile)

                h = nisa.tensor_tensor_scan(decay, inflow, initial=carry[:, s:s + 1],
                                            op0=nl.multiply, op1=nl.add)
                carry[:, s:s + 1] = nl.copy(h[:, tile_t - 1:tile_t])

                c_row = nl.load(c[s:s + 1, t * tile_t:(t + 1) * tile_t])
                c_tile = c_row.broadcast_to((tile_c, tile_t))
                weighted = nl.multiply(h, c_tile)
                acc += weighted

            nl.store(y[i * tile_c:(i + 1) * tile_c, t * tile_t:(t + 1) * tile_t], value=acc)
    return y
