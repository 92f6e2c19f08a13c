"""Each kind of constraint and each condition, just inside and just outside, on a made-up backend.

What a constraint means is in opdefs/README.md; here it is held to it at its edges, whatever the
databases of real backends happen to use. What is said of each broken one is kept in
tests/golden/kinds.txt, which `test_kinds.py --write` writes; review its diff.
"""

from __future__ import annotations

import copy
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CLI = os.environ.get("QUANTGATE_CLI", str(ROOT / "build" / "bin" / "quantgate"))
KEPT = ROOT / "tests" / "golden" / "kinds.txt"
OP = """op: {name}
inputs: [activation, {{role: weight, optional: true, channel_axis: 1}}, {{role: bias, optional: true}}]
outputs: [activation]
params: {{level: {{dtype: I32, default: 0}}, axes: {{dtype: UI32, rank: 1}}, gain: F32, ceiling: F32}}
rows: {{documented: {{A.1: U8|U16|F16 S8|U8|U16 S32|S8 U8|U16|F16}}}}
documented:
  {constraint}
examples:
  - {{inputs: [[1, 4, 8], [8, 8], [8]], outputs: [[1, 4, 8]], static: [1, 2]}}
"""
TARGETS = """backends:
  toy: {archs: [t1, t2], default_arch: t1, tuple_rows: true, sdks: ["1.0"]}
socs: []
"""
SOURCES = """sources:
  - {id: toy-1.0, kind: documents, sdk: "1.0", backends: [toy], title: made up for tests}
"""
Change = dict[str, Any]


def encoding(scale: float, zero_point: int, **more: Any) -> dict[str, Any]:
    return {"perTensor": {"scale": scale, "zeroPoint": zero_point, **more}}


def channels(scales: list[float], axis: int = 1) -> dict[str, Any]:
    return {"perChannel": {"axis": axis, "scales": scales, "zeroPoints": [0]}}


def lpbq(blocks: int, bits: int = 4) -> dict[str, Any]:
    return {"lpbq": {"axis": 1, "scales": [0.01], "zeroPoints": [0], "numBlocks": blocks, "blockScales": [3],
                     "blockScaleBitwidth": bits, "blockScaleStorageBits": 8}}  # fmt: skip


def model(op: str, change: Change) -> dict[str, Any]:
    """The base with changes: `x0`: fields of a tensor, or None; `params`: those to replace."""
    tensors = {
        "x0": {"dtype": "UFIXED_POINT_8", "dims": [1, 4, 8], "encoding": encoding(0.5, 128)},
        "x1": {"dtype": "SFIXED_POINT_8", "dims": [8, 8], "isStatic": True, "encoding": encoding(0.25, 0)},
        "x2": {"dtype": "SFIXED_POINT_32", "dims": [8], "isStatic": True, "encoding": encoding(0.125, 0)},
        "y0": {"dtype": "UFIXED_POINT_8", "dims": [1, 4, 8], "encoding": encoding(0.5, 128)},
    }
    params: dict[str, Any] = {"level": {"int": 3}, "axes": {"tensor": {"dtype": "UINT_32", "dims": [2], "ints": [1, 2]}}}
    for name, fields in change.items():
        if name == "params":
            params.update(fields)
        elif fields is None:
            del tensors[name]
        else:
            tensors[name].update(copy.deepcopy(fields))
    inputs = [name if name in tensors else "" for name in ("x0", "x1", "x2")]
    while inputs[-1] == "":
        inputs.pop()
    node = {"name": "n", "op": op, "inputs": inputs, "outputs": ["y0"], "params": {k: v for k, v in params.items() if v is not None}}
    return {"name": "m", "tensors": [{"name": name, **fields} for name, fields in tensors.items()], "nodes": [node]}


def level(value: int) -> Change:
    return {"params": {"level": {"int": value}}}


def gain(value: float) -> Change:
    return {"params": {"gain": {"real": value}}}


def axes(*values: int) -> Change:
    return {"params": {"axes": {"tensor": {"dtype": "UINT_32", "dims": [len(values)], "ints": list(values)}}}}


def x0(**fields: Any) -> Change:
    return {"x0": fields}


def x1(**fields: Any) -> Change:
    return {"x1": fields}


def sizes(*dims: int) -> Change:
    return x0(dims=list(dims))


