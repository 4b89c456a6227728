#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each kind of violation, planted in a small made-up tree, is found, and a good tree is left in peace."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import check_arrows  # noqa: E402

HEAD = (
    "// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors\n"
    "// SPDX-License-Identifier: GPL-3.0-or-later\n"
)

# What a build of the whole house says about itself.
GOOD_ROOMS = {
    "domain": ["accelopt_flags", "fmt::fmt", "accelopt_embedded"],
    "nki": ["accelopt::domain"],
    "bench": ["accelopt::domain"],
    "search": ["accelopt::domain"],
    "store": ["accelopt::domain", "SQLiteCpp"],
    "rewrite": ["accelopt::nki"],
    "oracle": ["accelopt::nki", "accelopt::rewrite", "accelopt::bench"],
    "agents": ["accelopt::search", "accelopt::rewrite", "accelopt::nki", "Qt6::Core", "Qt6::Network"],
    "profiling": ["accelopt::search", "accelopt::oracle", "accelopt::bench", "Qt6::Core"],
    "runner": ["accelopt::search", "accelopt::store", "accelopt::agents", "accelopt::profiling", "Qt6::Core"],
    "report": ["accelopt::store", "accelopt::bench"],
    "widgets": ["accelopt::runner", "accelopt::report", "Qt6::Widgets", "Qt6::Charts"],
    "app/nkisim": ["accelopt::profiling"],
    "app/accelopt-workbench": ["accelopt::widgets"],
}


