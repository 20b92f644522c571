"""Statements of Lenz, Peralta and Cornelis (2021) about the results, and whether they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from occstats.comparison.decision import BETTER
from occstats.report.published import OURS, p_value, printed

if TYPE_CHECKING:
    from occstats.comparison import Comparison

# What was found, and whether the statement holds; None where the table cannot tell.
Found = tuple[str, bool | None]

NAMES = ("ALP", "SVM", "NND", "LOF", "MD", "IF", "EIF", "LNND", "SAE")
PAIRS = (("ALP", "MD"), ("NND", "MD"), ("ALP", "NND"), ("ALP", "IF"), ("NND", "IF"))


def statements(comparison: Comparison) -> pd.DataFrame:
    """Evaluate the statements of the paper on a comparison of its nine descriptors.

    Parameters
    ----------
    comparison : Comparison
        With ``preset="paper"``, as the statements concern the paper's tests.

    Returns
    -------
    DataFrame
        One row per statement: ``where`` in the paper, the ``statement``, what is ``printed``,
        what is ``found`` in the comparison, and whether it ``holds`` (missing if that needs folds).

    Examples
    --------
    >>> import occstats
    >>> table = statements(occstats.compare("lenz2021", preset="paper"))
    >>> table.loc[table["holds"].eq(False), ["statement", "found"]].values.tolist()[-2:]
    [['the five best pairs are ALP–MD, NND–MD, ALP–NND, ALP–IF, NND–IF', '3 of 5'],
     ['an easy task (median AUROC) favours NND, LOF, ALP and MD', 'p 0.056 for LOF']]
    """
    evaluated = _Evaluated(comparison)
    rows = [(*row, *find()) for *row, find in evaluated.rows()]
    table = pd.DataFrame(rows, columns=["where", "statement", "printed", "found", "holds"])
    return table.astype({"holds": "boolean"})


def statements_table(compared: dict[str, Any]) -> pd.DataFrame:
    """Return the paper's statements, with what each comparison gives and whether they hold."""
    parts = {name: statements(each) for name, each in compared.items()}
    table: pd.DataFrame = parts[OURS][["where", "statement", "printed"]]
    for name, part in parts.items():
        signs = [{True: " ✓", False: " ✗"}.get(held, "") for held in part["holds"]]
        table = table.assign(**{name: part["found"] + signs})
    return table


