"""The ``--kernels`` argument."""

from __future__ import annotations

from learnkernels.errors import InputError
from learnkernels.kernels import gaussians, laplacians, polynomials

__all__ = ["parse_kernels"]


def parse_kernels(text: str | None):
    """Kernels from text such as ``gaussians:-3..3,polynomials:2..3,linear``.

    For Gaussians and Laplacians the range is of powers of two, gamma = 2^-3 ... 2^3; for
    polynomials of degrees. Without a range the family looks at the data. Other names are
    scikit-learn kernel metrics.
    """
    if text is None:
        return None
    entries = [entry.strip() for entry in text.split(",") if entry.strip()]
    if not entries:
        raise InputError("--kernels is empty; for example: --kernels gaussians:-3..3,linear")
    return [one_kernel(entry) for entry in entries]


def one_kernel(entry: str):
    name, separator, numbers = entry.partition(":")
    if not separator:
        return name
    try:
        first, _, last = numbers.partition("..")
        exponents = range(int(first), int(last or first) + 1)
    except ValueError as error:
        raise InputError(
            f"--kernels: {numbers!r} in {entry!r} is not a range of whole numbers such as -3..3."
        ) from error
    if not len(exponents):
        raise InputError(
            f"--kernels: the range in {entry!r} is empty; write the smaller end first."
        )
    if name == "gaussians":
        return gaussians([2.0**power for power in exponents])
    if name == "laplacians":
        return laplacians([2.0**power for power in exponents])
    if name == "polynomials":
        return polynomials(exponents)
    raise InputError(
        f"--kernels: {name!r} takes no range; gaussians, laplacians and polynomials do."
    )
