#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""./workbench with made-up dpkg-query, apt-get, sudo, cmake, ninja, ctest and programs, which write down how
they were called: nothing is installed or built here."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]

# Each stand-in appends its name and arguments to $CALLS.
STAND_IN = '#!/bin/sh\nprintf "%s" "${0##*/}" >>"$CALLS"\nprintf " %s" "$@" >>"$CALLS"\necho >>"$CALLS"\n'

DPKG_QUERY = """
grep -q "^apt-get .*install" "$CALLS" && MISSING=
for name in "$@"; do
    case " $MISSING " in *" $name "*) status=1; continue ;; esac
    case $name in -*) ;; *installed*) ;; *) echo "$name installed" ;; esac
done
exit ${status:-0}
"""
APT_GET = 'case "$APT" in fails) echo "E: no network" >&2; exit 100 ;; esac\n'
SUDO = """
case "$SUDO_WORKS" in yes) ;; *) exit 1 ;; esac
while :; do case $1 in -n) shift ;; *) break ;; esac; done
exec "$@"
"""
CMAKE = 'echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >"$BUILD/CMakeCache.txt"; : >"$BUILD/build.ninja"\n'
NINJA = 'echo "[1/1] chatter"; case "$NINJA_RESULT" in fails) echo "x.cpp:1: error: no"; exit 1 ;; esac\n'
CTEST = """
case " $* " in *" -N "*) echo "Total Tests: 0"; exit 0 ;; esac
echo "12/12 Test #12: a ....***Skipped 0.1 sec"
echo "92% tests passed, 1 tests failed out of 12"
echo
echo "Total Test time (real) = 1 sec"
exit 8
"""
ACCELOPT = 'echo "{}"\n'
WINDOW = 'exit ${WINDOW_STATUS:-0}\n'


