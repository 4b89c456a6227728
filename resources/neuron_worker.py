# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges kernels with the Neuron SDK on the host it is sent to.

usage: neuron_worker.py             JSON lines on standard input and output, as nkisim's pool speaks them
       neuron_worker.py --kernel F  one kernel compiled and run once, as the job file F says (its own process)

Every kernel goes through two stages. Compiling, with a first run whose results are compared with the numpy
reference, is done for several kernels at once, each on a core of its own, and kept by content. Timing has one
core to itself and does one kernel after the other, in rounds: two executions to warm up, ten that count; the
first round whose spread is within the device's noise, else the calmest of ten. The counters are those of the
counted execution nearest to the round's mean. Before anything else a kernel with a known result is judged.

A kernel's Python runs here, in a process group of its own with limits of time and memory: a host that serves
this must be one that may run such programs. When the input ends, everything that was started is killed.
"""

import base64
import ctypes
import hashlib
import json
import os
import queue
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback

WARM_UPS = 2
REPEATS = 10
MOST_ROUNDS = 10
COMPILE_SECONDS = 1800
RUN_SECONDS = 300
REFERENCE_SECONDS = 1800
MEMORY_BYTES = 64 << 30
PROBE_SEED = "probe"
COMPILE_OPTIONS = "--disable-dge --logical-nc-config=1"
TOOLS = "/opt/aws/neuron/bin"
PRCTL = ctypes.CDLL(None).prctl  # looked up here: a child of several threads must not load anything

PROBE = '''from neuronxcc import nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(result, nl.add(nl.load(x), 1.0))
    return result
'''


class Unable(Exception):
    """The host cannot judge; told to a person as it is."""


class Bad(Exception):
    """What is wrong with a kernel: a verdict."""

    def __init__(self, status, layer, rule, message, hint, line=0):
        super().__init__(message)
        self.verdict = {"status": status, "simulated": False, "figures": {},
                        "reasons": [reason(layer, rule, message, hint, line)]}


def reason(layer, rule, message, hint, line=0):
    return {"layer": layer, "rule": rule, "message": message[:2000], "hint": hint,
            "place": {"line": line, "column": 0, "end_line": line, "end_column": 0}}


# ---- in the process of one kernel ---------------------------------------------------------------------------

def imported_dialects(source):
    """Which of the two languages the text asks for."""
    classic = "neuronxcc" in source
    return "classic" if classic or "import nki" not in source else "standalone"


def load_sdk(dialect):
    if dialect == "classic":
        import neuronxcc.nki as nki
    else:
        import nki
    return nki


def as_device_type(values, dtype):
    if dtype in ("float32", "int8", "uint8", "int16", "uint16", "int32", "float16"):
        return values.astype(dtype)
    import ml_dtypes
    return values.astype(getattr(ml_dtypes, dtype))


def line_in(error, path):
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    return lines[-1] if lines else getattr(error, "lineno", 0) or 0


def run_kernel(job_file):
    """Compiles and runs a kernel for each set of tensors; writes what came of it beside the job."""
    import numpy as np

    with open(job_file, encoding="utf-8") as stream:
        job = json.load(stream)
    folder = os.path.dirname(job_file)
    os.chdir(folder)
    path = os.path.join(folder, "kernel.py")
    answer = {}
    try:
        nki = load_sdk(job["dialect"])
        with open(path, encoding="utf-8", errors="surrogateescape") as stream:
            space = {"__name__": "kernel", "__file__": path}
            exec(compile(stream.read(), path, "exec"), space)
        function = space.get(job["entry_point"])
        if function is None:
            answer = {"stage": "language", "error": "there is no function named " + job["entry_point"], "line": 0}
        else:
            answer = {"sets": [run_set(nki, np, function, job, one) for one in job["sets"]]}
    except Exception as error:  # whatever the compiler or the kernel raises is said of the kernel
        answer = {"stage": "compile", "error": "%s: %s" % (type(error).__name__, error),
                  "line": line_in(error, path)}
    with open(os.path.join(folder, "answer.json"), "w", encoding="utf-8") as stream:
        json.dump(answer, stream)


def run_set(nki, np, function, job, one):
    inputs = []
    for file, shape, dtype, scalar in zip(one["inputs"], job["shapes"], job["dtypes"], one["scalars"]):
        if file is None:
            inputs.append(scalar)
        else:
            inputs.append(as_device_type(np.load(file).reshape(shape), dtype))
    call = nki.baremetal(function, save_neff_name="file.neff", save_trace_name="profile.ntff",
                         additional_compile_opt=COMPILE_OPTIONS)
    outputs = call(*inputs)
    outputs = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
    if [list(np.shape(value)) for value in outputs] != job["results"]:
        return {"shapes": [list(np.shape(value)) for value in outputs]}
    worst = 0.0
    for value, file in zip(outputs, one["results"]):
        value = np.asarray(value).astype(np.float64).reshape(-1)
        wanted = np.load(file).astype(np.float64).reshape(-1)
        if not np.all(np.isfinite(value)):
            return {"not_finite": int(np.argmin(np.isfinite(value)))}
        size = float(np.linalg.norm(wanted))
        error = float(np.linalg.norm(value - wanted))
        worst = max(worst, error / size if size > 0 else error)
    return {"relative_l2": worst}


# ---- the worker ---------------------------------------------------------------------------------------------

write_lock = threading.Lock()
children_lock = threading.Lock()
children = set()


def say(message):
    data = (json.dumps(message) + "\n").encode()
    with write_lock:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def failed(what, message):
    say({"kind": "failed", "what": what, "message": message})


def limit_child():
    os.setpgid(0, 0)
    PRCTL(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: nothing survives this program
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def run_child(command, seconds, folder, environment=None, text=None):
    """Status (None: out of time), output and errors of a program in a process group of its own."""
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             cwd=folder, env=environment, preexec_fn=limit_child)
    with children_lock:
        children.add(child)
    try:
        out, err = child.communicate(text, timeout=seconds)
        return child.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        kill_group(child)
        child.communicate()
        return None, "", ""
    finally:
        kill_group(child)  # what the program left behind
        with children_lock:
            children.discard(child)


def kill_group(child):
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except OSError:
        pass


def leave(status):
    with children_lock:
        for child in children:
            kill_group(child)
    os._exit(status)


def tail(text, length=800):
    lines = [line for line in text.strip().split("\n") if line.strip()]
    return "\n".join(lines[-6:])[-length:]


class Host:
    """The SDK of this machine: where its parts are and which versions they have."""

    def __init__(self, python):
        self.python = shutil.which(os.path.expanduser(python)) or ""
        if not self.python:
            raise Unable("there is no interpreter %s" % python)
        paths = [os.path.dirname(self.python), TOOLS]
        self.environment = dict(os.environ, NEURON_RT_NUM_CORES="1", NEURON_CC_FLAGS="--auto-cast=none")
        self.environment["PATH"] = os.pathsep.join(paths + [self.environment.get("PATH", "/usr/bin:/bin")])
        self.dialects = {}
        self.compiler = ""
        for dialect, module in (("classic", "neuronxcc"), ("standalone", "nki")):
            version = self.version_of(module)
            if version:
                self.dialects[dialect] = version
        if not self.dialects:
            raise Unable("neither neuronxcc nor nki can be imported by %s: name the interpreter of the SDK's "
                         "environment" % self.python)
        self.compiler = ", ".join("%s %s" % one for one in sorted(self.dialects.items()))
        self.profiler = shutil.which("neuron-profile", path=self.environment["PATH"])
        if not self.profiler:
            raise Unable("there is no neuron-profile on the PATH or in " + TOOLS)
        self.cores = self.count_cores()

    def version_of(self, module):
        code = "import %s as m; print(getattr(m, '__version__', 'unknown'))" % module
        if module == "neuronxcc":
            code = "import neuronxcc.nki, " + code[len("import "):]
        status, out, _ = run_child([self.python, "-c", code], RUN_SECONDS, "/", self.environment)
        return out.strip().split("\n")[-1] if status == 0 and out.strip() else ""

    def count_cores(self):
        program = shutil.which("neuron-ls", path=self.environment["PATH"])
        if program:
            status, out, _ = run_child([program, "--json-output"], 60, "/", self.environment)
            try:
                count = sum(int(device.get("nc_count", 0)) for device in json.loads(out)) if status == 0 else 0
            except (ValueError, AttributeError, TypeError):
                count = 0
            if count > 0:
                return count
        raise Unable("neuron-ls finds no NeuronCore: is the driver loaded and the device free?")

    def on_core(self, core):
        return dict(self.environment, NEURON_RT_VISIBLE_CORES=str(core))


class Store:
    """Folders of compiled kernels by key, the least recently used thrown away above a size."""

    def __init__(self, folder, most_bytes):
        self.folder = folder
        self.most_bytes = most_bytes
        self.kept = set()  # keys that go last
        self.busy = set()  # keys of folders in use
        self.lock = threading.Lock()
        os.makedirs(folder, mode=0o700, exist_ok=True)

    def path(self, key):
        return os.path.join(self.folder, key)

    def find(self, key):
        """The folder, marked as used; nothing when it is not whole."""
        path = self.path(key)
        if not os.path.exists(os.path.join(path, "answer.json")):
            return None
        os.utime(path)
        return path

    def shrink(self):
        def size_of(path):
            return sum(entry.stat().st_size for entry in os.scandir(path) if entry.is_file())

        with self.lock:
            entries = [(name in self.kept, os.stat(self.path(name)).st_mtime, name, size_of(self.path(name)))
                       for name in os.listdir(self.folder)]
            total = sum(entry[3] for entry in entries)
            for _, _, name, size in sorted(entries):
                if total <= self.most_bytes:
                    return
                if name not in self.busy:
                    shutil.rmtree(self.path(name), ignore_errors=True)
                    total -= size


class Judge:
    def __init__(self, message, base):
        self.task = message["task"]
        self.device = message["device"]
        self.folder = message["folder"]  # the task's files
        self.base = base
        about = message["neuron"]
        self.gate = float(about["noise_gate"])
        self.host = Host(about["python"])
        self.store = Store(os.path.join(base, "compiled"), int(about["keep_bytes"]))
        self.references = os.path.join(base, "tensors")
        os.makedirs(self.references, mode=0o700, exist_ok=True)
        self.reference_lock = threading.Lock()
        self.compiling = queue.Queue()
        self.timing = queue.Queue()
        self.key_of = {}
        # One core is only for timing; where there is no other one the two stages take turns.
        self.at_once = max(1, min(int(about["compile_at_once"]), self.host.cores - 1))
        self.core_lock = threading.Lock() if self.host.cores == 1 else None

    def start(self):
        self.probe()
        for slot in range(self.at_once):
            core = 0 if self.core_lock else slot + 1
            threading.Thread(target=self.compile_all, args=(core,), daemon=True).start()
        threading.Thread(target=self.time_all, daemon=True).start()

    def probe(self):
        """A kernel whose result is known: what is wrong here is not a candidate's fault."""
        import numpy as np

        dialect = "classic" if "classic" in self.host.dialects else "standalone"
        source = PROBE
        if dialect == "standalone":
            source = source.replace("from neuronxcc import nki", "import nki").replace("neuronxcc.nki.", "nki.")
        folder = os.path.join(self.base, "probe")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder, mode=0o700)
        x = np.arange(128 * 512, dtype=np.float32).reshape(128, 512)
        np.save(os.path.join(folder, "x.npy"), x)
        np.save(os.path.join(folder, "y.npy"), x + 1)
        job = {"dialect": dialect, "entry_point": "kernel", "shapes": [[128, 512]], "dtypes": ["float32"],
               "results": [[128, 512]],
               "sets": [{"inputs": [os.path.join(folder, "x.npy")], "scalars": [None],
                         "results": [os.path.join(folder, "y.npy")]}]}
        answer = self.run_job(folder, source.encode(), job, 0)
        if "error" in answer:
            raise Unable("the probe kernel does not run: " + answer["error"])
        found = answer["sets"][0]
        if found.get("relative_l2", 1) > 1e-6:
            raise Unable("the probe kernel gives another result than x + 1: %s" % json.dumps(found))
        milliseconds, _ = self.execute(folder, 0)
        say({"kind": "progress", "text": "probe kernel right, %.3f ms" % milliseconds})

    # compiling -------------------------------------------------------------------------------------------

    def ask(self, message):
        self.compiling.put(message)

    def compile_all(self, core):
        while True:
            message = self.compiling.get()
            try:
                folder, figures = self.compiled(message, core)
                self.timing.put((message, folder, figures))
            except Exception as problem:
                self.give(message, problem)

    def give(self, message, problem):
        """The answer to a question that ends here."""
        reply = {"id": message["id"], "profile": None, "layout": "", "printed": "", "seconds": 0}
        if isinstance(problem, Bad):
            reply["verdict"] = problem.verdict
            say(reply)
        else:
            text = str(problem) if isinstance(problem, Unable) else "%s: %s" % (type(problem).__name__, problem)
            say({"id": message["id"], "error": {"code": 3, "message": text, "hint": "look at the host",
                                                "detail": ""}})

    def compiled(self, message, core):
        """The folder of the compiled kernel and what its numbers are like; raises Bad."""
        source = base64.b64decode(message["source"])
        dialect = imported_dialects(source.decode("utf-8", "replace"))
        if dialect not in self.host.dialects:
            raise Bad("unsupported", "language", "dialect",
                      "the kernel is written for the %s NKI; this host has %s" % (dialect, self.host.compiler),
                      "choose a host with that SDK, or port the kernel")
        sets = [self.tensors(one) for one in message["requests"]] if message["check"] != "none" else []
        checked = bool(sets)
        if not sets:  # something must go in for it to run at all
            sets = [self.tensors(message["requests"][0])]
        last = None
        for layout in self.task["layouts"]:
            key = self.key(source, layout, sets)
            self.store.busy.add(key)
            try:
                return self.in_layout(key, source, dialect, layout, sets, checked, core)
            except Bad as bad:
                self.store.busy.discard(key)
                last = last or bad  # the first layout is the task's own
                if bad.verdict["reasons"][0]["layer"] not in ("language", "structure"):
                    raise
        raise last

    def key(self, source, layout, sets):
        digest = hashlib.sha256(source)
        digest.update(json.dumps([self.task["hash"], self.task["shape"], layout["name"], self.host.compiler,
                                  COMPILE_OPTIONS, [one["name"] for one in sets]]).encode())
        return digest.hexdigest()

    def in_layout(self, key, source, dialect, layout, sets, checked, core):
        folder = self.store.find(key)
        if folder is None:
            job = {"dialect": dialect, "entry_point": self.task["entry_point"], "sets": sets,
                   "shapes": layout["arguments"], "dtypes": [one["dtype"] for one in self.task["arguments"]],
                   "results": layout["results"]}
            folder = self.store.path(key)
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder, mode=0o700)
            answer = self.run_job(folder, source, job, core)
        else:
            with open(os.path.join(folder, "answer.json"), encoding="utf-8") as stream:
                answer = json.load(stream)
        if "error" in answer:
            raise Bad("run_failed" if answer["stage"] == "run" else "not_compiling",
                      "run" if answer["stage"] == "run" else "language", answer.get("rule", "sdk"),
                      answer["error"], "this is the SDK's own message", answer.get("line", 0))
        worst = 0.0
        for found, one in zip(answer["sets"], sets):
            on = ", on the task's inputs \"%s\"" % one["suite"] if one["suite"] else ""
            if "shapes" in found:
                raise Bad("wrong", "structure", "result_shape", "the results have the shapes %s, the task says %s"
                          % (found["shapes"], layout["results"]), "give the results the task's shapes")
            if "not_finite" in found:
                raise Bad("wrong", "numbers", "not_finite", "element %d of a result is not finite%s"
                          % (found["not_finite"], on), "no result of this task may be NaN or infinite")
            worst = max(worst, found["relative_l2"])
            if checked and not found["relative_l2"] < self.task["tolerance"]:
                raise Bad("wrong", "numbers", "relative_l2",
                          "the relative L2 norm of the error is %.3g, the task allows %.3g%s"
                          % (found["relative_l2"], self.task["tolerance"], on),
                          "compare the kernel's formula and indices with the reference")
        figures = {"relative_l2": worst, "checked_share": 1.0, "seeds": float(len(sets))} if checked else {}
        return folder, {"figures": figures, "layout": layout["name"], "key": key}

    def run_job(self, folder, source, job, core):
        with open(os.path.join(folder, "kernel.py"), "wb") as stream:
            stream.write(source)
        job_file = os.path.join(folder, "job.json")
        with open(job_file, "w", encoding="utf-8") as stream:
            json.dump(job, stream)
        command = [self.host.python, os.path.abspath(__file__), "--kernel", job_file]
        with_core = self.core_lock if self.core_lock else threading.Lock()
        with with_core:
            status, out, err = run_child(command, COMPILE_SECONDS, folder, self.host.on_core(core))
        answer_file = os.path.join(folder, "answer.json")
        if status == 0 and os.path.exists(answer_file):
            with open(answer_file, encoding="utf-8") as stream:
                answer = json.load(stream)
            if "error" in answer:
                answer["error"] += "\n" + tail(err) if tail(err) and tail(err) not in answer["error"] else ""
            elif not os.path.exists(os.path.join(folder, "file.neff")):
                raise Unable("the SDK has left no NEFF")
            return answer
        if os.path.exists(answer_file):
            os.remove(answer_file)  # may be chance: not kept
        if status is None:
            return {"stage": "run", "rule": "time_limit", "line": 0,
                    "error": "compiling and running took more than %d s" % COMPILE_SECONDS}
        return {"stage": "run", "rule": "crash", "line": 0,
                "error": "the process of the kernel ended with status %d: %s" % (status, tail(err or out))}

    def tensors(self, one):
        """Files of the inputs and results drawn for a seed, made once."""
        request = json.loads(one["request"])
        name = hashlib.sha256((self.task["hash"] + self.task["shape"] + one["request"]).encode()).hexdigest()[:32]
        folder = os.path.join(self.references, name)
        with self.reference_lock:
            if not os.path.exists(folder):
                say({"kind": "progress", "text": "computing the numpy reference"})
                made = folder + ".new"
                shutil.rmtree(made, ignore_errors=True)
                os.makedirs(made, mode=0o700)
                request["reference"] = os.path.join(self.folder, os.path.basename(request["reference"]))
                request["folder"] = made
                driver = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference_driver.py")
                status, out, err = run_child([self.host.python, driver], REFERENCE_SECONDS, made, None,
                                             json.dumps(request).encode())
                try:
                    answer = json.loads(out.strip().split("\n")[-1])
                except ValueError:
                    answer = {"ok": False, "error": "status %s: %s" % (status, tail(err))}
                if not answer.get("ok"):
                    raise Unable("the reference cannot be computed: " + answer.get("error", ""))
                os.rename(made, folder)
        scalars = [about["parameter"] if about["shape"] is None else None for about in request["arguments"]]
        return {"name": name, "suite": one["suite"], "scalars": scalars,
                "inputs": [None if about["shape"] is None else os.path.join(folder, "arg%d.npy" % index)
                           for index, about in enumerate(request["arguments"])],
                "results": [os.path.join(folder, "result%d.npy" % index)
                            for index in range(len(request["results"]))]}

    # timing ----------------------------------------------------------------------------------------------

    def time_all(self):
        while True:
            message, folder, known = self.timing.get()
            started = time.monotonic()
            try:
                profile = self.timed(folder)
                if "kernel" in message:
                    self.key_of[message["kernel"]] = known["key"]
                say({"id": message["id"], "verdict": {"status": "correct", "reasons": [], "simulated": False,
                                                      "figures": known["figures"]},
                     "profile": profile, "layout": known["layout"], "printed": "",
                     "seconds": time.monotonic() - started})
            except Exception as problem:
                self.give(message, problem)
            self.store.busy.discard(known["key"])
            try:
                self.store.shrink()
            except OSError:
                pass  # somebody tidies up, too; the next kernel tries again

    def execute(self, folder, core):
        """Milliseconds and counters of one execution of the compiled kernel."""
        neff, ntff = os.path.join(folder, "file.neff"), os.path.join(folder, "profile.ntff")
        environment = self.host.on_core(core)
        with self.core_lock if self.core_lock else threading.Lock():
            status, out, err = run_child([self.host.profiler, "capture", "-n", neff, "-s", ntff], RUN_SECONDS,
                                         folder, environment)
        if status is None:
            raise Bad("run_failed", "run", "time_limit", "one execution took more than %d s" % RUN_SECONDS,
                      "let the kernel do less")
        if status != 0:
            raise Bad("run_failed", "run", "crash", "the execution failed: " + tail(err or out),
                      "this is neuron-profile's own message")
        status, out, err = run_child([self.host.profiler, "view", "--output-format", "summary-json", "-n", neff,
                                      "-s", ntff], RUN_SECONDS, folder, environment)
        try:
            summary = next(iter(json.loads(out[out.index("{"):]).values()))
            milliseconds = float(summary["total_time"]) * 1e3
        except (ValueError, KeyError, StopIteration, AttributeError, TypeError):
            raise Unable("neuron-profile's summary is not understood: " + tail(err or out))
        counters = {name: float(value) for name, value in summary.items()
                    if isinstance(value, (int, float)) and not isinstance(value, bool)}
        return milliseconds, counters

    def timed(self, folder):
        best = None
        for _ in range(MOST_ROUNDS):
            for _ in range(WARM_UPS):
                self.execute(folder, 0)
            runs = [self.execute(folder, 0) for _ in range(REPEATS)]
            times = [run[0] for run in runs]
            spread = (max(times) - min(times)) / min(times)
            if best is None or spread < best[0]:
                best = (spread, runs)
            if spread <= self.gate:
                break
        spread, runs = best
        times = [run[0] for run in runs]
        mean = sum(times) / len(times)
        counters = min(runs, key=lambda run: abs(run[0] - mean))[1]
        return {"device": self.device, "simulated": False, "model_version": "", "table_hash": "",
                "latency_ms": mean, "interval_ms": [min(times), max(times)], "tie_margin": spread,
                "counters": counters, "bound": "", "percent_of_peak": None, "findings": [], "lines": []}


def main():
    base = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache"),
                        "accelopt", "neuron")
    signal.signal(signal.SIGTERM, lambda *_: leave(0))
    judge = None
    for line in sys.stdin.buffer:
        message = json.loads(line.decode())
        kind = message.get("kind")
        if kind == "open":
            try:
                os.makedirs(base, mode=0o700, exist_ok=True)
                judge = Judge(message, base)
                judge.start()
            except (Unable, OSError, ImportError) as problem:
                failed("neuron", str(problem))
                continue
            say({"kind": "open", "model_version": "", "software": judge.host.compiler, "measured": True,
                 "dialects": sorted(judge.host.dialects), "cores": judge.host.cores,
                 "kernels_at_once": 2 * judge.at_once})
        elif kind == "ask" and judge is not None:
            judge.ask(message)
        elif kind == "keep" and judge is not None:
            judge.store.kept = {judge.key_of[kernel] for kernel in message["kernels"] if kernel in judge.key_of}
        else:
            failed("protocol", "a line was not understood")
    leave(0)


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "--kernel":
        run_kernel(sys.argv[2])
    else:
        main()
