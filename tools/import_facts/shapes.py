"""Shapes and param values that op validation asks for, measured by tools/verify.

A table by families. The library infers the output's shape from the inputs and params and refuses
another one; where a family is absent here the library does not look. What an expression cannot
tell (a dynamic dimension, a missing param) is not refused.
"""
from .measured import finding

SAME = """Batchnorm Cast Convert CumulativeSum Dequantize ElementWiseAbs ElementWiseAsin
    ElementWiseAtan ElementWiseCeil ElementWiseCos ElementWiseExp ElementWiseFloor ElementWiseLog
    ElementWiseNeg ElementWiseNeuron ElementWiseNot ElementWiseRound ElementWiseRsqrt
    ElementWiseSign ElementWiseSin ElementWiseSoftplus ElementWiseSquareRoot ElementWiseUnary Elu
    Gelu GroupNorm HardSwish InstanceNorm L2Norm LayerNorm LogSoftmax Lrn MaskedSoftmax Quantize
    Relu Relu1 Relu6 ReluMinMax RmsNorm ScatterElements ScatterNd Sigmoid Softmax SparseToDense
    Tanh""".split()
BROADCAST = """Add Binary Divide FloorDiv Fmod Less Maximum Minimum Mod Multiply Power Select
    SquaredDifference Subtract""".split()
BROADCAST_RANK = """And Equal Greater GreaterEqual LessEqual NotEqual Or Xor""".split()
# Measured libraries have no op validation for these and refuse every form of them.
NOT_FOUND = ("ArgbToRgb", "HeatMapMaxKeyPoint", "ImageProjectionTransform", "Nv21ToRgb")
MOST_DIMS = 5


def per_tensor(constraint):
    """Offsets are read as those of a per-tensor encoding; of blocks they are parts of pointers."""
    kinds = ["SCALE_OFFSET", "BW_SCALE_OFFSET", "AXIS_SCALE_OFFSET", "BW_AXIS_SCALE_OFFSET"]
    when = dict(constraint.get("when", {}), encoding=kinds, encoding_of={constraint["as"]: kinds})
    return dict(constraint, when=when)


def constraints(op):
    if op in NOT_FOUND:
        return []
    result = []
    if op in SAME:
        result.append(_same("out[0]", "in[0]"))
    name = op.removeprefix("ElementWise")
    if op != name and name in BROADCAST:
        result.append(finding("out[0]", "broadcast", "rejected", exact=True, slug="shape"))
    if op != name and name in BROADCAST_RANK:
        result.append(_rank("out[0]", "max(rank(in[0]), rank(in[1]))"))
    return result + _BY_OP.get(op, lambda: [])()


def _same(port, other):
    return finding(port, "same_shape", "rejected", slug="shape", **{"as": other})


def _rank(port, rank, **more):
    return finding(port, "rank", "rejected", slug="rank-of-op", eq=rank, **more)


def _ranks(**ports):
    """_ranks(in0=4, out1=2)"""
    return [_rank(f"{p[:-1]}[{p[-1]}]", r) for p, r in ports.items()]


def _dim(port, dim, size, when=None, limit="eq"):
    return finding(port, "dim", "rejected", slug=f"dim-{dim}".replace("--", "-last-").replace(":", "-"),
                   dim=dim, when=when, **{limit: size})


def _multiple(port, dim, size):
    return finding(port, "dim", "rejected", slug=f"multiple-{dim}".replace(":", "-"), dim=dim,
                   multiple_of=size)


def _elements(port, size, when=None):
    return finding(port, "dim_product", "rejected", slug="elements", dim="all", eq=size, when=when)


def _param(name, slug="range", when=None, **limits):
    return finding(name, "param_value", "rejected", slug=slug, when=when, **limits)


def _axis(name="axis", most="rank(in[0])-1"):
    return _param(name, max=most)


