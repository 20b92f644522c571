"""From any source to a results table."""

from typing import Any

import pandas as pd

from occstats.results.bundled import bundled_frame
from occstats.results.table import Results

__all__ = ["load_results"]


def load_results(*sources: Any, **options: Any) -> Results:
    """Load results."""
    source = sources[0]
    if isinstance(source, Results):
        return source
    frame, score_name = bundled_frame(source)
    index = pd.MultiIndex.from_frame(frame[["dataset", "class"]])
    numbers = frame.drop(columns=["dataset", "class"]).astype(float).set_index(index)
    traits = ["n", "m", "sparsity"]
    return Results(
        scores=numbers.drop(columns=traits),
        traits=numbers[traits],
        score_name=score_name,
        sources=(source,),
    )
