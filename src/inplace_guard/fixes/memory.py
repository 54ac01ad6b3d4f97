"""Which memory a value may share: abstract things, and the state of all names at one point of a function.

A thing is a tuple. ("new", node): what the expression `node` made, when it was run last; ("old", node): when it was run
before that. ("list", node), ("old list", node): the same for lists, dicts and objects, which hold other things.
("code", node): a function or class made here, which reads variables of this function when it runs.
("param", name), ("attr", path), ("global", name), ("outside",): memory that somebody else holds too.
("part", base, key, index): an item of `base`; parts of one key with different indices do not overlap.
("split", base, node): several views of `base` made by one call.
"""

from __future__ import annotations

import ast
from typing import Any

__all__ = ["NOTHING", "OUTSIDE", "State", "Thing", "Things", "base_of", "holder_of", "is_external", "overlap", "part"]

Thing = tuple[Any, ...]
Things = frozenset[Thing]
NOTHING: Things = frozenset()
OUTSIDE: Thing = ("outside",)
_OLDER = {"new": "old", "list": "old list"}
_DEEPEST = 6


def holder_of(block: ast.For | ast.AsyncFor | ast.With | ast.AsyncWith) -> str:
    """The name under which a state keeps what the iterator of a loop holds, or what a context manager does."""
    return f"<{type(block).__name__} {block.lineno}:{block.col_offset}>"


def base_of(thing: Thing) -> Thing:
    """The memory that a part is a part of."""
    while thing[0] in ("part", "split"):
        thing = thing[1]
    return thing


def is_external(thing: Thing) -> bool:
    """Whether code outside of the function holds it."""
    return base_of(thing)[0] in ("param", "attr", "global", "outside")


def part(base: Thing, key: Any, index: Any) -> Thing:
    depth = 0
    inner = base
    while inner[0] in ("part", "split"):
        depth += 1
        inner = inner[1]
    return ("part", base, key, index) if depth < _DEEPEST else base


def overlap(one: Thing, other: Thing) -> bool:
    """Whether a write to one may be seen in the other."""
    first, second = _chain(one), _chain(other)
    if first[0] != second[0]:
        return False
    for a, b in zip(first[1:], second[1:], strict=False):
        if a[0] != b[0]:  # different ways to cut
            return True
        if a[1] != b[1]:
            return a[1] is None or b[1] is None
    return True


def _chain(thing: Thing) -> list[Any]:
    """The memory, then (key, index) of each part on the way; the index None may be any."""
    steps: list[Any] = []
    while thing[0] in ("part", "split"):
        steps.append((thing[2], thing[3] if thing[0] == "part" else None))
        thing = thing[1]
    return [thing, *reversed(steps)]


class State:
    """What each name and attribute path may share, and what was handed to somebody who may have kept it."""

    __slots__ = ("escaped", "names")

    def __init__(self, names: dict[str, Things] | None = None, escaped: Things = NOTHING) -> None:
        self.names = names if names is not None else {}
        self.escaped = escaped

    def copy(self) -> State:
        return State(dict(self.names), self.escaped)

    def join(self, other: State) -> State:
        """Names that only one side knows keep what it knows; attributes may be what they were, too."""
        names = dict(self.names)
        for name, things in other.names.items():
            names[name] = names.get(name, _before(name)) | things
        for name in self.names.keys() - other.names.keys():
            names[name] |= _before(name)
        return State(names, self.escaped | other.escaped)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.names == other.names and self.escaped == other.escaped

    __hash__ = None  # type: ignore[assignment]

    def bind(self, path: str, things: Things) -> None:
        """A new value for the name; what is known of its attributes is forgotten."""
        prefix = path + "."
        for stale in [name for name in self.names if name.startswith(prefix)]:
            del self.names[stale]
        self.names[path] = things

    def make(self, node: ast.AST, kind: str = "new") -> Thing:
        """A thing made by an expression; what it made before, if anything still holds it, is an older thing."""
        thing = (kind, node)
        if thing in self.escaped or any(thing == base_of(t) for things in self.names.values() for t in things):
            self.names = {name: frozenset(_aged(t, thing) for t in things) for name, things in self.names.items()}
            self.escaped = frozenset(_aged(t, thing) for t in self.escaped)
        return thing

    def put(self, holder: Things, things: Things) -> None:
        """`things` are put into a list, dict or object: all names of the container hold them now."""
        if not things:
            return
        boxes = {t for t in holder if t[0] in ("list", "old list")}
        if any(is_external(t) for t in holder) or not boxes:
            self.escaped |= things
        if any(overlap(one, other) for one in things for other in holder):  # twice the same tensor in one container
            things |= {OUTSIDE}
        for name, held in self.names.items():
            if not boxes.isdisjoint(held):
                self.names[name] = held | things


def _before(name: str) -> Things:
    return frozenset((("attr", name),)) if "." in name else NOTHING


def _aged(thing: Thing, young: Thing) -> Thing:
    if thing[0] in ("part", "split"):
        base = _aged(thing[1], young)
        return thing if base is thing[1] else (thing[0], base, *thing[2:])
    return (_OLDER[thing[0]], *thing[1:]) if thing == young else thing
