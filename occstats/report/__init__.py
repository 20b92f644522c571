"""Present a comparison: tables, terminal, notebook, page, JSON and the output folder."""
