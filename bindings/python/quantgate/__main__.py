"""python -m quantgate sweep, graph, model: what of the command line needs Python."""

from __future__ import annotations

import sys


def model(path: str) -> int:
    """Prints the model of a .pt2 file as JSON, or in a line why it can't be read: status 2."""
    try:
        from quantgate import torch

        print(torch.read(path).to_json(0))
    except Exception as error:  # whatever PyTorch makes of a damaged file
        lines = str(error).strip().splitlines() or [type(error).__name__]
        print(lines[0].removeprefix(f"{path}: "))
        return 2
    return 0


def main(argv: list[str]) -> int:
    if argv[:1] == ["sweep"]:
        from quantgate._sweep.command import main as sweep

        return sweep(argv[1:])
    if argv[:1] == ["graph"]:
        from quantgate._graph.command import main as graph

        return graph(argv[1:])
    if argv[:1] == ["model"] and argv[-2:-1] == ["--"]:
        return model(argv[-1])
    print("error: python -m quantgate knows `sweep`, `graph` and `model -- FILE.pt2`; the rest is the program quantgate",
          file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
