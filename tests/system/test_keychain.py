#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps a model's key in a real keychain: GNOME's, on a session bus of the test's own.

usage: test_keychain.py BUILD_FOLDER

Says why and exits with 77 where it cannot run.
"""

from __future__ import annotations

import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

SKIPPED = 77
KEY = "sk-of-the-keychain-test"
CHUNKS = (
    {"choices": [{"index": 0, "delta": {"content": "```python\nanswer = 42\n```\n"}}]},
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    {"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5}},
)


def skip(why: str) -> None:
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


class Handler(http.server.BaseHTTPRequestHandler):
    keys: list[str] = []

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        Handler.keys.append(self.headers.get("Authorization", ""))
        body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in CHUNKS) + "data: [DONE]\n\n"
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        pass


def run(build: Path, folder: Path, script: str) -> subprocess.CompletedProcess:
    """Runs lines of shell on a bus of their own with an unlocked keychain."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("DBUS_", "XDG_", "ACCELOPT_")) and name != "DISPLAY"}
    environment.update(HOME=str(folder), XDG_RUNTIME_DIR=str(folder / "run"), ACCELOPT_CONFIG=str(folder / "config"),
                       PROGRAM=str(build / "bin" / "accelopt"))
    unlock = "printf 'pw\\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1 || exit 77\n"
    return subprocess.run(["dbus-run-session", "--", "sh", "-c", unlock + script], env=environment, text=True,
                          input=KEY + "\n", capture_output=True, timeout=120)


def main() -> int:
    build = Path(sys.argv[1]).resolve()
    for program in ("dbus-run-session", "gnome-keyring-daemon"):
        if not shutil.which(program):
            skip(f"there is no {program}")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="accelopt-keychain-") as name:
        folder = Path(name)
        (folder / "run").mkdir(mode=0o700)
        (folder / "config").mkdir()
        (folder / "config" / "models.json").write_text(json.dumps({"models": [
            {"name": "kept", "address": f"http://127.0.0.1:{server.server_port}/v1", "model": "m",
             "key_variable": "KEY_OF_THE_TEST"}]}))
        # Each command exits with the number of the line where something is not as it should be.
        done = run(build, folder, """
            cd "$HOME" && exec 3<&0
            "$PROGRAM" doctor | grep -q "keychain  *keys of models are looked for" || exit 77
            "$PROGRAM" models test kept </dev/null 2>err && exit 2
            grep -q "models key kept" err || exit 3
            "$PROGRAM" models key kept <&3 || exit 4
            "$PROGRAM" models test kept </dev/null >out || exit 5
            grep -q "KEY_OF_THE_TEST found in the keychain" out || exit 6
            KEY_OF_THE_TEST=sk-of-the-environment "$PROGRAM" models test kept </dev/null >/dev/null || exit 7
            "$PROGRAM" models key kept --forget </dev/null || exit 8
            "$PROGRAM" models test kept </dev/null 2>err && exit 9
            exit 0
        """)
        if done.returncode == SKIPPED:
            skip("no keychain can be unlocked here, or the program was built without one")
        assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
        # The environment goes first.
        assert Handler.keys == [f"Bearer {KEY}", "Bearer sk-of-the-environment"], Handler.keys
        assert KEY not in done.stdout + done.stderr
        for file in folder.rglob("*"):
            if file.is_file():
                assert KEY.encode() not in file.read_bytes(), file
    server.shutdown()
    print("all good")
    return 0


if __name__ == "__main__":
    sys.exit(main())
