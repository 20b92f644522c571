"""Usual names of columns: aliases of each role, names of measures, and their direction."""

import re
import unicodedata
from collections.abc import Iterable, Mapping

from occstats._format import printable

__all__ = [
    "ALIASES",
    "AUROC",
    "CORRECT",
    "FAILED_WORDS",
    "FLAGS",
    "GENERIC",
    "NOT_RUN_WORDS",
    "PARTS",
    "SUCCEEDED",
    "TRAITS",
    "UNDEFINED_WORDS",
    "companion_of",
    "is_bounded",
    "is_measure",
    "is_optimum",
    "is_spread",
    "is_statistic",
    "is_summary",
    "looks_like_trait",
    "lower_is_better",
    "measure",
    "methods_among",
    "name_from_file",
    "normalise",
    "score_word",
]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# The first alias of each role is the project's own name and takes precedence over the others.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "cluster": (
        *("dataset", "data_set", "dataset_name", "data_set_name", "dataset_id", "data_set_id"),
        *("data_id", "data_name", "did", "cluster", "cluster_id", "group", "group_id", "data"),
        *("datasets", "suite", "benchmark", "benchmark_name", "corpus", "repo", "repository"),
        *("family", "domain", "datensatz", "datensätze"),
    ),
    "task": (
        *("class", "target_class", "normal_class", "positive_class", "class_name", "class_label"),
        *("task", "task_id", "task_name", "oml_task_id", "problem", "problem_id", "problem_name"),
        *("instance", "instance_id", "instance_name", "target", "subtask", "filename"),
        *("file_name", "file", "series", "series_id", "game", "env", "env_id", "environment"),
        *("function", "sample_id", "question_id", "doc_id", "scenario", "unique_id"),
        *("subject", "subject_id", "participant", "participant_id"),
    ),
    "algorithm": (
        *("descriptor", "algorithm", "algorithm_name", "algorithm_id", "algo", "classifier"),
        *("classifier_name", "clf", "model", "model_name", "model_id", "method", "method_name"),
        *("learner", "learner_id", "learner_name", "framework", "detector", "detector_name"),
        *("estimator", "estimator_name", "approach", "system", "flow", "flow_name", "technique"),
        *("solver", "solver_name", "agent", "agent_name", "optimizer", "optimiser", "policy"),
        *("regressor", "regressor_name", "forecaster", "algorithms", "models", "methods"),
        *("strategy", "heuristic", "baseline", "tool", "pipeline", "submission", "team"),
        *("scheme", "variant", "competitor", "entry", "team_name", "alg", "alg_name", "fullname"),
        *("full_model_name", "model_name_or_path", "model_path", "submission_name"),
        *("library", "codec", "engine", "implementation", "backend"),
        *("verfahren", "methode", "algorithmus", "modell"),
    ),
    "score": (
        *("auroc", "roc_auc", "auc_roc", "aucroc", "rocauc", "auc", "score", "accuracy", "acc"),
        *("balanced_accuracy", "bacc", "predictive_accuracy", "percent_correct"),
        *("area_under_roc_curve", "area_under_roc", "f1"),
        *("f1_score", "f_measure", "average_precision", "ap", "auprc", "pr_auc", "aucpr", "r2"),
        *("mcc", "kappa", "precision", "recall", "ndcg", "mrr", "map", "bleu", "exact_match"),
        *("result", "value", "metric_value", "performance", "neg_logloss", "neg_rmse"),
        *("neg_log_loss", "rmse", "log_mse", "mse", "mae", "mape", "smape", "mase", "logloss"),
        *("log_loss", "error_rate", "error", "err", "ce", "loss", "brier", "brier_score", "wer"),
        *("cer", "perplexity", "regret", "root_mean_squared_error", "mean_absolute_error"),
        *("mean_squared_error", "reward", "return"),
    ),
    "fold": (
        *("fold", "fold_id", "fold_index", "fold_number", "fold_nr", "cv_fold", "outer_fold"),
        *("dataset_fold_id", "split", "split_id", "iteration", "iter", "resample", "resample_id"),
    ),
    "repeat": (
        *("repeat", "repeat_id", "repetition", "rep", "replicate", "replication", "run", "run_id"),
        *("trial", "seed", "random_seed", "random_state", "rng_seed", "idx_rep", "session"),
        *("session_id",),
    ),
    "status": ("status", "state", "run_status", "job_status"),
    "metric": ("metric", "measure", "metric_name", "measure_name", "evaluation_measure"),
}
# Boolean columns that record success.
FLAGS = frozenset(("found", "success", "succeeded", "solved", "converged", "valid", "ok", "passed"))
# Boolean columns that serve as the score if there is no other.
CORRECT = FLAGS | {"correct", "is_correct", "pass", "win", "won", "exact_match", "resolved"}

