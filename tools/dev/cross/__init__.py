"""Builds for what this machine is not: browsers and arm64 Linux."""
