"""Read logs of evaluations of language models, with one row per question, model and run."""

from __future__ import annotations

import json
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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

# Grades of Inspect's scorers: correct, incorrect, partial and no answer.
_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, True: 1.0, False: 0.0}
# Longer text is a prompt or an answer, not a name or a group.
_LONGEST_LABEL = 300
_DEEPEST = 4
# Code of Zstandard in ZIP archives.
_ZSTANDARD = 93


def _files(paths: Sequence[Path], pattern: str) -> list[Path]:
    return [f for p in paths for f in (sorted(p.rglob(pattern)) if p.is_dir() else [p])]


def _load(path: Path, limits: Limits) -> Any:
    """Return the content of a JSON file, after a check of its size."""
    where = show_path(path)
    limits.check_bytes(path.stat().st_size, where)
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"{where}: is not JSON ({reason_of(error)})") from None


def _flat(record: Mapping[str, Any], prefix: str = "", depth: int = 0) -> Record:
    """Join nested keys by dots; skip lists and long texts."""
    flat: Record = {}
    for key, value in record.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            if depth < _DEEPEST:
                flat.update(_flat(value, f"{name}.", depth + 1))
        elif isinstance(value, str):
            if len(value) <= _LONGEST_LABEL:
                flat[name] = value
        elif value is None or isinstance(value, bool | int | float):
            flat[name] = value
    return flat


def _table(
    records: Sequence[Record],
    where: str,
    program: str,
    limits: Limits,
    roles: Mapping[str, str],
    measures: Mapping[str, Any] | None = None,
) -> Iterator[RawTable]:
    """Return a table of records; measures become rows, named in the column ``metric``."""
    suggested: Record = dict(roles)
    if measures is not None:
        if records and not measures:
            raise ResultsError(f"{where}: contains no scores; the evaluation may be unfinished")
        records = [
            {k: v for k, v in record.items() if k not in measures}
            | {"metric": name, "value": record[name]}
            for record in records
            for name in measures
            if name in record
        ]
        suggested["score"] = "value"
    if not records:
        raise ResultsError(f"{where}: no results of {program} found; name its logs or their folder")
    limits.check_rows(len(records), where)
    frame = pd.DataFrame.from_records(records)
    limits.check_columns(frame.shape[1], where)
    if not any(map(lower_is_better, measures or ())):
        # Scorers may have any name; these programs count correct answers.
        suggested["lower_is_better"] = False
    yield from_frame(frame.astype(object).where(frame.notna(), None), where, suggested=suggested)


def _inspect(paths: Sequence[Path], limits: Limits) -> Iterable[RawTable]:
    """Read logs of Inspect (``.json`` or ``.eval``): the samples with their scores."""
    records: list[Record] = []
    measures: dict[str, Any] = {}
    for path in _files(paths, "*.[je][sv][oa]*"):
        header, samples = _inspect_log(path, limits)
        described = header.get("eval", {})
        for sample in samples:
            scores = {
                name: _GRADES.get(score.get("value"), score.get("value"))
                for name, score in (sample.get("scores") or {}).items()
                if isinstance(score, Mapping) and isinstance(score.get("value"), str | int | float)
            }
            measures.update(scores)
            records.append(
                {
                    "task": described.get("task"),
                    "model": described.get("model"),
                    "id": sample.get("id"),
                    "epoch": sample.get("epoch", 1),
                    **_flat({"metadata": sample.get("metadata") or {}}),
                    **scores,
                }
            )
    roles = {"dataset": "task", "task": "id", "algorithm": "model", "repeat": "epoch"}
    yield from _table(records, show_path(paths[0]), "Inspect", limits, roles, measures)


def _inspect_log(path: Path, limits: Limits) -> tuple[Record, list[Record]]:
    where = show_path(path)
    if path.suffix != ".eval":
        log = _load(path, limits)
        if not isinstance(log, dict) or "eval" not in log:
            raise ResultsError(f"{where}: is not a log of Inspect: the key 'eval' is missing")
        return log, log.get("samples") or []
    try:
        with zipfile.ZipFile(path) as archive:
            limits.check_bytes(sum(part.file_size for part in archive.infolist()), where)
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


