"""The same annotated graph validated by ExecuTorch's quantizer and by quantgate, in one process.

    speed.py [--nodes 12000] [--repeat 7] [--prepare] [--profile]

Blocks of a transformer, one behind the other, annotated by QnnQuantizer. Prints the best of the
repetitions, in processor time (other work on the machine doesn't count), for: the client's
validation with quantgate's stand-in, quantgate's check as a whole (reading the FX graph, checking,
making the report), its part in C++ alone, and prepare_pt2e of the same graph (half a minute for 4,000
nodes, five for 12,000).
"""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

from models import long_graph
from own_models import without_extras


def best(repeat: int, function: Callable[[], Any]) -> float:
    times = []
    for _ in range(repeat):
        gc.collect()
        begin = time.thread_time()
        function()
        times.append(time.thread_time() - begin)
    return min(times)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=12000)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--prepare", action="store_true", help="time prepare_pt2e too")
    parser.add_argument("--profile", action="store_true", help="where the FX walk spends its time")
    arguments = parser.parse_args()
    os.environ.setdefault("QNN_SDK_ROOT", "")  # no library is asked here
    without_extras()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)

    import quantgate as qg
    import quantgate.executorch
    import quantgate.torch

    quantgate.executorch.install()
    from executorch.backends.qualcomm.export_utils import make_quantizer
    from torchao.quantization.pt2e.quantize_pt2e import prepare_pt2e

    model = long_graph(arguments.nodes)
    quantizer = make_quantizer(soc_model="SM8550")
    quantizer.annotate(model)
    count = sum(node.op == "call_function" for node in model.graph.nodes)
    target = qg.Target(soc="SM8550")
    validator = qg.Validator(target, mode="warn", route="executorch")
    read = quantgate.torch.read(model)

    if arguments.profile:
        import cProfile
        import pstats

        with cProfile.Profile() as profile:
            quantgate.torch.read(model)
        pstats.Stats(profile).sort_stats("tottime").print_stats(15)

    client = best(arguments.repeat, lambda: quantizer.validate(model))
    whole = best(arguments.repeat, lambda: quantgate.torch.check(
        model, target=target, mode="warn", route="executorch").verdict)
    walk = best(arguments.repeat, lambda: quantgate.torch.read(model))
    core = best(arguments.repeat, lambda: validator.check(read).verdict)
    report = validator.check(read)
    rows = [("ExecuTorch's validation", client, None),
            ("quantgate, whole call", whole, client),
            ("  reading the FX graph", walk, None),
            ("  the part in C++", core, client)]
    if arguments.prepare:
        fresh = long_graph(arguments.nodes)  # it is changed
        prepare = best(1, lambda: prepare_pt2e(fresh, make_quantizer(soc_model="SM8550")))
        rows += [("prepare_pt2e", prepare, None), ("  beside it, the whole call", whole, prepare)]

    print(f"{count} annotated nodes, best of {arguments.repeat}; verdict {report.verdict}")
    for name, seconds, of in rows:
        ratio = f"{of / seconds:8.1f} times as fast" if of else ""
        print(f"{name:26} {seconds * 1e3:9.2f} ms {seconds / count * 1e6:8.3f} µs a node {ratio}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
