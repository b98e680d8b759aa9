"""The service of `examples/serving`, with requests over a socket."""

import importlib.util
import json
import threading
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np
import pandas as pd
import pytest

from tests.cli.running import run

pytest.importorskip("fastapi", reason="the service needs fastapi")
uvicorn = pytest.importorskip("uvicorn", reason="the service needs uvicorn")

APP = Path(__file__).parents[2] / "examples" / "serving" / "app.py"


@pytest.fixture
def table(rng, tmp_path):
    X = pd.DataFrame(rng.standard_normal((60, 2)).round(2), columns=["size of leaf", "x"])
    X["colour"] = rng.choice(["red", "green"], 60)
    X["kind"] = np.where(X["x"] > 0, "a", "b")
    X.to_csv(tmp_path / "data.csv", index=False)
    return X


@pytest.fixture
def service(table, tmp_path, capsys):
    """Fit and save a model, and return a function that sends requests to its service."""
    path = str(tmp_path / "model.lk")
    data = tmp_path / "data.csv"
    status, _, err = run(capsys, "fit", data, "--target", "kind", "--kernels", "gaussians:-2..0",
                         "--save", path)  # fmt: skip
    assert status == 0, err
    spec = importlib.util.spec_from_file_location("serving_app", APP)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    config = uvicorn.Config(module.create_app(path), port=0, log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]

    def send(address, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        with urlopen(Request(f"http://127.0.0.1:{port}{address}", data, headers)) as answer:
            return json.load(answer)

    yield send, path
    server.should_exit = True
    thread.join(10)


def test_service_predicts_as_the_command_line_and_describes_its_schema(
    service, table, tmp_path, capsys
):
    send, path = service
    assert send("/model")["classes"] == ["a", "b"]
    row = send("/openapi.json")["components"]["schemas"]["Row"]
    types = {name: one["anyOf"][0]["type"] for name, one in row["properties"].items()}
    assert types == {"size of leaf": "number", "x": "number", "colour": "string"}
    assert set(row["required"]) == set(types)
    rows = table.drop(columns="kind").head(20).to_dict("records")
    found = send("/predict", {"rows": rows})
    output = tmp_path / "out.csv"
    run(capsys, "predict", path, tmp_path / "data.csv", "--proba", "--output", output)
    expected = pd.read_csv(output).head(20)
    assert found["predictions"] == expected["prediction"].tolist()
    probabilities = expected[["probability of a", "probability of b"]].to_numpy()
    assert np.array(found["probabilities"]) == pytest.approx(probabilities, abs=1e-5)


def test_missing_cells_are_null(service):
    send, _ = service
    rows = [{"size of leaf": None, "x": 2.0, "colour": None}]
    assert send("/predict", {"rows": rows})["predictions"] == ["a"]


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ({"size of leaf": 1.0, "x": 0.0}, "colour"),
        ({"size of leaf": "large", "x": 0.0, "colour": "red"}, "size of leaf"),
        ({"size of leaf": 1.0, "x": 0.0, "colour": "red", "unknown": 1}, "unknown"),
    ],
)
def test_row_that_does_not_fit_the_schema_is_refused_with_its_column(row, column, service):
    send, _ = service
    with pytest.raises(HTTPError) as refused:
        send("/predict", {"rows": [row]})
    assert refused.value.code == 422
    assert {one["loc"][3] for one in json.load(refused.value)["detail"]} == {column}
