"""The workflows in .github: their lines name what is there, and do what their steps say.

Short steps run with stand-ins for the files of a release. With QUANTGATE_RELEASE, a folder, all steps of the release run in
a clean clone below it, as a runner would run them (`tools/dev/qgdev test release`); what would be uploaded is kept there.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from tools.dev.dist.__main__ import version  # noqa: E402
from tools.dev.program import main as qgdev  # noqa: E402

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
RELEASE = ROOT / ".github" / "workflows" / "release.yml"
FOLDER = os.environ.get("QUANTGATE_RELEASE", "")
SEPARATORS = {"&&", "||", ";", "|", "&"}
# Stands for the program that makes a draft: writes what it is given, a line each.
GH = '#!/bin/sh\nprintf "%s\\n" "$@" > "$GH_GIVEN"\n'

Job = dict[str, Any]
Step = dict[str, Any]


def jobs_of(path: Path) -> dict[str, Job]:
    return yaml.safe_load(path.read_text())["jobs"]


def shell(job: Job) -> list[str]:
    """What a runner takes where a step names none."""
    return ["sh", "-e", "-c"] if "container" in job else ["bash", "-e", "-c"]


def commands(script: str) -> list[list[str]]:
    found: list[list[str]] = []
    for line in script.splitlines():
        words = shlex.shlex(line, posix=True, punctuation_chars="&|;")
        words.whitespace_split = True
        found.append([])
        for word in words:
            if word in SEPARATORS:
                found.append([])
            else:
                found[-1].append(word)
    return [words for words in found if words]


def recipes() -> dict[str, str]:
    """Of each target of the Makefile what it runs."""
    return dict(re.findall(r"^([a-z0-9-]+):[^=\n]*\n((?:\t.*\n?)*)", (ROOT / "Makefile").read_text(), re.M))


def written(words: list[str]) -> list[str]:
    """Folders that a command leaves something in."""
    if words[:2] == ["mkdir", "-p"]:
        return words[2:]
    asked = [words[1:]] if words[0] == "tools/dev/qgdev" else []
    if words[0] == "make":
        asked = [line.split()[1:] for target in words[1:] for line in recipes()[target].splitlines() if line.strip().startswith("$(QGDEV)")]
    found = [qgdev.find(each)[0] for each in asked]
    return [place for command in found if command for place in re.findall(r"(?<!\S)build/[\w/-]+", command.writes)]


def problems(path: Path) -> list[str]:
    """What a workflow names that is not there."""
    found: list[str] = []
    for job in jobs_of(path).values():
        there: list[str] = []
        for step in job["steps"]:
            script = step.get("run", "")
            if subprocess.run([*shell(job)[:1], "-n"], input=script, text=True, capture_output=True).returncode:
                found.append(f"no script: {script}")
                continue
            for words in commands(script):
                found += missing(words)
                there += [] if missing(words) else written(words)
            named = re.findall(r"\bbuild/[\w/.-]*", script) + re.findall(r"\bbuild/[\w/.-]*", str(step.get("with", {}).get("path", "")))
            found += [f"nothing writes {place}" for place in named if not any(f"{place}/".startswith(f"{folder}/") for folder in there)]
    return found


def missing(words: list[str]) -> list[str]:
    if words[0] == "make":
        return [f"make {target}" for target in words[1:] if target not in recipes()]
    if words[0] == "tools/dev/qgdev":
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as error:
            try:
                status = qgdev.main(["--dry-run", *words[1:]])
            except SystemExit as ended:
                status = int(ended.code or 0)
        return [f"{' '.join(words)}: {error.getvalue()}"] if status else []
    if "/" in words[0] and not os.access(ROOT / words[0], os.X_OK):
        return [words[0]]
    return []


class Lines(unittest.TestCase):
    def test_what_they_name_is_there(self) -> None:
        self.assertGreaterEqual(len(WORKFLOWS), 2)
        for path in WORKFLOWS:
            self.assertEqual(problems(path), [], path.name)

    def test_what_is_missing_is_seen(self) -> None:
        broken = """
