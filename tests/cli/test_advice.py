"""Messages of the library on the command line."""

import re

import pytest
from tools.messages import messages

from learnkernels.cli.advice import as_options


@pytest.mark.parametrize(
    ("message", "option"),
    [
        (
            'Is this regression? Pass task="regression".',
            "Is this regression? Pass --task regression.",
        ),
        ("random_state=-1; expected", "--random-state -1; expected"),
        (
            'n_components=5 is for ridge; use machine="ridge", or leave n_components out.',
            "--components 5 is for ridge; use --machine ridge, or leave --components out.",
        ),
        (
            "more than max_memory=1 GB, or raise max_memory.",
            "more than --max-memory 1 GB, or raise --max-memory.",
        ),
        ('pass class_weight="balanced" if', "pass --class-weight balanced if"),
        (
            'C contains -1.0; every value must be a positive finite number, or pass "auto".',
            "--C contains -1.0; every value must be a positive finite number, or leave --C out.",
        ),
        ("did not converge; raise alpha.", "did not converge; raise --alpha."),
        ('pass missing="neutral" to give', "pass --missing neutral to give"),
        ('use method="alignf", or machine="ridge" with a small C.', "use --method alignf."),
        (
            "encode them, or give each text column a view of its own with lk.ngrams().",
            "encode them, or pass --text or --sequence for each text column.",
        ),
        (
            'convert it with pandas.to_numeric(column, errors="coerce"), which makes words missing '
            "cells. Drop it if it is an identifier.",
            "write numbers in the file, and leave words out. Leave it out with --drop if it is an "
            "identifier.",
        ),
    ],
)
def test_parameters_become_options(message, option):
    assert as_options(message) == option


def test_no_message_advises_to_use_a_scaler_or_an_imputer_of_scikit_learn():
    texts = [as_options(message.text) for message in messages()]
    assert not [text for text in texts if re.search("Scaler|Imputer", text)]
