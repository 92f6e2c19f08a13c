"""For tests of models: assert_clean(), also as a pytest fixture.

    from quantgate.testing import assert_clean

    def test_the_export_fits():
        assert_clean("model.onnx", soc="SM8550", ignore=["undocumented-row"])

With pytest the plugin brings the fixture `assert_clean`, whose target the command line sets once
for all tests: `pytest --quantgate-soc SM8550`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from quantgate._core import Finding
from quantgate._knowledge import rules
from quantgate._models import ModelLike
from quantgate._report import Report
from quantgate._validator import check

_SHOWN = 10


def _ignored(names: Iterable[str]) -> set[str]:
    """Codes of the rules that codes, names or beginnings of codes mean."""
    known = rules()
    codes: set[str] = set()
    for name in names:
        found = {rule.code for rule in known
                 if rule.slug == name or (name.upper().startswith("QG")
                                          and rule.code.startswith(name.upper()))}
        if not found:
            raise ValueError(f"unknown rule {name!r}; quantgate.rules() lists them")
        codes |= found
    return codes


def _line(finding: Finding) -> str:
    place = f"{finding.node} {finding.port}".strip() or "the model as a whole"
    return f"  {finding.code} {finding.rule} at {place}: {finding.message}"


def assert_clean(model: ModelLike, *, ignore: Iterable[str] = (), **target: Any) -> Report:
    """Raises AssertionError with the findings that fail; returns the report else.

    ignore: rules by code ('QG301'), name or beginning of a code ('QG3'). The rest as check()
    takes it: soc, arch, sdk, mode, fail_on …
    """
    ignored = _ignored(ignore)
    report = check(model, **target)
    failing = [f for f in report.findings if f.level == "error" and f.code not in ignored]
    # Unchecked nodes can fail without a finding.
    silent = report.failed and not any(f.level == "error" for f in report.findings)
    if not failing and not silent:
        return report
    lines = [f"{report.model or 'the model'} does not fit {report.backend} {report.arch} "
             f"(SDK {report.sdk}{', ' + report.soc if report.soc else ''}): {report.verdict}"]
    lines += [_line(finding) for finding in failing[:_SHOWN]]
    if len(failing) > _SHOWN:
        lines.append(f"  and {len(failing) - _SHOWN} more")
    raise AssertionError("\n".join(lines))
