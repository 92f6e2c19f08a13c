"""The errors of `verify --graph`."""

from quantgate._errors import QuantgateError


class GraphError(QuantgateError):
    """What can't be asked, in one line."""
