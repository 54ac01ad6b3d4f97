"""Runs the learner's file, in a process of its own: `python -m minigpt_fixture.lesson.examine MODE BREAK FILE RESULT`.

Writes what happened as JSON into RESULT. The file is somebody's work in progress: whatever it does is an answer.
"""

from __future__ import annotations

import json
import sys
import traceback
import types
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from minigpt_fixture import registry
from minigpt_fixture.case import Batch, MiniGPTCase, batch_of, build_case, case_of
from minigpt_fixture.corpus import corpus
from minigpt_fixture.damage import control_case
from minigpt_fixture.measure import StepResult
from minigpt_fixture.training import evaluate

MODULE = "lesson_file"
CHANGED = "modified by an inplace operation"

Answer = dict[str, Any]


class _Stop(Exception):
    """The file cannot be used; carries the answer."""

    def __init__(self, kind: str, **facts: Any) -> None:
        super().__init__(kind)
        self.answer: Answer = {"kind": kind, **facts}


def check(break_name: str, file: Path) -> Answer:
    """Two training steps with two seeds, each compared with the file put right. `kind` says what came of it:

    `right`, `syntax`, `error`, `class` (Block or Trainer is not there), `parameters` (others than before), `raises`,
    `loss` (the model computes something else), `gradients` (missing or different ones).
    """
    names = _load(file, break_name)
    for seed in (0, 1):
        twin, case = build_case(break_name, seed=seed, repaired=True), _case(names, file, seed)
        _same_parameters(twin, case)
        case.model.load_state_dict(twin.model.state_dict())
        windows = corpus().training_windows(case.model.config.block_size, seed)
        for step in (1, 2):
            batch = batch_of(next(windows))
            right = twin.trainer.training_step(*batch).item()
            loss = _step(file, case, batch)
            if not abs(loss - right) <= 1e-4 * abs(right):  # also if it is not a number
                raise _Stop("loss", loss=loss, right=right, seed=seed, step=step)
            result, wanted = _gradients(case), _gradients(twin)
            missing, differing = result.missing(), result.differing(wanted)
            if missing or differing:
                raise _Stop("gradients", missing=missing, differing=differing, parameters=list(wanted.gradients))
    return {"kind": "right"}


def train(break_name: str, file: Path, steps: int = 300) -> Answer:
    """Trains with the file, and then with the control that takes as many steps."""
    results = {}
    for name, case in (("yours", _case(_load(file, break_name), file, 0)), ("control", control_case(break_name))):
        windows = corpus().training_windows(case.model.config.block_size, 0)
        losses = []
        for _ in range(steps):
            batch = batch_of(next(windows))
            losses.append(_step(file, case, batch))
        held_out = evaluate(case.model)
        results[name] = {"first": losses[0], "loss": held_out.loss, "accuracy": held_out.accuracy}
    return {"kind": "trained", "steps": steps, **results}


