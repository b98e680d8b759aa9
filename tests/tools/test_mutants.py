"""The table of modules and the random sample of mutants."""

import pytest
from tools.mutants import LEFT_OUT, MODULES, ROOT, SOURCES, TESTS, sample

# Three mutants at each of 20 positions.
MUTANTS = [((line, 4), f"operator {3 * line + i}") for line in range(20) for i in range(3)]


def test_modules_and_their_tests_exist():
    for module, tests in MODULES.items():
        assert (ROOT / SOURCES / module).is_file()
        assert tests and all((ROOT / TESTS / test).is_file() for test in tests)


@pytest.mark.parametrize(("size", "number"), [(8, 8), (30, 20)])
def test_sample_has_one_mutant_at_each_of_size_positions(size, number):
    drawn = sample(MUTANTS, size, "0")
    assert len({position for position, key in MUTANTS if key in drawn}) == len(drawn) == number


def test_sample_depends_on_the_seed_and_not_on_the_order():
    assert sample(MUTANTS, 8, "0") == sample(MUTANTS[::-1], 8, "0") != sample(MUTANTS, 8, "1")


def test_operators_on_bits_are_left_out_except_for_conditions():
    kept = ["core/NumberReplacer 0", "core/ReplaceBinaryOperator_BitAnd_BitOr 1"]
    left_out = ["core/ReplaceBinaryOperator_Add_BitOr 0", "core/ReplaceBinaryOperator_BitOr_Add 0"]
    assert not any(map(LEFT_OUT.match, kept)) and all(map(LEFT_OUT.match, left_out))
