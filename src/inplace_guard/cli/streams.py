"""Standard input and output, which may be closed, full or gone."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["console", "drop_stdout", "read_stdin", "replace_closed"]


def console(*, stderr: bool = False, soft_wrap: bool = False) -> Console:
    """What prints text with styles. With NO_COLOR there are no escape codes at all, FORCE_COLOR or not."""
    from rich.console import Console

    system = None if os.environ.get("NO_COLOR") else "auto"
    options: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False, "color_system": system}
    return Console(stderr=stderr, soft_wrap=soft_wrap, **options)


def read_stdin() -> bytes:
    if sys.stdin is None:
        raise click.UsageError("standard input (-) is closed")
    return sys.stdin.buffer.read()


def replace_closed() -> None:
    """`>&-`: what is printed goes nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115


def drop_stdout() -> None:
    """Nobody reads it, or it is full: what is left in it must not fail once more when Python ends."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
