"""``python -m occstats``."""

from occstats.cli import main

if __name__ == "__main__":
    main()
