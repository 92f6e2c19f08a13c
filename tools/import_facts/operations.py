"""Dtype rows of ops with an `operation` param: the variants hold for any operation, what a
single operation takes of them is told by constraints."""
from .measured import finding
from .variants import NEWEST, operation_name


def constraints(rows, facts):
    """Measured `dtypes` constraints per operation, and the operations they decide."""
    union = {tuple(v["dtypes"]) for v in rows.variants if "until" not in v}
    decided = {}
    for key in rows.keys:
        decided[operation_name(key.partition("/")[2])] = {
            tuple(row) for row in facts.rows[NEWEST][key]}
    positions = len(rows.names)
    collected = {}
    for position in range(positions):
        for operation, taken in decided.items():
            for prefix in sorted({row[:position] for row in union}):
                offered = {row[position] for row in union if row[:position] == prefix}
                allowed = {row[position] for row in taken if row[:position] == prefix}
                if prefix and not any(row[:position] == prefix for row in taken):
                    continue  # An earlier port refuses it.
                if offered <= allowed:
                    continue
                collected.setdefault((position, frozenset(allowed)), {}).setdefault(
                    prefix, set()).add(operation)
    result = []
    order = [operation for operation in decided]
    for (position, allowed), by_prefix in collected.items():
        by_operations = {}
        for prefix, operations in by_prefix.items():
            by_operations.setdefault(frozenset(operations), []).append(prefix)
        for operations, prefixes in by_operations.items():
            for when_of in _boxes(prefixes, rows.names):
                when = {"param": {"operation": [o for o in order if o in operations]}}
                if when_of:
                    when["dtype_of"] = when_of
                result.append(finding(rows.names[position], "dtypes", "rejected",
                                      allowed=_ordered(allowed), when=when, slug="dtypes-measured"))
    return result, set(decided)


def _ordered(dtypes):
    from .facts import PROBED
    return sorted(dtypes, key=PROBED.index)


def _boxes(prefixes, names):
    """Conditions on earlier ports that hold for exactly these prefixes: one port's datatypes
    are joined where the others are equal."""
    if prefixes == [()]:
        return [{}]
    boxes = [tuple((d,) for d in prefix) for prefix in sorted(prefixes)]
    position = 0
    while position < len(boxes[0]):
        joined = {}
        for box in boxes:
            rest = box[:position] + box[position + 1:]
            joined.setdefault(rest, []).extend(box[position])
        boxes = [rest[:position] + (tuple(sorted(set(values))),) + rest[position:]
                 for rest, values in joined.items()]
        position += 1
    return [{names[i]: _ordered(values) for i, values in enumerate(box)} for box in boxes]
