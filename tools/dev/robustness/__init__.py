"""Fuzzing, and what the tests reach."""
