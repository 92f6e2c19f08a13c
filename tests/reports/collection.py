"""Loads the cases and their draws, and refuses what the format (README.md) doesn't know."""

from __future__ import annotations

import copy
import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import compact
import yaml

HERE = Path(__file__).resolve().parent
CASES = HERE / "cases"
DRAWS = HERE / "draws.yaml"

KINDS = ("log", "model")
# Topic -> what it is called in the tables.
TOPICS = {
    "logs": "lines of logs",
    "chips": "chips and SDKs",
    "dynamic": "dynamic shapes",
    "provider": "what a provider's own builders refuse",
    "sizes": "sizes",
    "numbers": "accuracy lost in the numbers",
    "shared-bias": "one bias for two ops",
    "rules": "ops, datatypes, encodings",
}
FAULTS = ("model", "quantizer", "converter", "backend", "device setup")
# Mildest first.
CONSEQUENCES = ("advice", "undocumented", "altered", "wrong_values", "prepare_fails", "rejected")
# What a working variant must not have.
WRONG = ("wrong_values", "prepare_fails", "rejected")
# Who confirms a failure beside the place that tells of it, strongest first.
CONFIRMED = ("provider", "library", "source", "document", "arithmetic", "nobody")
COMMANDS = ("check", "check --encodings")
TARGET = {"soc", "sdk", "arch", "route", "backend"}
COMMON = {"id", "link", "title", "kind", "topic", "fault", "draw", "expect"}
KEYS = {"log": COMMON | {"log", "model"},
        "model": COMMON | {"target", "command", "model", "encodings", "works", "contradicted", "confirmed"}}
REQUIRED = {"log": KEYS["log"] - {"model", "draw"},
            "model": KEYS["model"] - {"encodings", "works", "draw", "contradicted", "confirmed"}}
EXPECT = {"log": {"says", "node", "rules", "reason", "action"},
          "model": {"says", "at", "rules", "reason", "least", "arch", "exit"}}
LOG_LINES = 3
# How much of a draw is held out.
PARTS = ("quarter", "all")
LINK = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)/"
                  r"(?:(?:issues|pull|discussions)/\d+(?:#\S+)?|blob/[\w.-]+/\S+)")
RULE = re.compile(r"QG\d{3}|none|new")

Json = dict[str, Any]
# Of a case and of its working variant.
Models = tuple[Json | None, Json | None]


class Mistake(Exception):
    """The collection breaks its format; the message names file, case and key."""


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Refuses a key that a mapping has twice, of which YAML keeps the last. Libyaml's parser, where it is there, takes a
    tenth of the time."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"{key.value} is there twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


@dataclass
class Case:
    id: str
    link: str
    title: str
    kind: str
    topic: str
    fault: str
    draw: int
    expect: Json
    target: Json = field(default_factory=dict)
    command: str = "check"
    log: list[str] = field(default_factory=list)
    model: Json | None = None
    encodings: Json | None = None
    works: Case | None = None
    # The libraries that don't do what the thread says, and what they do: counted apart.
    contradicted: Json | None = None
    # One of CONFIRMED; "" in the draws that did not ask.
    confirmed: str = ""

    @property
    def project(self) -> str:
        return LINK.fullmatch(self.link)[1]  # type: ignore[index]


@dataclass
class Draw:
    """One salt, its cases held out until `score` is there."""

    draw: int
    salt: int | str
    known_rules: frozenset[str]
    score: Json | None
    part: str = "quarter"


