"""Tracebacks of Jupyter, IPython and Colab: the notebook is found, and its cell and line are named."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from inplace_guard.diagnose import diagnose

from .test_log import ERROR

MODEL = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(4, 3)

    def forward(self, x):
        y = self.score(x).sigmoid()
        y *= 2
        return y
"""
STEP = """\
loss = Net()(torch.randn(2, 4)).sum()
loss.backward()
"""
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": "# A model"},
        {"cell_type": "code", "execution_count": 4, "source": "import torch\nfrom torch import nn\n%pip list"},
        {"cell_type": "code", "execution_count": 5, "source": MODEL.splitlines(keepends=True), "outputs": []},
        {"cell_type": "code", "execution_count": 6, "source": STEP, "outputs": []},
    ],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
}  # fmt: skip
WRITE = (3, 8)  # cell, line
LOG = f"""\
---------------------------------------------------------------------------
RuntimeError                              Traceback (most recent call last)
Cell In[6], line 2
      1 loss = Net()(torch.randn(2, 4)).sum()
----> 2 loss.backward()

File /env/lib/python3.11/site-packages/torch/_tensor.py:623, in Tensor.backward(self, gradient, inputs)
    613 if has_torch_function_unary(self):
    614     return handle_torch_function(
--> 623 torch.autograd.backward(

{ERROR.replace("[16, 1]", "[2, 3]").replace("AsStridedBackward0", "SigmoidBackward0")}
"""
ANOMALY = """\
/env/lib/python3.11/site-packages/torch/autograd/graph.py:979: UserWarning: Error detected in SigmoidBackward0. \
Traceback of forward call that caused the error:
  File "/env/lib/python3.11/site-packages/IPython/core/interactiveshell.py", line 3699, in run_code
    exec(code_obj, self.user_global_ns, self.user_ns)
  File "/tmp/ipykernel_77/1234.py", line 1, in <module>
    loss = Net()(torch.randn(2, 4)).sum()
  File "/tmp/ipykernel_77/5678.py", line 7, in forward
    y = self.score(x).sigmoid()
 (Triggered internally at /pytorch/torch/csrc/autograd/python_anomaly_mode.cpp:122.)
"""
CELL = re.compile(r"Cell In\[(\d+)\], line \d+")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "train.ipynb").write_text(json.dumps(NOTEBOOK))
    other = {**NOTEBOOK, "cells": [{**NOTEBOOK["cells"][1], "source": "import torch\nx = torch.ones(3)\nx += 1"}]}  # type: ignore[dict-item, index]
    (tmp_path / "work" / "other.ipynb").write_text(json.dumps(other))
    (tmp_path / "work" / "broken.ipynb").write_text("{")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "log",
    [
        pytest.param(LOG, id="now"),
        pytest.param(ANOMALY + LOG, id="anomaly mode"),
        pytest.param(CELL.sub(r"Input In [\1], in <cell line: 2>()", LOG), id="IPython 8.0"),
        pytest.param(CELL.sub(r"<ipython-input-\1-0a1b2c3d4e5f> in <module>", LOG), id="IPython 7"),
        pytest.param(CELL.sub(r"/tmp/ipython-input-\1-1234567.py in <cell line: 0>()", LOG), id="Colab"),
        pytest.param(CELL.sub("/tmp/ipykernel_77/1234.py in <module>", LOG), id="ipykernel 6"),
        pytest.param(CELL.sub("File <command-1866439>:2, in <module>", LOG), id="Databricks"),
        pytest.param(CELL.sub("Cell In[31], line 2", LOG), id="run again since"),
        pytest.param(re.sub(r"(.*)\n", "[papermill] \\1\n", LOG), id="prefix"),
    ],
)
def test_the_cell_is_named(log: str, folder: Path) -> None:
    (diagnosis,) = diagnose(log, Path()).diagnoses
    first = diagnosis.candidates[0]
    assert (first.write.path, first.write.cell, first.write.line) == ("work/train.ipynb", *WRITE)
    assert first.write.source == "y *= 2"
    assert first.reasons[0].startswith("sigmoid on line 7 of cell 3 saved its result")
    assert diagnosis.raised is not None
    assert (diagnosis.raised.cell, diagnosis.raised.line) == (4, 2)
    assert diagnosis.to_json()["candidates"][0]["write"]["cell"] == 3
    assert any("inplace_guard.guard()" in what for what in diagnosis.advice)


def test_a_notebook_that_was_saved_with_its_error(folder: Path) -> None:
    colours = [f"\x1b[31m{line}\x1b[39m" for line in LOG.splitlines()]
    output = {"output_type": "error", "ename": "RuntimeError", "evalue": ERROR[14:], "traceback": ["\n".join(colours)]}
    cells = [dict(cell) for cell in NOTEBOOK["cells"]]  # type: ignore[union-attr, call-overload, arg-type]
    cells[3]["outputs"] = [output]
    (diagnosis,) = diagnose(json.dumps({**NOTEBOOK, "cells": cells}, indent=1), Path()).diagnoses
    assert (diagnosis.candidates[0].write.cell, diagnosis.candidates[0].write.line) == WRITE


def test_no_such_notebook(tmp_path: Path) -> None:
    (diagnosis,) = diagnose(LOG, tmp_path).diagnoses
    assert diagnosis.candidates == []
    assert any("no notebook with this code" in what for what in diagnosis.missing)
