"""Fits of more rows than memory holds: a subsample, rows in parts, rows on the workers of Dask."""
