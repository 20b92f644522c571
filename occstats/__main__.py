"""``python -m occstats`` is the command ``occstats``."""

from occstats.cli import main

if __name__ == "__main__":
    main()
