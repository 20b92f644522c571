"""Families of comparisons: the same algorithms by several measures, or within several slices.

Corrected together by max-T, all members share one critical value: the columns of all members form
one sample, on the union of their tasks, whose datasets change sign (or are resampled) together.
This keeps the dependence between members, and one decision for each pair. Other corrections, and
members with different estimands, use Bonferroni: each member has the level α divided by their
number.
"""

from __future__ import annotations

from collections.abc import Iterator, KeysView, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from occstats._format import (
    ABSENT,
    count,
    decimals,
    did_you_mean,
    listing,
    printable,
    quote,
    quote_list,
)
from occstats.comparison.comparison import PAIR_COLUMNS, Comparison, cached_copy, main_pairs
from occstats.comparison.decision import BETTER, EQUIVALENT, WORSE, JointTests, decide
from occstats.comparison.settings import Settings
from occstats.comparison.study import Study, prepare
from occstats.comparison.text.verdict import REVERSED, difference_digits, mostly_equal, subject_of
from occstats.errors import ArgumentError, OccstatsError
from occstats.results import Results, load_results
from occstats.results.aliases import measure, score_word
from occstats.stats._arrays import FloatArray, IntArray, pair_positions, upper_pairs
from occstats.stats.clusters import Clusters
from occstats.stats.max_t import PairTests, Positions, typical_tests
from occstats.stats.means import mean_tests
from occstats.stats.sample import Sample

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from matplotlib.axes import Axes


#: Columns with more values are refused as slices.
MOST_SLICES = 20


