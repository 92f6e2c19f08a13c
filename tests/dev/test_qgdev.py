"""qgdev holds what it lists: every command has its page, runs programs that are there, and is documented; tools/ holds the
product, the Makefile at most 16 targets, and commands that pages and messages name exist."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools.dev.cross import emulated  # noqa: E402
from tools.dev.program import main as qgdev  # noqa: E402
from tools.dev.program.workshop import Failed, Workshop  # noqa: E402
from tools.dev.record import all_socs  # noqa: E402
from tools.dev.shared.progress import Progress, counted, run_counted, seconds  # noqa: E402

PRODUCT = {"CMakeLists.txt", "__init__.py", "dev", "github_action.sh", "opdefc", "packaging", "quantgate", "setup.sh", "web"}
WIDTH = 100
# What has to be given.
ARGUMENTS = {"bench against": ["--old", "build"], "install": ["reference"], "zoo": ["check"], "mutation": ["rules"]}
MENTIONED = re.compile(r"(?:tools/dev/|`|table: |by |: )qgdev ((?:[a-z][a-z0-9-]+ ?){1,2})")
MAKE = re.compile(r"(?:`|^ *)make ([a-z][a-z0-9-]*(?: [a-z][a-z0-9-]*)*)(?=[` \n]|$)", re.M)


def run(*words: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = qgdev.main(list(words))
        except SystemExit as ended:
            status = int(ended.code or 0)
    return status, out.getvalue(), err.getvalue()


def texts() -> list[tuple[str, str]]:
    """Files that people read, and programs with messages: name and text."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True,
                            text=True).stdout.split()  # fmt: skip
    chosen = [name for name in listed if name.endswith((".md", ".py", ".yml", ".yaml", ".sh")) or name == "Makefile"]
    return [(name, (ROOT / name).read_text(errors="replace")) for name in chosen
            if not name.startswith(("tests/fuzz/corpus", "tests/reports/cases", "CHANGELOG", "tests/dev/", "tests/docs/test_layout"))]  # fmt: skip


class List(unittest.TestCase):
    def test_page(self) -> None:
        status, page, _ = run("--help")
        self.assertEqual(status, 0)
        lines = page.splitlines()
        self.assertLessEqual(max(map(len, lines)), WIDTH)
        columns = {line.index(command.summary) for command in qgdev.commands() for line in lines if line.endswith(command.summary)}
        self.assertEqual(len(columns), 1, "summaries begin in one column, a line each")
        for group in qgdev.GROUPS:
            self.assertIn(group.title, lines)

    def test_without_a_command(self) -> None:
        status, page, _ = run()
        self.assertEqual((status, page), (2, qgdev.page()))

    def test_a_verb_alone_lists_its_commands(self) -> None:
        for words, expected in ((["record", "--help"], 0), (["record"], 2)):
            status, out, err = run(*words)
            self.assertEqual((status, err), (expected, ""))
            self.assertIn("\n  record htp ", out)
            self.assertNotIn("bench", out)

    def test_names_are_unique_and_every_command_says_what_it_does(self) -> None:
        names = [command.name for command in qgdev.commands()]
        self.assertEqual(len(names), len(set(names)))
        for command in qgdev.commands():
            self.assertRegex(command.takes, r"^\d+ (s|min|h)$|^minutes$", command.name)
            self.assertGreater(len(command.text), 40, command.name)
            self.assertFalse(command.summary.endswith("."), command.name)

    def test_an_unknown_command_is_refused_with_what_was_meant(self) -> None:
        for words, meant in ((["recrd", "htp"], "did you mean record htp?"), (["goldens"], "did you mean update goldens?"),
                             (["record", "x"], "it has record ort")):  # fmt: skip
            status, out, err = run(*words)
            self.assertEqual((status, out), (2, ""))
            self.assertIn(meant, err)


