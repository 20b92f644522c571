"""Bias-reduced cluster-robust covariance (CR2) of weighted least squares coefficients."""

from dataclasses import dataclass

import numpy as np

from occstats.stats._arrays import FloatArray, IntArray

#: Eigenvalues below this belong to directions that the fit takes up completely.
_NULL_EIGENVALUE = 1e-12


@dataclass(frozen=True, eq=False)
class WeightedFit:
    """A least squares fit in the form that the estimator needs.

    Attributes
    ----------
    residuals, weights : ndarray of shape (n,)
    basis : ndarray of shape (n, k)
        U = X R⁻¹ with U'WU = I.
    inverse_r : ndarray of shape (k, k)
        R⁻¹, so that (X'WX)⁻¹ = R⁻¹ R⁻ᵀ.
    """

    residuals: FloatArray
    weights: FloatArray
    basis: FloatArray
    inverse_r: FloatArray


def cr2(fit: WeightedFit, codes: IntArray, n_clusters: int) -> tuple[FloatArray, FloatArray]:
    r"""Return Bell and McCaffrey's covariance and Satterthwaite's degrees of freedom.

    The working model is independent errors of equal variance. With U'WU = I,
    :math:`B_{gh} = (I - H)_g (I - H)_h' = \delta_{gh} I - U_g U_h' W_h - W_g U_g U_h' + U_g \Omega
    U_h'`, :math:`\Omega = U' W^2 U`, has low rank apart from the identity, so each
    :math:`B_{gg}^{-1/2}` follows from an eigenproblem of at most 2K dimensions, and the degrees of
    freedom from sums over clusters: nothing of the size of the sample squared.
    """
    k = fit.basis.shape[1]
    omega = (fit.basis * (fit.weights**2)[:, None]).T @ fit.basis
    core = np.block([[omega, -np.eye(k)], [-np.eye(k), np.zeros((k, k))]])

    sums, own = np.zeros((n_clusters, k)), np.zeros((n_clusters, k))
    factors = np.zeros((n_clusters, 2 * k, k))
    order = np.argsort(codes, kind="stable")
    edges = np.concatenate(([0], np.cumsum(np.bincount(codes, minlength=n_clusters))))
    sizes = np.diff(edges)
    for size in np.unique(sizes[sizes > 0]):
        # All clusters of one size at once: clusters × tasks × columns.
        g = np.flatnonzero(sizes == size)
        rows = order[edges[g][:, None] + np.arange(size)]
        basis, weights = fit.basis[rows], fit.weights[rows][..., None]
        both = np.concatenate([basis, weights * basis], axis=2)
        adjusted = _times_inverse_root(both, core, weights * basis)
        sums[g] = np.einsum("gtk,gt->gk", adjusted, fit.residuals[rows])
        q = adjusted @ fit.inverse_r.T  # A_g W_g X_g M c for every coefficient c, in columns
        own[g] = (q**2).sum(axis=1)
        factors[g] = both.transpose(0, 2, 1) @ q

    df = np.empty(k)
    for c in range(k):
        # The estimate is a quadratic form Σ (p_g'e)² with p_g'p_h = δ own_g + f_g' core f_h.
        f = factors[:, :, c]
        low_rank = np.einsum("gi,ij,gj->g", f, core, f)
        gram = core @ (f.T @ f)
        squares = (own[:, c] ** 2 + 2 * own[:, c] * low_rank).sum() + np.trace(gram @ gram)
        df[c] = (own[:, c] + low_rank).sum() ** 2 / squares
    scaled = sums @ fit.inverse_r.T
    return scaled.T @ scaled, df


def _times_inverse_root(factor: FloatArray, core: FloatArray, columns: FloatArray) -> FloatArray:
    """Return (I + factor · core · factor')^(−1/2) · columns of stacks, without null directions."""
    q, r = np.linalg.qr(factor)
    eigenvalues, vectors = np.linalg.eigh(r @ core @ r.transpose(0, 2, 1))
    eigenvalues = 1 + eigenvalues
    kept = eigenvalues > _NULL_EIGENVALUE
    roots = np.where(kept, 1 / np.sqrt(np.where(kept, eigenvalues, 1.0)), 0.0)
    directions = q @ vectors
    turned = (roots - 1)[..., None] * (directions.transpose(0, 2, 1) @ columns)
    product: FloatArray = columns + directions @ turned
    return product
