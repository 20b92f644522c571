"""Engines of the clustered tests: this package, or R's package clusrank."""
