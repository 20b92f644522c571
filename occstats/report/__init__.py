"""A comparison for readers: tables for the terminal, Markdown, LaTeX and CSV, and the folder."""
