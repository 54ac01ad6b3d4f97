"""The backward graph of the mini-GPT, with a break or without."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from torch import Tensor

from inplace_guard.runtime.tape import TapeError
from inplace_guard.runtime.tape.command import show, show_savings
from minigpt_fixture import registry
from minigpt_fixture.case import build_case
from minigpt_fixture.errors import UsageError

__all__ = ["loss", "show_tape"]


def loss(break_name: str = registry.CONTROL, *, repaired: bool = False) -> Tensor:
    """One forward of a new model on the first batch."""
    case = build_case(break_name, repaired=repaired)
    return case.loss_fn(case.model(case.batch.tokens), case.batch.targets)


def show_tape(
    break_name: str,
    *,
    repaired: bool,
    order: Literal["forward", "backward"],
    form: str,
    html: Path | None,
    savings: bool,
) -> tuple[str, int]:
    """The text to print, and the exit code: 1 if the backward meets a hazard."""

    def forward() -> Tensor:
        return loss(break_name, repaired=repaired)

    title = f"mini-GPT, {break_name}{', fixed' if repaired else ''}" if break_name != registry.CONTROL else "mini-GPT"
    try:
        if savings:
            return show_savings(forward, title, as_json=form == "json")
        return show(forward, title, order, form, html)
    except TapeError as error:
        raise UsageError(str(error)) from None