def _other_dims(port, other):
    """All dimensions but that of `axis` are equal."""
    return [finding(port, "same_dims", "rejected", slug=f"dims-axis-{axis}",
                    dims=[d for d in range(MOST_DIMS) if d != axis], when={"param": {"axis": [axis]}},
                    **{"as": other}) for axis in range(MOST_DIMS)]


def _window(i, kernel, dilation="1"):
    """Padded size, and the size of the window over dimension 1 + i."""
    padded = f"dim(in[0],{i + 1})+param:pad_amount[{2 * i}]+param:pad_amount[{2 * i + 1}]"
    return padded, f"{dilation}*({kernel}-1)+1"


def _strided(rank, kernel, dilation="1"):
    result = []
    for i in range(rank - 2):
        padded, window = _window(i, kernel(i), dilation.format(i=i))
        result.append(_dim("out[0]", i + 1, f"({padded}-({window}))/param:stride[{i}]+1"))
    return result


def _conv(rank, grouped):
    last = rank - 1
    result = [_rank("in[0]", rank), _rank("in[1]", rank), _rank("out[0]", rank)]
    result += _strided(rank, lambda i: f"dim(in[1],{i})", "param:dilation[{i}]")
    result += [_dim("out[0]", 0, "dim(in[0],0)"), _dim("out[0]", last, f"dim(in[1],{last})")]
    if grouped:
        result.append(_dim("in[1]", last - 1, f"dim(in[0],{last})/param:group"))
    else:
        result += [_dim("in[1]", last - 1, 1), _multiple("in[1]", last, f"dim(in[0],{last})")]
    return result + [_param("stride", min=1)]


def _transpose_conv(rank):
    last = rank - 1
    result = [_rank("in[0]", rank), _rank("in[1]", rank), _rank("out[0]", rank)]
    for i in range(rank - 2):
        size = (f"param:stride[{i}]*(dim(in[0],{i + 1})-1)+dim(in[1],{i})"
                f"-param:pad_amount[{2 * i}]-param:pad_amount[{2 * i + 1}]"
                f"+param:output_padding[{i}]")
        if rank == 5:
            result.append(_dim("out[0]", i + 1, size))
            continue
        # Without padding a larger output is taken too.
        result.append(_dim("out[0]", i + 1, size, limit="min"))
        result.append(finding("out[0]", "any_of", "rejected", slug=f"padded-dim-{i + 1}", of=[
            [{"port": "pad_amount", "kind": "param_value", "eq": 0}],
            [{"port": "out[0]", "kind": "dim", "dim": i + 1, "eq": size}]]))
    return result + [_dim("out[0]", 0, "dim(in[0],0)"),
                     _dim("in[1]", last - 1, f"dim(in[0],{last})"),
                     _dim("in[1]", last, f"dim(out[0],{last})/param:group"),
                     _param("stride", min=1)]


def _pool(rank):
    result = [_rank("in[0]", rank), _rank("out[0]", rank), _param("stride", min=1)]
    for i in range(rank - 2):
        padded, window = _window(i, f"param:filter_size[{i}]")
        for mode, more in (("FLOOR", ""), ("CEIL", f"+param:stride[{i}]-1")):
            result.append(_dim("out[0]", i + 1, f"({padded}-({window}){more})/param:stride[{i}]+1",
                               when={"param": {"rounding_mode": [mode]}}))
    if rank == 4:
        return result  # Batch and channels are not looked at.
    return result + [_dim("out[0]", 0, "dim(in[0],0)"),
                     _dim("out[0]", rank - 1, f"dim(in[0],{rank - 1})")]


def _patches():
    result = _ranks(in0=4, out0=4) + [_param("stride", min=1)]
    for i in range(2):
        size, rate, stride = (f"param:{p}[{i}]" for p in ("size", "rate", "stride"))
        result.append(_dim("out[0]", i + 1, f"(dim(in[0],{i + 1})-(({size}-1)*{rate}+1))/{stride}+1",
                           when={"param": {"padding": ["VALID"]}}))
        result.append(_dim("out[0]", i + 1, f"(dim(in[0],{i + 1})+{stride}-1)/{stride}",
                           when={"param": {"padding": ["SAME"]}}))
    return result + [_dim("out[0]", 0, "dim(in[0],0)"),
                     _dim("out[0]", 3, "dim(in[0],3)*param:size[0]*param:size[1]")]


