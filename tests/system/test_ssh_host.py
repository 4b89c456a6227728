#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges kernels over a real ssh server on loopback.

usage: test_ssh_host.py BUILD_FOLDER

The server is the installed one, or the Debian package unpacked into the build folder; it listens on loopback
only, has a configuration of its own and is stopped by its process id. Says why and exits with 77 where it
cannot run.
"""

from __future__ import annotations

import json
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SKIPPED = 77
MOST_CUTS = 4
FEWEST_CUT_SEARCHES = 3
MOST_CUT_SEARCHES = 20


def skip(why: str) -> None:
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def find_server(build: Path) -> tuple[str, dict[str, str]]:
    """The sshd program and what its environment needs."""
    for path in ("/usr/sbin/sshd", "/usr/local/sbin/sshd"):
        if os.access(path, os.X_OK):
            return path, {}
    folder = build / "system" / "openssh-server"
    program = folder / "usr" / "sbin" / "sshd"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        for package in ("openssh-server", "libwrap0"):
            got = subprocess.run(["apt-get", "download", package], cwd=folder, capture_output=True, text=True)
            if got.returncode != 0:
                skip(f"there is no sshd, and {package} cannot be fetched")
        for package in folder.glob("*.deb"):
            subprocess.run(["dpkg", "-x", str(package), str(folder)], check=True)
    libraries = folder / "usr" / "lib" / f"{os.uname().machine}-linux-gnu"
    return str(program), {"LD_LIBRARY_PATH": str(libraries)}


def account() -> tuple[pwd.struct_passwd, list[str]]:
    """Who the server runs as and lets in, and how to become that person: not root where possible."""
    me = pwd.getpwuid(os.getuid())
    if os.getuid() != 0:
        return me, []
    for other in pwd.getpwall():
        if 1000 <= other.pw_uid < 60000 and other.pw_shell in ("/bin/bash", "/bin/sh") and shutil.which("setpriv"):
            return other, ["setpriv", f"--reuid={other.pw_uid}", f"--regid={other.pw_gid}", "--clear-groups"]
    try:
        pwd.getpwnam("sshd")
    except KeyError:
        skip("root may not serve ssh here without an account sshd, and there is no other account")
    os.makedirs("/run/sshd", exist_ok=True)
    return me, []


class Server:
    def __init__(self, build: Path, folder: Path) -> None:
        self.program, self.environment = find_server(build)
        self.user, self.become = account()
        self.folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        for key in ("hostkey", "userkey"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key], check=True)
        shutil.copy(folder / "userkey.pub", folder / "authorized_keys")
        # The far account reads the test's own programs and writes into a folder of its own.
        (folder / "far").mkdir(mode=0o777)
        (folder / "far").chmod(0o777)
        (folder / "sshd_config").write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {folder}/hostkey\nPidFile {folder}/far/pid\n"
            f"AuthorizedKeysFile {folder}/authorized_keys\nStrictModes no\nUsePAM no\n"
            "PasswordAuthentication no\nKbdInteractiveAuthentication no\n"
            f"SetEnv SHLVL=3 XDG_CACHE_HOME={folder}/far/cache\n"
        )
        (folder / "known_hosts").write_text(
            f"[127.0.0.1]:{self.port} " + (folder / "hostkey.pub").read_text()
        )
        if self.become:
            os.chown(folder / "hostkey", self.user.pw_uid, self.user.pw_gid)
        self.client("good", self.port, "userkey", "known_hosts")
        self.process: subprocess.Popen | None = None

    def client(self, name: str, port: int, key: str, known: str, more: str = "") -> None:
        """A configuration of the client under which the host is called trn."""
        (self.folder / f"{name}.conf").write_text(
            f"Host trn\n HostName 127.0.0.1\n Port {port}\n User {self.user.pw_name}\n IdentitiesOnly yes\n"
            f" IdentityFile {self.folder}/{key}\n UserKnownHostsFile {self.folder}/{known}\n"
            f" GlobalKnownHostsFile /dev/null\n StrictHostKeyChecking yes\n{more}"
        )

    def start(self) -> None:
        self.process = subprocess.Popen(
            self.become + [self.program, "-D", "-f", f"{self.folder}/sshd_config", "-E", f"{self.folder}/far/log"],
            env={"PATH": os.environ["PATH"], **self.environment},
            stdin=subprocess.DEVNULL,
        )
        for _ in range(100):
            if self.process.poll() is not None:
                log = self.folder / "far" / "log"
                skip("sshd does not start: " + (log.read_text().strip() if log.exists() else "it says nothing"))
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        skip("sshd does not listen")

    def sessions(self) -> list[int]:
        """The processes that serve a connection: children of the server."""
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if self.process and int(fields[1]) == self.process.pid:
                found.append(int(entry.name))
        return found

    def stop(self) -> None:
        if self.process and self.process.poll() is None:
            for session in self.sessions():
                os.kill(session, signal.SIGKILL)
            self.process.terminate()
            self.process.wait(10)


class Bench:
    def __init__(self, build: Path, folder: Path) -> None:
        self.program = build / "bin" / "accelopt"
        self.folder = folder
        self.build = build
        self.environment = dict(os.environ, ACCELOPT_CONFIG=str(folder / "config"))
        (folder / "config").mkdir()

    def host(self, conf: str, **more: object) -> None:
        entry = {"name": "trn", "ssh": "trn", "options": ["-F", f"{self.folder}/{conf}.conf"],
                 "nkisim": str(self.build / "bin" / "nkisim"), "python": "/usr/bin/python3", "workers": 1, **more}
        (self.folder / "config" / "hosts.json").write_text(json.dumps({"hosts": [entry]}))

    def start(self, *arguments: str) -> subprocess.Popen:
        return subprocess.Popen([self.program, *arguments], env=self.environment, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *arguments: str) -> tuple[int, str, str]:
        process = self.start(*arguments)
        out, err = process.communicate(timeout=300)
        return process.returncode, out, err

    def search(self, name: str, place: str) -> list[str]:
        return ["run", "--task", "silu", "--shape", "lab", "-B", "2", "-N", "3", "-T", "2", "--workers", "1",
                "--on", place, "--out", f"{self.folder}/{name}.accelopt"]

    def canonical(self, name: str) -> str:
        status, _, err = self.run("export", f"{self.folder}/{name}.accelopt", "--canonical",
                                  f"{self.folder}/{name}.txt")
        assert status == 0, err
        return (self.folder / f"{name}.txt").read_text().replace('"trn"', '"sim"')


def test_host_is_ready(bench: Bench) -> None:
    status, out, err = bench.run("hosts", "test", "trn")
    assert status == 0, (status, out, err)
    assert "silu baseline is correct" in out, out


def test_failures_are_said(bench: Bench, server: Server) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        closed_port = silent.getsockname()[1]
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", server.folder / "other"], check=True)
    (server.folder / "empty").write_text("")
    (server.folder / "changed").write_text(
        f"[127.0.0.1]:{server.port} " + (server.folder / "other.pub").read_text()
    )
    server.client("refused", closed_port, "userkey", "known_hosts")
    server.client("auth", server.port, "other", "known_hosts")
    server.client("unknown", server.port, "userkey", "empty")
    server.client("changed", server.port, "userkey", "changed")
    server.client("config", server.port, "userkey", "known_hosts", " Hostnme x\n")
    server.client("proxy", server.port, "userkey", "known_hosts", " ProxyCommand sh -c 'echo no-target >&2; exit 1'\n")
    for conf, words in (("auth", "does not let you in"), ("unknown", "nobody has confirmed the key"),
                        ("changed", "its key has changed"), ("config", "Bad configuration option"),
                        ("refused", "refuses connections"), ("proxy", "no-target")):
        bench.host(conf)
        status, _, err = bench.run("hosts", "test", "trn")
        assert status == 1 and words in err, (conf, status, err)
    bench.host("good", python="/nowhere/python3")
    status, _, err = bench.run("hosts", "test", "trn")
    assert status == 1 and "python3 is not found" in err, err
    bench.host("good", nkisim="/nowhere/nkisim")
    status, _, err = bench.run("hosts", "test", "trn")
    assert status == 1 and "there is no program /nowhere/nkisim" in err, err
    bench.host("good")


def test_search_is_the_one_at_home(bench: Bench) -> None:
    for name, place in (("home", "sim"), ("far", "trn")):
        status, out, err = bench.run(*bench.search(name, place))
        assert status in (0, 1), (status, out, err)
        assert "(simulated)" in out, out
    assert bench.canonical("far") == bench.canonical("home")


def kill_all(processes: list[int]) -> bool:
    """Whether there was one left to kill."""
    killed = False
    for process in processes:
        try:
            os.kill(process, signal.SIGKILL)
            killed = True
        except ProcessLookupError:
            pass
    return killed


def cut_search(bench: Bench, server: Server, name: str, dice: random.Random) -> tuple[int, str]:
    """A search whose sessions at the server are killed after random times; cuts made, and what it said."""
    assert wait_until(lambda: not server.sessions()), "a session of an earlier search does not end"
    process = bench.start(*bench.search(name, "trn"))
    cuts = 0
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        sessions = server.sessions()
        if sessions and cuts < MOST_CUTS:
            # How long a search takes depends on the machine: moments of every size, early ones more often.
            time.sleep(10 ** dice.uniform(-2, 0))
            cuts += kill_all(sessions)
        else:
            time.sleep(0.01)
    out, err = process.communicate(timeout=60)
    assert process.returncode in (0, 1), (process.returncode, out, err)
    return cuts, err


def test_cut_search_is_equal(bench: Bench, server: Server) -> None:
    """Wherever the connection is cut, the search is the undisturbed one; one of the cuts meets a question."""
    dice = random.Random(7)
    cuts = 0
    told = False
    for attempt in range(MOST_CUT_SEARCHES):
        made, err = cut_search(bench, server, f"cut{attempt}", dice)
        assert bench.canonical(f"cut{attempt}") == bench.canonical("home")
        cuts += made
        told = told or "connecting again" in err
        if told and attempt + 1 >= FEWEST_CUT_SEARCHES:
            break
    assert cuts >= 1, "nothing was cut"
    assert told, f"none of {cuts} cuts was told of"
    print(f"{cuts} cuts in {attempt + 1} searches")


def wait_until(holds, seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_nothing_is_left_running(server: Server) -> None:
    for _ in range(100):
        left = [entry for entry in Path("/proc").iterdir() if entry.name.isdigit()
                and str(server.folder).encode() in environment_of(entry)
                and b"nkisim" in command_of(entry)]
        if not left:
            return
        time.sleep(0.1)
    raise AssertionError(f"still running: {left}")


def environment_of(entry: Path) -> bytes:
    try:
        return (entry / "environ").read_bytes()
    except OSError:
        return b""


def command_of(entry: Path) -> bytes:
    try:
        return (entry / "cmdline").read_bytes()
    except OSError:
        return b""


def main() -> int:
    build = Path(sys.argv[1]).resolve()
    if not shutil.which("ssh") or not shutil.which("ssh-keygen"):
        skip("there is no OpenSSH client")
    folder = Path(tempfile.mkdtemp(prefix="accelopt-ssh-"))
    folder.chmod(0o755)
    server = Server(build, folder)
    try:
        server.start()
        bench = Bench(build, folder)
        bench.host("good")
        test_host_is_ready(bench)
        test_failures_are_said(bench, server)
        test_search_is_the_one_at_home(bench)
        test_cut_search_is_equal(bench, server)
        test_nothing_is_left_running(server)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print("all good")
    return 0


if __name__ == "__main__":
    sys.exit(main())
