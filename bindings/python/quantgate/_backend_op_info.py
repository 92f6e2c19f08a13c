"""The database in the shape of the vendor's `BackendOpInfo`: what clients written for that read.

Names of methods are the vendor's. What each answer must look like so that ExecuTorch's quantizer
understands it is measured; docs/guide/executorch.md has the list.
"""

from __future__ import annotations

import enum
import functools
import itertools
import logging
from dataclasses import dataclass
from typing import NamedTuple, SupportsIndex

from quantgate import _core
from quantgate._core import Target
from quantgate._errors import TargetError
from quantgate._knowledge import targets

_log = logging.getLogger("quantgate")


class BackendType(enum.Enum):
    """A backend, as the first argument of BackendOpInfo."""

    HTP = "htp"
    LPAI = "lpai"
    GPU = "gpu"
    DSP = "dsp"
    CPU = "cpu"
    HTA = "hta"


HTP = BackendType.HTP
LPAI = BackendType.LPAI
GPU = BackendType.GPU
DSP = BackendType.DSP
CPU = BackendType.CPU
HTA = BackendType.HTA


@dataclass(frozen=True, slots=True)
class QuantConstraintInfo:
    """What must hold of a tensor's encoding, when it is one of the encoding types."""

    encoding_types: tuple[int, ...]
    symmetric: bool | None
    math_invariant: bool | None
    scale: float | None
    offset: int | None

    def get_encoding_types(self) -> list[int]:
        """Numbers of Qnn_QuantizationEncoding_t."""
        return list(self.encoding_types)

    def is_symmetric(self) -> bool | None:
        """True, or None where there is no rule: clients take False on outputs for True."""
        return self.symmetric

    def is_math_invariant(self) -> bool | None:
        """True, or None where there is no rule."""
        return self.math_invariant

    def get_axis(self) -> list[int] | None:
        """No rule: the axis depends on the layout."""
        return None

    def get_scale(self) -> float | None:
        return self.scale

    def get_offset(self) -> int | None:
        """QNN's offset, the negative zero point."""
        return self.offset


@dataclass(frozen=True, slots=True)
class DatatypeInfo:
    """The datatype of a port, and what must hold then."""

    datatype: int
    onward: bool
    constraints: tuple[QuantConstraintInfo, ...]

    def get_datatype(self) -> int:
        """Number of Qnn_DataType_t."""
        return self.datatype

    def get_quant_constraint_info(self) -> list[QuantConstraintInfo]:
        return list(self.constraints)

    def is_applicable_from_current_dtype_onward(self) -> bool:
        """It stands for all further tensors of a variadic port too."""
        return self.onward


@dataclass(frozen=True, slots=True)
class OpInfo:
    """One combination of datatypes that the backend takes."""

    inputs: tuple[DatatypeInfo, ...]
    outputs: tuple[DatatypeInfo, ...]

    def get_input_info(self) -> list[DatatypeInfo]:
        return list(self.inputs)

    def get_output_info(self) -> list[DatatypeInfo]:
        return list(self.outputs)


# What breaking a constraint must lead to for clients to hear of it.
_FATAL = ("rejected", "prepare_fails", "wrong_values")

# The forms of encoding that clients tell apart, and what is said of a port for one of them.
_FORMS = ("SCALE_OFFSET", "AXIS_SCALE_OFFSET", "BW_SCALE_OFFSET", "BW_AXIS_SCALE_OFFSET",
          "BLOCKWISE_EXPANSION")


class _Said(NamedTuple):
    symmetric: bool = False
    shared: bool = False
    fixed: tuple[float, int] | None = None

    def also(self, other: _Said) -> _Said:
        return _Said(self.symmetric or other.symmetric, self.shared or other.shared,
                     self.fixed or other.fixed)

    def common(self, other: _Said) -> _Said:
        return _Said(self.symmetric and other.symmetric, self.shared and other.shared,
                     self.fixed if self.fixed == other.fixed else None)


_NOTHING = _Said()


class _Row(NamedTuple):
    """A combination of single dtypes, one for each port, '' where it must be absent."""

    dtypes: tuple[str, ...]
    said: dict[tuple[int, str], _Said]  # by port and form


def _said(rule: _core.EncodingRule) -> _Said:
    if rule.kind == "symmetric":
        return _Said(symmetric=True)
    if rule.kind == "same_encoding" and rule.same_as == "in[0]":
        return _Said(shared=True)
    if rule.kind == "fixed_encoding" and rule.scale is not None and rule.offset is not None:
        return _Said(fixed=(rule.scale, rule.offset))
    return _NOTHING


