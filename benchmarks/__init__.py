"""Benchmarks that compare two computations: ``python -m benchmarks [--quick] [name ...]``."""