def scale(value: Any) -> Change:
    return x0(encoding=encoding(value, 128))


def zero(value: int) -> Change:
    return x0(encoding=encoding(0.5, value))


# Constraint, changes that it holds for, changes that break it.
CASES: list[tuple[str, list[Change], list[Change]]] = [
    # Conditions: a constraint that is broken where it applies, of a rank that no tensor has.
    ('in0 c: {rank: 7, when: {dtype: U16}}', [{}], [x0(dtype="UFIXED_POINT_16", encoding=encoding(0.5, 0))]),
    ('in0 c: {rank: 7, when: {dtype_not: U16}}', [x0(dtype="UFIXED_POINT_16", encoding=encoding(0.5, 0))], [{}]),
    ('in0 c: {rank: 7, when: {bits: 4}}', [{}, x0(encoding=encoding(0.5, 8, bitwidth=5))], [x0(encoding=encoding(0.5, 8, bitwidth=4))]),
    ('in0 c: {rank: 7, when: {encoding: bw_per_tensor}}', [{}], [x0(encoding=encoding(0.5, 8, bitwidth=4))]),
    ('in0 c: {rank: 7, when: {static: true}}', [{}], [x0(isStatic=True)]),
    ('in0 c: {rank: 7, when: {static: false}}', [x0(isStatic=True)], [{}]),
    ('in0 c: {rank: 7, when: {dtype_of: {in1: U8}}}', [{}, {"x1": None}], [x1(dtype="UFIXED_POINT_8", encoding=encoding(0.5, 0))]),
    ('in0 c: {rank: 7, when: {encoding_of: {in1: per_channel}}}', [{}], [x1(encoding=channels([0.5]))]),
    ('in0 c: {rank: 7, when: {bits_of: {in1: 16}}}', [{}], [x1(dtype="UFIXED_POINT_16", encoding=encoding(0.5, 0))]),
    ('in0 c: {rank: 7, when: {present: {in2: true}}}', [{"x2": None}], [{}]),
    ('in0 c: {rank: 7, when: {present: {in2: false}}}', [{}], [{"x2": None}]),
    ('in0 c: {rank: 7, when: {symmetric_of: {in1: true}}}', [x1(encoding=encoding(0.25, 1)), {"x1": None}], [{}]),
    ('in0 c: {rank: 7, when: {symmetric_of: {in1: false}}}', [{}], [x1(encoding=encoding(0.25, 1))]),
    ('in0 c: {rank: 7, when: {graph_input_of: {in1: true}}}', [{}, {"x1": None}], [x1(isStatic=False)]),
    ('in0 c: {rank: 7, when: {graph_input_of: {in1: false}}}', [x1(isStatic=False)], [{}]),
    ('in0 c: {rank: 7, when: {rank: {in0: 3}}}', [sizes(4, 8), sizes(1, 1, 4, 8), x0(dims=[], unknownRank=True)], [{}]),
    ('in0 c: {rank: 7, when: {rank_min: {in0: 3}}}', [sizes(4, 8)], [{}, sizes(1, 1, 4, 8)]),
    ('in0 c: {rank: 7, when: {any_dim_above: {in0: 8}}}', [{}, sizes(1, 1, 1)], [sizes(1, 4, 9), sizes(9, 4, 8)]),
    ('in0 c: {rank: 7, when: {any_dim_not_multiple: {in0: {1: 4, 2: 8}}}}', [{}, sizes(1, 8, 16)], [sizes(1, 5, 8), sizes(1, 4, 7)]),
    ('in0 c: {rank: 7, when: {dim_eq: {in0: {1: 4, 2: 8}}}}', [sizes(1, 5, 8), sizes(1, 4, 7)], [{}, sizes(3, 4, 8)]),
    ('in0 c: {rank: 7, when: {m: 2}}', [{"x2": None}], [{}]),
    ('in0 c: {rank: 7, when: {m_min: 1}}', [{"x1": None, "x2": None}], [{}, {"x2": None}]),
    ('in0 c: {rank: 7, when: {param: {level: [3, 5]}}}', [level(4)], [{}, level(5)]),
    ('in0 c: {rank: 7, when: {param_not: {level: [3, 5]}}}', [{}, level(5)], [level(4)]),
    ('in0 c: {rank: 7, when: {axes_include: 0}}', [{}, axes(1)], [axes(0), axes(2, 0)]),
    ('in0 c: {rank: 7, when: {axes_include: -1}}', [axes(0, 1)], [{}, axes(2)]),
    ('in0 c: {rank: 7, when: {noop: true}}', [{"y0": {"dims": [1, 8, 4]}}], [{}]),
    ('in0 c: {rank: 7, when: {noop: false}}', [{}], [{"y0": {"dims": [1, 8, 4]}}]),
    # Ranks and shapes.
    ('in0 c: {rank: 2..3}', [{}, sizes(4, 8), x0(dims=[], unknownRank=True)], [sizes(8), sizes(1, 1, 4, 8)]),
    ('in0 c: {rank: 3}', [{}], [sizes(4, 8), sizes(1, 1, 4, 8)]),
    ('in0 c: {rank: rank(out0)}', [{}], [sizes(4, 8)]),
    ('in0 c: {rank: {squeezable_to: 2}}', [{}, sizes(1, 1, 4, 8), sizes(4, 1, 8)], [sizes(2, 4, 8)]),
    ('in0 c: {rank: {sparse: false}}', [{}], [x0(sparse=0), x0(sparse=3)]),
    ('in0 c: {rank: {sparse: true}}', [x0(sparse=0), x0(sparse=3)], [{}]),
    ('in0 c: {dim: {dim: 2, eq: 8}}', [{}, x0(dims=[1, 4, -1])], [sizes(1, 4, 7), sizes(1, 4, 9)]),
    ('in0 c: {dim: {dim: -1, min: 8}}', [{}, sizes(1, 4, 9)], [sizes(1, 4, 7)]),
    ('in0 c: {dim: {dim: -1, max: 8}}', [{}, sizes(1, 4, 7)], [sizes(1, 4, 9)]),
    ('in0 c: {dim: {dim: 1, max_exclusive: 5}}', [{}], [sizes(1, 5, 8), sizes(1, 6, 8)]),
    ('in0 c: {dim: {dim: [1, 2], multiple_of: 4}}', [{}, sizes(1, 8, 4)], [sizes(1, 4, 6), sizes(1, 5, 8)]),
    ('in0 c: {dim: {dim: all, max: 8}}', [{}], [sizes(9, 4, 8), sizes(1, 4, 9)]),
    ('in0 c: {dim: {dim: 1, eq: "dim(out0,-2)+param:level-3"}}', [{}], [sizes(1, 5, 8), level(4)]),
    ('in0 c: {dim: {dim: 1, eq: "max(param:axes[0], 4)"}}', [{}, axes(4)], [axes(5)]),
    ('in0 c: {dim: {dim: 0, eq: count(axes)-1}}', [{}, {"params": {"axes": None}}], [axes(1, 2, 3)]),
    ('in0 c: {dim: {dim: 1, eq: "7-param:level"}}', [{}, level(-1) | sizes(1, 8, 8)], [level(2)]),
    ('in0 c: {dim: {dim: 1, eq: "-param:level+7"}}', [{}], [level(2)]),
    ('in0 c: {dim: {dim: 1, eq: elements(out0)/8}}', [{}], [sizes(1, 5, 8)]),
    ('in0 c: {dim: {dim: 1, eq: "12/param:level"}}', [{}, level(0)], [level(2)]),
    ('in0 c: {dim: {dim: 1, eq: "param:axes[1]*2"}}', [{}, axes(4)], [axes(1, 3)]),
    ('in0 c: {dim: {dim: 1, eq: "dim(out0,axes[0])"}}', [{}, axes(9)], [axes(2)]),
    ('in0 c: {dim: {dim: 1, max: "min(INT32_MAX, param:level+1)"}}', [{}], [level(2)]),
    ('in0 c: {dim_product: {dim: [1, 2], max_exclusive: 33}}', [{}], [sizes(1, 3, 11), sizes(1, 4, 9)]),
    ('in0 c: {same_shape: out0}', [{}], [sizes(1, 4, 9), sizes(4, 8)]),
    ('in0 c: {same_rank: out0}', [{}, sizes(2, 2, 2)], [sizes(4, 8)]),
    ('in0 c: {same_dims: {as: out0, dims: [0, 2]}}', [{}, sizes(1, 5, 8)], [sizes(2, 4, 8), sizes(1, 4, 9)]),
    ('in0 c: {dynamic_dims: false}', [{}], [x0(dims=[1, -1, 8])]),
    ('in0 c: {same_dims: {as: out0, dims: [1, 2], broadcast: true}}',
     [{}, sizes(1, 1, 8), sizes(1, 4, 1), {"y0": {"dims": [1, 1, 8]}}], [sizes(1, 2, 8), {"y0": {"dims": [1, 2, 8]}}]),
    ('in0 c: {rank: {min: rank(out0), max: 4}}', [{}, sizes(1, 1, 4, 8)], [sizes(4, 8), sizes(1, 1, 1, 4, 8)]),
    ('in0 c: {rank: 3..3}', [{}], [sizes(4, 8)]),
    ('in0 c: {rank: 3..}', [{}], [sizes(4, 8)]),
    ('in0 c: {dim: {dim: 1, eq: "param:level/param:axes[0]+1"}}', [{}, axes(0)], [axes(3)]),
    # Datatypes and encodings.
    ('in0 c: {dtypes: {denied: F16}}', [{}], [x0(dtype="FLOAT_16", encoding={})]),
    ('in0 c: {peer_dtype: {peer: in1, bits: 8}}', [{}, {"x1": None}], [x1(dtype="UFIXED_POINT_16", encoding=encoding(0.5, 0))]),
    ('in0 c: {peer_dtype: {peer: in1, dtypes: S8}}', [{}], [x1(dtype="UFIXED_POINT_8", encoding=encoding(0.5, 0))]),
    ('in0 c: {same_dtype: out0}', [{}], [x0(dtype="UFIXED_POINT_16", encoding=encoding(0.5, 0))]),
    ('in0 c: {bit_width: {denied: 4}}', [{}, x0(encoding=encoding(0.5, 0, bitwidth=5))], [x0(encoding=encoding(0.5, 0, bitwidth=4))]),
    ('in0 c: {bit_width: {allowed: 8}}', [{}, x0(encoding=encoding(0.5, 0, bitwidth=8))], [x0(encoding=encoding(0.5, 0, bitwidth=7))]),
    ('in0 c: {encodings: {allowed: per_tensor}}', [{}], [x0(encoding=encoding(0.5, 0, bitwidth=8))]),
    ('in0 c: {min_arch: t2}', [], [{}]),
    ('in0 c: {min_arch: t1}', [{}], []),
    ('in1 c: {quant_axis: 1}', [{}, x1(encoding=channels([0.5], 1))], [x1(encoding=channels([0.5], 0))]),
    ('in1 c: {quant_axis: -2}', [x1(encoding=channels([0.5], 0))], [x1(encoding=channels([0.5], 1))]),
    ('in1 c: {quant_axis: {exact: true}}', [{}, x1(encoding=channels([0.5] * 8, 0)), x1(encoding=channels([0.5], 1))],
     [x1(encoding=channels([0.5] * 7, 0)), x1(encoding=channels([0.5] * 8, 2))]),
    ('in1 c: signed', [{}], [x1(dtype="UFIXED_POINT_8", encoding=encoding(0.5, 0))]),
    ('in0 c: symmetric', [{}], [zero(127), zero(129)]),
    ('in0 c: asymmetric', [zero(127), zero(129)], [{}]),
    ('in0 c: {same_encoding: out0}', [{}, scale(0.5 * (1 + 5e-7))], [scale(0.501), zero(127)]),
    ('in0 c: {same_encoding: {as: out0, aspect: scale}}', [{}, zero(127)], [scale(0.501)]),
    ('in0 c: {same_encoding: {as: out0, aspect: offset}}', [{}, scale(0.501)], [zero(127)]),
    ('in0 c: {same_encoding: {as: out0, aspect: equal_or_smaller_scale}}',
     [{}, x0(encoding=encoding(0.25, 3))], [scale(1.0), zero(127)]),
    ('in0 c: {same_encoding: {as: out0, aspect: equal_or_larger_scale}}',
     [{}, x0(encoding=encoding(1.0, 3))], [scale(0.25), zero(127)]),
    ('in0 c: {same_encoding: {as: out0, aspect: as_read}}', [{}, scale(0.75)], [scale(1.5), zero(127)]),
    ('in0 c: {same_encoding: {as: out0, aspect: as_read}}',
     [x0(encoding=encoding(0.5, 8, bitwidth=4)) | {"y0": {"encoding": encoding(0.75, 8, bitwidth=4)}}],
     [x0(encoding=encoding(0.5, 8, bitwidth=4)) | {"y0": {"encoding": encoding(0.5, 7, bitwidth=4)}}]),
    ('in1 c: {same_encoding: {as: in2, aspect: as_read}}',
     [x1(encoding=channels([0.25] * 8)) | {"x2": {"encoding": channels([0.25] * 8, 0)}}], []),
    ('in0 c: {same_encoding: {as: out0, aspect: as_read_raw}}', [{}, scale(0.75)], [scale(1.5), zero(127)]),
    ('in0 c: {fixed_encoding: {offset: -128, aspect: as_read_raw}}', [{}, scale(7)], [zero(127)]),
    ('in0 c: {fixed_encoding: {scale: 1/2, offset: -128}}', [{}, scale(0.5 * (1 + 5e-7))], [zero(127), scale(0.501), scale(0.499)]),
    ('in0 c: {offset_range: -130..-127}', [{}, zero(130), zero(127)], [zero(131), zero(126)]),
    ('in0 c: {offset_range: -254..}', [{}, zero(0), zero(254)], [zero(255)]),
    ('in0 c: {offset_range: ..-1}', [{}, zero(255), zero(1)], [zero(0)]),
    ('in0 c: {offset_range: -255..0, when: {dtype: U8}}', [zero(0), zero(255)], []),
    ('in1 c: {offset_range: -127..128, when: {dtype: S8}}',
     [x1(encoding=encoding(0.25, -128)), x1(encoding=encoding(0.25, 127))], []),
    ('in1 c: {offset_range: -126.., when: {dtype: S8}}', [x1(encoding=encoding(0.25, 126))], [x1(encoding=encoding(0.25, 127))]),
    ('in1 c: {offset_range: ..127, when: {dtype: S8}}', [x1(encoding=encoding(0.25, -127))], [x1(encoding=encoding(0.25, -128))]),
    ('in0 c: {scale_range: 1e-30..}', [{}, scale(1e-30)], [scale(1e-31)]),
    ('in0 c: {scale_range: ..1e+30}', [{}, scale(1e30)], [scale(1e31)]),
    ('in0 c: {scale_range: 0.25..1}', [{}, scale(0.25), scale(1)], [scale(0.249), scale(1.01)]),
    ('in0 c: {scale_range: {min: 2, max: 4, as: [in1]}}', [{}, scale(1)], [scale(0.49), scale(1.01)]),
    ('in0 c: {valid_scale: positive}', [{}], [scale(0), scale(-1)]),
    ('in0 c: {valid_scale: nonzero}', [{}, scale(-1)], [scale(0)]),
    ('in0 c: {valid_scale: nonnegative}', [{}, scale(0)], [scale(-1)]),
    ('in0 c: {valid_scale: finite}', [{}, scale(-1)], [scale("Infinity"), scale("NaN")]),
    ('in2 c: {bias_scale: {as: [in0, in1]}}', [{}], [{"x2": {"encoding": encoding(0.13, 0)}}]),
    ('in2 c: {bias_scale: {as: [in0, in1], tolerance: 0.5}}',
     [{}, {"x2": {"encoding": encoding(0.25, 0)}}, {"x2": {"encoding": encoding(0.0625, 0)}}],
     [{"x2": {"encoding": encoding(0.26, 0)}}, {"x2": {"encoding": encoding(0.06, 0)}}]),
    ('in2 c: {bias_scale: {as: [in0, in1], peer: out0, tolerance: 0.02}}',
     [{}, {"x2": {"encoding": encoding(0.134, 0)}}], [{"x2": {"encoding": encoding(0.136, 0)}}]),
    ('in2 c: {bias_scale: {as: [in0, in1], max: 2}}',
     [{}, {"x2": {"encoding": encoding(0.25, 0)}}], [{"x2": {"encoding": encoding(0.26, 0)}}]),
    ('in2 c: {bias_scale: {as: [in0, in1]}}',
     [{"x1": {"encoding": channels([0.25] * 7 + [0.5])}, "x2": {"encoding": channels([0.125] * 7 + [0.25], 0)}}],
     [{"x1": {"encoding": channels([0.25] * 7 + [0.5])}, "x2": {"encoding": channels([0.125] * 8, 0)}}]),
    ('in1 c: {block_size: {allowed: [4, 8]}}', [{}, x1(encoding=lpbq(2)), x1(encoding=lpbq(1))], [x1(encoding=lpbq(4))]),
    ('in1 c: {block_size: {denied: [4, 2]}}', [x1(encoding=lpbq(1)), x1(encoding=lpbq(8))], [x1(encoding=lpbq(2)), x1(encoding=lpbq(4))]),
    ('in1 c: {block_size: {min: 4}}', [x1(encoding=lpbq(2)), x1(encoding=lpbq(1))], [x1(encoding=lpbq(4))]),
    ('in1 c: {block_size: {max: 4}}', [x1(encoding=lpbq(2)), x1(encoding=lpbq(4))], [x1(encoding=lpbq(1))]),
    ('in1 c: {block_size: {multiple_of: 4}}', [x1(encoding=lpbq(2)), x1(encoding=lpbq(1))], [x1(encoding=lpbq(4))]),
    # Values and params.
    ('in1 c: {static: tensor}', [{}], [x1(isStatic=False)]),
    ('in1 c: {value_range: -2..3}', [{}, x1(values=[-2, 3] * 32)], [x1(values=[-3] + [0] * 63), x1(values=[0] * 63 + [4])]),
    ('in2 c: unique_values', [{"x2": {"values": list(range(8))}}], [{"x2": {"values": [0, 1, 2, 3, 4, 5, 6, 0]}}]),
    ('level c: {param_value: {eq: 3}}', [{}], [level(2), level(4), {"params": {"level": None}}]),
    ('level c: {param_value: {allowed: [3, 5]}}', [{}, level(5)], [level(4)]),
    ('level c: {param_value: {denied: [4, 6]}}', [{}, level(5)], [level(4), level(6)]),
    ('level c: {param_value: {min: 3, max: 5}}', [{}, level(5)], [level(2), level(6)]),
    ('level c: {param_value: {min_exclusive: 2, max_exclusive: 4}}', [{}], [level(2), level(4)]),
    ('gain c: {param_value: {min: 0.5, max: 1.5}}', [gain(0.5), gain(1.5)], [gain(0.4), gain(1.6)]),
    ('gain c: {param_value: {min_exclusive: 0.5, max_exclusive: 1.5}}', [gain(1)], [gain(0.5), gain(1.5), gain(0.4), gain(1.6)]),
    ('gain c: {param_value: {eq: 1.5}}', [gain(1.5), gain(1.5 * (1 + 5e-7))], [gain(1.51), gain(1.49)]),
    ('axes c: {param_value: {eq: 1}}', [axes(1, 1)], [{}, axes(2, 1)]),
    ('axes c: {param_value: {max: 2, index: [1]}}', [{}, axes(5, 2)], [axes(0, 3)]),
    ('axes c: {param_value: {max: 2}}', [{}], [axes(3, 2), axes(0, 3)]),
    ('gain c: {param_value: {max: "param:ceiling"}}', [{"params": {"gain": {"real": 1.25}, "ceiling": {"real": 1.25}}}],
     [{"params": {"gain": {"real": 1.5}, "ceiling": {"real": 1.25}}}]),
    ('gain c: {param_value: {max: "param:level"}}', [gain(3), gain(2.5)], [gain(3.5)]),
    ('axes c: {param_value: {eq: [1, 2]}}', [{}], [axes(1, 1), axes(2, 1)]),
    ('axes c: {param_value: {eq: [1, rank(out0)-1]}}', [{}], [axes(1, 1), axes(1, 3)]),
    ('level c: default_only', [{"params": {"level": None}}, level(0)], [level(1)]),
    ('axes c: param_required', [{}], [{"params": {"axes": None}}]),
    ('in2 c: port_unsupported', [{"x2": None}], [{}]),
    ('in2 c: {port_optional: {allowed: false}}', [{}], [{"x2": None}]),
    ('in1 c: {port_optional: {allowed: false, listed: true}}', [{}, {"x1": None, "x2": None}], [{"x1": None}]),
    ('in0 c: {any_of: [[{rank: 2}], [{symmetric: ~}, {dim: {dim: 2, min: 8}}]]}',
     [{}, x0(dims=[4, 8], encoding=encoding(0.5, 3))], [zero(127), sizes(1, 4, 7)]),
    ('in0 c: {any_of: [[{port: in2, port_optional: {allowed: false}}], [{rank: 2}]]}',
     [{}, {"x2": None} | sizes(4, 8)], [{"x2": None}]),
    ('in0 c: {any_of: [[{rank: 2, when: {dtype: U8}}], [{symmetric: ~}]]}',
     [{}, x0(dims=[4, 8], encoding=encoding(0.5, 3)), x0(dtype="UFIXED_POINT_16", encoding=encoding(0.5, 3))], [zero(127)]),
]  # fmt: skip


