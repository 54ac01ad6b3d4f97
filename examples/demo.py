"""The main job, checked: lint the broken mini-GPT, then train one step of each break under the guard.

Prints what flake8 and pytest show, then a table of what each break was expected to show and did. Exits with 0 only if
both halves name the hazardous lines and leave the control and the safe breaks alone.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from minigpt_fixture import registry

ROOT = Path(__file__).resolve().parent.parent
LINTED = Path("src/minigpt_fixture")
TESTS = Path("examples/test_breaks.py")

Places = Mapping[str, set[tuple[int, str]]]


def main() -> int:
    os.chdir(ROOT)
    lint = run_flake8()
    with tempfile.TemporaryDirectory() as folder:
        outcomes, findings = run_pytest(Path(folder))
    failures = [*check_lint(lint), *check_tests(outcomes, findings)]
    title("What was expected, and what was found")
    print_table(lint, outcomes, findings)
    for failure in failures:
        print(f"WRONG: {failure}")
    print("\nBoth halves say what they should." if not failures else f"\n{len(failures)} things are wrong.")
    return 1 if failures else 0


def title(text: str) -> None:
    print(f"\n=== {text}", flush=True)


def run_flake8() -> Places:
    """What the linter reports: (line, code) for each file."""
    command = ["flake8", "--isolated", "--select", "IPG", str(LINTED)]
    title(f"$ {' '.join(command)}")
    process = subprocess.run([sys.executable, "-m", *command], stdout=subprocess.PIPE, text=True, check=False)
    print(process.stdout, end="", flush=True)
    found: dict[str, set[tuple[int, str]]] = {}
    for match in re.finditer(r"^(.+?):(\d+):\d+: (IPG\d+) ", process.stdout, re.MULTILINE):
        found.setdefault(Path(match[1]).as_posix(), set()).add((int(match[2]), match[3]))
    return found


def run_pytest(folder: Path) -> tuple[Mapping[str, str], Mapping[str, list[Any]]]:
    """What the guard reports: for each test its outcome, and its findings."""
    command = ["pytest", "-p", "inplace_guard", str(TESTS)]
    title(f"$ {' '.join(command)}")
    junit, report = folder / "junit.xml", folder / "report.json"
    extra = ["--tb=short", "-p", "no:cacheprovider", f"--junit-xml={junit}", f"--inplace-guard-report={report}"]
    subprocess.run([sys.executable, "-m", *command, *extra], check=False)
    outcomes = {}
    if junit.exists():
        for case in ElementTree.parse(junit).iter("testcase"):
            failed = case.find("failure") is not None or case.find("error") is not None
            outcomes[case.attrib["name"]] = "fails" if failed else "passes"
    findings: dict[str, list[Any]] = {}
    for finding in json.loads(report.read_text())["findings"] if report.exists() else ():
        findings.setdefault((finding["test"] or "").rpartition("::")[2], []).append(finding)
    return outcomes, findings


def test_of(name: str) -> str:
    return "test_control" if name == registry.CONTROL else "test_" + name.replace("-", "_")


def path_of(entry: registry.Break) -> str:
    return entry.file.relative_to(ROOT).as_posix()


def check_lint(found: Places) -> Iterable[str]:
    allowed = set()
    for entry in registry.BREAKS.values():
        if entry.code is None:
            continue
        lines = {line for line, _ in found.get(path_of(entry), ())}
        for line in entry.lines:
            allowed.add((path_of(entry), line))
            if line not in lines:
                yield f"flake8 says nothing about {path_of(entry)}:{line} ({entry.code})"
    for path, places in sorted(found.items()):
        for line, code in sorted(places):
            if (path, line) not in allowed:
                yield f"flake8 reports {code} at {path}:{line}, where nothing is wrong"


def check_tests(outcomes: Mapping[str, str], findings: Mapping[str, list[Any]]) -> Iterable[str]:
    safe = [registry.CONTROL, *(name for name, entry in registry.BREAKS.items() if entry.outcome == "safe")]
    for name in safe:
        if outcomes.get(test_of(name)) != "passes" or findings.get(test_of(name)):
            yield f"{test_of(name)} is right, and should pass without a finding"
    for name, entry in registry.BREAKS.items():
        if entry.outcome == "safe":
            continue
        if outcomes.get(test_of(name)) != "fails":
            yield f"{test_of(name)} should fail"
        found = findings.get(test_of(name), [])
        places = {(Path(finding["write"]["path"]).name, finding["write"]["line"]) for finding in found}
        if not places or not places <= {(entry.file.name, line) for line in entry.lines}:
            yield f"{test_of(name)}: the guard should name line {' or '.join(map(str, entry.lines))}"
        if entry.outcome == "raises" and not all(finding["saved"] and finding["needed"] for finding in found):
            yield f"{test_of(name)}: the guard should say who saved and who needed the tensor"


def print_table(lint: Places, outcomes: Mapping[str, str], findings: Mapping[str, list[Any]]) -> None:
    print(f"{'break':<20} {'PyTorch':<8} {'lines':<8} {'flake8':<16} {'test':<7} guard names lines")
    for name, entry in registry.BREAKS.items():
        lines = ",".join(map(str, entry.lines)) if entry.code else "-"
        linted = ",".join(f"{line}" for line, _ in sorted(lint.get(path_of(entry), ()))) or "-"
        guarded = sorted({finding["write"]["line"] for finding in findings.get(test_of(name), ())})
        outcome = outcomes.get(test_of(name), "not run")
        print(
            f"{name:<20} {entry.outcome:<8} {lines:<8} {linted:<16} {outcome:<7} {','.join(map(str, guarded)) or '-'}"
        )


if __name__ == "__main__":
    sys.exit(main())
