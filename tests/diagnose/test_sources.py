"""Logs of other machines: their paths are found here, by their ends and by the code that the log shows."""

from __future__ import annotations

import ast
import random
import re
from pathlib import Path

import pytest

from inplace_guard.diagnose import Diagnosis, Report, diagnose

from .failing import Case, cases, log_of

MODEL = """\
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(4, 3)

    def forward(self, x):
        y = self.score(x).sigmoid()
        y *= 2
        return y
"""
TRAIN = """\
import torch
from nets.head import Head


def main():
    net = Head()
    net(torch.randn(2, 4)).sum().backward()


main()
"""
WRITE = 12
LOG = """\
Traceback (most recent call last):
  File "/cluster/u/run/code/train.py", line 10, in <module>
    main()
  File "/cluster/u/run/code/train.py", line 7, in main
    net(torch.randn(2, 4)).sum().backward()
  File "/opt/conda/lib/python3.10/site-packages/torch/_tensor.py", line 522, in backward
    torch.autograd.backward(
RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: \
[torch.cuda.FloatTensor [2, 3]], which is output 0 of SigmoidBackward0, is at version 1; expected version 0 instead. \
Hint: enable anomaly detection to find the operation that failed to compute its gradient, with \
torch.autograd.set_detect_anomaly(True, check_nan=False).
"""
ANOMALY = """\
/opt/conda/lib/python3.10/site-packages/torch/autograd/__init__.py:251: UserWarning: Error detected in \
SigmoidBackward0. Traceback of forward call that caused the error:
  File "/cluster/u/run/code/train.py", line 7, in main
    net(torch.randn(2, 4)).sum().backward()
  File "/cluster/u/run/code/nets/head.py", line 11, in forward
    y = self.score(x).sigmoid()
 (Triggered internally at ../torch/csrc/autograd/python_anomaly_mode.cpp:114.)
"""


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / "nets").mkdir(parents=True)
    (folder / "nets" / "head.py").write_text(MODEL)
    (folder / "train.py").write_text(TRAIN)
    monkeypatch.chdir(folder)
    return folder


def best(report: Report) -> tuple[str, int]:
    (diagnosis,) = report.diagnoses
    write = diagnosis.candidates[0].write
    return write.path.replace("\\", "/"), write.line


def only(report: Report) -> Diagnosis:
    (diagnosis,) = report.diagnoses
    return diagnosis


@pytest.mark.parametrize("log", [LOG, ANOMALY + LOG], ids=["plain", "anomaly"])
def test_a_write_in_a_file_that_the_traceback_does_not_name(code: Path, log: str) -> None:
    diagnosis = only(diagnose(log, Path()))
    assert (diagnosis.candidates[0].write.path, diagnosis.candidates[0].write.line) == ("nets/head.py", WRITE)
    assert diagnosis.candidates[0].likelihood == "very likely"
    assert diagnosis.raised is not None
    assert (diagnosis.raised.path, diagnosis.raised.line) == ("train.py", 7)
    assert diagnosis.candidates[0].likelihood == "very likely"
    assert diagnosis.missing == []


