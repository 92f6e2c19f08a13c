"""qgdev: one program for what developers of quantgate measure, record and generate."""
