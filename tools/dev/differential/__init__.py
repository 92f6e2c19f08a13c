"""Measures how far quantgate's verdicts agree with a real backend library's op validation."""