@dataclass(frozen=True)
class FamilyPlotter:
    """The figure of several comparisons; each of them has its own figures."""

    family: Comparisons

    def __repr__(self) -> str:
        return f"<figure of {count(len(self.family), self.family.kind)}: plot()>"

    def __call__(self, *, ax: Axes | None = None) -> Axes:
        """Draw the conclusions about the subject by member, with the differences."""
        from occstats.figures._conclusions import conclusions

        return conclusions(self.family, ax=ax)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"{name!r} draws one comparison of these {count(len(self.family), self.family.kind)}"
            f": select one, such as comparisons[{next(iter(self.family))!r}].plot.{name}(); "
            "plot() draws the conclusions of all"
        )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparisons(Mapping[str, Comparison]):
    """The result of `occstats.compare` for several measures, or for the slices of a trait.

    A mapping from the name of the measure, or the value of the trait, to its `Comparison`.

    Attributes
    ----------
    kind : {"measure", "slice"}
        The difference between the members.
    by : str or None
        The column whose values are the slices.
    joint : bool
        Whether the pairs of all members are corrected together.
    notes : tuple of str
        Notes on slices and on tasks without one.

    Examples
    --------
    >>> import occstats
    >>> data = occstats.load_results("lenz2021").to_frame().assign(
    ...     accuracy=lambda frame: frame["auroc"].round(1)
    ... )
    >>> found = occstats.compare(data, score=["auroc", "accuracy"], n_resamples=200)
    >>> {name: comparison.algorithms[0] for name, comparison in found.items()}
    {'auroc': 'ALP', 'accuracy': 'SVM'}
    """

    kind: str
    members: Mapping[str, Comparison]
    joint: bool
    by: str | None = None
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Comparison:
        if name not in self.members:
            near = did_you_mean(str(name), self.members) or f"; there are {quote_list(list(self))}"
            raise KeyError(f"there is no {self.kind} {name!r}{near}")
        return self.members[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)

    def keys(self) -> KeysView[str]:
        """Return the names of the measures, or the values of the column."""
        return self.members.keys()

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.members)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or hasattr(type(self), name):
            return object.__getattribute__(self, name)  # raises the error of a property
        known = [each for each in dir(self) if not each.startswith("_")]
        hint = did_you_mean(name, known)
        if name in self.members:
            hint = f"; write [{name!r}]"
        elif hasattr(Comparison, name):
            hint = f"; each member has one: [{next(iter(self.members))!r}].{name}"
        raise AttributeError(f"Comparisons have no attribute {name!r}{hint}")

    @property
    def first(self) -> Comparison:
        """Return the first measure, or the slice with the most datasets."""
        members = list(self.members.values())
        if self.kind == "measure":
            return members[0]
        return max(members, key=lambda member: member.results.n_independent)

    @property
    def algorithms(self) -> list[str]:
        """Return all algorithms, in the order of the first measure or the largest slice."""
        members = [self.first, *self.members.values()]
        return list(dict.fromkeys(name for member in members for name in member.algorithms))

    @property
    def subject(self) -> str:
        """Return the algorithm that the table is about: the control, or else the leader."""
        return subject_of(self.first)

    @cached_copy
    def pairwise(self) -> pd.DataFrame:
        """Return one row per member and pair: difference, interval, p-value and conclusion."""
        frames = {name: member.pairwise_full for name, member in self.members.items()}
        every = pd.concat(frames, names=[self.kind]).reset_index(0)
        columns = [self.kind, *PAIR_COLUMNS[: PAIR_COLUMNS.index("wins")]]
        return main_pairs(every, self.algorithms, self.first.settings.control, columns)

    @cached_copy
    def conclusions(self) -> pd.DataFrame:
        """Return the conclusions: one row per pair (a, b), one column per member.

        None where a member has no test, or too few datasets for any conclusion.
        """
        wide = self.pairwise.pivot(index=["a", "b"], columns=self.kind, values="conclusion")
        for name, member in self.members.items():
            if not member.decision.possible:
                wide[name] = None
        keys = self.pairwise[["a", "b"]].drop_duplicates()
        return wide.reindex(pd.MultiIndex.from_frame(keys))[list(self.members)]

    @property
    def contradictions(self) -> pd.DataFrame:
        """Return the pairs of which one member calls ``a`` better and another ``b``."""
        return self.conclusions[self._opposite]

    @property
    def _opposite(self) -> pd.Series[bool]:
        return (self.conclusions == BETTER).any(axis=1) & (self.conclusions == WORSE).any(axis=1)

    @property
    def partial(self) -> pd.DataFrame:
        """Return the pairs that differ by some members and are undecided by others."""
        found = self.conclusions
        decided = found.isin([BETTER, WORSE])
        undecided = found.notna() & ~decided
        return found[decided.any(axis=1) & undecided.any(axis=1) & ~self._opposite]

    @cached_copy
    def cells(self) -> pd.DataFrame:
        """Return the differences of the subject from the others as text, one column per member.

        A star marks decided pairs, = equivalent ones; wins and losses replace the difference where
        most scores are equal.
        """
        others = [name for name in self.algorithms if name != self.subject]
        headings, columns = [], []
        for name, member in self.members.items():
            heading = self.named([name])
            if self.kind == "slice":
                heading += f" ({member.results.n_independent})"
            known = self.subject in member.algorithms
            rows = member.decision.row(self.subject) if known else None
            headings.append(heading)
            columns.append([_cell(member, rows, other) for other in others])
        found = pd.DataFrame(dict(enumerate(columns)), index=others, dtype=object)
        return found.set_axis(headings, axis=1)

    @property
    def verdict(self) -> str:
        """Return the answer in a few sentences, one per line."""
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """Return the answer as a list of sentences."""
        return [*self._leaders(), *self._disagreements(), *self._too_few()]

    def named(self, members: Sequence[str]) -> str:
        """Return the names of members in prose."""
        if self.kind == "measure":
            members = [score_word(name).replace("_", " ") for name in members]
        return listing(members, limit=6)

    @property
    def _by(self) -> str:
        return "by" if self.kind == "measure" else "in"

    def _leaders(self) -> Iterator[str]:
        leaders: dict[str, list[str]] = {}
        for name, member in self.members.items():
            leaders.setdefault(member.algorithms[0], []).append(name)
        estimands = {member.settings.estimand for member in self.members.values()}
        best = "mean rank or score"
        if len(estimands) == 1:
            best = "mean rank" if "typical" in estimands else "mean score"
        n = len(self.members)
        every = f"{'both' if n == 2 else f'all {n}'} {self.kind}s"
        where = [
            f"{self._by} {every if len(leaders) == 1 else self.named(members)}"
            for members in leaders.values()
        ]
        names = [printable(name) for name in leaders]
        names[0] += f" has the best {best}"
        yield ", ".join(map(" ".join, zip(names, where, strict=True))) + "."

    def _disagreements(self) -> Iterator[str]:
        found, opposite, partial = self.conclusions, self.contradictions, self.partial
        tested, by = int(found.notna().any(axis=1).sum()), self._by
        if not tested:
            return

        def where(row: pd.Series, *kinds: str) -> str:
            return self.named(list(row.index[row.isin(kinds)]))

        shown = [
            f"{printable(a)} is better than {printable(b)} {by} {where(row, BETTER)}, but worse "
            f"{by} {where(row, WORSE)}"
            for (a, b), (_, row) in zip(opposite.index, opposite.head(2).iterrows(), strict=False)
        ]
        if shown:
            more = f" ({count(len(opposite) - 2, 'more pair')})" if len(opposite) > 2 else ""
            yield f"The {self.kind}s contradict each other: {'; '.join(shown)}{more}."
        else:
            yield f"No pair has opposite conclusions {by} different {self.kind}s."
        everywhere = (found.isin([BETTER, WORSE]) | found.isna()).all(axis=1) & ~self._opposite
        n_all = int((everywhere & found.notna().any(axis=1)).sum())
        able = all(member.decision.possible for member in self.members.values())
        sentence = (
            f"{n_all} of {tested:,} {'pair' if tested == 1 else 'pairs'} "
            f"{'differs' if n_all == 1 else 'differ'} {by} "
            f"every{'' if able else ' testable'} {self.kind}"
        )
        if len(partial):
            pairs = [
                f"{printable(a)}–{printable(b)} ({where(row, BETTER, WORSE)})"
                for (a, b), (_, row) in zip(partial.index, partial.head(3).iterrows(), strict=False)
            ]
            more = f" and {len(partial) - 3} more" if len(partial) > 3 else ""
            sentence += f", {len(partial)} {by} some only: {', '.join(pairs)}{more}"
        yield f"{sentence}."

    def _too_few(self) -> Iterator[str]:
        few = {
            name: member.results.n_independent
            for name, member in self.members.items()
            if not member.decision.possible
        }
        if few:
            unit, needed = self.first.results.unit, self.first.decision.datasets_needed
            sizes = [f"{self.named([name])} ({m})" for name, m in few.items()]
            yield f"Too few {unit}s to show a difference (at least {needed}): {listing(sizes)}."
        yield from self.notes

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, with the keys of ``occstats compare --json``."""
        from occstats.report.json_document import plain

        return {
            "kind": self.kind,
            "by": self.by,
            "corrected_together": self.joint,
            "answer": self.lines(),
            "pairs": plain(self.pairwise),
            "contradictions": plain(self.contradictions.reset_index()),
            "differ_in_some": plain(self.partial.reset_index()),
            "comparisons": {name: each.to_dict() for name, each in self.members.items()},
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """Return one JSON document; floats in full precision, null where undefined."""
        from occstats.report.json_document import dump

        return dump(self.to_dict(), indent)

    def to_latex(self, *, caption: str = "", label: str = "") -> str:
        """Return the table for a paper, in LaTeX (booktabs).

        Parameters
        ----------
        caption
            LaTeX code for the beginning of the caption; by default, a title.
        label
            Name by which the paper refers to the table; by default ``tab:measures`` or
            ``tab:slices``.
        """
        from occstats.report.family_tables import family_to_latex

        return family_to_latex(self, caption, label)

    def write(self, folder: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write the report of every member to a folder of its own, and a page that links them."""
        from occstats.report.family_tables import write_family

        return write_family(self, folder, force=force)

    @property
    def plot(self) -> FamilyPlotter:
        """Draw the table by ``plot()``: conclusions about the subject, with the differences."""
        return FamilyPlotter(self)

    def __repr__(self) -> str:
        return (
            f"<Comparisons by {count(len(self.members), self.kind)}: {self.named([*self.members])}>"
        )

    def __str__(self) -> str:
        from occstats.report.family_tables import family_text

        return family_text(self)

    def _repr_html_(self) -> str:
        from occstats.report.family_tables import family_to_html

        return family_to_html(self)

    def _repr_latex_(self) -> str:
        from occstats.report.family_tables import family_table
        from occstats.report.notebook import answer_to_latex

        return answer_to_latex(self.lines(), family_table(self), ".pairwise")