def _lm_eval(paths: Sequence[Path], limits: Limits) -> Iterable[RawTable]:
    """Read lm-evaluation-harness: ``MODEL/samples_TASK_TIME.jsonl``, or files of results."""
    files = _files(paths, "samples_*.jsonl") or _files(paths, "*.json")
    if files and files[0].suffix == ".json":
        for path in files:
            document = _load(path, limits)
            if not is_lm_eval(document):
                raise ResultsError(f"{show_path(path)}: is not a result of lm-evaluation-harness")
            yield read_lm_eval(document, show_path(path), limits)
        return
    records: list[Record] = []
    measures: dict[str, Any] = {}
    for path in files:
        where = show_path(path)
        limits.check_bytes(path.stat().st_size, where)
        task = re.sub(r"_\d{4}-\d\d-\d\dT[\d\-.:]+$", "", path.stem.removeprefix("samples_"))
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
            if not line.strip():
                continue
            try:
                sample = json.loads(line)
                names = sample.get("metrics") or []
                document = sample.get("doc")
            except (ValueError, AttributeError, RecursionError):
                raise ResultsError(f"{where}, line {number}: is not a sample of lm-eval") from None
            scores = {n: float(sample[n]) for n in names if isinstance(sample.get(n), int | float)}
            measures.update(scores)
            records.append(
                {
                    "task": task,
                    "model": path.parent.name,
                    "doc_id": sample.get("doc_id", number),
                    **({"filter": sample["filter"]} if "filter" in sample else {}),
                    **_flat({"doc": document if isinstance(document, Mapping) else {}}),
                    **scores,
                }
            )
    roles = {"dataset": "task", "task": "doc_id", "algorithm": "model"}
    yield from _table(
        records, show_path(paths[0]), "lm-evaluation-harness", limits, roles, measures
    )


def is_lm_eval(document: Any) -> bool:
    """Return True for the content of a file of results of lm-evaluation-harness."""
    if not isinstance(document, Mapping) or not {"results", "versions", "config"} <= set(document):
        return False
    results = document["results"]
    return isinstance(results, Mapping) and all(isinstance(m, Mapping) for m in results.values())


def read_lm_eval(document: Mapping[str, Any], where: str, limits: Limits) -> RawTable:
    """Read results of one model: measures of tasks, which may belong to groups."""
    config = document["config"] if isinstance(document["config"], Mapping) else {}
    given = config.get("model_args")
    if isinstance(given, str):
        given = dict(part.partition("=")[::2] for part in given.split(","))
    given = given if isinstance(given, Mapping) else {}
    model = document.get("model_name") or given.get("pretrained") or config.get("model")
    revision = given.get("revision")
    # A group's own results are means over its tasks.
    subtasks = document.get("group_subtasks") or {}
    group_of = {task: group for group, tasks in subtasks.items() for task in tasks}
    records, measures = [], {}
    for task, found in document["results"].items():
        if subtasks.get(task):
            continue
        scores = {
            key.removesuffix(",none"): value
            for key, value in found.items()
            if "_stderr" not in key and isinstance(value, int | float)
        }
        dataset = task.partition("-")[0] if task.startswith("hendrycksTest-") else task
        for _ in range(_DEEPEST):  # groups of groups
            dataset = group_of.get(dataset, dataset)
        measures.update(scores)
        named = f"{model}, {revision}" if revision else str(model)
        records.append({"dataset": dataset, "task": task, "model": named, **scores})
    roles = {"dataset": "dataset", "task": "task", "algorithm": "model"}
    return next(_table(records, where, "lm-evaluation-harness", limits, roles, measures))


