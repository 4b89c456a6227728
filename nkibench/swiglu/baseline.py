# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x, w_up, w_down, w_gate):
    rows, depth = x.shape
    width = w_up.shape[1]
    tile_m = 128
    tile_k = 128
    tile_n = 512
    assert rows % tile_m == 0
    assert depth % tile_n == 0
    assert width % tile_n == 0

    result = nl.ndarray((rows, depth), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // tile_m):
        x_tile = nl.load(x[i * tile_m:(i + 1) * tile_m, 0:depth])
        hidden = nl.ndarray((nl.par_dim(tile_m), width), dtype=nl.float32, buffer=nl.sbuf)

        for j in nl.affine_range(width // tile_n):
            gate_acc = nl.zeros((tile_m, tile_n), dtype=nl.float32, buffer=nl.psum)
            up_acc = nl.zeros((tile_m, tile_n), dtype=nl.float32, buffer=nl.psum)
            for k in nl.affine_range(depth // tile_k):
                gate_tile = nl.load(
                    w_gate[k * tile_k:(k + 1) * tile_k, j * tile_n:(j + 1) * tile_n])
                gate_acc += nl.matmul(x_tile[:, k * tile_k:(k + 1) * tile_k], gate_tile)
            for k in nl.affine_range(depth // tile_k):
                up_tile = nl.load(w_up[k * tile_k:(k + 1) * tile_k, j * tile_n:(j + 1) * tile_n])
                up_acc += nl.matmul(x_tile[:, k * tile_k:(k + 1) * tile_k], up_tile)
            gate = nl.copy(gate_acc)
            up = nl.copy(up_acc)

            # silu(gate) * up
            negative = nl.multiply(gate, -1.0)
            power = nl.exp(negative)
            denominator = nl.add(power, 1.0)
            sigmoid = nl.reciprocal(denominator)
            activated = nl.multiply(gate, sigmoid)
            hidden[:, j * tile_n:(j + 1) * tile_n] = nl.multiply(activated, up)

        for j in nl.affine_range(depth // tile_n):
            down_acc = nl.zeros((tile_m, tile_n), dtype=nl.float32, buffer=nl.psum)
            for k in nl.affine_range(width // tile_k):
                down_tile = nl.load(
                    w_down[k * tile_k:(k + 1) * tile_k, j * tile_n:(j + 1) * tile_n])
                down_acc += nl.matmul(hidden[:, k * tile_k:(k + 1) * tile_k], down_tile)
            down = nl.copy(down_acc)
            nl.store(result[i * tile_m:(i + 1) * tile_m, j * tile_n:(j + 1) * tile_n], value=down)
    return result