def _cell(member: Comparison, rows: pd.DataFrame | None, name: str) -> str:
    if rows is None or name not in rows.index:
        return f"{ABSENT} "
    row: Any = rows.loc[name]
    size = ABSENT
    if member.settings.estimand == "typical" and mostly_equal(row):
        size = f"{row['wins']:,.0f} : {row['losses']:,.0f}"
    elif np.isfinite(row["difference"]):
        size = decimals(difference_digits(member), signed=True)(row["difference"])
    marks = {BETTER: "*", WORSE: "*", EQUIVALENT: "="} if member.decision.possible else {}
    return f"{size}{marks.get(row['conclusion'], ' ')}{REVERSED if row['reversed'] else ''}"


def load_measures(
    sources: Sequence[Any], option: str, reading: Mapping[str, Any]
) -> dict[str, Results]:
    """Load the results by each of the measures that an option (score or metric) lists."""
    names = list(reading[option])
    twice = sorted({str(name) for name in names if names.count(name) > 1})
    if twice or len(names) < 2:
        problem = f"{quote(twice[0])} twice" if twice else f"{len(names)} of them"
        raise ArgumentError(
            f"a list of {option}s must name two or more different measures; got {problem}"
        )
    others = {name: value for name, value in reading.items() if name != option}
    found = {}
    for name in names:
        known = measure(str(name))[0] is not None
        own = {k: v for k, v in others.items() if k != "lower_is_better" or not known}
        found[str(name)] = load_results(*sources, **{option: name}, **own)
    return found


