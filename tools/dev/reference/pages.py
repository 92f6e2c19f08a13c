"""The pages: <output>/index.md, sources.md, coverage.md, command_line.md, <backend>/index.md,
<backend>/<Op>.md, rules/<slug>.md, schemas/<name>.md."""
import pathlib
import shutil

from . import command_line, coverage, rules, schemas
from .database import Database
from .markdown import code, codes, plain, span, table

WORDS = {
    "accepted": "supported", "undocumented": "the library accepts it, against or beyond the documents",
    "rejected": "op validation refuses", "prepare_fails": "graph preparation fails",
    "wrong_values": "every call succeeds, the numbers are wrong", "altered": "runs, but not as written",
    "advice": "runs, slower or less accurate"}


def anchor(source: str) -> str:
    return source.replace(".", "-")


def sources(ids: list[str]) -> str:
    return ", ".join(f"[{i}](../sources.md#{anchor(i)})" for i in ids)


def ports(op: dict) -> str:
    rows = []
    for port in op["inputs"] + op["outputs"]:
        words = [w for w, said in (("optional", port["optional"]),
                                   ("any number", port["variadic"])) if said]
        if "channelAxis" in port:
            words.append(f"channels on axis {port['channelAxis']}")
        rows.append([code(port["port"]), plain(port["role"]), ", ".join(words)])
    return "## Ports\n\n" + table(["port", "role", "notes"], rows)


def params(op: dict) -> str:
    if not op["params"]:
        return ""
    rows = []
    for param in op["params"]:
        dtype = code(param["dtype"])
        if param["rank"] is not None:
            dtype += f", rank {param['rank']}"
        need = "required" if param["required"] else ""
        if param["default"]:
            need = f"default {plain(param['default'])}"
        values = ", ".join(f"{plain(n)} = {v}" for n, v in param["values"].items())
        rows.append([code(param["name"]), dtype, need, values])
    return "\n## Params\n\n" + table(["param", "dtype", "given", "values"], rows)


def precisions(database: Database, op: dict) -> str:
    matrix = database.matrices[op["backend"]]
    row = next((r for r in matrix["rows"] if r["op"] == op["op"]), None)
    if row is None:
        return ""
    shown = [p for p in matrix["precisions"]
             if any(c and any(t["precision"] == p["id"] for t in c["supported"]) for c in row["cells"])]
    if not shown:
        return ""
    lines = []
    for column, cell in zip(matrix["columns"], row["cells"]):
        words = [column["name"]]
        for precision in shown:
            taken = next((t for t in (cell or {"supported": []})["supported"]
                          if t["precision"] == precision["id"]), None)
            if taken is None:
                words.append("–")
            elif taken["verdict"] != "accepted":
                words.append(taken["verdict"])
            else:
                words.append("measured" if taken["measured"] else "documented")
        lines.append(words)
    titles = [matrix["by"]] + [(not row["weighted"] and p["unweighted"]) or p["id"] for p in shown]
    head = f"\n## Precisions\n\nBy {matrix['by']}"
    if matrix["by"] == "arch":
        head += f", SDK {matrix['columns'][0]['target']['sdk']}"
    return head + ".\n\n" + table(titles, lines)


def variants(op: dict) -> str:
    names = [p["port"] for p in op["inputs"] + op["outputs"]]
    rows = []
    for variant in op["variants"]:
        verdict = variant["consequence"]
        if variant["undocumentedUntil"]:
            verdict += f" (undocumented below {variant['undocumentedUntil']})"
        rows.append([code(variant["id"].split("#")[1])] +
                    [codes(d, " ") if d else "absent" for d in variant["dtypes"]] +
                    [verdict, span(variant), sources(variant["sources"])])
    text = "\n## Dtypes\n\n"
    if op["listsPerPort"]:
        text += ("Lists per port: a combination that the documents don't state is undocumented, never "
                 "rejected.\n\n")
    return text + table(["row"] + names + ["verdict", "where", "sources"], rows)


def rule_link(database: Database, code: str) -> str:
    return f"[{code}](../rules/{rules.file_name(database.rules[code])})" if code else ""


def constraints(database: Database, op: dict) -> str:
    if not op["constraints"]:
        return ""
    text = "\n## Constraints\n"
    for port in dict.fromkeys(c["port"] for c in op["constraints"]):
        rows = []
        for c in op["constraints"]:
            if c["port"] != port:
                continue
            holds = plain(c["text"])
            if c["groups"]:
                holds += f" (rows {plain(', '.join(c['groups']))})"
            if c["note"]:
                holds += f"; {plain(c['note'])}"
            breaking = "" if c["kind"] == "note" else c["consequence"]
            if c["measured"]:
                breaking = f"{c['measured']['consequence']} from {c['measured']['since']} on"
            rows.append([code(c["id"].split("/", 2)[2]), rule_link(database, c["rule"]), holds, breaking, span(c),
                         sources(c["sources"])])
        text += f"\n### {plain(port)}\n\n" + table(
            ["constraint", "rule", "must hold", "breaking it", "where", "sources"], rows)
    used = dict.fromkeys(c["consequence"] for c in op["constraints"] if c["kind"] != "note")
    return text + "\n" + " · ".join(f"{name}: {WORDS[name]}" for name in WORDS if name in used) + "\n"


