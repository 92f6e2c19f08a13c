"""What a form of an export has as another has it, in fewer bytes: runs of a graph's parts, named by their places.

Nodes and shapes of an export's forms are the same, and many constants. In `left_out` the field RUN stands for parts of
the base's graph that follow each other: the first, and how many. Q and DQ of 16 bits have a domain of their own, which
others don't. `put_back` is the way back, byte by byte the same; standard library only.
"""

from __future__ import annotations

import wire

GRAPH, NODE, RUN = 7, 1, 15
DOMAIN = wire.field(7, b"com.microsoft")
LEAST = 2  # parts of a run


def _graph(data: bytes) -> tuple[int, int, int]:
    """Where the graph's field begins, its content, and where it ends."""
    for number, _, begin, end in wire.fields(data):
        if number == GRAPH:
            return begin - len(wire.written(end - begin)) - 1, begin, end
    return len(data), len(data), len(data)


def _parts(data: bytes) -> list[bytes]:
    """The fields of the graph, each with its tag."""
    _, at, end = _graph(data)
    parts = []
    for number, kind, first, last in wire.fields(data, at, end):
        if kind == wire.NUMBER:
            last = at + len(wire.written(number << 3)) + len(wire.written(first))
        parts.append(data[at:last])
        at = last
    return parts


def _plain(part: bytes) -> bytes:
    """A node without the domain of 16 bits."""
    if part[0] >> 3 != NODE or not part.endswith(DOMAIN):
        return part
    _, at = wire.varint(part, 1)
    return wire.field(NODE, part[at:-len(DOMAIN)])


def _runs(parts: list[bytes], base: list[bytes]) -> list[tuple[int, int] | bytes]:
    """Runs of the base's parts as (first, how many), and the parts that are none."""
    places: dict[bytes, int] = {}
    for i, part in enumerate(base):
        places.setdefault(part, i)
    found: list[tuple[int, int] | bytes] = []
    at = 0
    while at < len(parts):
        first = places.get(parts[at], -1)
        count = 0
        while first >= 0 and at + count < len(parts) and base[first + count:first + count + 1] == [parts[at + count]]:
            count += 1
        found.append((first, count) if count >= LEAST else parts[at])
        at += count if count >= LEAST else 1
    return found


def _with_graph(data: bytes, graph: bytes) -> bytes:
    start, _, end = _graph(data)
    return data[:start] + wire.field(GRAPH, graph) + data[end:]


def left_out(data: bytes, base: bytes) -> bytes:
    runs = _runs(_parts(data), [_plain(part) for part in _parts(base)])
    out = b"".join(run if isinstance(run, bytes) else wire.field(RUN, wire.written(run[0]) + wire.written(run[1]))
                   for run in runs)
    packed = _with_graph(data, out)
    return packed if put_back(packed, base) == data else data


def put_back(data: bytes, base: bytes) -> bytes:
    theirs: list[bytes] = []
    out = []
    for part in _parts(data):
        if part[0] >> 3 == RUN:
            theirs = theirs or [_plain(p) for p in _parts(base)]
            first, at = wire.varint(part, 2)
            count, _ = wire.varint(part, at)
            out += theirs[first:first + count]
        else:
            out.append(part)
    return _with_graph(data, b"".join(out)) if theirs else data
