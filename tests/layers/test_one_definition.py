"""No two types of one namespace share a name: linked together, the templates of one would be made with the other."""

from __future__ import annotations

import re
import unittest
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("core", "tools", "bindings")
OPENED = re.compile(r"(?:inline )?namespace (?:QUANTGATE_EXPORT )?([\w:]*) ?\{$")
CLOSED = re.compile(r"\}  // (?:anonymous )?namespace")
# At the beginning of a line, so no member; not of another class (`Outer::Inner`), not only declared.
TYPE = re.compile(r"(?:template <.*> )?(?:struct|class|enum|enum class) (\w+)(?: final)?(?: : [^;]*)? \{")


def types(text: str) -> set[str]:
    """With their namespaces; those in a namespace without a name are of their file alone."""
    namespaces, found = [], set()
    last = ""  # line that began at the margin
    for line in text.splitlines():
        declared = last.endswith((";", "};")) or OPENED.match(last)
        if opened := OPENED.match(line):
            namespaces.append(opened[1])
        elif CLOSED.match(line) or (line == "}" and declared and namespaces):
            namespaces.pop()
        elif (kind := TYPE.match(line)) and "" not in namespaces:
            found.add("::".join([*namespaces, kind[1]]))
        if line and line[0] not in " #/}" or line == "};":
            last = line
    assert not namespaces, f"not closed: {namespaces}"
    return found


class OneDefinition(unittest.TestCase):
    def test_names_of_types(self) -> None:
        files = defaultdict(list)
        for folder in FOLDERS:
            for path in (ROOT / folder).rglob("*"):
                if path.suffix in (".h", ".cc"):
                    for name in types(path.read_text()):
                        files[name].append(str(path.relative_to(ROOT)))
        self.assertGreater(len(files), 200)
        self.assertEqual({name: paths for name, paths in files.items() if len(paths) > 1}, {})

    def test_what_counts(self) -> None:
        text = ("namespace a {\nnamespace {\nstruct Own {};\n}  // namespace\nstruct Later;\nclass Outer::Inner {\n};\n"
                "namespace b {\nclass D;\n}\nenum class Role : int { kOne };\nstruct B final : A {\n  struct C {\n  };\n};\n}  // namespace a\n")
        self.assertEqual(types(text), {"a::Role", "a::B"})


if __name__ == "__main__":
    unittest.main()
