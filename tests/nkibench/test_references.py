# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the numpy references of nkibench/ against independent formulas, written as plain loops and einsum."""
import importlib.util
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TASKS = os.path.join(ROOT, "nkibench")
DRIVER = os.path.join(ROOT, "resources", "reference_driver.py")
ALL = ["adamw", "add_rmsnorm_bf16", "add_rmsnorm_matmul", "bmm", "bmm_softmax", "gqa_full", "lora", "mamba", "matmul",
       "matmul_add_rmsnorm", "matmul_bf16", "rmsnorm_matmul", "rope_single_freq_apply", "silu", "swiglu", "transpose_matmul"]


def reference(task):
    path = os.path.join(TASKS, task, "reference.py")
    spec = importlib.util.spec_from_file_location("reference_of_" + task, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.reference


def task_file(task):
    with open(os.path.join(TASKS, task, "task.json"), encoding="utf-8") as stream:
        return json.load(stream)


def value(expression, dimensions):
    """Task expressions are Python expressions; eval() sees nothing but the dimensions."""
    result = eval(str(expression), {"__builtins__": {}}, dict(dimensions))
    return int(result) if result == int(result) else result


def relative(got, expected):
    expected = np.asarray(expected, dtype=np.float64)
    return np.linalg.norm(np.asarray(got, dtype=np.float64) - expected) / np.linalg.norm(expected)


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


class Formulas(unittest.TestCase):
    """Small shapes, double precision, formulas from the definition of each operator."""

    def setUp(self):
        self.random = np.random.default_rng(5)

    def normal(self, *shape):
        return self.random.standard_normal(shape)

    def same(self, got, expected):
        self.assertEqual(got.shape, np.shape(expected))
        self.assertEqual(got.dtype, np.float64)
        self.assertLess(relative(got, expected), 1e-13)

    def test_silu_is_x_times_sigmoid(self):
        x = self.normal(5, 7)
        self.same(reference("silu")(x), [[v * sigmoid(v) for v in row] for row in x])

    def test_adamw_is_the_first_step_with_corrected_moments(self):
        theta, g, m = self.normal(4, 3), self.normal(4, 3), self.normal(4, 3)
        v = np.abs(self.normal(4, 3))
        rate, decay, beta1, beta2, epsilon = 1e-3, 1e-2, 0.9, 0.999, 1e-8
        expected = np.empty_like(theta)
        for at in np.ndindex(theta.shape):
            first = (beta1 * m[at] + (1 - beta1) * g[at]) / (1 - beta1)
            second = (beta2 * v[at] + (1 - beta2) * g[at] ** 2) / (1 - beta2)
            expected[at] = theta[at] * (1 - rate * decay) - rate * first / (math.sqrt(second) + epsilon)
        self.same(reference("adamw")(theta, g, m, v), expected)

    def test_matmuls_are_sums_of_products(self):
        lhs, rhs = self.normal(5, 3), self.normal(3, 4)
        expected = np.einsum("mk,kn->mn", lhs, rhs)
        self.same(reference("matmul")(lhs, rhs), expected)
        self.same(reference("transpose_matmul")(np.ascontiguousarray(lhs.T), rhs), expected)
        lhs, rhs = self.normal(2, 5, 3), self.normal(2, 3, 4)
        self.same(reference("bmm")(lhs, rhs), np.einsum("bmk,bkn->bmn", lhs, rhs))
        lhs, rhs = self.normal(5, 3), self.normal(3, 4)
        self.same(reference("matmul_bf16")(lhs, rhs), np.einsum("mk,kn->mn", lhs, rhs))

    def test_lora_adds_the_adapter_to_the_weight(self):
        x, w, a, b = self.normal(4, 6), self.normal(6, 5), self.normal(6, 2), self.normal(2, 5)
        self.same(reference("lora")(x, w, a, b), x @ (w + a @ b))

    def test_bmm_softmax_rows_are_probabilities_in_the_ratio_of_exponentials(self):
        lhs, rhs = self.normal(2, 3, 4), self.normal(2, 4, 5)
        expected = np.empty((2, 3, 5))
        for b in range(2):
            for row in range(3):
                powers = [math.exp(sum(lhs[b, row, k] * rhs[b, k, n] for k in range(4))) for n in range(5)]
                expected[b, row] = [power / sum(powers) for power in powers]
        self.same(reference("bmm_softmax")(lhs, rhs), expected)

    def test_bmm_softmax_survives_logits_beyond_the_range_of_exp(self):
        result = reference("bmm_softmax")(np.full((1, 1, 1), 1000.0), np.array([[[1.0, 1.0, 0.0]]]))
        np.testing.assert_array_equal(result, [[[0.5, 0.5, 0.0]]])

    def test_rms_norms_divide_by_the_root_mean_square(self):
        rows, depth, columns, eps = 3, 4, 5, 0.5
        x, w = self.normal(rows, depth), self.normal(depth, columns)
        self.same(reference("rmsnorm_matmul")(x, w),
                  [(row / math.sqrt(sum(v * v for v in row) / depth)) @ w for row in x])
        z, g = self.normal(rows, depth), self.normal(depth)
        self.same(reference("add_rmsnorm_matmul")(x, w, eps, z, g),
                  [(row / math.sqrt(sum(v * v for v in row) / depth + eps) * g) @ w for row in x + z])
        z, g = self.normal(rows, columns), self.normal(columns)
        self.same(reference("matmul_add_rmsnorm")(x, w, eps, z, g),
                  [row / math.sqrt(sum(v * v for v in row) / columns + eps) * g for row in x @ w + z])

    def test_add_rmsnorm_of_bfloat16_takes_eps_last(self):
        x, z, g, eps = self.normal(3, 4), self.normal(3, 4), self.normal(4), 0.5
        self.same(reference("add_rmsnorm_bf16")(x, z, g, eps),
                  [row / math.sqrt(sum(v * v for v in row) / 4 + eps) * g for row in x + z])

    def test_swiglu_gates_with_the_last_argument(self):
        x, up, down, gate = self.normal(3, 4), self.normal(4, 5), self.normal(5, 4), self.normal(4, 5)
        hidden = np.vectorize(lambda v: v * sigmoid(v))(x @ gate) * (x @ up)
        self.same(reference("swiglu")(x, up, down, gate), np.einsum("mn,nk->mk", hidden, down))

    def test_rope_rotates_pairs_of_the_two_halves(self):
        x, angle = self.normal(6, 4), self.normal(3, 4)
        turned = (x[:3] + 1j * x[3:]) * np.exp(1j * angle)
        self.same(reference("rope_single_freq_apply")(x, np.cos(angle), np.sin(angle)),
                  np.concatenate([turned.real, turned.imag]))

    def test_mamba_is_the_scan_of_each_channel_and_state(self):
        channels, states, steps = 3, 2, 9
        delta, u, a = self.normal(channels, steps), self.normal(channels, steps), self.normal(channels, states)
        b, c = self.normal(states, steps), self.normal(states, steps)
        expected = np.zeros((channels, steps))
        for channel in range(channels):
            for state in range(states):
                h = 0.0
                for t in range(steps):
                    h = (math.exp(delta[channel, t] * a[channel, state]) * h
                         + delta[channel, t] * b[state, t] * u[channel, t])
                    expected[channel, t] += c[state, t] * h
        self.same(reference("mamba")(delta, u, a, b, c), expected)

    def test_gqa_shares_a_key_head_among_neighbouring_query_heads(self):
        batches, length, query_heads, kv_heads, depth = 2, 5, 4, 2, 3
        q = self.normal(batches, length, query_heads, depth)
        k, v = self.normal(batches, length, kv_heads, depth), self.normal(batches, length, kv_heads, depth)
        expected = np.empty((batches, query_heads, length, depth))
        for b, h, i in np.ndindex(batches, query_heads, length):
            shared = h // (query_heads // kv_heads)
            weights = [math.exp(float(q[b, i, h] @ k[b, j, shared]) / math.sqrt(depth)) for j in range(length)]
            expected[b, h, i] = sum(w * v[b, j, shared] for j, w in enumerate(weights)) / sum(weights)
        self.same(reference("gqa_full")(q, k, v), expected)


def request(task, folder, shape="lab", suite=None, seed=0, compute="float64"):
    """What the workbench sends to the driver for a task."""
    about = task_file(task)
    dimensions = about["shapes"][shape]["dimensions"]
    arguments = []
    for argument in about["arguments"]:
        (draw, parameter), = argument["draw"].items()
        sizes = [value(size, dimensions) for size in argument["shape"]] if "shape" in argument else None
        arguments.append({"name": argument["name"], "shape": sizes, "dtype": argument.get("dtype", "float32"),
                          "draw": draw, "parameter": parameter})
    names = [argument["name"] for argument in arguments]
    edits = []
    for edit in suite["edits"] if suite else []:
        index = names.index(edit["argument"])
        sizes = arguments[index]["shape"]
        box = edit.get("box", [None] * len(sizes))
        ranges = [[0, size, 1] if axis is None else [value(bound, dimensions) for bound in axis]
                  for axis, size in zip(box, sizes)]
        edits.append({"argument": index, "factor": edit.get("multiply", 1), "offset": edit.get("add", 0),
                      "quantum": edit.get("round_to", 0), "box": [one[:2] for one in ranges],
                      "steps": [one[2] if len(one) > 2 else 1 for one in ranges]})
    results = [{"name": result["name"], "shape": [value(size, dimensions) for size in result["shape"]],
                "dtype": result["dtype"],
                "update_of": names.index(result["update_of"]) if "update_of" in result else None}
               for result in about["results"]]
    return {"ask": "make", "reference": os.path.join(TASKS, task, "reference.py"), "folder": folder, "seed": seed,
            "compute": compute, "arguments": arguments, "results": results, "edits": edits}


def drive(question):
    done = subprocess.run([sys.executable, "-I", DRIVER], input=json.dumps(question), capture_output=True, text=True,
                          check=True)
    return json.loads(done.stdout)


def load_made(question):
    """Inputs and results that the driver left in the request's folder."""
    folder = question["folder"]
    arguments = [argument["parameter"] if argument["shape"] is None else np.load(os.path.join(folder, f"arg{i}.npy"))
                 for i, argument in enumerate(question["arguments"])]
    return arguments, np.load(os.path.join(folder, "result0.npy"))


def make(task, **options):
    with tempfile.TemporaryDirectory() as folder:
        question = request(task, folder, **options)
        answer = drive(question)
        if not answer["ok"]:
            raise AssertionError(f"{task}: {answer['error']}")
        return load_made(question)


def as_kept(task, values):
    """Values as the task's result type holds them."""
    if task_file(task)["results"][0]["dtype"] != "bfloat16":
        return values
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)).view(np.float32)


