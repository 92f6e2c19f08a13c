"""A PT2E quantizer that annotates from the database."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torchao.quantization.pt2e import MinMaxObserver, PerChannelMinMaxObserver
from torchao.quantization.pt2e.quantizer import (
    DerivedQuantizationSpec,
    FixedQParamsQuantizationSpec,
    QuantizationAnnotation,
    QuantizationSpec,
    SharedQuantizationSpec,
)
from torchao.quantization.pt2e.quantizer import Quantizer as Pt2eQuantizer

from quantgate._numbers import ends, middle
from quantgate._plan import Minimize, Plan, PlannedTensor, Precision, plan
from quantgate._names import Route
from quantgate.executorch._sdk import sdk_for
from quantgate.torch._check import check, read

_KEY = "quantization_annotation"
# Of a tensor that never varies.
_LEAST_SCALE = 2.0**-20
# Numbers beyond are masks, infinite or the largest of a float, for a softmax that is to see nothing there.
_MASKED = 1e30
# Below all others e^-16 of them is left, a ten millionth: less than a step of 16 bits.
_BELOW = 16.0


class RangeObserver(MinMaxObserver):  # type: ignore[misc]
    """Smallest and largest value, of which masks are so far out only as a softmax needs."""

    def forward(self, x_orig: torch.Tensor) -> torch.Tensor:
        x = x_orig.detach()
        masked = x.abs() > _MASKED
        if masked.any():
            rest = x[~masked]
            low, high = (rest.min(), rest.max()) if rest.numel() else (x.new_zeros(()), x.new_zeros(()))
            x = torch.where(masked, torch.where(x < 0, low - _BELOW, high + _BELOW), x)
        super().forward(x)
        return x_orig


class UnsignedSymmetricObserver(RangeObserver):
    """Symmetric around the middle of an unsigned type, which torch's observers know for 8 bits only."""

    def calculate_qparams(self) -> tuple[torch.Tensor, torch.Tensor]:
        bound = torch.maximum(-self.min_val, self.max_val)
        steps = self.quant_max - self.quant_min
        zero_point = torch.full_like(bound, (self.quant_min + self.quant_max + 1) // 2, dtype=torch.int64)
        return (2 * bound / steps).clamp(min=float(self.eps)), zero_point


class NonNegativeObserver(RangeObserver):
    """Of a tensor whose zero point is its type's smallest value: the range begins at 0."""

    def calculate_qparams(self) -> tuple[torch.Tensor, torch.Tensor]:
        scale = (self.max_val / (self.quant_max - self.quant_min)).clamp(min=float(self.eps))
        return scale, torch.full_like(scale, self.quant_min, dtype=torch.int64)


def _stored(dtype: str) -> torch.dtype:
    """The type that PT2E has for a QNN type: wider ones hold what torch has no kernels for."""
    return {"UFIXED_POINT_8": torch.uint8, "SFIXED_POINT_8": torch.int8,
            "SFIXED_POINT_16": torch.int16}.get(dtype, torch.int32)


def _with_tensor(target: Any, index: int) -> Any:
    """The overload whose operand `index` is a tensor; None: there is none."""
    packet = getattr(target, "overloadpacket", None)
    for overload in (target, getattr(packet, "Tensor", None)):
        arguments = getattr(getattr(overload, "_schema", None), "arguments", ())
        if index < len(arguments) and str(arguments[index].type) == "Tensor":
            return overload
    return None


def _lift_scalars(model: GraphModule) -> None:
    """Numbers among the operands of float ops become constants, which can be quantized."""
    for node in list(model.graph.nodes):
        value = node.meta.get("val")
        if node.op != "call_function" or not isinstance(value, torch.Tensor) or not value.is_floating_point():
            continue
        for index, number in enumerate(node.args):
            if isinstance(number, bool) or not isinstance(number, (int, float)):
                continue
            target = _with_tensor(node.target, index)
            if target is None:
                continue
            name = f"_scalar_{node.name}_{index}"
            model.register_buffer(name, torch.tensor(float(number)))
            with model.graph.inserting_before(node):
                constant = model.graph.get_attr(name)
            constant.meta["val"] = value.new_empty(())
            node.update_arg(index, constant)
            node.target = target
    model.recompile()


class _Annotator:
    """Specs for one graph."""

    def __init__(self, model: GraphModule, planned: Plan) -> None:
        self.nodes: dict[str, Node] = {node.name: node for node in model.graph.nodes}
        self.part_of_another = {node.name for node in planned.nodes if node.into}
        self.tensors: dict[str, PlannedTensor] = {tensor.name: tensor for tensor in planned.tensors}
        self.converts = {(c.tensor, c.node): c for c in planned.converts}
        self.kept = {node.name for node in planned.nodes
                     if node.fit in ("float", "refused", "unchecked") and not node.into}
        self.specs: dict[str, Any] = {}  # of tensors, by name
        self.producers: dict[str, Node] = {}  # of tensors of the plan; of several outputs the node that picks one
        for node in self.nodes.values():
            self.producers.setdefault(self._name(node), node)

    def annotate(self) -> None:
        for node in self.nodes.values():
            if node.op == "call_function":
                self._annotate(node)

    def _name(self, node: Node) -> str:
        """What the plan calls the tensor that a node makes: the outputs of one op have its name and a number."""
        if node.target is not operator.getitem:
            return str(node.name)
        source, index = node.args
        return f"{source.name}[{index}]" if isinstance(source, Node) else str(node.name)

    def _origin(self, node: Node) -> Node:
        """The node whose tensor it is: dropout, clone and the like hand on what they read, and no plan has them."""
        while node.name in self.part_of_another and self._name(node) not in self.tensors:
            source = next(iter(node.all_input_nodes), None)
            own, read = node.meta.get("val"), source.meta.get("val") if source is not None else None
            if not isinstance(own, torch.Tensor) or not isinstance(read, torch.Tensor) or own.shape != read.shape:
                break
            assert source is not None
            node = source
        return node

    def _annotate(self, node: Node) -> None:
        if node.name in self.kept:
            return
        inputs = {}
        for source in node.all_input_nodes:
            spec = self._read(source, node)
            if spec is not None:
                inputs[source] = spec
        output = self._made(node)
        if inputs or output is not None:
            node.meta[_KEY] = QuantizationAnnotation(input_qspec_map=inputs, output_qspec=output,
                                                     _annotated=True)

    def _read(self, source: Node, node: Node) -> Any:
        """The spec of an operand; None where it is in float."""
        origin = self._origin(source)
        tensor = self.tensors.get(self._name(origin))
        if tensor is None or not isinstance(source.meta.get("val"), torch.Tensor):
            return None
        convert = self.converts.get((tensor.name, node.name))
        if convert is not None:
            if "FLOAT" in convert.to_dtype:
                return None
            root = self.producers.get(convert.shares_with)
            if root is node:  # which then has that of what it reads
                return self._own(self.tensors[convert.shares_with])
            if root is not None and convert.scale is None and root.op == "call_function":
                return SharedQuantizationSpec(root)
            return self._activation(convert.to_dtype, 0, False, convert.scale, convert.zero_point)
        if not tensor.encoding:
            return None
        if tensor.role == "weight":
            return self._weight(tensor, source)
        if tensor.dtype == "SFIXED_POINT_32":
            return self._bias(tensor, node)
        return self._own(tensor) if origin is source else self._shared(origin, tensor)

    def _made(self, node: Node) -> Any:
        tensor = self.tensors.get(self._name(node))
        if (tensor is None or not tensor.encoding or tensor.role != "activation"
                or not isinstance(node.meta.get("val"), torch.Tensor)):
            return None
        for source in node.all_input_nodes:
            convert = self.converts.get((self._name(self._origin(source)), node.name))
            if convert is not None and convert.shares_with == tensor.name:
                return SharedQuantizationSpec((source, node))
        root = self.producers.get(tensor.shares_with)
        return self._own(tensor) if root is None else self._shared(root, tensor)

    def _shared(self, root: Node, tensor: PlannedTensor) -> Any:
        """The observer of what another node makes."""
        if tensor.scale is not None:
            return self._own(tensor)
        if root.op == "call_function" and root.name not in self.kept:
            return SharedQuantizationSpec(root)
        # An input of the graph has its spec at those who read it.
        reader = next((user for user in root.users if user.op == "call_function"
                       and user.name not in self.kept), None)
        return self._own(tensor) if reader is None else SharedQuantizationSpec((root, reader))

    def _own(self, tensor: PlannedTensor) -> Any:
        # One object a tensor: PT2E lets equal specs of one tensor share their observer.
        if tensor.name not in self.specs:
            self.specs[tensor.name] = self._activation(
                tensor.dtype, tensor.bits, tensor.symmetric, tensor.scale, tensor.zero_point, tensor.least_scale)
        return self.specs[tensor.name]

    def _activation(self, dtype: str, bits: int, symmetric: bool, scale: float | None,
                    zero_point: int | None, least: float = 0.0) -> Any:
        low, high = ends(dtype, bits)
        common = {"dtype": _stored(dtype), "quant_min": low, "quant_max": high}
        if scale is not None and zero_point is not None:
            return FixedQParamsQuantizationSpec(scale=scale, zero_point=zero_point,
                                                qscheme=torch.per_tensor_affine, **common)
        observer: Any = RangeObserver
        scheme = torch.per_tensor_affine
        if symmetric or zero_point == middle(dtype, bits):
            scheme = torch.per_tensor_symmetric
            observer = UnsignedSymmetricObserver if low == 0 else RangeObserver
        elif zero_point == low:
            observer = NonNegativeObserver
        return QuantizationSpec(observer_or_fake_quant_ctr=observer.with_args(eps=max(_LEAST_SCALE, least)),
                                qscheme=scheme, **common)

    def _weight(self, tensor: PlannedTensor, source: Node) -> Any:
        low, high = ends(tensor.dtype, tensor.bits)
        common: dict[str, Any] = {"dtype": _stored(tensor.dtype), "quant_min": low + (low < 0),
                                  "quant_max": high}
        if tensor.encoding == "lpbq":
            return self._blocks(tensor, source, common)
        if tensor.encoding == "perChannel":
            return QuantizationSpec(
                qscheme=torch.per_channel_symmetric, ch_axis=tensor.file_axis,
                observer_or_fake_quant_ctr=PerChannelMinMaxObserver.with_args(eps=_LEAST_SCALE), **common)
        observer = UnsignedSymmetricObserver if low == 0 else MinMaxObserver
        return QuantizationSpec(qscheme=torch.per_tensor_symmetric,
                                observer_or_fake_quant_ctr=observer.with_args(eps=_LEAST_SCALE), **common)

    @staticmethod
    def _blocks(tensor: PlannedTensor, source: Node, common: dict[str, Any]) -> Any:
        """LPBQ is ExecuTorch's own: torchao has no observer for it."""
        from executorch.backends.qualcomm.quantizer.observers.per_block_param_observer import (
            PerBlockParamObserver,
        )

        rank = len(source.meta["val"].shape)
        sizes = [1] * rank
        sizes[1 if tensor.file_axis == 0 else 0] = tensor.block_size
        return QuantizationSpec(
            qscheme=torch.per_channel_symmetric, ch_axis=tensor.file_axis,
            observer_or_fake_quant_ctr=PerBlockParamObserver.with_args(
                block_size=torch.Size(sizes), eps=_LEAST_SCALE), **common)

    def _bias(self, tensor: PlannedTensor, node: Node) -> Any:
        """Input scale times weight scale, for each channel of the weight."""
        activation, weight = node.args[0], node.args[1] if len(node.args) > 1 else None
        norm = next((arg for arg in node.args[1:] if isinstance(arg, Node)
                     and (known := self.tensors.get(self._name(self._origin(arg)))) is not None
                     and known.role in ("weight", "constant")), weight)
        if not isinstance(activation, Node) or not isinstance(norm, Node):
            return None
        channels = tensor.encoding == "perChannel"

        def derive(observers: list[Any]) -> tuple[torch.Tensor, torch.Tensor]:
            scale = observers[0].calculate_qparams()[0] * observers[1].calculate_qparams()[0]
            steps = getattr(getattr(observers[1], "activation_post_process", observers[1]), "num_steps", 0)
            if steps:  # blocks: the bias has the largest scale of a channel
                scale = scale.view(scale.size(0), -1).amax(dim=-1) / steps
            return scale.to(torch.float32), torch.zeros_like(scale, dtype=torch.int32)

        low, high = ends("SFIXED_POINT_32")
        return DerivedQuantizationSpec(
            derived_from=[(activation, node), (norm, node)], derive_qparams_fn=derive,
            dtype=torch.int32, quant_min=low, quant_max=high, ch_axis=0 if channels else None,
            qscheme=torch.per_channel_symmetric if channels else torch.per_tensor_symmetric)


class Quantizer(Pt2eQuantizer):  # type: ignore[misc]
    """Annotates any exported program so that the target accepts it: a plan of the graph, as specs.

        quantizer = quantgate.torch.Quantizer(precision="16a8w", soc="SM8550")
        prepared = prepare_pt2e(exported.module(), quantizer)

    precision, weights, overrides, minimize: as in quantgate.plan(), which `plan` is the result of;
    sdk: as in check().
    Shared, fixed and derived encodings, 32-bit biases and LPBQ (with ExecuTorch's observer) follow
    from the database. transform: passes before annotating, such as a backend's decompositions.
    validate() raises ValidationError where the annotated graph would be refused, which what the plan
    says can't be had is no part of.
    """

    def __init__(self, *, precision: Precision, weights: str = "", overrides: Any = (),
                 minimize: Minimize = "converts", soc: str | int | None = None,
                 arch: str | None = None, sdk: str | None = None, backend: str = "htp",
                 route: Route = "executorch",
                 transform: Callable[[GraphModule], GraphModule] | None = None) -> None:
        super().__init__()
        self.plan: Plan | None = None
        self._target: dict[str, Any] = {"soc": soc, "arch": arch, "sdk": sdk_for(sdk, backend, route),
                                        "backend": backend, "route": route}
        self._wish: dict[str, Any] = {"precision": precision, "weights": weights,
                                      "overrides": overrides, "minimize": minimize}
        self._transform = transform

    def _plan(self, model: GraphModule) -> Plan:
        return plan(read(model), **self._wish, **self._target)

    def transform_for_annotation(self, model: GraphModule) -> GraphModule:
        if self._transform is not None:
            model = self._transform(model)
        _lift_scalars(model)
        return model

    def annotate(self, model: GraphModule) -> GraphModule:
        self.plan = self._plan(model)
        _Annotator(model, self.plan).annotate()
        return model

    def validate(self, model: GraphModule) -> None:
        planned = self.plan
        if planned is not None and all(
                node.fit in ("plain", "as_wished", "nearest") for node in planned.nodes):
            check(model, **self._target).raise_for_verdict()
