"""Builds the documentation site out of docs/ and the database."""
