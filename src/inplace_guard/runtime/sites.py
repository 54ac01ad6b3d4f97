"""Places of calls and writes as `Site`s, with the words that a person would use."""

from __future__ import annotations

import dis
import sys
from typing import Any

import torch

from inplace_guard.findings import Site
from inplace_guard.runtime.builders import built_at
from inplace_guard.runtime.capture import FILES, Place, Stack, is_library, site
from inplace_guard.runtime.journal import Call, ModuleRef, Write
from inplace_guard.runtime.modules import ModulePaths

__all__ = ["call_site", "op_name", "outer_site", "short", "site_of", "write_site"]

_MODULE_CALL = getattr(torch.nn.Module, "_wrapped_call_impl", torch.nn.Module.__call__).__code__
_HIDDEN = {
    "numpy": "write through NumPy",
    "dlpack": "write through DLPack",
    "storage": "write to the raw storage",
    "pointer": "write through a raw pointer",
}


def op_name(func: Any) -> str:
    if func is None:
        return "a call that the guard does not see"
    name = getattr(func, "__name__", None) or str(func)
    if name in ("__get__", "__set__"):
        owner = getattr(getattr(func, "__self__", None), "__name__", "")
        return f".{owner}" if name == "__get__" else f".{owner} ="
    return {"__setitem__": "[...] =", "__getitem__": "[...]"}.get(name, str(name))


def write_site(write: Write, paths: ModulePaths) -> Site:
    if write.optimizer:
        return site(write.place, op=f"{write.optimizer}.step")
    if write.hidden:
        return site(write.place, op=_HIDDEN.get(write.func, str(write.func)))
    return site_of(write.stack, op_name(write.func), write.module, paths)


def site_of(stack: Stack, name: str, module: ModuleRef | None, paths: ModulePaths) -> Site:
    """The innermost frame that is the user's, or the line that built the in-place module which ran in a container."""
    frames = [Place(code, lasti) for code, lasti in stack]
    place = next((place for place in frames if not FILES[place.code.co_filename]), frames[-1])
    inside = [frame for frame in frames[: frames.index(place)] if frame.code is _MODULE_CALL]
    path = paths.path(module)
    running = module() if module is not None and inside else None
    if running is not None and len(inside) > 1:
        built = built_at(running, paths.holders(running))
        if built is not None:
            return Site(built.path, built.line, built.column, built.op, path, built.source)
    if running is not None and getattr(running, "inplace", False):
        name = f"{type(running).__name__}(inplace=True)"
    sign = None if inside else _operator(place)
    if sign:
        name = f"[...] {sign}" if name.startswith("[") else f"{name} ({sign})"
    return site(place, op=name, module=path)


def outer_site(stack: Stack, shown: Site) -> Site | None:
    """One more place worth naming: where the user's own code led to this one, or where it ran."""
    own = [Place(code, lasti) for code, lasti in stack if not FILES[code.co_filename]]
    if not own:
        return None
    first = site(own[0])
    if (first.path, first.line) != (shown.path, shown.line):
        return first
    if is_library(own[0].code.co_filename):
        for place in own:
            if not is_library(place.code.co_filename):
                return site(place)
    return None


def call_site(call: Call, paths: ModulePaths) -> Site:
    return site(call.place, op=op_name(call.func), module=paths.path(call.module))


def _operator(place: Place) -> str | None:
    """`+=` where the write is an augmented assignment."""
    code, lasti = place
    if lasti < 0 or lasti + 1 >= len(code.co_code):
        return None
    if sys.version_info >= (3, 11):
        if dis.opname[code.co_code[lasti]] == "BINARY_OP":
            symbol = str(dis._nb_ops[code.co_code[lasti + 1]][1])  # type: ignore[attr-defined]
            return symbol if symbol.endswith("=") else None
        return None
    return _INPLACE_OPCODES.get(dis.opname[code.co_code[lasti]])


_INPLACE_OPCODES = {
    "INPLACE_ADD": "+=", "INPLACE_SUBTRACT": "-=", "INPLACE_MULTIPLY": "*=", "INPLACE_TRUE_DIVIDE": "/=",
    "INPLACE_FLOOR_DIVIDE": "//=", "INPLACE_POWER": "**=", "INPLACE_MATRIX_MULTIPLY": "@=", "INPLACE_AND": "&=",
    "INPLACE_OR": "|=", "INPLACE_XOR": "^=", "INPLACE_MODULO": "%=",
}  # fmt: skip


def short(where: Site) -> str:
    """`model.py:31`."""
    return f"{where.path.replace(chr(92), '/').rsplit('/', 1)[-1]}:{where.line}"
