"""The abstract autograd graph: nodes, what they saved, and the writes that clobber it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inplace_guard.analysis.scope import Scope
    from inplace_guard.analysis.values import Tensor


class Place:
    """Where in the source, with the extent of the statement or expression.

    file: None in the file that is analysed, else the other file; `via` is then the call that led there.
    """

    __slots__ = ("column", "end_column", "end_line", "file", "line", "via")

    def __init__(self, node: Any, file: Scope | None = None, via: Place | None = None) -> None:
        self.file = file
        self.via = via
        self.line: int = node.lineno
        self.column: int = node.col_offset + 1
        self.end_line: int = node.end_lineno or node.lineno
        self.end_column: int = (node.end_col_offset or 0) + 1

    @property
    def here(self) -> Place | None:
        """The place in the analysed file: this one, or the call that led to it."""
        place: Place | None = self
        while place is not None and place.file is not None:
            place = place.via
        return place

    @property
    def abroad(self) -> Iterator[tuple[Scope, int]]:
        """The files and lines on the way from the analysed file to here."""
        place: Place | None = self
        while place is not None and place.file is not None:
            yield place.file, place.line
            place = place.via


class Save:
    """One tensor that a node keeps.

    how: "op", "opaque" (a callee that cannot be seen), "ctx" (an attribute of ctx), "foreign" (a tensor with a version
    counter of its own), "version" (only its version counts, its values are not read), "hooked" (under saved-tensor
    hooks), "checkpoint" (read again by the recomputation), "history" (nothing is kept: the node stands for values that
    were since replaced past autograd). req: whether what makes it keep it requires grad. whole: kept as itself, not as
    a view (a Linear keeps its transposed weight). weak: it may be other memory that it keeps.
    """

    __slots__ = ("how", "mem", "node", "req", "weak", "what", "whole")

    def __init__(
        self, mem: int, node: Node, what: str, how: str, req: int, whole: bool = True, weak: bool = False
    ) -> None:
        self.weak = weak
        self.mem = mem
        self.req = req
        self.node = node
        self.what = what
        self.how = how
        self.whole = whole


class Node:
    """One recorded op. `req` is MAYBE or YES; `replay`, of a custom Function, runs its backward."""

    __slots__ = ("function", "label", "loose", "op", "operands", "order", "parents", "place", "replay", "req", "saves")

    def __init__(self, op: str, place: Place, parents: tuple[Node, ...], req: int, label: str = "") -> None:
        self.op = op
        self.place = place
        self.parents = parents
        self.req = req
        self.label = label or op
        self.saves: tuple[Save, ...] = ()
        self.replay: Any = None
        self.order = 0  # when it was made: ids grow
        self.function: Any = None  # the function that was running
        self.loose: frozenset[Node] = frozenset()  # parents that may be others: of what was picked from a container
        self.operands: tuple[frozenset[int], ...] = ()  # of an add: what it added


class Write:
    """One write. `how`: "inplace", "optimizer", "data", "rebind" (x.data = y), "numpy", "dlpack", "storage",
    "unversioned" (fused steps, BatchNorm's buffers, apply_), "no_grad" (told to the counter, not to the graph)."""

    __slots__ = ("how", "label", "layer", "op", "part", "place", "sure", "through", "value", "weak")

    def __init__(
        self, op: str, place: Place, how: str, *, sure: bool = True, weak: bool = False, label: str = ""
    ) -> None:
        self.op = op
        self.place = place
        self.how = how
        self.value: Tensor | None = None  # what it went through
        self.through = ""  # the kind of that value
        self.part = False  # through a view, or to an item
        self.layer = False  # by an in-place module
        self.sure = sure  # the written value is certainly a tensor
        self.weak = weak  # it may be other memory that is written
        self.label = label or op

    @property
    def versioned(self) -> bool:
        return self.how in ("inplace", "optimizer", "no_grad")


class Mem:
    """What is known of one storage at one point of the program."""

    __slots__ = ("hist", "last", "req", "saves", "sure", "writes")

    def __init__(
        self,
        saves: tuple[Save, ...] = (),
        hist: tuple[Node, ...] = (),
        req: int = 0,
        sure: bool = False,
        writes: int = 0,
        last: Write | None = None,
    ) -> None:
        self.saves = saves
        self.hist = hist
        self.req = req
        self.sure = sure
        self.writes = writes
        self.last = last


EMPTY = Mem()


def join_mem(a: Mem, b: Mem) -> Mem:
    return Mem(
        a.saves if a.saves == b.saves else tuple(dict.fromkeys(a.saves + b.saves)),
        a.hist if a.hist == b.hist else tuple(dict.fromkeys(a.hist + b.hist)),
        max(a.req, b.req),
        a.sure or b.sure,
        max(a.writes, b.writes),
        a.last if a.last is not None and (b.last is None or a.writes >= b.writes) else b.last,
    )


class Hazard:
    """What a report is made from."""

    __slots__ = ("certain", "code", "needed", "save", "text", "write")

    def __init__(
        self,
        code: str,
        write: Write,
        save: Save | None = None,
        needed: tuple[str, Place] | None = None,
        certain: bool = True,
        text: str = "",
    ) -> None:
        self.code = code
        self.write = write
        self.save = save
        self.needed = needed
        self.certain = certain
        self.text = text
