"""Nine data descriptors for one-class classification, as scikit-learn estimators.

A descriptor is fitted to rows of the target class only. It scores any row in [0, 1], high where the
target class is.
"""

from occstats_descriptors.alp import ALP
from occstats_descriptors.base import Descriptor, MixedClassesWarning
from occstats_descriptors.cross_validation import OneClassKFold
from occstats_descriptors.extended_isolation_forest import EIF
from occstats_descriptors.external import ExternalDetector
from occstats_descriptors.isolation_forest import IF
from occstats_descriptors.lnnd import LNND
from occstats_descriptors.lof import LOF
from occstats_descriptors.mahalanobis import MD
from occstats_descriptors.neighbours import Neighbours, NeighbourSearch
from occstats_descriptors.nnd import NND
from occstats_descriptors.registry import DESCRIPTORS, make
from occstats_descriptors.shrink_autoencoder import SAE
from occstats_descriptors.sizes import dimension_multiple, log_multiple
from occstats_descriptors.svm import SVM

__all__ = [
    "ALP",
    "DESCRIPTORS",
    "EIF",
    "IF",
    "LNND",
    "LOF",
    "MD",
    "NND",
    "SAE",
    "SVM",
    "Descriptor",
    "ExternalDetector",
    "MixedClassesWarning",
    "NeighbourSearch",
    "Neighbours",
    "OneClassKFold",
    "dimension_multiple",
    "log_multiple",
    "make",
]
