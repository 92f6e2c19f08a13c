"""Compilers and interpreters that install as Python packages, asked about models of one operator (`quantgate verify`)."""