def _arg():
    return [_axis(), _rank("out[0]", "rank(in[0])", when={"param": {"keep_dims": [1]}}),
            _rank("out[0]", "rank(in[0])-1", when={"param": {"keep_dims": [0]}}),
            _dim("out[0]", "param:axis", 1, when={"param": {"keep_dims": [1]}}),
            _elements("out[0]", "elements(in[0])/dim(in[0],axis)")]


def _reduce():
    kept = {"keep_dims": [1]}
    result = [_axis("axes"), _rank("out[0]", "rank(in[0])", when={"param": kept}),
              _rank("out[0]", "rank(in[0])-count(axes)", when={"param": {"keep_dims": [0]}}),
              finding("out[0]", "dim_product", "rejected", slug="elements", dim="all",
                      max="elements(in[0])/dim(in[0],param:axes[0])")]
    for dim in range(MOST_DIMS):
        result.append(finding("out[0]", "any_of", "rejected", slug=f"dropped-{dim}",
                              when={"param": {"keep_dims": [0]}, "axes_include": [dim]}, of=_dropped(dim)))
        result.append(_dim("out[0]", dim, 1, when={"param": kept, "axes_include": [dim]}))
        result.append(finding("out[0]", "any_of", "rejected", slug=f"kept-{dim}",
                              when={"param": kept},
                              of=[[{"port": "out[0]", "kind": "dim", "dim": dim, "eq": 1}],
                                  [{"port": "out[0]", "kind": "dim", "dim": dim,
                                    "eq": f"dim(in[0],{dim})"}]]))
    return result


def _dropped(dim):
    """The dimensions left when this one alone goes; more than one axis is not looked at."""
    left = [{"port": "out[0]", "kind": "dim", "dim": i, "eq": f"dim(in[0],{i + (i >= dim)})"} for i in range(MOST_DIMS - 1)]
    return [left, [{"port": "in[0]", "kind": "rank", "max": "(count(axes)-1)*100"}]]


_BLOCK = "param:block_size[0]*param:block_size[1]"


def _block(*dims, multiples=()):
    return (_ranks(in0=4, out0=4) + [_param("block_size", min=1)] +
            [_multiple("in[0]", dim, size) for dim, size in multiples] +
            [_dim("out[0]", dim, size) for dim, size in enumerate(dims)])


def _space_to_batch():
    result = _block(f"dim(in[0],0)*{_BLOCK}", *[_padded(i) + f"/param:block_size[{i}]" for i in (0, 1)],
                    "dim(in[0],3)")
    for i in (0, 1):
        block, pads = f"param:block_size[{i}]", f"param:pad_amount[{2 * i}]+param:pad_amount[{2 * i + 1}]"
        result.append(_dim("in[0]", i + 1, f"{_padded(i)}/{block}*{block}-({pads})"))
    return result


def _padded(i):
    return f"(dim(in[0],{i + 1})+param:pad_amount[{2 * i}]+param:pad_amount[{2 * i + 1}])"


def _norm(*ports):
    return [c for p in ports for c in (_rank(p, 1), _dim(p, 0, "dim(in[0],-1)"))]


def _instance_norm():
    return [c for p in ("in[1]", "in[2]") for c in (_rank(p, 1), _or_one(p, 0))]


def _or_one(port, dim):
    """As many as in[0] has channels, or one for all."""
    return finding(port, "any_of", "rejected", slug=f"dim-{dim}-or-1".replace("--", "-last-"), of=[
        [{"port": port, "kind": "dim", "dim": dim, "eq": size}] for size in ("dim(in[0],-1)", 1)])


