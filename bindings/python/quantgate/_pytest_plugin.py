"""The pytest plugin: the fixture `assert_clean` and the flags --quantgate-*."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from quantgate import testing
from quantgate._report import Report

_FLAGS = {"soc": "chip, as in SM8550", "arch": "architecture, as in v73",
          "sdk": "SDK version MAJOR.MINOR", "backend": "backend, as in htp"}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("quantgate")
    for name, words in _FLAGS.items():
        group.addoption(f"--quantgate-{name}", default=None, help=f"assert_clean: {words}")


@pytest.fixture
def assert_clean(request: pytest.FixtureRequest) -> Callable[..., Report]:
    """quantgate.testing.assert_clean for the target of the command line."""
    given = {name: value for name in _FLAGS
             if (value := request.config.getoption(f"--quantgate-{name}")) is not None}

    def run(model: Any, **options: Any) -> Report:
        return testing.assert_clean(model, **{**given, **options})

    return run
