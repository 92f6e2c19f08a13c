"""From a plan to ONNX Runtime's quantizer.

    plan = quantgate.plan("float.onnx", precision="16a8w", soc="SM8550")
    quantgate.ort.quantize("float.onnx", "quantized.onnx", plan, samples)

or, to go on with the configuration by hand:

    config = quantgate.ort.quantize_config("float.onnx", plan, samples)
    onnxruntime.quantization.quantize("float.onnx", "quantized.onnx", config)

`samples` is a CalibrationDataReader, or any iterable of dicts of arrays. Needs onnx, onnxruntime
and numpy only when it is called.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from quantgate._errors import QuantgateError
from quantgate._numbers import LEAST_RANGE, Range, RangeOf, classes, ends, middle, numbers
from quantgate._plan import Plan, PlannedTensor

_QTYPES = {f"{sign}FIXED_POINT_{bits}": f"Q{'UInt' if sign == 'U' else 'Int'}{bits}"
           for sign in "US" for bits in (8, 16)}


class PlanError(QuantgateError):
    """The quantizer has no way to do what the plan says. The text names the tensor or node."""


class _Replay:
    """A CalibrationDataReader that can be read several times."""

    def __init__(self, samples: Any) -> None:
        if hasattr(samples, "get_next"):
            self._samples = list(iter(samples.get_next, None))
        else:
            self._samples = [dict(sample) for sample in samples]
        if not self._samples:
            raise ValueError("no samples to calibrate with")
        self.rewind()

    def rewind(self) -> None:
        self._left = iter(self._samples)

    def get_next(self) -> Mapping[str, Any] | None:
        return next(self._left, None)

    def set_range(self, start_index: int, end_index: int) -> None:
        self._left = iter(self._samples[start_index:end_index])

    def __len__(self) -> int:
        return len(self._samples)

    def __iter__(self) -> _Replay:
        return self

    def __next__(self) -> Mapping[str, Any]:
        sample = self.get_next()
        if sample is None:
            raise StopIteration
        return sample


def _reader(samples: Any) -> Any:
    from onnxruntime.quantization import CalibrationDataReader

    reader: Any = type("Samples", (_Replay, CalibrationDataReader), {})
    return reader(samples)


def _loaded(model: Any) -> Any:
    import onnx

    return onnx.load(os.fspath(model)) if isinstance(model, (str, os.PathLike)) else model


class _Config:
    """Overrides of one model."""

    def __init__(self, proto: Any, plan: Plan) -> None:
        self.plan = plan
        self.graph = proto.graph
        self.initializers = {tensor.name: tensor for tensor in proto.graph.initializer}
        made = {name for node in proto.graph.node for name in node.output}
        self.values = made | {value.name for value in proto.graph.input}
        self.named = {node.name for node in proto.graph.node if node.name}
        self.tensors = {tensor.name: tensor for tensor in plan.tensors
                        if tensor.name in self.values or tensor.name in self.initializers}
        self.overrides: dict[str, list[dict[str, Any]]] = {}
        missing = next((tensor.name for tensor in plan.tensors
                        if not tensor.internal and tensor.name not in self.tensors), None)
        if missing is not None:
            raise PlanError(f"the plan is that of another model: this one has no tensor {missing}")

    def fill(self) -> None:
        for tensor in self.tensors.values():
            if tensor.name not in self.initializers or tensor.role == "constant":
                self._activation(tensor)
            elif tensor.role == "weight":
                self._weight(tensor)
            elif tensor.role == "bias":
                self._activation(tensor)
        self._converts()

    def _qtype(self, tensor: str, dtype: str, bits: int = 0) -> Any:
        from onnxruntime.quantization import QuantType

        name = f"QInt{bits}" if bits == 4 and dtype.startswith("S") else _QTYPES.get(dtype, "")
        if not hasattr(QuantType, name):
            raise PlanError(f"ONNX Runtime's quantizer has no type for {tensor}: {dtype}")
        return getattr(QuantType, name)

    def _activation(self, tensor: PlannedTensor) -> None:
        # Biases are the quantizer's: it derives their scale.
        if not tensor.encoding or tensor.dtype == "SFIXED_POINT_32":
            return
        override: dict[str, Any] = {"quant_type": self._qtype(tensor.name, tensor.dtype)}
        override |= self._dictated(tensor.dtype, tensor.symmetric, tensor.scale, tensor.zero_point)
        self.overrides[tensor.name] = [override]

    @staticmethod
    def _dictated(dtype: str, symmetric: bool, scale: float | None,
                  zero_point: int | None) -> dict[str, Any]:
        import numpy

        if scale is not None and zero_point is not None:
            return {"scale": numpy.array(scale, numpy.float32),
                    "zero_point": numpy.array(zero_point, _numpy_type(dtype))}
        least = ends(dtype)[0]
        if symmetric or zero_point == middle(dtype):
            return {"symmetric": True}
        # The zero point is that of the smallest value where no value is below 0.
        return {"rmin": numpy.array(0, numpy.float32)} if zero_point == least else {}

    def _weight(self, tensor: PlannedTensor) -> None:
        if not tensor.encoding:
            return
        if tensor.encoding not in ("perTensor", "perChannel"):
            raise PlanError(f"ONNX Runtime's quantizer has no LPBQ, and the plan has it for "
                            f"{tensor.name}")
        override: dict[str, Any] = {"quant_type": self._qtype(tensor.name, tensor.dtype, tensor.bits),
                                    "symmetric": tensor.symmetric}
        if tensor.encoding == "perChannel":
            if tensor.file_axis < 0:
                raise PlanError(f"{tensor.name} has no axis in the file that its channels lie along")
            override["axis"] = tensor.file_axis
        self.overrides[tensor.name] = [override]

    def _converts(self) -> None:
        # (type and numbers) of each tensor that is converted, and the nodes that read that.
        wanted: dict[str, dict[str, set[str]]] = {}
        for convert in self.plan.converts:
            if convert.tensor not in self.tensors or "FLOAT" in convert.to_dtype:
                continue
            own = _copy_name(convert.tensor, convert.to_dtype)
            if own in self.initializers:
                self.overrides[own] = [{"quant_type": self._qtype(own, convert.to_dtype)}]
            elif "FLOAT" in convert.from_dtype:
                self._border(convert.tensor, convert.to_dtype)
            elif convert.from_dtype != convert.to_dtype:
                wanted.setdefault(convert.tensor, {}).setdefault(convert.to_dtype, set()).add(
                    convert.node)
            else:
                raise PlanError(f"{convert.tensor} is to be converted between two encodings of one "
                                f"type for {convert.node}, for which ONNX Runtime's quantizer has "
                                "no override")
        for name, types in wanted.items():
            if len(types) > 1 or name in self.initializers:
                raise PlanError(f"{name} is read in several types ({', '.join(sorted(types))}), and "
                                "ONNX Runtime's quantizer converts computed tensors to one other")
            (dtype, nodes), = types.items()
            self.overrides[name][0]["convert"] = {"quant_type": self._qtype(name, dtype),
                                                  "recv_nodes": nodes}

    def _border(self, name: str, dtype: str) -> None:
        """What float nodes make is quantized for those that read it."""
        known = self.overrides.setdefault(name, [{"quant_type": self._qtype(name, dtype)}])
        if known[0]["quant_type"] != self._qtype(name, dtype):
            known[0].setdefault("convert", {"quant_type": self._qtype(name, dtype)})

    def excluded(self) -> list[str]:
        """Nodes that stay in float, and those of constants alone, which the tool computes itself."""
        names = [node.name for node in self.plan.nodes
                 if node.fit in ("float", "refused", "unchecked") and not node.into]
        for name in names:
            if name not in self.named:
                raise PlanError(f"node {name} stays in float, and has no name in the file: name all "
                                "nodes first (quantgate.ort.quantize does)")
        # With a Q and DQ between them they would be left as they are: a Trilu of a constant, the
        # scales of a Resize.
        return names + [node.name for node in _computed_before(self.graph, self.plan)]

    # ---- numbers that only data gives ----

    def classes(self) -> list[list[PlannedTensor]]:
        """Tensors that have one encoding with others, or may not have any scale."""
        return [members for members in classes(self.tensors).values()
                if len(members) > 1 or members[0].least_scale]

    def share(self, range_of: RangeOf) -> None:
        """Writes the encoding of every class down: what it holds is what any member holds. A single
        tensor's only where its values alone would give it too small a scale."""
        import numpy

        known = numbers(self.plan, range_of)
        for members in self.classes():
            for member in members:
                if member.name not in known or (
                        len(members) == 1 and known[member.name].scale > member.least_scale):
                    continue
                override = self.overrides[member.name][0]
                for key in ("symmetric", "rmin", "rmax"):
                    override.pop(key, None)
                own = known[member.name]
                override |= {"zero_point": numpy.array(own.zero_point, _numpy_type(member.dtype)),
                             "scale": numpy.array(own.scale, numpy.float32)}


