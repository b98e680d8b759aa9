"""The option --kernels."""

from learnkernels.cli.kernels import parse_kernels


def test_ranges_of_kernels_are_parsed():
    gaussians, polynomials, name = parse_kernels("gaussians:-1..1, polynomials:2, chi2")
    assert gaussians.gammas == (0.5, 1.0, 2.0)
    assert polynomials.degrees == (2,) and name.metric == "chi2"
    assert parse_kernels(None) is None
