"""Every fenced block of README.md and docs/ is run, or is held against the program, here or in the test named below.

A block that nothing looks at fails. Names that an excerpt takes for granted are defined in `GIVEN`.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from inplace_guard import cli, config

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FENCE = re.compile(r'^( *)```([^\s`]*)(?: title="([^"]*)")?\n(.*?)^ *```$', re.DOTALL | re.MULTILINE)

# Blocks that have a test of their own: (page, language, how they begin).
ELSEWHERE = {
    ("README.md", "console", "$ pip install"): "tests/packaging",
    ("README.md", "console", "$ flake8 --select IPG src/"): "tests/readme",
    ("README.md", "console", "$ inplace-guard check src/"): "tests/readme",
    ("README.md", "console", "$ pytest -p inplace_guard examples/"): "tests/readme",
    ("architecture.md", "text", ""): "a drawing",
    ("architecture.md", "python", ""): "tests/docs/test_architecture.py",
    ("architecture.md", "console", "$ pytest tests/"): "tests/docs/test_architecture.py",
    ("diagnose.md", "text", ""): "tests/docs/test_diagnose_page.py",
    ("diagnose.md", "python", ""): "tests/docs/test_diagnose_page.py",
    ("fixes.md", "diff", ""): "tests/docs/test_fixes_page.py",
    ("lesson.md", "console", ""): "tests/minigpt_fixture/test_lesson.py",
    ("reference-case.md", "console", "$ python -m minigpt_fixture"): "tests/minigpt_fixture/test_reference_doc.py",
    ("runtime.md", "text", "error[IPG"): "a report with its lines cut",
    ("tape.md", "console", "$ python -m minigpt_fixture"): "tests/docs/test_tape_page.py",
    ("tape.md", "text", ""): "tests/docs/test_tape_page.py",
}


@dataclass(frozen=True)
class Block:
    page: str
    line: int
    language: str
    title: str
    text: str

    @property
    def elsewhere(self) -> bool:
        if self.page == "reference-case.md" and self.title.endswith(".py"):
            return True  # measured by tests/minigpt_fixture/test_reference_doc.py
        return any(
            (self.page, self.language) == (page, language) and self.text.startswith(start)
            for page, language, start in ELSEWHERE
        )


def blocks() -> Iterator[Block]:
    for path in (ROOT / "README.md", *sorted(DOCS.glob("*.md"))):
        text = path.read_text(encoding="utf-8")
        for match in FENCE.finditer(text):
            indent, language, title, body = match.groups()
            code = "".join(f"{line.removeprefix(indent)}\n" for line in body.splitlines())
            yield Block(path.name, text.count("\n", 0, match.start()) + 1, language, title or "", code)


def given() -> dict[str, Any]:
    """What the pages' excerpts take for granted."""
    import torch

    model = torch.nn.Linear(4, 2)
    batch = torch.randn(3, 4)

    def train(*args: object, **options: object) -> None:
        model(batch).sum().backward()

    trainer = SimpleNamespace(fit=train, train=train)
    return {
        "__name__": "page",
        "torch": torch,
        "nn": torch.nn,
        "model": lambda data: model(data).sum(),
        "net": model,
        "batch": batch,
        "data": [batch],
        "module": model,
        "optimizer": torch.optim.SGD(model.parameters(), 0.1),
        "train_one_epoch": train,
        "train": train,
        "guard": __import__("inplace_guard").guard,
        "Trainer": lambda *args, **options: trainer,
        "TrainingArguments": lambda *args, **options: None,
    }


# What runs a block of each language


def run_python(block: Block, folder: Path) -> None:
    if block.title.endswith("conftest.py") or block.text.startswith("# conftest.py"):
        (folder / "conftest.py").write_text(block.text)
        (folder / "test_nothing.py").write_text("def test_it(): pass\n")
        run_pytest(["test_nothing.py"], folder)
    elif re.search(r"^def test_\w+\((\w+)", block.text, re.MULTILINE):
        (folder / "conftest.py").write_text('pytest_plugins = ["minigpt_fixture.pytest_fixtures"]\n')
        (folder / "test_page.py").write_text(block.text)
        run_pytest(["test_page.py"], folder)
    elif is_excerpt(block.text):
        pass
    else:
        exec(compile(block.text, f"{block.page}:{block.line}", "exec"), given())


def is_excerpt(text: str) -> bool:
    """Whether these lines follow each other in the source of the reference case, however indented."""
    lines = [line.strip() for line in text.splitlines()]
    for path in (ROOT / "src" / "minigpt_fixture").rglob("*.py"):
        source = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
        if any(source[start : start + len(lines)] == lines for start in range(len(source))):
            return True
    return False


