"""Run benchmark programs to write the small files in this folder.

usage: python write.py PROGRAM    where the program is installed; README.md says which version
"""

import shutil
import sys
from itertools import product
from pathlib import Path

HERE = Path(__file__).parent
DATASETS = ("one", "two", "three")


def _import_without_models(*modules: str) -> None:
    """Import modules that write results; mock absent packages that only query models."""
    from importlib import import_module
    from unittest.mock import MagicMock

    for name in modules:
        while name not in sys.modules:
            try:
                import_module(name)
            except ModuleNotFoundError as absent:
                sys.modules[absent.name] = MagicMock(__path__=[], __spec__=None)


def write_benchopt(folder: Path) -> None:
    """Run two solvers of least squares on three datasets with two objectives, twice."""
    import subprocess

    import pandas as pd

    shutil.rmtree(folder, ignore_errors=True)
    (folder / "datasets").mkdir(parents=True)
    (folder / "solvers").mkdir()
    (folder / "objective.py").write_text(
        "from benchopt import BaseObjective\n"
        "class Objective(BaseObjective):\n"
        "    name = 'Least Squares'\n"
        "    parameters = {'shift': [0.0, 1.0]}\n"
        "    def set_data(self, X, y): self.X, self.y = X, y\n"
        "    def evaluate_result(self, beta):\n"
        "        rest = self.y - self.shift - self.X @ beta\n"
        "        return dict(value=0.5 * rest @ rest, norm=float((beta**2).sum()))\n"
        "    def get_one_result(self): return dict(beta=[0.0] * 4)\n"
        "    def get_objective(self): return dict(X=self.X, y=self.y - self.shift)\n"
    )
    for number, name in enumerate(DATASETS):
        (folder / f"datasets/{name}.py").write_text(
            "import numpy as np\n"
            "from benchopt import BaseDataset\n"
            "class Dataset(BaseDataset):\n"
            f"    name = '{name}'\n"
            "    def get_data(self):\n"
            f"        rng = np.random.default_rng({number})\n"
            "        X = rng.normal(size=(20, 4))\n"
            "        return dict(X=X, y=X @ np.ones(4) + rng.normal(size=20))\n"
        )
    for name, step in (("fast", 0.01), ("slow", 0.001)):
        (folder / f"solvers/{name}.py").write_text(
            "import numpy as np\n"
            "from benchopt import BaseSolver\n"
            "class Solver(BaseSolver):\n"
            f"    name = '{name}'\n"
            f"    parameters = {{'step': [{step}]}}\n"
            "    def set_objective(self, X, y): self.X, self.y = X, y\n"
            "    def run(self, n_iter):\n"
            "        self.beta = np.zeros(4)\n"
            "        for _ in range(n_iter):\n"
            "            rest = self.X @ self.beta - self.y\n"
            "            self.beta -= self.step * self.X.T @ rest\n"
            "    def get_result(self): return dict(beta=self.beta)\n"
        )
    options = ["--max-runs=3", "--n-repetitions=2", "--no-html", "--no-plot", "--output=written"]
    program = shutil.which("benchopt") or "benchopt"
    subprocess.run([program, "run", ".", *options], cwd=folder, check=True)
    frame = pd.read_parquet(folder / "outputs/written.parquet")
    about = [name for name in frame if name.startswith(("platform-", "system-"))]
    frame[about] = None  # what benchopt says about the machine
    shutil.rmtree(folder)
    folder.mkdir()
    frame.to_parquet(folder / "written.parquet")


