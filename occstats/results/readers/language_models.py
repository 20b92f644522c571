"""Read logs of evaluations of language models, with one row per question, model and measure."""

from __future__ import annotations

import json
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from occstats._format import quote_list, show_path
from occstats.errors import ResultsError
from occstats.results.aliases import lower_is_better
from occstats.results.cells import reason_of
from occstats.results.readers.frames import RawTable, from_frame
from occstats.results.readers.harnesses import Reader
from occstats.results.readers.limits import Limits

__all__ = ["READERS", "is_lm_eval", "read_lm_eval"]

Record = dict[str, Any]
# The keys of a question, and its scores by measure.
Samples = Iterator[tuple[Record, Record]]

# Grades of Inspect's scorers: correct, incorrect, partial and no answer.
_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, True: 1.0, False: 0.0}
# Longer text is a prompt or an answer, not a name or a group.
_LONGEST_LABEL = 300
_DEEPEST = 4
# Code of Zstandard in ZIP archives.
_ZSTANDARD = 93


def _load(path: Path, limits: Limits) -> Any:
    """Return the content of a JSON file, after a check of its size."""
    where = show_path(path)
    limits.check(where, size=path.stat().st_size)
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"{where}: is not JSON ({reason_of(error)})") from None


def _flat(record: Any, prefix: str, depth: int = 0) -> Record:
    """Join nested keys by dots; skip lists and long texts."""
    flat: Record = {}
    for key, value in record.items() if isinstance(record, Mapping) else ():
        name = f"{prefix}.{key}"
        if isinstance(value, Mapping) and depth < _DEEPEST:
            flat.update(_flat(value, name, depth + 1))
        elif value is None or isinstance(value, bool | int | float | str):
            if len(str(value)) > _LONGEST_LABEL:
                continue
            flat[name] = value
    return flat


def _table(samples: Samples, where: str, roles: Mapping[str, str], limits: Limits) -> RawTable:
    """Return a table in which measures are rows, named in the column ``metric``."""
    measures: Record = {}
    records = []
    empty = True
    for keys, scores in samples:
        empty = False
        measures.update(scores)
        records += [{**keys, "metric": name, "value": score} for name, score in scores.items()]
    if not records:
        raise ResultsError(
            f"{where}: no results found; name the logs of the program or their folder"
            if empty
            else f"{where}: contains no scores; the evaluation may be unfinished"
        )
    limits.check(where, rows=len(records))
    frame = pd.DataFrame.from_records(records)
    limits.check(where, columns=frame.shape[1])
    suggested: Record = {**roles, "score": "value"}
    if not any(map(lower_is_better, measures)):
        # Scorers may have any name; these programs count correct answers.
        suggested["lower_is_better"] = False
    return from_frame(frame.astype(object).where(frame.notna(), None), where, suggested=suggested)


def _inspect(path: Path, limits: Limits) -> Samples:
    """Read a log of Inspect (``.json`` or ``.eval``): the samples with their scores."""
    header, samples = _inspect_log(path, limits)
    for sample in samples:
        keys = {
            "task": header["eval"].get("task"),
            "model": header["eval"].get("model"),
            "id": sample.get("id"),
            "epoch": sample.get("epoch", 1),
            **_flat(sample.get("metadata"), "metadata"),
        }
        found = (sample.get("scores") or {}).items()
        values = {name: score.get("value") for name, score in found if isinstance(score, Mapping)}
        yield (
            keys,
            {n: _GRADES.get(v, v) for n, v in values.items() if isinstance(v, str | int | float)},
        )


def _inspect_log(path: Path, limits: Limits) -> tuple[Record, list[Record]]:
    where = show_path(path)
    if path.suffix != ".eval":
        log = _load(path, limits)
        if not isinstance(log, dict) or "eval" not in log:
            raise ResultsError(f"{where}: is not a log of Inspect: the key 'eval' is missing")
        return log, log.get("samples") or []
    try:
        with zipfile.ZipFile(path) as archive:
            limits.check(where, size=sum(part.file_size for part in archive.infolist()))
            names = archive.namelist()
            header = next(name for name in ("header.json", "_journal/start.json") if name in names)
            wanted = [header, *(name for name in names if name.startswith("samples/"))]
            first, *samples = [json.loads(_part(archive, name)) for name in wanted]
            return first, samples
    except (zipfile.BadZipFile, StopIteration, ValueError, OSError, NotImplementedError) as error:
        raise ResultsError(f"{where}: is not a log of Inspect ({reason_of(error)})") from None


