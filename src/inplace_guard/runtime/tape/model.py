"""A backward graph as plain data: nodes, what they saved, the memory behind it. Holds no tensor and no node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from inplace_guard.findings import Site
from inplace_guard.runtime.tape.roles import Role

__all__ = ["ACCUMULATE", "Mark", "Node", "Save", "Storage", "Tape", "TapeError", "Totals"]

ACCUMULATE = "AccumulateGrad"
Order = Literal["forward", "backward"]


class TapeError(ValueError):
    """There is no tape to show; the message is one line and complete in itself."""


@dataclass(frozen=True, slots=True)
class Save:
    """One tensor that a node keeps. `role` says whether it is the node's own result or one of its inputs; `source` is
    the number of the node whose result it is. `storage` is None where no memory can be seen (a pack hook's value)."""

    name: str
    role: Role
    shape: tuple[int, ...]
    dtype: str
    nbytes: int
    storage: int | None
    source: int | None = None
    clobbered: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A write to the memory of a save. `step` is the number of the newest node that was there. `broke`: to the numbers
    of the nodes whose saves it clobbered."""

    site: Site
    step: int
    broke: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Storage:
    """One piece of memory that the graph keeps. `parameter`: it is there anyway, and kept by reference; `name` is that
    of the parameter or buffer. `savers` are the numbers of the nodes that saved it, oldest first."""

    number: int
    nbytes: int
    parameter: bool
    name: str | None
    savers: tuple[int, ...]
    writes: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    """One backward function. `number` counts in the order of the forward, from 1; the nodes that put gradients into
    leaves (AccumulateGrad) come after all others. `saved` is what it keeps; `site` is the call that made it, `module`
    the path of the module in which that ran; `inputs` are the nodes that its gradients go to."""

    number: int
    name: str
    sequence: int | None
    module: str | None
    site: Site | None
    shapes: tuple[tuple[int, ...] | None, ...]
    saved: tuple[Save, ...]
    inputs: tuple[int, ...]
    leaf: str | None = None  # of an AccumulateGrad: the parameter, or "leaf"
    freed: bool = False

    @property
    def kind(self) -> str:
        """`AddmmBackward0`: the name without its namespace."""
        return self.name.rsplit("::", 1)[-1]

    @property
    def clobbered(self) -> bool:
        return any(save.clobbered for save in self.saved)


@dataclass(frozen=True, slots=True)
class Totals:
    """`distinct_bytes`: each activation storage once; `each_bytes`: every saved activation by its own size;
    `parameter_bytes`: the parameters that are kept by reference."""

    nodes: int
    accumulate: int
    kinds: tuple[tuple[str, int], ...]
    saves: int
    distinct_bytes: int
    each_bytes: int
    parameter_bytes: int
    clobbered: int
    freed: int

    @property
    def all_nodes(self) -> int:
        return self.nodes + self.accumulate


@dataclass(frozen=True, slots=True)
class Tape:
    """Newest node first, AccumulateGrad last: the order in which backward can run them."""

    nodes: tuple[Node, ...]
    storages: tuple[Storage, ...] = ()
    title: str = ""
    predicted: tuple[int, ...] = field(default=(), repr=False)  # the order in which the engine will run the nodes

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)

    def __str__(self) -> str:
        from inplace_guard.runtime.tape.text import table

        return table(self)

    def ordered(self, order: Order) -> tuple[Node, ...]:
        """All nodes but AccumulateGrad, oldest or newest first."""
        inner = tuple(node for node in self.nodes if node.leaf is None)
        return inner if order == "backward" else inner[::-1]

    @property
    def totals(self) -> Totals:
        kinds = Counter(node.kind for node in self.nodes)
        accumulate = kinds.pop(ACCUMULATE, 0)
        parameters = {storage.number for storage in self.storages if storage.parameter}
        saves = [save for node in self.nodes for save in node.saved]
        return Totals(
            nodes=len(self.nodes) - accumulate,
            accumulate=accumulate,
            kinds=tuple(kinds.most_common()),
            saves=len(saves),
            distinct_bytes=sum(storage.nbytes for storage in self.storages if not storage.parameter),
            each_bytes=sum(save.nbytes for save in saves if save.storage not in parameters),
            parameter_bytes=sum(storage.nbytes for storage in self.storages if storage.parameter),
            clobbered=sum(save.clobbered for save in saves),
            freed=sum(node.freed for node in self.nodes),
        )

    def to_json(self) -> dict[str, Any]:
        from inplace_guard.runtime.tape.document import document

        return document(self)

    def to_dot(self) -> str:
        from inplace_guard.runtime.tape.dot import dot

        return dot(self)

    def to_html(self) -> str:
        """One page that needs nothing else: lifetimes, memory, graph."""
        from inplace_guard.report.html import page

        return page(self.to_json())

    def write_html(self, path: str | Path) -> None:
        Path(path).write_text(self.to_html(), encoding="utf-8")
