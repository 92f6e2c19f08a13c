"""The machine that something was measured on."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path


def described() -> str:
    """`2 cores of AMD EPYC`"""
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return f"{os.cpu_count()} cores of {cpu[1] if cpu else platform.processor()}"
