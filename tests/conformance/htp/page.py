"""docs/records/conformance.md, written from the recorded answers and quantgate's verdicts on them."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import compare
import crashes
import store

PATH = Path(__file__).resolve().parents[3] / "docs/records/conformance.md"

INTRO = """# Agreement with the real HTP library

How often quantgate and the HTP libraries of the QNN SDK (x86-64 build and emulator, not a chip) say the same of a single op: whether it is accepted, and whether its numbers are right.

Recorded by `tools/dev/qgdev update differences`, never edited by hand. The library's answers are kept in `tests/conformance/htp`; `make test` compares them with what quantgate says today, and with this page.

Three counts, since one percentage would hide what matters:

- *false rejection*: the library's op validation accepts what quantgate calls `rejected`
- *false acceptance*: op validation refuses (or crashes) where quantgate does not say `rejected`
- *unknown*: quantgate says `unchecked`

The configurations are made from the rows and examples of the database: each as it is, then with one to three random changes of datatypes, encodings, ranks, shapes, params, constants and absent ports ({validated}, the same for every target). Recorded builds: {builds}.
"""
# `tools/dev/qgdev agree` with a seed of its own: what no rule was made from.
VALIDATED = (
    ("914209", "2.47 and 2.51, each on v68, v73 and v79", "20,000 each", "2 (0.01 %)", "19 (0.10 %)", "0"),
    ("55117", "2.51 v73", "100,000 in 80 s", "10 (0.01 %)", "119 (0.12 %)", "0"),
    ("662607", "2.47 and 2.51, each on v68, v73 and v79", "20,000 each", "1 (0.01 %)", "16 and 18 (0.09 %)", "0"),
)  # fmt: skip
# In the order they were drawn; 620417, 981273, 310771 and 271828 led to rules afterwards. From 161803 on with inputs that
# make comparisons tell both values; 161803 and 577215 were drawn together, and led to rules afterwards.
FRESH = (
    ("620417", "2.51 v73", "115 of 121 (95.0 %)", "2 of 1316 (0.2 %)"), ("620417", "2.47 v73", "112 of 120 (93.3 %)", "6 of 1302 (0.5 %)"),
    ("981273", "2.51 v73", "111 of 122 (91.0 %)", "13 of 1284 (1.0 %)"), ("981273", "2.47 v73", "111 of 122 (91.0 %)", "15 of 1273 (1.2 %)"),
    ("735519", "2.51 v73", "120 of 123 (97.6 %)", "4 of 1323 (0.3 %)"),
    ("310771", "2.51 v73", "106 of 117 (90.6 %)", "9 of 1322 (0.7 %)"),
    ("481516", "2.51 v73", "127 of 128 (99.2 %)", "10 of 1305 (0.8 %)"),
    ("481516, 9 of each op", "2.47 v73", "40 of 41 (97.6 %)", "4 of 468 (0.9 %)"),
    ("271828", "2.51 v73", "118 of 121 (97.5 %)", "16 of 1285 (1.2 %)"), ("271828", "2.47 v73", "118 of 120 (98.3 %)", "18 of 1270 (1.4 %)"),
    ("161803", "2.51 v73", "134 of 140 (95.7 %)", "7 of 1351 (0.5 %)"), ("161803", "2.47 v73", "131 of 135 (97.0 %)", "8 of 1342 (0.6 %)"),
    ("577215", "2.51 v73", "120 of 121 (99.2 %)", "9 of 1316 (0.7 %)"), ("577215", "2.47 v73", "116 of 118 (98.3 %)", "11 of 1310 (0.8 %)"),
    ("141421", "2.51 v73", "132 of 134 (98.5 %)", "6 of 1337 (0.4 %)"), ("141421", "2.47 v73", "131 of 133 (98.5 %)", "6 of 1326 (0.5 %)"),
    ("299792", "2.51 v73", "118 of 121 (97.5 %)", "4 of 1296 (0.3 %)"), ("299792", "2.47 v73", "117 of 120 (97.5 %)", "4 of 1282 (0.3 %)"),
)  # fmt: skip
REPEAT = """## How to repeat it

