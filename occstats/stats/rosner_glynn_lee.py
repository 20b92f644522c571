"""The statistic of Rosner, Glynn and Lee, from the sums of signed ranks within clusters."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from occstats.stats.arrays import FloatArray
from occstats.stats.sorted_differences import SortedDifferences, midranks


@dataclass(frozen=True)
class SignedRankSums:
    """All that the statistic needs of the data: zeros are gone, and so are clusters of zeros.

    Attributes
    ----------
    rank_sums : ndarray of shape (n_clusters,)
        R_i, the sum of the signed ranks in each cluster; multiples of one half.
    sizes : ndarray of shape (n_clusters,)
        g_i, the number of differences other than zero in each cluster.
    sum_of_squares : float
        Sum of the squared signed ranks of all observations.
    constant : bool
        Whether all signed ranks are the same number.
    correlation : float
        ρ of the signed ranks by analysis of variance, not below 0; NaN where it is not defined:
        fewer than two clusters, no cluster with two observations, or ranks that do not vary.
    """

    rank_sums: FloatArray
    sizes: FloatArray
    sum_of_squares: float
    constant: bool

    @cached_property
    def n_observations(self) -> int:
        return int(self.sizes.sum())

    @cached_property
    def n_clusters(self) -> int:
        return len(self.sizes)

    @cached_property
    def balanced(self) -> bool:
        return bool((self.sizes == self.sizes[0]).all())

    @cached_property
    def correlation(self) -> float:
        if self.n_clusters < 2 or self.n_observations == self.n_clusters or self.constant:
            return float("nan")
        grand_mean = np.asarray(self.rank_sums.sum() / self.n_observations)
        return float(_intraclass_correlation(self, grand_mean))


def signed_rank_sums(data: SortedDifferences) -> SignedRankSums:
    """Rank the absolute differences (zeros dropped, ties averaged) and sum by cluster."""
    magnitudes, codes = data.magnitudes[data.n_zeros :], data.codes[data.n_zeros :]
    ranks = midranks(magnitudes)
    signed = ranks * data.signs[data.n_zeros :]
    sizes = np.bincount(codes, minlength=data.n_clusters).astype(np.float64)
    rank_sums: FloatArray = np.asarray(
        np.bincount(codes, weights=signed, minlength=data.n_clusters), dtype=np.float64
    )
    present = sizes > 0
    if not present.all():
        sizes, rank_sums = sizes[present], rank_sums[present]
    return SignedRankSums(
        rank_sums=rank_sums,
        sizes=sizes,
        sum_of_squares=float(ranks @ ranks),
        constant=bool(
            len(magnitudes) > 0
            and magnitudes[0] == magnitudes[-1]
            and abs(rank_sums.sum()) == ranks.sum()
        ),
    )


def _intraclass_correlation(sums: SignedRankSums, grand_mean: FloatArray) -> FloatArray:
    # Flipping whole clusters changes the analysis of variance only through the grand mean.
    m, n = sums.n_clusters, sums.n_observations
    between_raw = float((sums.rank_sums**2 / sums.sizes).sum())
    mean_square_between = (between_raw - n * grand_mean**2) / (m - 1)
    mean_square_within = max(0.0, sums.sum_of_squares - between_raw) / (n - m)
    typical_size = (n - float((sums.sizes**2).sum()) / n) / (m - 1)
    variance_between = (mean_square_between - mean_square_within) / typical_size
    with np.errstate(invalid="ignore", divide="ignore"):
        rho = variance_between / (variance_between + mean_square_within)
    clipped: FloatArray = np.clip(rho, 0.0, 1.0)
    return clipped


def _corrected(rho: FloatArray, n_clusters: int) -> FloatArray:
    corrected: FloatArray = np.minimum(1.0, rho * (1 + (1 - rho**2) / (n_clusters - 2.5)))
    return corrected


def statistic_and_variance(sums: SignedRankSums) -> tuple[float, float, str | None]:
    """T, its variance, and why there is no test (None when there is one)."""
    if sums.n_clusters < 2:
        return float("nan"), float("nan"), _too_few(sums.n_clusters)
    if sums.balanced:
        total = float(sums.rank_sums.sum())
        variance = float(sums.rank_sums @ sums.rank_sums)
    else:
        if sums.constant:
            return (
                float("nan"),
                float("nan"),
                "all signed ranks are equal, so their variance and the weights of the clusters "
                "cannot be estimated",
            )
        n = sums.n_observations
        rho = np.asarray(sums.correlation)
        inflation = 1 + (sums.sizes - 1) * _corrected(rho, sums.n_clusters)
        if (inflation <= 0).any():
            return (
                float("nan"),
                float("nan"),
                "with two clusters the corrected intraclass correlation is negative here and "
                "leaves no valid weights",
            )
        total_variance = (sums.sum_of_squares - sums.rank_sums.sum() ** 2 / n) / (n - 1)
        contributions = sums.rank_sums / (total_variance * inflation)
        total = float(contributions.sum())
        variance = float(contributions @ contributions)
    if variance == 0:
        return total, variance, "the signed ranks cancel within every cluster: no variance is left"
    return total, variance, None


def _too_few(n_clusters: int) -> str:
    return (
        f"{n_clusters} cluster{'' if n_clusters == 1 else 's'} with differences other than zero: "
        "the test needs at least two"
    )


def flipped_z(sums: SignedRankSums, signs: FloatArray) -> FloatArray:
    """Z after whole clusters changed sign; weights and ρ are estimated anew for each row.

    Parameters
    ----------
    signs : ndarray of shape (n_flips, n_clusters)
        +1 or −1 for each cluster.
    """
    if sums.balanced:
        unflipped = np.sqrt(sums.rank_sums @ sums.rank_sums)
        balanced: FloatArray = signs @ sums.rank_sums / unflipped
        return balanced
    rho = _intraclass_correlation(sums, signs @ sums.rank_sums / sums.n_observations)
    inflation = 1 + (sums.sizes - 1) * _corrected(rho, sums.n_clusters)[:, None]
    # s² is the same for all clusters and drops out of Z.
    with np.errstate(invalid="ignore", divide="ignore"):
        contributions = sums.rank_sums / inflation
        z: FloatArray = np.einsum("ij,ij->i", contributions, signs) / np.sqrt(
            np.einsum("ij,ij->i", contributions, contributions)
        )
    z[(inflation <= 0).any(axis=1)] = np.nan
    return z
