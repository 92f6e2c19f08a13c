"""The constraint database for Python tools and tests, as `opdefc compile --format json` prints it.

Only opdefc reads op files; what profiles, sections and templates of the YAML come to is in its JSON.
tools/opdefc/opdefs.proto says what the fields mean.
"""

from __future__ import annotations

import copy
import functools
import hashlib
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
OPDEFS = ROOT / "opdefs"
# Conditions whose value is one number and not a list.
SINGLE = ("m_min", "rank_min", "any_dim_above", "any_dim_not_multiple")
FLAGS = ("static", "noop", "present", "symmetric")
OWN_OR_OTHER = ("dtype", "dtype_not", "bits", "encoding", "static", "symmetric")


def build_folder() -> Path:
    return Path(os.environ.get("QUANTGATE_BUILD") or ROOT / "build")


def opdefc() -> Path:
    program = Path(os.environ.get("QUANTGATE_OPDEFC") or build_folder() / "tools" / "opdefc" / "opdefc")
    if not program.is_file():
        raise SystemExit(f"error: {program} is not built: `cmake --build {build_folder()} --target opdefc`, or name it in QUANTGATE_OPDEFC")
    return program


def compiled(*folders: Path) -> Path:
    """The JSON of folders, one over the other: a file in the build folder, named by their content."""
    program = opdefc()
    found = program.stat()
    state = hashlib.sha256(f"{found.st_mtime_ns} {found.st_size}".encode())
    for folder in folders:
        for path in sorted(folder.rglob("*.yaml")):
            content = path.read_bytes()
            state.update(f"\0{path.relative_to(folder)} {len(content)}\0".encode() + content)
        state.update(b"\0\0")
    cache = build_folder() / "opdefs_json"
    made = cache / f"{state.hexdigest()[:16]}.json"
    if not made.is_file():
        cache.mkdir(parents=True, exist_ok=True)
        # Several tests may make it at once: each in a folder of its own, the last one stays.
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            part = Path(folder) / made.name
            done = subprocess.run([program, "compile", *folders, "-o", part, "--format", "json"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)  # fmt: skip
            if done.returncode:
                raise SystemExit(done.stderr.rstrip("\n"))
            _forget_old(cache)
            part.replace(made)
    return made


def _forget_old(cache: Path, keep: int = 8) -> None:
    found = sorted(cache.glob("*.json"), key=lambda p: p.stat().st_mtime if p.exists() else 0)
    for path in found[:-keep]:
        path.unlink(missing_ok=True)


@functools.lru_cache(maxsize=2)
def _loaded(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def load(*folders: Path) -> dict[str, Any]:
    """quantgate.opdefs.v1.Database of opdefs/, or of these folders."""
    return _loaded(compiled(*(folders or (OPDEFS,))))


def document(name: str, *folders: Path) -> Any:
    """A document as it is written: "op_sets", "resolve/onnx", "rules/judged"."""
    return load(*folders)["documents"][name]


def backend(name: str, *folders: Path) -> dict[str, Any]:
    for found in load(*folders)["backends"]:
        if found["name"] == name:
            return found
    raise SystemExit(f"error: the database has no backend {name}")


def ops(of_backend: str, *folders: Path) -> list[dict[str, Any]]:
    """The ops of a backend by name, each in the plain form below; the caller's to change."""
    return [plain_op(op) for op in copy.deepcopy(backend(of_backend, *folders).get("ops", []))]


def plain_op(op: dict[str, Any]) -> dict[str, Any]:
    """An op with empty lists where it has none, params by name, rows and constraints in the forms
    of plain_row and plain_constraint."""
    params = {p["name"]: _plain_param(p) for p in op.get("params", [])}
    ports = [p["port"] for p in [*op.get("inputs", []), *op.get("outputs", [])]]
    return {
        "name": op["name"], **_range(op), "inputs": op.get("inputs", []), "outputs": op.get("outputs", []), "params": params,
        "variants": [plain_row(row) for row in op.get("variants", [])],
        "constraints": [plain_constraint(c, ports) for c in op.get("constraints", [])],
        "examples": op.get("examples") or [], "sources": op.get("sources", []),
    }  # fmt: skip


def _plain_param(param: dict[str, Any]) -> dict[str, Any]:
    plain = param | {"values": {name: int(value) for name, value in param.get("values", {}).items()}}
    if "default" in param and "rank" not in param:
        plain["default"] = param["default"][0]
    return plain


def _range(entry: dict[str, Any]) -> dict[str, Any]:
    return {("arch" if key == "archs" else key): value for key, value in entry.get("range", {}).items()}


def plain_row(row: dict[str, Any]) -> dict[str, Any]:
    """`dtypes` per declared port, inputs then outputs: a datatype, a list of them, or None where the
    port must be absent; `since`, `until`, `arch` where its range has them."""
    dtypes = [port.get("names", []) for port in row.get("dtypes", [])]
    plain = {key: value for key, value in row.items() if key != "range"} | _range(row)
    return plain | {"dtypes": [None if not d else d[0] if len(d) == 1 else d for d in dtypes]}


def plain_constraint(constraint: dict[str, Any], ports: list[str]) -> dict[str, Any]:
    """The fields of its kind beside the others, `when` as {condition: value}, {condition: {port or
    param: value}}."""
    plain = {k: v for k, v in constraint.items() if k not in ("args", "when", "range", "any_of")} | _range(constraint)
    plain |= constraint.get("args", {})
    if constraint["kind"] == "scale_range" and "as" in plain:
        plain["as"] = [ports[int(i)] for i in plain["as"]]
    if "measured_since" in plain:
        plain["measured"] = {"since": plain.pop("measured_since"), "consequence": plain.pop("measured_consequence")}
    if "when" in constraint:
        plain["when"] = _conditions(constraint["when"])
    if "any_of" in constraint:
        plain["of"] = [[plain_constraint(one, ports) for one in alternative["all_of"]] for alternative in constraint["any_of"]]
    return plain


def _conditions(conditions: list[dict[str, Any]]) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for condition in conditions:
        key = condition["key"]
        value: Any = condition.get("names") or [int(n) for n in condition.get("numbers", [])]
        if key in FLAGS:
            value = bool(value[0])
        elif key in SINGLE:
            value = value[0] if len(value) == 1 else value
        subject = condition.get("param") if key in ("param", "param_not") else condition.get("port")
        if subject is None:
            plain[key] = value
        else:
            plain.setdefault(f"{key}_of" if key in OWN_OR_OTHER else key, {})[subject] = value
    return plain