def _rms_norm():
    result = []
    for port in ("in[1]", "in[2]"):
        ranks = [[{"port": port, "kind": "rank", "eq": rank}] for rank in ("count(axes)", 0)]
        result += [finding(port, "any_of", "rejected", slug="rank-of-op", of=ranks),
                   finding(port, "rank", "prepare_fails", min=1, slug="rank-prepared"), _or_one(port, -1),
                   finding(port, "dim", "wrong_values", dim=-1, eq="dim(in[0],-1)", slug="dim-last-computed",
                           note="one element is taken, and not used for all channels")]
    return result


def _mat_mul():
    result = [_rank("out[0]", "max(rank(in[0]), rank(in[1]))"), _rank("in[2]", 1)]
    for flip0 in (0, 1):
        for flip1 in (0, 1):
            inner0, inner1 = (-2 if flip0 else -1), (-1 if flip1 else -2)
            when = {"param": {"transpose_in0": [flip0], "transpose_in1": [flip1]},
                    "rank_min": {"in[0]": 2, "in[1]": 2}}
            result.append(_dim("in[0]", inner0, f"dim(in[1],{inner1})", when=when))
    for flip in (0, 1):
        result.append(_dim("out[0]", -2, f"dim(in[0],{-1 if flip else -2})",
                           when={"param": {"transpose_in0": [flip]}, "rank_min": {"in[0]": 2, "in[1]": 2}}))
        result.append(_dim("out[0]", -1, f"dim(in[1],{-2 if flip else -1})",
                           when={"param": {"transpose_in1": [flip]}, "rank_min": {"in[0]": 2, "in[1]": 2}}))
    for dim in (-3, -4, -5):
        result.append(_dim("out[0]", dim, f"max(dim(in[0],{dim}), dim(in[1],{dim}))"))
    return result


def _fully_connected():
    flat = {"param": {"keep_dims": [0]}}
    return [_rank("in[1]", 2), finding("out[0]", "rank", "rejected", slug="rank-of-op", max=2, when=flat),
            _dim("out[0]", -1, "dim(in[1],0)"),
            finding("in[0]", "dim_product", "rejected", slug="elements-multiple", dim="all",
                    multiple_of="dim(in[1],1)"),
            _elements("out[0]", "elements(in[0])/dim(in[1],1)*dim(in[1],0)",
                      when={"rank_min": {"out[0]": 2}})]


def _split():
    return [_axis(), _dim("in[0]", "param:axis", "total(out[0..m],axis)"),
            finding("out[0..m]", "same_rank", "rejected", slug="same-rank", **{"as": "in[0]"})
            ] + _other_dims("out[0..m]", "in[0]")


def _concat():
    return [_axis(most="rank(out[0])-1"), _dim("out[0]", "param:axis", "total(in[0..m],axis)"),
            finding("in[0..m]", "same_rank", "rejected", slug="same-rank", **{"as": "out[0]"})
            ] + _other_dims("in[0..m]", "out[0]")


def _strided_slice():
    whole = {"param": {m: [0] for m in ("begin_mask", "end_mask", "shrink_axes", "new_axes_mask")}}
    result = [_rank("out[0]", "rank(in[0])", when=whole),
              _rank("in[0]", "count(ranges)/3")]
    for i in range(MOST_DIMS):
        result.append(finding("out[0]", "any_of", "rejected", slug=f"dim-{i}", when=whole, of=_sliced(i)))
    return result


def _sliced(i):
    """The size of dimension i by the signs of begin, end and stride. Forwards a negative begin or end
    counts from the end; backwards a negative end means past the first element."""
    at = 3 * i
    begin, end, stride = (f"param:ranges[{at + j}]" for j in range(3))
    dim = f"dim(in[0],{i})"
    from_end = f"max({begin}+{dim}, 0)"
    result = []
    for forwards in (True, False):
        starts = {True: from_end, False: begin if forwards else f"min({begin}, {dim}-1)"}
        ends = {True: f"{end}+{dim}" if forwards else "0-1", False: f"min({end}, {dim})" if forwards else end}
        for begin_negative, start in starts.items():
            for end_negative, stop in ends.items():
                size = (f"({stop}-{start}+{stride}-1)/{stride}" if forwards else
                        f"({start}-({stop})-{stride}-1)/(0-{stride})")
                result.append([_signed(at, begin_negative), _signed(at + 1, end_negative), _signed(at + 2, not forwards),
                               {"port": "out[0]", "kind": "dim", "dim": i, "eq": size}])
    return result


