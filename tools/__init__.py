"""The product, and under dev the workshop."""