def _rows(info: _core.OpInfo) -> list[_Row]:
    # A client keeps the rules of the first chip it asks about: those of all archs only.
    everywhere = {constraint.id for constraint in info.constraints if not constraint.archs}
    numbers = {port.name: i for i, port in enumerate((*info.inputs, *info.outputs))}
    rows = []
    for variant in info.variants:
        said: dict[tuple[int, str], _Said] = {}
        for rule in variant.encoding_rules:
            one = _said(rule)
            if (one == _NOTHING or rule.port not in numbers or rule.constraint not in everywhere
                    or rule.consequence not in _FATAL):
                continue
            for form in rule.encodings:
                key = (numbers[rule.port], form)
                said[key] = said.get(key, _NOTHING).also(one)
        for dtypes in itertools.product(*(port or ("",) for port in variant.dtypes)):
            rows.append(_Row(dtypes, said))
    return rows


def _alike(a: _Row, b: _Row, inputs: int) -> bool:
    """A client can't tell them apart: they differ in ports that one of them lacks, and later ones.
    """
    for begin, end in ((0, inputs), (inputs, len(a.dtypes))):
        for x, y in zip(a.dtypes[begin:end], b.dtypes[begin:end], strict=True):
            if not x or not y:
                break
            if x != y:
                return False
    return True


# As clients derive integers: int32 as fixed-point, int64 as no datatype.
_INTEGERS = ("INT_32", "SFIXED_POINT_32", "UNDEFINED")


def _port(dtype: str, onward: bool, said: dict[str, _Said], *, output: bool,
          shared: bool) -> list[DatatypeInfo]:
    forms: dict[_Said, list[int]] = {}
    for form, one in said.items():
        # An input is annotated with a spec of its own, whatever it is computed from.
        one = one._replace(shared=one.shared and output and shared)
        if one != _NOTHING:
            forms.setdefault(one, []).append(_core.encoding_numbers()[form])
    constraints = tuple(
        QuantConstraintInfo(tuple(encodings), one.symmetric or None, one.shared or None,
                            *(one.fixed or (None, None)))
        for one, encodings in forms.items())
    dtypes = _INTEGERS if dtype == "INT_32" else (dtype,)
    numbers = _core.dtype_numbers()
    return [DatatypeInfo(numbers[name], onward, constraints) for name in dtypes]


def _op_infos(info: _core.OpInfo, shared: bool) -> list[OpInfo]:
    rows = _rows(info)
    ports = (*info.inputs, *info.outputs)
    inputs = len(info.inputs)
    result = []
    for row in rows:
        sides: tuple[list[list[DatatypeInfo]], list[list[DatatypeInfo]]] = ([], [])
        for i, port in enumerate(ports):
            side = sides[i >= inputs]
            # One entry stands for all of a variadic port: a client repeats the whole list.
            if not row.dtypes[i] or (side and side[-1][0].onward):
                continue
            said = {form: row.said[i, form] for form in _FORMS if (i, form) in row.said}
            for other in rows if said else ():
                if other.dtypes[i] and _alike(row, other, inputs):
                    said = {form: one.common(other.said.get((i, form), _NOTHING))
                            for form, one in said.items()}
            side.append(_port(row.dtypes[i], port.variadic, said, output=i >= inputs,
                              shared=shared))
        if sides[0] and sides[1]:  # clients look at the first of both
            result += [OpInfo(ins, outs) for ins in itertools.product(*sides[0])
                       for outs in itertools.product(*sides[1])]
    return result


class BackendOpInfo:
    """What a backend takes for each op, for one chip.

    `soc_model` is a QNN SoC number. Of an unknown one, the oldest arch of the backend is taken
    and a line logged: clients don't expect exceptions.
    """

    def __init__(self, backend_type: BackendType, soc_model: SupportsIndex, *,
                 sdk: str | None = None) -> None:
        self._target = _target(backend_type, soc_model, sdk)
        self._ops = frozenset(_core.ops(self._target))
        self._infos: dict[str, tuple[OpInfo, ...]] = {}

    @property
    def target(self) -> Target:
        """What the answers are for."""
        return self._target

    def get_all_supported_ops(self) -> frozenset[str]:
        """Names of QNN ops."""
        return self._ops

    def get_op_info(self, op_name: str) -> list[OpInfo]:
        """The combinations of datatypes, empty for an op that the backend doesn't take."""
        if op_name not in self._ops:
            return []
        infos = self._infos.get(op_name)
        if infos is None:
            infos = self._infos[op_name] = tuple(
                _op_infos(_core.query(op_name, self._target), op_name in _shared_ops()))
        return list(infos)


@functools.cache
def _shared_ops() -> frozenset[str]:
    return frozenset(_core.document_list("routes/executorch", "shared_output_encodings"))


def _target(backend_type: BackendType, soc_model: SupportsIndex, sdk: str | None) -> Target:
    backend = BackendType(backend_type).value
    if backend_type is not HTP:  # chips say the arch of HTP only
        return Target(backend=backend, sdk=sdk)
    soc = int(soc_model)
    try:
        target = Target(backend=backend, soc=soc, sdk=sdk)
        if target.arch:
            return target
    except TargetError:
        pass
    archs = next(known.archs for known in targets().backends if known.name == backend)
    _log.warning("SoC %d is not known; answering for %s %s", soc, backend, archs[0])
    return Target(backend=backend, arch=archs[0], sdk=sdk)
