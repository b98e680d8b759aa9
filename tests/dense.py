"""Definitions computed with dense matrices, as references for tests."""

from __future__ import annotations

import numpy as np


def centered(K):
    """Return U K U, K minus the means of its rows and columns."""
    K = K - K.mean(axis=0)
    return K - K.mean(axis=1, keepdims=True)


def statistics(grams, Y, scales=None):
    """Return a and M of centered Gram matrices divided by the scales, and traces before it."""
    grams = np.array([centered(K) for K in grams])
    traces = np.einsum("kii->k", grams)
    if scales == "trace":
        scales = traces / len(Y)
    if scales is not None:
        grams = grams / np.asarray(scales)[:, None, None]
    flat = grams.reshape(len(grams), -1)
    Y = Y - Y.mean(axis=0)
    return np.einsum("kij,it,jt->k", grams, Y, Y), flat @ flat.T, traces
