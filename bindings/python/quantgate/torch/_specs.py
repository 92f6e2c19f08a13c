"""Annotations of PT2E quantizers: which observer each tensor and each edge will have.

Specs are recognised by their attributes, so those of torch.ao and of torchao are read alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from torch.fx import Node

from quantgate.torch import _encodings as encodings
from quantgate.torch._encodings import Quantized, StandIns, Unknown
from quantgate.torch._operators import values_of

KEY = "quantization_annotation"

# Where a spec stands: on the output of a node, or on the edge (producer, consumer).
Place: TypeAlias = Node | tuple[Node, Node]

# Observers of edges and outputs are one where all of these agree.
_SAME = ("dtype", "is_dynamic", "quant_min", "quant_max", "qscheme", "ch_axis", "scale",
         "zero_point")


class Resolved(NamedTuple):
    quantized: Quantized
    spec: Any  # without SharedQuantizationSpec
    problem: str = ""


def annotation(node: Node) -> Any:
    return node.meta.get(KEY)


def input_spec(producer: Node, consumer: Node) -> Any:
    specs = getattr(consumer.meta.get(KEY), "input_qspec_map", None)
    return specs.get(producer) if isinstance(specs, dict) else None


def output_spec(node: Node) -> Any:
    return getattr(node.meta.get(KEY), "output_qspec", None)


def shape_of(node: Node) -> tuple[int, ...] | None:
    shape = getattr(node.meta.get("val"), "shape", None)
    return None if shape is None else tuple(d if type(d) is int else -1 for d in shape)


def _name(place: Place) -> str:
    return place.name if isinstance(place, Node) else f"{place[0].name} -> {place[1].name}"


class Specs:
    """Resolves the specs of one graph; each place once."""

    def __init__(self, stand_ins: StandIns) -> None:
        self._stand_ins = stand_ins
        self.known: dict[Place, Resolved | str] = {}
        self._derived: dict[tuple[Any, ...], Quantized | str] = {}
        self._same: dict[tuple[int, int], bool] = {}
        self._open: set[Place] = set()
        # By id: the spec, which stays alive here, and what it says.
        self._read: dict[int, tuple[Any, Quantized | None, Any, Any]] = {}

    def at(self, place: Place, spec: Any) -> Resolved:
        """Of `spec`, which stands at `place`. Raises Unknown with the reason."""
        known = self.known.get(place)
        if known is None:
            try:
                known = self._resolve(place, spec)
            except Unknown as unknown:
                known = str(unknown)
            except Exception as error:  # specs are the user's own code
                known = f"its spec can't be read: {type(error).__name__}: {error}"
            self.known[place] = known
        if isinstance(known, str):
            raise Unknown(known)
        return known

    def same(self, a: Any, b: Any) -> bool:
        """Observers of these specs on both ends of an edge are one."""
        if a is b:
            return True
        key = (id(a), id(b))
        known = self._same.get(key)
        if known is None:
            known = all(getattr(a, name, None) == getattr(b, name, None) for name in _SAME)
            known = known and _fixed(a) == _fixed(b)
            self._same[key] = known
        return known

    def _resolve(self, place: Place, spec: Any) -> Resolved:
        # Chains of shared specs are followed without recursion: they may be long.
        chain: list[Place] = []
        while hasattr(spec, "edge_or_node"):
            chain.append(place)
            place = spec.edge_or_node
            if isinstance(place, (list, tuple)):
                place = tuple(place)
            if place in chain:
                raise Unknown("shared specs refer to each other in a circle: " +
                              ", ".join(_name(p) for p in [*chain[chain.index(place):], place]))
            known = self.known.get(place)
            if isinstance(known, Resolved):
                return known
            spec = self._spec_at(place)
            if spec is None:
                raise Unknown(f"it shares the spec of {_name(place)}, which has none")
        if place in self.known and chain:
            return self.at(place, spec)
        resolved = (self._of_producer(place, spec) or self._of_same_values(place, spec)
                    or Resolved(self._quantized(place, spec), spec))
        self.known[place] = resolved
        return resolved

    def _of_producer(self, place: Place, spec: Any) -> Resolved | None:
        """An edge shares the observer of its producer's output, else that of the first edge from
        there, where the specs agree."""
        if isinstance(place, Node) or hasattr(spec, "derived_from"):
            return None
        producer, consumer = place
        if not getattr(annotation(consumer), "allow_implicit_sharing", True):
            return None
        output = output_spec(producer)
        if output is not None:
            other = self._try(producer, output)
            return other if other is not None and self.same(other.spec, spec) else None
        for user in producer.users:
            if user is consumer:
                return None
            first = input_spec(producer, user)
            if first is not None and not hasattr(first, "derived_from"):
                other = self._try((producer, user), first)
                if other is not None and self.same(other.spec, spec):
                    return other
        return None

    def _of_same_values(self, place: Place, spec: Any) -> Resolved | None:
        """Before calibration: an observer of values that another one sees already, further up
        behind nodes that only arrange them, will find the same."""
        if hasattr(spec, "derived_from"):
            return None
        node = place if isinstance(place, Node) else place[0]
        while (source := values_of(node)) is not None:
            for at, found in (((source, node), input_spec(source, node)),
                              (source, output_spec(source))):
                if found is not None and not hasattr(found, "derived_from"):
                    other = self._try(at, found)
                    agrees = (other is not None and other.quantized.stand_in
                              and self.same(other.spec, spec))
                    return other if agrees else None
            node = source
        return None

    def _try(self, place: Place, spec: Any) -> Resolved | None:
        known = self.known.get(place)
        if known is None and place not in self._open:
            self._open.add(place)  # a circle through producers ends here
            try:
                known = self.at(place, spec)
            except Unknown:
                return None
            finally:
                self._open.discard(place)
        return known if isinstance(known, Resolved) else None

    @staticmethod
    def _spec_at(place: Place) -> Any:
        if isinstance(place, Node):
            return output_spec(place)
        if not (isinstance(place, tuple) and len(place) == 2
                and all(isinstance(node, Node) for node in place)):
            raise Unknown("it shares the spec of something that is no node and no edge")
        spec = input_spec(*place)
        return output_spec(place[0]) if spec is None else spec

    def _quantized(self, place: Place, spec: Any) -> Quantized:
        if hasattr(spec, "derived_from"):
            return self.derived(spec, lambda place: None)
        # One spec object stands at many places.
        known = self._read.get(id(spec))
        if known is None:
            known = self._read[id(spec)] = (spec, *self._facts(spec))
        _, fixed, facts, blocks = known
        if fixed is not None:
            return fixed
        dtype, low, high, scheme, axis = facts
        return self._stand_ins.of(dtype, low, high, scheme, axis,
                                  _blocks(place, blocks, axis) if blocks else None)

    @staticmethod
    def _facts(spec: Any) -> tuple[Quantized | None, Any, Any]:
        dtype = getattr(spec, "dtype", None)
        if dtype is None or not hasattr(dtype, "is_floating_point"):
            raise Unknown(f"{type(spec).__name__} has no dtype")
        if dtype.is_floating_point:
            raise Unknown(f"a quantization spec of {dtype}")
        if getattr(spec, "is_dynamic", False):
            raise Unknown("dynamic quantization: scales are computed at run time")
        low, high = getattr(spec, "quant_min", None), getattr(spec, "quant_max", None)
        fixed = _fixed(spec)
        if fixed is not None:
            return encodings.per_tensor(*fixed, low, high, dtype), (), None
        facts = (dtype, low, high, getattr(spec, "qscheme", None), getattr(spec, "ch_axis", None))
        return None, facts, _keywords(spec).get("block_size")

    def choices(self, spec: Any) -> tuple[Resolved, ...] | None:
        """What a spec becomes wherever it stands: one encoding, or stand-ins that are taken in
        turn. None: that depends on the place, or can't be determined."""
        try:
            known = self._read.get(id(spec))
            if known is None:
                known = self._read[id(spec)] = (spec, *self._facts(spec))
            _, fixed, facts, blocks = known
            if fixed is not None:
                return (Resolved(fixed, spec),)
            if blocks:
                return None
            return tuple(Resolved(one, spec) for one in self._stand_ins.all_of(*facts, None))
        except Exception:  # reported where it stands
            return None

    def derived_from(self, spec: Any, parts: list[Quantized]) -> Quantized | str:
        """A bias with the encodings that it derives from, or why it has none."""
        axis = getattr(spec, "ch_axis", None)
        key = (spec.dtype, spec.quant_min, spec.quant_max, axis, *map(id, parts))
        known = self._derived.get(key)
        if known is None:
            try:
                known = encodings.derived(spec.dtype, spec.quant_min, spec.quant_max, axis, parts)
            except Unknown as unknown:
                known = str(unknown)
            self._derived[key] = known
        return known

    def derived(self, spec: Any, arriving: Callable[[Place], Quantized | None]) -> Quantized:
        """A bias: its scale is the product of those it derives from.

        `arriving`: with which encoding an edge's tensor arrives, where that is known already.
        """
        parts = []
        for source in spec.derived_from:
            known = arriving(source)
            if known is not None:
                parts.append(known)
                continue
            source_spec = self._spec_at(source)
            if source_spec is None:
                raise Unknown(f"it derives from {_name(source)}, which has no spec")
            if hasattr(source_spec, "derived_from"):
                raise Unknown(f"it derives from {_name(source)}, which is derived itself")
            parts.append(self.at(source, source_spec).quantized)
        return encodings.derived(spec.dtype, spec.quant_min, spec.quant_max,
                                 getattr(spec, "ch_axis", None), parts)