def _part(archive: zipfile.ZipFile, name: str) -> bytes:
    """Read a file of an archive, also with Zstandard, which zipfile supports since 3.14."""
    part = archive.getinfo(name)
    if part.compress_type != _ZSTANDARD:
        return archive.read(name)
    import pyarrow as pa

    stream: Any = archive.fp
    stream.seek(part.header_offset)
    *_, name_length, extra_length = struct.unpack("<26x2H", stream.read(30))
    stream.seek(name_length + extra_length, os.SEEK_CUR)
    content: bytes = pa.decompress(
        stream.read(part.compress_size), part.file_size, codec="zstd", asbytes=True
    )
    if zlib.crc32(content) != part.CRC:
        raise zipfile.BadZipFile(f"{name} is damaged")
    return content


def _lm_eval(path: Path, limits: Limits) -> Samples:
    """Read lm-evaluation-harness: ``MODEL/samples_TASK_TIME.jsonl``, or a file of results."""
    where = show_path(path)
    if path.suffix == ".json":
        document = _load(path, limits)
        if not is_lm_eval(document):
            raise ResultsError(f"{where}: is not a result of lm-evaluation-harness")
        yield from _lm_eval_results(document)
        return
    limits.check(where, size=path.stat().st_size)
    task = re.sub(r"_\d{4}-\d\d-\d\dT[\d\-.:]+$", "", path.stem.removeprefix("samples_"))
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            sample = json.loads(line)
            names = sample.get("metrics") or []
        except (ValueError, AttributeError, RecursionError):
            raise ResultsError(f"{where}, line {number}: is not a sample of lm-eval") from None
        keys = {"dataset": task, "model": path.parent.name, "task": sample.get("doc_id", number)}
        keys |= {"filter": sample["filter"]} if "filter" in sample else {}
        yield (
            keys | _flat(sample.get("doc"), "doc"),
            {n: float(sample[n]) for n in names if isinstance(sample.get(n), int | float)},
        )


def is_lm_eval(document: Any) -> bool:
    """Return True for the content of a file of results of lm-evaluation-harness."""
    if not isinstance(document, Mapping) or not {"results", "versions", "config"} <= set(document):
        return False
    results = document["results"]
    return isinstance(results, Mapping) and all(isinstance(m, Mapping) for m in results.values())


def read_lm_eval(document: Mapping[str, Any], where: str, limits: Limits) -> RawTable:
    """Read results of one model: measures of tasks, which may belong to groups."""
    return _table(_lm_eval_results(document), where, _LM_EVAL, limits)


def _lm_eval_results(document: Mapping[str, Any]) -> Samples:
    config = document["config"] if isinstance(document["config"], Mapping) else {}
    given = config.get("model_args")
    if isinstance(given, str):
        given = dict(part.partition("=")[::2] for part in given.split(","))
    given = given if isinstance(given, Mapping) else {}
    model = document.get("model_name") or given.get("pretrained") or config.get("model")
    named = f"{model}, {given['revision']}" if given.get("revision") else str(model)
    # A group's own results are means over its tasks.
    subtasks = document.get("group_subtasks") or {}
    group_of = {task: group for group, tasks in subtasks.items() for task in tasks}
    for task, found in document["results"].items():
        if subtasks.get(task):
            continue
        dataset = task.partition("-")[0] if task.startswith("hendrycksTest-") else task
        for _ in range(_DEEPEST):  # groups of groups
            dataset = group_of.get(dataset, dataset)
        yield (
            {"dataset": dataset, "task": task, "model": named},
            {
                key.removesuffix(",none"): value
                for key, value in found.items()
                if "_stderr" not in key and isinstance(value, int | float)
            },
        )


