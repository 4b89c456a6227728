# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The far end of a connection to a host: sent over it and run there, nothing is installed.

Reads JSON lines on standard input and writes JSON lines on standard output, after one line with the mark
given as its argument (whatever a login shell printed comes before it). Unpacks the task, starts the
simulator's pool and hands questions and answers through. When the input ends or nobody has sent a beat
for the time agreed on, it kills what it started and ends: a connection that broke leaves nothing running.
Needs Python 3.6 and nothing else.
"""

import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

PROTOCOL = 1
FIRST_LEASE = 120.0  # seconds until the other side has said how long it wants to be waited for

write_lock = threading.Lock()
state = {"child": None, "heard": time.monotonic(), "lease": FIRST_LEASE}


def say(message):
    data = (json.dumps(message) + "\n").encode()
    with write_lock:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def kill_child():
    child = state["child"]
    if child is not None and child.poll() is None:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except OSError:
            child.kill()


def leave(status):
    kill_child()
    os._exit(status)


def watch_lease():
    while True:
        time.sleep(0.2)
        if time.monotonic() - state["heard"] > state["lease"]:
            leave(4)


def first_line(command):
    """What a program says of itself, or nothing."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return ""
    if done.returncode != 0:
        return ""
    return done.stdout.decode("utf-8", "replace").strip().split("\n")[0]


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "accelopt", "host")


def hello():
    folder = cache_folder()
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        free = shutil.disk_usage(folder).free
        problem = ""
    except OSError as error:
        free = 0
        problem = "the folder %s cannot be made: %s" % (folder, error)
    numpy = first_line(["/usr/bin/python3", "-I", "-c", "import numpy; print(numpy.__version__)"])
    neuron = first_line(["neuronx-cc", "--version"]) if shutil.which("neuronx-cc") else ""
    say({"kind": "hello", "protocol": PROTOCOL, "host": socket.gethostname(),
         "python": "%d.%d.%d" % sys.version_info[:3], "numpy": numpy, "cpus": os.cpu_count() or 1,
         "free_bytes": free, "problem": problem, "neuron": neuron})


def unpack(task):
    """Writes the task's files into a folder named by their content; gives the folder."""
    name = task["hash"]
    if not name or not name.replace("-", "").isalnum():
        raise ValueError("no proper name for a task")
    last = task["folder"]  # a task's folder has the name of the task
    if not last or "/" in last or last.startswith("."):
        raise ValueError("no proper name for a folder: " + last)
    folder = os.path.join(cache_folder(), "task-" + name, last)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    for file, content in task["files"].items():
        if "/" in file or file.startswith("."):
            raise ValueError("no proper name for a file: " + file)
        path = os.path.join(folder, file)
        with open(path + ".new", "wb") as stream:
            stream.write(base64.b64decode(content))
        os.replace(path + ".new", path)
    return folder


def relay(child):
    for line in child.stdout:
        with write_lock:
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
    status = child.wait()
    say({"kind": "failed", "what": "pool", "message": "the simulator ended with status %d" % status})


def open_pool(message):
    kill_child()
    state["lease"] = float(message["lease"])
    program = os.path.expanduser(message["nkisim"])
    found = shutil.which(program)
    if not found:
        say({"kind": "failed", "what": "nkisim", "message": "there is no program %s" % program})
        return
    try:
        folder = unpack(message["task"])
    except (OSError, ValueError, KeyError) as error:
        say({"kind": "failed", "what": "task", "message": "the task cannot be unpacked: %s" % error})
        return
    child = subprocess.Popen([found, "--pool"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             start_new_session=True)
    state["child"] = child
    threading.Thread(target=relay, args=(child,), daemon=True).start()
    tell_child({"kind": "open", "folder": folder, "shape": message["task"]["shape"],
                "hash": message["task"]["hash"], "device": message["device"],
                "workers": message["workers"]})


def tell_child(message):
    child = state["child"]
    if child is None:
        return
    try:
        child.stdin.write((json.dumps(message) + "\n").encode())
        child.stdin.flush()
    except OSError:
        pass  # it has ended, and relay() says so


def main():
    sys.stdout.buffer.write((sys.argv[1] + "\n").encode())
    sys.stdout.buffer.flush()
    threading.Thread(target=watch_lease, daemon=True).start()
    hello()
    for line in sys.stdin.buffer:
        state["heard"] = time.monotonic()
        if not line.strip():
            continue
        message = json.loads(line.decode())
        if message["kind"] == "beat":
            say({"kind": "beat"})
        elif message["kind"] == "open":
            open_pool(message)
        else:
            tell_child(message)
    leave(0)


try:
    main()
except (OSError, ValueError, KeyError) as problem:
    sys.stderr.write("accelopt: %s\n" % problem)
    leave(5)
