"""Pairwise kernels: sums over the objects of two tables, and no Gram matrix of the pairs."""
