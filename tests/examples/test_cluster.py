"""The scripts of `examples/cluster`, as far as one machine can run them."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import learnkernels as lk
from learnkernels.estimators.large import streaming
from tests.execution.cluster import DASK_MARKS, shared_client

distributed = pytest.importorskip("distributed", reason="needs learnkernels[dask]")
yaml = pytest.importorskip("yaml", reason="needs PyYAML, which Dask installs")
pytestmark = DASK_MARKS
FOLDER = Path(__file__).parents[2] / "examples" / "cluster"
LOCAL = {"local": ("--workers", "2"), "slurm": ("--local",), "kubernetes": ("--local",)}


@pytest.fixture
def run(monkeypatch, capsys):
    """Return a function that runs a script in this process and returns its output."""
    monkeypatch.syspath_prepend(FOLDER)

    def output(name, *arguments):
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
        return capsys.readouterr().out

    return output


class SharedCluster(str):
    """Address of the cluster of all tests, in place of a new `LocalCluster`."""

    __slots__ = ()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Leave the cluster open."""


@pytest.mark.parametrize("name", LOCAL)
def test_help_lists_the_options(name, run, capsys):
    with pytest.raises(SystemExit) as end:
        run(name, "--help")
    shown = capsys.readouterr().out
    assert end.value.code == 0
    assert "--target" in shown and "--components" in shown and "--checkpoint" in shown


@pytest.mark.parametrize("name", LOCAL)
def test_processes_of_workers_import_the_script_without_running_it(name, monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    monkeypatch.setattr(distributed, "LocalCluster", None)
    found = runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__mp_main__")
    assert callable(found["main"])


@pytest.mark.parametrize("name", LOCAL)
def test_script_fits_and_predicts_with_processes_of_this_machine(name, run, tmp_path, monkeypatch):
    monkeypatch.setattr(streaming, "AUTO_ROWS", 600)
    monkeypatch.chdir(tmp_path)
    address = shared_client().scheduler.address
    if name != "local":  # which starts its own cluster
        monkeypatch.setattr(distributed, "LocalCluster", lambda **_: SharedCluster(address))
    data = tmp_path / "t.parquet"
    run(name, data, "--example", 2000, "--components", 60, *LOCAL[name])
    table, predicted = pd.read_parquet(data), pd.read_parquet(tmp_path / "predictions")
    assert len(predicted) == len(table)
    # Rows keep their order, and the saved model predicts the same.
    assert np.corrcoef(predicted["prediction"], table["y"])[0, 1] > 0.9
    model = lk.load(tmp_path / "model.lk")
    assert len(model.subsample_) < len(table)
    few = table.drop(columns="y").head(20)
    assert np.allclose(model.predict(few), predicted["prediction"].head(20), atol=1e-8)


def test_slurm_job_has_the_requested_resources(run):
    pytest.importorskip("dask_jobqueue", reason="needs dask-jobqueue")
    options = ("--queue", "batch", "--account", "lab", "--cores", "4", "--memory", "16GB")
    script = run("slurm", "t.parquet", *options, "--print-script")
    for line in (
        "#SBATCH -p batch",
        "#SBATCH -A lab",
        "#SBATCH --cpus-per-task=4",
        "OMP_NUM_THREADS=1",
    ):
        assert line in script


def containers(part):
    return {one["name"]: one for one in part["spec"]["containers"]}


def test_kubernetes_resource_has_the_fields_that_the_operator_reads():
    """Check what https://kubernetes.dask.org/en/latest/operator_resources.html documents."""
    with (FOLDER / "kubernetes.yaml").open(encoding="utf-8") as stream:
        (resource,) = yaml.safe_load_all(stream)
    assert resource["apiVersion"] == "kubernetes.dask.org/v1"
    assert resource["kind"] == "DaskCluster"
    name, spec = resource["metadata"]["name"], resource["spec"]
    assert set(spec) == {"worker", "scheduler"}
    assert spec["worker"]["replicas"] > 0
    worker = containers(spec["worker"])["worker"]
    scheduler = containers(spec["scheduler"])["scheduler"]
    assert worker["image"] == scheduler["image"]
    assert "$(DASK_WORKER_NAME)" in worker["args"]  # the operator knows workers by this name
    assert {port["name"] for port in scheduler["ports"]} == {"tcp-comm", "http-dashboard"}
    service = spec["scheduler"]["service"]
    assert service["selector"] == {
        "dask.org/cluster-name": name, "dask.org/component": "scheduler",
    }  # fmt: skip
    named = {port["name"]: port for port in service["ports"]}
    for port in scheduler["ports"]:
        assert named[port["name"]]["port"] == port["containerPort"]
        assert named[port["name"]]["targetPort"] == port["name"]
    mounts = {mount["name"] for mount in worker["volumeMounts"]}
    assert mounts == {volume["name"] for volume in spec["worker"]["spec"]["volumes"]}
    assert all(isinstance(entry["value"], str) for entry in worker["env"])


def test_kubernetes_commands_are_those_of_dask():
    with (FOLDER / "kubernetes.yaml").open(encoding="utf-8") as stream:
        spec = yaml.safe_load(stream)["spec"]
    for part, name in (("worker", "worker"), ("scheduler", "scheduler")):
        container = containers(spec[part])[name]
        command = [sys.executable, "-m", "dask", *container["command"][1:], "--help"]
        shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        options = [one for one in container.get("args", []) if one.startswith("--")]
        assert all(option in shown for option in options)
