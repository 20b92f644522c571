"""Read files of benchmark programs, which are recognised by their names, columns or keys."""

from __future__ import annotations

import json
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from occstats._format import count, show_path
from occstats.errors import ResultsError
from occstats.results.aliases import is_index, lower_is_better, normalise, shared_measure
from occstats.results.cells import message_of
from occstats.results.readers.frames import FILE, RawTable, from_frame
from occstats.results.readers.limits import Limits

Record = dict[str, Any]
# The keys of a question (dataset, task, model, repeat and others), and its scores by measure.
Samples = Iterator[tuple[Record, Record]]


# -- tables ----------------------------------------------------------------------------------------


def recognise(raw: RawTable) -> RawTable:
    """Apply the reader of the program whose columns a table has, if any."""
    for columns, adapt in _TABLES:
        if columns <= {*raw.columns} and (adapted := adapt(raw)) is not None:
            return adapted
    return raw


def _automlbenchmark(raw: RawTable) -> RawTable | None:
    """Adapt ``results.csv``: the result of a framework on a fold of a task."""
    score = "score" if "score" in raw.columns else "result"
    if not _losses_are_negated(raw, score):
        return None
    roles: Record = {"dataset": "task", "algorithm": "framework", "fold": "fold"}
    roles |= {"score": score, "score_name": score, "lower_is_better": False}
    if "constraint" in raw.columns and len(raw.names("constraint")) > 1:
        names = zip(raw.row_names("framework"), raw.row_names("constraint"), strict=True)
        roles["algorithm"] = "framework, constraint"
        raw = raw.add({roles["algorithm"]: [f"{name} ({limit})" for name, limit in names]})
    note = (
        f"{raw.name}: results of automlbenchmark, in which higher is better (losses are negated)"
        " and measures differ between types of tasks, so mean scores are hard to interpret."
    )
    return replace(raw, suggested=roles, mixed=True, notes=[*raw.notes, note])


def _losses_are_negated(raw: RawTable, score: str) -> bool:
    """Return True if the file shows that higher is better."""
    values = raw.numbers(score).values

    def is_copy(*names: str) -> Any:
        """Return the rows in which the score is that of one of the columns."""
        held = [raw.numbers(name).values for name in names if name in raw.columns]
        return np.any([values == column for column in held], axis=0)

    codes, names = raw.codes("metric") if "metric" in raw.columns else (0, ["unknown"])
    lower = [lower_is_better(name) for name in names]
    losses = np.array([*map(bool, lower), False])[codes] | is_copy("logloss", "rmse", "mae")
    if ((values > 0) & losses).any():
        return False
    gains = set(lower) == {False} or (np.isnan(values) | is_copy("auc", "acc")).all()
    return bool(gains or (values < 0).any())


def _benchopt(raw: RawTable) -> RawTable | None:
    """Keep the last point of the curve of each run of a solver on a dataset."""
    dataset = [name for name in ("dataset_name", "data_name") if name in raw.columns]
    value = [n for n in ("objective_value", "objective_test_loss") if n in raw.columns]
    if not dataset or not value:
        return None
    roles = {"dataset": dataset[0], "task": "objective_name", "algorithm": "solver_name"}
    if "idx_rep" in raw.columns:
        roles["repeat"] = "idx_rep"
    stop = raw.numbers("stop_val").values.argsort(kind="stable")
    ordered = raw.frame[list(roles.values())].iloc[stop]
    last = ordered.index[~ordered.duplicated(keep="last")]
    note = f"{raw.name}: convergence curves of benchopt; only the last point of each run counts."
    kept = raw.keep(raw.frame.index.isin(last))
    told = roles | {"score": value[0], "lower_is_better": True}
    return replace(kept, suggested=told, notes=[*raw.notes, note])


def _openml(raw: RawTable) -> RawTable:
    """Adapt evaluations as returned by ``openml.evaluations.list_evaluations``."""
    roles = {"dataset": "data_name", "task": "task_id", "algorithm": "flow_name"}
    told = roles | {"score": "value", "repeat": "run_id"}
    return replace(raw.add({"metric": raw.frame["function"].to_numpy()}), suggested=told)


def _own(raw: RawTable) -> RawTable:
    """Tell the columns of a table as ``occstats run`` writes it."""
    if "auroc" in raw.columns and "status" in raw.columns and not raw.is_numeric("auroc"):
        failed = int(raw.frame["status"].isin(["failed", "timeout"]).sum())
        raise ResultsError(
            f"{raw.name}: auroc is empty: {failed} of {count(raw.n_rows, 'fit')} failed;"
            " the column error has the reasons"
        )
    roles = {"dataset": "dataset", "task": "class", "algorithm": "descriptor"}
    more = {"score": "auroc"} | {role: role for role in ("fold", "repeat", "status")}
    roles |= {role: column for role, column in more.items() if column in raw.columns}
    return replace(raw, suggested=roles)


