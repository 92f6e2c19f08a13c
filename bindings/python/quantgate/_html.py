"""A report as a table of a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quantgate._report import Report

# A notebook with more rows is slow; the rest is in Report.findings.
MAX_ROWS = 200

_COLORS = {"rejected": "#c62828", "prepare_fails": "#c62828", "wrong_values": "#ad1457",
           "altered": "#b26a00", "undocumented": "#1565c0", "advice": "#00838f",
           "accepted": "#2e7d32", "unchecked": "#757575"}


def _verdict(name: str) -> str:
    return f'<b style="color:{_COLORS[name]}">{escape(name)}</b>'


def _row(cells: list[str], tag: str = "td") -> str:
    style = ' style="text-align:left;vertical-align:top"'
    return "<tr>" + "".join(f"<{tag}{style}>{cell}</{tag}>" for cell in cells) + "</tr>"


def report_html(report: Report) -> str:
    """All text of the model is escaped."""
    target = " ".join(part for part in (report.backend, report.arch, report.soc,
                                        f"SDK {report.sdk}") if part)
    counts = ", ".join(f"{count} {_verdict(name)}" for name, count in report.summary.items()
                       if name != "nodes" and count > 0)
    parts = [f"<p><b>{escape(report.model)}</b> for {escape(target)}: "
             f"{_verdict(report.verdict)}, {'failed' if report.failed else 'passed'}<br>"
             f"{report.summary['nodes']} nodes: {counts or 'none'}</p>"]
    parts += [f"<p>{escape(note)}</p>" for note in report.notes]
    if report.findings:
        rows = [_row(["verdict", "rule", "node", "port", "message", "found", "allowed"], "th")]
        for finding in report.findings[:MAX_ROWS]:
            rule = f"{escape(finding.code)} {escape(finding.rule)}"
            rows.append(_row([_verdict(finding.consequence), rule, escape(finding.node),
                              escape(finding.port), escape(finding.message),
                              escape(finding.found), escape(finding.allowed)]))
        parts.append("<table>" + "".join(rows) + "</table>")
        left = len(report.findings) - MAX_ROWS
        if left > 0:
            parts.append(f"<p>and {left} more findings</p>")
    return "".join(parts)