def slices_of(
    results: Results, labels: np.ndarray[Any, Any], by: str
) -> tuple[dict[str, Results], tuple[str, ...]]:
    """Split results by the value of a column for each task, and note what is left out.

    Examples
    --------
    >>> import occstats
    >>> results = occstats.load_results("lenz2021")
    >>> size = np.where(results.traits["n"] > 500, "large", "small").astype(object)
    >>> parts, notes = slices_of(results, size, "size")
    >>> {name: part.n_clusters for name, part in parts.items()}, notes[0][:40]
    ({'large': 20, 'small': 39}, '9 datasets have tasks in several slices;')
    """
    known = [label for label in dict.fromkeys(labels) if label is not None]
    try:
        known.sort(key=float)
    except ValueError:
        known.sort()
    if len(known) < 2:
        value = f"the single value {quote(known[0])}" if known else "no value"
        raise ArgumentError(f"by={by!r} has {value}: there are no slices to compare")
    if len(known) > MOST_SLICES:
        raise ArgumentError(
            f"by={by!r} has {len(known):,} values, more than {MOST_SLICES} slices: add a column of "
            "classes, for example with pandas.qcut"
        )
    parts = {name: results.keep_tasks(labels == name) for name in known}
    notes = []
    empty = sum(label is None for label in labels)
    if empty:
        notes.append(f"{count(empty, 'task')} without a value in {quote(by)} are in no slice.")
    seen = pd.Series([name for part in parts.values() for name in part.scores.index.unique(0)])
    shared = int((seen.value_counts() > 1).sum())
    if shared:
        verb = "has" if shared == 1 else "have"
        notes.append(
            f"{count(shared, 'dataset')} {verb} tasks in several slices; their tasks are not "
            "independent between slices, which the correction allows for."
        )
    return parts, tuple(notes)


