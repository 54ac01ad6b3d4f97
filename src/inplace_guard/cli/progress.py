"""A progress bar on a terminal, and nothing elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

from inplace_guard.cli.streams import console

__all__ = ["progress_bar"]

_FIRST_AFTER = 0.5  # seconds; a bar that only flashes is noise
_BETWEEN = 0.1


@contextlib.contextmanager
def progress_bar(wanted: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Gives a function that takes (done, total), or None where nobody would see the bar."""
    if not (wanted and sys.stderr.isatty()):
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("checking"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # no refresh thread: worker processes are forked from this one
    bar = Progress(*columns, console=console(stderr=True), auto_refresh=False, transient=True)
    task = bar.add_task("files", total=None)
    due = time.monotonic() + _FIRST_AFTER

    def advance(done: int, total: int) -> None:
        nonlocal due
        now = time.monotonic()
        if now >= due:
            due = now + _BETWEEN
            bar.start()
            bar.update(task, completed=done, total=total)
            bar.refresh()

    try:
        yield advance
    finally:
        bar.stop()