def _numpy_type(dtype: str) -> str:
    return f"{'u' if dtype.startswith('U') else ''}int{dtype.rsplit('_', 1)[1]}"


def ranges(model: Any, samples: Iterable[Mapping[str, Any]] | Any, providers: Any = None
           ) -> tuple[RangeOf, dict[str, Any]]:
    """Smallest and largest value of each tensor by name, over all samples, and the constants."""
    proto = _loaded(model)
    reader = samples if hasattr(samples, "rewind") else _reader(samples)
    return _ranges(proto, reader, providers)


def _ranges(model: Any, reader: Any, providers: Any) -> tuple[RangeOf, dict[str, Any]]:
    import onnx
    from onnxruntime.quantization import CalibrationMethod, create_calibrator

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        large = model.ByteSize() >= 1 << 31
        onnx.save_model(model, path.as_posix(), save_as_external_data=large)
        options: dict[str, Any] = {"providers": providers} if providers else {}
        calibrator = create_calibrator(
            path, [], augmented_model_path=(Path(folder) / "augmented.onnx").as_posix(),
            calibrate_method=CalibrationMethod.MinMax, use_external_data_format=large, **options)
        calibrator.collect_data(reader)
        computed = calibrator.compute_data()
        del calibrator
    reader.rewind()

    constants = {i.name: onnx.numpy_helper.to_array(i) for i in model.graph.initializer}

    def range_of(name: str) -> Range | None:
        if name in constants:
            values = constants[name]
            return (float(values.min()), float(values.max())) if values.size else None
        try:
            least, most = computed[name].range_value
        except (KeyError, AttributeError):
            return None
        return float(least.min()), float(most.max())

    return range_of, constants


