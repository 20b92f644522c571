"""Run the commands with ``python -m occstats``."""

import os
import sys
from pathlib import Path

import occstats

# The current folder may contain any module; the installed command does not look there either.
if sys.path[0] == os.getcwd() != str(Path(occstats.__file__).parents[1]):
    del sys.path[0]

from occstats.cli import main

if __name__ == "__main__":
    main()