class _Evaluated:
    """A comparison and the statements about it."""

    def __init__(self, comparison: Any) -> None:
        self._of = comparison
        self._p = comparison.p_values
        self._better = comparison.matrix("conclusion") == BETTER
        self._summary = comparison.summary.set_index("algorithm")

    def rows(self) -> Iterator[tuple[str, str, str, Callable[[], Found]]]:
        """Yield where the statement is, its text, what is printed, and its evaluation."""
        yield "§4", "246 tasks, 50 datasets", "246, 50", self._sizes
        yield "table 4", "mean ranks of the nine", "3.51 … 6.63", self._ranks
        yield "table 4", "mean AUROC of the nine", "0.817 … 0.757", self._means
        yield "table 4", "CVSD of the nine", "0.0370 … 0.0539", self._cvsd
        yield "§5", "lower ranks vary more over folds, except MD and LNND", "yes", self._variable
        yield "table 5", "36 corrected p-values, by their side of 0.05", "36", self._sides
        for better, worse, values in (
            ("ALP", ["LOF", "LNND"], "< 0.0001"),
            ("ALP", ["NND"], "0.018"),
            ("ALP", ["MD"], "0.035"),
            ("ALP", ["IF"], "0.035"),
            ("ALP", ["EIF", "SAE"], "≤ 0.00076"),
            ("SVM", ["LOF", "IF", "EIF", "LNND", "SAE"], "≤ 0.042"),
            ("NND", ["EIF", "LNND", "SAE"], "≤ 0.017"),
            ("LOF", ["EIF", "LNND", "SAE"], "≤ 0.036"),
            ("MD", ["LNND", "SAE"], "≤ 0.0066"),
            ("IF", ["SAE"], "0.0068"),
            ("EIF", ["SAE"], "0.025"),
        ):
            text = f"{better} is better than {_listed(worse)}"
            yield "table 5", text, values, partial(self._beats, better, worse)
        for a, b, text in (
            ("ALP", "SVM", "0.14"),
            ("SVM", "NND", "0.51"),
            ("SVM", "MD", "0.050"),
            ("MD", "EIF", "0.11"),
        ):
            weak = f"only weak evidence that {a} is better than {b}"
            yield "table 5", weak, text, partial(self._unsure, a, b)
        yield "§5", "only ALP and SVM are better than IF", "yes", self._better_than_if
        yield (
            "§5",
            "no evidence that EIF is better than IF",
            "–",
            partial(self._unsure, "EIF", "IF"),
        )
        yield (
            "figure 4",
            "ranks of ALP, SVM, LOF and LNND are nearly unimodal",
            "yes",
            self._unimodal,
        )
        text = "NND, MD, IF and EIF are good or bad rather than mediocre (ranks 4–6)"
        yield "figure 4", text, "yes", self._mediocre
        for rank, share, text in ((9, 40, "last in nearly"), (1, 5, "first in around")):
            whole = f"SAE is {text} {share} % of tasks"
            yield "figure 4", whole, f"{share} %", partial(self._share, rank, share / 100)
        text = "τ is largest among ALP, LOF, LNND, NND and SVM, and between IF and EIF"
        yield "figure 5", text, "yes", self._similar
        yield "figure 5", "ALP and IF complement each other more than ALP and LOF", "yes", self._tau
        text = f"the five best pairs are {', '.join('–'.join(pair) for pair in PAIRS)}"
        yield "§5", text, "5 of 5", self._pairs
        for text, names, sign in (
            ("favours NND, LOF, ALP and MD", ["NND", "LOF", "ALP", "MD"], -1),
            ("disfavours LNND, IF and SAE", ["LNND", "IF", "SAE"], 1),
        ):
            whole = f"an easy task (median AUROC) {text}"
            yield "§5", whole, "p ≤ 0.05", partial(self._median, names, sign)
        text = "a large class favours SAE (ranks per unit of log n)"
        yield "§5", text, "−0.31 ± 0.19, p 0.002", self._large
        for name, term, word, text in (
            ("SAE", "sparsity", "sparsity does not favour SAE", "p 0.400"),
            ("SAE", "log_m", "dimension does not favour SAE", "p 0.802"),
        ):
            yield "§5", word, text, partial(self._insignificant, name, term)
        yield "§5", "sparsity may disfavour LOF", "p 0.058", self._sparse
        text = "the easiest stratum is the largest, and ALP leads SVM most there"
        yield "figure 6", text, "yes", self._easiest
        yield "figure 6", "ALP is ahead of LOF in all strata", "yes", self._strata_alp
        text = "IF is suboptimal on easy tasks and competitive on harder ones"
        yield "figure 6", text, "yes", self._strata_if

    def _sizes(self) -> Found:
        tasks, datasets = self._of.results.n_tasks, self._of.results.n_clusters
        return f"{tasks}, {datasets}", (tasks, datasets) == (246, 50)

    def _apart(self, found: str, column: str, digits: int, tolerance: float) -> Found:
        apart = (self._summary[found] - printed("summary")[column]).abs()
        if apart.isna().all():
            return "no folds", None
        return f"at most {apart.max():.{digits}f} apart", bool(apart.max() <= tolerance + 1e-9)

    def _ranks(self) -> Found:
        return self._apart("mean_rank", "rank", 2, 0.045)

    def _means(self) -> Found:
        return self._apart("mean_score", "auroc", 3, 0.0005)

    def _cvsd(self) -> Found:
        if "cvsd" not in self._summary:
            return "no folds", None
        return self._apart("cvsd", "cvsd", 4, 0.0005)

    def _variable(self) -> Found:
        order = [name for name in NAMES if name not in ("MD", "LNND")]
        if "cvsd" not in self._summary or self._summary["cvsd"].isna().all():
            return "no folds", None
        values = self._summary.loc[order, "cvsd"]
        return f"{values.iloc[0]:.3f} … {values.iloc[-1]:.3f}", bool(values.is_monotonic_increasing)

    def _sides(self) -> Found:
        cells: Any = printed("p_values").stack().dropna().items()
        apart = [
            f"{a} > {b} {p_value(self._p.loc[a, b])}"
            for (a, b), p in cells
            if (float(str(p).lstrip("<≥>= ")) <= 0.05) != bool(self._better.loc[a, b])
        ]
        return f"{36 - len(apart)} of 36 (not {'; '.join(apart)})" if apart else "36", not apart

    def _beats(self, better: str, worse: Sequence[str]) -> Found:
        p = self._p.loc[better, list(worse)]
        lost = [name for name in worse if not self._better.loc[better, name]]
        text = "; ".join(f"{name} {p_value(p[name])}" for name in lost)
        return text or f"{'≤ ' * (len(worse) > 1)}{p_value(p.max())}".replace("≤ <", "<"), not lost

    def _unsure(self, a: str, b: str) -> Found:
        return p_value(self._p.loc[a, b]), not self._better.loc[a, b]

    def _better_than_if(self) -> Found:
        found = [name for name in NAMES if name != "IF" and self._better.loc[name, "IF"]]
        return _listed(found) or "none", found == ["ALP", "SVM"]

    @cached_property
    def _frequencies(self) -> Any:
        return self._of.rank_frequencies.pivot(
            index="algorithm", columns="rank", values="frequency"
        )

    def _unimodal(self) -> Found:
        # Total variation beyond that of a curve that rises to its maximum and falls.
        excess = {}
        for name in ("ALP", "SVM", "LOF", "LNND"):
            shares = self._frequencies.loc[name].to_numpy()
            excess[name] = np.abs(np.diff(shares)).sum() - (
                2 * shares.max() - shares[0] - shares[-1]
            )
        worst = max(excess, key=lambda name: excess[name])
        return f"other rises and falls ≤ {excess[worst]:.2f}", excess[worst] <= 0.15

    def _mediocre(self) -> Found:
        shares = self._frequencies.loc[["NND", "MD", "IF", "EIF"], [4, 5, 6]].sum(axis=1)
        return f"{100 * shares.min():.0f} … {100 * shares.max():.0f} %", bool(
            (shares < 1 / 3).all()
        )

    def _share(self, rank: int, expected: float) -> Found:
        share = self._frequencies.loc["SAE", rank]
        return f"{100 * share:.0f} %", bool(abs(share - expected) < 0.025)

    def _similar(self) -> Found:
        first = self._of.kendall.sort_values("tau", ascending=False).head(8)
        pairs = [frozenset(pair) for pair in first[["a", "b"]].to_numpy()]
        others = [
            p for p in pairs if p != {"IF", "EIF"} and not p < {"ALP", "LOF", "LNND", "NND", "SVM"}
        ]
        return f"{8 - len(others)} of the first 8", {"IF", "EIF"} in pairs and not others

    def _tau(self) -> Found:
        tau = {frozenset(row[:2]): row[2] for row in self._of.kendall[["a", "b", "tau"]].to_numpy()}
        low, high = tau[frozenset(("ALP", "IF"))], tau[frozenset(("ALP", "LOF"))]
        return f"τ {low:.2f} and {high:.2f}", low < high

    def _pairs(self) -> Found:
        first = self._of.complementary_pairs.head(5)[["a", "b"]].to_numpy()
        shared = {frozenset(pair) for pair in first} & {frozenset(pair) for pair in PAIRS}
        return f"{len(shared)} of 5", len(shared) == 5

    @cached_property
    def _regression(self) -> Any:
        return self._of.regression.set_index(["algorithm", "term"])

    def _median(self, names: Sequence[str], sign: int) -> Found:
        rows = self._regression.xs("median_score", level="term").loc[list(names)]
        lost = rows[(rows["p"] > 0.05) | (np.sign(rows["coefficient"]) != sign)]
        text = "; ".join(f"p {p_value(row.p)} for {row.Index}" for row in lost.itertuples())
        return text or f"p ≤ {p_value(rows['p'].max())}", lost.empty

    def _large(self) -> Found:
        row = self._regression.loc[("SAE", "log_n")]
        half = (row["ci_high"] - row["ci_low"]) / 2
        text = f"{row['coefficient']:.2f} ± {half:.2f}, p {p_value(row['p'])}".replace("-", "−")
        return text, bool(row["p"] <= 0.05 and row["coefficient"] < 0)

    def _insignificant(self, name: str, term: str) -> Found:
        p = self._regression.loc[(name, term), "p"]
        return f"p {p_value(p)}", bool(p > 0.05)

    def _sparse(self) -> Found:
        row = self._regression.loc[("LOF", "sparsity")]
        return f"p {p_value(row['p'])}", bool(row["p"] < 0.1 and row["coefficient"] > 0)

    @cached_property
    def _strata(self) -> Any:
        return self._of.strata.pivot(index="stratum", columns="algorithm", values="mean_rank")

    def _easiest(self) -> Found:
        tasks = self._of.strata.groupby("stratum")["n_tasks"].first()
        lead = self._strata["SVM"] - self._strata["ALP"]
        text = f"{tasks.iloc[-1]} tasks, {lead.iloc[-1]:+.2f} ranks"
        return text, tasks.idxmax() == lead.idxmax() == tasks.index[-1]

    def _strata_alp(self) -> Found:
        lead = self._strata["LOF"] - self._strata["ALP"]
        return f"by {lead.min():.1f} … {lead.max():.1f} ranks", bool((lead > 0).all())

    def _strata_if(self) -> Found:
        place = self._strata.rank(axis=1)["IF"].astype(int)
        hard = [place[stratum] for stratum in place.index[:3]]
        text = f"place {', '.join(map(str, hard))} on hard, {place.iloc[-1]} on easy tasks"
        return text, np.mean(hard) < 5 <= place.iloc[-1]


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1])] * (len(names) > 1) + list(names[-1:]))
