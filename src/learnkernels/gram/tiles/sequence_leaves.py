"""The compiled leaf of the weighted degree kernels: 64 positions in a machine word.

A sequence is a few *bit planes*. Bit l of the first says whether position l holds a letter of the
alphabet; bit l of the others are the binary digits of that letter. Two sequences agree where both
hold a letter and no digit differs, so a handful of operations on words compares 64 positions:

    r_1 = valid_x & valid_z & ~(digit_x ^ digit_z) & ...      bit l: the letters at l are equal
    r_k = r_{k-1} & (r_{k-1} >> 1)                            bit l: k letters from l on are equal

and the number of shared words of k letters is the number of bits of r_k. Different sequences soon
run out of shared words, and then the rest of the sum is zero.

One sequence meets a block of `WIDTH` others at a time, with the same word of all of them side by
side, so that the compiler can use vector registers.
"""

from typing import Any

import numpy as np

from learnkernels.jit import compiled, intrinsic

# Wide enough for vector registers; in a wider block, the last pair to run out keeps more waiting.
WIDTH = 64
ONE, LAST = np.uint64(1), np.uint64(63)


@intrinsic(python=lambda word: np.uint64(int(word).bit_count()))
def count_ones(typing_context: Any, word: Any) -> Any:
    """Count the bits set in a word, with one instruction of the processor."""
    from numba import types

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), code


@compiled()
def fill(
    left: np.ndarray, right: np.ndarray, weights: np.ndarray, factors: np.ndarray, out: np.ndarray
) -> None:
    """Write the values of all kernels on a tile.

    Parameters
    ----------
    left : uint64 array of shape (shifts, planes, words, rows)
        Bit planes of the samples on the left, moved by s positions for s = 0, 1, ...
    right : uint64 array of shape (shifts, blocks, planes, words * WIDTH)
        The same of the samples on the right, in blocks of WIDTH, padded with zeros.
    weights : float64 array of shape (kernels, most letters of a word)
        Whole numbers (so that sums are exact): the weight of a shared word of k letters.
    factors : float64 array of shape (kernels, shifts)
        What a sum counts at each shift.
    out : float64 array of shape (kernels, rows, columns)
        Written.
    """
    n_kernels, rows, columns = out.shape
    words = left.shape[2]
    r = np.zeros((words + 1) * WIDTH, np.uint64)  # the last word stays zero and is shifted in
    count, totals = np.zeros(WIDTH, np.uint64), np.zeros((n_kernels, WIDTH))
    for b in range(right.shape[1]):
        start = b * WIDTH
        width = min(WIDTH, columns - start)
        for i in range(rows):
            out[:, i, start : start + width] = 0.0
            for s in range(left.shape[0]):
                totals[:] = 0.0
                compare(left[s], i, right[0, b], r)
                add_words(r, weights, count, totals)
                if s > 0:
                    compare(left[0], i, right[s, b], r)
                    add_words(r, weights, count, totals)
                for m in range(n_kernels):
                    for j in range(width):
                        out[m, i, start + j] += factors[m, s] * totals[m, j]


@compiled()
def compare(x: np.ndarray, i: int, z: np.ndarray, r: np.ndarray) -> None:
    """r_1, the positions where sample i of x and those of the block z hold the same letter."""
    planes, words = x.shape[0], x.shape[1]
    for w in range(words):
        first = w * WIDTH
        valid = x[0, w, i]
        for j in range(WIDTH):
            r[first + j] = valid & z[0, first + j]
        for p in range(1, planes):
            opposite = ~x[p, w, i]
            for j in range(WIDTH):
                r[first + j] &= opposite ^ z[p, first + j]


@compiled()
def add_words(r: np.ndarray, weights: np.ndarray, count: np.ndarray, totals: np.ndarray) -> None:
    """totals[m, j] += sum_k weights[m, k] (number of bits of r_k), from r = r_1 of a block."""
    n_kernels, degree = weights.shape
    words = len(r) // WIDTH - 1
    for k in range(degree):
        count[:] = 0
        for w in range(words):
            for j in range(WIDTH):
                count[j] += count_ones(r[w * WIDTH + j])
        for m in range(n_kernels):
            weight, total = weights[m, k], totals[m]
            for j in range(WIDTH):
                total[j] += weight * count[j]
        # Bit 0 of the next word, WIDTH places on, follows bit 63.
        left_over = np.uint64(0)
        for t in range(words * WIDTH):
            r[t] &= (r[t] >> ONE) | (r[t + WIDTH] << LAST)
            left_over |= r[t]
        if left_over == 0:
            return
