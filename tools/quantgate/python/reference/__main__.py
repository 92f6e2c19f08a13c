"""python -m reference: judges executed nodes.

Reads one Model of a single node a line, with the stored `values` of every tensor, outputs as a
library computed them; prints one JSON object a line: {"evaluated": true, "result", "steps",
"fraction", "share", "output"} or {"evaluated": false, "reason"}.
"""

from __future__ import annotations

import json
import sys

from .judge import Judgement, judge


def main() -> int:
    for line in sys.stdin:
        model = json.loads(line)
        tensors = {t["name"]: t for t in model.get("tensors", [])}
        values = {name: t.get("values") or t.get("realValues") or [] for name, t in tensors.items()}
        try:
            node = dict(model["nodes"][0])
            node.setdefault("inputs", [])
            said = judge(node, tensors, values)
        except (KeyError, IndexError, ValueError, TypeError, ArithmeticError) as error:
            said = Judgement("", f"the node can't be judged: {type(error).__name__}: {str(error)[:80]}")
        print(json.dumps(said.json()), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
