"""Compilers and interpreters that install as Python packages, queried about models of one operator (`quantgate verify`)."""
