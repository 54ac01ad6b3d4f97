"""The package as a stranger gets it: hook definitions, and an environment that has nothing but it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from inplace_guard.cli import main

ROOT = Path(__file__).resolve().parents[2]
BREAK = ROOT / "src" / "minigpt_fixture" / "breaks" / "residual_add.py"
CONTROL = ROOT / "src" / "minigpt_fixture" / "model.py"


def run(*command: str | Path, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def hooks() -> list[dict[str, str]]:
    return yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())


@pytest.mark.parametrize("hook", hooks(), ids=lambda hook: hook["id"])
def test_the_entry_of_each_hook_is_a_command_line_that_works(
    hook: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program, *arguments = shlex.split(hook["entry"])
    assert program == "inplace-guard"
    fixes = "--fix" in arguments
    for file in (CONTROL, BREAK):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    assert main([*arguments, CONTROL.name]) == 0
    assert main([*arguments, BREAK.name]) == (0 if fixes else 1)
    assert (tmp_path / CONTROL.name).read_bytes() == CONTROL.read_bytes()
    assert ((tmp_path / BREAK.name).read_bytes() != BREAK.read_bytes()) == fixes


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clone") / "inplace-guard"
    done = run("git", "clone", "--quiet", ROOT, folder, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_pre_commit_from_a_clone(clone: Path, tmp_path: Path) -> None:
    repository = tmp_path / "user"
    repository.mkdir()
    (repository / "bad.py").write_text(BREAK.read_text())
    (repository / "good.py").write_text(CONTROL.read_text())
    revision = run("git", "rev-parse", "HEAD", cwd=clone).stdout.strip()
    config = {"repos": [{"repo": str(clone), "rev": revision, "hooks": [{"id": hook["id"]} for hook in hooks()]}]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    run("git", "init", "--quiet", cwd=repository)
    run("git", "add", ".", cwd=repository)
    home = tmp_path / "pre-commit"
    command = [sys.executable, "-m", "pre_commit", "run", "--files"]
    bad = run(*command, "bad.py", "good.py", cwd=repository, PRE_COMMIT_HOME=str(home))
    assert bad.returncode == 1, bad.stdout + bad.stderr
    assert "error[IPG101]" in bad.stdout
    assert "--> bad.py:" in bad.stdout
    fixed = run(*command, "bad.py", cwd=repository, PRE_COMMIT_HOME=str(home))  # by inplace-guard-fix, in that run
    assert fixed.returncode == 0, fixed.stdout + fixed.stderr
    good = run(*command, "good.py", cwd=repository, PRE_COMMIT_HOME=str(home))
    assert good.returncode == 0, good.stdout + good.stderr
    assert list(home.rglob("site-packages/inplace_guard"))
    assert not list(home.rglob("site-packages/torch"))


@pytest.mark.slow
def test_an_environment_without_torch(clone: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "venv", tmp_path / "env", cwd=tmp_path)
    scripts = tmp_path / "env" / "bin"
    installed = run(scripts / "python", "-m", "pip", "install", "--quiet", clone, cwd=tmp_path)
    assert installed.returncode == 0, installed.stderr
    assert run(scripts / "python", "-c", "import torch", cwd=tmp_path).returncode == 1
    for command in (["inplace-guard", "check", "--format", "concise"], ["flake8", "--isolated", "--select", "IPG"]):
        done = run(scripts / command[0], *command[1:], BREAK, CONTROL, cwd=tmp_path)
        assert done.returncode == 1, done.stderr
        assert done.stderr == ""
        assert {line.split(": ")[1].split()[0] for line in done.stdout.splitlines()} == {"IPG101"}
    for command in (["rules"], ["explain", "IPG101"], ["--help"]):
        assert run(scripts / "inplace-guard", *command, cwd=tmp_path).returncode == 0
    refused = run(scripts / "inplace-guard", "run", BREAK, cwd=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.startswith("Error: `run` needs PyTorch")
    assert len(refused.stderr.splitlines()) == 1


def test_without_torch_the_guard_says_what_to_install() -> None:
    code = "import sys; sys.modules['torch'] = None; from inplace_guard import guard"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "ImportError: inplace_guard.guard needs PyTorch" in run.stderr
    assert "pip install 'inplace-guard[runtime]'" in run.stderr
