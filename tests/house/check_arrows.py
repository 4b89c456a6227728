#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the house to its plan: which room may use which, and a few rules for every file.

usage: check_arrows.py SOURCE_FOLDER ROOMS_JSON

ROOMS_JSON is written by CMake into the build folder: for each room and program, the targets it links.
Prints one line for each violation and exits with 1 if there is any.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

# The arrows, and the only place where they are written as data: a room may link the rooms named here,
# and include the headers of these and of whatever these link.
ARROWS: dict[str, set[str]] = {
    "domain": set(),
    "nki": {"domain"},
    "bench": {"domain"},
    "search": {"domain"},
    "store": {"domain"},
    "rewrite": {"nki"},
    "oracle": {"nki", "rewrite", "bench"},
    "agents": {"search", "rewrite", "nki"},
    "profiling": {"search", "oracle", "bench"},
    "runner": {"search", "store", "agents", "profiling"},
    "report": {"store", "bench"},
    "widgets": {"runner", "report"},
    # The programs without a window link what the widgets would have brought along.
    "app": {"widgets", "runner", "report", "profiling"},
}

# The parts of Qt that a room may link; a room that is not here has no Qt at all.
QT_PARTS: dict[str, set[str]] = {
    "agents": {"Core", "Network"},
    "profiling": {"Core"},
    "runner": {"Core", "Network"},
    "widgets": {"Core", "Gui", "Widgets", "Charts", "Svg", "SvgWidgets", "Network"},
    "app": {"Core", "Gui", "Widgets", "Charts", "Svg", "SvgWidgets", "Network"},
}