def anomaly(break_name: str, file: Path) -> Answer:
    """One step under anomaly mode; what it prints of the forward is in `stack`."""
    case = _case(_load(file, break_name), file, 0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with torch.autograd.detect_anomaly(check_nan=False):
                loss = _step(file, case, case.batch)
        except _Stop as stop:
            reports = [str(w.message) for w in caught if "Error detected in" in str(w.message)]
            return {**stop.answer, "stack": reports[-1] if reports else None}
    return {"kind": "passed", "loss": loss}


def gradients(break_name: str, file: Path) -> Answer:
    """The gradients of the first step, a parameter each, against those of the file put right."""
    twin, case = build_case(break_name, repaired=True), _case(_load(file, break_name), file, 0)
    _same_parameters(twin, case)
    _step(file, case, case.batch)
    twin.trainer.training_step(*twin.batch)
    result, wanted = _gradients(case), _gradients(twin)
    return {
        "kind": "compared",
        "missing": result.missing(),
        "differing": result.differing(wanted),
        "parameters": list(wanted.gradients),
    }


def guard(break_name: str, file: Path) -> Answer:
    """One step under the guard, and its findings."""
    from inplace_guard.runtime.guard import guard as new_guard

    case, watch = _case(_load(file, break_name), file, 0), new_guard()
    try:
        with watch:
            case.trainer.training_step(*case.batch)
    except RuntimeError as error:
        if not watch.findings:
            raise _error(error, file) from error
    except BaseException as error:
        raise _error(error, file) from error
    return {"kind": "guarded", "findings": [finding.to_json() for finding in watch.findings]}


def _load(file: Path, break_name: str) -> Mapping[str, Any]:
    try:
        source = file.read_text(encoding="utf-8")
        code = compile(source, str(file), "exec")
    except SyntaxError as error:
        raise _Stop("syntax", message=error.msg, line=error.lineno, text=(error.text or "").rstrip()) from error
    except ValueError as error:  # not UTF-8, or a null byte
        raise _Stop("syntax", message=str(error), line=None, text="") from error
    module = types.ModuleType(MODULE)
    sys.modules[MODULE] = module
    _guarded(file, lambda: exec(code, vars(module)))
    wanted = next(name for name in ("Trainer", "Block") if name in registry.load(break_name))
    found = vars(module).get(wanted)
    if not isinstance(found, type) or found.__module__ != MODULE:
        raise _Stop("class", name=wanted)
    return {wanted: found}


def _case(names: Mapping[str, Any], file: Path, seed: int) -> MiniGPTCase:
    case: MiniGPTCase = _guarded(file, lambda: case_of(names, seed=seed))
    return case


def _guarded(file: Path, step: Callable[[], Any]) -> Any:
    """The step's result; whatever it raises becomes an answer, SystemExit too."""
    try:
        return step()
    except BaseException as error:
        if isinstance(error, RuntimeError) and CHANGED in str(error):
            raise _Stop("raises", message=str(error)) from error
        raise _error(error, file) from error


def _step(file: Path, case: MiniGPTCase, batch: Batch) -> float:
    """The loss of one training step."""
    loss: float = _guarded(file, lambda: _loss_of(case.trainer.training_step(*batch)))
    return loss


def _error(error: BaseException, file: Path) -> _Stop:
    """Its last line in the learner's file."""
    rows = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    line, text = (rows[-1].lineno, rows[-1].line) if rows else (None, "")
    message = f"{type(error).__name__}: {error}".partition("\n")[0].rstrip(": ")
    return _Stop("error", message=message, line=line, text=text)


def _loss_of(loss: Any) -> float:
    if not isinstance(loss, Tensor) or loss.numel() != 1:
        raise TypeError("training_step should return the loss, a tensor of one number")
    return loss.item()


def _same_parameters(twin: MiniGPTCase, case: MiniGPTCase) -> None:
    right = {name: list(p.shape) for name, p in twin.model.named_parameters()}
    found = {name: list(p.shape) for name, p in case.model.named_parameters()}
    if right != found:
        raise _Stop(
            "parameters",
            missing=sorted(right.keys() - found.keys()),
            added=sorted(found.keys() - right.keys()),
            reshaped=[name for name in right if name in found and right[name] != found[name]],
        )


def _gradients(case: MiniGPTCase) -> StepResult:
    return StepResult(None, {name: p.grad for name, p in case.model.named_parameters()}, None)


MODES: dict[str, Callable[[str, Path], Answer]] = {
    "check": check,
    "train": train,
    "anomaly": anomaly,
    "gradients": gradients,
    "guard": guard,
}


def answer(mode: str, break_name: str, file: Path) -> Answer:
    try:
        return MODES[mode](break_name, file)
    except _Stop as stop:
        return stop.answer


if __name__ == "__main__":
    torch.set_num_threads(1)
    mode, break_name, file, result = sys.argv[1:]
    Path(result).write_text(json.dumps(answer(mode, break_name, Path(file))), encoding="utf-8")
