"""The table of candidates."""

import numpy as np

from learnkernels.methods.candidates import Candidate, Selection, standard_error


def selection():
    """Return candidates for two questions."""
    errors = np.array([0.0, 1.0, 2.0, 1.0])
    return Selection(
        (
            Candidate.of("table", errors, "simpler", question="kernels"),
            Candidate.of("table + learned metric", errors, question="kernels"),
            Candidate.of("unif", 2 * errors),
            Candidate.of("loo", errors, "lowest"),
        ),
        "squared error",
    )


def test_candidate_has_mean_and_standard_error_and_is_chosen_if_there_is_a_reason():
    errors = np.array([0.0, 1.0, 2.0, 1.0])
    one = Candidate.of("loo", errors, "lowest")
    assert (one.error, one.chosen, one.question) == (1.0, True, "weights")
    assert np.isclose(one.standard_error, np.sqrt(0.5) / 2) and one.standard_error == (
        standard_error(errors)
    )
    assert not Candidate.of("unif", errors).chosen


def test_selection_prints_one_row_for_each_candidate():
    text = str(selection()).splitlines()
    assert text == [
        "         candidate               squared error  standard error  chosen",
        "kernels  table                            1.00            0.35  simpler",
        "         table + learned metric           1.00            0.35",
        "weights  unif                             2.00            0.71",
        "         loo                              1.00            0.35  lowest",
    ]


def test_selection_lists_candidates_and_the_chosen_one_of_each_question():
    found = selection()
    assert len(found) == 4 and [one.name for one in found][2:] == ["unif", "loo"]
    assert {question: one.name for question, one in found.chosen.items()} == {
        "kernels": "table",
        "weights": "loo",
    }


def test_to_dict_contains_plain_values():
    found = selection().to_dict()
    assert found["criterion"] == "squared error" and len(found["candidates"]) == 4
    assert found["candidates"][3] == {
        "name": "loo",
        "error": 1.0,
        "standard_error": standard_error(np.array([0.0, 1.0, 2.0, 1.0])),
        "chosen": True,
        "reason": "lowest",
        "question": "weights",
    }