def compare_family(
    parts: Mapping[str, Results],
    settings: Settings,
    *,
    kind: str,
    joint: bool,
    by: str | None = None,
    notes: tuple[str, ...] = (),
) -> Comparisons:
    """Compare the algorithms in each part, corrected over the parts if `joint`."""
    left_out: list[str] = []
    with threadpool_limits(1, user_api="blas"):
        studies: dict[str, Study] = {}
        for name, results in parts.items():
            try:
                studies[name] = prepare(results, settings)
            except OccstatsError as error:
                left_out.append(f"{quote(name)} is left out: {error}")
                if kind == "measure" or len(parts) - len(left_out) < 2:
                    error.args = (f"{kind} {quote(name)}: {error}",)
                    raise
        notes = (*notes, *left_out)
        tests: Mapping[str, JointTests | None] = dict.fromkeys(studies)
        same = len({study.settings.estimand for study in studies.values()}) == 1
        if joint and same and settings.correction == "max-t":
            tests = _joint_tests(studies, f" of {len(studies)} {kind}s")
        elif joint:
            level = settings.alpha / len(studies)
            studies = {
                name: replace(study, settings=replace(study.settings, alpha=level))
                for name, study in studies.items()
            }
            notes = (*notes, f"The level of each {kind} is α/{len(studies)} (Bonferroni).")
        members = {
            name: Comparison(decision=decide(study, tests[name]), given=parts[name])
            for name, study in studies.items()
        }
    data = dict.fromkeys(note for each in members.values() for note in each.results.notes)
    return Comparisons(kind=kind, members=members, joint=joint, by=by, notes=(*notes, *data))


def _joint_tests(studies: Mapping[str, Study], together: str) -> dict[str, JointTests]:
    """Test the pairs of all members by one max-T procedure."""
    chosen, settings = list(studies.values()), next(iter(studies.values())).settings
    typical, tolerance = settings.estimand == "typical", chosen[0].compared.tie_tolerance
    # In units of the tie tolerance, or of the scale of the score, so that all members are alike.
    units = [(each.compared.tie_tolerance or 1.0) if typical else each.scale for each in chosen]
    frames = [
        pd.DataFrame(study.compared.scores / unit, index=study.results.scores.index)
        for study, unit in zip(chosen, units, strict=True)
    ]
    scores = pd.concat(frames, axis=1, sort=False)
    datasets = scores.index.get_level_values(0).to_numpy(dtype=object)
    clusters = Clusters.of(datasets)
    if any(study.results.nested for study in chosen):
        suites: dict[str, str] = {}
        for study in chosen:
            suites |= study.results.suites or {}
        clusters = Clusters.nested([suites[name] for name in datasets], datasets)
    sizes = [len(study.algorithms) for study in chosen]
    member = np.repeat(np.arange(len(sizes)), sizes)
    first, second = upper_pairs(len(member))
    family = member[first] == member[second]
    if settings.control is not None:
        starts = np.cumsum([0, *sizes[:-1]])
        controls = [start + (s.control or 0) for start, s in zip(starts, chosen, strict=True)]
        family &= np.isin(first, controls) | np.isin(second, controls)
    sample = Sample(scores.to_numpy(), clusters, 1.0 if tolerance else 0.0)
    n_units = clusters.independent.n_clusters
    options: dict[str, Any] = {
        "family": family,
        "alpha": settings.alpha,
        "n_resamples": chosen[0].resamples(10.0 * family.sum() * (n_units + 100)),
        "random_state": settings.random_state,
    }
    if typical:
        found = typical_tests(sample, test=settings.test, **options)
    else:
        found = mean_tests(sample, **options)
    size = max(1, int(np.count_nonzero(family & ~np.isnan(found.p[first, second]))))
    return {
        name: JointTests(
            _member_tests(found, np.flatnonzero(member == i), units[i]), size, together
        )
        for i, name in enumerate(studies)
    }


def _member_tests(found: PairTests, columns: IntArray, unit: float) -> PairTests:
    """Return the tests of one member."""
    square = np.ix_(columns, columns)
    first, second = (columns[position] for position in upper_pairs(len(columns)))
    places = pair_positions(first, second, len(found.p))
    return replace(
        found,
        difference=found.difference[square] * unit,
        statistic=found.statistic[square],
        p=found.p[square],
        critical=found.critical[square],
        pair_limits=partial(_member_limits, found, places, unit),
        single_p=partial(_member_p, found, square),
    )


def _member_limits(
    found: PairTests, places: IntArray, unit: float, pairs: Positions
) -> tuple[FloatArray, FloatArray]:
    low, high = found.pair_limits(places[pairs])
    return low * unit, high * unit


def _member_p(found: PairTests, square: Any) -> FloatArray:
    return np.asarray(found.p_unadjusted[square])
