# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the inputs of a task, runs its numpy reference on them and writes both as .npy files.

One JSON request on standard input, one JSON line on standard output:

    {"ask": "version"}                                  -> {"ok": true, "numpy": "1.24.2"}
    {"ask": "make", "reference": path, "folder": path, "seed": 0, "compute": "float64",
     "arguments": [{"name", "shape" (null: scalar), "dtype", "draw", "parameter"}, ...],
     "edits": [{"argument": 0, "box": [[0, 8], [0, 4]], "steps": [1, 1], "factor": 8, "offset": 0,
                "quantum": 0}, ...],
     "results": [{"name", "shape", "dtype", "update_of"}, ...]}
                                                        -> {"ok": true, "numpy": ..., "seconds": ...}
    {"ask": "dependence", ...as "make", "blocks": 8}    -> {"ok": true, "numpy": ..., "axes": [...]}

A tensor argument i becomes arg<i>.npy, result i result<i>.npy. noise.npy holds the largest error that each result
shows when the reference is worked out in single precision. Types numpy does not have (bfloat16, ...) are
rounded to their values and kept as float32. Failures are {"ok": false, "error": sentence}.
"""
import json
import os
import sys
import time
import traceback

import numpy as np


class Failure(Exception):
    """Told to a person as it is."""


def round_mantissa(values, bits):
    """float32 values rounded to `bits` bits after the leading one, ties to even."""
    drop = 23 - bits
    raw = values.view(np.uint32).astype(np.uint64)
    raw += (1 << (drop - 1)) - 1 + ((raw >> drop) & 1)
    raw &= ~np.uint64((1 << drop) - 1)
    return raw.astype(np.uint32).view(np.float32)


def to_type(values, dtype):
    """The values as `dtype` can hold them, in the numpy type in which they are kept."""
    if dtype == "float32":
        return values.astype(np.float32)
    if dtype == "float16":
        return values.astype(np.float16).astype(np.float32)
    if dtype == "bfloat16":
        return round_mantissa(np.ascontiguousarray(values, dtype=np.float32), 7)
    if dtype == "tfloat32":
        return round_mantissa(np.ascontiguousarray(values, dtype=np.float32), 10)
    if dtype in ("int8", "uint8", "int16", "uint16", "int32"):
        limits = np.iinfo(dtype)
        return np.clip(np.rint(values), limits.min, limits.max).astype(np.int32)
    raise Failure(f"inputs of type {dtype} cannot be drawn.")


def draw(argument, generator):
    shape, parameter = argument["shape"], argument["parameter"]
    if argument["draw"] == "constant":
        if shape is None:
            return parameter
        return np.full(shape, parameter)
    values = generator.normal(loc=0, scale=parameter, size=shape)
    return np.abs(values) if argument["draw"] == "absolute_normal" else values


def make_generator(seed):
    # Seeds of 32 bits are the published ones and must draw the published numbers.
    return np.random.RandomState(seed if seed < 2**32 else [seed & 0xFFFFFFFF, seed >> 32])


def apply(edit, part):
    """Changes a part of a drawn argument in place."""
    part *= edit["factor"]
    part += edit.get("offset", 0)
    if edit["quantum"] > 0:
        np.rint(part / edit["quantum"], out=part)
        part *= edit["quantum"]


def make_arguments(request):
    generator = make_generator(request["seed"])
    values = []
    for index, argument in enumerate(request["arguments"]):
        value = draw(argument, generator)
        if argument["shape"] is not None:
            for edit in request.get("edits", []):
                if edit["argument"] == index:
                    steps = edit.get("steps", [1] * len(edit["box"]))
                    apply(edit, value[tuple(slice(first, last, step)
                                            for (first, last), step in zip(edit["box"], steps))])
            value = to_type(value, argument["dtype"])
            if request["folder"]:
                np.save(os.path.join(request["folder"], f"arg{index}.npy"), value)
        values.append(value)
    return values


def load_reference(path):
    try:
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(f"{path} cannot be read: {error}.") from error
    space = {"__name__": "reference", "__file__": path}
    exec(compile(text, path, "exec"), space)
    function = space.get("reference")
    if not callable(function):
        raise Failure(f"{path} has no function named reference.")
    return function


def for_compute(value, compute):
    if isinstance(value, np.ndarray) and value.dtype == np.float32:
        return value.astype(compute, copy=False)
    return value


def save_results(results, request):
    expected = request["results"]
    results = as_tuple(results)
    if len(results) != len(expected):
        raise Failure(f"the reference gives {len(results)} results, the task says {len(expected)}.")
    for index, (value, about) in enumerate(zip(results, expected)):
        value = np.asarray(value)
        if list(value.shape) != about["shape"]:
            raise Failure(
                f"result {about['name']} of the reference has shape {tuple(value.shape)}, "
                f"the task says {tuple(about['shape'])}.")
        value = to_type(value, about["dtype"])
        if not np.all(np.isfinite(value)):
            raise Failure(f"result {about['name']} of the reference is not finite everywhere.")
        np.save(os.path.join(request["folder"], f"result{index}.npy"), np.ascontiguousarray(value))


def as_tuple(results):
    return results if isinstance(results, (tuple, list)) else (results,)


def row_length(shape):
    """Elements that share one scale: the innermost axis, or more of them when it is shorter than 64."""
    length = 1
    for size in reversed(shape):
        if length >= 64:
            break
        length *= size
    return max(length, 1)


def noise(exact, single, base):
    """The largest |single - exact| / max(|exact|, RMS of its row); of the change when there is a base."""
    length = row_length(exact.shape)
    largest = 0.0
    rows = exact.size // length
    exact, single = exact.reshape(rows, length), single.reshape(rows, length)
    base = None if base is None else base.reshape(rows, length)
    for first in range(0, rows, 256):
        part = slice(first, first + 256)
        value = exact[part] if base is None else exact[part] - base[part]
        scale = np.sqrt(np.mean(value * value, axis=1, keepdims=True))
        error = np.abs(single[part].astype(np.float64) - exact[part])
        if base is not None:  # what rounding the sum costs is allowed anyway
            error = np.maximum(error - 2.0 ** -23 * np.abs(exact[part]), 0)
        against = np.maximum(np.abs(value), scale)
        error = np.divide(error, against, out=np.zeros_like(error), where=against > 0)
        largest = max(largest, float(np.max(error, initial=0.0)))
    return largest


def save_noise(function, arguments, results, request):
    single = [value.astype(np.float32) if isinstance(value, np.ndarray) and value.dtype == np.float64 else value
              for value in arguments]
    figures = []
    for value, other, about in zip(as_tuple(results), as_tuple(function(*single)), request["results"]):
        base = about.get("update_of")
        value = np.ascontiguousarray(value, dtype=np.float64)
        other = np.ascontiguousarray(to_type(np.asarray(other), about["dtype"]))
        figures.append(noise(value, other, None if base is None else arguments[base].astype(np.float64)))
    np.save(os.path.join(request["folder"], "noise.npy"), np.array(figures, dtype=np.float32))


def bounds(size, blocks):
    return [(block * size // blocks, (block + 1) * size // blocks) for block in range(blocks)]


def wholly_marked(function, arguments, results):
    """Per result and axis: which indices are NaN in every element."""
    marked = []
    for value, about in zip(as_tuple(function(*arguments)), results):
        bad = np.isnan(np.asarray(value))
        marked.append([np.all(bad, axis=tuple(a for a in range(bad.ndim) if a != axis))
                       for axis in range(bad.ndim)])
    return marked


def learn_axis(function, arguments, index, axis, request):
    original = arguments[index]
    size = original.shape[axis]
    blocks = min(size, request["blocks"])

    def marks(first, last):
        changed = original.copy()
        changed[(slice(None),) * axis + (slice(first, last),)] = np.nan
        return wholly_marked(function, arguments[:index] + [changed] + arguments[index + 1:], request["results"])

    learnt = {"argument": request["arguments"][index]["name"], "axis": axis, "blocks": blocks}
    found = [marks(first, last) for first, last in bounds(size, blocks)]
    # A block may reach everything through a single index: single ones are asked too.
    probes = [] if size == blocks else [size // 3, size // 2 + 1, size - 2]
    singles = [marks(at, at + 1) for at in probes if 0 <= at < size]
    if all(np.all(result[0]) for block in found + singles for result in block):
        return {**learnt, "everywhere": True}
    reaches = []
    for number, about in enumerate(request["results"]):
        for result_axis, result_size in enumerate(about["shape"]):
            result_blocks = bounds(result_size, min(result_size, 2 * request["blocks"]))
            rows = ["".join("1" if np.all(block[number][result_axis][first:last]) else "0"
                            for first, last in result_blocks) for block in found]
            if any("1" in row for row in rows):
                reaches.append({"result": about["name"], "axis": result_axis, "reached": rows})
    return {**learnt, "reaches": reaches}


def learn_dependence(request):
    np.seterr(all="ignore")
    function = load_reference(request["reference"])
    arguments = [for_compute(value, "float32") for value in make_arguments({**request, "folder": ""})]
    axes = []
    for index, about in enumerate(request["arguments"]):
        if about["shape"] is not None and arguments[index].dtype == np.float32:
            axes += [learn_axis(function, arguments, index, axis, request) for axis in range(len(about["shape"]))]
    return {"ok": True, "numpy": np.__version__, "axes": axes}


def describe(error, path):
    """One sentence with the line of the reference that failed, if it was there."""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SyntaxError) and error.filename == path:
        return f"{path}, line {error.lineno}: {error.msg}."
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    return f"{path}, line {lines[-1]}: {what}." if lines else f"{what}."


def make(request):
    started = time.monotonic()
    # Overflow to infinity is found in the results; a warning on the way there helps nobody.
    np.seterr(all="ignore")
    function = load_reference(request["reference"])
    arguments = make_arguments(request)
    arguments = [for_compute(value, request["compute"]) for value in arguments]
    results = function(*arguments)
    save_results(results, request)
    if request["compute"] == "float64":
        save_noise(function, arguments, results, request)
    return {"ok": True, "numpy": np.__version__, "seconds": time.monotonic() - started}


def main():
    # The answer is the only thing on standard output, whatever a reference prints.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    path = None
    try:
        request = json.load(sys.stdin)
        path = request.get("reference")
        if request.get("ask") == "version":
            answer = {"ok": True, "numpy": np.__version__}
        elif request.get("ask") == "make":
            answer = make(request)
        elif request.get("ask") == "dependence":
            answer = learn_dependence(request)
        else:
            raise Failure("the request is not understood.")
    except Failure as failure:
        answer = {"ok": False, "error": str(failure)}
    except MemoryError:
        answer = {"ok": False, "error": "there is not enough memory for the reference at this shape."}
    except Exception as error:
        answer = {"ok": False, "error": describe(error, path)}
    print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