def test_a_root_elsewhere(code: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(code.parent.parent)
    path, line = best(diagnose(LOG, code))
    assert (Path(path).resolve(), line) == (code / "nets" / "head.py", WRITE)


def test_paths_of_windows(code: Path) -> None:
    log = LOG.replace("/cluster/u/run/code/", "C:\\jobs\\code\\")
    assert best(diagnose(log, Path())) == ("nets/head.py", WRITE)


def test_of_two_files_the_one_with_the_code_of_the_log(code: Path) -> None:
    for name in ("a", "old/a"):
        (code / name).mkdir(parents=True)
        (code / name / "train.py").write_text("import torch\n\n\n\n\n\nprint(torch)\n")
    assert best(diagnose(LOG.replace("/code/", "/other/"), Path())) == ("nets/head.py", WRITE)


def test_two_files_that_could_be_it_are_told(code: Path) -> None:
    (code / "b").mkdir()
    (code / "b" / "train.py").write_text(TRAIN)
    (code / "train.py").rename(code / "nets" / "train.py")
    diagnosis = only(diagnose(LOG, Path()))
    assert any("2 files could be it" in what for what in diagnosis.missing)


def test_code_that_moved_since(code: Path) -> None:
    (code / "nets" / "head.py").write_text("# a comment\n\n" + MODEL)
    assert best(diagnose(ANOMALY + LOG, Path())) == ("nets/head.py", WRITE + 2)


def test_code_that_changed_since_is_told(code: Path) -> None:
    (code / "train.py").write_text(TRAIN.replace("net(torch.randn(2, 4)).sum().backward()", "net(torch.ones(2, 4))"))
    diagnosis = only(diagnose(LOG, Path()))
    assert any("changed since" in what for what in diagnosis.missing)


def test_a_file_of_that_name_with_other_code_is_not_taken_for_it(code: Path) -> None:
    (code / "train.py").write_text("import torch\nx = torch.zeros(2)\nx.sigmoid_()\n")
    diagnosis = only(diagnose(LOG, Path()))
    assert diagnosis.candidates == []
    assert any("none with the code of the log" in what for what in diagnosis.missing)


def test_another_version_of_a_package_is_told(code: Path) -> None:
    path = "/opt/conda/lib/python3.10/site-packages/pytest/__init__.py"
    log = LOG.replace("/cluster/u/run/code/train.py", path)
    assert any("another version of the package" in what for what in only(diagnose(log, Path())).missing)


def test_no_file_here(tmp_path: Path) -> None:
    report = diagnose(LOG, tmp_path)
    assert not report.complete
    diagnosis = only(report)
    assert diagnosis.candidates == []
    assert any("/cluster/u/run/code/train.py" in what and "--root" in what for what in diagnosis.missing)
    assert diagnosis.raised is not None
    assert (diagnosis.raised.path, diagnosis.raised.line) == ("/cluster/u/run/code/train.py", 7)


def test_an_error_without_its_traceback(code: Path) -> None:
    diagnosis = only(diagnose(LOG[LOG.index("RuntimeError") :], Path()))
    assert (diagnosis.candidates[0].write.path, diagnosis.candidates[0].write.line) == ("nets/head.py", WRITE)
    assert any("traceback" in what for what in diagnosis.missing)


def test_a_file_that_cannot_be_parsed_is_told(code: Path) -> None:
    (code / "train.py").write_text("def (:\n")
    diagnosis = only(diagnose(LOG, Path()))
    assert any("cannot be read as Python" in what for what in diagnosis.missing)


def test_a_traceback_without_its_error(code: Path) -> None:
    report = diagnose(LOG[: LOG.index("RuntimeError")], Path())
    assert report.diagnoses == []
    assert "ends without its error" in report.problems[0]
    assert "train.py, line 7" in report.problems[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("all went well\n", "no traceback"),
        (LOG[: LOG.index("RuntimeError")] + "KeyError: 'x'\n", "the last error is: KeyError"),
        (
            LOG[: LOG.index("RuntimeError")] + "RuntimeError: Expected to mark a variable ready only once.\n",
            "not by a write in place",
        ),
    ],
)
def test_a_log_without_such_an_error(text: str, words: str, tmp_path: Path) -> None:
    report = diagnose(text, tmp_path)
    assert not report.complete
    assert words in report.problems[0]


UNSEEN = """\
import torch
from accelerate import Accelerator
from transformers import AutoModel


def train(args, loader):
    accelerator = Accelerator()
    model = AutoModel.from_pretrained(args.name)
    optimizer = torch.optim.AdamW(model.parameters())
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.0)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        out = model(**batch)
        accelerator.backward(out.loss, retain_graph=True)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        accelerator.backward(out.logits.square().mean())
        optimizer.step()
"""