jobs:
  one:
    container: debian:12
    steps:
      - run: make setup && make nothing
      - run: tools/dev/qgdev test dist --nothing
      - run: tools/dev/none.py
      - run: make dist
      - run: if true
      - run: cp build/dist/files/* build/arm64/files/* elsewhere
      - with: {path: build/docs/site}
"""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "broken.yml"
            path.write_text(broken)
            found = problems(path)
        self.assertEqual([line.partition(":")[0] for line in found],
                         ["make nothing", "tools/dev/qgdev test dist --nothing", "tools/dev/none.py", "no script", "nothing writes build/arm64/files/",
                          "nothing writes build/docs/site"])  # fmt: skip

    def test_the_release_does_what_make_does(self) -> None:
        """A test of qgdev makes the files before it tries them."""
        steps = [words for job in jobs_of(RELEASE).values() for step in job["steps"] for words in commands(step.get("run", ""))]
        for name in ("dist", "web", "arm64"):
            self.assertIn(["tools/dev/qgdev", "test", name], steps)
            self.assertIn(name, recipes())


class Runner:
    """Runs steps in a workspace, below a folder that keeps what they upload."""

    def __init__(self, folder: Path, tag: str) -> None:
        self.folder, self.workspace = folder, folder / "workspace"
        self.given = folder / "gh"
        programs = folder / "programs"
        programs.mkdir(parents=True)
        (programs / "gh").write_text(GH)
        (programs / "gh").chmod(0o755)
        # GITHUB_WORKSPACE is trusted in a configuration of this run's own.
        self.environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "GIT_CONFIG_GLOBAL": str(folder / "gitconfig"),
                            "GITHUB_WORKSPACE": str(self.workspace), "GITHUB_REF_NAME": tag, "GITHUB_REPOSITORY": "owner/quantgate",
                            "GH_GIVEN": str(self.given), "CCACHE_BASEDIR": str(self.workspace)}  # fmt: skip

    def run(self, job: Job, step: Step, shown: bool = False) -> subprocess.CompletedProcess[str]:
        environment = {**self.environment, **job.get("env", {}), **step.get("env", {})}
        return subprocess.run([*shell(job), step["run"]], cwd=self.workspace, env=environment, text=True, stdin=subprocess.DEVNULL,
                              **({} if shown else {"capture_output": True}))  # type: ignore[call-overload, no-any-return]

    def use(self, step: Step) -> None:
        """What the actions of others do."""
        name, given = step["uses"].partition("@")[0], step.get("with", {})
        if name == "actions/checkout":
            subprocess.run(["git", "clone", "--quiet", str(ROOT), str(self.workspace)], check=True)
        elif name == "actions/upload-artifact":
            found = sorted(self.workspace.glob(given["path"]))
            if not found:
                raise AssertionError(f"nothing to upload: {given['path']}")
            target = self.folder / "uploaded" / given["name"]
            target.mkdir(parents=True)
            for path in found:
                (shutil.copytree if path.is_dir() else shutil.copy)(path, target / path.name)
        elif name == "actions/download-artifact":
            shutil.copytree(self.folder / "uploaded" / given["name"], self.workspace / given["path"])
        else:
            raise AssertionError(f"unknown action {name}")

    def renew(self) -> None:
        """Each job begins on a machine of its own."""
        shutil.rmtree(self.workspace, ignore_errors=True)
        self.workspace.mkdir()


def step_of(job: str, name: str) -> tuple[Job, Step]:
    found = jobs_of(RELEASE)[job]
    [step] = [step for step in found["steps"] if step.get("name") == name]
    return found, step


class Steps(unittest.TestCase):
    def setUp(self) -> None:
        self.runner = Runner(Path(self.enterContext(tempfile.TemporaryDirectory())), f"v{version()}")
        self.runner.renew()

    def test_a_tag_of_another_version_fails(self) -> None:
        shutil.copy(ROOT / "CMakeLists.txt", self.runner.workspace)
        step = step_of("files", "the tag is the version")
        for tag, status in ((f"v{version()}", 0), ("v9.9.9", 1), (f"v{version()}1", 1)):
            self.runner.environment["GITHUB_REF_NAME"] = tag
            self.assertEqual(self.runner.run(*step).returncode, status, tag)

    def test_the_files_get_one_list_and_all_are_published(self) -> None:
        made = {"build/dist/files/a-linux-x86_64.tar.gz": "one", "build/dist/files/SHA256SUMS": "of these alone",
                "build/arm64/files/a-linux-aarch64.tar.gz": "two", "build/web/page/index.html": "page"}  # fmt: skip
        for name, text in made.items():
            path = self.runner.workspace / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = self.runner.run(*step_of("files", "all files in one folder, with one list of checksums"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        folder = self.runner.workspace / "build" / "release"
        names = {"a-linux-x86_64.tar.gz", "a-linux-aarch64.tar.gz", f"quantgate-{version()}-browser.html"}
        self.assertEqual(sums(folder), {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names})
        for step in jobs_of(RELEASE)["files"]["steps"]:
            if step.get("with", {}).get("name") == "release":
                self.runner.use(step)
        self.published(names | {"SHA256SUMS"})

    def published(self, names: set[str]) -> None:
        job = jobs_of(RELEASE)["publish"]
        self.runner.renew()
        for step in job["steps"]:
            if "uses" in step:
                self.runner.use(step)
            else:
                self.assertEqual(self.runner.run(job, step).returncode, 0)
        given = self.runner.given.read_text().splitlines()
        self.assertEqual(given[:3], ["release", "create", f"v{version()}"])
        self.assertIn("--draft", given)
        self.assertEqual({Path(word).name for word in given if word.startswith("release/")}, names)


def sums(folder: Path) -> dict[str, str]:
    return dict(reversed(line.split("  ")) for line in (folder / "SHA256SUMS").read_text().splitlines())  # type: ignore[arg-type]


@unittest.skipUnless(FOLDER, "hours: tools/dev/qgdev test release")
class Release(unittest.TestCase):
    def test_all_steps_in_a_clean_clone(self) -> None:
        folder = Path(FOLDER).resolve()
        shutil.rmtree(folder, ignore_errors=True)
        runner = Runner(folder, f"v{version()}")
        for job in jobs_of(RELEASE).values():
            runner.renew()
            for step in job["steps"]:
                words = step.get("name") or step.get("uses") or step["run"]
                print(f"release: {words}", file=sys.stderr, flush=True)
                start = time.monotonic()
                if "uses" in step:
                    runner.use(step)
                else:
                    self.assertEqual(runner.run(job, step, shown=True).returncode, 0, words)
                print(f"release: {words}: {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
        uploaded = folder / "uploaded" / "release"
        for name, sha in sums(uploaded).items():
            self.assertEqual(hashlib.sha256((uploaded / name).read_bytes()).hexdigest(), sha, name)
        self.assertTrue((folder / "uploaded" / "site" / "site" / "browser.html").is_file())


if __name__ == "__main__":
    unittest.main()