def _keywords(spec: Any) -> dict[str, Any]:
    partial = getattr(getattr(spec, "observer_or_fake_quant_ctr", None), "p", None)
    keywords = getattr(partial, "keywords", None)
    return keywords if isinstance(keywords, dict) else {}


def _fixed(spec: Any) -> tuple[float, float] | None:
    """Scale and zero point that no data change."""
    scale, zero_point = getattr(spec, "scale", None), getattr(spec, "zero_point", None)
    if scale is None or zero_point is None:
        keywords = _keywords(spec)
        scale, zero_point = keywords.get("scale"), keywords.get("zero_point")
        observer = keywords.get("observer")
        if scale is None and observer is not None:  # of a fake quantizer
            inner = getattr(getattr(observer, "p", None), "keywords", {})
            scale, zero_point = inner.get("scale"), inner.get("zero_point")
    if scale is None or zero_point is None:
        return None
    return encodings.numbers(scale)[0], encodings.numbers(zero_point)[0]


def _blocks(place: Place, size: Any, axis: Any) -> int:
    """The number of blocks a channel has."""
    producer = place if isinstance(place, Node) else place[0]
    shape = shape_of(producer)
    if shape is None or len(size) != len(shape):
        raise Unknown(f"a block of rank {len(size)} for a tensor of another rank")
    blocks = 1
    for i, (block, dim) in enumerate(zip(size, shape, strict=True)):
        if i == axis:
            continue
        if block < 1 or dim % block:
            raise Unknown(f"blocks of {list(size)} don't divide a tensor of {list(shape)}")
        blocks *= dim // block if i == (1 if axis == 0 else 0) else 1
    return blocks