def reported(constraint: str, change: Change, finding: dict[str, Any]) -> str:
    """All that a finding says, to be read."""
    lines = [f"{constraint}", f"  with     {json.dumps(change)}"]
    lines += [f"  {word:<8} {finding[word]}" for word in ("port", "message", "found", "allowed") if finding.get(word)]
    lines += ["  fix      " + " ".join([fix["summary"], *(json.dumps(edit) for edit in fix.get("edits", ()))]) for fix in finding.get("fixes", ())]
    return "\n".join(lines) + "\n"


def checked() -> list[tuple[str, Change, bool, dict[str, Any]]]:
    """Each case with its constraint, whether it holds, and the report."""
    with tempfile.TemporaryDirectory() as folder:
        overlay = Path(folder)
        (overlay / "toy").mkdir()
        (overlay / "targets.yaml").write_text(TARGETS)
        (overlay / "sources.yaml").write_text(SOURCES)
        wanted: list[tuple[str, Change, bool]] = []
        models = []
        for number, (constraint, inside, outside) in enumerate(CASES):
            name = f"Probe{number}"
            (overlay / "toy" / f"{name}.yaml").write_text(OP.format(name=name, constraint=constraint))
            for change, holds in [*((c, True) for c in inside), *((c, False) for c in outside)]:
                wanted.append((constraint, change, holds))
                models.append(model(name, change))
        path = overlay / "models.jsonl"
        path.write_text("".join(json.dumps(m) + "\n" for m in models))
        run = subprocess.run([CLI, "check", str(path), "--backend", "toy", "--route", "direct", "--format", "json", "--opdefs", folder],
                             capture_output=True, text=True, timeout=60)  # fmt: skip
    assert run.stderr == "", run.stderr
    reports = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(reports) == len(models)
    for report in reports:  # What is said of the model as a whole, or of every encoding, is no constraint's.
        report["findings"] = [f for f in report.get("findings", []) if f["constraint"] and not f["constraint"].endswith("/encoding-shape")]
    return [(*case, report) for case, report in zip(wanted, reports)]