def write_inspect(folder: Path) -> None:
    """Evaluate two models with known answers on three passages of two questions each, twice."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.log import read_eval_log, write_eval_log
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import includes, match
    from inspect_ai.solver import solver

    shutil.rmtree(folder, ignore_errors=True)

    @solver
    def known():
        async def solve(state, generate):
            right = state.metadata["level"] == 0 or str(state.model).endswith("alpha")
            said = "yes" if right else "so yes and no" if state.epoch == 1 else "no"
            state.output = ModelOutput.from_content(str(state.model), said)
            return state

        return solve

    samples = [
        Sample(input="?", target="yes", id=f"{name}-{i}", metadata={"passage": name, "level": i})
        for name in DATASETS
        for i in range(2)
    ]
    dataset = MemoryDataset(samples, name="questions")
    task = Task(dataset, solver=known(), scorer=[match(), includes()], name="reading")
    for model in ("alpha", "beta"):
        (log,) = eval(task, model=f"mockllm/{model}", epochs=2, log_dir=str(folder), display="none")
        path = Path(log.location.removeprefix("file://"))
        path.rename(folder / f"{model}.eval")
        log = read_eval_log(str(folder / f"{model}.eval"))
        for sample in log.samples:
            sample.events = []  # what happened step by step: most of the file
        write_eval_log(log, str(folder / f"{model}.json"))


def write_tsml(folder: Path) -> None:
    """Write results of two classifiers and two regressors on three datasets, two resamples each."""
    import numpy as np
    from tsml_eval.utils.results_writing import (
        write_classification_results,
        write_regression_results,
    )

    shutil.rmtree(folder, ignore_errors=True)
    rng = np.random.default_rng(0)
    for name, resample in product(DATASETS, range(2)):
        common = {"full_path": False, "resample_id": resample, "time_unit": "Milliseconds"}
        labels = rng.integers(2, size=4)
        for (classifier, wrong), split in product((("good", 0), ("bad", 2)), ("TRAIN", "TEST")):
            said = np.where(np.arange(4) < wrong, 1 - labels, labels)
            accuracy = float((said == labels).mean()) if split == "TEST" else 0.0
            target = (classifier, name, str(folder / "classification"))
            scores = {"split": split, "accuracy": accuracy, "n_classes": 2}
            write_classification_results(said, np.eye(2)[said], labels, *target, **common, **scores)
        values = rng.normal(size=4)
        for regressor, shift in (("good", 0.5), ("bad", 1.5)):
            target = (regressor, name, str(folder / "regression"))
            scores = {"split": "TEST", "mse": shift**2}
            write_regression_results(values + shift, values, *target, **common, **scores)


def write_openml(folder: Path) -> None:
    """Call ``list_evaluations`` with a handwritten response of the server."""
    from openml import _api_calls
    from openml.evaluations import list_evaluations

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    names = ("run_id", "task_id", "setup_id", "flow_id", "flow_name", "data_id", "data_name")
    rows = [
        (10 * d + f, d + 1, f, f, f"sklearn.tree.{flow}(1)", d + 1, name)
        for d, name in enumerate(DATASETS)
        for f, flow in enumerate(("DecisionTree", "ExtraTree"))
    ]

    def answer(call: str, *_: object, **__: object) -> str:
        if call.startswith("user/"):
            user = "<oml:user><oml:id>1</oml:id><oml:username>anybody</oml:username></oml:user>"
            return f'<oml:users xmlns:oml="http://openml.org/openml">{user}</oml:users>'
        measure = call.split("/function/")[1].split("/", maxsplit=1)[0]
        found = [
            "<oml:evaluation>"
            + "".join(f"<oml:{n}>{v}</oml:{n}>" for n, v in zip(names, row, strict=True))
            + f"<oml:function>{measure}</oml:function><oml:upload_time>2024-01-01 00:00:00"
            "</oml:upload_time><oml:uploader>1</oml:uploader>"
            f"<oml:value>{0.9 - 0.1 * row[2] - 0.01 * row[1]:.2f}</oml:value></oml:evaluation>"
            for row in rows
        ]
        return (
            f'<oml:evaluations xmlns:oml="http://openml.org/openml">{"".join(found)}'
            "</oml:evaluations>"
        )

    _api_calls._perform_api_call = answer
    found = list_evaluations("predictive_accuracy", size=6, output_format="dataframe")
    found.to_csv(folder / "evaluations.csv", index=False)


def write_automlbenchmark(folder: Path) -> None:
    """Score known predictions with the benchmark's ``TaskResult``."""
    from types import SimpleNamespace

    import numpy as np
    import pandas as pd

    setattr(np, "NaN", np.nan)  # noqa: B010  written for NumPy 1
    from amlb import results
    from amlb.utils import Namespace

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    limits = SimpleNamespace(error_max_length=200)
    results.rconfig = lambda: SimpleNamespace(run_mode="local", results=limits)
    results.rget = lambda: SimpleNamespace(app_version="dev")
    rng = np.random.default_rng(0)
    entries = []
    frameworks = (("constantpredictor", 1.0), ("TunedForest", 0.3))
    for (number, name), fold, (framework, blur) in product(
        enumerate(DATASETS), range(2), frameworks
    ):
        truth = np.array(["no", "yes"] * 4)
        yes = (truth == "yes") * (1 - blur) + blur * rng.uniform(size=8)
        yes = np.clip(yes, 0.01, 0.99)
        said = np.where(yes > 0.5, "yes", "no")
        predictions = pd.DataFrame({"no": 1 - yes, "yes": yes, "predictions": said, "truth": truth})
        metric = "logloss" if name == "three" else "auc"
        described = Namespace(
            type_="binary",
            framework=framework,
            framework_version="1.0",
            framework_params={},
            seed=fold,
            metric=metric,
            metrics=[metric, "acc"],
        )
        task = SimpleNamespace(id=f"openml.org/t/{number}", name=name)
        result = results.ClassificationResult(predictions)
        if (framework, name, fold) == ("TunedForest", "two", 1):
            result = results.ErrorResult(TimeoutError("too long"))
        scored = results.TaskResult(task, fold, "1h8c", str(folder), described)
        entries.append(scored.compute_score(result))
    board = results.Scoreboard(scores=entries, scores_dir=str(folder))
    results.Scoreboard.save_df(board.as_data_frame(), str(folder / "results.csv"))