QT_HEADER = re.compile(r"^(Q[A-Za-z]\w*(/.*)?|q[a-z0-9_]+\.h)$")
SCREEN_HEADER = re.compile(
    r"^(Qt(Widgets|Gui|Charts|Svg|PrintSupport|OpenGL)\w*(/.*)?|Qsci/.*"
    r"|Q(Widget|Application|GuiApplication|MainWindow|Dialog|Painter|Pixmap|Image|Color|Icon|Font|Brush|Pen"
    r"|Style|Screen|Window)\w*)$"
)
SQL_HEADER = re.compile(r"^(sqlite3(ext)?\.h|SQLiteCpp/.*|QtSql(/.*)?|QSql\w*)$")
NETWORK_HEADER = re.compile(
    r"^(QtNetwork(/.*)?|QNetwork\w*|QTcp\w*|QUdp\w*|QLocalS\w*|QSsl\w*|QHost\w*|QAbstractSocket|QDns\w*"
    r"|sys/socket\.h|sys/un\.h|netinet/.*|arpa/.*|netdb\.h)$"
)
PROCESS_HEADER = re.compile(r"^(QProcess\w*|spawn\.h|sys/wait\.h|sys/resource\.h)$")
LINUX_HEADER = re.compile(
    r"^(linux/.*|asm/.*|sys/(prctl|epoll|inotify|fanotify|eventfd|timerfd|signalfd|sendfile|syscall|sysinfo"
    r"|vfs|statfs|personality|capability)\.h)$"
)
LINUX_ROOMS = {"profiling", "runner"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
LICENCE = "SPDX-License-Identifier: GPL-3.0-or-later"
COPYRIGHT = "SPDX-FileCopyrightText:"
LONGEST = {".h": 250, ".cpp": 700}
EXCUSE = "// Long because:"

# Folders whose files are not ours to rule: what is built, and inputs of tests that must stay as they are.
SKIPPED = {"build", ".git", ".cache", "data", "__pycache__"}


def closure(room: str, graph: dict[str, set[str]]) -> set[str]:
    """All rooms that can be reached from a room, itself included."""
    seen: set[str] = set()
    waiting = [room]
    while waiting:
        current = waiting.pop()
        if current not in seen:
            seen.add(current)
            waiting.extend(graph.get(current, set()))
    return seen


def room_of(path: str) -> str | None:
    """The room that a path below the source root belongs to: core/nki/x.h is nki, widgets/x.h widgets."""
    parts = path.split("/")
    if parts[0] == "core" and len(parts) > 2:
        return parts[1]
    if parts[0] in ("widgets", "app") and len(parts) > 1:
        return parts[0]
    return None


def links_of(rooms: dict[str, list[str]]) -> dict[str, tuple[set[str], set[str]]]:
    """For each target of rooms.json: the rooms and the parts of Qt that it links."""
    result = {}
    for name, links in rooms.items():
        linked = {m[1] for link in links if (m := re.match(r"^accelopt(?:::|_)(\w+)$", link))}
        qt = {m[1] for link in links if (m := re.match(r"^Qt6::(\w+)$", link))}
        result[name] = (linked & ARROWS.keys(), qt)
    return result


def check_links(rooms: dict[str, list[str]]) -> list[str]:
    problems = []
    for name, (linked, qt) in links_of(rooms).items():
        room = "app" if name.startswith("app/") else name
        if room not in ARROWS:
            problems.append(f"rooms.json: {name} is not a room of the house")
            continue
        for other in sorted(linked - ARROWS[room] - {room}):
            problems.append(f"rooms.json: {name} links {other}, and no arrow allows that")
        for part in sorted(qt - QT_PARTS.get(room, set())):
            problems.append(f"rooms.json: {name} links Qt6::{part}, which this room does without")
    return problems


def allowed_includes(room: str, rooms: dict[str, list[str]]) -> set[str]:
    """The rooms whose headers a room may include: reachable by arrows, and really linked."""
    by_arrows = closure(room, ARROWS)
    linked = {("app" if name.startswith("app/") else name): set() for name in rooms}
    for name, (others, _) in links_of(rooms).items():
        linked["app" if name.startswith("app/") else name] |= others
    if room not in linked:  # not built in this build folder, so that only the plan can be asked
        return by_arrows
    return by_arrows & closure(room, linked)


def check_include(path: str, room: str, bracket: str, header: str, allowed: set[str]) -> str | None:
    """What is wrong with one include line, if anything."""
    first = header.split("/")[0]
    if first in ("core", "widgets", "app"):
        other = room_of(header)
        if other is None or other not in ARROWS:
            return f"includes {header}, which is in no room"
        if other not in allowed:
            return f"includes {header}, but {room} may not use {other}"
        return None
    if first == "tests":
        return f"includes {header}: nothing but tests uses tests"
    if bracket == '"' and not header.endswith(".moc") and not header.startswith("ui_"):
        return f'includes "{header}": write the path from the top of the source'
    if QT_HEADER.match(header) and room not in QT_PARTS:
        return f"includes <{header}>, but {room} does without Qt"
    if SCREEN_HEADER.match(header) and path.startswith("core/"):
        return f"includes <{header}>, but core does without a screen"
    if LINUX_HEADER.match(header) and room not in LINUX_ROOMS:
        return f"includes <{header}>, which only Linux has; that belongs in profiling or runner"
    if room == "widgets":
        for what, pattern in (
            ("the database", SQL_HEADER),
            ("the network", NETWORK_HEADER),
            ("other processes", PROCESS_HEADER),
        ):
            if pattern.match(header):
                return f"includes <{header}>: a widget reaches {what} only through runner"
    return None


def check_rooms(root: Path, rooms: dict[str, list[str]]) -> list[str]:
    problems = []
    for top in ("core", "widgets", "app"):
        for file in files_below(root / top, {".h", ".cpp"}):
            path = file.relative_to(root).as_posix()
            room = room_of(path)
            if room is None or room not in ARROWS:
                problems.append(f"{path}: is in no room of the house")
                continue
            text = file.read_text(encoding="utf-8", errors="replace")
            allowed = allowed_includes(room, rooms)
            for match in INCLUDE.finditer(text):
                problem = check_include(path, room, match[1], match[2], allowed)
                if problem:
                    line = text.count("\n", 0, match.start(2)) + 1
                    problems.append(f"{path}:{line}: {problem}")
    return problems


def check_files(root: Path) -> list[str]:
    """Licence lines on all source files, and none too long without saying why."""
    problems = []
    named = [root / "workbench", root / ".ci" / "run"]
    suffixes = {".h", ".cpp", ".py", ".cmake"}
    files = list(files_below(root, suffixes, {"CMakeLists.txt"}))
    for file in files + [extra for extra in named if extra.is_file()]:
        path = file.relative_to(root).as_posix()
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        top = "\n".join(lines[:6])
        if COPYRIGHT not in top or LICENCE not in top:
            problems.append(f"{path}:1: lacks the two SPDX lines at the top")
        most = LONGEST.get(file.suffix)
        if most and len(lines) > most and not any(EXCUSE in line for line in lines[:20]):
            problems.append(
                f"{path}:{len(lines)}: more than {most} lines; split it, or say why not: {EXCUSE} ..."
            )
    return problems


def files_below(folder: Path, suffixes: set[str], names: frozenset[str] | set[str] = frozenset()):
    if not folder.is_dir():
        return
    for entry in sorted(folder.iterdir()):
        if entry.is_dir():
            if entry.name not in SKIPPED and not entry.is_symlink():
                yield from files_below(entry, suffixes, names)
        elif entry.suffix in suffixes or entry.name in names:
            yield entry


def check(root: Path, rooms: dict[str, list[str]]) -> list[str]:
    return check_links(rooms) + check_rooms(root, rooms) + check_files(root)


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    rooms = json.loads(Path(arguments[1]).read_text(encoding="utf-8"))
    problems = check(Path(arguments[0]).resolve(), rooms)
    for problem in problems:
        print(problem)
    print(f"{len(problems)} violation(s) in {len(rooms)} rooms and programs")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
