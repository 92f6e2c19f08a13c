#!/usr/bin/env python3
"""Where the numbers begin to be off: first.py ARCH MODEL.onnx INPUTS.npz ANSWER.json LOG.

The model is run once more with every dequantized activation as an output, by the provider and on the
CPU; the first in the order of the graph that is off by more than the limit, and by more than three
times what moved inputs do to it, names the op that made it. With so many outputs the provider
sometimes leaves garbage in them, and computes other things right that it computes wrong otherwise: so
the activation has to be off as the only one that is made an output, too. Where none is, activations
are made outputs a few at a time. From there the search goes back to the op that does it (origin.py).
{"first": node | null, "shown": the first that is off | null, "off", "noise"}.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import alone
import ask
import measures
import numpy as np
import onnx
import origin
import reference
from measures import makers, with_outputs

LIMIT, NOISES = 0.025, 3.0
CONFIRMED, GROUP, GROUPS = 12, 8, 24  # activations that are confirmed; of groups: how large, how many


def moved_run(model: onnx.ModelProto, order: dict[str, str], given: dict, scratch: Path) -> dict[str, np.ndarray]:
    """The activations of moved inputs, on the CPU; where none can be moved, of moved embedding tables."""
    tapped = with_outputs(model, order)
    changed = tapped
    if not any(np.issubdtype(v.dtype, np.floating) for v in given.values()):
        scratch.write_bytes(tapped)
        changed = reference.moved_tables(str(scratch)) or tapped
        scratch.unlink()
    return reference.run(changed, measures.moved(given))


class Search:
    def __init__(self, arch: str, model: onnx.ModelProto, given: dict, log: Path, scratch: Path):
        self._asker, self._model, self._given = alone.Alone(arch, log), model, given
        self.order = makers(model)
        self._want = reference.run(with_outputs(model, self.order), given)
        self._moved = moved_run(model, self.order, given, scratch)
        self._ends = [o.name for o in model.graph.output]

    def values(self, tensors: list[str]) -> tuple[str, dict[str, np.ndarray] | None]:
        """The state of a session with these as outputs too, and what they are in it."""
        state, got = self._asker.run(with_outputs(self._model, tensors), self._given, strict=False)
        names = self._ends + [t for t in tensors if t not in self._ends]
        return state, dict(zip(names, got)) if state == "ok" else None

    def figures(self, tensor: str, mine: np.ndarray) -> tuple[float, float] | None:
        """(off, noise) of an activation that is off."""
        want = self._want[tensor]
        off, noise = measures.off(mine, want), measures.off(self._moved[tensor], want)
        return (off, noise) if off > LIMIT and off > NOISES * noise else None

    def off(self, tensors: list[str]) -> tuple[str, dict[str, tuple[float, float]]]:
        """The state of a session with these as outputs too; (off, noise) of those that are off, in their order."""
        state, mine = self.values(tensors)
        found = {tensor: self.figures(tensor, mine[tensor]) for tensor in tensors} if mine else {}
        return state, {tensor: figures for tensor, figures in found.items() if figures}

    def origin(self, tensor: str) -> str:
        """The op that the error of an activation comes from."""
        found = origin.Origin(self._model, self._given, self.order, self._want, lambda names: self.values(names)[1],
                              lambda name, mine: self.figures(name, mine) is not None)
        return found.maker(found.of(tensor))

    def suspects(self, all_off: list[str]) -> Iterator[str]:
        yield from all_off[:CONFIRMED]
        tensors = list(self.order)
        for i in range(0, min(len(tensors), GROUP * GROUPS), GROUP):
            yield from self.off(tensors[i:i + GROUP])[1]

    def first(self) -> dict:
        state, found = self.off(list(self.order))
        for tensor in self.suspects(list(found)):
            confirmed = self.off([tensor])[1]
            if confirmed:
                off, noise = confirmed[tensor]
                return {"first": self.origin(tensor), "shown": self.order[tensor], "off": off,
                        "noise": noise, "state": state}
        return {"first": None, "shown": None, "off": None, "noise": None, "state": state}


def main() -> int:
    arch, path, inputs, answer, log = sys.argv[1:]
    search = Search(arch, onnx.load(path), dict(np.load(inputs)), Path(log), Path(answer).with_suffix(".onnx"))
    Path(answer).write_text(json.dumps(search.first()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
