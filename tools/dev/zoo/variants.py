"""A sample of the recorded models, put to other providers: those of older SDKs, and with default options.

The first COUNT of all models in the order of a hash with SALT. What each of VARIANTS made of them on ARCH is recorded
in tests/conformance/zoo/variants.json: {"scored": {variant: counts when it was scored}, "answers": {export form:
{variant: {"state", "code", "graphs", "units"}}}}, as record.py has them, and "changed" instead of "units": the marks
that are others than what is recorded of the model, by their places. The models have the forms and encodings that are
recorded, and weights that are drawn (strip.restored).
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

import compare
import draws
import onnx_nodes
from places import FORMS, RECORDED
from recordings import Recording

SALT, COUNT, ARCH = "variants 1", 25, "v73"
PATH = RECORDED / "variants.json"


@dataclass(frozen=True)
class Variant:
    sdk: str
    release: str            # of onnxruntime-qnn
    arch: str = ARCH        # that it prepares for
    default: bool = False   # the provider's default options, no SoC
    runtime: str = ""       # the onnxruntime that takes it, where it isn't that of the zoo


VARIANTS = {"2.47": Variant("2.47", "2.3.0", runtime="1.24.4"),
            "2.48": Variant("2.48", "2.4.0"), "2.49": Variant("2.49", "2.5.0"),
            "2.50": Variant("2.50", "2.6.0"),
            # Without a SoC the library for x86-64 prepares for v68: what v68 doesn't build, and nothing else, fails.
            "default": Variant("2.51", "2.7.0", "v68", default=True)}


def sample(found: list[Recording]) -> list[tuple[Recording, str]]:
    models = {f"{recording.export} {form}": (recording, form)
              for recording in found for form in FORMS if form in recording.models()}
    return [models[name] for name in draws.in_order(SALT, list(models))[:COUNT]]


def load() -> dict:
    return json.loads(PATH.read_text())


def save(known: dict) -> None:
    parts = [f'"{key}": {{\n' + ",\n".join(f"{json.dumps(name)}: {json.dumps(known[key][name], sort_keys=True)}"
                                            for name in sorted(known[key])) + "\n}" for key in ("scored", "answers")]
    PATH.write_text("{\n" + ",\n".join(parts) + "\n}\n")


def score(cli: Path, found: list[Recording]) -> set[compare.Difference]:
    """Scores once what was asked of whole variants; the differences."""
    known, differences, sampled = load(), set(), sample(found)
    for title in VARIANTS:
        asked = [answers for answers in known["answers"].values() if title in answers]
        if len(asked) == COUNT and title not in known["scored"]:
            outcome = compared(cli, sampled, title)
            known["scored"][title] = dict(sorted(outcome.counts.items()))
            differences |= set(outcome.differences)
    save(known)
    return differences


def recorded_units(recording: Recording, form: str) -> str | None:
    return recording.labels()[form][ARCH]["units"]


def shortened(answer: dict, recorded: str | None) -> dict:
    """An answer with what it changes in the marks that are recorded."""
    units = answer["units"]
    if units is None or recorded is None or len(units) != len(recorded):
        return answer
    changed = {str(i): mark for i, (mark, was) in enumerate(zip(units, recorded)) if mark != was}
    return {key: value for key, value in answer.items() if key != "units"} | {"changed": changed}


def _units(answer: dict, recorded: str | None) -> str | None:
    if "changed" not in answer:
        return answer["units"]
    return "".join(answer["changed"].get(str(i), mark) for i, mark in enumerate(recorded))


def _label(known: dict, units: str | None, nodes: list[tuple[str, str]], variant: Variant) -> dict:
    """By default the Q and DQ at the ends of the graph stay on the CPU, which is said once for all."""
    if units and variant.default:
        units = "".join("." if mark == "r" and op in compare.QDQ else mark for (_, op), mark in zip(nodes, units))
    return known | {"units": units, "strict": None}


def compared(cli: Path, sampled: list[tuple[Recording, str]], title: str) -> compare.Outcome:
    """quantgate against what a variant made of the sample: nodes and sessions."""
    variant, known, outcome = VARIANTS[title], load()["answers"], compare.Outcome()
    for recording, form in sampled:
        answer = known.get(f"{recording.export} {form}", {}).get(title)
        if answer is None:
            continue
        model = recording.models()[form]
        nodes = onnx_nodes.nodes(model)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{form}.onnx"
            path.write_bytes(model)
            report = compare.check(cli, path, variant.arch, variant.sdk)
        label = _label(answer, _units(answer, recorded_units(recording, form)), nodes, variant)
        outcome.add(compare.compare_report((str(recording.export), form, title), nodes, report, label))
    return outcome
