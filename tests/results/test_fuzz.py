"""A seeded fuzz of the readers: the right numbers, or a short refusal; nothing else.

``OCCSTATS_FUZZ_SECONDS`` says how long, ``OCCSTATS_FUZZ_SEED`` which sequence; ``pytest -s`` shows
what was tried. Any answer must come within 5 s of processor time and 1 GB of memory.
"""

import csv
import gzip
import io
import json
import os
import resource
import sys
import time

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from occstats.cli import main
from occstats.errors import ResultsError
from occstats.results import load_results

SECONDS = float(os.environ.get("OCCSTATS_FUZZ_SECONDS", "8"))
SEED = int(os.environ.get("OCCSTATS_FUZZ_SEED", "0"))
MOST_SECONDS = 5.0
MOST_BYTES = 1 << 30
# Every so often the whole command is called: exit code 0, or 2 and a short message.
COMMAND_EVERY = 500

KEYS = ["dataset", "class", "model"]
TOKENS = [
    *("0.5", "1e309", "-1", "nan", "inf", "85%", "0,85", "1.2.3", "", "NA", "\x00", "\ufeff", '"'),
    *(",", ";", "\t", "\n", "\r\n", "dataset", "auroc", "model", "Average", "[", "{", "}", "null"),
    *("0.5 ± 0.1", "('a', 1)", "True", "9" * 400, "a" * 3000, "=1+1", "\u202e", "<b>x</b>", "#"),
]


def table(rng):
    """A small complete table in long form, its scores distinct."""
    rows = [
        (f"d{i}", f"c{j}", model)
        for i in range(rng.integers(1, 4))
        for j in range(rng.integers(1, 4))
        for model in "ABC"[: rng.integers(2, 4)]
    ]
    frame = pd.DataFrame(rows, columns=KEYS)
    frame["auroc"] = (rng.permutation(len(frame)) + 1) / (len(frame) + 2)
    return frame


def as_bytes(frame, rng):
    """The table in a random format and dialect, with its ending."""
    kind = rng.choice(["csv", "wide", "jsonl", "json", "parquet", "feather", "gz"])
    stream = io.BytesIO()
    if kind == "parquet":
        frame.to_parquet(stream)
    elif kind == "feather":
        frame.to_feather(stream)
    elif kind in {"json", "jsonl"}:
        stream.write(frame.to_json(orient="records", lines=kind == "jsonl").encode())
    else:
        if kind == "wide":
            frame = frame.pivot(index=KEYS[:2], columns="model", values="auroc").reset_index()
        separator = str(rng.choice([",", ";", "\t"]))
        quoting = csv.QUOTE_ALL if rng.random() < 0.3 else csv.QUOTE_MINIMAL
        frame = frame.sample(frac=1, axis=1, random_state=int(rng.integers(1000)))
        text = frame.to_csv(index=False, sep=separator, quoting=quoting)
        text = text.replace("\n", "\r\n") if rng.random() < 0.3 else text
        data = (b"\xef\xbb\xbf" if rng.random() < 0.2 else b"") + text.encode()
        stream.write(gzip.compress(data) if kind == "gz" else data)
    endings = {"wide": ".csv", "gz": ".csv.gz"}
    return stream.getvalue(), endings.get(kind, f".{kind}")


def mutate(data, rng):
    """Flip, cut, repeat or insert something, once or several times."""
    data = bytearray(data)
    for _ in range(rng.integers(1, 3)):
        at = int(rng.integers(len(data) + 1))
        to = int(rng.integers(at, min(at + 40, len(data)) + 1))
        choice = rng.integers(6)
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
        elif rng.random() < 0.1:
            del data[at:]
    return bytes(data)


def stated(data, ending):
    """What a text file says of whom, read by the simplest means; None if that is not plain."""
    try:
        text = data.decode("utf-8-sig")
        if ending == ".jsonl":
            rows = [json.loads(line) for line in text.splitlines() if line.strip()]
        elif ending == ".csv":
            separator = max(",;\t", key=text.split("\n")[0].count)
            rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator))
        else:
            return None
        said = {}
        for row in rows:
            if set(row) == {*KEYS, "auroc"}:
                key = tuple(str(row[name]) for name in KEYS)
                said.setdefault(key, []).append(float(row["auroc"]))
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
    """Load; a refusal must be one line and name what it is about."""
    try:
        return load_results(path)
    except ResultsError as error:
        message = str(error)
        assert "\n" not in message
        assert message.isprintable() or all(c.isprintable() or c in "\u202e\ufeff" for c in message)
        assert len(message) < 4_000
        return None


def memory():
    """The most memory this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (
        1 if sys.platform == "darwin" else 1024
    )


def check_command(path):
    """The command agrees: it exits with 0, or with 2 and a short message."""
    result = CliRunner().invoke(main, ["compare", str(path), "--n-resamples", "100"])
    assert result.exit_code in {0, 2}, (path, result.output, result.exception)
    if result.exit_code == 2:
        assert result.stderr.startswith("Error: ")
        assert result.stderr.count("\n") <= 12


def test_readers_give_the_right_numbers_or_one_line(tmp_path):
    rng = np.random.default_rng(SEED)
    deadline = time.monotonic() + SECONDS
    tried = read = compared = 0
    slowest, before = 0.0, memory()
    while time.monotonic() < deadline or tried < 100:
        frame = table(rng)
        data, ending = as_bytes(frame, rng)
        path = tmp_path / f"a{ending}"
        path.write_bytes(data)
        sound = load_results(path)
        for row in frame.itertuples(index=False):
            assert sound.scores.loc[(row[0], row[1]), row[2]] == pytest.approx(row[3], abs=1e-10)
        changed = mutate(data, rng)
        path.write_bytes(changed)
        start = time.process_time()
        results = attempt(path)
        slowest = max(slowest, time.process_time() - start)
        tried += 1
        if tried % COMMAND_EVERY == 0:
            check_command(path)
        if results is None:
            continue
        read += 1
        for (dataset, task, model), score in (stated(changed, ending) or {}).items():
            if model in results.algorithms and (dataset, task) in results.scores.index:
                found = results.scores.loc[(dataset, task), model]
                assert found == score or (np.isnan(found) and np.isnan(score)), (SEED, tried, path)
                compared += 1
    grown = memory() - before
    print(
        f"seed {SEED}: {tried:,} files, {tried - read:,} refused, {read:,} read, {compared:,}"
        f" scores compared, slowest {slowest:.2f} s, memory grown by {grown / 2**20:.0f} MiB"
    )
    assert slowest < MOST_SECONDS
    assert grown < MOST_BYTES
    assert read > 0
    assert compared > 0 or read < 100
