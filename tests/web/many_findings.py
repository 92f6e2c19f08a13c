"""A model with as many findings as asked for, for what must stay quick with them."""

from __future__ import annotations


def many_findings(count: int) -> dict:
    """Reshapes whose outputs have another scale than their inputs: a finding each."""
    tensors = [{"name": "x", "dtype": "UFIXED_POINT_8", "dims": [1, 8, 8, 32],
                "encoding": {"perTensor": {"scale": 0.02, "zeroPoint": 128}}}]
    nodes = []
    for i in range(count):
        name = f"block{i // 20}.reshape{i}"
        nodes.append({"name": name, "op": "Reshape", "inputs": [tensors[-1]["name"]],
                      "outputs": [f"{name}.out"]})
        tensors.append({"name": f"{name}.out", "dtype": "UFIXED_POINT_8",
                        "dims": [1, 2048] if i % 2 == 0 else [1, 8, 8, 32],
                        "encoding": {"perTensor": {"scale": 0.02 + 1e-3 * (i % 50 + 1),
                                                   "zeroPoint": 128}}})
    return {"name": "m", "tensors": tensors, "nodes": nodes}
