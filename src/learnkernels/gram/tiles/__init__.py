"""Kernels evaluated by tiles of rows and columns: no Gram matrix of a base kernel is formed."""