def texts(cases: list[tuple[str, Change, bool, dict[str, Any]]]) -> str:
    return "\n".join(reported(constraint, change, f) for constraint, change, _, report in cases for f in report.get("findings", ()))


class Kinds(unittest.TestCase):
    maxDiff = None

    def test_every_kind_is_described(self) -> None:
        names = re.findall(r'^KIND\(k\w+, \.name = "(\w+)"', (ROOT / "core/database/kinds.def").read_text(), re.M)
        table = (ROOT / "opdefs/README.md").read_text().split("| kind | fields | holds when |")[1].split("\n\n")[0]
        described = [name.strip() for row in table.splitlines()[2:] for name in row.split("|")[1].split(",")]
        self.assertEqual(sorted(described), sorted(names))

    def test_inside_and_outside(self) -> None:
        cases = checked()
        for constraint, change, holds, report in cases:
            with self.subTest(constraint=constraint, change=change):
                self.assertNotIn("error", report)
                self.assertEqual([f["constraint"].rsplit("/", 1)[1] for f in report["findings"]], [] if holds else ["c"])
        self.assertEqual(texts(cases), KEPT.read_text())


if __name__ == "__main__":
    if "--write" in sys.argv:
        KEPT.write_text(texts(checked()))
    else:
        unittest.main()