def _helm(paths: Sequence[Path], limits: Limits) -> Iterable[RawTable]:
    """Read runs of HELM: folders with ``run_spec.json`` and ``per_instance_stats.json``."""
    records: list[Record] = []
    measures: dict[str, Any] = {}
    folders = [p.parent for p in _files(paths, "run_spec.json") if p.name == "run_spec.json"]
    for folder in folders:
        spec = _load(folder / "run_spec.json", limits)
        model = (spec.get("adapter_spec") or {}).get("model")
        scenario = re.sub(r",?\bmodel=[^,]*", "", str(spec.get("name", folder.name))).rstrip(":")
        if not (folder / "per_instance_stats.json").exists():
            raise ResultsError(
                f"{show_path(folder)}: per_instance_stats.json is missing; copy it from the run"
            )
        for entry in _load(folder / "per_instance_stats.json", limits):
            scores = {
                stat["name"]["name"]: stat.get("mean", stat.get("sum"))
                for stat in entry.get("stats", [])
                if "perturbation" not in stat["name"]
            }
            measures.update(scores)
            records.append(
                {
                    "scenario": scenario,
                    "model": model,
                    "instance_id": entry.get("instance_id"),
                    "trial": entry.get("train_trial_index", 0),
                    **scores,
                }
            )
    roles = {"dataset": "scenario", "task": "instance_id", "algorithm": "model", "repeat": "trial"}
    yield from _table(records, show_path(paths[0]), "HELM", limits, roles, measures)


def _mteb(paths: Sequence[Path], limits: Limits) -> Iterable[RawTable]:
    """Read results of MTEB: ``MODEL/REVISION/TASK.json``, a main score per subset and split."""
    records: list[Record] = []
    for path in _files(paths, "*.json"):
        if path.name == "model_meta.json":
            continue
        result = _load(path, limits)
        if not isinstance(result, dict) or "scores" not in result:
            raise ResultsError(
                f"{show_path(path)}: is not a result of MTEB: the key 'scores' is missing"
            )
        splits = result["scores"]
        split = "test" if "test" in splits else next(iter(splits), "test")
        records += [
            {
                "task_name": result.get("task_name", path.stem),
                "hf_subset": entry.get("hf_subset", "default"),
                "model": _mteb_model(path, limits),
                "main_score": entry.get("main_score"),
            }
            for entry in splits.get(split, [])
        ]
    roles = {
        "dataset": "task_name",
        "task": "hf_subset",
        "algorithm": "model",
        "score": "main_score",
    }
    yield from _table(records, show_path(paths[0]), "MTEB", limits, roles)


def _mteb_model(path: Path, limits: Limits) -> str:
    meta = path.parent / "model_meta.json"
    if meta.exists():
        return str(_load(meta, limits).get("name", path.parent.name))
    # MODEL/REVISION/TASK.json; the revision may be absent
    folder = path.parent
    is_revision = re.fullmatch(r"[0-9a-f]{7,40}|no_revision_available|external|\d+", folder.name)
    return (folder.parent if is_revision else folder).name.replace("__", "/")


def _checked(name: str, read: Callable[[Sequence[Path], Limits], Iterable[RawTable]]) -> Any:
    """Turn errors on undocumented content into one line."""

    def checked(paths: Sequence[Path], limits: Limits) -> Iterable[RawTable]:
        try:
            return list(read(paths, limits))
        except (KeyError, TypeError, AttributeError, UnicodeDecodeError) as error:
            raise ResultsError(
                f"{quote_list(map(str, paths), limit=3)}: not in the format of {name}"
                f" ({type(error).__name__}: {reason_of(error)})"
            ) from None

    return checked


READERS = tuple(
    Reader(name, sentence, _checked(name, read))
    for name, sentence, read in (
        ("inspect", "logs of Inspect", _inspect),
        ("lm-eval", "samples and results of lm-evaluation-harness", _lm_eval),
        ("helm", "runs of HELM", _helm),
        ("mteb", "results of MTEB", _mteb),
    )
)