# Values of a status column.
SUCCEEDED = frozenset(
    (
        *("ok", "success", "successful", "succeeded", "done", "finished", "completed", "complete"),
        *("true", "yes", "1", "solved", "optimal", "converged", "passed", "pass", "found", "valid"),
        *("sat", "unsat", "satisfiable", "unsatisfiable", "opt", "optimum", "optimum_found"),
    )
)
UNDEFINED_WORDS = frozenset(("undefined", "no_auroc", "no_score", "not_defined"))
FAILED_WORDS = frozenset(
    (
        *("failed", "fail", "failure", "error", "errored", "crashed", "crash", "timeout"),
        *("timed_out", "time_out", "memory", "memout", "oom", "out_of_memory", "killed"),
        *("aborted", "cancelled", "canceled", "false", "no", "0", "infeasible", "unsolved"),
        *("invalid", "missing", "skipped", "diverged", "exception", "nan", "not_run"),
        *("running", "pending", "unknown", "unk", "interrupted", "t_o", "m_o"),
        *("segfault", "abort", "time_limit", "timelimit", "memory_limit", "not_applicable"),
    )
)
# Statuses of runs that did not take place or did not finish, rather than failed.
NOT_RUN_WORDS = frozenset(
    (
        *("missing", "skipped", "not_run", "running", "pending", "not_applicable"),
        *("cancelled", "canceled", "interrupted"),
    )
)

TRAITS: Mapping[str, tuple[str, ...]] = {
    "n": (
        *("n", "n_instances", "n_samples", "n_target", "n_train", "instances", "samples"),
        *("class_size", "num_instances", "num_samples", "number_of_instances"),
    ),
    "m": (
        *("m", "n_features", "n_attributes", "features", "attributes", "dimensions", "dim"),
        *("n_dimensions", "num_features", "number_of_features"),
    ),
    "sparsity": ("sparsity",),
}

AUROC = frozenset(
    ("auroc", "roc_auc", "auc_roc", "aucroc", "rocauc", "auc", "area_under_roc_curve", "roc")
)
# Measures written in capitals.
_ABBREVIATIONS = _set("auprc crps f1 mae map mape mase mcc mse ndcg r2 rmse smape")
# Measures in [0, 1] by definition.
_BOUNDED = AUROC.union(
    ("accuracy", "acc", "balanced_accuracy", "bacc", "predictive_accuracy", "f1", "f1_score"),
    ("f_measure", "average_precision", "ap", "auprc", "aucpr", "pr_auc", "precision", "recall"),
    ("error_rate", "ce"),
)
# Names that do not tell what was measured.
GENERIC = frozenset(("score", "result", "value", "metric_value", "performance"))

# Words of measures for which lower is better, and for which higher is better.
_LOWER = _set(
    "rmse mse mae mape smape mase rmsle nrmse nmse msle crps err error errors loss losses "
    "logloss wer cer eer ter time times runtime runtimes seconds secs duration durations "
    "latency regret gap perplexity ppl bpb rank ranks brier nll ce ece deviance "
    "misclassification residual fid fpr fnr cost costs makespan evaluations evals nfe divergence "
    "distance violations violation wape msis mse mde fehler fehlerrate laufzeit dauer "
    "lpips ert par2 par10 minutes hours latencies"
)
_HIGHER = _set(
    "auroc auc roc aucroc rocauc accuracy acc bacc f1 precision recall ap auprc aucpr map "
    "ndcg mrr kappa mcc r2 reward return bleu rouge dice iou psnr ssim speedup throughput "
    "rtfx gain utility hits correlation spearman pearson ari nmi elo sensitivity specificity exact "
    "likelihood quality correct pass passed resolved solved success win wins won winrate points "
    "coverage hypervolume miou fps qps consistency agreement genauigkeit"
)
# Words for the part of the data on which a score was computed.
PARTS: Mapping[str, str] = {
    **dict.fromkeys(("train", "training", "tra", "trn"), "training"),
    **dict.fromkeys(("test", "testing", "tst"), "test"),
    **dict.fromkeys(("val", "valid", "validation", "dev"), "validation"),
}
_NEGATED = frozenset(("neg", "negative", "minus", "negated"))
# Arrows after a name give the direction.
_ARROWS = {"↓": True, "⬇": True, "↑": False, "⬆": False}
_BY_CAPITALS = re.compile(r"(?<=[a-z])(?=[A-Z])")  # TeamId, CO₂
# Words that qualify a measure without changing it.
_QUALIFIERS = _set("test mean avg average main overall val validation top")

