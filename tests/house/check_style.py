#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks at the layout of the source files.

usage: check_style.py format|text SOURCE_FOLDER

format: clang-format 14 would change nothing. text: no tabs, no blanks at line ends, a newline at the end,
no notes of work left to do. Exits with 1 after naming what it found, with 77 (skipped) when clang-format 14
is not there: other versions lay out the same source differently.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from check_arrows import files_below  # noqa: E402

CLANG_FORMAT = ("clang-format-14", "clang-format")
LEFT_TO_DO = re.compile(r"\b(TODO|FIXME|XXX)\b")  # words this line alone may hold
SKIPPED_STATUS = 77


def clang_format() -> str | None:
    for name in CLANG_FORMAT:
        program = shutil.which(name)
        if program:
            said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
            if re.search(r"version 14\.", said):
                return program
    return None


def check_format(root: Path) -> int:
    program = clang_format()
    if program is None:
        print("skipped: clang-format 14 is not installed (./workbench install-deps --all)")
        return SKIPPED_STATUS
    files = [file for top in ("core", "widgets", "app", "tests") for file in files_below(root / top, {".h", ".cpp"})]
    if not files:
        return 0
    command = [program, "--dry-run", "-Werror", *map(str, files)]
    found = subprocess.run(command, capture_output=True, text=True, cwd=root, check=False)
    # One line for each file is enough: the cure is the same for all its lines.
    bad = sorted({line.split(":")[0] for line in found.stderr.splitlines() if ": error:" in line})
    for file in bad:
        print(f"{Path(file).relative_to(root)}: run clang-format -i on it")
    if found.returncode != 0 and not bad:
        print(found.stderr)
    print(f"{len(bad)} of {len(files)} file(s) are laid out differently")
    return 1 if found.returncode != 0 else 0


def text_problems(path: str, text: str) -> list[str]:
    problems = []
    for number, line in enumerate(text.split("\n"), 1):
        if "\t" in line:
            problems.append(f"{path}:{number}: has a tab")
        if line != line.rstrip():
            problems.append(f"{path}:{number}: has blanks at its end")
        if LEFT_TO_DO.search(line) and Path(path).name != Path(__file__).name:
            problems.append(f"{path}:{number}: leaves work for later; do it or open an issue")
    if text and not text.endswith("\n"):
        problems.append(f"{path}: lacks a newline at its end")
    return problems


def check_text(root: Path) -> int:
    problems = []
    for file in files_below(root, {".h", ".cpp", ".py", ".cmake"}, {"CMakeLists.txt", "workbench"}):
        path = file.relative_to(root).as_posix()
        problems += text_problems(path, file.read_text(encoding="utf-8", errors="replace"))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


def main(arguments: list[str]) -> int:
    checks = {"format": check_format, "text": check_text}
    if len(arguments) != 2 or arguments[0] not in checks:
        print(__doc__, file=sys.stderr)
        return 2
    return checks[arguments[0]](Path(arguments[1]).resolve())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
