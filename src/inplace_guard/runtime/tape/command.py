"""What the commands that show a tape print, and the exit code: 0 shown, 1 there is a hazard."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inplace_guard.report.html import page
from inplace_guard.report.text import frame
from inplace_guard.runtime.tape.dot import dot
from inplace_guard.runtime.tape.model import Order, TapeError
from inplace_guard.runtime.tape.observe import Observation, observe
from inplace_guard.runtime.tape.target import last_words
from inplace_guard.runtime.tape.text import kib, savings_text, table, totals

__all__ = ["show", "show_savings", "write"]


def show(
    function: Callable[[], Any], title: str, order: Order = "backward", form: str = "text", html: Path | None = None
) -> tuple[str, int]:
    if html is not None:
        _touch(html)
    with _one_line(title):
        observed = observe(function, title)
    code = int(bool(observed.findings or observed.lifetimes.error))
    if html is not None:
        text = page(observed.document(order))
        write(html, text)
        lines = [*totals(observed.tape), *_life(observed), f"{html}: written, {kib(len(text.encode()))}"]
        return "\n".join(lines), code
    if form == "json":
        return json.dumps(observed.document(order), indent=2), code
    if form == "dot":
        return dot(observed.tape).rstrip(), code
    return "\n".join([table(observed.tape, order), *_life(observed)]), code


@contextmanager
def _one_line(title: str) -> Iterator[None]:
    try:
        yield
    except TapeError as error:
        raise TapeError(f"{title}: {error}") from None
    except (Exception, SystemExit) as error:
        raise TapeError(f"{title} raised {last_words(error)}") from error


def _life(observed: Observation) -> list[str]:
    life = observed.lifetimes
    lines = [f"at most {kib(life.peak)} of activations held at one time"]
    if life.error is not None:
        lines.append(f"backward raised at #{life.stopped_at}: {life.error}")
    elif life.curve and life.curve[-1]:
        lines.append(f"{kib(life.curve[-1])} of them outlive the backward: something else holds them")
    for finding in observed.findings:
        lines += ["", *(line.plain for line in frame(finding))]
    return lines


def _touch(path: Path) -> None:
    """Whether it can be written is found out before the function runs."""
    try:
        path.open("a").close()
    except OSError as error:
        raise TapeError(f"--html: cannot write {path}: {error.strerror or error}") from None


def write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise TapeError(f"--html: cannot write {path}: {error.strerror or error}") from None


def show_savings(function: Callable[[], Any], title: str, *, as_json: bool) -> tuple[str, int]:
    from inplace_guard.runtime.tape.savings import find_savings

    with _one_line(title):
        found = find_savings(function)
    return (json.dumps(found.to_json(), indent=2) if as_json else savings_text(found)), 0
