"""The documentation site: `python3 -m tools.dev.site --cli build/bin/quantgate -o build/docs`.

Gathers Markdown of the repository and pages generated from the tool's own JSON into OUTPUT/pages
(stage.py), then lets mkdocs write OUTPUT/site. Links that lead nowhere fail the build, and so
does anything that a page would load from elsewhere.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

from tools.dev.reference import pages as reference
from tools.dev.reference.database import Database

from . import stage

# Scripts, styles and pictures; links of the text are no matter.
LOADED_FROM_ELSEWHERE = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=["']?(?:https?:)?//[^>]*>""")
HERE = pathlib.Path(__file__).resolve().parent


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m tools.dev.site", description=__doc__.split("\n")[0])
    parser.add_argument("--cli", default="build/bin/quantgate", help="the command line tool")
    parser.add_argument("--mkdocs", default="mkdocs", help="the mkdocs program")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("build/docs"))
    parser.add_argument("--page", type=pathlib.Path, help="the page for browsers (make web), which becomes browser.html of the site")
    parser.add_argument("--stage-only", action="store_true", help="write the pages, not the site")
    arguments = parser.parse_args()
    pages, site = arguments.output / "pages", arguments.output / "site"
    try:
        database = Database(arguments.cli)
    except OSError as error:
        print(f"error: {arguments.cli}: {error.strerror}", file=sys.stderr)
        return 2
    kept = {f"reference/{name}" for name in reference.write(database, pages / "reference")}
    kept |= stage.write(database, pages)
    stage.remove_others(pages, kept)
    if arguments.stage_only:
        return 0
    has_page = arguments.page is not None and arguments.page.is_file()
    environment = dict(os.environ, QUANTGATE_PAGES=str(pages.resolve()), NO_MKDOCS_2_WARNING="1", QUANTGATE_BROWSER="1" if has_page else "")
    done = subprocess.run([arguments.mkdocs, "build", "--strict", "--quiet", "--config-file",
                           str(HERE / "mkdocs.yml"), "--site-dir", str(site.resolve())],
                          env=environment)
    if done.returncode:
        return done.returncode
    if has_page:
        shutil.copy(arguments.page, site / "browser.html")
    files = sorted(site.glob("**/*.html"))
    elsewhere = [f"{file}: {what}" for file in files
                 for what in LOADED_FROM_ELSEWHERE.findall(file.read_text(encoding="utf-8"))]
    if elsewhere:
        print("error: loads from elsewhere:", *elsewhere[:10], sep="\n", file=sys.stderr)
        return 1
    print(f"{len(files)} pages: {site / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