def _signed(index, negative):
    return {"port": "ranges", "kind": "param_value", "index": [index], **({"max": -1} if negative else {"min": 0})}


def _each(dims, size):
    return [_dim("out[0]", i, size.format(i=i, i0=2 * i, i1=2 * i + 1)) for i in range(dims)]


def _pad():
    return ([_rank("out[0]", "rank(in[0])"), _rank("in[0]", "count(pad_amount)/2"), _param("scheme", max=3)] +
            _each(MOST_DIMS, "dim(in[0],{i})+param:pad_amount[{i0}]+param:pad_amount[{i1}]"))


def _tile():
    return ([_rank("out[0]", "rank(in[0])"), _rank("in[0]", "count(multiples)")] +
            _each(MOST_DIMS, "dim(in[0],{i})*param:multiples[{i}]"))


def _transpose():
    return ([_rank("out[0]", "rank(in[0])"), _rank("in[0]", "count(perm)"), _axis("perm"),
             _elements("out[0]", "elements(in[0])")] +
            _each(MOST_DIMS, "dim(in[0],param:perm[{i}])"))


def _top_k():
    return [_rank("out[0]", "rank(in[0])"), _same("out[1]", "out[0]"), _dim("out[0]", -1, "param:k"),
            _param("k", max="dim(in[0],-1)"),
            finding("out[0]", "same_dims", "rejected", slug="dims", dims=[-2, -3, -4, -5],
                    **{"as": "in[0]"})]


def _gather():
    return [_axis(), _rank("out[0]", "rank(in[0])+rank(in[1])-1"),
            _dim("out[0]", "param:axis", "dim(in[1],0)", when={"rank": {"in[1]": [1]}}),
            _elements("out[0]", "elements(in[0])/dim(in[0],axis)*elements(in[1])")]


def _gather_nd():
    return [_rank("out[0]", "rank(in[1])-1+rank(in[0])-dim(in[1],-1)-param:batch_dims"),
            _dim("in[1]", -1, "rank(in[0])-param:batch_dims", limit="max"),
            _dim("out[0]", 0, "dim(in[1],0)", when={"rank_min": {"in[1]": 2}})]


def _scatter_nd():
    return [_rank("in[2]", "rank(in[1])-1+rank(in[0])-dim(in[1],-1)"),
            _dim("in[1]", -1, "rank(in[0])", limit="max"),
            _dim("in[2]", 0, "dim(in[1],0)", when={"rank_min": {"in[1]": 2}})]


def _pack():
    return [_axis(most="rank(in[0])"), _rank("out[0]", "rank(in[0])+1"),
            finding("in[0..m]", "same_rank", "rejected", slug="same-rank", **{"as": "in[0]"}),
            _dim("out[0]", "param:axis", "elements(out[0])/elements(in[0])"),
            finding("out[0]", "dim_product", "rejected", slug="elements", dim="all",
                    multiple_of="elements(in[0])")]


def _unpack():
    return [_axis(), _rank("out[0..m]", "rank(in[0])-1"),
            _elements("out[0..m]", "elements(in[0])/dim(in[0],axis)")]


def _buffer():
    fits = "param:{0}/dim(in[0],buffer_dim)*dim(in[0],buffer_dim)"
    return [_axis("buffer_dim"), _rank("out[0]", "rank(in[0])"),
            _dim("out[0]", "param:buffer_dim", "param:buffer_size"),
            _elements("out[0]", "elements(in[0])/dim(in[0],buffer_dim)*param:buffer_size"),
            _param("buffer_size", slug="multiple", eq=[fits.format("buffer_size")]),
            _param("stride", slug="multiple", eq=[fits.format("stride")])]


