"""noqa comments: the same decisions as flake8's."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest
from flake8.main import cli

from inplace_guard.analysis import Analysis
from inplace_guard.check.file import check_bytes

CODES = {"IPG101"}

SOURCES = {
    "blanket": "h.add_(x)  # HAZARD  # noqa\n",
    "code": "h.add_(x)  # HAZARD  # noqa: IPG101\n",
    "prefix": "h.add_(x)  # HAZARD  # noqa:IPG1\n",
    "lower": "h.add_(x)  # HAZARD  # NoQA: ipg101\n",
    "other": "h.add_(x)  # HAZARD  # noqa: IPG201\n",
    "list": "h.add_(x)  # HAZARD  # noqa: E501,IPG101\n",
    "spaces": "h.add_(x)  # HAZARD  # noqa: E501 IPG101\n",
    "reason": "h.add_(x)  # HAZARD  # noqa: IPG101 (scratch)\n",
    "no code": "h.add_(x)  # HAZARD  # noqa: because\n",
    "bracketed, first line": "h.add_(  # HAZARD\n    x\n)  # noqa\n",
    "bracketed, same line": "h.add_(  # HAZARD # noqa\n    x\n)\n",
    "bracketed, later line": "f(\n    h.add_(x),  # HAZARD\n    y,  # noqa\n)\n",
    "backslash": "y = \\\n    h.add_(x)  # HAZARD # noqa\n",
    "backslash, next line": "y = h.add_(x) + \\\n    'HAZARD h.'  # noqa\n",
    "string over lines": "h.say('''\n  HAZARD h.\n''')  # noqa\n",
    "string over lines, inside": "h.say('''\n  HAZARD h. # noqa\n''')\n",
    "no line end": "h.add_(x)  # HAZARD # noqa",
    "only in a string": "h.add_(x, 'HAZARD # noqa')\n",
    "whole file": "h.add_(x)  # HAZARD\n# flake8: noqa\n",
    "whole file, with code": "h.add_(x)  # HAZARD\n# flake8: noqa: E501\n",
    "whole file, behind code": "h.add_(x)  # HAZARD # flake8: noqa\n",
    "two": "h.add_(x)  # HAZARD\nh.add_(x)  # HAZARD # noqa\nh.add_(x)  # HAZARD\n",
    "carriage return": "h.add_(x)  # HAZARD # noqa\r\nh.add_(x)  # HAZARD\r\n",
}


@pytest.mark.parametrize("text", SOURCES.values(), ids=SOURCES.keys())
def test_as_flake8(
    text: str,
    project: Path,
    marked_lines: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    source = f"import torch\n{text}"

    def for_flake8(source: str, path: str, **options: object) -> Analysis:
        return marked_lines(source, path, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("inplace_guard.flake8_plugin.analyze", for_flake8)
    (project / "x.py").write_bytes(source.encode())
    cli.main(["--isolated", "--select", "IPG101", "--jobs", "1", "x.py"])
    expected = [int(line.split(":")[1]) for line in capsys.readouterr().out.splitlines()]

    report = check_bytes(source.encode(), "x.py", CODES)
    assert [finding.write.line for finding in report.findings] == expected
    assert not report.problems


def test_both_answers_occur(marked_lines: Any) -> None:
    hidden = {
        name
        for name, text in SOURCES.items()
        if not check_bytes(f"import torch\n{text}".encode(), "x.py", CODES).findings
    }
    assert {"blanket", "code", "prefix", "backslash", "whole file", "string over lines"} <= hidden
    assert not {"other", "two", "bracketed, first line", "whole file, behind code"} & hidden


def test_hidden_findings_are_counted(marked_lines: Any) -> None:
    source = textwrap.dedent(
        """\
        import torch
        h.add_(x)  # HAZARD  # noqa
        h.add_(x)  # HAZARD
        """
    )
    report = check_bytes(source.encode(), "x.py", CODES)
    assert (len(report.findings), report.suppressed) == (1, 1)
