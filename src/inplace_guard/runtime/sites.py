"""Places of calls and writes as `Site`s, with the words that a person would use."""

from __future__ import annotations

import dis
import sys
from typing import Any

from inplace_guard.findings import Site
from inplace_guard.runtime.capture import FILES, Place, is_library, site
from inplace_guard.runtime.journal import Call, Write
from inplace_guard.runtime.modules import ModulePaths

__all__ = ["call_site", "op_name", "place_of", "seen_from", "short", "write_site"]


def op_name(func: Any) -> str:
    if func is None:
        return "a call the guard does not see"
    name = getattr(func, "__name__", None) or str(func)
    if name in ("__get__", "__set__"):
        owner = getattr(getattr(func, "__self__", None), "__name__", "")
        return f".{owner}" if name == "__get__" else f".{owner} ="
    return {"__setitem__": "[...] =", "__getitem__": "[...]"}.get(name, str(name))


def place_of(write: Write) -> Place:
    """The innermost frame of the write that is neither torch's nor ours."""
    for place in write.frames:
        if not FILES[place.code.co_filename]:
            return place
    return write.frames[-1]


def seen_from(write: Write) -> Place | None:
    """If the write stands in installed code: the innermost frame of the user's own that led there."""
    if not is_library(place_of(write).code.co_filename):
        return None
    for place in write.frames:
        name = place.code.co_filename
        if not FILES[name] and not is_library(name):
            return place
    return None


def write_site(write: Write, paths: ModulePaths) -> Site:
    place = place_of(write)
    if write.optimizer:
        return site(place, op=f"{write.optimizer}.step", module=None)
    name = op_name(write.func)
    sign = _operator(place)
    if sign and not name.startswith("["):
        name = f"{name} ({sign})"
    elif sign:
        name = f"[...] {sign}"
    return site(place, op=name, module=paths.path(write.module))


def call_site(call: Call, paths: ModulePaths) -> Site:
    return site(call.place, op=op_name(call.func), module=paths.path(call.module))


def _operator(place: Place) -> str | None:
    """`+=` where the write is an augmented assignment."""
    code, lasti = place
    if lasti < 0:
        return None
    if sys.version_info >= (3, 11):
        if dis.opname[code.co_code[lasti]] == "BINARY_OP":
            symbol = dis._nb_ops[code.co_code[lasti + 1]][1]  # type: ignore[attr-defined]
            return str(symbol) if str(symbol).endswith("=") else None
        return None
    name = dis.opname[code.co_code[lasti]]
    return _INPLACE_OPCODES.get(name)


_INPLACE_OPCODES = {
    "INPLACE_ADD": "+=", "INPLACE_SUBTRACT": "-=", "INPLACE_MULTIPLY": "*=", "INPLACE_TRUE_DIVIDE": "/=",
    "INPLACE_FLOOR_DIVIDE": "//=", "INPLACE_POWER": "**=", "INPLACE_MATRIX_MULTIPLY": "@=", "INPLACE_AND": "&=",
    "INPLACE_OR": "|=", "INPLACE_XOR": "^=", "INPLACE_MODULO": "%=",
}  # fmt: skip


def short(where: Site) -> str:
    """`model.py:31`."""
    return f"{where.path.replace(chr(92), '/').rsplit('/', 1)[-1]}:{where.line}"