<!-- not run: takes minutes, or a vendor's library -->
```sh
tools/dev/qgdev conformance htp                                 # downloads the libraries, asks every recorded configuration again
tools/dev/qgdev record htp                                      # makes configurations anew, asks, executes, records
tools/dev/qgdev update differences                              # after a change of the database: this page and the list of differences
tools/dev/qgdev fresh --seed 1                                  # executes configurations of a seed of your own, lists missed ones and false alarms
tools/dev/qgdev agree --sdk 2.51 --arch v73 --count 100000      # op validation on configurations of a seed of your own
quantgate verify model.onnx --backend-lib LIB                   # your own model and the library of your own SDK, see verify.md
```
"""


def _table(head: list[str], rows: list[list[Any]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return lines + ["| " + " | ".join(str(c) for c in row) + " |" for row in rows] + [""]


def _asked(counts: Counter) -> int:
    return sum(counts[k] for k in (compare.AGREES, compare.FALSE_REJECTION, compare.FALSE_ACCEPTANCE, compare.UNKNOWN))


def _share(part: int, whole: int) -> str:
    return f"{part} ({100 * part / whole:.2f} %)" if whole else "0"


def _validation(results: dict[str, Any]) -> list[str]:
    lines = ["## Op validation", ""]
    rows = []
    for target, result in results.items():
        t, asked = result.total, _asked(result.total)
        rows.append([target, asked, _share(t[compare.FALSE_REJECTION], asked), _share(t[compare.FALSE_ACCEPTANCE], asked),
                     t[compare.UNKNOWN], t["crash"]])  # fmt: skip
    lines += _table(["SDK arch", "asked", "false rejections", "false acceptances", "unknown", "crashes of the library"], rows)
    lines += ["Seeds that no rule was made from. The counts of the six targets are equal, although the library's answers differ "
              "(75 of 4,000 between v68 and v73, 16 between 2.47 and 2.51). The time is for two cores and includes making the "
              "configurations and minimising what differs:", ""]  # fmt: skip
    lines += _table(["seed", "SDK arch", "asked", "false rejections", "false acceptances", "unknown"], [list(v) for v in VALIDATED])
    lines += ["### By op", "", "Configurations asked of each op, then false rejections + false acceptances + unknown on each target.", ""]
    targets = list(results)
    rows = []
    for op in sorted({op for r in results.values() for op in r.counts}):
        first = results[targets[0]].counts[op]
        cells = []
        for target in targets:
            c = results[target].counts[op]
            wrong = [c[k] for k in (compare.FALSE_REJECTION, compare.FALSE_ACCEPTANCE, compare.UNKNOWN)]
            cells.append("+".join(map(str, wrong)) if any(wrong) else "·")
        rows.append([op, _asked(first), *cells])
    return lines + _table(["op", "asked", *targets], rows)


def _execution(results: dict[str, Any]) -> list[str]:
    lines = [
        "## Execution", "",
        "Graphs of one op that the library accepts, prepares and runs, their values against the float reference; "
        "[verify.md](../guide/verify.md) says what is right and what is wrong beyond rounding. *Announced*: quantgate has a finding "
        "`wrong_values`. *Warned*: its verdict is that or worse. *False alarm*: a finding `wrong_values` and the values are right. "
        f"The configurations recorded were drawn with seed {store.EXECUTED_SEED}.", "",
    ]  # fmt: skip
    rows = []
    for target, result in results.items():
        t = result.total
        rows.append([target, t["right"] + t["wrong"] + t["between"], t["right"], _share(t[compare.FALSE_ALARM], t["right"]), t["between"],
                     t["wrong"], _share(t["wrong"] - t[compare.MISSED], t["wrong"]), _share(t["wrong_warned"], t["wrong"]),
                     t["not judged"], t["prepare_fails"], t["rejected"]])  # fmt: skip
    lines += _table(["SDK arch", "run and judged", "right", "false alarm", "between", "wrong", "detected", "warned", "run, not judged",
                     "fail to prepare or run", "refused"], rows)  # fmt: skip
    for target, result in results.items():
        t = result.total
        rest = t["prepare_fails"] - t["failure_detected"] - t["failure_of_float"]
        lines.append(f"On {target}, {t['failure_detected']} of the {t['prepare_fails']} that fail to prepare or run are detected by a verdict "
                     f"`prepare_fails` or worse; {t['failure_of_float']} have FLOAT_32 tensors, which need a graph option that the graphs here "
                     f"do not set (quantgate gives advice); of the other {rest} it says nothing: op validation accepts them, and most rules of "
                     "preparation are not known.")  # fmt: skip
        lines.append("")
    lines += [
        "Rules say little on the configurations they were made from, so these are counts on new seeds (wrong ones detected, "
        "right ones called wrong, each before any rule was made from that seed):", "",
    ]  # fmt: skip
    lines += _table(["seed", "SDK arch", "detected", "false alarm"], [list(fresh) for fresh in FRESH])
    lines += ["Per op, as right / between / wrong, and in brackets missed + false alarms:", ""]
    targets = list(results)
    rows = []
    for op in sorted({op for r in results.values() for op in r.counts}):
        cells = []
        for target in targets:
            c = results[target].counts[op]
            off = f" ({c[compare.MISSED]}+{c[compare.FALSE_ALARM]})" if c[compare.MISSED] or c[compare.FALSE_ALARM] else ""
            cells.append(f"{c['right']} / {c['between']} / {c['wrong']}{off}")
        rows.append([op, *cells])
    return lines + _table(["op", *targets], rows)


def _differences(known: list[dict[str, Any]]) -> list[str]:
    lines = ["## Known differences", "",
             "Each with its configurations in `tests/conformance/htp/known_differences.json`. The list may only shrink: one that is gone "
             "fails the run. If the reason is not known, that file has the answers of both sides.", ""]  # fmt: skip
    if not known:
        return lines + ["None.", ""]
    grouped: dict[tuple[str, str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for entry in known:
        key = (entry["op"], entry["agreement"].replace("_", " "), entry["reason"])
        for target in entry["targets"]:
            grouped[key][target] |= set(entry["configurations"])
    rows = []
    for (op, agreement, reason), by_target in sorted(grouped.items()):
        where = ", ".join(f"{store.shown(t)}: {len(by_target[t])}" for t in sorted(by_target, key=store.target_key))
        rows.append([op, agreement, reason.replace("|", "/"), where])
    text = _table(["op", "difference", "reason", "configurations"], rows)
    text[1] = "|---|---|---|---|"
    return lines + text


def _crashes() -> list[str]:
    lines = ["## Crashes of the library", "", "The smallest configuration of each stands in `tests/conformance/htp/crashes.json`; "
             "quantgate rejects or warns of every one, and a test keeps it so.", ""]  # fmt: skip
    rows = [[c["model"]["nodes"][0]["op"], c["backend"], c["what"], c["stage"], c["signal"], ", ".join(c["sdks"]), ", ".join(c["archs"])]
            for c in crashes.load()]  # fmt: skip
    text = _table(["op", "backend", "what", "at", "signal", "SDK", "arch"], rows)
    text[1] = "|---|---|---|---|---|---|---|"
    return lines + text


def _cpu(results: dict[str, Any], executed: dict[str, Any]) -> list[str]:
    lines = [
        "## The CPU backend", "",
        "Rows of `opdefs/cpu` on the examples of the same op of HTP, then with random changes, put to the CPU library of the package "
        "that has one. Its op validation checks datatypes, ranks, shapes and params. The documents list datatypes per port and do not say "
        "which go together, so the library was asked until no more rows were found, and each was run. "
        "Ops without an example are known from the documents alone.", "",
    ]  # fmt: skip
    rows = []
    for target, result in results.items():
        t, asked = result.total, _asked(result.total)
        rows.append([store.shown(target), asked, _share(t[compare.FALSE_REJECTION], asked), _share(t[compare.FALSE_ACCEPTANCE], asked),
                     t[compare.UNKNOWN], t["crash"]])  # fmt: skip
    lines += _table(["SDK", "asked", "false rejections", "false acceptances", "unknown", "crashes of the library"], rows)
    for target, result in results.items():
        off = {op: [c[k] for k in (compare.FALSE_REJECTION, compare.FALSE_ACCEPTANCE, compare.UNKNOWN)] for op, c in result.counts.items()}
        lines += [f"Of the {len(off)} ops these differ, as false rejections + false acceptances + unknown of those asked: "
                  + (", ".join(f"{op} {'+'.join(map(str, n))} of {_asked(result.counts[op])}" for op, n in sorted(off.items()) if any(n)) or "none")
                  + ".", ""]  # fmt: skip
    lines += [
        "Every row was also run on every example, with the encodings of the example and with calibrated ones, and the values compared with "
        "the float reference. The rules of values in `opdefs/cpu` were made from these configurations, so the counts say that they are "
        "kept, not how they do on others.", "",
    ]  # fmt: skip
    rows = []
    for target, result in executed.items():
        t = result.total
        rows.append([store.shown(target), t["right"] + t["wrong"] + t["between"], t["right"], t[compare.FALSE_ALARM], t["wrong"],
                     t[compare.MISSED], t["between"], t["not judged"], t["prepare_fails"],
                     t["prepare_fails"] - t["failure_detected"], t["rejected"]])  # fmt: skip
    return lines + _table(["SDK", "run and judged", "right", "of those called wrong", "wrong", "of those missed", "between",
                           "run, not judged", "fail to run", "of those not detected", "refused"], rows)  # fmt: skip


def _edges() -> list[str]:
    """Out of the recordings and edges_known.json, which `edges.py` holds quantgate to."""
    known = compare.load_known(compare.EDGES_KNOWN)
    asked, executed = store.Recording.load("edges"), store.Recording.load("edges_executed")
    lines = [
        "## At the edges of the constraints", "",
        "Each constraint of `opdefs/htp` has configurations just inside and just outside of what it requires (`edges.py`). "
        "`edges_known.json` lists what both sides say differently there, with the reason.", "",
    ]  # fmt: skip
    listed = Counter((target, e["agreement"]) for e in known for target in e["targets"] for _ in e["configurations"])
    rows = []
    for target in asked.targets:
        number = sum(a != "not queried" for a in asked.validation(target))
        off = [listed[target, a] for a in (compare.FALSE_REJECTION, compare.FALSE_ACCEPTANCE, compare.UNKNOWN)]
        rows.append([target, number, number - sum(off), *off])
    lines += _table(["op validation", "asked", "agreeing", "false rejections", "false acceptances", "unknown"], rows)
    rows = []
    for target in executed.targets:
        outcomes = Counter(o["outcome"] for o in executed.execution(target))
        rows.append([target, *(outcomes[k] for k in ("right", "wrong", "prepare_fails")),
                     *(listed[target, a] for a in (compare.MISSED, compare.FALSE_ALARM, compare.MISSED_FAILURE, compare.FALSE_FAILURE))])  # fmt: skip
    lines += _table(["execution", "right", "wrong", "fail to be prepared or run", "of the wrong not detected", "of the right called wrong",
                     "failures not detected", "failures detected that work"], rows)  # fmt: skip
    reasons = Counter()
    for e in known:
        reasons[e["agreement"].replace("_", " "), e["reason"]] += len(e["configurations"])
    return lines + _table(["difference", "configurations", "reason"], [[a, n, reason] for (a, reason), n in sorted(reasons.items())])


def text(results: dict[str, dict[str, Any]], known: list[dict[str, Any]]) -> str:
    recording = store.Recording.load("validation")
    builds = ", ".join(dict.fromkeys(t["build"] for t in recording.targets.values()))
    lines = [INTRO.format(validated=f"{len(recording.configurations):,}", builds=builds)]
    lines += _validation(results["validation"]) + _execution(results["execution"]) + _edges()
    lines += _differences(known) + _crashes() + _cpu(results["cpu"], results["cpu_execution"]) + [REPEAT]
    return "\n".join(lines).rstrip("\n") + "\n"