def run_console(block: Block, folder: Path) -> None:
    commands = [line[2:] for line in block.text.splitlines() if line.startswith("$ ")]
    assert commands
    for command in commands:
        understood = False
        for part in re.split(r" \| | && |\$\(|`", re.sub(r"\s+# .*", "", command)):
            words = shlex.split(part.strip(' ")'))
            while words and re.fullmatch(r"\w+=\S*", words[0]):
                words.pop(0)  # variables of the environment
            understood |= is_understood(words, folder)
        assert understood, command


def is_understood(words: list[str], folder: Path) -> bool:
    """Runs the part of a command that is ours as far as its arguments go."""
    if "inplace-guard" in words:
        parse(words[words.index("inplace-guard") + 1 :])
        return True
    if words[:1] == ["pytest"]:
        (folder / "test_step.py").write_text("def test_step(): pass\n")
        run_pytest(["--collect-only", *words[1:]], folder)
        return True
    if words[:1] == ["make"]:
        return re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE) is not None
    return False


def parse(arguments: list[str]) -> None:
    """What click says to the arguments; nothing is run."""
    if not arguments:
        return
    command = cli.command.commands[arguments[0]]
    command.make_context(arguments[0], [word for word in arguments[1:] if word not in (">", "<")])


def run_pytest(arguments: list[str], folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def run_toml(block: Block, folder: Path) -> None:
    path = folder / "pyproject.toml"
    path.write_text(block.text)
    if "[tool.inplace_guard" in block.text:
        config.load(path)


def run_yaml(block: Block, folder: Path) -> None:
    """The commands of a workflow are run over a folder with a finding; hooks have to exist."""
    document = yaml.safe_load(block.text)
    hooks = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    named = {hook["id"] for repo in document.get("repos", ()) for hook in repo["hooks"]}
    assert named <= hooks
    steps = [step["run"] for job in document.get("jobs", {}).values() for step in job["steps"] if "run" in step]
    steps += document.get("inplace-guard", {}).get("script", [])
    commands = [step for step in steps if not step.startswith("pip install")]
    assert commands or named
    (folder / "net.py").write_text("import torch\nx = torch.zeros(2, requires_grad=True)\nx += 1\n")
    for command in commands:
        line = command.replace("inplace-guard", f"{shlex.quote(sys.executable)} -m inplace_guard", 1)
        done = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == (0 if "--exit-zero" in command else 1), done.stderr
        if ">" in command:
            assert json.loads((folder / command.rpartition("> ")[2]).read_text())
        else:
            assert "IPG103" in done.stdout


def run_json(block: Block, folder: Path) -> None:
    json.loads(block.text)


def run_text(block: Block, folder: Path) -> None:
    """Usage lines and examples of the command line."""
    lines = [line.strip() for line in block.text.splitlines()]
    for line in lines:
        if re.match(r"(?:inplace-guard|git|kubectl) ", line) and "[" not in line:
            command = re.split(r"\s{3,}", line)[0]
            run_console(Block(block.page, block.line, "console", "", f"$ {command}\n"), folder)


RUN: dict[str, Callable[[Block, Path], None]] = {
    "python": run_python,
    "console": run_console,
    "toml": run_toml,
    "yaml": run_yaml,
    "json": run_json,
    "text": run_text,
}
HERE = [block for block in blocks() if not block.elsewhere]


@pytest.mark.parametrize("block", HERE, ids=lambda block: f"{block.page}:{block.line}")
def test_block(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    RUN[block.language](block, tmp_path)


def test_there_are_blocks_and_every_exception_is_one() -> None:
    found = list(blocks())
    assert len(found) > 40
    for page, language, start in ELSEWHERE:
        assert any((b.page, b.language) == (page, language) and b.text.startswith(start) for b in found), (page, start)


def test_the_arguments_of_the_flake8_extension(tmp_path: Path) -> None:
    """Of VS Code: it asks flake8 for lines of this form, and finds its severities by the beginning of the code."""
    settings = json.loads(next(block.text for block in blocks() if block.title.endswith("settings.json")))
    (tmp_path / "net.py").write_text("import torch\nx = torch.zeros(2, requires_grad=True)\nx += 1\n")
    form = "--format='%(row)d,%(col)d,%(code).1s,%(code)s:%(text)s'"
    command = [sys.executable, "-m", "flake8", form, *settings["flake8.args"], "net.py"]
    lines = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout.splitlines()
    found = [re.match(r"'?(\d+),(-?\d+),(\w+),(\w+\d+):", line) for line in lines]
    codes = [match[4] for match in found if match is not None]
    assert codes == ["IPG103"]
    assert any(codes[0].startswith(prefix) for prefix in settings["flake8.severity"])
