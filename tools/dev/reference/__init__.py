"""Writes the reference documentation out of the database."""
