#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches with a model server that others wrote: the npm package @copilotkit/aimock, with scripted answers.

usage: test_npm_model_server.py BUILD_FOLDER

The package is installed into the build folder; its server listens on loopback only and is stopped by its process
id. Says why and exits with 77 where it cannot run.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SKIPPED = 77
PACKAGE = "@copilotkit/aimock@1.43.0"
KEY = "sk-of-the-npm-test"

KERNEL = """```python
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    y = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 128):
        t = nl.load(x[i * 128:(i + 1) * 128, 0:2048])
        nl.store(y[i * 128:(i + 1) * 128, 0:2048], nl.silu(t))
    return y
```
"""

# The words stand in the user's message of each role's prompt; a fixture with a number comes first.
FIXTURES = [
    {"match": {"userMessage": "answer = 42", "sequenceIndex": 0},
     "response": {"error": {"message": "slow down", "type": "rate_limit_error", "code": "rate_limit_exceeded"},
                  "status": 429, "retryAfter": 1}},
    {"match": {"userMessage": "answer = 42", "sequenceIndex": 1},
     "response": {"error": {"message": "Overloaded", "type": "overloaded_error"}, "status": 529}},
    {"match": {"userMessage": "answer = 42"}, "response": {"content": "```python\nanswer = 42\n```\n"}},
    {"match": {"userMessage": "Propose one change"},
     "response": {"content": "Title: Use one instruction\nReplace the steps of the sigmoid by nl.silu."}},
    {"match": {"userMessage": "Give the whole changed kernel", "sequenceIndex": 0}, "response": {"content": KERNEL},
     "chunkSize": 5, "latency": 20, "disconnectAfterMs": 200},
    {"match": {"userMessage": "Give the whole changed kernel"}, "response": {"content": KERNEL}},
    {"match": {"userMessage": "say what to do"},
     "response": {"content": "Title: One function instead of five\nThe scalar engine has silu.\n"
                             "```\nnl.exp\n```\n```\nnl.silu\n```\n"}},
]


def skip(why: str) -> None:
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def installed(build: Path) -> Path:
    """The server's program, installed where it is not yet."""
    if not shutil.which("npm") or not shutil.which("node"):
        skip("there is no npm")
    folder = build / "system" / "npm"
    program = folder / "node_modules" / "@copilotkit" / "aimock" / "dist" / "cli.js"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text("{}")
        try:
            got = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", PACKAGE],
                                 cwd=folder, capture_output=True, text=True, timeout=180)
        except subprocess.TimeoutExpired:
            skip(f"{PACKAGE} takes too long to install")
        if got.returncode != 0 or not program.exists():
            skip(f"{PACKAGE} cannot be installed: {got.stderr.strip()[-300:]}")
    return program


class Server:
    def __init__(self, program: Path, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        (folder / "fixtures.json").write_text(json.dumps({"fixtures": FIXTURES}))
        self.log = open(folder / "server.log", "wb")
        self.process = subprocess.Popen(
            ["node", str(program), "-p", str(self.port), "-h", "127.0.0.1", "-f", str(folder / "fixtures.json"),
             "--strict", "--log-level", "warn"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT)
        for _ in range(400):
            if self.process.poll() is not None:
                skip("the server does not start here: " + (folder / "server.log").read_text().strip()[-300:])
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        self.stop()
        skip("the server does not listen")

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


def run(build: Path, folder: Path, *arguments: str) -> tuple[int, str, str]:
    environment = dict(os.environ, ACCELOPT_CONFIG=str(folder / "config"), NPM_TEST_KEY=KEY)
    done = subprocess.run([build / "bin" / "accelopt", *arguments], env=environment, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def test_a_model_is_tested_through_its_failures(build: Path, folder: Path) -> None:
    status, out, err = run(build, folder, "models", "test", "npm", "--json")
    assert status == 0, (status, out, err)
    document = json.loads(out)
    assert document["ready"], document
    # It was told to slow down and that the server is overloaded, and went on.
    assert "429" in err and "529" in err, err


def test_a_search_finds_something_faster(build: Path, folder: Path) -> None:
    file = folder / "npm.accelopt"
    status, out, err = run(build, folder, "run", "--task", "silu", "--shape", "lab", "-B", "1", "-N", "2", "-T", "1",
                           "--workers", "1", "--agents", "npm", "--out", str(file), "--json")
    assert status == 0, (status, out, err)
    found = json.loads(out)["runs"][0]
    assert found["kernels"]["correct"] == 1 and found["kernels"]["duplicate"] == 1, found["kernels"]
    assert found["best"]["speedup"] > 1.05 and found["best"]["confirmed"], found["best"]
    for role in ("planner", "executor", "summarizer"):
        assert found["usage"][role]["tokens"] > 0 and found["usage"][role]["usd"] > 0, found["usage"]
    # The first answer of the executor was cut in the middle: asked again, and counted as what it may have cost.
    assert found["usage"]["executor"]["calls"] == 3, found["usage"]


def test_the_key_is_written_nowhere(folder: Path) -> None:
    for file in folder.rglob("*"):
        if file.is_file():
            assert KEY.encode() not in file.read_bytes(), file


def main() -> int:
    build = Path(sys.argv[1]).resolve()
    program = installed(build)
    with tempfile.TemporaryDirectory(prefix="accelopt-npm-") as name:
        folder = Path(name)
        server = Server(program, folder)
        try:
            (folder / "config").mkdir()
            (folder / "config" / "models.json").write_text(json.dumps({"models": [
                {"name": "npm", "address": f"http://127.0.0.1:{server.port}/v1", "model": "gpt-4o",
                 "key_variable": "NPM_TEST_KEY", "price": {"in": 1, "cached": 0.5, "out": 10}}]}))
            test_a_model_is_tested_through_its_failures(build, folder)
            test_a_search_finds_something_faster(build, folder)
            test_the_key_is_written_nowhere(folder)
        finally:
            server.stop()
    print("all good")
    return 0


if __name__ == "__main__":
    sys.exit(main())
