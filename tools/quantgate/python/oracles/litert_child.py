"""Runs .tflite files with LiteRT's default kernels, in the process: a line of JSON {"model": base64, "inputs":
[base64]} in, a line out.

{"outputs": [base64]} or {"refused": message} (at allocation) or {"fails": message} (when run). May crash.
"""
import base64
import json
import os
import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType


def answer(request):
    try:
        interpreter = Interpreter(model_content=base64.b64decode(request["model"]), num_threads=1,
                                  experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
        interpreter.allocate_tensors()
        for detail, data in zip(interpreter.get_input_details(), request["inputs"]):
            value = np.frombuffer(base64.b64decode(data), dtype=detail["dtype"]).reshape(detail["shape"])
            interpreter.set_tensor(detail["index"], value)
    except Exception as error:  # pylint: disable=broad-except
        return {"refused": (str(error).strip().splitlines() or [""])[0][:200]}
    try:
        interpreter.invoke()
        outputs = [interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()]
    except Exception as error:  # pylint: disable=broad-except
        return {"fails": (str(error).strip().splitlines() or [""])[0][:200]}
    return {"outputs": [base64.b64encode(np.ascontiguousarray(value).tobytes()).decode() for value in outputs]}


def main():
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for line in sys.stdin:
        out.write(json.dumps(answer(json.loads(line))) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