def quantize_config(model: Any, plan: Plan, calibration_data_reader: Any = None, *,
                    calibration_providers: Any = None, **extra_options: Any) -> Any:
    """The StaticQuantConfig of onnxruntime.quantization that does what the plan says.

    model: the float model that the plan was made of, a path or an onnx.ModelProto.
    calibration_data_reader: a CalibrationDataReader or an iterable of inputs; it is run to find the
    encodings that tensors share. Without it they are left to the quantizer.
    extra_options: those of the quantizer.

    Raises PlanError for what the quantizer can't do.
    """
    from onnxruntime.quantization import CalibrationMethod, QuantType
    from onnxruntime.quantization.execution_providers.qnn.quant_config import OP_TYPES_TO_EXCLUDE
    from onnxruntime.quantization.quantize import StaticQuantConfig

    proto = _loaded(model)
    config = _Config(proto, plan)
    config.fill()
    reader = None if calibration_data_reader is None else _reader(calibration_data_reader)
    if reader is not None and config.classes():
        config.share(_ranges(proto, reader, calibration_providers)[0])
    wide = plan.precision.startswith("16a")
    version = next(o.version for o in proto.opset_import if o.domain in ("", "ai.onnx"))
    types = {entry["quant_type"] for entries in config.overrides.values() for entry in entries}
    types |= {entry["convert"]["quant_type"] for entries in config.overrides.values()
              for entry in entries if "convert" in entry}
    new = {QuantType.QInt16, QuantType.QUInt16, QuantType.QInt4, QuantType.QUInt4}
    options = {"MinimumRealRange": LEAST_RANGE, "DedicatedQDQPair": False,
               "TensorQuantOverrides": config.overrides, "ActivationSymmetric": False,
               "WeightSymmetric": True}
    if version < 21 and (wide or types & new):
        options["UseQDQContribOps"] = True
    op_types = {node.op_type for node in proto.graph.node} - set(OP_TYPES_TO_EXCLUDE)
    return StaticQuantConfig(
        reader, calibrate_method=CalibrationMethod.MinMax,
        activation_type=QuantType.QUInt16 if wide else QuantType.QUInt8,
        weight_type=QuantType.QInt16 if plan.precision.endswith("16w") else QuantType.QInt8,
        op_types_to_quantize=sorted(op_types), nodes_to_exclude=config.excluded(),
        per_channel=False, use_external_data_format=proto.ByteSize() >= 1 << 31,
        calibration_providers=calibration_providers, extra_options=options | extra_options)


