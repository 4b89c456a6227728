# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the inputs of a task, runs its numpy reference on them and writes both as .npy files.

One JSON request on standard input, one JSON line on standard output:

    {"ask": "version"}                                  -> {"ok": true, "numpy": "1.24.2"}
    {"ask": "make", "reference": path, "folder": path, "seed": 0, "compute": "float64",
     "arguments": [{"name", "shape" (null: scalar), "dtype", "draw", "parameter"}, ...],
     "edits": [{"argument": 0, "box": [[0, 8], [0, 4]], "factor": 8, "quantum": 0}, ...],
     "results": [{"name", "shape", "dtype"}, ...]}      -> {"ok": true, "numpy": ..., "seconds": ...}

A tensor argument i becomes arg<i>.npy, result i result<i>.npy. Types numpy does not have (bfloat16, ...) are
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
                    apply(edit, value[tuple(slice(first, last) for first, last in edit["box"])])
            value = to_type(value, argument["dtype"])
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
    results = results if isinstance(results, (tuple, list)) else (results,)
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
    del arguments
    save_results(results, request)
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
