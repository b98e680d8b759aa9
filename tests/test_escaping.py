"""Names that come from data are made printable."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from learnkernels.escaping import printable

ANY = st.text(st.characters(codec=None))


@given(ANY)
def test_printable_name_is_one_line_of_utf8_without_control_characters(name):
    shown = printable(name)
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert len(shown.splitlines()) <= 1 and printable(shown) == shown
    assert not any(ord(sign) < 32 or 127 <= ord(sign) < 160 for sign in shown)


@given(st.text(st.characters(categories=["L", "M", "N", "P", "S"])))
def test_letters_of_all_scripts_are_unchanged(name):
    assert printable(name) == name


def test_joiners_are_kept_and_direction_overrides_are_escaped():
    assert printable("می‌خواهم") == "می‌خواهم"
    assert printable("a\u202eb\u2066c\ud800") == r"a\u202eb\u2066c\ud800"
