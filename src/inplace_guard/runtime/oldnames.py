"""`y = f(x)` where f works in place and returns its argument, and `x` is read again as if it still held the old values.

Whether memory is shared is seen when it is written; whether the old name is read again stands in the source. A guess
about what was meant, so it is reported as likely and never raises.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from types import CodeType, FrameType
from typing import Any

import torch

from inplace_guard.runtime.capture import FILES, Place, is_library
from inplace_guard.runtime.careful import careful
from inplace_guard.runtime.compat import quiet
from inplace_guard.runtime.journal import Write
from inplace_guard.runtime.memory import Region, overlap, region_of
from inplace_guard.runtime.textnames import Given, Source, root_of_part, source_of

__all__ = ["OldNames"]

_DEPTH = 16
_SETTLED = {"relu", "relu_", "relu6", "clamp_", "hardtanh", "threshold", "abs_", "zero_", "fill_", "hardtanh_"}


class OldNames:
    """`found(kind, write, words)`: "old_name" of what a call was given, "second_name" of what was put aside."""

    def __init__(self, found: Callable[[str, Write, str], None]) -> None:
        self._found = found
        self._given: dict[tuple[CodeType, int], tuple[Given, ...]] = {}
        self._sources: dict[str, Source | None] = {}

    @careful
    def note(self, writes: Sequence[Write], frame: FrameType) -> None:
        if sys.version_info < (3, 11) or len(writes) != 1 or writes[0].region is None:
            return
        write = writes[0]
        current: FrameType | None = frame
        callee: FrameType | None = None  # the innermost function of the user's that the current frame called
        innermost: FrameType | None = None
        renames = False  # the write is `new = old.op_()`
        for _ in range(_DEPTH):
            if current is None:
                return
            code = current.f_code
            if not FILES[code.co_filename]:
                if is_library(code.co_filename):
                    return
                given = self._given_at(code, current.f_lasti)
                if given and (
                    callee is None or renames or self._returns_alias(callee, write.region) or _is_hook(callee)
                ):
                    for entry in given:
                        # An item is often the state that a function is there to change, unless it thinks it has a copy.
                        if entry.part is not None and (callee is not innermost or not self._wrote_a_copy(write)):
                            continue
                        if self._is_read_again(entry, current, write):
                            return
                if callee is None:
                    innermost = current
                    source = self._source(code.co_filename)
                    if source is None:
                        return
                    place = Place(code, current.f_lasti)
                    renames = source.renames(place)
                    for entry in source.second_names(place):
                        if self._is_second_name(entry, current, write):
                            return
                callee = current
            current = current.f_back

    def bound_by_call(self, write: Write) -> bool:
        """Whether the local name that is written there was bound to what a call returned, as if that were new."""
        source = self._source(write.place.code.co_filename) if sys.version_info >= (3, 11) else None
        return source is not None and source.bound_by_call(write.place)

    def _wrote_a_copy(self, write: Write) -> bool:
        """Whether the name that is written there was bound to `x.contiguous()` or the like, as if that were new."""
        source = self._source(write.place.code.co_filename)
        return source is not None and source.bound_to_copy(write.place)

    def _is_read_again(self, given: Given, frame: FrameType, write: Write) -> bool:
        settled = given.again and getattr(write.func, "__name__", "") in _SETTLED
        value = frame.f_locals.get(given.name) if given.part is None else _item(given.part, frame)
        assert write.region is not None
        if settled or not _shares(value, write.region):
            return False
        name = frame.f_code.co_filename.replace("\\", "/").rsplit("/", 1)[-1]
        kind = "second_name" if given.of else "old_name"
        self._found(
            kind,
            write,
            f"`{given.name}` in place, which is read again at {name}:{given.line} as if it held the old values",
        )
        return True

    def _is_second_name(self, given: Given, frame: FrameType, write: Write) -> bool:
        """`saved = x[a:b]` or `saved = x`, then `x[a:b] = …`: what was put aside is overwritten with it."""
        value, original = frame.f_locals.get(given.name), frame.f_locals.get(given.of)
        if not isinstance(value, torch.Tensor) or not isinstance(original, torch.Tensor):
            return False
        with quiet():
            if value is not original and region_of(value) != write.region:
                return False
        return self._is_read_again(given, frame, write)

    def _given_at(self, code: CodeType, lasti: int) -> tuple[Given, ...]:
        key = (code, lasti)
        known = self._given.get(key)
        if known is None:
            source = self._source(code.co_filename)
            known = self._given[key] = tuple(source.given(Place(code, lasti))) if source is not None else ()
        return known

    def _source(self, path: str) -> Source | None:
        if path not in self._sources:
            self._sources[path] = source_of(path)
        return self._sources[path]

    def _returns_alias(self, callee: FrameType, region: Region) -> bool:
        """Whether this function gives back, as far as its source shows, a tensor on the memory that was written."""
        source = self._source(callee.f_code.co_filename)
        names = source.returned.get(callee.f_code.co_firstlineno, ()) if source is not None else ()
        local = callee.f_locals if names else {}
        return any(_shares(local.get(name), region) for name in names)


def _shares(value: Any, region: Region) -> bool:
    if not isinstance(value, torch.Tensor):
        return False
    with quiet():
        own = region_of(value)
    return own is not None and overlap(own, region)


def _is_hook(frame: FrameType) -> bool:
    """Whether a module calls this beside its forward: what it writes of the input is written for the caller, too."""
    caller = frame.f_back
    if caller is None or caller.f_code.co_filename != torch.nn.modules.module.__file__:
        return False
    forward = getattr(caller.f_locals.get("self"), "forward", None)
    return forward is not None and getattr(forward, "__code__", None) is not frame.f_code


def _item(part: ast.expr, frame: FrameType) -> Any:
    """What stands there, looked up without running anybody's code."""
    owner = frame.f_locals.get(root_of_part(part) or "")
    if isinstance(part, ast.Attribute):
        return getattr(owner, "__dict__", {}).get(part.attr)
    if isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Constant):
        key = part.slice.value
        if type(owner) is dict:
            return owner.get(key)
        if isinstance(owner, (list, tuple)) and isinstance(key, int) and key < len(owner):
            return owner[key]
    return None
