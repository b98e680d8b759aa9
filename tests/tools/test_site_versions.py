"""The list of published versions of the documentation."""

import json

from tools.site_versions import main, site_versions


def publish(site, *folders):
    for folder in folders:
        (site / folder).mkdir()
        (site / folder / "index.html").touch()


def test_releases_are_sorted_by_version_and_newest_is_no_pre_release(tmp_path):
    publish(tmp_path, "v0.9.0", "v0.10.0", "v0.2.0", "v0.11.0rc1")
    tags = ["v0.11.0rc1", "v0.10.0", "v0.9.0", "v0.2.0"]
    assert site_versions(tmp_path) == {"newest": "v0.10.0", "releases": tags}


def test_folders_of_other_names_or_without_pages_are_left_out(tmp_path):
    publish(tmp_path, "v0.2.0", "views", "methods", "0.1.0")
    (tmp_path / "v0.3.0").mkdir()
    assert site_versions(tmp_path)["releases"] == ["v0.2.0"]


def test_site_without_releases_has_an_empty_list(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["site_versions.py", str(tmp_path)])
    main()
    assert json.loads((tmp_path / "versions.json").read_text()) == {"newest": None, "releases": []}
