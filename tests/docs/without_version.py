#!/usr/bin/env python3
"""The database as it was before a version was measured, for a page that shows how one is added.

    without_version.py VERSION OPDEFS OUT

Takes out the version's source, its number in targets.yaml, and the sections that begin with it.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path


def without(text: str, version: str) -> str:
    """Without the entries that begin with the version; those have lines of their own."""
    number = re.escape(version)
    begins = re.compile(rf'^( *)(- \{{id: measured-{number},|measured {number}\.\.:)')
    kept, inside = [], None
    for line in text.splitlines(keepends=True):
        indent = len(line) - len(line.lstrip())
        if inside is not None and indent > inside:
            continue
        found = begins.match(line)
        inside = len(found[1]) if found else None
        if not found:
            kept.append(line)
    return re.sub(rf'"{number}",?\s*', "", "".join(kept))


def main() -> int:
    version, source, out = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3])
    shutil.copytree(source, out)
    for path in [out / "sources.yaml", out / "targets.yaml", *out.glob("htp/*.yaml")]:
        text = path.read_text(encoding="utf-8")
        if (changed := without(text, version)) != text:
            path.write_text(changed, encoding="utf-8")
    return subprocess.run(["opdefc", "fmt", out], check=False, stdout=subprocess.DEVNULL).returncode


if __name__ == "__main__":
    sys.exit(main())