class CheckArrows(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, path: str, text: str, head: str = HEAD) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(head + text, encoding="utf-8")

    def problems(self, rooms=None) -> list[str]:
        return check_arrows.check(self.root, GOOD_ROOMS if rooms is None else rooms)

    def assert_one(self, *words: str, rooms=None) -> None:
        problems = self.problems(rooms)
        self.assertEqual(len(problems), 1, problems)
        for word in words:
            self.assertIn(word, problems[0])

    def assert_none(self, rooms=None) -> None:
        self.assertEqual(self.problems(rooms), [])

    # --- links

    def test_a_good_graph_passes(self):
        self.assert_none()

    def test_a_link_against_the_arrows_is_found(self):
        rooms = GOOD_ROOMS | {"domain": ["accelopt::nki"]}
        self.assert_one("domain links nki", rooms=rooms)

    def test_a_link_by_the_name_without_colons_is_found(self):
        rooms = GOOD_ROOMS | {"search": ["accelopt::domain", "accelopt_store"]}
        self.assert_one("search links store", rooms=rooms)

    def test_a_link_that_is_only_implied_is_found(self):
        rooms = GOOD_ROOMS | {"report": ["accelopt::store", "accelopt::bench", "accelopt::domain"]}
        self.assert_one("report links domain", rooms=rooms)

    def test_a_link_to_qt_of_a_room_without_it_is_found(self):
        rooms = GOOD_ROOMS | {"store": ["accelopt::domain", "Qt6::Core"]}
        self.assert_one("store links Qt6::Core", rooms=rooms)

    def test_a_link_to_a_part_of_qt_that_is_not_for_the_room_is_found(self):
        rooms = GOOD_ROOMS | {"profiling": GOOD_ROOMS["profiling"] + ["Qt6::Network"]}
        self.assert_one("profiling links Qt6::Network", rooms=rooms)

    def test_a_program_that_links_a_deep_room_is_found(self):
        rooms = GOOD_ROOMS | {"app/accelopt": ["accelopt::runner", "accelopt::nki"]}
        self.assert_one("app/accelopt links nki", rooms=rooms)

    def test_an_unknown_room_is_found(self):
        self.assert_one("utils is not a room", rooms=GOOD_ROOMS | {"utils": []})

    # --- includes between rooms

    def test_includes_along_the_arrows_pass(self):
        self.write("core/nki/check/Check.cpp", '#include "core/domain/Verdict.h"\n#include "core/nki/A.h"\n')
        self.write("core/runner/Runner.cpp", '#include "core/nki/A.h"\n#include "core/search/Interfaces.h"\n')
        self.write("app/workbench/main.cpp", '#include "widgets/tree/TreeView.h"\n')
        self.assert_none()

    def test_an_include_against_the_arrows_is_found_with_its_line(self):
        self.write("core/search/Engine.cpp", '\n#include "core/store/RunFile.h"\n')
        self.assert_one("core/search/Engine.cpp:4:", "search may not use store")

    def test_an_include_between_neighbours_is_found(self):
        self.write("core/bench/Task.cpp", '#include "core/nki/syntax/Lexer.h"\n')
        self.assert_one("bench may not use nki")

    def test_an_include_in_angle_brackets_with_odd_spaces_is_found(self):
        self.write("core/bench/Task.cpp", "  #  include <core/nki/Lexer.h>\n")
        self.assert_one("bench may not use nki")

    def test_an_include_whose_link_was_taken_away_is_found(self):
        rooms = GOOD_ROOMS | {"oracle": ["accelopt::nki", "accelopt::rewrite"]}
        self.write("core/oracle/Oracle.cpp", '#include "core/bench/Suite.h"\n')
        self.assert_one("oracle may not use bench", rooms=rooms)

    def test_core_that_includes_a_widget_is_found(self):
        self.write("core/report/Html.cpp", '#include "widgets/gauges/Gauge.h"\n')
        self.assert_one("report may not use widgets")

    def test_a_room_that_is_not_built_is_still_held_to_the_plan(self):
        rooms = {name: links for name, links in GOOD_ROOMS.items() if name != "widgets"}
        self.write("widgets/tree/Tree.cpp", '#include "core/runner/A.h"\n#include "app/workbench/B.h"\n')
        self.assert_one("widgets may not use app", rooms=rooms)

    def test_a_folder_that_is_no_room_is_found(self):
        self.write("core/utils/Strings.h", "")
        self.assert_one("core/utils/Strings.h", "in no room")

    def test_an_include_of_tests_is_found(self):
        self.write("core/nki/Tracer.cpp", '#include "tests/support/TestMain.h"\n')
        self.assert_one("nothing but tests uses tests")

    def test_an_include_by_a_relative_path_is_found(self):
        self.write("core/bench/Task.cpp", '#include "../nki/Lexer.h"\n')
        self.assert_one("path from the top")

    def test_the_output_of_moc_may_be_included(self):
        self.write("core/runner/Runner.cpp", '#include "Runner.moc"\n')
        self.assert_none()

    # --- headers of the system

    def test_qt_in_a_room_without_it_is_found(self):
        for header in ("QString", "QtCore/QObject", "qobject.h", "QtGlobal"):
            with self.subTest(header):
                self.write("core/store/RunFile.cpp", f"#include <{header}>\n")
                self.assert_one("does without Qt", header)

    def test_qt_core_in_a_room_with_it_passes(self):
        self.write("core/runner/Runner.cpp", "#include <QObject>\n#include <QProcess>\n#include <QLocalSocket>\n")
        self.assert_none()

    def test_a_screen_in_core_is_found(self):
        for header in ("QWidget", "QtGui/QColor", "QPixmap", "Qsci/qsciscintilla.h"):
            with self.subTest(header):
                self.write("core/runner/Runner.cpp", f"#include <{header}>\n")
                self.assert_one("without a screen", header)

    def test_the_database_in_a_widget_is_found(self):
        for header in ("sqlite3.h", "SQLiteCpp/Database.h", "QSqlDatabase"):
            with self.subTest(header):
                self.write("widgets/tree/Tree.cpp", f"#include <{header}>\n")
                self.assert_one("the database only through runner")

    def test_the_network_in_a_widget_is_found(self):
        for header in ("QNetworkAccessManager", "QTcpSocket", "QLocalSocket", "sys/socket.h"):
            with self.subTest(header):
                self.write("widgets/tree/Tree.cpp", f"#include <{header}>\n")
                self.assert_one("the network only through runner")

    def test_another_process_in_a_widget_is_found(self):
        for header in ("QProcess", "spawn.h", "sys/wait.h"):
            with self.subTest(header):
                self.write("widgets/tree/Tree.cpp", f"#include <{header}>\n")
                self.assert_one("other processes only through runner")

    def test_what_only_linux_has_is_found_outside_its_rooms(self):
        for header in ("sys/prctl.h", "linux/seccomp.h", "sys/epoll.h"):
            with self.subTest(header):
                self.write("core/nki/SyntaxHelper.cpp", f"#include <{header}>\n")
                self.assert_one("only Linux has", header)

    def test_what_only_linux_has_passes_in_its_rooms(self):
        self.write("core/profiling/Worker.cpp", "#include <sys/prctl.h>\n")
        self.assert_none()

    def test_what_posix_has_passes_everywhere_in_core(self):
        self.write("core/nki/Npy.cpp", "#include <sys/mman.h>\n#include <poll.h>\n#include <spawn.h>\n")
        self.assert_none()

    # --- every file

    def test_a_missing_licence_is_found(self):
        for path in ("core/nki/A.h", "nkibench/silu/reference.py", "core/CMakeLists.txt", "a.cmake", "workbench"):
            with self.subTest(path):
                self.write(path, "text\n", head="")
                self.assert_one(path, "SPDX")
                (self.root / path).unlink()

    def test_half_a_licence_is_found(self):
        self.write("core/nki/A.h", "", head=HEAD.splitlines()[0] + "\n")
        self.assert_one("SPDX")

    def test_a_long_header_is_found_and_may_be_excused(self):
        self.write("core/nki/A.h", "\n" * 249)
        self.assert_one("more than 250 lines")
        self.write("core/nki/A.h", "// Long because: one table.\n" + "\n" * 248)
        self.assert_none()

    def test_a_long_source_is_found_and_one_of_just_the_length_is_not(self):
        self.write("core/nki/A.cpp", "\n" * 698)
        self.assert_none()
        self.write("core/nki/A.cpp", "\n" * 699)
        self.assert_one("more than 700 lines")

    def test_an_excuse_far_below_the_top_does_not_count(self):
        self.write("core/nki/A.cpp", "\n" * 100 + "// Long because: it grew.\n" + "\n" * 700)
        self.assert_one("more than 700 lines")

    def test_what_is_built_is_not_looked_at(self):
        self.write("build/dev/A.h", "", head="")
        self.assert_none()

    # --- the program

    def test_the_program_exits_with_1_and_names_the_place(self):
        self.write("core/bench/Task.cpp", '#include "core/nki/syntax/Lexer.h"\n')
        rooms = self.root / "rooms.json"
        rooms.write_text(json.dumps(GOOD_ROOMS), encoding="utf-8")
        command = [sys.executable, check_arrows.__file__, str(self.root), str(rooms)]
        bad = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(bad.returncode, 1)
        self.assertIn("core/bench/Task.cpp:3:", bad.stdout)
        (self.root / "core/bench/Task.cpp").unlink()
        good = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(good.returncode, 0, good.stdout)


if __name__ == "__main__":
    unittest.main()