def named(model: Any) -> Any:
    """The model with a name for every node, as plans call those without: OP_INDEX."""
    import onnx

    proto = onnx.ModelProto()
    proto.CopyFrom(_loaded(model))
    for index, node in enumerate(proto.graph.node):
        node.name = node.name or f"{node.op_type}_{index}"
    return proto


def _copy_name(constant: str, dtype: str) -> str:
    return f"{constant}_as_{dtype}"


def _computed_before(graph: Any, plan: Plan) -> list[Any]:
    """Nodes of constants alone, which the runtime computes when it loads the model."""
    part_of_another = {node.name for node in plan.nodes if node.into}
    constants = {"", *(tensor.name for tensor in graph.initializer)}
    nodes = []
    for node in graph.node:
        if node.name in part_of_another and constants.issuperset(node.input):
            constants.update(node.output)
            nodes.append(node)
    return nodes


def _copied(graph: Any, constant: Any, name: str) -> Any:
    copy = graph.initializer.add()
    copy.CopyFrom(constant)
    copy.name = name
    return copy


def _keep_constants(proto: Any, plan: Plan) -> None:
    """A constant of its own for what is computed when the model is loaded, in float, where others
    read the same one quantized."""
    before = _computed_before(proto.graph, plan)
    names = {node.name for node in before}
    constants = {tensor.name: tensor for tensor in proto.graph.initializer}
    quantized = {name for node in proto.graph.node if node.name not in names for name in node.input}
    both = {name for node in before for name in node.input if name in quantized and name in constants}
    copies = {name: _copied(proto.graph, constants[name], f"{name}_in_float").name for name in sorted(both)}
    for node in before:
        node.input[:] = [copies.get(name, name) for name in node.input]


def _copy_constants(proto: Any, plan: Plan) -> None:
    """A constant of its own for the nodes that read one in another type than the others do."""
    constants = {tensor.name: tensor for tensor in proto.graph.initializer}
    nodes = {node.name: node for node in proto.graph.node}
    for convert in plan.converts:
        if (convert.tensor not in constants or convert.from_dtype == convert.to_dtype
                or "FLOAT" in convert.from_dtype + convert.to_dtype):
            continue
        name = _copy_name(convert.tensor, convert.to_dtype)
        if name not in constants:
            constants[name] = _copied(proto.graph, constants[convert.tensor], name)
        inputs = nodes[convert.node].input
        inputs[:] = [name if own == convert.tensor else own for own in inputs]


def quantize(model: Any, output: str | os.PathLike[str], plan: Plan,
             samples: Iterable[Mapping[str, Any]] | Any, **options: Any) -> None:
    """Calibrates with the samples and writes the quantized model.

    options: those of quantize_config().
    """
    from onnxruntime.quantization import quantize as write

    proto = named(model)
    _keep_constants(proto, plan)
    _copy_constants(proto, plan)
    write(proto, os.fspath(output), quantize_config(proto, plan, samples, **options))
