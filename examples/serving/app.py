"""A saved model behind a web service, with a request schema made from the model.

Fit and save a model, then start the service (``pip install fastapi uvicorn``)::

    learnkernels fit data.csv --target y --save model.lk
    MODEL=model.lk uvicorn --factory app:create_app

``GET /model`` describes the model, ``POST /predict`` takes ``{"rows": [{...}, ...]}`` with the
columns of the training table, and ``/docs`` shows the schema of both.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pandas as pd
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, ConfigDict, Field, create_model

import learnkernels as lk

# Rows of one request; `learnkernels predict` scores larger tables in parts.
MAX_ROWS = 10_000


def columns(saved: dict[str, Any]) -> list[str]:
    """Return the columns of the training table."""
    return [str(name) for name in saved["model"].feature_names_in_]


def row_schema(saved: dict[str, Any]) -> type[BaseModel]:
    """Return the schema of one row: a number, or a text or truth value, for each column.

    All columns of the training table are required. A missing cell is null.
    """
    numbers = set(saved["numbers"])
    fields: dict[str, Any] = {}
    for k, name in enumerate(columns(saved)):
        kind: Any = float | None if name in numbers else str | bool | None
        options = {"allow_inf_nan": False} if name in numbers else {}
        # Names of columns need not be names in Python, so they are aliases.
        fields[f"column_{k}"] = (kind, Field(alias=name, **options))
    return create_model("Row", __config__=ConfigDict(extra="forbid"), **fields)


def description(saved: dict[str, Any]) -> dict[str, Any]:
    """Return what the model predicts, and from which columns."""
    model = saved["model"]
    classes = model.classes_.tolist() if saved["task"] == "classification" else None
    return {
        "target": saved["target"],
        "task": saved["task"],
        "columns": columns(saved),
        "classes": classes,
        "probabilities": hasattr(model, "predict_proba"),
    }


def predict(saved: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the predictions of some rows and, if the model has them, probabilities."""
    table = pd.DataFrame(rows, columns=columns(saved), dtype=object)
    table = table.astype(dict.fromkeys(saved["numbers"], float))
    for name in saved["dates"]:
        table[name] = pd.to_datetime(table[name])
    found = {"predictions": saved["model"].predict(table).tolist()}
    if hasattr(saved["model"], "predict_proba"):
        found["probabilities"] = saved["model"].predict_proba(table).round(6).tolist()
    return found


def create_app(path: str | Path | None = None) -> FastAPI:
    """Return the service of a model file, by default the one that the variable MODEL names."""
    saved = lk.load(path or os.environ["MODEL"])
    row = row_schema(saved)
    request = create_model("Request", rows=(list[row], Field(min_length=1, max_length=MAX_ROWS)))
    app = FastAPI(title=f"{saved['task']} of {saved['target']}")

    @app.get("/model")
    def model() -> dict[str, Any]:
        return description(saved)

    def answer(body: BaseModel) -> dict[str, Any]:
        try:
            return predict(saved, [one.model_dump(by_alias=True) for one in body.rows])
        except lk.InputError as error:
            raise HTTPException(422, str(error)) from error

    # The type of the body is known only here, so it is set instead of written.
    answer.__annotations__ = {"body": request, "return": dict[str, Any]}
    app.post("/predict")(answer)
    return app
