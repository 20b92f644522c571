"""Fuzz the readers with a seed: the right numbers, or an error in one line, and nothing else.

``OCCSTATS_FUZZ_SECONDS`` sets the CPU time beyond the first files, ``OCCSTATS_FUZZ_SEED`` the
sequence.
"""

import csv
import gzip
import io
import json
import os
import resource
import time

import numpy as np
import pandas as pd

from occstats.errors import ResultsError
from occstats.results import load_results

FILES = 60
SECONDS = float(os.environ.get("OCCSTATS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("OCCSTATS_FUZZ_SEED", "0"))

KEYS = ["dataset", "class", "model"]
TOKENS = [
    *(
        "0.5",
        "-0.5",
        "1e309",
        "-1",
        "nan",
        "inf",
        "85%",
        "0,85",
        "1.2.3",
        "",
        "NA",
        "\x00",
        "\ufeff",
        '"',
    ),
    *(",", ";", "\t", "\n", "\r\n", "dataset", "return", "model", "Average", "[", "{", "}", "null"),
    *("0.5 ± 0.1", "('a', 1)", "True", "9" * 400, "a" * 3000, "=1+1", "\u202e", "<b>x</b>", "#"),
]


def table(rng):
    """Return a small complete table in long form with distinct scores."""
    rows = [
        (f"d{i}", f"c{j}", model)
        for i in range(rng.integers(1, 4))
        for j in range(rng.integers(1, 4))
        for model in "ABC"[: rng.integers(2, 4)]
    ]
    frame = pd.DataFrame(rows, columns=KEYS)
    # Of both signs, and of several magnitudes.
    scores = (rng.permutation(len(frame)) + rng.uniform(0.3, 0.4)) / len(frame) - 0.5
    frame["return"] = np.round(scores * 10.0 ** rng.integers(-3, 1), 9)
    return frame


def as_bytes(frame, rng):
    """Return the table in a random file type and dialect, and the suffix."""
    kind = rng.choice(["csv", "wide", "jsonl", "json", "parquet", "gz", "md", "xlsx"])
    stream = io.BytesIO()
    if kind == "parquet":
        frame.to_parquet(stream)
    elif kind == "xlsx":
        frame.to_excel(stream, index=False)
    elif kind == "md":
        rows = [frame.columns, "----", *frame.to_numpy()]
        lines = ["|".join(map(str, row)) for row in rows]
        stream.write("\n".join(["# Scores", "", *(f"|{line}|" for line in lines)]).encode())
    elif kind in {"json", "jsonl"}:
        stream.write(frame.to_json(orient="records", lines=kind == "jsonl").encode())
    else:
        if kind == "wide":
            frame = frame.pivot(index=KEYS[:2], columns="model", values="return").reset_index()
        separator = str(rng.choice([",", ";", "\t"]))
        quoting = csv.QUOTE_ALL if rng.random() < 0.3 else csv.QUOTE_MINIMAL
        frame = frame.sample(frac=1, axis=1, random_state=int(rng.integers(1000)))
        text = frame.to_csv(index=False, sep=separator, quoting=quoting)
        text = text.replace("\n", "\r\n") if rng.random() < 0.3 else text
        data = (b"\xef\xbb\xbf" if rng.random() < 0.2 else b"") + text.encode()
        stream.write(gzip.compress(data) if kind == "gz" else data)
    suffixes = {"wide": ".csv", "gz": ".csv.gz"}
    return stream.getvalue(), suffixes.get(kind, f".{kind}")


def mutate(data, rng):
    """Flip, cut, repeat or insert something, once or twice."""
    data = bytearray(data)
    for _ in range(rng.integers(1, 3)):
        at = int(rng.integers(len(data) + 1))
        to = int(rng.integers(at, min(at + 40, len(data)) + 1))
        choice = rng.integers(7)
        if choice == 0 and data:
            data[at % len(data)] ^= 1 << int(rng.integers(8))
        elif choice == 1:
            del data[at:to]
        elif choice == 2:
            data[at:at] = data[at:to]
        elif choice == 3:
            data[at:at] = str(rng.choice(TOKENS)).encode(errors="ignore")
        elif choice == 4:
            data[at:to] = str(rng.choice(TOKENS)).encode(errors="ignore")
        elif choice == 5:
            data[at:at] = data[at:to] * int(10 ** rng.uniform(1, 5))
        elif rng.random() < 0.1:
            del data[at:]
    return bytes(data)


def stated(data, suffix):
    """Parse scores by the simplest means; None if the file is not a plain table."""
    try:
        text = data.decode("utf-8-sig")
        if suffix == ".jsonl":
            rows = [json.loads(line) for line in text.splitlines() if line.strip()]
        elif suffix == ".csv":
            separator = max(",;\t", key=text.split("\n")[0].count)
            rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator))
        else:
            return None
        said = {}
        for row in rows:
            if set(row) == {*KEYS, "return"}:
                key = tuple(str(row[name]) for name in KEYS)
                said.setdefault(key, []).append(float(row["return"]))
            elif {"dataset", "class"} < set(row) <= {"dataset", "class", "A", "B", "C"}:
                for model in set(row) - {"dataset", "class"}:
                    key = (row["dataset"], row["class"], model)
                    said.setdefault(key, []).append(float(row[model]))
            else:
                return None
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, csv.Error):
        return None
    return {key: values[0] for key, values in said.items() if len(values) == 1}


def attempt(path):
    """Load; an error must be one printable line."""
    try:
        return load_results(path, score_name="return")
    except ResultsError as error:
        message = str(error)
        assert len(message.splitlines()) <= 10
        assert all(c.isprintable() or c in "\u202e\ufeff\n" for c in message)
        return None


def peak():
    """Return the largest memory of this process so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def test_readers_return_the_right_numbers_or_one_line(tmp_path):
    rng = np.random.default_rng(SEED)
    start, before = time.process_time(), peak()
    number = read = compared = 0
    while number < FILES or time.process_time() - start < SECONDS:
        number += 1
        frame = table(rng)
        data, suffix = as_bytes(frame, rng)
        path = tmp_path / f"a{suffix}"
        path.write_bytes(data)
        sound = load_results(path, score_name="return")
        written = frame.set_index(KEYS)["return"].unstack()
        assert sound.higher_is_better
        found = sound.scores.loc[list(written.index), list(written.columns)]
        assert found.shape == sound.scores.shape
        np.testing.assert_allclose(found.to_numpy(), written.to_numpy(), rtol=1e-12)
        changed = mutate(data, rng)
        path.write_bytes(changed)
        results = attempt(path)
        if results is None:
            continue
        read += 1
        for (dataset, task, model), score in (stated(changed, suffix) or {}).items():
            if model in results.algorithms and (dataset, task) in results.scores.index:
                found = results.scores.loc[(dataset, task), model]
                # An infinitely bad score counts as missing.
                absent = np.isnan(score) or score == -np.inf
                assert found == score or (np.isnan(found) and absent), (SEED, number)
                compared += 1
    # Most changes make a table unclear; a reader that accepts half of the files is too lenient.
    assert number / 12 < read < number / 2
    assert compared > number / 10
    assert peak() - before < 1_000
