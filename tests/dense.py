"""The definitions, computed the plain way: what every fast path is compared to."""

from __future__ import annotations

import numpy as np


def centered(K):
    """U K U by explicit means."""
    K = K - K.mean(axis=0)
    return K - K.mean(axis=1, keepdims=True)


def statistics(grams, Y, scales=None):
    """a, M and traces of centered Gram matrices, the first two after dividing by the scales."""
    grams = np.array([centered(K) for K in grams])
    traces = np.einsum("kii->k", grams)
    if scales == "trace":
        scales = traces / len(Y)
    if scales is not None:
        grams = grams / np.asarray(scales)[:, None, None]
    flat = grams.reshape(len(grams), -1)
    Y = Y - Y.mean(axis=0)
    return np.einsum("kij,it,jt->k", grams, Y, Y), flat @ flat.T, traces