# Words that name a trait of the tasks (or, in a leaderboard, of the models) ...
_TRAIT_WORDS = _set(
    "cost costs price usd co2 kg emissions likes downloads "
    "samples sample instances features feature dimensions dimension dims size sizes length "
    "lengths len ratio perc percent percentage contamination rank ranks ranking seed seeds "
    "time times runtime duration seconds secs memory tokens parameters params count counts number "
    "num nb id index period year rtfx speed flops date version std stdev borda"
)
# ... and words that accompany them.
_TRAIT_COMPANIONS = _set(
    "n of the per in data model max min total million billion thousand gb mb kb fp32 fp16 b m "
    "k s ms embedding usage outlier outliers anomaly anomalies anom normal class classes "
    "train training test average avg mean median fit prediction inference release imbalance "
    "attribute attributes row rows column columns series team submission submissions run task"
)
# Names of well-known methods, which distinguish rows of algorithms from rows of datasets.
_METHODS = _set(
    "svm svc ocsvm rf randomforest knn xgb xgboost lightgbm lgbm catboost mlp nb lr logreg cnn lstm"
    " resnet fcn lof iforest if hbos pca ecod copod gbm gbdt c45 c4 cart adaboost lda qda dt ridge"
    " lasso tabpfn autogluon tpot flaml rocket minirocket inceptiontime bert gpt"
)
_SUMMARY_WORDS = _set("average avg mean median overall total macro best max min maximum minimum")
# Words for what a summary summarises.
_SUMMED = _set("task tasks tasktype type types dataset datasets score scores all category")
_SUMMED |= _set("grand rate")
# Words that turn the name of a score into that of its spread, or of its rank or cost.
_SPREADS = _set("std sd stdev stddev sem se var variance ci")
_BESIDE = _set("rank time runtime seconds")


def normalise(name: str) -> str:
    """Reduce a column name to the form in which aliases are written.

    >>> normalise(" Data Set-ID "), normalise("classif.auc"), normalise("# Dimensions")
    ('data_set_id', 'auc', 'dimensions')
    """
    # Prefixes of mlr3 (type of task), Weka (key) and experiment trackers (config).
    prefix = r"^(classif\.|regr\.|key_|(config|params?|hparams?|args|eval_metrics|metrics)[./])"
    plain = re.sub(prefix, "", name.strip().casefold())
    return re.sub(r"[\W_]+", "_", plain).strip("_")


def measure(name: str) -> str:
    """Reduce the name of a score to that of its measure.

    >>> measure("r2_test"), measure("mean_test_score"), measure("main_score"), measure("test")
    ('r2', 'score', 'score', 'test')
    """
    words = normalise(name).split("_")
    kept = [word for word in words if word not in _QUALIFIERS]
    # Average precision and mean squared error are measures in their own right.
    whole = "_".join(words)
    return whole if whole in ALIASES["score"] or not kept else "_".join(kept)


def lower_is_better(score_name: str) -> bool | None:
    """Return True if lower is better for a score of this name, None if the name does not tell.

    >>> lower_is_better("log_mse_test"), lower_is_better("AUC"), lower_is_better("neg_rmse")
    (True, False, False)
    >>> lower_is_better("score") is lower_is_better("time_to_accuracy") is None
    True
    >>> lower_is_better("LPIPS ↓"), lower_is_better("MeanAbsolutePercentageError")
    (True, True)
    """
    arrows = {arrow for arrow in _ARROWS if arrow in score_name}
    if len(arrows) == 1:
        return _ARROWS[arrows.pop()]
    words = set(normalise(score_name).split("_"))
    less, more = bool(words & _LOWER), bool(words & _HIGHER)
    if not less and not more:  # MeanSquaredError_test is an error; RankSVM is not
        parts = normalise(_BY_CAPITALS.sub("_", score_name)).split("_")
        last = next((part for part in reversed(parts) if part not in _QUALIFIERS), "")
        less, more = last in _LOWER, last in _HIGHER
    if less == more:
        return None
    return not less if words & _NEGATED else less


def is_measure(name: str) -> bool:
    """Return True if a name can only be that of a measure, not of a task or an algorithm.

    >>> is_measure("Top 1 Accuracy"), is_measure("SSIM ↑"), is_measure("AMI WER")
    (True, True, False)
    """
    words = {word for word in normalise(name).split("_") if not word.isdigit()} - _QUALIFIERS
    return measure(name) in ALIASES["score"] or (bool(words) and words <= _LOWER | _HIGHER)


