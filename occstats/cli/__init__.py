"""The command line: each command parses, calls one public function, and prints."""

import contextlib
import signal

# Ctrl-C during the import ends the process without a traceback.
with contextlib.suppress(ValueError):  # not in the main thread
    _before = signal.signal(signal.SIGINT, signal.SIG_DFL)
from occstats.cli.main import main

with contextlib.suppress(ValueError, NameError):
    signal.signal(signal.SIGINT, _before)

__all__ = ["main"]