def merge(base: Any, patch: Any) -> Any:
    """`patch` over `base`: mappings key by key, null deletes, anything else replaces."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    merged = copy.deepcopy(base) if isinstance(base, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge(merged.get(key), value)
    return merged


def need(true: Any, message: str) -> None:
    if not true:
        raise Mistake(message)


def only(keys: Any, known: set[str], place: str) -> None:
    need(isinstance(keys, dict), f"{place} is no mapping")
    unknown = sorted(set(keys) - known)
    need(not unknown, f"{place}: unknown {', '.join(map(str, unknown))}")


def pattern(text: Any, place: str) -> None:
    need(isinstance(text, str) and text, f"{place} is no regular expression")
    try:
        re.compile(text)
    except re.error as error:
        raise Mistake(f"{place}: {text!r}: {error}") from None


def check_rules(rules: Any, place: str) -> None:
    need(isinstance(rules, list), f"{place} is no list")
    for rule in rules:
        need(RULE.fullmatch(str(rule)), f"{place}: {rule} is no rule's code, `none` or `new`")


def check_sentence(text: Any, place: str) -> None:
    need(isinstance(text, str) and text.strip(), f"{place} is no sentence")


def check_log(raw: Json) -> None:
    lines = raw["log"]
    need(isinstance(lines, list) and lines and all(isinstance(line, str) for line in lines),
         "log is no list of lines")
    need(len(lines) <= LOG_LINES, f"log has {len(lines)} lines, at most {LOG_LINES} are allowed")
    reasons = raw["expect"].get("reason")
    need(isinstance(reasons, list) and reasons, "expect.reason is no list of regular expressions")
    for reason in reasons:
        pattern(reason, "expect.reason")
    if "action" in raw["expect"]:
        pattern(raw["expect"]["action"], "expect.action")


def check_target(target: Any) -> None:
    only(target, TARGET, "target")
    need(all(isinstance(value, str) for value in target.values()), "target: quote numbers")


def places(expect: Json) -> list[str]:
    """`at` as a list; "model" and "target" stand for findings without a node."""
    return expect["at"] if isinstance(expect["at"], list) else [expect["at"]]


def check_contradicted(raw: Any) -> None:
    only(raw, {"libraries", "measured"}, "contradicted")
    for key in ("libraries", "measured"):
        check_sentence(raw.get(key), f"contradicted.{key}")


def working_variant(raw: Json) -> Json:
    """Target, model and encodings of a case, with what its `works` changes."""
    return merge({key: raw[key] for key in ("target", "model", "encodings") if key in raw}, raw["works"])


def check_model(raw: Json) -> Models:
    """The case's model and that of its working variant, expanded."""
    check_target(raw["target"])
    if "contradicted" in raw:
        check_contradicted(raw["contradicted"])
    need(raw.get("confirmed", CONFIRMED[0]) in CONFIRMED, f"confirmed is none of: {', '.join(CONFIRMED)}")
    need(raw["command"] in COMMANDS, f"command is none of: {', '.join(COMMANDS)}")
    need(("encodings" in raw) == (raw["command"] == "check --encodings"),
         "encodings come with `check --encodings`, and only there")
    expect = raw["expect"]
    need("at" in expect, "expect.at is missing")
    pattern(expect.get("reason"), "expect.reason")
    model = compact.expand(raw["model"])
    names = {node["name"] for node in model["nodes"]} | {"model", "target"}
    for name in places(expect):
        need(name in names, f"expect.at: there is no node {name}")
    if expect["at"] != "target":
        need(expect.get("least") in CONSEQUENCES, f"expect.least is none of: {', '.join(CONSEQUENCES)}")
        need("arch" not in expect and "exit" not in expect, "expect.arch and .exit go with `at: target`")
    works = raw.get("works")
    if works is None:
        return model, None
    only(works, {"target", "model", "encodings"}, "works")
    need(works != {}, "works is empty")
    fixed = working_variant(raw)
    check_target(fixed["target"])
    need(("encodings" in fixed) == ("encodings" in raw), "works: encodings come and go with the case")
    return model, compact.expand(fixed["model"])


def check_case(raw: Any) -> Models:
    """The models that were expanded on the way, for case_of()."""
    need(isinstance(raw, dict), "is no mapping")
    need(raw.get("kind") in KINDS, f"kind is none of: {', '.join(KINDS)}")
    only(raw, KEYS[raw["kind"]], "case")
    missing = sorted(REQUIRED[raw["kind"]] - set(raw))
    need(not missing, f"missing: {', '.join(missing)}")
    need(re.fullmatch(r"[a-z0-9-]+", str(raw["id"])), "id is not made of a-z, 0-9 and -")
    need(LINK.fullmatch(str(raw["link"])), f"link: {raw['link']} is no thread of a tracker")
    need(raw["topic"] in TOPICS, f"topic is none of: {', '.join(TOPICS)}")
    need((raw["topic"] == "logs") == (raw["kind"] == "log"), "the topic `logs` goes with the kind `log`")
    need(raw["fault"] in FAULTS, f"fault is none of: {', '.join(FAULTS)}")
    need(isinstance(raw.get("draw", 1), int), "draw is no number")
    check_sentence(raw["title"], "title")
    only(raw["expect"], EXPECT[raw["kind"]], "expect")
    check_sentence(raw["expect"].get("says"), "expect.says")
    if "rules" in raw["expect"]:
        check_rules(raw["expect"]["rules"], "expect.rules")
    if raw["kind"] == "model":
        return check_model(raw)
    check_log(raw)
    return None, None


