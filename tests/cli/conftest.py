"""Tables as files."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def table(rng, tmp_path):
    """Return a table with numbers, a category and two kinds of target, as CSV."""
    X = rng.standard_normal((90, 3))
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["colour"] = rng.choice(["red", "blue"], 90)
    frame["kind"] = np.where(X[:, 0] * X[:, 1] > 0, "good", "bad")
    frame["amount"] = X[:, 0] + 0.1 * rng.standard_normal(90)
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def sources(rng, tmp_path):
    """Return a table with numbers of two views, a text, a sequence and a category, as CSV."""
    y = np.arange(90) % 2
    frame = pd.DataFrame(
        {
            "gene:a": rng.standard_normal(90) + y,
            "gene:b": rng.standard_normal(90),
            "scan:a": rng.standard_normal(90) - y,
            "review": ["very good indeed" if label else "rather bad indeed" for label in y],
            "site": ["ACGTACGT" if label else "TTTTACGA" for label in y],
            "colour": rng.choice(["red", "blue"], 90),
            "kind": np.where(y, "yes", "no"),
        }
    )
    path = tmp_path / "sources.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a file and returns its path."""

    def write(content: bytes | str, name: str = "data.csv") -> str:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write
