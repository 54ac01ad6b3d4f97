"""Standard input and output, which may be closed, full or gone."""

from __future__ import annotations

import contextlib
import os
import sys

import click

__all__ = ["drop_stdout", "read_stdin", "replace_closed"]


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