def is_bounded(score_name: str) -> bool:
    """Return True if a score of this name lies in [0, 1] by definition."""
    return measure(score_name) in _BOUNDED


def score_word(name: str) -> str:
    """Return the name of a score as written in prose.

    >>> score_word("auroc"), score_word("rmse"), score_word("accuracy")
    ('AUROC', 'RMSE', 'accuracy')
    """
    if name.lower() in AUROC:
        return "AUROC"
    return name.upper() if name in _ABBREVIATIONS else printable(name)


def looks_like_trait(name: str) -> bool | None:
    """Return True if a name is that of a trait, None if it may be one, else False.

    >>> looks_like_trait("#Samples"), looks_like_trait("Model Size (Million Parameters)")
    (True, True)
    >>> looks_like_trait("Time-CNN") is None, looks_like_trait("ALP")
    (True, False)
    """
    plain = _BY_CAPITALS.sub("_", unicodedata.normalize("NFKC", name))
    words = [word for word in re.split(r"[\W_]+", plain.casefold()) if word]
    if name.strip().startswith("#"):
        return True
    if normalise(name) in _METHODS:  # NB is naive Bayes
        return False
    if not set(words) & _TRAIT_WORDS and not is_optimum(name):
        return False
    return True if is_optimum(name) or set(words) <= _TRAIT_WORDS | _TRAIT_COMPANIONS else None


def is_optimum(name: str) -> bool:
    """Return True if a column of this name holds the best known value of each task."""
    return normalise(name) in {"opt", "optimal", "optimum", "best_known", "bks", "lower_bound"}


def companion_of(name: str) -> tuple[str, str] | None:
    """Split a name such as ``SVM_std`` into the column it accompanies and the word, else None.

    >>> companion_of("SVM_std"), companion_of("A (rank)"), companion_of("Time-CNN") is None
    (('svm', 'std'), ('a', 'rank'), True)
    """
    words = normalise(name).split("_")
    if len(words) > 1 and words[-1] in _SPREADS | _BESIDE:
        return "_".join(words[:-1]), words[-1]
    if len(words) > 1 and words[0] in _SPREADS:
        return "_".join(words[1:]), words[0]
    return None


def is_spread(word: str) -> bool:
    """Return True if a word denotes the spread of scores."""
    return word in _SPREADS


def is_statistic(name: str) -> bool:
    """Return True if a column of this name holds a statistic of a sample.

    >>> is_statistic("stddev"), is_statistic("median"), is_statistic("Average WER")
    (True, True, False)
    """
    return set(normalise(name).split("_")) <= _SUMMARY_WORDS - {"overall", "macro"} | _SPREADS


def methods_among(names: Iterable[str]) -> float:
    """Return the share of names that are those of well-known methods.

    >>> methods_among(["SVM", "Random_Forest", "k-NN", "iris"])
    0.25
    """
    listed = list(names)
    known = [name for name in listed if set(normalise(name).split("_")) & _METHODS]
    return len(known) / len(listed) if listed else 0.0


def is_summary(name: str) -> bool:
    """Return True if a column of this name may be a summary of the others.

    >>> is_summary("Average"), is_summary("Avg. WER"), is_summary("MeanShift")
    (True, True, False)
    """
    words = set(normalise(name).split("_"))
    return bool(words & _SUMMARY_WORDS) and words <= _SUMMARY_WORDS | _HIGHER | _LOWER | _SUMMED


_IN_FILES = tuple(
    sorted(
        {name for name in ALIASES["score"] if lower_is_better(name) is not None}
        - {"error", "err", "loss", "ce", "return", "map", "precision"}
        | {"roc", "aucroc", "error_rate"},
        key=len,
        reverse=True,
    )
)
_UNCERTAIN = re.compile(
    r"(?:^|_)(err|errors?|loss|losses|runtimes?|times?(?!_?series)|seconds|minutes|hours|durations?"
    r"|latency|latencies|regret|ert|par2|par10|lpips|fid|energy|energies)(?:_|$)"
)


def name_from_file(stem: str) -> tuple[str | None, str | None]:
    """Return the measure in a file name, and a word in it that makes the direction uncertain.

    >>> name_from_file("mergedTable_AUC_ROC"), name_from_file("times_of_solvers")
    (('auroc', None), (None, 'times'))
    >>> name_from_file("time_series_results")
    (None, None)
    """
    plain = f"_{normalise(_BY_CAPITALS.sub('_', stem))}_"
    found = next((name for name in _IN_FILES if f"_{name}_" in plain), None)
    found = "auroc" if found in AUROC else found
    uncertain = _UNCERTAIN.search(plain.strip("_"))
    return (found, None) if found else (None, uncertain[1] if uncertain else None)
