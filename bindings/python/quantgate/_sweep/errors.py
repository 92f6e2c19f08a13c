"""What ends a sweep."""

from __future__ import annotations

from quantgate._errors import QuantgateError


class SweepError(QuantgateError):
    """Bad input or a place that can't be used: one line for whoever started the sweep."""
