"""Letter codes of strings, and the choice of the alphabet."""

import numpy as np
import pandas as pd
import pytest

from learnkernels import InputError
from learnkernels.kernels.alphabets import DNA, PROTEIN, Alphabet, alphabet_of

X = Alphabet.UNKNOWN


def test_codes_of_strings_are_concatenated():
    codes, starts = DNA.encode(np.array(["ACGT", "", "TT"], dtype=object))
    assert codes.tolist() == [0, 1, 2, 3, 3, 3]
    assert starts.tolist() == [0, 4, 4, 6]
    assert (codes.dtype, starts.dtype) == (np.uint8, np.int64)


def test_empty_list_and_empty_strings_have_no_codes():
    codes, starts = DNA.encode([])
    assert len(codes) == 0
    assert starts.tolist() == [0]
    assert DNA.encode(["", ""])[1].tolist() == [0, 0, 0]


def test_case_is_ignored_and_u_is_t_in_dna_only():
    assert DNA.encode(["acgtuU"])[0].tolist() == [0, 1, 2, 3, 3, 3]
    assert PROTEIN.encode(["TtUu"])[0].tolist() == [16, 16, X, X]
    assert Alphabet("rna", "ACGU").encode(["ut"])[0].tolist() == [3, X]


def test_every_other_symbol_gets_one_unknown_code():
    assert DNA.encode(["ANRYX-. ?*"])[0].tolist() == [0] + [X] * 9
    assert PROTEIN.encode(["BJOXZ*-"])[0].tolist() == [X] * 7
    # Beyond ASCII: one code per character, regardless of its number of bytes.
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
def test_alphabet_is_detected_or_given(strings, given, name):
    if name is None:
        with pytest.raises(InputError, match=r"no letter of the 'dna' alphabet \(ACGT\)"):
            alphabet_of(strings, given)
    else:
        assert alphabet_of(strings, given).name == name


@pytest.mark.parametrize(
    ("letters", "message"),
    [
        ("A", "has 1 letter;"),
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
def test_invalid_alphabet_raises_input_error(letters, message):
    with pytest.raises(InputError, match=message):
        alphabet_of(["ACGT"], letters)


@pytest.mark.parametrize("strings", [[], [""], ["NNN", "--"]])
def test_training_sequences_without_a_letter_raise_input_error(strings):
    with pytest.raises(InputError, match="no letter of the 'dna' alphabet"):
        alphabet_of(strings)


@pytest.mark.parametrize("value", [None, float("nan"), b"ACGT", 3, ["A"]])
def test_error_names_the_row_of_an_entry_that_is_not_a_string(value):
    rows = np.array(["ACGT", "ACGT", "ACGT"], dtype=object)
    rows[1] = value
    for call in (DNA.encode, alphabet_of):
        with pytest.raises(InputError, match=r"row 1 is .* of type " + type(value).__name__):
            call(rows)
    with pytest.raises(InputError, match="row 1 is"):
        DNA.encode(pd.Series(rows, index=[7, 8, 9]))


def test_single_string_raises_input_error():
    with pytest.raises(InputError, match="pass a list of strings"):
        DNA.encode("ACGT")


def test_dna_with_a_few_other_symbols_is_detected_as_dna():
    assert alphabet_of(["ACGTNNACGTACGTACGTAC", "ACGTACGTACXCGT*ACG\nT"], None).name == "dna"
    assert alphabet_of(["MKVLAAGG", "ACDEFGHI"], None).name == "protein"
