"""Writes the page: one file with the program inside, which asks for nothing once it is there.

The program is compressed and in base64, since a page that is opened from a disk can't fetch a file beside it. The
page's Content-Security-Policy names each script by its hash and allows no connection of any kind.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import html
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tools.dev.dist.materials import notices  # noqa: E402

# In the order of core/report/CMakeLists.txt: the script of the HTML report, which the page shows in a frame.
REPORT_SCRIPTS = ("dom.js", "graph.js", "ranges.js", "list.js", "detail.js", "main.js")
# Of the page itself, one after the other.
PAGE_SCRIPTS = ("program.js", "results.js", "main.js")


def squeezed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()


def hash_of(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def script_of_report(folder: Path) -> str:
    page = (folder / "report.html").read_text()
    script = page[page.rindex("<script>") + len("<script>"):page.rindex("</script>")]
    return script.replace("@js@", "".join((folder / name).read_text() for name in REPORT_SCRIPTS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="path of the .js and .wasm, without their endings")
    parser.add_argument("--parts", type=Path, required=True)
    parser.add_argument("--report", type=Path, required=True)
    parser.add_argument("--example", type=Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    worker = Path(given.program + ".js").read_text() + "\n" + (given.parts / "worker.js").read_text()
    script = "(() => {\n'use strict';\n" + "".join((given.parts / name).read_text() for name in PAGE_SCRIPTS) + "})();"
    allowed = " ".join([hash_of(script), hash_of(script_of_report(given.report)), "'wasm-unsafe-eval'"])
    # A worker made of a blob has this policy too.
    policy = f"default-src 'none'; script-src {allowed}; worker-src blob:; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    fill = {"@policy@": policy, "@version@": given.version, "@css@": (given.report / "page.css").read_text() + (given.parts / "page.css").read_text(),
            "@worker@": squeezed(worker.encode()), "@wasm@": squeezed(Path(given.program + ".wasm").read_bytes()),
            "@example@": squeezed(given.example.read_bytes()), "@script@": script, "@notices@": html.escape(notices("web"))}  # fmt: skip
    page = ""
    rest = (given.parts / "index.html").read_text()
    while rest:
        # Nothing that was put in is looked at again.
        mark = min((mark for mark in fill if mark in rest), key=rest.index, default=None)
        if mark is None:
            page, rest = page + rest, ""
        else:
            before, rest = rest.split(mark, 1)
            page += before + fill[mark]
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "index.html").write_text(page)


if __name__ == "__main__":
    main()