def test_the_step_of_an_optimizer_over_a_model_that_cannot_be_seen(code: Path) -> None:
    """The last one before the backward that failed, and not the schedule's."""
    (code / "train.py").write_text(UNSEEN)
    log = LOG.replace(
        'line 10, in <module>\n    main()\n  File "/cluster/u/run/code/train.py", line 7, in main', "line 18, in train"
    )
    log = log.replace("net(torch.randn(2, 4)).sum().backward()", "accelerator.backward(out.logits.square().mean())")
    log = log.replace("[2, 3]", "[768, 768]").replace("SigmoidBackward0", "AsStridedBackward0")
    first, second = only(diagnose(log, Path())).candidates
    assert (first.code, first.write.line, first.likelihood) == ("IPG107", 15, "likely")
    assert second.write.line == 19


def short(case: Case) -> str:
    return re.sub(r"\W", "_", case.name)


def split(program: str, name: str) -> tuple[str, str] | None:
    """A program in two files, with the same line numbers: `main` and what calls it, and all that it uses."""
    tree, lines = ast.parse(program), program.split("\n")
    used = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name != "main"]
    used += [
        name.id
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for name in ast.walk(node)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    ]
    imports = [lines[node.lineno - 1] for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    kept = {
        number
        for node in tree.body
        if isinstance(node, ast.If) or (isinstance(node, ast.FunctionDef) and node.name == "main")
        for number in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    if not used or lines[0] not in imports or "async" in program:
        return None
    library = ["" if number in kept else line for number, line in enumerate(lines, 1)]
    main = [line if number in kept else "" for number, line in enumerate(lines, 1)]
    main[0] = "; ".join([*imports, f"from {name} import {', '.join(used)}"])
    return "\n".join(main), "\n".join(library)


@pytest.mark.parametrize("case", cases()[2::12], ids=lambda case: case.name)
def test_programs_in_two_files(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"parts_{short(case)}"
    parts = split(case.program.read_text(), name)
    if parts is None:
        pytest.skip("its top level is not only imports, functions and classes")
    (tmp_path / "job.py").write_text(parts[0])
    (tmp_path / f"{name}.py").write_text(parts[1])
    monkeypatch.syspath_prepend(tmp_path)
    log = log_of(tmp_path / "job.py", anomaly=False)
    path, line = best(diagnose(log, tmp_path))
    assert line in case.lines
    assert (tmp_path / Path(path).name).read_text().split("\n")[line - 1]


@pytest.mark.slow
def test_among_other_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In two files, which import twenty files of ten other programs, each with a hazard of its own."""
    parts = {case: both for case in cases()[::3] if (both := split(case.program.read_text(), f"parts_{short(case)}"))}
    monkeypatch.syspath_prepend(tmp_path)
    wrong: dict[bool, list[str]] = {False: [], True: []}
    for number, (case, (main, library)) in enumerate(parts.items()):
        folder = tmp_path / f"p{number}"
        folder.mkdir()
        name = f"parts_{short(case)}"
        (folder / "job.py").write_text(main)
        (folder / f"{name}.py").write_text(library)
        others = random.Random(number).sample([other for other in parts if other != case], 10)
        for other in others:
            (folder / f"parts_{short(other)}.py").write_text(parts[other][1])
            (folder / f"job_{short(other)}.py").write_text(parts[other][0])
        monkeypatch.syspath_prepend(folder)
        for anomaly in wrong:
            (folder / f"{name}.py").write_text(library)
            log = log_of(folder / "job.py", anomaly)
            imports = ", ".join(f"{part}_{short(other)}" for other in others for part in ("parts", "job"))
            (folder / f"{name}.py").write_text(f"{library}\nimport {imports}\n")
            first = only(diagnose(log, folder)).candidates[:1]
            hit = any(Path(c.write.path).name in ("job.py", f"{name}.py") and c.write.line in case.lines for c in first)
            wrong[anomaly] += [] if hit else [case.name]
    assert len(parts) >= 50
    assert len(wrong[False]) <= 0.1 * len(parts), wrong
    assert len(wrong[True]) <= 0.03 * len(parts), wrong
