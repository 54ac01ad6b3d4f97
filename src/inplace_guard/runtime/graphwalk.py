"""The nodes below a root, and what each still holds for its backward. Iterative, so depth does not matter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from inplace_guard.runtime.memory import version_of
from inplace_guard.runtime.saves import Held

__all__ = [
    "Clobber",
    "Saved",
    "clobber_in",
    "clobber_of",
    "edges_of",
    "leaves_among",
    "node_name",
    "roots_of",
    "saved_by",
    "sequence_of",
    "walk",
]

_RAW = "_raw_saved_"
_DEEP = 20_000
_STACK = 120 << 20  # what Linux leaves free below the stack of a process
_NAMES: dict[type, tuple[str, ...]] = {}
_MODIFIED = "modified by an inplace operation"
_DETACHED = "detached in-place"
_VERSIONS = re.compile(r"is at version (\d+); expected version (\d+)")


@dataclass(slots=True)
class Saved:
    """One thing that a node saved. `value` is the tensor, or what a pack hook made of it (`hooked`)."""

    node: Any
    name: str
    index: int | None
    raw: Any
    value: Any
    hooked: bool
    held: Held | None = None  # in the modes that follow every save

    @property
    def of_leaf(self) -> bool:
        """Whether its memory is that of a leaf that requires grad: a parameter, or a view of one."""
        value = self.value
        if not isinstance(value, torch.Tensor):
            return False
        with torch._C.DisableTorchFunction():
            leaf = value._base if value._base is not None else value
            return leaf.is_leaf and leaf.requires_grad


@dataclass(frozen=True, slots=True)
class Clobber:
    """PyTorch's own verdict on a saved tensor. Versions are None where the text gives none."""

    version: int | None
    expected: int | None
    text: str


def roots_of(outputs: Iterable[Any]) -> list[Any]:
    """The nodes that a backward starts from: of tensors, of `GradientEdge`s; leaves have none."""
    nodes = []
    for output in outputs:
        node = getattr(output, "node", None) if not isinstance(output, torch.Tensor) else output.grad_fn
        if node is not None:
            nodes.append(node)
    return nodes


def edges_of(outputs: Iterable[Any]) -> list[tuple[Any, int]]:
    """The nodes that a backward starts from, each with the number of the output."""
    edges = []
    for output in outputs:
        if isinstance(output, torch.Tensor):
            if output.grad_fn is not None:
                edges.append((output.grad_fn, output.output_nr))
        elif getattr(output, "node", None) is not None:
            edges.append((output.node, output.output_nr))
    return edges


def walk(roots: Iterable[Any]) -> Iterator[Any]:
    seen: set[Any] = set()
    stack = list(roots)[::-1]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if len(seen) == _DEEP:
            _deepen_stack()
        yield node
        for below, _ in node.next_functions:
            if below is not None and below not in seen:
                stack.append(below)


def leaves_among(nodes: Iterable[Any]) -> frozenset[int]:
    """The ids of the leaf tensors whose gradients these nodes accumulate."""
    return frozenset(id(node.variable) for node in nodes if hasattr(node, "variable"))


def _deepen_stack() -> None:
    """PyTorch frees a graph without recursion, except the nodes that Python has seen: 50,000 of them in a row overflow
    the usual 8 MiB. Linux lets the stack of the main thread grow to the limit of the moment, so raise that."""
    try:
        import resource
    except ImportError:  # Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = _STACK if hard == resource.RLIM_INFINITY else min(_STACK, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))


def sequence_of(node: Any) -> int | None:
    number = getattr(node, "_sequence_nr", None)
    return number() if number is not None else None


def node_name(node: Any) -> str:
    return str(node.name())


def _attributes(node: Any) -> tuple[str, ...]:
    kind = type(node)
    names = _NAMES.get(kind)
    if names is None:
        found = sorted({name[len(_RAW) :] for name in dir(kind) if name.startswith(_RAW)})
        names = tuple(found)
        if kind.__name__ != "CppFunction":
            _NAMES[kind] = names
    return names


def saved_by(node: Any) -> Iterator[Saved]:
    """Nothing for a node that backward has freed."""
    for name in _attributes(node):
        try:
            raw = getattr(node, _RAW + name)
        except (RuntimeError, AttributeError):
            continue
        if isinstance(raw, (tuple, list)):
            for index, entry in enumerate(raw):
                if entry is not None:
                    yield from _one(node, name, index, entry)
        elif raw is not None:
            yield from _one(node, name, None, raw)


def _one(node: Any, name: str, index: int | None, raw: Any) -> Iterator[Saved]:
    try:
        value = raw.data
    except (RuntimeError, AttributeError):
        return
    if value is None:
        return
    if isinstance(value, Held):
        yield Saved(node, name, index, raw, value.tensor, hooked=False, held=value)
        return
    hook = getattr(raw, "unpack_hook", None)
    yield Saved(node, name, index, raw, value, hook is not None or not isinstance(value, torch.Tensor))


def clobber_of(saved: Saved) -> Clobber | None:
    """Ask PyTorch whether this saved tensor would still be accepted. Never runs a user's unpack hook."""
    if saved.hooked:
        return None
    if saved.held is not None:
        version, expected = version_of(saved.value), saved.held.version
        return Clobber(version, expected, "") if version is not None and version != expected else None
    try:
        if saved.index is None:
            getattr(saved.node, f"_saved_{saved.name}")
        else:
            saved.raw.unpack()
    except RuntimeError as error:
        clobber = clobber_in(str(error))
        if clobber is None and _DETACHED in str(error):
            return Clobber(None, None, str(error)) if saved.index is None else _clobbered_output(saved)
        return clobber
    except AttributeError:
        return None
    return None


def clobber_in(text: str) -> Clobber | None:
    """The verdict that a text of PyTorch's contains."""
    if _MODIFIED not in text:
        return None
    found = _VERSIONS.search(text)
    return Clobber(int(found[1]), int(found[2]), text) if found else Clobber(None, None, text)


def _clobbered_output(saved: Saved) -> Clobber | None:
    """A custom Function's own output can only be unpacked together with all that it saved."""
    try:
        saved.node.saved_tensors  # noqa: B018
    except RuntimeError as error:
        clobber = clobber_in(str(error))
        if clobber is not None and version_of(saved.value) == clobber.version:
            return clobber
    return None
