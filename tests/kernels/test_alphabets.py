"""Letters become numbers; what is no letter becomes nothing."""

import numpy as np
import pandas as pd
import pytest

from learnkernels import InputError
from learnkernels.kernels.alphabets import DNA, PROTEIN, Alphabet, alphabet_of

X = Alphabet.NOTHING


def test_strings_stand_after_each_other():
    codes, starts = DNA.encode(np.array(["ACGT", "", "TT"], dtype=object))
    assert codes.tolist() == [0, 1, 2, 3, 3, 3]
    assert starts.tolist() == [0, 4, 4, 6]
    assert (codes.dtype, starts.dtype) == (np.uint8, np.int64)


def test_no_strings_and_empty_strings():
    codes, starts = DNA.encode([])
    assert len(codes) == 0
    assert starts.tolist() == [0]
    assert DNA.encode(["", ""])[1].tolist() == [0, 0, 0]


def test_case_does_not_count_and_u_is_t_in_dna_only():
    assert DNA.encode(["acgtuU"])[0].tolist() == [0, 1, 2, 3, 3, 3]
    assert PROTEIN.encode(["TtUu"])[0].tolist() == [16, 16, X, X]
    assert Alphabet("rna", "ACGU").encode(["ut"])[0].tolist() == [3, X]


def test_every_other_symbol_is_one_nothing():
    assert DNA.encode(["ANRYX-. ?*"])[0].tolist() == [0] + [X] * 9
    assert PROTEIN.encode(["BJOXZ*-"])[0].tolist() == [X] * 7
    # Beyond ASCII: one number a character, however many bytes it takes.
    codes, starts = DNA.encode(["Aé日🧬\ud800C", "G"])
    assert codes.tolist() == [0, X, X, X, X, 1, 2]
    assert starts.tolist() == [0, 6, 7]


@pytest.mark.parametrize(
    ("strings", "given", "name"),
    [
        (["ACGT"], None, "dna"),
        (["acgu", "RYSWKMBDHVN-."], None, "dna"),
        (["ACGT", "ACGE"], None, "protein"),
        (["ACGT"], "protein", "protein"),
        (["MKLV"], "DNA", None),
        (["HHEC"], "hec", "HEC"),
    ],
)
def test_alphabets_are_found_or_given(strings, given, name):
    if name is None:
        with pytest.raises(InputError, match=r"no letter of the 'dna' alphabet \(ACGT\)"):
            alphabet_of(strings, given)
    else:
        assert alphabet_of(strings, given).name == name


@pytest.mark.parametrize(
    ("letters", "says"),
    [
        ("A", "has 1 letters"),
        ("", "has 0 letters"),
        ("ABCDEFGHIJKLMNOPQRSTUVWXYZ1234567", "has 33 letters"),
        ("ACA", "repeats a letter"),
        ("ACa", "repeats a letter"),
        ("AC?", "question mark"),
        ("A C", "space"),
        ("AÉ", "beyond ASCII"),
        (4, "expected None"),
    ],
)
def test_alphabets_of_no_use_are_refused(letters, says):
    with pytest.raises(InputError, match=says):
        alphabet_of(["ACGT"], letters)


@pytest.mark.parametrize("strings", [[], [""], ["NNN", "--"]])
def test_training_sequences_without_a_letter_are_refused(strings):
    with pytest.raises(InputError, match="no letter of the 'dna' alphabet"):
        alphabet_of(strings)


@pytest.mark.parametrize("value", [None, float("nan"), b"ACGT", 3, ["A"]])
def test_what_is_no_string_is_named_by_its_row(value):
    rows = np.array(["ACGT", "ACGT", "ACGT"], dtype=object)
    rows[1] = value
    for call in (DNA.encode, alphabet_of):
        with pytest.raises(InputError, match=r"row 1 is .* of type " + type(value).__name__):
            call(rows)
    with pytest.raises(InputError, match="row 1 is"):
        DNA.encode(pd.Series(rows, index=[7, 8, 9]))


def test_one_string_is_no_list_of_strings():
    with pytest.raises(InputError, match="give a list of strings"):
        DNA.encode("ACGT")


def test_a_few_odd_symbols_do_not_make_dna_a_protein():
    assert alphabet_of(["ACGTNNACGTACGTACGTAC", "ACGTACGTACXCGT*ACG\nT"], None).name == "dna"
    assert alphabet_of(["MKVLAAGG", "ACDEFGHI"], None).name == "protein"
