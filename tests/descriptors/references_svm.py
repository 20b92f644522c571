"""The one-class support vector machine from its definition, for few rows."""

import numpy as np
from scipy.optimize import minimize


def kernel(a, b, c):
    return np.array([[np.exp(-((x - y) ** 2).sum() / c) for y in b] for x in a])


def solution(rows, nu, c):
    """Solve the dual of the paper (the weights sum to 1) with a general-purpose optimiser."""
    n = len(rows)
    matrix = kernel(rows, rows, c)
    found = minimize(
        lambda a: a @ matrix @ a / 2,
        np.full(n, 1 / n),
        jac=lambda a: matrix @ a,
        bounds=[(0, 1 / (nu * n))] * n,
        constraints={"type": "eq", "fun": lambda a: a.sum() - 1, "jac": lambda a: np.ones(n)},
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-15},
    )
    return found.x, found.fun


def scores(training, rows, alpha, rho, c):
    distance = kernel(rows, training, c) @ alpha - rho
    return (distance / (abs(distance) + 1) + 1) / 2
