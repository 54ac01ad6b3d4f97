"""A tape in the DOT language of Graphviz: modules as boxes, nodes that saved something overwritten in red."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_guard.runtime.tape.model import Node, Tape
from inplace_guard.runtime.tape.text import kib, shape_words

__all__ = ["dot"]


def dot(tape: Tape) -> str:
    """Edges go from a result to the op that took it; backward runs against them."""
    lines = [
        "digraph tape {",
        f"  label={_quoted(tape.title)}; rankdir=TB; compound=true;",
        '  node [shape=box, style="rounded,filled", fillcolor=white, fontname="sans-serif", fontsize=10];',
        '  graph [fontname="sans-serif", fontsize=10, style="rounded", color=gray];',
    ]
    lines += _modules(tape)
    lines += [f"  n{below} -> n{node.number};" for node in tape.nodes for below in node.inputs]
    return "\n".join([*lines, "}"]) + "\n"


def _modules(tape: Tape) -> Iterator[str]:
    """The nodes, each inside the box of its module. Modules of one path stand together when sorted by it."""
    by_module: dict[tuple[str, ...], list[Node]] = {}
    for node in tape.nodes:
        by_module.setdefault(tuple(node.module.split(".")) if node.module else (), []).append(node)
    at: tuple[str, ...] = ()
    for path in [*sorted(by_module), ()]:
        common = next((i for i, (a, b) in enumerate(zip(at, path, strict=False)) if a != b), min(len(at), len(path)))
        yield from ("  " * depth + "}" for depth in range(len(at), common, -1))
        for depth in range(common, len(path)):
            name = _quoted("cluster_" + ".".join(path[: depth + 1]))
            yield "  " * (depth + 1) + f"subgraph {name} {{ label={_quoted(path[depth])};"
        at = path
        yield from ("  " * (len(path) + 1) + _node(node) for node in by_module.pop(path, ()))


def _node(node: Node) -> str:
    size = sum(save.nbytes for save in node.saved)
    words = [f"#{node.number} {node.leaf or node.kind}", " ".join(shape_words(shape) for shape in node.shapes)]
    if size:
        words.append(f"saves {kib(size)}")
    look = ", fillcolor=lightyellow" if node.leaf is not None else ""
    look = ', color=red, fillcolor="#ffd0d0"' if node.clobbered else look
    return f"n{node.number} [label={_quoted(chr(10).join(filter(None, words)))}{look}];"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
