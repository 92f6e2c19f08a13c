"""Files that are generated and committed, each held to its source by a test."""