def _tsml(raw: RawTable) -> RawTable | None:
    """Melt the table of one classifier, with datasets in rows and resamples in columns."""
    first, *others = [name for name in raw.columns if not is_index(name)] or [""]
    named = normalise(first).rstrip(":") in {"resamples", "folds"}
    if not named or len(others) < 2 or not all(name.strip().isdigit() for name in others):
        return None
    long = raw.frame[[first, *others]].melt(first, var_name="resample", value_name="score")
    told = {"dataset": "dataset", "fold": "resample", "score": "score", "algorithm": FILE}
    measured = shared_measure([raw.stem])
    told |= {} if measured is None else {"score_name": measured}
    return from_frame(long.rename(columns={first: "dataset"}), raw.name, suggested=told)


# Columns that identify the tables of a program, and the function that adapts them.
_TABLES: tuple[tuple[set[str], Callable[[RawTable], RawTable | None]], ...] = (
    (set(), _tsml),
    ({"dataset", "class", "descriptor"}, _own),
    ({"framework", "task", "fold", "result"}, _automlbenchmark),
    ({"solver_name", "stop_val", "objective_name"}, _benchopt),
    ({"run_id", "task_id", "flow_name", "data_name", "function", "value"}, _openml),
)

# -- logs with one row per question, model and measure ---------------------------------------------

# The measure that begins the third line of predictions of tsml, by the number of its cells, for
# regression and forecasting; otherwise, it is the accuracy of a classifier or clusterer.
_TSML_MEASURES = {8: "mse", 5: "mape"}
# Grades of Inspect's scorers: correct, incorrect, partial and no answer.
_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, True: 1.0, False: 0.0}
# Longer text is a prompt or an answer, not a name or a group.
_LONGEST_LABEL = 300
_DEEPEST = 4
# Code of Zstandard in ZIP archives.
_ZSTANDARD = 93


def read_logs(source: Path, files: Sequence[Path], limits: Limits) -> RawTable | None:
    """Read logs by the names of the files, or in a folder by the keys of the first JSON file."""
    where = show_path(source)
    for log in _LOGS:
        if log.pattern and (named := [file for file in files if file.match(log.pattern)]):
            return read_documents(log, named, where, limits)
    documents = [file for file in files if file.suffix == ".json" and file.name != _META]
    found = None
    if documents and source.is_dir():
        with suppress(*_UNREADABLE):
            found = log_of(_content(documents[0], limits))
    return None if found is None else read_documents(found, documents, where, limits)


def log_of(document: Any) -> _Log | None:
    """Return the kind of log that a JSON document is, by its keys."""
    keys = set(document) if isinstance(document, Mapping) else set()
    return next((log for log in _LOGS if log.keys and {*log.keys.split()} <= keys), None)


def read_documents(
    log: _Log, files: Sequence[Path], where: str, limits: Limits, document: Any = None
) -> RawTable:
    """Read the logs of a program, or the document of one, with a row for each measure."""
    records: list[Record] = []
    for file in files:
        try:
            content = _content(file, limits) if document is None else document
            records += [
                {**keys, "metric": name, "value": score}
                for keys, scores in log.read(content, file, limits)
                for name, score in scores.items()
            ]
        except ResultsError:
            raise
        except _UNREADABLE as error:
            by_shape = isinstance(error, AttributeError | LookupError | TypeError)
            reason = "" if by_shape else f" ({message_of(error)})"
            raise ResultsError(f"{show_path(file)}: is not {log.what}{reason}") from None
    if not records:
        raise ResultsError(f"{where}: contains no scores; the evaluation may be unfinished")
    limits.check(where, rows=len(records))
    frame = pd.DataFrame.from_records(records)
    limits.check(where, columns=frame.shape[1])
    told: Record = {r: r for r in ("dataset", "task", "fold", "repeat") if r in frame}
    told |= {"algorithm": "model", "score": "value"}
    if not any(map(lower_is_better, frame["metric"].unique())):
        # Scorers may have any name; these programs count correct answers.
        told["lower_is_better"] = False
    return from_frame(frame.astype(object).where(frame.notna(), None), where, suggested=told)


def _content(path: Path, limits: Limits) -> Any:
    """Return the lines of a CSV file, the records of JSON lines, or a JSON document."""
    if path.suffix == ".eval":
        return _unpacked(path, limits)
    limits.check(show_path(path), size=path.stat().st_size)
    text = path.read_text(encoding="utf-8-sig")
    if path.suffix == ".csv":
        return text.split("\n", 3)
    limits.check_json(show_path(path), text)
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    return json.loads(text)


def _flatten_metadata(record: Any, prefix: str, depth: int = 0) -> Record:
    """Join nested keys by dots; skip lists and long texts."""
    flat: Record = {}
    for key, value in record.items() if isinstance(record, Mapping) else ():
        name = f"{prefix}.{key}"
        if isinstance(value, Mapping) and depth < _DEEPEST:
            flat.update(_flatten_metadata(value, name, depth + 1))
        elif not isinstance(value, Mapping | list) and len(str(value)) <= _LONGEST_LABEL:
            flat[name] = value
    return flat


