"""Signed-rank tests: one engine each, listed in the registry."""
