"""Parse the option ``--kernels``."""

from __future__ import annotations

from learnkernels.errors import InputError
from learnkernels.kernels import Family, gaussians, laplacians, polynomials
from learnkernels.kernels.resolve import as_family


def parse_kernels(text: str | None) -> list[Family] | None:
    """Return kernels from text such as ``gaussians:-3..3,polynomials:2..3,linear``.

    The range of Gaussians and Laplacians is that of the exponents, gamma = 2^-3 ... 2^3; the range
    of polynomials is that of the degrees. Without a range the parameters of the family are chosen
    from the data. Other names are kernel metrics of scikit-learn.
    """
    if text is None:
        return None
    entries = [entry.strip() for entry in text.split(",") if entry.strip()]
    if not entries:
        raise InputError(
            "--kernels is empty; pass kernels such as --kernels gaussians:-3..3,linear."
        )
    return [one_kernel(entry) for entry in entries]


def one_kernel(entry: str) -> Family:
    """Return the kernel or family of one entry."""
    name, separator, numbers = entry.partition(":")
    if not separator:
        return as_family(name)
    try:
        first, _, last = numbers.partition("..")
        exponents = range(int(first), int(last or first) + 1)
    except ValueError as error:
        raise InputError(
            f"--kernels: {numbers!r} in {entry!r} is not a range; expected two integers. Pass, for "
            "example, gaussians:-3..3."
        ) from error
    if not len(exponents):
        raise InputError(
            f"--kernels: the range in {entry!r} is empty; put the smaller number first."
        )
    if name == "gaussians":
        return gaussians([2.0**power for power in exponents])
    if name == "laplacians":
        return laplacians([2.0**power for power in exponents])
    if name == "polynomials":
        return polynomials(exponents)
    raise InputError(
        f"--kernels: {name!r} has no range; only gaussians, laplacians and polynomials have. Pass "
        f"{name!r} alone."
    )
