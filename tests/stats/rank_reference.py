"""Typical differences by definition: every flip, every Walsh average, one pair at a time."""

import itertools

import numpy as np
from scipy.stats import rankdata

from occstats.stats import clustered_wilcoxon


def signed_ranks(x):
    return np.sign(x) * rankdata(np.abs(x))


def inflation(x, codes):
    """1 + (g − 1) ρ of each cluster, by the formulas of Rosner, Glynn and Lee (2006)."""
    ranks = signed_ranks(x)
    labels, sizes = np.unique(codes, return_counts=True)
    n, m = len(ranks), len(labels)
    if len(set(sizes)) == 1:
        return np.ones(m)
    if np.ptp(ranks) == 0:
        return sizes.astype(float)
    groups = [ranks[codes == label] for label in labels]
    msb = sum(len(g) * (g.mean() - ranks.mean()) ** 2 for g in groups) / (m - 1)
    msw = sum(((g - g.mean()) ** 2).sum() for g in groups) / (n - m)
    between = (msb - msw) / ((n - (sizes**2).sum() / n) / (m - 1))
    rho = max(0.0, between / (between + msw))
    rho = min(1.0, rho * (1 + (1 - rho**2) / (m - 2.5)))
    return 1 + (sizes - 1) * rho


def z_rgl(x, codes, weights=None):
    """Z without zeros; None where it is not defined."""
    x, codes = x[x != 0], codes[x != 0]
    labels = np.unique(codes)
    if len(labels) < 2:
        return None
    weights = inflation(x, codes) if weights is None else weights
    ranks = signed_ranks(x)
    parts = np.array([ranks[codes == label].sum() for label in labels]) / weights
    spread = np.sqrt((parts**2).sum())
    return None if (weights <= 0).any() or spread == 0 else parts.sum() / spread


def z_ds(x, codes, weights=None):
    found = clustered_wilcoxon(np.clip(x, -1e300, 1e300), codes, test="ds").zstatistic
    return None if np.isnan(found) else found


def typical_reference(scores, clusters, test="rgl", alpha=0.05):
    """Return shift, p and limits of all pairs a < b that have a statistic.

    Scores are whole numbers, so that equal Walsh averages are equal floats.
    """
    labels, codes = np.unique(clusters, return_inverse=True)
    z_of = {"rgl": z_rgl, "ds": z_ds}[test]
    flips = [(*signs, 1.0) for signs in itertools.product((1.0, -1.0), repeat=len(labels) - 1)]
    found, largest = {}, np.zeros((2, len(flips)))
    for a, b in itertools.combinations(range(scores.shape[1]), 2):
        first, second = scores[:, a], scores[:, b]
        with np.errstate(invalid="ignore"):
            x = np.where(first == second, 0.0, first - second)
        kept = ~np.isnan(x) if test == "ds" else ~np.isnan(x) & (x != 0)
        x, own = x[kept], codes[kept]
        z = z_of(x, own) if (x != 0).any() else None
        if z is None:
            continue
        pair = found[a, b] = _path(x, own, z_of, inflation(x, own) if test == "rgl" else None)
        pair["z"], pair["datasets"] = z, len(np.unique(own[x != 0]))
        shift = pair["shift"] if np.isfinite(pair["shift"]) else 0.0
        for way, moved in enumerate((x, x - shift)):
            values = [z_of(moved * np.array(signs)[own], own) for signs in flips]
            values = [0.0 if value is None else abs(value) for value in values]
            largest[way] = np.maximum(largest[way], values)
    allowed = int(np.floor(alpha * len(flips) + 1e-9))
    critical = np.sort(largest, axis=1)[:, len(flips) - 1 - allowed].max()
    for pair in found.values():
        pair["p"] = (largest >= abs(pair["z"]) - 1e-10).mean(axis=1).max()
        # Flips of few datasets cannot reject any shift.
        possible = 2.0 ** (1 - pair["datasets"]) <= alpha
        pair.update(_limits(pair, critical if possible else np.inf, alpha))
    return found, critical


def _path(x, own, z_of, weights):
    """Z between all Walsh averages, and the shift: where its sign changes."""
    finite = x[np.isfinite(x)]
    walsh = np.unique(np.add.outer(finite, finite) / 2)
    outer = walsh if len(walsh) else np.zeros(1)
    places = np.concatenate([[outer[0] - 1], (walsh[1:] + walsh[:-1]) / 2, [outer[-1] + 1]])
    path = np.array([z_of(x - place, own, weights) or 0.0 for place in places])
    positive, negative = path > 1e-9, path < -1e-9
    if not positive.any() and not negative.any():
        shift = np.nan
    elif positive[0] and negative[-1]:
        shift = (walsh[np.flatnonzero(positive)[-1]] + walsh[np.flatnonzero(negative)[0] - 1]) / 2
    else:
        shift = np.inf if positive[0] else -np.inf
    return {"walsh": walsh, "path": path, "shift": shift}


def _limits(pair, critical, alpha):
    """Limits where Z passes ±c, seen from far below and far above; the test decides about zero."""
    walsh, level = pair["walsh"], critical + 1e-10
    above, below = pair["path"] > level, pair["path"] < -level
    low, high = -np.inf, np.inf
    if above[0]:
        low = np.inf if above.all() else walsh[np.flatnonzero(~above)[0] - 1]
    if below[-1]:
        high = -np.inf if below.all() else walsh[np.flatnonzero(~below)[-1]]
    if pair["p"] > alpha:
        low, high = min(low, 0.0), max(high, 0.0)
    elif pair["z"] > 0:
        low = max(low, 0.0)
    else:
        high = min(high, 0.0)
    # Z that falls throughout passes each level once.
    once = (np.diff(above.astype(int)) <= 0).all() and (np.diff(below.astype(int)) >= 0).all()
    return {"low": low, "high": high, "once": once}
