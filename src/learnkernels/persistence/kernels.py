"""Kernels, families, sources and feature maps in a model file."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

import numpy as np
from sklearn.compose import make_column_selector
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

from learnkernels.errors import InputError
from learnkernels.kernels import (
    FAMILIES,
    FactorKernel,
    Gaussian,
    GaussianProcess,
    Kernel,
    Kmers,
    Laplacian,
    Linear,
    Metric,
    ObjectGram,
    On,
    PairKernel,
    Polynomial,
    Precomputed,
    Source,
    Tanimoto,
    WeightedDegree,
)
from learnkernels.kernels.alphabets import Alphabet
from learnkernels.kernels.encoding import Categories, Dates, Numbers
from learnkernels.kernels.features import PerFeature
from learnkernels.kernels.gaussian import Gaussians
from learnkernels.kernels.laplacian import Laplacians
from learnkernels.kernels.learned_metric import LearnedMetric, LinearMap
from learnkernels.kernels.low_rank import (
    APPROXIMATIONS,
    AllColumns,
    Approximated,
    LowRank,
    NystroemMap,
    RandomMap,
)
from learnkernels.kernels.pairwise import KINDS, Pairs, pairs
from learnkernels.kernels.polynomial import Polynomials
from learnkernels.kernels.sequences import Spectrum, WeightedDegrees
from learnkernels.kernels.sources import Columns
from learnkernels.kernels.table import Standardize, Table, table
from learnkernels.kernels.texts import Counts, Ngrams
from learnkernels.kernels.views import OtherColumns, View
from learnkernels.persistence.fields import (
    FINITE,
    POSITIVE,
    SIZE,
    TEXT,
    TRUTH,
    Array,
    ByName,
    Choice,
    Field,
    FieldError,
    Matrix,
    Nothing,
    Number,
    Optional,
    Plain,
    Record,
    Several,
    Texts,
    Union,
    Whole,
    require,
    short,
)

# The compiled kernels multiply as often as the degree; longer words than this are not met.
MAX_DEGREE = 1000
METRIC_OPTIONS = ("gamma", "degree", "coef0")
SMALLEST_SCALE = 1 / SIZE
ANALYZERS = Choice(("word", "char", "char_wb"))
SEED = Optional(Whole(0, 2**32 - 1))


class Later(Field):
    """A field that is defined further below, for tables that contain themselves."""

    def __init__(self, field: Callable[[], Field]) -> None:
        self.field = field

    def write(self, value: Any, arrays: Any) -> Any:
        return self.field().write(value, arrays)

    def read(self, found: Any, arrays: Any) -> Any:
        return self.field().read(found, arrays)


class KernelArgument(Field):
    """The argument ``kernels=``: None, a name, a kernel or family, or a list of these."""

    def write(self, value: Any, arrays: Any) -> Any:
        if value is None or isinstance(value, str):
            return value if value is None else TEXT.write(value, arrays)
        if isinstance(value, (list, tuple)):
            listed = [self.write(entry, arrays) for entry in value]
            return listed if isinstance(value, list) else {"tuple": listed}
        if type(value).__module__ == "sklearn.gaussian_process.kernels":
            return {"process": PROCESS.write(value, arrays)}
        return (KERNEL if isinstance(value, Kernel) else FAMILY).write(value, arrays)

    def read(self, found: Any, arrays: Any) -> Any:
        if found is None:
            return None
        if isinstance(found, str):
            known = found in FAMILIES or found in PAIRWISE_KERNEL_FUNCTIONS
            require(known or found == "precomputed", f"{short(found)} is not a kernel")
            return found
        if isinstance(found, list):
            return [self.read(entry, arrays) for entry in found]
        require(type(found) is dict, f"{short(found)} is not a kernel")
        if found.keys() == {"tuple"}:
            require(isinstance(found["tuple"], list), "not a list of kernels")
            return tuple(self.read(found["tuple"], arrays))
        if found.keys() == {"process"}:
            return PROCESS.read(found["process"], arrays)
        kind = found.get("kind")
        kernel = isinstance(kind, str) and kind in KERNEL.records
        return (KERNEL if kernel else FAMILY).read(found, arrays)


class ColumnArgument(Field):
    """The argument ``columns=`` of a view: names, positions, a mask, a slice or a selector."""

    def write(self, value: Any, arrays: Any) -> Any:
        if isinstance(value, slice):
            return {"slice": Plain().write([value.start, value.stop, value.step], arrays)}
        if callable(value):
            return {"selector": SELECTOR.write(value, arrays)}
        return {"columns": Plain().write(value, arrays)}

    def read(self, found: Any, arrays: Any) -> Any:
        require(type(found) is dict and len(found) == 1, f"{short(found)} is not columns")
        ((key, inner),) = found.items()
        if key == "selector":
            return SELECTOR.read(inner, arrays)
        value = Plain().read(inner, arrays)
        if key == "slice":
            ends = (int, str, type(None))
            require(isinstance(value, list) and len(value) == 3, "not a slice")
            require(all(isinstance(end, ends) for end in value), "not a slice")
            return slice(*value)
        require(key == "columns", f"{short(key)} is not columns")
        return value


class TypesOfColumns(Field):
    """The types that ``make_column_selector`` takes, by their names."""

    NAMES: ClassVar[dict[Any, str]] = {np.number: "number", object: "object", bool: "bool"}

    def write(self, value: Any, arrays: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [self.write(one, arrays) for one in value]
        return Plain().write(self.NAMES.get(value, value), arrays)

    def read(self, found: Any, arrays: Any) -> Any:
        names = found if isinstance(found, list) else [found]
        require(all(name is None or isinstance(name, str) for name in names), "not types")
        return found


@cache
def processes() -> Union:
    """Return the Gaussian-process kernels; the import is slow and rarely needed."""
    from sklearn.gaussian_process import kernels as gp

    bounds, inner = Plain(), Later(lambda: PROCESS)
    scale = LengthScale()
    return Union("a kernel of gaussian_process", {
        "constant": Record(gp.ConstantKernel, {
            "constant_value": POSITIVE, "constant_value_bounds": bounds}),
        "white": Record(gp.WhiteKernel, {"noise_level": POSITIVE, "noise_level_bounds": bounds}),
        "rbf": Record(gp.RBF, {"length_scale": scale, "length_scale_bounds": bounds}),
        "matern": Record(gp.Matern, {
            "length_scale": scale, "length_scale_bounds": bounds, "nu": Number(1e-3, 1e3)}),
        "rational quadratic": Record(gp.RationalQuadratic, {
            "length_scale": POSITIVE, "alpha": POSITIVE, "length_scale_bounds": bounds,
            "alpha_bounds": bounds}),
        "periodic": Record(gp.ExpSineSquared, {
            "length_scale": POSITIVE, "periodicity": POSITIVE, "length_scale_bounds": bounds,
            "periodicity_bounds": bounds}),
        "dot product": Record(gp.DotProduct, {"sigma_0": POSITIVE, "sigma_0_bounds": bounds}),
        "sum": Record(gp.Sum, {"k1": inner, "k2": inner}),
        "product": Record(gp.Product, {"k1": inner, "k2": inner}),
        "power": Record(gp.Exponentiation, {"kernel": inner, "exponent": Number(1, 100)}),
    })  # fmt: skip


class LengthScale(Field):
    """A positive number, or one for each column."""

    def write(self, value: Any, arrays: Any) -> Any:
        if np.ndim(value) == 0:
            return POSITIVE.write(value, arrays)
        return Plain().write(np.asarray(value, dtype=float), arrays)

    def read(self, found: Any, arrays: Any) -> Any:
        if not isinstance(found, dict):
            return POSITIVE.read(found, arrays)
        value = Plain().read(found, arrays)
        valid = isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype == float
        positive = valid and len(value) and np.isfinite(value).all() and (value > 0).all()
        require(positive, "not length scales")
        return value


class MetricOptions(ByName):
    """Keywords of a kernel metric of scikit-learn."""

    def __init__(self) -> None:
        super().__init__(Optional(FINITE))

    def read(self, found: Any, arrays: Any) -> dict[str, Any]:
        options = super().read(found, arrays)
        require(options.keys() <= set(METRIC_OPTIONS), "an unknown option of a metric")
        return options


def check_metric(kernel: Metric) -> None:
    """Call the metric, which raises for options that it does not have."""
    require(kernel.metric in PAIRWISE_KERNEL_FUNCTIONS, f"{short(kernel.metric)} is no metric")
    try:
        kernel(np.ones((1, 1)))
    except ValueError as error:
        raise FieldError(str(error)) from error


def check_columns(columns: Columns) -> None:
    positions, names = columns.positions, columns.names
    inside = all(position < columns.n_columns for position in positions)
    require(positions and inside and len(set(positions)) == len(positions), "not positions")
    require(names is None or len(names) == len(set(names)) == len(positions), "not names")
    require(len(positions) == 1 or not columns.text, "text in several columns")
    if columns.encodings is not None:
        same = len(columns.encodings) == len(positions) and not columns.text
        require(same, "encodings of other columns")


def check_categories(encoding: Categories) -> None:
    require(0 < len(encoding.values) == len(set(encoding.values)), "a category twice, or none")


def check_standardize(step: Standardize) -> None:
    lengths = {len(values) for values in (step.columns, step.center, step.scale, step.neutral)}
    require(len(lengths) == 1 and 0 not in lengths, "lengths that differ")
    check_scales(step.center, step.scale)


def check_scales(center: np.ndarray, scale: np.ndarray) -> None:
    """Raise if standardised columns would have values whose squares overflow."""
    small = (np.abs(center) / SIZE <= scale) | np.isnan(center) | np.isnan(scale)
    require(small.all(), "a column whose scale is too small")


def check_table(family: Table) -> None:
    """Raise unless `table` accepts these arguments."""
    try:
        table(list(family.kernels) or None, family.standardize)
    except InputError as error:
        raise FieldError(str(error)) from error


def check_nystroem(step: NystroemMap) -> None:
    require(step.V.shape[0] == step.landmarks.shape[0] and step.V.size > 0, "not a factor")


def check_random(step: RandomMap) -> None:
    require(step.frequencies.shape[1] == len(step.phases) > 0, "lengths that differ")


def check_counts(step: Counts) -> None:
    words = step.vocabulary.tolist()
    require(1 <= step.low <= step.high, "lengths of n-grams that are not in order")
    require(words and len(set(words)) == len(words), "an n-gram twice, or none")


class Landmarks(Field):
    """Samples of any kind: a matrix, or strings."""

    def write(self, value: Any, arrays: Any) -> Any:
        if isinstance(value, np.ndarray) and value.ndim == 1:
            return {"texts": Texts().write(value, arrays)}
        return Matrix().write(value, arrays)

    def read(self, found: Any, arrays: Any) -> Any:
        if isinstance(found, dict) and found.keys() == {"texts"}:
            return Texts().read(found["texts"], arrays)
        return Matrix().read(found, arrays)


class ObjectArgument(Field):
    """The kernels of one table of `pairs`: a stack, Gram matrices by name, or features."""

    def write(self, value: Any, arrays: Any) -> Any:
        if isinstance(value, tuple):
            features, kernels = value
            if isinstance(features, np.ndarray) and features.dtype.kind in "biuf":
                features = features.astype(float)
            written = Landmarks().write(features, arrays)
            return {"features": written, "kernels": ARGUMENT.write(kernels, arrays)}
        if isinstance(value, dict):
            return {"grams": ByName(Array(2)).write(value, arrays)}
        return {"stack": Array(3).write(value, arrays)}

    def read(self, found: Any, arrays: Any) -> Any:
        require(type(found) is dict, f"{short(found)} is not kernels of objects")
        if found.keys() == {"features", "kernels"}:
            features = Landmarks().read(found["features"], arrays)
            return features, ARGUMENT.read(found["kernels"], arrays)
        if found.keys() == {"grams"}:
            return ByName(Array(2)).read(found["grams"], arrays)
        require(found.keys() == {"stack"}, f"{short(found)} is not kernels of objects")
        return Array(3).read(found["stack"], arrays)


def check_object_gram(gram: ObjectGram) -> None:
    require(gram.K.shape[0] == gram.K.shape[1] > 0, "not a Gram matrix of objects")


def check_pair_kernel(kernel: PairKernel) -> None:
    m, q = kernel.shape
    require(m == q or not kernel.symmetric, "symmetric pairs of two tables")


def check_pairs(family: Pairs) -> None:
    """Raise unless `pairs` accepts these arguments."""
    try:
        pairs(family.left, family.right, family.form)
    except InputError as error:
        raise FieldError(str(error)) from error


class LinearFactor(Field):
    """The array of a `LinearMap`, of one or two dimensions."""

    def write(self, value: Any, arrays: Any) -> Any:
        return Array(value.ndim).write(value, arrays)

    def read(self, found: Any, arrays: Any) -> np.ndarray:
        values: np.ndarray = arrays.take(found)
        require(values.ndim in (1, 2), "not a linear map")
        Array(values.ndim).check(values)
        return values


PROCESS = Later(processes)
ALPHABET = Record(Alphabet, {"name": TEXT, "letters": TEXT})
ENCODING = Union("an encoding of a column", {
    "numbers": Record(Numbers),
    "dates": Record(Dates, {"season": TRUTH}),
    "categories": Record(
        Categories, {"values": Several(TEXT), "missing": TRUTH}, check=check_categories
    ),
})  # fmt: skip
COLUMNS = Record(
    Columns,
    {
        "positions": Several(Whole()), "names": Optional(Several(TEXT)),
        "n_columns": Whole(1), "text": TRUTH, "view": TEXT,
        "encodings": Optional(Several(ENCODING)),
    },
    check=check_columns,
)  # fmt: skip
MAP = Union("a feature map", {
    "columns": COLUMNS,
    "standardize": Record(
        Standardize,
        {"columns": Array(dtype="i8", low=0), "center": Array(),
         "scale": Array(low=SMALLEST_SCALE), "neutral": Array(),
         "indicators": Array(dtype="i8", low=0)},
        check=check_standardize,
    ),
    "linear": Record(LinearMap, {"A": LinearFactor()}),
    "nystroem": Record(
        NystroemMap,
        {"kernel": Later(lambda: KERNEL), "landmarks": Landmarks(), "V": Array(2)},
        check=check_nystroem,
    ),
    "random": Record(RandomMap, {"frequencies": Array(2), "phases": Array()}, check=check_random),
    "counts": Record(
        Counts,
        {"low": Whole(1, 10**6), "high": Whole(1, 10**6), "analyzer": ANALYZERS,
         "vocabulary": Texts()},
        check=check_counts,
    ),
    "k-mers": Record(Kmers, {"k": Whole(1, 31), "alphabet": ALPHABET}),
})  # fmt: skip
SOURCE = Record(Source, {"columns": Optional(COLUMNS), "maps": Several(MAP)})
GAMMA = {"gamma": POSITIVE}
OBJECTS = Record(ObjectGram, {"name": TEXT, "K": Array(2)}, check=check_object_gram)
KERNEL: Union = Union("a kernel", {
    "gaussian": Record(Gaussian, GAMMA),
    "laplacian": Record(Laplacian, GAMMA),
    "linear": Record(Linear),
    "polynomial": Record(Polynomial, {
        "degree": Whole(1, MAX_DEGREE), "gamma": POSITIVE, "coef0": Number(0, 1e300)}),
    "factor": Record(FactorKernel, {"start": Whole(), "width": Whole(1), "label": TEXT}),
    "weighted degree": Record(WeightedDegree, {
        "degree": Whole(1, 10**6), "shift": Whole(0, 10**6), "alphabet": ALPHABET,
        "length": Whole(1)}),
    "tanimoto": Record(Tanimoto),
    "precomputed": Record(Precomputed, {"index": Whole()}),
    "pair": Record(
        PairKernel, {"left": OBJECTS, "right": OBJECTS, "symmetric": TRUTH},
        check=check_pair_kernel,
    ),
    "metric": Record(Metric, {"metric": TEXT, "options": MetricOptions()}, check=check_metric),
    "gaussian process": Record(GaussianProcess, {"kernel": PROCESS}),
    "on": Record(On, {
        "source": SOURCE, "kernel": Later(lambda: KERNEL), "view": TEXT, "label": TEXT}),
})  # fmt: skip
SELECTOR = Union("a selector of columns", {
    "other columns": Record(OtherColumns, {"columns": Several(TEXT), "prefixes": Several(TEXT)}),
    "types": Record(make_column_selector, {
        "pattern": Nothing("is a pattern of names; list the columns"),
        "dtype_include": TypesOfColumns(), "dtype_exclude": TypesOfColumns()}),
})  # fmt: skip
ARGUMENT = KernelArgument()
WIDTHS = {"gammas": Optional(Several(FINITE))}
FAMILY = Union("a kernel or a family", {
    "gaussians": Record(Gaussians, WIDTHS),
    "laplacians": Record(Laplacians, WIDTHS),
    "polynomials": Record(Polynomials, {
        "degrees": Several(FINITE), "gamma": Optional(FINITE), "coef0": FINITE}),
    "pairs": Record(
        Pairs,
        {"left": ObjectArgument(), "right": Optional(ObjectArgument()), "form": Choice(KINDS)},
        check=check_pairs,
    ),
    "per feature": Record(PerFeature),
    "table": Record(Table, {
        "kernels": Several(ARGUMENT), "standardize": TRUTH}, check=check_table),
    "learned metric": Record(LearnedMetric, {
        "base": Optional(ARGUMENT), "iterations": Whole(1), "full": TRUTH,
        "start": Several(FINITE)}),
    "n-grams": Record(Ngrams, {
        "low": Whole(1), "high": Whole(1), "max_features": Optional(Whole(1)),
        "analyzer": ANALYZERS}),
    "spectrum": Record(Spectrum, {"k": Whole(1), "alphabet": Optional(TEXT)}),
    "weighted degrees": Record(WeightedDegrees, {
        "degree": Whole(1), "shift": Whole(), "alphabet": Optional(TEXT)}),
    "view": Record(View, {
        "columns": ColumnArgument(), "kernels": ARGUMENT, "name": Optional(TEXT)}),
    "all columns": Record(AllColumns),
    "low rank": Record(LowRank, {"blocks": Several(ColumnArgument())}),
    "approximated": Record(Approximated, {
        "kernels": ARGUMENT, "rank": Whole(1), "approximation": Choice(APPROXIMATIONS),
        "random_state": SEED}),
})  # fmt: skip
