#!/usr/bin/env python3
"""Where the numbers begin to be off: first.py ARCH MODEL.onnx INPUTS.npz ANSWER.json LOG.

The model is run once more with every dequantized activation as an output, by the provider and on the
CPU; the first in the order of the graph that is off by more than the limit, and by more than three
times what moved inputs do to it, names the op that made it. With so many outputs the provider
sometimes leaves garbage in them, and computes other things right that it computes wrong otherwise: so
the activation has to be off as the only one that is made an output, too. Where none is, activations
are made outputs a few at a time. And it has to be what makes the model off: the CPU, going on from
it, gets an output that is. (Where none is so, several errors come together, and the first counts.)
From there the search goes back to the op that does it (origin.py).
{"first": node | null, "shown": the first that is off | null, "causes": whether it makes the model off,
"off", "noise"}.
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
from limits import BEGINS, NOISES, OFF
from measures import makers, with_outputs

CONFIRMED, GROUP, GROUPS = 12, 8, 24  # activations that are confirmed; of groups: how large, how many


def moved_run(model: onnx.ModelProto, order: dict[str, str], given: dict, want: dict,
              scratch: Path) -> dict[str, np.ndarray]:
    """The activations of moved inputs, on the CPU; of those that these don't move, of moved embedding tables."""
    scratch.write_bytes(with_outputs(model, order))
    values = reference.moved_values(str(scratch), given, want)
    scratch.unlink()
    return values


class Search:
    def __init__(self, arch: str, model: onnx.ModelProto, given: dict, log: Path, scratch: Path):
        self._asker, self._model, self._given = alone.Alone(arch, log), model, given
        self.order = makers(model)
        self._want = reference.run(with_outputs(model, self.order), given)
        self._moved = moved_run(model, self.order, given, self._want, scratch)
        self._ends = [o.name for o in model.graph.output]

    def values(self, tensors: list[str]) -> tuple[str, dict[str, np.ndarray] | None]:
        """The state of a session with these as outputs too, and what they are in it."""
        state, got = self._asker.run(with_outputs(self._model, tensors), self._given, strict=False)
        names = self._ends + [t for t in tensors if t not in self._ends]
        return state, dict(zip(names, got)) if state == "ok" else None

    def figures(self, tensor: str, mine: np.ndarray, limit: float = BEGINS) -> tuple[float, float] | None:
        """(off, noise) of a tensor that is off."""
        want = self._want[tensor]
        off, noise = measures.off(mine, want), measures.off(self._moved[tensor], want)
        return (off, noise) if off > limit and off > NOISES * noise else None

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
        yield from (end for end in self._ends if end in self.order)

    def causes(self, tensor: str, mine: np.ndarray) -> bool:
        """Whether the CPU gets an output that is off when it goes on from this activation of the NPU."""
        for end in self._ends:
            if tensor == end:
                return True
            got = reference.run(origin.cut(self._model, {tensor: mine}, end), self._given | {tensor: mine})[end]
            if self.figures(end, got, OFF):
                return True
        return False

    def found(self, tensor: str, figures: tuple[float, float], state: str, causes: bool) -> dict:
        return {"first": self.origin(tensor), "shown": self.order[tensor], "causes": causes, "off": figures[0],
                "noise": figures[1], "state": state}

    def first(self) -> dict:
        state, found = self.off(list(self.order))
        rest: tuple[str, tuple[float, float]] | None = None
        for tensor in self.suspects(list(found)):
            mine = self.values([tensor])[1]
            figures = self.figures(tensor, mine[tensor]) if mine else None
            if mine and figures and self.causes(tensor, mine[tensor]):
                return self.found(tensor, figures, state, True)
            if figures:
                rest = rest or (tensor, figures)
        if rest:
            return self.found(*rest, state, False)
        return {"first": None, "shown": None, "causes": False, "off": None, "noise": None, "state": state}


def main() -> int:
    arch, path, inputs, answer, log = sys.argv[1:]
    search = Search(arch, onnx.load(path), dict(np.load(inputs)), Path(log), Path(answer).with_suffix(".onnx"))
    Path(answer).write_text(json.dumps(search.first()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
