"""`run_script`: the program behaves as under python itself, and the report comes at the end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

GUARDED = """
import sys
from pathlib import Path
from inplace_guard.runtime import run_script

report, module, *argv = sys.argv[1:]
sys.exit(run_script(argv, module == "-m", Path(report) if report != "-" else None))
"""


def plainly(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True)


def guarded(folder: Path, *arguments: str, report: str = "-") -> subprocess.CompletedProcess[str]:
    module = ["-m"] if arguments[0] == "-m" else ["script"]
    rest = arguments[1:] if arguments[0] == "-m" else arguments
    return subprocess.run(
        [sys.executable, "-c", GUARDED, report, *module, *rest], cwd=folder, capture_output=True, text=True
    )


def both(folder: Path, *arguments: str) -> tuple[subprocess.CompletedProcess[str], subprocess.CompletedProcess[str]]:
    return plainly(folder, *arguments), guarded(folder, *arguments)


SHOWS = """
import json, os, sys
import __main__

print(json.dumps([sys.argv, __name__, sys.path[0], __main__.__file__, __main__.__dict__ is globals()]))
print(__spec__ is None, __package__)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tool").mkdir()
    (tmp_path / "tool" / "__init__.py").write_text("")
    (tmp_path / "tool" / "__main__.py").write_text(SHOWS)
    (tmp_path / "tool" / "inner.py").write_text(SHOWS)
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "show.py").write_text(SHOWS)
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["scripts/show.py"],
        ["scripts/show.py", "one", "--two", "-m"],
        ["-m", "tool", "x"],
        ["-m", "tool.inner"],
        ["tool"],
    ],
)
def test_the_program_sees_the_same_world(folder: Path, arguments: list[str]) -> None:
    plain, own = both(folder, *arguments)
    assert own.returncode == plain.returncode == 0, own.stderr
    assert own.stdout == plain.stdout
    assert own.stderr == plain.stderr == ""


@pytest.mark.parametrize(
    "body",
    [
        "raise SystemExit",
        "import sys; sys.exit(3)",
        "import sys; sys.exit('a message')",
        "raise ValueError('wrong')",
        "def f():\n    g()\ndef g():\n    1 / 0\nf()",
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError('two') from e",
        "import sys\nsys.excepthook = lambda *error: print('mine', error[0].__name__)\nraise ValueError",
        "def broken(:",
        "import atexit; atexit.register(print, 'at the end'); print('before')",
        "import threading; t = threading.Thread(target=lambda: print('thread')); t.start()",
        "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))) is A)",
        "import dataclasses\n@dataclasses.dataclass\nclass A:\n    x: 'int' = 1\nprint(A())",
    ],
)
def test_exit_code_output_and_traceback_are_the_same(tmp_path: Path, body: str) -> None:
    (tmp_path / "program.py").write_text(body + "\n")
    plain, own = both(tmp_path, "program.py")
    assert (own.returncode, own.stdout) == (plain.returncode, plain.stdout)
    assert own.stderr.replace(str(tmp_path) + os.sep, "") == plain.stderr.replace(str(tmp_path) + os.sep, "")


def test_a_missing_script_and_module(tmp_path: Path) -> None:
    plain, own = both(tmp_path, "nothing.py")
    assert own.returncode == plain.returncode == 2
    assert own.stderr == "inplace-guard: cannot open nothing.py: No such file or directory\n"
    own = guarded(tmp_path, "-m", "nothing_of_that_name")
    assert own.returncode != 0
    assert "nothing_of_that_name" in own.stderr


def test_torch_is_not_imported_for_a_program_that_does_not(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("import sys; print('torch' in sys.modules)\n")
    assert guarded(tmp_path, "program.py").stdout == "False\n"


TRAINS = """
import torch

y = torch.zeros(3, requires_grad=True).exp()
y.add_(1)
y.sum().backward()
print("not reached")
"""


def test_the_findings_come_at_the_end_and_as_json(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAINS)
    own = guarded(tmp_path, "train.py", report="out.json")
    assert own.returncode == 1
    assert own.stdout == ""
    trace, _, report = own.stderr.partition("\ninplace-guard: 1 finding\n")
    assert "modified by an inplace operation" in trace
    assert "run_script" not in trace
    assert "error[IPG101]: add_ at train.py:5 overwrote `y`" in report
    data = json.loads((tmp_path / "out.json").read_text())
    assert data["schema"] == 1
    (found,) = data["findings"]
    assert (found["code"], found["write"]["line"], found["test"]) == ("IPG101", 5, None)


def test_a_hazard_that_was_only_listed_leaves_the_exit_code(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import torch\nx = torch.zeros(3)\nx[torch.tensor([1, 1])] += 1\nprint(x.tolist())\n"
    )
    own = guarded(tmp_path, "train.py", report="out.json")
    assert (own.returncode, own.stdout) == (0, "[0.0, 1.0, 0.0]\n")
    assert "IPG208" in own.stderr
    assert len(json.loads((tmp_path / "out.json").read_text())["findings"]) == 1


def test_nothing_found_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import torch\nprint(torch.zeros(1).item())\n")
    own = guarded(tmp_path, "train.py", report="out.json")
    assert (own.returncode, own.stdout, own.stderr) == (0, "0.0\n", "")
    assert json.loads((tmp_path / "out.json").read_text()) == {"schema": 1, "findings": []}


def test_a_report_that_cannot_be_written_is_told_before_the_program_runs(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("print('ran')\n")
    own = guarded(tmp_path, "program.py", report="no/such/folder/out.json")
    assert own.returncode != 0
    assert own.stdout == ""
    assert "no/such/folder" in own.stderr
