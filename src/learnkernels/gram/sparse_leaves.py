"""The compiled leaves for kernels held by factors, with dense results and nothing between."""

from learnkernels.jit import compiled

__all__ = ["add_outer", "add_products", "column_forms"]


@compiled(fastmath={"contract", "nsz"})
def add_products(
    indptr, indices, data, column_indptr, column_indices, column_data, factors, first, last, out,
):  # fmt: skip
    """out[i - first, j] += sum_c A[i, c] factors[c] B[j, c] for first <= i < last, all j.

    Parameters
    ----------
    indptr, indices, data : arrays of a CSR matrix A of shape (n, q)
    column_indptr, column_indices, column_data : arrays of a CSC matrix B of shape (m, q)
    factors : float64 array of shape (q,)
    first, last : int
        Rows of A.
    out : float64 array of shape (last - first, m)
    """
    for i in range(first, last):
        row = out[i - first]
        for at in range(indptr[i], indptr[i + 1]):
            c = indices[at]
            value = data[at] * factors[c]
            if value != 0.0:
                for other in range(column_indptr[c], column_indptr[c + 1]):
                    row[column_indices[other]] += value * column_data[other]


@compiled(fastmath={"contract", "nsz"})
def add_outer(h, f, e, u, out):
    """out[i, j] += h[i] f[j] + e[i] u[j]."""
    for i in range(out.shape[0]):
        row, left, right = out[i], h[i], e[i]
        for j in range(out.shape[1]):
            row[j] += left * f[j] + right * u[j]


@compiled(fastmath={"contract", "nsz"})
def column_forms(column_indptr, column_indices, column_data, K, out):
    """out[c] = a_c'K a_c for every column of a CSC matrix and a symmetric K."""
    for c in range(out.shape[0]):
        total = 0.0
        start, stop = column_indptr[c], column_indptr[c + 1]
        for left in range(start, stop):
            row = K[column_indices[left]]
            part = 0.0
            for right in range(start, left):
                part += column_data[right] * row[column_indices[right]]
            own = column_data[left]
            total += own * (2.0 * part + own * row[column_indices[left]])
        out[c] = total
