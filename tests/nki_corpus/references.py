# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the inputs of one kernel of a manifest and works its results out with numpy.

    references.py MANIFEST NAME FOLDER
"""
import json
import os
import sys
import zlib

import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def add(a, b):
    return a + b


def row_softmax(a):
    return softmax(a)


def layernorm(x, g, b):
    mean = x.mean(axis=1, keepdims=True)
    return (x - mean) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5) * g + b


def rmsnorm(x, g):
    return x / np.sqrt((x * x).mean(axis=1, keepdims=True)) * g


def transpose_rows(x):
    return x.reshape(-1, 4, 8).transpose(0, 2, 1).reshape(x.shape)


def product(lhs_t, rhs):
    return lhs_t.T @ rhs


def average_pool(x):
    c, h, w = x.shape
    return x.reshape(c, h // 2, 2, w // 2, 2).mean(axis=(2, 4))


def max_pool(x):
    h, w = x.shape
    return np.max([x[i:h - 2 + i, j:w - 2 + j] for i in range(3) for j in range(3)], axis=0)


def attention_columns(q, k, v):
    """q, k, v are (head, sequence)."""
    return softmax(q.T @ k) @ v.T


def attention_rows(q, k, v):
    """q, k, v are (sequence, head)."""
    return softmax(0.125 * q @ k.T) @ v


def attention_batch(q, k, v):
    """q is (batch, head, sequence), k and v (batch, sequence, head)."""
    return np.stack([softmax(0.125 * a.T @ b.T) @ c for a, b, c in zip(q, k, v)])


def flash(q, k, v, causal=True):
    """q and k are (batch, heads, head, sequence), v (batch, heads, sequence, head)."""
    scores = np.einsum("bhdq,bhdk->bhqk", q, k) / np.sqrt(q.shape[2])
    if causal:
        n = scores.shape[-1]
        scores = np.where(np.tril(np.ones((n, n), bool)), scores, -1e30)
    return np.einsum("bhqk,bhkd->bhqd", softmax(scores), v)


def flash_full(q, k, v):
    return flash(q, k, v, causal=False)


def flash_window(q, k, v):
    """Each row sees the last 256 positions up to its own."""
    scores = np.einsum("bhdq,bhdk->bhqk", q, k) / np.sqrt(q.shape[2])
    n = scores.shape[-1]
    distance = np.arange(n)[:, None] - np.arange(n)[None, :]
    scores = np.where((distance >= 0) & (distance < 256), scores, -1e30)
    return np.einsum("bhqk,bhkd->bhqd", softmax(scores), v)


def flash_backward(q, k, v, o, dy, lse):
    """All are (batch, heads, head, sequence); lse is (batch, heads, 128, sequence / 128)."""
    scale = 1 / np.sqrt(q.shape[2])
    logsum = lse.transpose(0, 1, 3, 2).reshape(lse.shape[0], lse.shape[1], -1)
    p = np.exp(scale * np.einsum("bhdq,bhdk->bhqk", q, k) - logsum[..., None])
    dv = np.einsum("bhdq,bhqk->bhdk", dy, p)
    dp = np.einsum("bhdq,bhdk->bhqk", dy, v)
    ds = scale * p * (dp - (dy * o).sum(axis=2)[..., None])
    return np.einsum("bhqk,bhdk->bhdq", ds, k), np.einsum("bhqk,bhdq->bhdk", ds, q), dv


def select_and_scatter(x, s):
    """Windows of 3 x 3, stride 2, padding 1: each source goes to its window's first maximum."""
    n, c, h, w = x.shape
    padded = np.full((n, c, h + 2, w + 2), -np.inf)
    padded[:, :, 1:-1, 1:-1] = x
    out = np.zeros_like(padded)
    batch, channel = np.ogrid[:n, :c]
    for i in range(s.shape[2]):
        for j in range(s.shape[3]):
            window = padded[:, :, 2 * i:2 * i + 3, 2 * j:2 * j + 3].reshape(n, c, 9)
            at = window.argmax(axis=2)
            np.add.at(out, (batch, channel, 2 * i + at // 3, 2 * j + at % 3), s[:, :, i, j])
    return out[:, :, 1:-1, 1:-1]


def mamba(delta, u, A, B, C):
    batch, channels, length = delta.shape
    out = np.zeros_like(delta)
    for b in range(batch):
        state = np.zeros(A.shape)
        for t in range(length):
            decay = np.exp(delta[b, :, t:t + 1] * A)
            state = decay * state + (delta[b, :, t] * u[b, :, t])[:, None] * B[b, :, t][None, :]
            out[b, :, t] = state @ C[b, :, t]
    return out


def mamba_rows(delta, u, A, B, C):
    return mamba(delta[None], u[None], A, B[None], C[None])[0]


def rope_halves(x, cos, sin):
    half = len(x) // 2
    upper, lower = x[:half], x[half:]
    return np.concatenate([upper * cos - lower * sin, lower * cos + upper * sin])


def rotary(q, k, cos, sin):
    def turn(x):
        half = x.shape[-1] // 2
        return np.concatenate([-x[..., half:], x[..., :half]], axis=-1)
    return np.stack([x * cos + turn(x) * sin for x in (q, k)])


def bilinear(x):
    def axis(a, n):
        length = a.shape[n]
        at = (np.arange(2 * length) + 0.5) / 2 - 0.5
        low = np.floor(at).astype(int)
        share = (at - low).reshape([-1 if i == n else 1 for i in range(a.ndim)])
        return (np.take(a, np.clip(low, 0, length - 1), n) * (1 - share)
                + np.take(a, np.clip(low + 1, 0, length - 1), n) * share)
    x = x.reshape((x.shape[0] * x.shape[1],) + x.shape[2:])
    for n in range(1, x.ndim):
        x = axis(x, n)
    return x


def adaptive_pool(x):
    n, c, h, w = x.shape
    out = np.zeros((n, c, 3, 3))
    for i in range(3):
        for j in range(3):
            out[:, :, i, j] = x[:, :, i * h // 3:-(-(i + 1) * h // 3),
                                j * w // 3:-(-(j + 1) * w // 3)].mean(axis=(2, 3))
    return out


def resize(x):
    b, h, w, c = x.shape
    rows = np.floor(np.arange(15) * (h / 15)).astype(int)
    columns = np.floor(np.arange(13) * (w / 13)).astype(int)
    return x[:, rows][:, :, columns]


def scanned(decay, added):
    out = np.zeros_like(added)
    state = np.zeros(len(added))
    for t in range(added.shape[1]):
        state = decay[:, t] * state + added[:, t]
        out[:, t] = state
    return out


def drawn(name, dtype, shape, seed):
    values = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    if dtype == "float16":
        values = values.astype(np.float16).astype(np.float32)
    elif dtype == "bfloat16":
        values = (values.view(np.uint32) & 0xffff0000).view(np.float32)
    elif dtype in ("int32", "uint32"):
        values = np.abs(np.round(values))
    elif dtype == "uint8":  # a predicate
        values = (values > 0).astype(np.float32)
    if name == "A":  # of mamba: a decay
        values = -np.abs(values)
    if name == "lse":  # as large as the scores' logarithms of sums are
        values = values + 8
    if name == "delta":
        values = 0.1 * np.abs(values)
    return np.ascontiguousarray(values, np.float32)


def main():
    manifest, name, folder = sys.argv[1:]
    with open(manifest, encoding="utf-8") as file:
        kernel = next(k for k in json.load(file)["kernels"] if k["name"] == name)
    os.makedirs(folder, exist_ok=True)
    arguments = []
    for n, (argument, dtype, shape) in enumerate(kernel["arguments"]):
        values = drawn(argument, dtype, shape, zlib.crc32(name.encode()) + n)
        np.save(os.path.join(folder, argument + ".npy"), values)
        arguments.append(values.astype(np.float64))
    if "expect" in kernel:  # an expression of the manifest, which is ours
        names = dict(zip((a[0] for a in kernel["arguments"]), arguments))
        results = eval(kernel["expect"], globals(), names)
    else:
        results = globals()[kernel["reference"]](*arguments)
    for n, result in enumerate(results if isinstance(results, tuple) else (results,)):
        np.save(os.path.join(folder, f"result{n}.npy"), np.ascontiguousarray(result, np.float32))


if __name__ == "__main__":
    main()
