"""`tape(tensor)`: the graph of a tensor as a list, with the lines that made it if a guard was watching."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from inplace_guard.findings import Site
from inplace_guard.runtime import active
from inplace_guard.runtime.compat import quiet
from inplace_guard.runtime.graphwalk import node_name, roots_of, saved_by, sequence_of, walk
from inplace_guard.runtime.modules import ModulePaths
from inplace_guard.runtime.sites import call_site

__all__ = ["Node", "Tape", "tape"]


@dataclass(frozen=True, slots=True)
class Node:
    """One backward function. `saved` names what it keeps, with shapes; `site` is the call that made it."""

    name: str
    sequence: int | None
    saved: tuple[tuple[str, tuple[int, ...]], ...]
    site: Site | None


@dataclass(frozen=True, slots=True)
class Tape:
    """Newest node first."""

    nodes: tuple[Node, ...]

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)

    def __str__(self) -> str:
        lines = []
        for node in self.nodes:
            saved = ", ".join(f"{name} {list(shape)}" for name, shape in node.saved)
            where = f"  {node.site.path}:{node.site.line}" if node.site is not None else ""
            inside = f" {node.site.module}" if node.site is not None and node.site.module else ""
            lines.append(f"{node.name}{inside}" + (f"  saves {saved}" if saved else "") + where)
        return "\n".join(lines)


def tape(tensor: torch.Tensor) -> Tape:
    """The graph below this tensor; lines are known for what ran under a guard of this thread that is still active."""
    session = active.current()
    paths = ModulePaths()
    nodes = []
    with quiet():
        for node in walk(roots_of([tensor])):
            number = sequence_of(node)
            call = session.recorder.journal.call_of(number) if session is not None and number is not None else None
            saved = tuple(
                (entry.name if entry.index is None else f"{entry.name}[{entry.index}]", tuple(entry.value.shape))
                for entry in saved_by(node)
                if isinstance(entry.value, torch.Tensor)
            )
            where = call_site(call, paths) if call is not None and call.func is not None else None
            nodes.append(Node(node_name(node), number, saved, where))
    nodes.sort(key=lambda node: -(node.sequence if node.sequence is not None and node.sequence < 1 << 62 else -1))
    return Tape(tuple(nodes))
