"""R in a separate process, which reads and writes CSV files."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from occstats.engines.installation import (
    BRIDGE,
    INSTALL_R,
    NATIVE_OFFER,
    ask,
    last_words,
    probe,
    r_file,
)
from occstats.errors import EngineError

#: Numbers that R returns for each test, besides the message of a failure.
NUMBERS = ("statistic", "variance", "z", "p", "observations", "clusters")
RUN_SECONDS = 3600


def run_in_rscript(
    x: NDArray[np.float64],
    cluster: NDArray[np.int32],
    test: NDArray[np.int32],
    settings: tuple[str, str],
) -> pd.DataFrame:
    """Run all tests in one ``Rscript`` process, and return one row per test.

    `test` is the number of the test of each difference, and the settings are those of the R
    function: method and alternative.
    """
    rscript = probe("rscript").rscript
    with tempfile.TemporaryDirectory(prefix="occstats-") as folder:
        differences, answers = Path(folder, "differences.csv"), Path(folder, "answers.csv")
        # Hexadecimal: R's reader of decimals can be off in the last bit, which breaks ties.
        rows = {"x": [value.hex() for value in x.tolist()], "cluster": cluster, "test": test}
        pd.DataFrame(rows).to_csv(differences, index=False)
        command = [rscript, "--vanilla", str(r_file(BRIDGE))]
        command += [str(differences), str(answers), *settings]
        try:
            done = ask(command, RUN_SECONDS)
        except subprocess.TimeoutExpired:
            n_tests = int(test.max()) + 1
            raise EngineError(
                f"engine 'rscript': R did not finish {n_tests} test{'s' * (n_tests != 1)} within "
                f"{RUN_SECONDS:g} seconds; compare fewer algorithms, {NATIVE_OFFER}"
            ) from None
        except OSError as error:
            raise EngineError(
                f"engine 'rscript': {rscript} does not start: {error}; {INSTALL_R}, {NATIVE_OFFER}"
            ) from None
        if done.returncode != 0 or not answers.is_file():
            raise EngineError(
                f"engine 'rscript': R ended with code {done.returncode}: "
                f"{last_words(done.stderr) or 'no message'}; {NATIVE_OFFER}"
            )
        table = pd.read_csv(answers, dtype=str, keep_default_na=False, encoding_errors="replace")
        # Converted as text, so that no bit is lost.
        numbers = {name: [_number(text) for text in table[name]] for name in NUMBERS}
        return table.assign(**numbers)


def _number(text: str) -> float:
    return np.nan if text == "NA" else float(text)
