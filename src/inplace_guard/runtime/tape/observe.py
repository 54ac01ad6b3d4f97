"""A function that returns a loss, run under the guard: its tape, its hazards, and when backward frees what it saved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from inplace_guard.findings import Finding
from inplace_guard.runtime import active
from inplace_guard.runtime.capture import Place
from inplace_guard.runtime.guard import guard
from inplace_guard.runtime.tape.collect import collect
from inplace_guard.runtime.tape.document import document
from inplace_guard.runtime.tape.lifetimes import Lifetimes, measure
from inplace_guard.runtime.tape.model import Order, Tape, TapeError
from inplace_guard.runtime.tape.trace import Trace

__all__ = ["Observation", "loss_of", "observe", "require_unspent"]

_INSIDE = ("__func__", "__wrapped__", "func")  # a method, a decorated function, a partial


@dataclass(frozen=True, slots=True)
class Observation:
    tape: Tape
    lifetimes: Lifetimes
    findings: tuple[Finding, ...]

    def document(self, order: Order = "backward") -> dict[str, Any]:
        return document(self.tape, self.lifetimes, self.findings, order)


def observe(function: Callable[[], Any], title: str = "") -> Observation:
    """Calls the function once, looks at the graph of its loss, and runs the backward of that loss.

    The hazards are those that the backward meets; it runs all the same, without the guard, as PyTorch would.
    """
    with guard() as watch, Trace(keep=True) as trace:
        session = active.current()
        assert session is not None
        session.recorder.every_call = True
        loss = loss_of(function)
        collected = collect([loss], session, trace, title)
        require_unspent(collected.tape)
        findings = [*watch.findings, *session.foresee((loss,), _place_of(function))]
    tape = collected.tape
    trace.kept.clear()

    def backward() -> None:
        torch.autograd.backward(loss, torch.ones_like(loss))

    return Observation(tape, measure(collected, backward), tuple(dict.fromkeys(findings)))


def loss_of(function: Callable[[], Any]) -> torch.Tensor:
    loss = function()
    loss = getattr(loss, "loss", loss) if not isinstance(loss, torch.Tensor) else loss
    if not isinstance(loss, torch.Tensor):
        raise TapeError(f"the function returned {_an(type(loss).__name__)}, not a tensor: return the loss")
    if loss.grad_fn is None:
        raise TapeError("the loss has no history: nothing that it was computed from requires grad")
    return loss


def require_unspent(tape: Tape) -> None:
    if tape.totals.freed:
        raise TapeError(
            "the graph is freed: the function has run the backward of this loss itself; return the loss before"
        )


def _an(name: str) -> str:
    return "None" if name == "NoneType" else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def _place_of(function: Callable[[], Any]) -> Place:
    """Where a report says that the loss is needed: the definition of the function that returns it."""
    inner: Any = function
    while (held := next((getattr(inner, name) for name in _INSIDE if hasattr(inner, name)), None)) is not None:
        inner = held
    code: Any = getattr(inner, "__code__", None) or getattr(type(inner).__call__, "__code__", None)
    return Place(code if code is not None else _place_of.__code__, 0)
