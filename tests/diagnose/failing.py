"""Logs of programs that fail: what Python prints to stderr when it runs them."""

from __future__ import annotations

import contextlib
import io
import json
import sys
import traceback
import types
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch

CORPUS = Path(__file__).parents[1] / "corpus"


@dataclass(frozen=True)
class Case:
    """A labelled program that raises. `lines` are those that write."""

    program: Path
    lines: frozenset[int]

    @property
    def name(self) -> str:
        return self.program.parent.name


@cache
def cases() -> list[Case]:
    found = []
    for path in sorted(CORPUS.glob("*/*/label.json")):
        label = json.loads(path.read_text())
        if label["outcome"] == "raises":
            lines = frozenset([*label["hazard_lines"], *label.get("write_runs_at_lines", [])])
            found.append(Case(path.parent / "before.py", lines))
    return found


def log_of(program: Path, anomaly: bool) -> str:
    """Runs a program as `python program`, and gives its stderr."""
    stderr = io.StringIO()
    module = types.ModuleType("__main__")
    module.__file__ = str(program)
    main, grad = sys.modules["__main__"], torch.is_grad_enabled()
    sys.modules["__main__"] = module
    try:
        with contextlib.redirect_stderr(stderr), warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = lambda *args, **_: stderr.write(warnings.formatwarning(*args[:4]))
            warnings.filterwarnings("ignore", message="Anomaly Detection has been enabled")
            with torch.autograd.set_detect_anomaly(anomaly):
                exec(compile(program.read_bytes(), str(program), "exec"), module.__dict__)
    except Exception as error:
        trace = error.__traceback__
        assert trace is not None
        stderr.write("".join(traceback.format_exception(type(error), error, trace.tb_next)))
        return stderr.getvalue()
    finally:
        sys.modules["__main__"] = main
        torch.set_grad_enabled(grad)
    raise AssertionError(f"{program} does not raise")