def suites(task):
    return task_file(task).get("suites", [])


def suite(task, name):
    return next(one for one in suites(task) if one["name"] == name)


def wide(arguments):
    return [a.astype(np.float64) if isinstance(a, np.ndarray) else a for a in arguments]


def softmax(logits):
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def normed(rows, eps=0.0):
    """Every row divided by its root mean square, by way of its Euclidean norm."""
    norms = np.sqrt(np.linalg.norm(rows, axis=1) ** 2 / rows.shape[1] + eps)
    return (rows.T / norms).T


def lab_adamw(theta, g, m, v):
    decayed = theta * (1 - 1e-5)
    first, second = m + (g - m) / 10, v + (g**2 - v) / 1000
    return decayed - 1e-3 * (first / 0.1) / (np.sqrt(second / 0.001) + 1e-8)


def lab_attention(q, k, v):
    batches, length, query_heads, depth = q.shape
    result = np.empty((batches, query_heads, length, depth))
    for b, h in np.ndindex(batches, query_heads):
        shared = h * k.shape[2] // query_heads
        result[b, h] = softmax(q[b, :, h] @ k[b, :, shared].T * depth**-0.5) @ v[b, :, shared]
    return result


def lab_scan(delta, u, a, b, c):
    result = np.zeros(delta.shape)
    for state in range(a.shape[1]):
        decay, inflow = np.exp(delta * a[:, state:state + 1]), delta * b[state] * u
        h = np.zeros(delta.shape[0])
        for t in range(delta.shape[1]):
            h = decay[:, t] * h + inflow[:, t]
            result[:, t] += c[state, t] * h
    return result


