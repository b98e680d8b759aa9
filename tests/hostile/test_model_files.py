"""Forged model files with valid checksums: the same model, another valid one, or `InputError`."""

import os
import warnings

from tests.hostile import model_files
from tests.hostile.checks import CASES

# Files for each case of the other tests: more than 10,000 in `make fuzz`.
FILES = 7 if "LEARNKERNELS_CASES" in os.environ else 3


def test_forged_files_are_refused_when_loaded_or_describe_a_valid_model():
    """No other error when a file is loaded, none in prediction, bounded memory and time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # infinite and undefined numbers
        endings, errors = model_files.run(FILES * CASES, seed=CASES)
    assert not errors
    assert endings["refused"] and endings["same"] and endings["other model"]