def _nms():
    return _ranks(in0=3, in1=3, out0=2, out1=1) + [
        _param("iou_threshold", min=0, max=1),
        _dim("out[0]", 0, "dim(in[1],0)*dim(in[1],1)*param:max_boxes_selected"),
        _dim("in[0]", 2, 4), _dim("out[0]", 1, 3), _dim("in[0]", 1, "dim(in[1],2)"),
        _param("max_boxes_selected", max="dim(in[0],1)"),
        _dim("in[0]", 0, "dim(in[1],0)")]


def _class_nms():
    result = _ranks(in0=3, in1=3, out0=3, out1=2, out2=2, out3=1)
    result += [_dim("in[0]", 2, 4), _dim("out[0]", 2, 4), _dim("in[0]", 1, "dim(in[1],1)"),
               _same("out[2]", "out[1]"), _dim("out[1]", 1, "dim(out[0],1)")]
    return result + [_dim(p, 0, "dim(in[0],0)") for p in ("in[1]", "out[0]", "out[1]", "out[3]")] + [
        finding("in[2..m]", "same_dims", "rejected", slug="dims", dims=[0, 1], **{"as": "in[0]"}),
        finding("out[4..m]", "same_dims", "rejected", slug="dims", dims=[0, 1], **{"as": "out[0]"})]


def _detection():
    result = _ranks(in0=3, in1=3, in2=2, out0=2, out1=3, out2=2)
    result += [_dim("in[2]", 1, 4), _dim("in[1]", 1, "dim(in[2],0)")]
    return result + [_dim(p, 0, "dim(in[0],0)") for p in ("in[1]", "out[0]", "out[1]", "out[2]")] + [
        _dim("out[0]", 1, "dim(out[1],1)"), _dim("out[2]", 1, "dim(out[1],1)")]


def _resize(last):
    return [_dim("out[0]", 0, "dim(in[0],0)"), _dim("out[0]", last, f"dim(in[0],{last})")]