def lab_rope(x, cos, sin):
    turned = (x[: len(x) // 2] + 1j * x[len(x) // 2:]) * (cos + 1j * sin)
    return np.vstack([turned.real, turned.imag])


def lab_silu(x):
    """x sigmoid(x), with the sigmoid written as a hyperbolic tangent."""
    return x * (1 + np.tanh(x / 2)) / 2


# For each task the same operator written another way than in its reference.py, over whole arrays.
LAB_FORMULAS = {
    "adamw": lab_adamw,
    "add_rmsnorm_bf16": lambda x, z, g, eps: normed(x + z, eps) * g,
    "add_rmsnorm_matmul": lambda x, w, eps, z, g: normed(x + z, eps) @ (g[:, None] * w),
    "bmm": lambda lhs, rhs: np.stack([one @ other for one, other in zip(lhs, rhs)]),
    "bmm_softmax": lambda lhs, rhs: np.stack([softmax(one @ other) for one, other in zip(lhs, rhs)]),
    "gqa_full": lab_attention,
    "lora": lambda x, w, a, b: x @ (w + a @ b),
    "mamba": lab_scan,
    "matmul": lambda lhs, rhs: (rhs.T @ lhs.T).T,
    "matmul_add_rmsnorm": lambda x, w, eps, z, g: normed(x @ w + z, eps) * g,
    "matmul_bf16": lambda lhs, rhs: (rhs.T @ lhs.T).T,
    "rmsnorm_matmul": lambda x, w: normed(x) @ w,
    "rope_single_freq_apply": lab_rope,
    "silu": lab_silu,
    "swiglu": lambda x, up, down, gate: (lab_silu(x @ gate) * (x @ up)) @ down,
    "transpose_matmul": lambda lhs, rhs: (rhs.T @ lhs).T,
}


class LabShapes(unittest.TestCase):
    """The references at the lab shapes, through the driver."""

    def test_every_reference_is_the_formula_of_its_operator(self):
        self.assertEqual(sorted(LAB_FORMULAS), ALL)
        for task in ALL:
            with self.subTest(task=task):
                arguments, result = make(task, seed=11)
                expected = LAB_FORMULAS[task](*wide(arguments))
                self.assertEqual(expected.shape, result.shape)
                # The driver keeps results as their types hold them: 24 bits, or 8 of a bfloat16.
                rounding = 2.0**-8 if task == "add_rmsnorm_bf16" else 2.0**-23
                self.assertLess(relative(result, expected), rounding)
                worst = np.max(np.abs(result - expected) / np.abs(expected).max())
                self.assertLess(worst, rounding)

    def test_every_folder_is_a_known_task(self):
        self.assertEqual(sorted(name for name in os.listdir(TASKS) if os.path.isdir(os.path.join(TASKS, name))), ALL)

    def test_single_precision_stays_far_inside_the_tolerance(self):
        for task in ALL:
            for one in [None, *suites(task)]:
                with self.subTest(task=task, suite=one and one["name"]):
                    arguments, result = make(task, suite=one)
                    with np.errstate(all="ignore"):
                        single = reference(task)(*arguments)
                    self.assertEqual(single.dtype, np.float32)
                    self.assertEqual(result.dtype, np.float32)
                    self.assertLess(relative(as_kept(task, single), result), task_file(task)["tolerance"] / 5)

    def test_inputs_are_the_published_draws(self):
        arguments, _ = make("adamw", seed=42)
        np.random.seed(42)
        shape = arguments[0].shape
        for name, got in zip(("theta", "g", "m", "v"), arguments):
            drawn = np.random.normal(loc=0, scale=1.0, size=shape)
            expected = (np.abs(drawn) if name == "v" else drawn).astype(np.float32)
            np.testing.assert_array_equal(got, expected, err_msg=name)

    def test_layouts_are_reshapes_at_every_shape(self):
        for task in ALL:
            about = task_file(task)
            for shape in about["shapes"].values():
                dimensions = shape["dimensions"]
                for layout in about.get("layouts", []):
                    for own, other in [*zip(about["arguments"], layout["arguments"]),
                                       *zip(about["results"], layout["results"])]:
                        sizes = [value(size, dimensions) for size in own["shape"]]
                        others = [value(size, dimensions) for size in other]
                        self.assertEqual(math.prod(sizes), math.prod(others), (task, own["name"], others))


class Mistakes(unittest.TestCase):
    """The suites show what they promise, and the plain draws do not."""

    def shown(self, task, name, wrong):
        """Error of the wrong formula on the plain draws and on the suite, in tolerances."""
        tolerance = task_file(task)["tolerance"]
        errors = []
        for one in (None, suite(task, name)):
            arguments, result = make(task, suite=one)
            with np.errstate(all="ignore"):
                error = relative(wrong(*arguments), result)
            errors.append(math.inf if math.isnan(error) else error / tolerance)
        return errors

    def test_row_maximum_of_the_first_tile_only(self):
        def wrong(lhs, rhs):
            logits = np.matmul(lhs, rhs)
            powers = np.exp(logits - logits[..., :512].max(axis=-1, keepdims=True))
            return powers / powers.sum(axis=-1, keepdims=True)

        plain, late = self.shown("bmm_softmax", "late_extreme", wrong)
        self.assertLess(plain, 1)
        self.assertGreater(late, 10)

    def test_attention_without_a_row_maximum(self):
        def wrong(q, k, v):
            group = q.shape[2] // k.shape[2]
            keys, values = np.repeat(k, group, axis=2), np.repeat(v, group, axis=2)
            powers = np.exp(np.einsum("bihd,bjhd->bhij", q, keys) / np.float32(math.sqrt(q.shape[3])))
            return np.einsum("bhij,bjhd->bhid", powers, values) / powers.sum(axis=-1)[..., None]

        plain, late = self.shown("gqa_full", "late_extreme", wrong)
        self.assertLess(plain, 1)
        self.assertGreater(late, 10)

    def test_eps_left_out(self):
        for task in ("add_rmsnorm_matmul", "matmul_add_rmsnorm"):
            right = reference(task)
            plain, small = self.shown(task, "small_rows", lambda x, w, eps, z, g: right(*wide([x, w, 0, z, g])))
            self.assertLess(plain, 1, task)
            self.assertGreater(small, 10, task)

    def test_eps_added_where_there_is_none(self):
        def wrong(x, w):
            x, w = wide([x, w])
            return (x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5)) @ w

        plain, small = self.shown("rmsnorm_matmul", "small_rows", wrong)
        self.assertLess(plain, 1)
        self.assertGreater(small, 10)

    def test_adamw_without_epsilon(self):
        def wrong(theta, g, m, v):
            theta, g, m, v = wide([theta, g, m, v])
            second = 0.999 * v + 0.001 * g * g
            return theta - 1e-5 * theta - 0.01 * (0.9 * m + 0.1 * g) / np.sqrt(1000 * second)

        plain, small = self.shown("adamw", "small_gradients", wrong)
        self.assertLess(plain, 1)
        self.assertGreater(small, 10)

    def test_mamba_with_a_quadratic_for_the_exponential(self):
        def wrong(delta, u, a, b, c):
            delta, u, a, b, c = wide([delta, u, a, b, c])
            h, columns = np.zeros(a.shape), []
            for t in range(delta.shape[1]):
                exponent = delta[:, t, None] * a
                h = (1 + exponent + exponent**2 / 2) * h + (delta[:, t] * u[:, t])[:, None] * b[:, t]
                columns.append(h @ c[:, t])
            return np.stack(columns, axis=1)

        plain, far = self.shown("mamba", "wide", wrong)
        self.assertLess(plain, 1)
        self.assertGreater(far, 10)


class Dependence(unittest.TestCase):
    """What a reference depends on, as learnt from NaN."""

    def learnt(self, text, shapes, result):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "reference.py")
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(text)
            answer = drive({"ask": "dependence", "reference": path, "folder": "", "seed": 1, "compute": "float64",
                            "blocks": 4, "edits": [], "results": [{"name": "y", "shape": result, "dtype": "float32"}],
                            "arguments": [{"name": name, "shape": shape, "dtype": "float32", "draw": "normal",
                                           "parameter": 1} for name, shape in shapes.items()]})
        self.assertTrue(answer["ok"], answer)
        return {(axis["argument"], axis["axis"]): axis for axis in answer["axes"]}

    def test_a_product_depends_on_rows_columns_and_everything_between(self):
        axes = self.learnt("def reference(a, b):\n    return a @ b\n", {"a": [8, 16], "b": [16, 8]}, [8, 8])
        self.assertTrue(axes["a", 1]["everywhere"])
        self.assertTrue(axes["b", 0]["everywhere"])
        self.assertEqual(axes["a", 0]["reaches"],
                         [{"result": "y", "axis": 0, "reached": ["11000000", "00110000", "00001100", "00000011"]}])
        self.assertEqual([one["axis"] for one in axes["b", 1]["reaches"]], [1])

    def test_a_running_sum_depends_on_what_came_before(self):
        axes = self.learnt("import numpy as np\ndef reference(x):\n    return np.cumsum(x, axis=0)\n", {"x": [8, 3]},
                           [8, 3])
        self.assertEqual(axes["x", 0]["reaches"][0]["reached"][2], "00001111")

    def test_every_second_index_is_not_everything(self):
        axes = self.learnt("def reference(x):\n    return x[:, ::2].sum(axis=1, keepdims=True)\n", {"x": [4, 32]},
                           [4, 1])
        self.assertNotIn("everywhere", axes["x", 1])

    def test_what_lies_beside_the_tasks_is_what_is_learnt(self):
        for task in ("silu", "rope_single_freq_apply", "bmm_softmax"):
            with open(os.path.join(TASKS, task, "dependence.json"), encoding="utf-8") as stream:
                kept = json.load(stream)["axes"]
            question = request(task, "")
            answer = drive({**question, "ask": "dependence", "blocks": 8})
            self.assertEqual([axis for axis in answer["axes"] if axis.get("everywhere") or axis["reaches"]], kept, task)