class Commands(unittest.TestCase):
    def test_help(self) -> None:
        for command in qgdev.commands():
            with self.subTest(command.name):
                help_ = qgdev.parser_of(command).format_help()
                self.assertIn("takes   ", help_)
                self.assertIn("writes  ", help_)

    def test_they_run_programs_that_are_there(self) -> None:
        for command in qgdev.commands():
            with self.subTest(command.name):
                status, out, err = run("--dry-run", *command.name.split(), *ARGUMENTS.get(command.name, []))
                self.assertEqual((status, err), (0, ""))
                self.assertTrue(out.strip())
                for line in out.splitlines():
                    self.assertEqual(self.missing(shlex.split(line)), [], line)

    def missing(self, words: list[str]) -> list[str]:
        """Scripts, modules and requirement files of the repository that a line names and that are not there."""
        folder = ROOT
        if words[0] == "cd":
            folder, words = ROOT / words[1], words[3:]
        found = []
        for before, word in zip(["", *words], words):
            if before == "-m" and word.startswith("tools."):
                path = ROOT / word.replace(".", "/")
                if not path.with_suffix(".py").is_file() and not (path / "__main__.py").is_file():
                    found.append(word)
            elif word.endswith((".py", ".sh", ".txt")) and not (folder / word).is_file():
                found.append(word)
        return found

    def test_what_is_missing_is_seen(self) -> None:
        self.assertEqual(self.missing(["python3", "-m", "tools.dev.nothing", "tests/none.py", "-m", "tools.dev.bench.cli"]),
                         ["tools.dev.nothing", "tests/none.py"])

    def test_wrong_arguments(self) -> None:
        for words in (["record", "htp", "--sdk", "1.0"], ["fuzz", "--minutes", "many"], ["update", "goldens", "more"]):
            self.assertEqual(run("--dry-run", *words)[0], 2, words)


class Documented(unittest.TestCase):
    def test_every_command_is_on_the_page(self) -> None:
        page = (ROOT / "docs/extending/developer_tools.md").read_text()
        rows = dict(re.findall(r"^\| `([a-z0-9 -]+)` \| ([^|]+) \|", page, re.M))
        self.assertEqual(rows, {command.name: command.takes for command in qgdev.commands()})

    def test_commands_that_are_named_exist(self) -> None:
        seen = 0
        for name, text in texts():
            for found in MENTIONED.finditer(text):
                words = found[1].split()
                verbs = {command.name.split()[0] for command in qgdev.commands()}
                self.assertTrue(qgdev.find(words)[0] is not None or words in [[verb] for verb in verbs], f"{name}: qgdev {found[1]}")
                seen += 1
        self.assertGreater(seen, 50)

    def test_targets_of_make_that_are_named_exist(self) -> None:
        targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.M))
        english = {"sure", "it", "them", "one", "tensors", "and", "out", "up"}
        for name, text in texts():
            for found in MAKE.finditer(text):
                for target in found[1].split():
                    self.assertTrue(target in targets or found[1].split()[0] in english, f"{name}: make {found[1]}")

    def test_make_shows_what_users_need(self) -> None:
        shown = subprocess.run(["make", "--no-print-directory", "help"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
        self.assertLessEqual(len(shown), 16)
        for target in ("build", "test", "demo", "conformance", "bench", "fuzz", "docs"):
            self.assertTrue(any(line.startswith(target + " ") for line in shown), target)

    def test_tools_hold_the_product(self) -> None:
        listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "tools"], cwd=ROOT, check=True,
                                capture_output=True, text=True).stdout.split()  # fmt: skip
        self.assertEqual({name.split("/")[1] for name in listed if (ROOT / name).exists()}, PRODUCT)