def write_helm(folder: Path) -> None:
    """Write runs of two models on three subjects, with a perturbation, as the runner does."""
    import json

    _import_without_models("helm.benchmark.metrics.metric", "helm.benchmark.run_spec")
    from helm.benchmark.adaptation.adapter_spec import AdapterSpec
    from helm.benchmark.augmentations.perturbation_description import PerturbationDescription
    from helm.benchmark.metrics.metric import MetricSpec, PerInstanceStats
    from helm.benchmark.metrics.metric_name import MetricName
    from helm.benchmark.metrics.statistic import Stat
    from helm.benchmark.run_spec import RunSpec
    from helm.benchmark.scenarios.scenario import ScenarioSpec
    from helm.common.general import asdict_without_nones

    shutil.rmtree(folder, ignore_errors=True)
    typos = PerturbationDescription(name="typos", robustness=True)
    for subject in DATASETS:
        for model in ("lab/alpha", "lab/beta"):
            spec = RunSpec(
                name=f"mmlu:subject={subject},model={model.replace('/', '_')}",
                scenario_spec=ScenarioSpec(class_name="Scenario", args={"subject": subject}),
                adapter_spec=AdapterSpec(method="generation", model=model),
                metric_specs=[MetricSpec(class_name="Metric")],
            )
            found = []
            for i, changed in product(range(2), (None, typos)):
                right = float(changed is None and (model == "lab/alpha" or i > 0))
                stats = [
                    Stat(MetricName(name, split="test", perturbation=changed)).add(value)
                    for name, value in (("exact_match", right), ("num_output_tokens", 3))
                ]
                found.append(
                    PerInstanceStats(
                        instance_id=f"id{i}", perturbation=changed, train_trial_index=0, stats=stats
                    )
                )
            run = folder / spec.name.replace(":", "-")  # no name of a file everywhere
            run.mkdir(parents=True)
            (run / "run_spec.json").write_text(json.dumps(asdict_without_nones(spec), indent=2))
            (run / "per_instance_stats.json").write_text(
                json.dumps(list(map(asdict_without_nones, found)), indent=2)
            )


def write_lm_eval(folder: Path) -> None:
    """Write samples of two models on three tasks with the harness's tracker."""
    _import_without_models("lm_eval.loggers.evaluation_tracker")
    from lm_eval.loggers.evaluation_tracker import EvaluationTracker

    shutil.rmtree(folder, ignore_errors=True)
    for model in ("lab/alpha", "lab/beta"):
        tracker = EvaluationTracker(output_path=str(folder))
        tracker.general_config_tracker.model_name_sanitized = model.replace("/", "__")
        tracker.date_id = "2026-01-01T00-00-00.000000"
        for name in DATASETS:
            samples = [
                {
                    "doc_id": i,
                    "doc": {"question": f"{name} {i}", "passage": f"{name}-{i // 2}", "answer": 1},
                    "target": 1,
                    "arguments": [(f"{name} {i}?", " no"), (f"{name} {i}?", " yes")],
                    "resps": [[(-1.0, False)], [(-2.0, False)]],
                    "filtered_resps": [(-1.0, False), (-2.0, False)],
                    "filter": "none",
                    "metrics": ["acc", "acc_norm"],
                    **dict.fromkeys(("doc_hash", "prompt_hash", "target_hash"), "0"),
                    "acc": float(model == "lab/alpha" or i > 0),
                    "acc_norm": 1.0,
                }
                for i in range(4)
            ]
            tracker.save_results_samples(name, samples)


if __name__ == "__main__":
    program = sys.argv[1]
    globals()[f"write_{program}"](HERE / program)
    for path in sorted((HERE / program).rglob("*")):
        if path.is_file():
            print(path.relative_to(HERE), path.stat().st_size)