_BY_OP = {
    "Argmax": _arg, "Argmin": _arg, "Buffer": _buffer, "Concat": _concat,
    "ReduceMax": _reduce, "ReduceMean": _reduce, "ReduceMin": _reduce, "ReduceSum": _reduce,
    "BatchToSpace": lambda: _block(multiples=[(0, _BLOCK)]),
    "SpaceToBatch": _space_to_batch,
    "DepthToSpace": lambda: _block(
        "dim(in[0],0)", "dim(in[0],1)*param:block_size[0]", "dim(in[0],2)*param:block_size[1]",
        f"dim(in[0],3)/({_BLOCK})", multiples=[(3, _BLOCK)]),
    "SpaceToDepth": lambda: _block(
        "dim(in[0],0)", "dim(in[0],1)/param:block_size[0]", "dim(in[0],2)/param:block_size[1]",
        f"dim(in[0],3)*{_BLOCK}",
        multiples=[(1, "param:block_size[0]"), (2, "param:block_size[1]")]),
    "Batchnorm": lambda: _norm("in[1]", "in[2]"), "InstanceNorm": _instance_norm,
    "GroupNorm": lambda: _norm("in[1]", "in[2]"),
    "LayerNorm": lambda: [c for p in ("in[1]", "in[2]") for c in (
        _rank(p, "count(axes)"), _dim(p, -1, "dim(in[0],-1)"))],
    "RmsNorm": _rms_norm,
    "ChannelShuffle": lambda: [_rank("out[0]", "rank(in[0])"), _axis(), _multiple("in[0]", "param:axis", "param:num_groups")],
    "Conv2d": lambda: _conv(4, True), "Conv3d": lambda: _conv(5, True),
    "DepthWiseConv2d": lambda: _conv(4, False),
    "TransposeConv2d": lambda: _transpose_conv(4), "TransposeConv3d": lambda: _transpose_conv(5),
    "PoolAvg2d": lambda: _pool(4), "PoolMax2d": lambda: _pool(4), "PoolAvg3d": lambda: _pool(5),
    "PoolMax3d": lambda: _pool(5), "ExtractPatches": _patches,
    "CreateSparse": lambda: [_rank("in[1]", 1), _dim("in[1]", 0, "dim(in[0],0)"),
                             _dim("in[0]", 1, "rank(out[0])", limit="max")],
    "CumulativeSum": lambda: [_axis()], "L2Norm": lambda: [_axis()],
    "LogSoftmax": lambda: [_param("axis", eq=["rank(in[0])-1"])],
    "ExpandDims": lambda: [_axis(most="rank(in[0])"), _elements("out[0]", "elements(in[0])"),
                           _dim("out[0]", "param:axis", 1),
                           finding("out[0]", "rank", "rejected", slug="rank-of-op",
                                   min="rank(in[0])+1")],
    "Squeeze": lambda: [_elements("out[0]", "elements(in[0])")],
    "Reshape": lambda: [_elements("out[0]", "elements(in[0])")],
    "ExtractGlimpse": lambda: _ranks(in0=4, in1=2, out0=4) + [
        _dim("in[1]", 0, "dim(in[0],0)"), _dim("out[0]", 0, "dim(in[0],0)"),
        _dim("out[0]", 1, "param:size[0]"), _dim("out[0]", 2, "param:size[1]"),
        _dim("out[0]", 3, "dim(in[0],3)")],
    "FullyConnected": _fully_connected, "MatMul": _mat_mul,
    "Gather": _gather, "GatherNd": _gather_nd, "ScatterNd": _scatter_nd,
    "GatherElements": lambda: [_axis(), _same("out[0]", "in[1]"), _rank("in[1]", "rank(in[0])")],
    "ScatterElements": lambda: [_axis(), _same("in[2]", "in[1]")],
    "GetSparseIndices": lambda: [_rank("out[0]", 2), _dim("out[0]", 1, "rank(in[0])", limit="max")],
    "GridSample": lambda: [_rank("in[1]", "rank(in[0])"), _rank("out[0]", "rank(in[0])"),
                           _dim("in[1]", -1, "rank(in[0])-2"), _dim("out[0]", 0, "dim(in[0],0)"),
                           _dim("out[0]", 1, "dim(in[1],1)"), _dim("out[0]", 2, "dim(in[1],2)")],
    "NonMaxSuppression": _nms, "MultiClassNms": _class_nms, "DetectionOutput": _detection,
    "NonZero": lambda: [_rank("out[0]", 2), _dim("out[0]", 0, "elements(in[0])"),
                        _dim("out[0]", 1, "rank(in[0])")],
    "Nv12ToRgb": lambda: _ranks(in0=2, out0=4) + [
        _dim("out[0]", 0, "dim(in[0],0)"), _dim("out[0]", 3, 3),
        _elements("out[0]", "elements(in[0])*2")],
    "Pack": _pack, "UnPack": _unpack, "Pad": _pad, "Tile": _tile, "Transpose": _transpose,
    "Prelu": lambda: [_rank("out[0]", "rank(in[0])"),
                      finding("in[1]", "rank", "rejected", slug="rank-of-op", min=1, max="rank(in[0])")],
    "Resize": lambda: [_rank("out[0]", "rank(in[0])"), _param("interpolation_mode", max=2)] + _resize(-1),
    "ResizeBilinear": lambda: _ranks(in0=4, out0=4) + _resize(3),
    "ResizeNearestNeighbor": lambda: _ranks(in0=4, out0=4) + _resize(3),
    "RoiAlign": lambda: _ranks(in0=4, in1=2, in2=1, out0=4) + [
        _dim("in[1]", 1, 4), _dim("in[2]", 0, "dim(in[1],0)"), _dim("out[0]", 0, "dim(in[1],0)"),
        _dim("out[0]", 3, "dim(in[0],3)")],
    "Split": _split, "StridedSlice": _strided_slice, "TopK": _top_k,
}