class Workbench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        base = Path(folder.name)
        base.chmod(0o777)
        self.root = base / "a folder with spaces"
        (self.root / "packaging").mkdir(parents=True)
        shutil.copy(SOURCE / "workbench", self.root)
        shutil.copy(SOURCE / "packaging" / "debian-packages.txt", self.root / "packaging")
        self.build = self.root / "build" / "dev"
        self.calls = base / "calls"
        self.calls.touch()
        self.calls.chmod(0o666)
        self.fakes = base / "fakes"
        self.fakes.mkdir()
        for name, body in {
            "dpkg-query": DPKG_QUERY,
            "apt-get": APT_GET,
            "sudo": SUDO,
            "cmake": CMAKE,
            "ninja": NINJA,
            "ctest": CTEST,
        }.items():
            self.program(self.fakes / name, body)
        self.elsewhere = base / "elsewhere"
        self.elsewhere.mkdir()

    @staticmethod
    def program(path: Path, body: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(STAND_IN + body, encoding="utf-8")
        path.chmod(0o755)

    def programs(self) -> None:
        """What a build leaves behind."""
        self.program(self.build / "bin" / "accelopt", ACCELOPT)
        self.program(self.build / "bin" / "accelopt-workbench", WINDOW)
        for folder in (self.root, self.root / "build", self.build):
            folder.chmod(0o777)

    def run_it(self, *arguments: str, user: int | None = None, **environment: str):
        command = [str(self.root / "workbench"), *arguments]
        if user is not None:
            if os.geteuid() != 0:
                self.skipTest("only root can become somebody else")
            command = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--", *command]
        env = {
            "PATH": f"{self.fakes}:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": str(self.elsewhere),
            "CALLS": str(self.calls),
            "BUILD": str(self.build),
            **environment,
        }
        return subprocess.run(
            command, cwd=self.elsewhere, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            check=False, timeout=60,
        )

    def called(self, name: str) -> list[str]:
        return [line for line in self.calls.read_text(encoding="utf-8").splitlines() if line.split(" ")[0] == name]

    # --- packages

    def test_nothing_missing_costs_one_question_and_no_word(self):
        self.programs()
        self.run_it("run")
        again = self.run_it("run")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(len(self.called("dpkg-query")), 2)  # one for each start
        self.assertEqual(self.called("apt-get"), [])
        self.assertEqual(len(self.called("cmake")), 1)  # configured once
        self.assertEqual(again.stderr, "")

    def test_what_is_missing_is_named_and_then_installed_without_recommendations(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to act as root")
        done = self.run_it("install-deps", MISSING="cmake libgit2-dev")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("cmake libgit2-dev", done.stderr)
        self.assertIn("Installing 2 Debian package(s)", done.stderr)
        install = self.called("apt-get")[-1]
        self.assertTrue(install.endswith(" install -y --no-install-recommends cmake libgit2-dev"), install)
        self.assertEqual(self.called("sudo"), [])

    def test_only_what_the_command_needs_is_installed(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to act as root")
        self.programs()
        self.run_it("run", MISSING="xvfb clang-format")
        self.assertEqual(self.called("apt-get"), [])
        self.run_it("test", MISSING="xvfb clang-format")
        self.assertTrue(self.called("apt-get")[-1].endswith(" xvfb"))

    def test_somebody_else_installs_through_sudo(self):
        self.programs()
        done = self.run_it("run", user=65534, MISSING="cmake", SUDO_WORKS="yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(any("install -y --no-install-recommends cmake" in call for call in self.called("sudo")))

    def test_without_root_and_sudo_the_command_is_given(self):
        self.programs()
        done = self.run_it("run", user=65534, MISSING="cmake")
        self.assertEqual(done.returncode, 3)
        self.assertIn("sudo apt-get install -y --no-install-recommends cmake", done.stderr)
        self.assertEqual(self.called("apt-get"), [])

    def test_apt_that_fails_ends_with_its_words_and_status_3(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to act as root")
        done = self.run_it("run", MISSING="cmake", APT="fails")
        self.assertEqual(done.returncode, 3)
        self.assertIn("E: no network", done.stderr)
        self.assertEqual(self.called("ninja"), [])

    def test_started_through_sudo_only_the_packages_need_root(self):
        if os.geteuid() != 0 or shutil.which("runuser") is None:
            self.skipTest("only root can be left")
        self.programs()
        self.run_it("build")
        for file in self.build.iterdir():
            file.chmod(0o777)
        self.program(self.build / "bin" / "accelopt", "id -u\n")
        done = self.run_it("run", SUDO_UID="65534", MISSING="cmake")
        self.assertEqual(done.stdout, "65534\n", done.stderr)
        self.assertTrue(self.called("apt-get"))
        self.assertEqual(self.called("sudo"), [])

    def test_each_package_has_a_known_purpose_and_a_reason(self):
        lines = (SOURCE / "packaging" / "debian-packages.txt").read_text(encoding="utf-8").splitlines()
        names = []
        for line in lines:
            if line and not line.startswith("#"):
                name, purpose, reason = line.split(maxsplit=2)
                self.assertIn(purpose, {"build", "run", "test", "check"}, line)
                self.assertGreater(len(reason), 3, line)
                names.append(name)
        self.assertEqual(len(names), len(set(names)))

    # --- building

    def test_a_folder_that_was_moved_is_configured_afresh(self):
        self.programs()
        self.run_it("build")
        (self.build / "CMakeCache.txt").write_text("CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere\n", encoding="utf-8")
        self.run_it("build")
        self.assertEqual(self.called("cmake"), ["cmake --preset dev", "cmake --fresh --preset dev"])

    def test_a_build_that_fails_shows_the_error_without_the_chatter(self):
        done = self.run_it("build", NINJA_RESULT="fails")
        self.assertEqual(done.returncode, 3)
        self.assertIn("x.cpp:1: error: no", done.stderr)
        self.assertNotIn("chatter", done.stderr)

    # --- run

    def test_options_reach_the_program_as_they_were_given(self):
        self.programs()
        done = self.run_it("run", "--task", "adamw", "--out", "a file.run", "--json")
        self.assertEqual(self.called("accelopt"), ["accelopt run --task adamw --out a file.run --json"])
        self.assertEqual(done.stdout, "{}\n")

    def test_with_a_display_the_window_opens(self):
        self.programs()
        for display in ({"DISPLAY": ":7"}, {"WAYLAND_DISPLAY": "wayland-0"}):
            self.run_it("run", "--task", "silu", **display)
        self.assertEqual(self.called("accelopt-workbench"), ["accelopt-workbench --run --task silu"] * 2)
        self.assertEqual(self.called("accelopt"), [])

    def test_what_the_window_does_not_do_stays_in_the_terminal(self):
        self.programs()
        for option in ("--json", "--detach", "--measure-transfer", "--memory-from", "--terminal"):
            self.run_it("run", option, DISPLAY=":7")
        self.assertEqual(self.called("accelopt-workbench"), [])
        self.assertEqual([c.rstrip() for c in self.called("accelopt")],
                         ["accelopt run --json", "accelopt run --detach", "accelopt run --measure-transfer",
                          "accelopt run --memory-from", "accelopt run"])

    def test_several_searches_stay_in_the_terminal(self):
        self.programs()
        (self.root / "several").mkdir()
        calls = (("--task", "silu,adamw"), ("--task", "all"), ("--task=silu,adamw",), ("--task=all",),
                 ("--resume", "--out", str(self.root / "several")))
        for options in calls:
            self.run_it("run", *options, DISPLAY=":7")
        self.assertEqual(self.called("accelopt-workbench"), [])
        self.assertEqual(self.called("accelopt"), ["accelopt run " + " ".join(options) for options in calls])

    def test_the_window_goes_on_with_a_run(self):
        self.programs()
        self.run_it("run", "--resume", "--out", "a file.run", DISPLAY=":7")
        self.assertEqual(self.called("accelopt-workbench"), ["accelopt-workbench --run --resume --out a file.run"])

    def test_a_display_that_cannot_be_opened_falls_back_to_the_terminal(self):
        self.programs()
        done = self.run_it("run", DISPLAY=":7", WINDOW_STATUS="134")
        self.assertEqual(done.stdout, "{}\n")
        self.assertIn(":7 cannot be opened", done.stderr)

    def test_the_window_s_own_exit_status_is_passed_on(self):
        self.programs()
        self.assertEqual(self.run_it("run", DISPLAY=":7", WINDOW_STATUS="2").returncode, 2)

    # --- test

    def test_the_last_line_counts_and_the_status_is_ctest_s(self):
        done = self.run_it("test")
        self.assertEqual(done.stdout.splitlines()[-1], "10 passed, 1 failed")
        self.assertEqual(done.returncode, 8)
        self.assertTrue(any("-LE system" in call for call in self.called("ctest")))

    def test_system_says_when_there_are_no_such_tests(self):
        done = self.run_it("test", "--system")
        self.assertIn("No system test can run", done.stderr)
        self.assertFalse(any("-LE system" in call for call in self.called("ctest")))

    def test_sanitizers_use_builds_of_their_own(self):
        (self.root / "build" / "asan").mkdir(parents=True)
        self.run_it("test", "--asan", BUILD=str(self.root / "build" / "asan"))
        self.assertEqual(self.called("cmake"), ["cmake --preset asan"])

    def test_an_unknown_command_is_wrong_use(self):
        done = self.run_it("frobnicate")
        self.assertEqual(done.returncode, 2)
        self.assertIn("usage:", done.stderr)


if __name__ == "__main__":
    unittest.main()