def _tsml_predictions(lines: Any, path: Path, limits: Limits) -> Samples:
    """Read ``Estimator/Predictions/Dataset/testResample0.csv``."""
    head, _, summary = (line.split(",") for line in lines[:3])
    value = float(summary[0])
    if not value >= 0:  # −1 means not computed
        raise ValueError("the third line does not begin with the score")
    keys = {"dataset": head[0], "model": head[1], "fold": head[3]}
    yield keys, {_TSML_MEASURES.get(len(summary), "accuracy"): value}


def _inspect(log: Any, path: Path, limits: Limits) -> Samples:
    """Read a log of Inspect: the samples with their scores."""
    for sample in log.get("samples") or []:
        keys = {
            "dataset": log["eval"].get("task"),
            "model": log["eval"].get("model"),
            "task": sample.get("id"),
            "repeat": sample.get("epoch", 1),
            **_flatten_metadata(sample.get("metadata"), "metadata"),
        }
        found = (sample.get("scores") or {}).items()
        values = {name: score.get("value") for name, score in found if isinstance(score, Mapping)}
        yield (
            keys,
            {n: _GRADES.get(v, v) for n, v in values.items() if isinstance(v, str | int | float)},
        )


def _unpacked(path: Path, limits: Limits) -> Record:
    """Return the log in an archive of Inspect, ``.eval``, as it is in JSON."""
    with zipfile.ZipFile(path) as archive:
        limits.check(show_path(path), size=sum(part.file_size for part in archive.infolist()))
        names = archive.namelist()
        header = "header.json" if "header.json" in names else "_journal/start.json"
        wanted = [header, *(name for name in names if name.startswith("samples/"))]
        log, *samples = [json.loads(_part(archive, name)) for name in wanted]
    return {**log, "samples": samples}


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


def _lm_eval(document: Any, path: Path, limits: Limits) -> Samples:
    """Read lm-evaluation-harness: ``MODEL/samples_TASK_TIME.jsonl``, or a file of results."""
    if isinstance(document, Mapping):
        yield from _lm_eval_results(document)
        return
    task = re.sub(r"_\d{4}-\d\d-\d\dT[\d\-.:]+$", "", path.stem.removeprefix("samples_"))
    for sample in document:
        keys = {"dataset": task, "model": path.parent.name, "task": sample["doc_id"]}
        keys |= {"filter": sample["filter"]} if "filter" in sample else {}
        names = sample.get("metrics") or []
        yield (
            keys | _flatten_metadata(sample.get("doc"), "doc"),
            {n: float(sample[n]) for n in names if isinstance(sample.get(n), int | float)},
        )


def _lm_eval_results(document: Mapping[str, Any]) -> Samples:
    """Read the results of one model: measures of tasks, which may belong to groups."""
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


def _helm(spec: Any, path: Path, limits: Limits) -> Samples:
    """Read a run of HELM: a folder with ``run_spec.json`` and ``per_instance_stats.json``."""
    stats = _content(path.with_name("per_instance_stats.json"), limits)
    scenario = re.sub(r",?\bmodel=[^,]*", "", str(spec.get("name", path.parent.name))).rstrip(":")
    for entry in stats:
        keys = {
            "dataset": scenario,
            "model": (spec.get("adapter_spec") or {}).get("model"),
            "task": entry.get("instance_id"),
            "repeat": entry.get("train_trial_index", 0),
        }
        yield (
            keys,
            {
                stat["name"]["name"]: stat.get("mean", stat.get("sum"))
                for stat in entry.get("stats", [])
                if "perturbation" not in stat["name"]
            },
        )


def _mteb(result: Any, path: Path, limits: Limits) -> Samples:
    """Read a result of MTEB: ``MODEL/REVISION/TASK.json``, a main score per subset and split."""
    folder, meta = path.absolute().parent, path.with_name(_META)
    if re.fullmatch(r"[0-9a-f]{7,40}|no_revision_available|external|\d+", folder.name):
        folder = folder.parent
    model = folder.name.replace("__", "/")
    if meta.exists():
        model = _content(meta, limits).get("name", model)
    splits = result["scores"]
    for entry in splits.get("test" if "test" in splits else next(iter(splits), "test"), []):
        keys = {
            "dataset": result.get("task_name", path.stem),
            "task": entry.get("hf_subset", "default"),
            "model": model,
        }
        yield keys, {"main_score": entry.get("main_score")}


_UNREADABLE = (
    *(AttributeError, LookupError, TypeError),  # other keys or types
    *(OSError, RecursionError, ValueError, NotImplementedError, zipfile.BadZipFile),
)
_META = "model_meta.json"


class _Log(NamedTuple):
    """Logs of a program: what they are, the reader, names of files, keys of JSON documents."""

    what: str
    read: Callable[[Any, Path, Limits], Samples]
    pattern: str = ""
    keys: str = ""


_LOGS = (
    _Log("a file of predictions of tsml", _tsml_predictions, "testRes*.csv"),
    _Log("a log of Inspect", _inspect, "*.eval", "eval plan samples"),
    _Log(
        "a result of lm-evaluation-harness", _lm_eval, "samples_*.jsonl", "results versions config"
    ),
    _Log("a run of HELM", _helm, "run_spec.json"),
    _Log("a result of MTEB", _mteb, keys="mteb_version task_name scores"),
)
