"""Gathers the Markdown of the repository into the folder that mkdocs reads.

docs/ keeps its shape. Some pages that live beside what they describe come along under the names of
ELSEWHERE. Links are written for readers of the repository; here they are turned to the site: a link
to a page goes to that page, a link to any other file of the repository to a page that shows it.
"""
import os
import pathlib
import posixpath
import re
import shutil

from tools.dev.reference import rules
from tools.dev.reference.database import Database

ROOT = pathlib.Path(__file__).resolve().parents[3]

# Pages of the repository outside of docs/, or generated afresh, by their place on the site.
ELSEWHERE = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "README.md": "index.md",
    "opdefs/README.md": "extending/database_format.md",
    "opdefs/DOCUMENTS.md": "extending/database_documents.md",
    "docs/records/coverage.md": "reference/coverage.md",
    "docs/examples/README.md": "examples.md",
    "tests/conformance/executorch/README.md": "conformance/executorch.md",
    "tests/conformance/htp/README.md": "conformance/htp.md",
    "tests/conformance/ort/README.md": "conformance/onnxruntime.md",
    "tools/dev/differential/README.md": "conformance/oracle.md",
}
# Of those, written by somebody else: the start page by docs/index.md, coverage by tools/dev/reference.
NOT_STAGED = {"README.md", "docs/records/coverage.md"}
LANGUAGES = {".h": "cpp", ".cc": "cpp", ".c": "c", ".py": "python", ".yaml": "yaml", ".yml": "yaml",
             ".json": "json", ".sh": "sh", ".proto": "protobuf", ".txt": "text"}
# A file that is shown is text of this size at most.
LARGEST_SHOWN = 300_000
LINK = re.compile(r"(?<!\\)\]\(([^()\s]+)\)")
# Code, in which nothing is a link.
CODE = re.compile(r"^(```+|~~~+).*?^\1\s*$|`[^`\n]+`", re.DOTALL | re.MULTILINE)


# Codes of rules in the text: not a link's own, not in a heading.
RULE = re.compile(r"^#.*|(?<![\w\[])QG\d{3}\b(?![^\[\n]*\]\()", re.MULTILINE)



class Reference:
    """Which files and folders of the repository the generated pages are about."""

    FOLDERS = {"core/rules": "rules/index.md", "tools/quantgate": "command_line.md",
               "opdefs": "index.md"}

    def __init__(self, database: Database) -> None:
        self._backends = database.backends
        self._rules = {code: rules.file_name(rule) for code, rule in database.rules.items()}

    def page(self, path: str) -> str | None:
        folder, name = posixpath.split(path)
        place = self.FOLDERS.get(path)
        if folder == "docs/schemas" and name.endswith(".schema.json"):
            place = f"schemas/{name.removesuffix('.json')}.md"
        elif folder == "opdefs" and name in self._backends:
            place = f"{name}/index.md"
        elif posixpath.basename(folder) in self._backends and (ROOT / path).is_file():
            place = f"{posixpath.basename(folder)}/{name.removesuffix('.yaml')}.md"
        return place and f"reference/{place}"

    def rule(self, code: str) -> str | None:
        name = self._rules.get(code)
        return name and f"reference/rules/{name}"


class Stage:
    def __init__(self, database: Database, output: pathlib.Path) -> None:
        self.reference = Reference(database)
        self.output = output
        self.places = dict(ELSEWHERE)
        for path in sorted((ROOT / "docs").rglob("*.md")):
            name = path.relative_to(ROOT).as_posix()
            self.places.setdefault(name, name.removeprefix("docs/"))
        self.shown: list[str] = []
        self.written: set[str] = set()

    def run(self) -> set[str]:
        for source, place in self.places.items():
            if source not in NOT_STAGED:
                text = (ROOT / source).read_text(encoding="utf-8")
                self._write(place, self._turned(text, source, place))
        images = ROOT / "docs" / "images"
        for path in sorted(path for path in images.rglob("*") if path.is_file()):
            self._copy(path, f"images/{path.relative_to(images).as_posix()}")
        for path in sorted((pathlib.Path(__file__).parent / "assets").iterdir()):
            self._copy(path, f"assets/{path.name}")
        for source in self.shown:
            self._show(source)
        return self.written

    def _turned(self, text: str, source: str, place: str) -> str:
        def turn(found: re.Match[str]) -> str:
            return f"]({self._target(found.group(1), source, place)})"

        def link_rule(found: re.Match[str]) -> str:
            page = self.reference.rule(found.group())
            return f"[{found.group()}]({_relative(page, place)})" if page else found.group()

        def prose(part: str) -> str:
            return RULE.sub(link_rule, LINK.sub(turn, part))

        parts, end = [], 0
        for code in CODE.finditer(text):
            parts += [prose(text[end:code.start()]), code.group()]
            end = code.end()
        return "".join(parts) + prose(text[end:])

    def _target(self, link: str, source: str, place: str) -> str:
        if re.match(r"[a-z]+:|#", link):
            return link
        path, _, anchor = link.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        there = self.places.get(path) or self.reference.page(path)
        if there is None and path.startswith("docs/images/"):
            there = path.removeprefix("docs/")
        if there is None and (ROOT / path).is_file():
            there = f"source/{path}.md"
            if path not in self.shown:
                self.shown.append(path)
        if there is None:
            return link  # for mkdocs to refuse
        return _relative(there, place) + (f"#{anchor}" if anchor else "")

    def _show(self, source: str) -> None:
        text = (ROOT / source).read_text(encoding="utf-8")
        if len(text) > LARGEST_SHOWN:
            raise ValueError(f"{source}: too large to be shown on the site; don't link to it")
        fence = "`" * max([3] + [len(run) + 1 for run in re.findall("`{3,}", text)])
        language = LANGUAGES.get(pathlib.Path(source).suffix, "text")
        self._write(f"source/{source}.md",
                    f"---\nsearch:\n  exclude: true\n---\n\n# {posixpath.basename(source)}\n\n"
                    f"`{source}`\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n")

    def _write(self, place: str, text: str) -> None:
        path = self.output / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.written.add(place)

    def _copy(self, path: pathlib.Path, place: str) -> None:
        target = self.output / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
        self.written.add(place)


def _relative(there: str, place: str) -> str:
    return posixpath.relpath(there, posixpath.dirname(place) or ".")


def write(database: Database, output: pathlib.Path) -> set[str]:
    """Writes the pages and returns their names."""
    return Stage(database, output).run()


def remove_others(output: pathlib.Path, kept: set[str]) -> None:
    """Pages of an earlier run that are gone must not stay."""
    for path in output.rglob("*"):
        if path.is_file() and path.relative_to(output).as_posix() not in kept:
            os.unlink(path)
