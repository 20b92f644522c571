"""The command line: each command parses, calls one public function, and prints."""

from occstats.cli.main import main

__all__ = ["main"]
