"""What executing single-op graphs showed beyond the folder of facts, as data: computed.yaml."""
import pathlib

import yaml

from .measured import finding

_PATH = pathlib.Path(__file__).parent / "computed.yaml"
_ENTRIES = yaml.load(_PATH.read_text(encoding="utf-8"),
                     Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
_OWN = ("ops", "port", "kind", "consequence")


def constraints(op):
    return [finding(entry["port"], entry["kind"], entry.get("consequence", "wrong_values"),
                    **{k: v for k, v in entry.items() if k not in _OWN})
            for entry in _ENTRIES if op in entry["ops"]]
