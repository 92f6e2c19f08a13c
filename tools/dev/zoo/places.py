"""Where the zoo keeps things, and what a model of it is called."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / "build" / "zoo"          # models as made, answers in full: not committed
MODELS = BUILD / "models"
LABELS = BUILD / "labels"
RECORDED = ROOT / "tests" / "conformance" / "zoo"
GENERATOR = ROOT / "tools" / "dev" / "models" / "networks" / "generate.py"
PYTHON = BUILD / "venv" / "bin" / "python"
EXPORTERS = ("torchscript", "dynamo")
FORMS = ("8a8w", "8a8w_per_channel", "16a8w")
AIMET = "aimet_"
ARCHS = ("v73", "v68", "v79")
# What only one exporter can write.
ONLY = {"timm_volo": "dynamo", "hf_mobilevit_v2": "dynamo", "hf_encodec_encoder": "torchscript",
        "hf_mamba2": "dynamo", "timm_hiera": "torchscript", "tv_mvit_v2": "dynamo", "hf_stablelm": "dynamo",
        "hf_gpt_bigcode": "dynamo", "hf_jamba": "dynamo", "hf_cohere": "dynamo", "hf_glm_cache": "dynamo",
        "hf_nemotron": "dynamo", "hf_gpt_neo": "dynamo", "hf_canine": "dynamo", "hf_eomt": "torchscript",
        "hf_granitemoe": "dynamo", "hf_deepseek_v2": "dynamo", "hf_mimi_encoder": "dynamo", "hf_minimax": "dynamo",
        "hf_persimmon": "dynamo", "hf_bitnet": "dynamo", "hf_granitemoehybrid": "dynamo",
        "hf_modernbert_decoder": "dynamo", "hf_efficientloftr": "dynamo", "hf_dinov2_with_registers": "dynamo",
        "pub_ddpm_unet": "dynamo", "hf_helium": "dynamo"}


@dataclass(frozen=True, order=True)
class Export:
    """An architecture as one exporter writes it, for AIMET with that in its name; its folder holds a file a form."""

    name: str
    exporter: str

    def __str__(self) -> str:
        return f"{self.name}-{self.exporter}"

    @property
    def by_aimet(self) -> bool:
        return self.exporter.startswith(AIMET)

    @property
    def folder(self) -> Path:
        return MODELS / str(self)

    def forms(self) -> list[str]:
        return [form for form in FORMS if (self.folder / f"{form}.onnx").is_file()]


def exported(text: str) -> Export:
    """The export of a name."""
    return Export(*text.rsplit("-", 1))


def first_exporter(name: str) -> str:
    """Each exporter writes half of the architectures; which half, the name decides."""
    if name in ONLY:
        return ONLY[name]
    return EXPORTERS[hashlib.sha256(name.encode()).digest()[0] % 2]


def exports(names: list[str]) -> list[Export]:
    """One export an architecture, and both of a quarter of them."""
    result = []
    for name in names:
        first = first_exporter(name)
        result.append(Export(name, first))
        if name not in ONLY and hashlib.sha256(name.encode()).digest()[1] % 4 == 0:
            result.append(Export(name, next(e for e in EXPORTERS if e != first)))
    return result


def aimet_exports(names: list[str]) -> list[Export]:
    """One an architecture, for AIMET."""
    return [Export(name, AIMET + first_exporter(name)) for name in names]
