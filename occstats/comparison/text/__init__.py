"""Texts about a comparison: verdict, methods section, sentences of columns, and references."""