class Driver(unittest.TestCase):
    """What the driver says when a reference is wrong."""

    def answer(self, text, **changes):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "reference.py")
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(text)
            question = {"ask": "make", "reference": path, "folder": folder, "seed": 1, "compute": "float64",
                        "arguments": [{"name": "x", "shape": [2, 3], "dtype": "float32", "draw": "normal",
                                       "parameter": 1}],
                        "results": [{"name": "y", "shape": [2, 3], "dtype": "float32"}], **changes}
            answer = drive(question)
            return answer if not answer["ok"] else (answer, *load_made(question))

    def test_the_line_that_failed_is_named(self):
        answer = self.answer("def reference(x):\n    y = x\n    return y[9]\n")
        self.assertFalse(answer["ok"])
        self.assertIn("reference.py, line 3: IndexError", answer["error"])

    def test_a_text_that_is_not_python_is_named(self):
        self.assertIn("reference.py, line 1:", self.answer("def reference(x:\n")["error"])

    def test_a_missing_function_is_named(self):
        self.assertIn("no function named reference", self.answer("def forward(x):\n    return x\n")["error"])

    def test_a_result_of_another_shape_is_refused(self):
        answer = self.answer("def reference(x):\n    return x.T\n")
        self.assertIn("has shape (3, 2), the task says (2, 3)", answer["error"])

    def test_a_result_that_is_not_finite_is_refused(self):
        self.assertIn("not finite", self.answer("def reference(x):\n    return x / 0\n")["error"])

    def test_prints_of_the_reference_do_not_disturb_the_answer(self):
        answer, arguments, result = self.answer("def reference(x):\n    print('{}')\n    return 2 * x\n")
        self.assertTrue(answer["ok"])
        np.testing.assert_array_equal(result, 2 * arguments[0])

    def test_the_reference_works_in_the_precision_asked_for(self):
        text = "def reference(x):\n    return x * 0 + x.dtype.itemsize\n"
        self.assertEqual(self.answer(text)[2][0, 0], 8)
        self.assertEqual(self.answer(text, compute="float32")[2][0, 0], 4)

    def test_bfloat16_inputs_are_rounded_to_the_nearest_even(self):
        about = {"name": "x", "shape": [1000], "dtype": "bfloat16", "draw": "normal", "parameter": 1}
        _, (x,), _ = self.answer("def reference(x):\n    return x\n", arguments=[about],
                                 results=[{"name": "y", "shape": [1000], "dtype": "float32"}])
        exact = np.random.RandomState(1).normal(0, 1, 1000).astype(np.float32)
        self.assertEqual(np.count_nonzero(x.view(np.uint32) & 0xFFFF), 0)
        self.assertLess(np.max(np.abs(x / exact - 1)), 2.0**-8 * 1.0001)
        below = (exact.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
        above = ((exact.view(np.uint32) & np.uint32(0xFFFF0000)) + np.uint32(0x10000)).view(np.float32)
        nearest = np.where(np.abs(exact - below) < np.abs(above - exact), below, above)
        np.testing.assert_array_equal(x, nearest)

    def test_seeds_of_64_bits_draw_different_numbers(self):
        text = "def reference(x):\n    return x\n"
        draws = {self.answer(text, seed=seed)[2].tobytes() for seed in (5, 5 + 2**32, 5 + 2**33, 2**64 - 1)}
        self.assertEqual(len(draws), 4)

    def test_the_version_alone_can_be_asked(self):
        self.assertEqual(drive({"ask": "version"}), {"ok": True, "numpy": np.__version__})


if __name__ == "__main__":
    unittest.main()