class Emulated(unittest.TestCase):
    @unittest.skipUnless("QUANTGATE_BUILD" in os.environ, "no build given")
    def test_every_entry_of_ctest_runs_on_arm64_or_says_why_not(self) -> None:
        names = emulated.names_of(Path(os.environ["QUANTGATE_BUILD"]))
        found = emulated.left_out(names)
        self.assertLess(sum(map(len, found.values())), len(names) / 2)
        self.assertTrue(all(found.values()), "each reason has an entry")

    def test_an_entry_in_neither_list_is_seen(self) -> None:
        for names in (["unit.new", "cli.new"], ["new"]):
            with self.assertRaisesRegex(SystemExit, f"{names[-1]}: say"):
                emulated.left_out(names)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Shown(unittest.TestCase):
    def test_seconds(self) -> None:
        self.assertEqual([seconds(4.4), seconds(200), seconds(3900)], ["4 s", "3 min 20 s", "1 h 05 min"])

    def test_short_work_shows_nothing(self) -> None:
        out = Terminal()
        with Progress("work", 3, out) as progress:
            progress.advance()
        self.assertEqual(out.getvalue(), "")
        self.assertEqual(list(counted("work", [1, 2])), [1, 2])

    def test_a_terminal_sees_a_line_that_goes_away(self) -> None:
        out = Terminal()
        with Progress("work", 10, out) as progress:
            progress._shown_at -= 10
            progress.advance(4, "four")
        self.assertRegex(out.getvalue(), r"^\r\x1b\[Kwork: 4 of 10, 0 s, 0 s left  four\r\x1b\[K$")

    def test_the_rest_is_estimated_from_more_than_a_beginning(self) -> None:
        progress = Progress("work", 20000, io.StringIO())
        progress.done = 1
        self.assertEqual(progress.line(1, ""), "work: 1 of 20,000, 1 s")
        progress.done = 5000
        self.assertEqual(progress.line(10, "note"), "work: 5,000 of 20,000, 10 s, 30 s left  note")

    def test_a_log_gets_lines(self) -> None:
        out = io.StringIO()
        with Progress("work", None, out) as progress:
            progress._shown_at -= 100
            progress.advance(1200)
            progress.advance()
        self.assertEqual(out.getvalue(), "work: 1,200, 0 s\n")


    def test_a_program_that_prints_a_line_an_item_is_counted(self) -> None:
        out = Terminal()
        with Progress("lines", 3, out) as progress:
            done = run_counted([sys.executable, "-c", "import sys; print('a\\nb'); print('why', file=sys.stderr); raise SystemExit(3)"], progress)
        self.assertEqual((progress.done, done.stdout, done.stderr, done.returncode), (2, "a\nb\n", "why\n", 3))

    def test_a_program_that_takes_too_long_is_ended(self) -> None:
        with self.assertRaises(subprocess.TimeoutExpired) as late:
            run_counted([sys.executable, "-c", "import time; print('a', flush=True); time.sleep(60)"], None, 0.5)
        self.assertEqual(late.exception.output, "a\n")

    def test_times_alone_change_no_page(self) -> None:
        page = f"{all_socs.MARKS[0]}\n| a | fits | 1.0 ms | 5 ms |\n\ntext\n{all_socs.MARKS[1]}\n"
        known = ["| a | fits | 1.0 ms | 5 ms |", "text"]
        self.assertEqual(all_socs.with_known_times(["| a | fits | 2.0 ms | 6 ms |", "", "text"], page), known)
        changed = ["| a | fails | 2.0 ms | 6 ms |", "", "text"]
        self.assertEqual(all_socs.with_known_times(changed, page), changed)


class Running(unittest.TestCase):
    def setUp(self) -> None:
        self.shop = Workshop(ROOT / "build", 1)

    def test_a_failure_ends_the_command(self) -> None:
        with self.assertRaisesRegex(Failed, "exit status 2"):
            self.shop.run([sys.executable, "-c", "raise SystemExit(2)"])
        self.assertEqual(self.shop.run([sys.executable, "-c", "raise SystemExit(2)"], may_fail=True), 2)

    def test_quiet_output_is_shown_where_it_fails(self) -> None:
        err = io.StringIO()
        with contextlib.redirect_stderr(err), self.assertRaises(Failed):
            self.shop.run([sys.executable, "-c", "print('why'); raise SystemExit(1)"], "try", quiet=True)
        self.assertEqual(err.getvalue(), "why\n")
        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            self.shop.run([sys.executable, "-c", "print('fine')"], "try", quiet=True)
        self.assertEqual(err.getvalue(), "")

    def test_programs_see_the_build(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            shop = Workshop(Path(folder), 1)
            code = "import os; print(os.environ['QUANTGATE_CLI'], os.environ['QUANTGATE_BUILD'])"
            self.assertEqual(shop.output(sys.executable, "-c", code), f"{Path(folder).resolve()}/bin/quantgate {Path(folder).resolve()}")


if __name__ == "__main__":
    unittest.main()
