"""python -m quantgate sweep: what of the command line needs Python."""

from __future__ import annotations

import sys


def main(argv: list[str]) -> int:
    if argv[:1] == ["sweep"]:
        from quantgate._sweep.command import main as sweep

        return sweep(argv[1:])
    print("error: python -m quantgate knows `sweep`; the rest is the program quantgate",
          file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
