"""FX graphs of any stage of PT2E -> Model.

Whatever quantizes a value (an annotation, an observer, a quantize node) becomes the encoding of a
tensor. Where an edge has another encoding than its tensor, a conversion stands between.
"""

from __future__ import annotations

import contextlib
import gc
import operator
from collections.abc import Mapping
from typing import Any

import torch
from torch.fx import GraphModule, Node

from quantgate._core import FxCalls, Model, ModelBuilder
from quantgate.torch import _encodings as encodings
from quantgate.torch import _operators as operators
from quantgate.torch._encodings import PLAIN, Quantized, StandIns, Unknown
from quantgate.torch._folding import is_folded
from quantgate.torch._location import location_of
from quantgate.torch._operators import Operator, operator_of, param_value, writes_elsewhere
from quantgate.torch._quantizers import Quantizers
from quantgate.torch._specs import Specs, annotation, input_spec, output_spec
from quantgate.torch._values import Constant, broadcast, channels_last, is_integer, kept_numbers, known_shape

QUICK = True
"""False: usual nodes are read here too, not in C++. Models are the same."""


class Reader:
    """Reads one graph."""

    def __init__(self, module: torch.nn.Module | None, graph: torch.fx.Graph, name: str,
                 constants: Mapping[str, Any]) -> None:
        self._module = module
        self._graph = graph
        self._builder = ModelBuilder(name, dialect="aten")
        self._constants = constants  # of placeholders that are parameters
        self._stand_ins = StandIns()
        self._specs = Specs(self._stand_ins)
        self._quantizers = Quantizers(module, constants, self._stand_ins)
        # What a node's value is in the Model: a tensor, or a list of them.
        self._values: dict[Node, Any] = {}
        self._quantized: dict[int, Quantized] = {}  # by tensor
        self._roots: dict[int, Any] = {}  # spec of a tensor, without shared ones
        self._static: dict[tuple[Node, int], int] = {}  # by the encoding's id
        self._named: set[Node] = set()  # constants whose own name is taken
        self._converted: dict[tuple[int, int], int] = {}
        # Of tensors that are or may be converted: quantizers of a converted graph don't tell theirs.
        self._shapes: dict[int, tuple[int, ...] | None] = {}
        self._problems: dict[int, str] = {}  # of a tensor: why its encoding is not known
        self._floats: set[int] = set()  # tensors of floats, whatever is noted at their nodes
        self._owners: dict[str, Any] = {}  # modules that have parameters, by name
        self._parameters: dict[str, dict[str, Any]] = {}
        self._count = 0
        # Annotations stay on the nodes when observers and quantizers are put in; those count then.
        self._annotated = not self._quantizers.stand_in(graph)

    def read(self) -> Model:
        # Nothing made here is garbage before the end, and PyTorch's heap is large to look through.
        collecting = gc.isenabled()
        gc.disable()
        try:
            return self._read()
        finally:
            if collecting:
                gc.enable()

    def _read(self) -> Model:
        inputs: list[int] = []
        outputs: list[int] = []

        def read(node: Node) -> None:
            op = node.op
            if op == "get_attr":
                self._attribute(node)
            elif op == "call_function":
                self._call(node)
            elif op == "placeholder":
                value = self._placeholder(node)
                if value is not None:
                    inputs.append(value)
            elif op == "call_module":
                self._submodule(node)
            elif op == "output":
                outputs.extend(self._outputs(node.args))
            else:
                self._unchecked(node, f"a {op} node: export the model first")

        if not self._annotated:
            self._observe()
        if QUICK and self._annotated:
            FxCalls(self, self._builder).read_all(self._graph.nodes, read)
        else:
            for node in self._graph.nodes:
                read(node)
        if self._stand_ins.count:
            self._builder.note(f"not calibrated: {self._stand_ins.count} observers have no scale yet; "
                               "values of scales and zero points are stand-ins")
        # An encoding may come from the one who reads: the same tensor twice is no output twice.
        return self._builder.build(inputs=list(dict.fromkeys(inputs)), outputs=list(dict.fromkeys(outputs)))

    def _observe(self) -> None:
        """Observers in the order of the graph: what derives from them is read earlier."""
        for node in self._graph.nodes:
            module = self._quantizers.submodule_of(node) if node.op == "call_module" else None
            if encodings.is_observer(module) and not hasattr(module, "obs_or_fqs"):
                with contextlib.suppress(Exception):  # reported where it stands
                    self._quantizers.of(node)

    def _outputs(self, args: Any) -> list[int]:
        if isinstance(args, Node):
            value = self._values.get(args)
            return [value] if isinstance(value, int) else []
        if isinstance(args, (list, tuple)):
            return [one for item in args for one in self._outputs(item)]
        if isinstance(args, dict):
            return [one for item in args.values() for one in self._outputs(item)]
        return []

    def _placeholder(self, node: Node) -> int | None:
        data = self._constants.get(node.target)
        if data is not None:
            self._values[node] = Constant(node, data)
            return None
        value = node.meta.get("val")
        if value is not None and not isinstance(value, torch.Tensor):
            return None  # a number: what it makes dynamic is seen in shapes
        self._values[node] = self._new(node, value)
        return self._values[node]  # type: ignore[no-any-return]

    def _attribute(self, node: Node) -> None:
        owner, _, name = str(node.target).rpartition(".")
        parameters = self._parameters.get(owner)
        if parameters is None:
            module: Any = self._module
            for part in owner.split(".") if owner else ():
                module = getattr(module, part, None)
            self._owners[owner] = module
            found = getattr(module, "_parameters", None)
            parameters = self._parameters[owner] = found if isinstance(found, dict) else {}
        data = parameters.get(name)
        if data is None:
            data = getattr(self._owners[owner], name, None)
        if isinstance(data, torch.Tensor):
            self._values[node] = Constant(node, data)

    def _constant(self, constant: Constant, quantized: Quantized | None, spec: Any,
                  problem: str = "") -> int:
        node, data = constant.node, constant.data
        key = (node, 0 if quantized is None else id(quantized.encoding))
        known = self._static.get(key)
        if known is not None:
            return known
        # Values of floats that are quantized are reported as stored.
        kept = None if quantized is not None and data.dtype.is_floating_point else kept_numbers(data)
        again = node in self._named
        self._named.add(node)
        tensor = self._builder.tensor(
            f"{node.name}/{self._next()}" if again else node.name,
            None if problem else PLAIN.get(data.dtype) if quantized is None else quantized.dtype,
            known_shape(data), static=True,
            encoding=None if quantized is None else quantized.encoding, values=kept)
        self._static[key] = tensor
        if quantized is not None:
            self._quantized[tensor] = quantized
            self._roots[tensor] = spec
        if problem:
            self._problems[tensor] = problem
        return tensor

    def _new(self, node: Node, value: Any, suffix: str = "", encoded: Node | None = None,
             floats: bool = False) -> int:
        """The tensor of a node's value, with the encoding that whatever follows gives it."""
        quantized, spec, problem = None, None, ""
        try:
            quantized, spec = self._encoding(node if encoded is None else encoded)
            if quantized is not None and is_integer(value):
                if quantized.stand_in:
                    raise Unknown(f"a quantization spec on a tensor of {value.dtype}")
                quantized, spec = None, None  # whole numbers stay what they are; quantizing them is a node of its own
        except Unknown as unknown:
            quantized, problem = None, str(unknown)
        shape: Any = getattr(value, "shape", None)
        plain = "FLOAT_32" if floats else PLAIN.get(getattr(value, "dtype", None))
        if shape is not None:
            for dim in shape:
                if type(dim) is not int:
                    shape = tuple(d if type(d) is int else -1 for d in shape)
                    break
        tensor = self._builder.tensor(
            node.name + suffix,
            None if problem else plain if quantized is None else quantized.dtype, shape,
            encoding=None if quantized is None else quantized.encoding)
        if quantized is not None:
            self._quantized[tensor] = quantized
            self._roots[tensor] = spec
        if problem:
            self._problems[tensor] = problem
        if not self._annotated:
            self._shapes[tensor] = shape
        return tensor

    def _encoding(self, node: Node) -> tuple[Quantized | None, Any]:
        """Of a node's output: its annotation's, else that of the first who reads it."""
        if self._annotated:
            spec = output_spec(node)
            if spec is not None:
                resolved = self._specs.at(node, spec)
                return resolved.quantized, resolved.spec
            for user in node.users:
                spec = input_spec(node, user)
                if spec is not None and not hasattr(spec, "derived_from"):
                    resolved = self._specs.at((node, user), spec)
                    return resolved.quantized, resolved.spec
            return None, None
        for user in node.users:
            if user.args and user.args[0] is node:  # not as a scale or zero point
                quantized = self._quantizers.of(user)
                if quantized is not None:
                    return quantized, None
        return None, None

    def _unchecked(self, node: Node, reason: str) -> None:
        if not node.users and node.op == "call_module":
            return  # guards of an export: they compute nothing
        values = node.meta.get("val")
        inputs = [one for one in (self._input(a, node, None, None) for a in node.all_input_nodes)
                  if one is not None]
        several = isinstance(values, (list, tuple))
        outputs = [self._builder.tensor(
            f"{node.name}[{i}]" if several else node.name,
            PLAIN.get(getattr(value, "dtype", None)), known_shape(value))
            for i, value in enumerate(values if several else (values,))
            if value is None or isinstance(value, torch.Tensor)]
        self._values[node] = outputs if several else outputs[0] if outputs else None
        self._builder.node(_op_name(node), inputs, outputs, name=node.name,
                           location=location_of(node), unchecked_reason=reason)

    def _submodule(self, node: Node) -> None:
        module = self._quantizers.submodule_of(node)
        if not encodings.is_observer(module):
            self._unchecked(node, f"a submodule, {type(module).__name__}: export the model first")
            return
        try:
            quantized = self._quantizers.of(node)
        except Exception as error:
            source = self._values.get(node.args[0]) if node.args else None
            reason = (str(error) if isinstance(error, Unknown)
                      else f"its observer can't be asked: {type(error).__name__}: {error}")
            if isinstance(source, int):
                self._problems.setdefault(source, reason)
                self._values[node] = source
            elif isinstance(source, Constant):
                self._values[node] = source._replace(problem=reason)
            else:
                self._unchecked(node, reason)
            return
        self._wrap(node, quantized)

    def _wrap(self, node: Node, quantized: Quantized | None) -> None:
        """An observer, quantize or dequantize node: the value in its encoding."""
        source = node.args[0] if node.args else None
        value = self._values.get(source) if isinstance(source, Node) else None
        if isinstance(value, Constant):
            self._values[node] = value if quantized is None else value._replace(
                quantized=quantized)
            return
        if not isinstance(value, int):
            self._unchecked(node, "what it quantizes is not known")
            return
        self._values[node] = value if quantized is None else self._convert(value, quantized, None,
                                                                         node)

    def _convert(self, tensor: int, wanted: Quantized, spec: Any, reader: Node) -> int:
        """The tensor in another encoding, for the one who reads it."""
        own = self._quantized.get(tensor)
        if own is wanted or (own is not None and own.dtype == wanted.dtype
                             and own.encoding == wanted.encoding):
            return tensor
        if (own is not None and spec is not None and tensor in self._roots
                and self._roots[tensor] is not None and self._specs.same(self._roots[tensor], spec)
                and getattr(annotation(reader), "allow_implicit_sharing", True)):
            return tensor
        if own is None and tensor in self._problems:
            return tensor
        key = (tensor, id(wanted.encoding))
        known = self._converted.get(key)
        if known is not None:
            return known
        shape = self._shapes.get(tensor)
        if shape is None:
            source = reader.args[0] if reader.args else None
            shape = known_shape(source.meta.get("val")) if isinstance(source, Node) else None
        converted = self._builder.tensor(f"{reader.name}/in/{self._next()}", wanted.dtype, shape,
                                         encoding=wanted.encoding)
        self._shapes[converted] = shape
        self._builder.node("quantgate.quantize" if own is None else "quantgate.convert",
                           (tensor,), (converted,), name=f"{reader.name}/convert/{self._count}",
                           params=({"axis": wanted.encoding.axis}
                                   if wanted.encoding.kind == "per-channel" else None),
                           location=location_of(reader))
        self._converted[key] = converted
        self._quantized[converted] = wanted
        self._roots[converted] = spec
        return converted

    def _next(self) -> int:
        self._count += 1
        return self._count

    def _input(self, source: Any, node: Node, specs: Any, like: int | None) -> int | None:
        """The tensor that a node's argument is; None where it is absent."""
        if isinstance(source, Node):
            value = self._values.get(source)
            if type(value) is Constant:
                return self._constant_input(value, source, node, specs)
            if not isinstance(value, int):
                return None
            if specs:
                spec = specs.get(source)
                if spec is not None:
                    try:
                        resolved = self._specs.at((source, node), spec)
                    except Unknown as unknown:
                        self._problems.setdefault(value, str(unknown))
                        return value
                    if resolved.quantized is not self._quantized.get(value):
                        if value not in self._shapes:
                            self._shapes[value] = known_shape(source.meta.get("val"))
                        return self._convert(value, resolved.quantized, resolved.spec, node)
            return value
        if isinstance(source, (bool, int, float)):
            # A number in the place of a tensor becomes a constant of the other one's encoding.
            quantized = self._quantized.get(like) if like is not None else None
            dtype = ("FLOAT_32" if isinstance(source, float) else "INT_32") if quantized is None \
                else quantized.dtype
            return self._builder.tensor(
                f"{node.name}/constant/{self._next()}", dtype, (), static=True,
                encoding=None if quantized is None else quantized.encoding,
                values=None if quantized is not None else [source])
        return None

    def _constant_input(self, value: Constant, source: Node, node: Node, specs: Any) -> int:
        spec = specs.get(source) if specs else None
        if value.quantized is not None or spec is None or value.problem:
            return self._constant(value, value.quantized, None, value.problem)
        try:
            if hasattr(spec, "derived_from"):
                return self._constant(value, self._derived(spec, node), spec)
            resolved = self._specs.at((source, node), spec)
            if not value.data.dtype.is_floating_point and resolved.quantized.stand_in:
                raise Unknown(f"a quantization spec on a tensor of {value.data.dtype}")
            return self._constant(value, resolved.quantized, resolved.spec)
        except Unknown as unknown:
            return self._constant(value, None, None, str(unknown))

    def _derived(self, spec: Any, node: Node) -> Quantized:
        """From the encodings that the tensors it derives from arrive with."""
        def arriving(place: Any) -> Quantized | None:
            if not isinstance(place, (tuple, list)) or len(place) != 2 or place[1] is not node:
                return None
            value = self._values.get(place[0])
            if isinstance(value, Constant):
                value = self._input(place[0], node, getattr(annotation(node), "input_qspec_map",
                                                            None), None)
            if isinstance(value, int):
                wanted = input_spec(place[0], node)
                if wanted is not None and not hasattr(wanted, "derived_from"):
                    value = self._input(place[0], node, {place[0]: wanted}, None)
                return self._quantized.get(value)  # type: ignore[arg-type]
            return None

        try:
            return self._specs.derived(spec, arriving)
        except Unknown:
            raise
        except Exception as error:  # specs are the user's own code
            raise Unknown(f"its spec can't be read: {type(error).__name__}: {error}") from error

    def _call(self, node: Node) -> None:
        target = node.target
        if target is operator.getitem:
            parent = self._values.get(node.args[0])
            index = node.args[1]
            if isinstance(parent, list) and isinstance(index, int) and -len(parent) <= index < len(
                    parent):
                self._values[node] = parent[index]
            return
        known = operator_of(target)
        value = node.meta.get("val")
        if known is None:
            if value is None or isinstance(value, (torch.Tensor, list, tuple)):
                self._unchecked(node, "no operator: a function of Python")
            return
        if known.quantizer:
            self._quantizer(node, known)
            return
        if value is not None and not isinstance(value, (torch.Tensor, list, tuple)):
            return  # arithmetic with sizes
        args, kwargs = node.args, node.kwargs
        specs = None
        if self._annotated:
            specs = getattr(annotation(node), "input_qspec_map", None)
            if specs is not None and not isinstance(specs, dict):
                specs = None
            if not specs and is_folded(node, self._values):
                self._values[node] = Constant(node, value)
                return
        inputs: list[int | None] = []
        params = known.defaults.copy()
        given = len(args)
        for i, argument in enumerate(known.arguments):
            if i < given:
                item = args[i]
            elif kwargs and argument.name in kwargs:
                item = kwargs[argument.name]
            else:
                if argument.is_tensor:
                    inputs.append(None)
                continue
            if argument.is_tensor:
                if isinstance(item, (list, tuple)):
                    inputs += [self._input(one, node, specs, inputs[0] if inputs else None)
                               for one in item]
                else:
                    inputs.append(self._input(item, node, specs, inputs[0] if inputs else None))
            elif argument.is_param:
                if type(item) is not int:
                    item = param_value(item)
                if item is None:
                    params.pop(argument.name, None)
                else:
                    params[argument.name] = item
        while inputs and inputs[-1] is None:
            inputs.pop()
        if known.writes and writes_elsewhere(node, self._values):
            params["in_place"] = True
        if known.by_strides and channels_last(node, self._values):
            params["channels_last"] = True
        if isinstance(value, (list, tuple)):
            self._values[node] = outputs = self._several(node, value)
        else:
            floats = is_integer(value) and operators.is_of_floats(known, value, self._floats, inputs)
            if known.broadcasts:
                value = broadcast(node, value, self._values)
            output = self._new(node, value, floats=floats)
            if floats:
                self._floats.add(output)
            self._values[node], outputs = output, [output]
        problems = self._problems
        reason = next((problems[t] for t in (*inputs, *outputs) if t in problems), "") if problems else ""
        self._builder.node(known.name, inputs, outputs, name=node.name, params=params,
                           location=location_of(node), unchecked_reason=reason)

    def _several(self, node: Node, values: Any) -> list[int]:
        """Outputs of a node with more than one: each as whoever takes it out is annotated."""
        taken: dict[int, Node] = {}
        for user in node.users:
            if user.target is operator.getitem and isinstance(user.args[1], int):
                taken.setdefault(user.args[1], user)
        # What nobody takes out comes in the encoding of what somebody does.
        other = next(iter(taken.values()), node)
        return [self._new(node, value, suffix=f"[{i}]",
                          encoded=taken.get(i, node if is_integer(value) else other))
                for i, value in enumerate(values)]

    def _quantizer(self, node: Node, known: Operator) -> None:
        if known.quantizer == "choose":
            self._values[node] = [self._builder.tensor(f"{node.name}[{i}]", "FLOAT_32", (1,))
                                  for i in range(2)]
            source = self._input(node.args[0], node, None, None) if node.args else None
            self._builder.node(known.name, [] if source is None else [source],
                               self._values[node], name=node.name, location=location_of(node),
                               unchecked_reason="dynamic quantization: scales are computed at run time")
            return
        try:
            quantized = self._quantizers.of(node)
        except Exception as error:  # arguments may be anything
            self._unchecked(node, str(error) if isinstance(error, Unknown)
                            else f"its arguments can't be read: {type(error).__name__}: {error}")
            return
        self._wrap(node, quantized)


def _op_name(node: Node) -> str:
    known = operator_of(node.target) if node.op == "call_function" else None
    if known is not None:
        return known.name
    return getattr(node.target, "__name__", None) or str(node.target)


def read_graph(module: GraphModule, name: str) -> Model:
    return Reader(module, module.graph, name, {}).read()
