"""The files of a release: `tools/dev/qgdev dist`."""
