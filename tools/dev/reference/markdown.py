"""Small pieces of Markdown."""


def plain(text: str) -> str:
    """Text that isn't taken for markup, in a table cell either."""
    for mark in "\\`*_[]<>|#":
        text = text.replace(mark, "\\" + mark)
    return text.replace("\n", " ")


def code(text: str) -> str:
    return f"`{text.replace('|', chr(92) + '|')}`" if text else ""


def codes(texts: list[str], joined: str = ", ") -> str:
    return joined.join(code(t) for t in texts)


def table(titles: list[str], rows: list[list[str]]) -> str:
    """`titles` of columns that are empty in every row are left out, unless the first."""
    used = [i for i in range(len(titles)) if i == 0 or any(row[i] for row in rows)]
    lines = ["| " + " | ".join(titles[i] for i in used) + " |",
             "|" + "---|" * len(used)]
    lines += ["| " + " | ".join(row[i] for i in used) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def span(entry: dict) -> str:
    """"SDK 2.25 to below 2.47, v73+"; empty = everywhere."""
    since, until = entry["since"], entry["until"]
    parts = []
    if since and until:
        parts.append(f"SDK {since} to below {until}")
    elif since:
        parts.append(f"SDK {since}+")
    elif until:
        parts.append(f"SDK below {until}")
    if entry["archs"]:
        parts.append(entry["archs"])
    return ", ".join(parts)
