"""The networks of the zoo annotated by quantgate.torch.Quantizer, beside ExecuTorch's QnnQuantizer: which nodes the real
lowering refuses, whether it fails, and how far the converted model is from float.

  planned.py label [NAME...]   lowers them both ways; can be stopped and goes on
  planned.py record            writes the table of docs/records/plan.md
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import statistics
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import held_out  # noqa: E402
import labelling  # noqa: E402
import places  # noqa: E402

from tools.dev.shared.page_table import replaced  # noqa: E402

PAGE = places.ROOT / "docs" / "records" / "plan.md"
MARKS = ("<!-- executorch zoo: written by planned.py -->", "<!-- /executorch zoo -->")
LEAST_NOISE = 0.005  # as in tools/dev/plan/side_by_side.py


@dataclasses.dataclass(frozen=True, order=True)
class Case(places.Case):
    """A case in a folder beside those of the zoo."""

    planned: bool = False

    @property
    def folder(self) -> Path:
        return places.BUILD / ("planned" if self.planned else "official") / str(self)


class Answer:
    """What came of lowering one case."""

    def __init__(self, case: Case) -> None:
        steps = {step["step"]: step for step in labelling.steps_of(case)}
        lowered = steps.get("lowered", {})
        self.failed = (steps.get("failed") or {}).get("why") or (lowered.get("failure") or {}).get("message", "")
        self.is_lowered = "lowered" in steps
        self.off, self.noise = (steps.get("compared", {}).get(key) for key in ("off", "noise"))
        queried = case.folder / "queried.json"
        asked = json.loads(queried.read_text()) if queried.is_file() else []
        self.refused = {(q["from"] or q["node"], q["target"]) for q in asked if q["supported"] is False and not q["bypass"]}
        self.whole = self.is_lowered and not lowered.get("failure") and not lowered.get("cpu") and lowered.get("delegates") == 1


def pairs() -> list[tuple[Case, Case]]:
    return [(Case(c.name, c.precision, planned=True), Case(c.name, c.precision)) for c in places.cases(held_out.development())]


def label(names: list[str]) -> int:
    """Both ways side by side, in the same order: what is there when it is stopped can be compared."""
    ways = []
    for of_pair, options in ((0, " --planned"), (1, "")):
        todo = [pair[of_pair] for pair in pairs() if not names or pair[0].name in names]
        todo = [case for case in todo if not labelling.is_done(case)]
        ways.append(threading.Thread(target=labelling.label_all, args=(todo,), kwargs={"options": options}))
    for way in ways:
        way.start()
    for way in ways:
        way.join()
    return 0


def column(answers: list[Answer]) -> dict[str, str]:
    of = len(answers)
    offs = [a.off for a in answers if a.off is not None]
    return {"networks": str(of), "nodes that the backend refuses": str(sum(len(a.refused) for a in answers)),
            "lowerings that fail": str(sum(bool(a.failed) for a in answers)),
            "taken whole": f"{sum(a.whole for a in answers)} / {of}",
            "off float: median": f"{statistics.median(offs):.4f}" if offs else ""}


def notes_of(case: Case, mine: Answer, theirs: Answer) -> list[str]:
    notes = []
    own = Counter(target for _, target in mine.refused - theirs.refused)
    if own:
        notes.append("refused here only: " + ", ".join(f"{count} × {target}" for target, count in sorted(own.items())))
    if mine.failed and not theirs.failed:
        notes.append(f"the lowering fails here only: {mine.failed.splitlines()[0][:120]}")
    if is_worse(mine, theirs):
        notes.append(f"{mine.off:.4f} off float, QnnQuantizer {theirs.off:.4f} (noise {max(mine.noise, theirs.noise):.4f})")
    return [f"- `{case}`: {note}" for note in notes]


def is_worse(mine: Answer, theirs: Answer) -> bool:
    if mine.off is None or theirs.off is None:
        return False
    return mine.off > theirs.off + max(mine.noise, theirs.noise, LEAST_NOISE)


def record(_: list[str]) -> int:
    lines: list[str] = []
    notes: list[str] = []
    for precision in ("8a8w", "16a8w"):
        both = [(p, Answer(p), Answer(o)) for p, o in pairs()
                if p.precision == precision and labelling.is_done(p) and labelling.is_done(o)]
        mine, theirs = column([m for _, m, _ in both]), column([t for _, _, t in both])
        compared = [(m, t) for _, m, t in both if m.off is not None and t.off is not None]
        not_worse = sum(not is_worse(m, t) for m, t in compared)
        lines += [f"| {precision} | planned | QnnQuantizer |", "|---|---|---|"]
        lines += [f"| {what} | {mine[what]} | {theirs[what]} |" for what in mine]
        lines += [f"| not worse than QnnQuantizer, beyond noise | {not_worse} / {len(compared)} | |", ""]
        for case, m, t in both:
            notes += notes_of(case, m, t)
    lines += [f"{len(notes)} differences:", "", *notes]
    table = "\n".join(lines)
    PAGE.write_text(replaced(PAGE.read_text(), MARKS, f"\n{table}\n"))
    print(table)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs: dict[str, Callable[[list[str]], int]] = {"label": label, "record": record}
    parser.add_argument("verb", choices=verbs)
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    return verbs[arguments.verb](arguments.names)


if __name__ == "__main__":
    sys.exit(main())
