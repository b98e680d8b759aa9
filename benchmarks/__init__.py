"""Two things in one run, and the ratio: ``python -m benchmarks [--quick] [name ...]``."""
