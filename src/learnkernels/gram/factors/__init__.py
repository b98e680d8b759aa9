"""Kernels of low rank held as factors, K_k = B_k B_k'."""
