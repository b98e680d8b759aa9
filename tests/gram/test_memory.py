"""Room in memory."""

from __future__ import annotations

from pathlib import Path

from learnkernels.gram import available_memory


def test_what_the_system_can_let_go_is_free(monkeypatch):
    told = "MemTotal: 1000 kB\nMemFree: 10 kB\nMemAvailable: 600 kB\n"
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: told)
    assert available_memory() == 600 * 1024
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: "MemTotal: 1000 kB\n")
    assert available_memory() > 0
