"""One TFLite operator that is put together by chance: shapes of real networks, and now and then something unusual."""
from __future__ import annotations

import random
from typing import Any

Json = dict[str, Any]

SIDES = (1, 4, 7, 8, 14, 16, 28, 32, 56, 64, 112)
CHANNELS = (1, 3, 8, 16, 24, 32, 64, 96, 128, 192, 320)
WIDTHS = (8, 16, 64, 128, 256, 512, 1000)
QUANTIZED = ("SFIXED_POINT_8", "UFIXED_POINT_8", "SFIXED_POINT_16")
PLAIN = ("FLOAT_32", "INT_32", "INT_64", "BOOL_8", "SFIXED_POINT_32", "FLOAT_16")
ZERO_RANGE = {"SFIXED_POINT_8": (-128, 127), "UFIXED_POINT_8": (0, 255)}


class Draft:
    """One operator, from its ports and params."""

    def __init__(self, chance: random.Random, op: str) -> None:
        self.chance, self.op = chance, op
        self.tensors: list[Json] = []
        self.inputs: list[str] = []
        self.outputs: list[str] = []
        self.params: Json = {}

    def odd(self, share: float) -> bool:
        return self.chance.random() < share

    def pick(self, *choices: Any) -> Any:
        return self.chance.choice(choices)

    def dtype(self) -> str:
        """Mostly 8 bits."""
        if self.odd(0.06):
            return self.chance.choice(PLAIN)
        return self.chance.choices(QUANTIZED, (70, 12, 18))[0]

    def encoding(self, dtype: str, like: Json | None = None) -> Json | None:
        if "FIXED" not in dtype:
            return None
        if like is not None and not self.odd(0.08):
            return dict(like)
        scale = 2 ** self.chance.uniform(-9, -2)
        zero = 0
        if dtype in ZERO_RANGE:
            low, high = ZERO_RANGE[dtype]
            zero = self.chance.randint(low, high)
            if self.odd(0.01):
                zero = self.pick(low - 1, high + 1, 300)
        elif self.odd(0.02):
            zero = self.pick(1, -5, 100)
        return {"perTensor": {"scale": scale, "zeroPoint": zero}}

    def add(self, name: str, dtype: str, dims: list[int], encoding: Json | None = None, **more: Any) -> Json:
        tensor: Json = {"name": name, "dtype": dtype, "dims": dims, **more}
        if encoding is not None and "FIXED" in dtype:
            tensor["encoding"] = encoding
        self.tensors.append(tensor)
        return tensor

    def input(self, dtype: str, dims: list[int], encoding: Json | None = None, **more: Any) -> Json:
        tensor = self.add(f"in{len(self.inputs)}", dtype, dims,
                          encoding if encoding is not None else self.encoding(dtype), **more)
        if self.odd(0.012) and "encoding" in tensor and not more.get("isStatic"):
            count = dims[-1] if dims else 1
            if count > 1:
                tensor["encoding"] = {"perChannel": {"axis": len(dims) - 1, "scales": [0.01] * count,
                                                     "zeroPoints": [0] * count}}
        if self.odd(0.006):
            tensor.pop("encoding", None)
            plain = {"S": "INT", "U": "UINT"}.get(tensor["dtype"][0])
            if plain is not None and "FIXED_POINT" in tensor["dtype"]:
                tensor["dtype"] = f"{plain}_{tensor['dtype'].rsplit('_', 1)[1]}"
        self.inputs.append(tensor["name"])
        return tensor

    def constant(self, values: list[int], dims: list[int] | None = None, dtype: str = "INT_32") -> Json:
        is_static = not self.odd(0.02)
        more = {"isStatic": True, "values": values} if is_static else {}
        tensor = self.add(f"in{len(self.inputs)}", dtype, [len(values)] if dims is None else dims, **more)
        self.inputs.append(tensor["name"])
        return tensor

    def output(self, dtype: str, dims: list[int], like: Json | None = None) -> Json:
        given = like.get("encoding") if like is not None else None
        tensor = self.add(f"out{len(self.outputs)}", dtype, dims, self.encoding(dtype, given))
        self.outputs.append(tensor["name"])
        return tensor

    def model(self) -> Json:
        return {"name": self.op, "dialect": "tflite", "tensors": self.tensors,
                "nodes": [{"name": f"{self.op}_0", "op": self.op, "inputs": self.inputs, "outputs": self.outputs,
                           "params": self.params}]}

    def image(self) -> list[int]:
        batch = self.pick(2, 4) if self.odd(0.04) else -1 if self.odd(0.01) else 1
        side = self.chance.choice(SIDES)
        return [batch, side, side if not self.odd(0.15) else self.chance.choice(SIDES), self.chance.choice(CHANNELS)]

    def shape(self) -> list[int]:
        """Of what any rank is possible for: images mostly, sequences and vectors too."""
        kind = self.chance.random()
        if kind < 0.5:
            return self.image()
        if kind < 0.75:
            return [1, self.chance.choice(WIDTHS)]
        if kind < 0.94:
            return [1, self.chance.choice((1, 16, 49, 128, 197)), self.chance.choice(WIDTHS)]
        if kind < 0.97:
            return [1, self.pick(2, 4), self.pick(4, 8), self.pick(4, 8), self.pick(8, 16)]
        return self.pick([], [16], [1, 70000], [2, 3])

    def activation(self, names: tuple[int, ...] = (0, 1, 3, 2)) -> None:
        number = self.chance.choices(names, (60, 25, 12, 3)[:len(names)])[0]
        self.params["fused_activation_function"] = {"int": number}
