"""The signed-rank tests: each one object in the registry, with one engine for every use of it."""