def case_of(raw: Json, models: Models = (None, None)) -> Case:
    """A checked case, its models expanded: those of check_case() where they are given."""
    given = {key: raw[key] for key in Case.__dataclass_fields__ if key in raw and key not in ("works", "model")}
    case = Case(**{"draw": 1, **given})
    if "model" in raw:
        case.model = models[0] or compact.expand(raw["model"])
    if "works" in raw:
        fixed = working_variant(raw)
        case.works = copy.copy(case)
        case.works.works = case.works.contradicted = None
        case.works.target, case.works.encodings = fixed["target"], fixed.get("encodings")
        case.works.model = models[1] or compact.expand(fixed["model"])
    return case


def load_text(text: str, name: str) -> list[Case]:
    try:
        document = yaml.load(text, Loader)  # noqa: S506: a safe one
    except yaml.YAMLError as error:
        raise Mistake(f"{name}: {error}") from None
    if not isinstance(document, dict) or set(document) != {"cases"} or not isinstance(document["cases"], list):
        raise Mistake(f"{name}: is no mapping with a list of `cases`")
    cases = []
    for index, raw in enumerate(document["cases"]):
        place = f"{name}: {raw.get('id', index) if isinstance(raw, dict) else index}"
        try:
            cases.append(case_of(raw, check_case(raw)))
        except (Mistake, compact.Mistake) as error:
            raise Mistake(f"{place}: {error}") from None
    return cases


def load(folder: Path = CASES) -> list[Case]:
    """Every case, in the order of files and lines."""
    cases: list[Case] = []
    for path in sorted(folder.glob("*.yaml")):
        cases += load_text(path.read_text(encoding="utf-8"), path.name)
    seen: set[str] = set()
    for case in cases:
        need(case.id not in seen, f"two cases are called {case.id}")
        seen.add(case.id)
    return cases


def rule_codes(ranges: list[str]) -> frozenset[str]:
    """"QG101-106" -> QG101, ..., QG106."""
    codes: set[str] = set()
    for text in ranges:
        match = re.fullmatch(r"QG(\d{3})(?:-(\d{3}))?", str(text))
        need(match, f"draws.yaml: {text} is no range of rules")
        codes |= {f"QG{number}" for number in range(int(match[1]), int(match[2] or match[1]) + 1)}  # type: ignore[index]
    return frozenset(codes)


def load_draws(path: Path = DRAWS) -> dict[int, Draw]:
    draws = {}
    for raw in yaml.safe_load(path.read_text(encoding="utf-8"))["draws"]:
        only(raw, {"draw", "salt", "part", "known_rules", "score"}, "draws.yaml")
        part = raw.get("part", "quarter")
        need(part in PARTS, f"draws.yaml: part is none of: {', '.join(PARTS)}")
        draws[raw["draw"]] = Draw(raw["draw"], raw["salt"], rule_codes(raw["known_rules"]), raw.get("score"), part)
    return draws


def drawn(case: Case, draw: Draw) -> bool:
    """Whether the case's draw holds it out: all of its cases, or the quarter that its salt picks."""
    if draw.part == "all":
        return True
    digest = hashlib.sha256(f"{draw.salt}{case.link}".encode()).digest()
    return int.from_bytes(digest, "big") % 4 == 0


def held_out(case: Case, draws: dict[int, Draw]) -> bool:
    """Whether the case may not be looked at: drawn, and its draw not scored yet."""
    need(case.draw in draws, f"{case.id}: draws.yaml has no draw {case.draw}")
    draw = draws[case.draw]
    return draw.score is None and drawn(case, draw)
