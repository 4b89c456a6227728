# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(q, k, v):
    batches, length, query_heads, depth = q.shape
    kv_heads = k.shape[2]
    group = query_heads // kv_heads
    scale = depth ** -0.5
    tile_q = 128
    tile_k = 512
    tile_v = 128
    assert depth <= 128
    assert length % tile_k == 0

    result = nl.ndarray((batches, query_heads, length, depth), dtype=q.dtype, buffer=nl.shared_hbm)
    for b in nl.affine_range(batches):
        for head in nl.affine_range(kv_heads):
            # keys with the head dimension in partitions
            k_t = nl.ndarray((nl.par_dim(depth), length), dtype=nl.float32, buffer=nl.sbuf)
            for t in nl.affine_range(length // tile_v):
                k_tile = nl.load(k[b, t * tile_v:(t + 1) * tile_v, head, 0:depth])
                k_turned = nl.transpose(k_tile)
                k_t[:, t * tile_v:(t + 1) * tile_v] = nl.copy(k_turned)

            for r in nl.affine_range(group):
                for i in nl.affine_range(length // tile_q):
                    q_tile = nl.load(q[b, i * tile_q:(i + 1) * tile_q, head * group + r, 0:depth])

                    # logits of these queries against all keys
                    logits = nl.ndarray((nl.par_dim(tile_q), length), dtype=nl.float32,
                                        buffer=nl.sbuf)
                    for j in nl.affine_range(length // tile_k):
                        product = nl.matmul(q_tile, k_t[:, j * tile_k:(j + 1) * tile_k])
                        logits[:, j * tile_k:(j + 1) * tile_k] = nl.multiply(product, scale)

                    # softmax
                    row_max = nl.max(logits, axis=[1], keepdims=True)
                    shifted = nl.subtract(logits, row_max)
                    power = nl.exp(shifted)
                    row_sum = nl.sum(power, axis=[1], keepdims=True)
                    inverse = nl.reciprocal(row_sum)
                    p = nl.multiply(power, inverse)

                    # weighted sum of the values
                    acc = nl.zeros((tile_q, depth), dtype=nl.float32, buffer=nl.psum)
                    for t in nl.affine_range(length // tile_v):
                        v_tile = nl.load(v[b, t * tile_v:(t + 1) * tile_v, head, 0:depth])
                        acc += nl.matmul(p[:, t * tile_v:(t + 1) * tile_v], v_tile)
                    acc_sb = nl.copy(acc)
                    nl.store(result[b, head * group + r, i * tile_q:(i + 1) * tile_q, 0:depth],
                             value=acc_sb)
    return result