def _helm(path: Path, limits: Limits) -> Samples:
    """Read a run of HELM: a folder with ``run_spec.json`` and ``per_instance_stats.json``."""
    spec = _load(path, limits)
    stats = path.parent / "per_instance_stats.json"
    if not stats.exists():
        raise ResultsError(f"{show_path(stats)}: is missing; copy it from the run")
    scenario = re.sub(r",?\bmodel=[^,]*", "", str(spec.get("name", path.parent.name))).rstrip(":")
    for entry in _load(stats, limits):
        keys = {
            "scenario": scenario,
            "model": (spec.get("adapter_spec") or {}).get("model"),
            "instance_id": entry.get("instance_id"),
            "trial": entry.get("train_trial_index", 0),
        }
        yield (
            keys,
            {
                stat["name"]["name"]: stat.get("mean", stat.get("sum"))
                for stat in entry.get("stats", [])
                if "perturbation" not in stat["name"]
            },
        )


def _mteb(path: Path, limits: Limits) -> Samples:
    """Read a result of MTEB: ``MODEL/REVISION/TASK.json``, a main score per subset and split."""
    if path.name == "model_meta.json":
        return
    result = _load(path, limits)
    if not isinstance(result, dict) or "scores" not in result:
        raise ResultsError(
            f"{show_path(path)}: is not a result of MTEB: the key 'scores' is missing"
        )
    # The revision may be absent.
    folder, meta = path.parent, path.parent / "model_meta.json"
    if re.fullmatch(r"[0-9a-f]{7,40}|no_revision_available|external|\d+", folder.name):
        folder = folder.parent
    model = folder.name.replace("__", "/")
    splits = result["scores"]
    for entry in splits.get("test" if "test" in splits else next(iter(splits), "test"), []):
        keys = {
            "task_name": result.get("task_name", path.stem),
            "hf_subset": entry.get("hf_subset", "default"),
            "model": _load(meta, limits).get("name", model) if meta.exists() else model,
        }
        yield keys, {"main_score": entry.get("main_score")}


def _read(
    sentence: str,
    patterns: Sequence[str],
    roles: Mapping[str, str],
    read: Callable[[Path, Limits], Samples],
    paths: Sequence[Path],
    limits: Limits,
) -> Iterable[RawTable]:
    """Read all files of a program as one table; errors on other content become one line."""
    for pattern in patterns:
        files = [f for p in paths for f in (sorted(p.rglob(pattern)) if p.is_dir() else [p])]
        if files:
            break
    try:
        samples = (sample for file in files for sample in read(file, limits))
        return [_table(samples, show_path(paths[0]), roles, limits)]
    except (KeyError, TypeError, AttributeError, UnicodeDecodeError) as error:
        raise ResultsError(
            f"{quote_list(map(str, paths), limit=3)}: not {sentence}"
            f" ({type(error).__name__}: {reason_of(error)})"
        ) from None


_LM_EVAL = {"dataset": "dataset", "task": "task", "algorithm": "model"}
_HELM = {"dataset": "scenario", "task": "instance_id", "algorithm": "model", "repeat": "trial"}
_INSPECT = {"dataset": "task", "task": "id", "algorithm": "model", "repeat": "epoch"}
_MTEB = {"dataset": "task_name", "task": "hf_subset", "algorithm": "model"}
_LM_FILES = ("samples_*.jsonl", "*.json")
READERS = tuple(
    Reader(name, sentence, partial(_read, sentence, patterns, roles, read))
    for name, sentence, patterns, roles, read in (
        ("inspect", "logs of Inspect", ("*.eval", "*.json"), _INSPECT, _inspect),
        ("lm-eval", "results of lm-evaluation-harness", _LM_FILES, _LM_EVAL, _lm_eval),
        ("helm", "runs of HELM", ("run_spec.json",), _HELM, _helm),
        ("mteb", "results of MTEB", ("*.json",), _MTEB, _mteb),
    )
)
