"""Programs for quantgate's developers: measuring, recording, what is generated. Start with qgdev --help."""