def op_page(database: Database, op: dict) -> str:
    backend = op["backend"]
    text = f"# {op['op']} on {backend}\n\n"
    others = [b for b in database.backends if b != backend
              and any(o["op"] == op["op"] for o in database.ops[b])]
    where = span(op)
    text += (f"What {op['op']} accepts on the backend {backend}" + (f" ({where})" if where else "")
             + f": ports, params, dtypes and constraints. All ops of [{backend}](index.md)")
    if others:
        text += "; the same op on " + ", ".join(f"[{b}](../{b}/{op['op']}.md)" for b in others)
    return (text + ".\n\n" + ports(op) + params(op) + precisions(database, op) + variants(op)
            + constraints(database, op))


def backend_index(database: Database, backend: str) -> str:
    about = database.backend(backend)
    matrix = database.matrices[backend]
    best = {}
    for row in matrix["rows"]:
        found = dict.fromkeys(t["precision"] for c in row["cells"] if c for t in c["supported"])
        best[row["op"]] = ", ".join(p["id"] for p in matrix["precisions"] if p["id"] in found)
    rows = [[f"[{op['op']}]({op['op']}.md)", str(len(op["variants"])),
             str(sum(c["kind"] != "note" for c in op["constraints"])), best.get(op["op"], ""), span(op)]
            for op in database.ops[backend]]
    text = f"# Ops of {backend}\n\nSDK versions with facts of their own: {', '.join(about['sdks'])}."
    if about["archs"]:
        text += f" Architectures: {', '.join(about['archs'])}."
    return (text + " [All backends](../index.md)\n\n"
            + table(["op", "rows", "constraints", "precisions", "where"], rows))


def index(database: Database) -> str:
    rows = []
    for backend in database.backends:
        ops = database.ops[backend]
        rows.append([f"[{backend}]({backend}/index.md)", ", ".join(database.backend(backend)["sdks"]),
                     str(len(ops)), str(sum(len(o["variants"]) for o in ops)),
                     str(sum(c["kind"] != "note" for o in ops for c in o["constraints"]))])
    text = ("# Reference\n\nLook up what each backend accepts of each op, every [rule](rules/index.md), the "
            "[command line](command_line.md) and the [JSON formats](schemas/index.md). The database's "
            "[sources](sources.md), and [how much of it is checked](coverage.md).\n\n")
    text += table(["backend", "SDK", "ops", "dtype rows", "constraints"], rows) + "\n## All ops\n\n"
    names = sorted({op["op"] for ops in database.ops.values() for op in ops})
    there = {b: {op["op"] for op in database.ops[b]} for b in database.backends}
    return text + table(["op"] + database.backends, [
        [name] + [f"[yes]({b}/{name}.md)" if name in there[b] else "" for b in database.backends]
        for name in names])


def sources_page(database: Database) -> str:
    text = "# Sources\n\nThe documents and measured libraries that rows and constraints are based on.\n"
    for source in database.sources:
        how = "measured" if source.get("measured") else "documented"
        text += f"\n## {anchor(source['id'])}\n\n{code(source['id'])}: {plain(source['title'])} ({how}).\n"
    return text


def schemas_index() -> str:
    return ("# JSON formats\n\nThe fields of everything that quantgate writes as JSON, and of its configuration. "
            "The tests validate recorded outputs against these schemas.\n\n" +
            "".join(f"- [{path.name}]({path.stem}.md)\n" for path in schemas.files()))


def write(database: Database, output: pathlib.Path) -> list[str]:
    """Writes the pages and returns their names."""
    pages = {"index.md": index(database), "sources.md": sources_page(database),
             "coverage.md": coverage.page(database), "command_line.md": command_line.page(database),
             "rules/index.md": rules.index(database), "schemas/index.md": schemas_index()}
    for rule in database.rules.values():
        pages[f"rules/{rules.file_name(rule)}"] = rules.page(database, rule)
    for path in schemas.files():
        pages[f"schemas/{path.stem}.md"] = schemas.page(path)
    for backend in database.backends:
        pages[f"{backend}/index.md"] = backend_index(database, backend)
        for op in database.ops[backend]:
            pages[f"{backend}/{op['op']}.md"] = op_page(database, op)
    # Pages of ops that are gone must not stay.
    for old in output.glob("**/*.md"):
        if old.relative_to(output).as_posix() not in pages:
            old.unlink()
    for name, text in pages.items():
        path = output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for path in schemas.files():
        shutil.copy(path, output / "schemas")
    return list(pages) + [f"schemas/{path.name}" for path in schemas.files()]
