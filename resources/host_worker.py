# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The far end of a connection to a host: sent over it and run there, nothing is installed.

Reads JSON lines on standard input and writes JSON lines on standard output, after one line with the mark
given as its argument (whatever a login shell printed comes before it). Unpacks the task, starts the
simulator's pool, or the worker that drives the Neuron SDK, and hands questions and answers through. When the
input ends or nobody has sent a beat for the time agreed on, it kills what it started and ends: a connection
that broke leaves nothing running. For a run that was detached it first finishes the questions it has and puts
the answers aside; whoever asks them again gets these. Needs Python 3.6 and nothing else.
"""

import base64
import hashlib
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

FINISH_SECONDS = 6 * 3600  # as long a queue may take that nobody listens to
KEEP_SECONDS = 7 * 86400  # answers put aside
FINISHING = ".finishing"  # marks a question that another worker is still busy with

write_lock = threading.Lock()
tell_lock = threading.Lock()
state = {"child": None, "heard": time.monotonic(), "lease": FIRST_LEASE, "finish": False, "alone": False,
         "salt": ""}
pending = {}  # id -> key of the question


def say(message):
    pass_on((json.dumps(message) + "\n").encode())


def pass_on(data):
    if state["alone"]:
        return
    with write_lock:
        try:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        except OSError:
            pass  # the input ends, too


def kill_child():
    """First in words: a worker may have started programs in groups of their own."""
    child = state["child"]
    if child is None or child.poll() is not None:
        return
    for number, seconds in ((signal.SIGTERM, 2), (signal.SIGKILL, 10)):
        try:
            os.killpg(child.pid, number)
        except OSError:
            child.kill()
        try:
            child.wait(seconds)
            return
        except subprocess.TimeoutExpired:
            pass


def leave(status):
    kill_child()
    os._exit(status)


def watch_lease():
    while True:
        time.sleep(0.2)
        if not state["alone"] and time.monotonic() - state["heard"] > state["lease"]:
            end_of_input(4)


def end_of_input(status):
    """Nobody is there any more: finishes what was asked, if that was agreed on, and ends."""
    state["alone"] = True
    deadline = time.monotonic() + FINISH_SECONDS
    if state["finish"]:
        for key in list(pending.values()):
            put_aside(key + FINISHING, str(os.getpid()).encode())
        while pending and time.monotonic() < deadline and state["child"].poll() is None:
            time.sleep(0.05)
    leave(status)


def spool_folder():
    return os.path.join(cache_folder(), "answers")


def put_aside(name, data):
    path = os.path.join(spool_folder(), name)
    try:
        with open(path + ".new", "wb") as stream:
            stream.write(data)
        os.replace(path + ".new", path)
    except OSError:
        pass  # then it is judged again


def sweep_spool():
    """Makes the folder and forgets what nobody has fetched for days."""
    os.makedirs(spool_folder(), mode=0o700, exist_ok=True)
    oldest = time.time() - KEEP_SECONDS
    for name in os.listdir(spool_folder()):
        path = os.path.join(spool_folder(), name)
        try:
            if os.stat(path).st_mtime < oldest:
                os.unlink(path)
        except OSError:
            pass


def key_of(message):
    """Equal for equal questions: everything asked but the number, and what is judged with."""
    asked = {name: value for name, value in message.items() if name != "id"}
    return hashlib.sha256((state["salt"] + json.dumps(asked, sort_keys=True)).encode()).hexdigest()


def fetch(key):
    """The answer that was put aside for a question, or nothing."""
    path = os.path.join(spool_folder(), key)
    try:
        with open(path, "rb") as stream:
            answer = json.loads(stream.read().decode())
        os.unlink(path)
        return answer
    except (OSError, ValueError):
        return None


def is_being_finished(key):
    path = os.path.join(spool_folder(), key + FINISHING)
    try:
        with open(path, "rb") as stream:
            worker = int(stream.read())
        os.kill(worker, 0)
        return True
    except (OSError, ValueError):
        return False


def await_other_worker(message, key):
    while is_being_finished(key):
        time.sleep(0.1)
    answer = fetch(key)
    if answer is None:
        hand_over(message, key)
    else:
        answer["id"] = message["id"]
        say(answer)


def take_question(message):
    key = key_of(message)
    if os.path.exists(os.path.join(spool_folder(), key + FINISHING)) or \
            os.path.exists(os.path.join(spool_folder(), key)):
        threading.Thread(target=await_other_worker, args=(message, key), daemon=True).start()
    else:
        hand_over(message, key)


def hand_over(message, key):
    pending[message["id"]] = key
    tell_child(message)


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
        pass_on(line)
        answered = answered_id(line)
        if answered in pending:
            key = pending[answered]
            if state["alone"]:
                if "error" not in json.loads(line.decode()):
                    put_aside(key, line)
                remove_mark(key)
            del pending[answered]
    status = child.wait()
    say({"kind": "failed", "what": "pool", "message": "the judging program ended with status %d" % status})


def answered_id(line):
    try:
        message = json.loads(line.decode())
    except ValueError:
        return None
    return message.get("id") if isinstance(message, dict) else None


def remove_mark(key):
    try:
        os.unlink(os.path.join(spool_folder(), key + FINISHING))
    except OSError:
        pass


def open_pool(message):
    kill_child()
    state["lease"] = float(message["lease"])
    state["finish"] = message.get("when_cut") == "finish"
    try:
        sweep_spool()
        folder = unpack(message["task"])
        command, opening = with_neuron(message) if message.get("judge_with") == "neuron" else with_nkisim(message)
    except (OSError, ValueError, KeyError) as error:
        say({"kind": "failed", "what": "task", "message": "the task cannot be unpacked: %s" % error})
        return
    if command is None:
        return
    state["salt"] = json.dumps([message["task"]["hash"], message["task"]["shape"], message["device"],
                                message.get("judge_with"), message.get("model_version")])
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    state["child"] = child
    threading.Thread(target=relay, args=(child,), daemon=True).start()
    opening.update({"kind": "open", "folder": folder, "device": message["device"]})
    tell_child(opening)


def with_nkisim(message):
    program = os.path.expanduser(message["nkisim"])
    found = shutil.which(program)
    if not found:
        say({"kind": "failed", "what": "nkisim", "message": "there is no program %s" % program})
        return None, None
    return [found, "--pool"], {"shape": message["task"]["shape"], "hash": message["task"]["hash"],
                               "workers": message["workers"]}


def with_neuron(message):
    """The scripts that came along, and the interpreter of the SDK to run them with."""
    python = shutil.which(os.path.expanduser(message["neuron"]["python"]))
    if not python:
        say({"kind": "failed", "what": "neuron",
             "message": "there is no interpreter %s" % message["neuron"]["python"]})
        return None, None
    scripts = sorted(message["scripts"].items())
    folder = os.path.join(cache_folder(), "scripts-" + hashlib.sha256(repr(scripts).encode()).hexdigest()[:16])
    os.makedirs(folder, mode=0o700, exist_ok=True)
    for name, content in scripts:
        if "/" in name or name.startswith("."):
            raise ValueError("no proper name for a file: " + name)
        path = os.path.join(folder, name)
        with open(path + ".new", "wb") as stream:
            stream.write(base64.b64decode(content))
        os.replace(path + ".new", path)
    task = {name: value for name, value in message["task"].items() if name != "files"}
    return [python, "-u", os.path.join(folder, "neuron_worker.py")], {"neuron": message["neuron"], "task": task}


def tell_child(message):
    child = state["child"]
    if child is None:
        return
    try:
        with tell_lock:
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
        elif message["kind"] in ("judge", "ask") and state["child"] is not None:
            take_question(message)
        else:
            tell_child(message)
    end_of_input(0)


try:
    main()
except (OSError, ValueError, KeyError) as problem:
    sys.stderr.write("accelopt: %s\n" % problem)
    leave(5)
