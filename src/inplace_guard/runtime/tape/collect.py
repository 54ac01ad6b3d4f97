"""From PyTorch's graph to a `Tape`: iterative, so depth does not matter; it runs nothing and keeps nothing."""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from inplace_guard.findings import Site
from inplace_guard.runtime.compat import quiet
from inplace_guard.runtime.graphwalk import Saved, node_name, roots_of, saved_by, sequence_of, walk
from inplace_guard.runtime.memory import base_of
from inplace_guard.runtime.modules import ModulePaths
from inplace_guard.runtime.session import Session
from inplace_guard.runtime.sites import call_site
from inplace_guard.runtime.tape.hazards import Hazards
from inplace_guard.runtime.tape.model import ACCUMULATE, Node, Save, Storage, Tape, TapeError
from inplace_guard.runtime.tape.owners import owners
from inplace_guard.runtime.tape.roles import Role, role_by_name
from inplace_guard.runtime.tape.trace import Trace

__all__ = ["Collected", "collect", "predicted_order"]

_ENDLESS = 1 << 62  # AccumulateGrad nodes count from the other end
_FREED = "already been freed"
_METADATA = "_input_metadata"  # private, and not in every torch


@dataclass(slots=True)
class Collected:
    """The tape, and PyTorch's own nodes and the memory behind its storages, each by number."""

    tape: Tape
    nodes: dict[int, Any]
    memory: dict[int, torch.UntypedStorage]


def collect(outputs: Sequence[Any], session: Session | None, trace: Trace | None = None, title: str = "") -> Collected:
    """The session's journal tells the lines; `trace` the modules, better than the stack of a call does."""
    with quiet():
        roots = roots_of(outputs)
        if not roots:
            raise TapeError("the tensor has no history: nothing that it was computed from requires grad")
        return _Collector(roots, session, trace).run(title)


class _Collector:
    def __init__(self, roots: list[Any], session: Session | None, trace: Trace | None) -> None:
        self._journal = session.recorder.journal if session is not None else None
        self._trace = trace
        self._paths = ModulePaths()
        self._owners = owners(self._paths)
        if trace is not None:
            self._owners.update(trace.names.owners())
        self._hazards = Hazards(roots, session, self._paths, trace)
        self._roots = roots
        self._numbers: dict[Any, int] = {}
        self._by_base: dict[int, int] = {}  # address -> number of the storage
        self._tensors: dict[int, Any] = {}  # a tensor of each storage
        self._savers: dict[int, list[tuple[int, Saved]]] = {}
        self._leaves: set[int] = set()

    def run(self, title: str) -> Collected:
        walked = list(walk(self._roots))
        inner = [node for node in walked if not _is_leaf(node)]
        inner.sort(key=_age)  # stable: equal numbers stay as they were met
        by_number = dict(enumerate([*inner, *(node for node in walked if _is_leaf(node))], start=1))
        self._numbers = {node: number for number, node in by_number.items()}
        self._leaves = {base_of(node.variable) for node in walked if _is_leaf(node)}
        nodes = [self._node(number, node) for number, node in by_number.items()]
        ages = [_age(node) for node in inner]
        storages = tuple(self._storage(base, number, ages) for base, number in self._by_base.items())
        order = tuple(self._numbers[node] for node in predicted_order(self._roots, walked))
        memory = {number: tensor.untyped_storage() for number, tensor in self._tensors.items()}
        backwards = (*reversed(nodes[: len(inner)]), *nodes[len(inner) :])
        return Collected(Tape(backwards, storages, title, order), by_number, memory)

    def _node(self, number: int, node: Any) -> Node:
        sequence = sequence_of(node)
        leaf = self._leaf_name(node) if _is_leaf(node) else None
        site, module = self._made_at(sequence) if leaf is None and sequence is not None else (None, None)
        if leaf is not None:
            module = leaf.rpartition(".")[0] or None
        saved = tuple(self._save(number, node, entry) for entry in saved_by(node)) if leaf is None else ()
        return Node(
            number,
            _name(node),
            sequence,
            module,
            site,
            _shapes(node),
            saved,
            tuple(self._numbers[below] for below, _ in node.next_functions if below is not None),
            leaf,
            freed=leaf is None and not saved and _is_freed(node),
        )

    def _made_at(self, sequence: int) -> tuple[Site | None, str | None]:
        call = self._journal.call_of(sequence) if self._journal is not None else None
        where = call_site(call, self._paths) if call is not None and call.func is not None else None
        if self._trace is not None:
            return where, self._trace.module_of(sequence)
        return where, where.module if where is not None else None

    def _save(self, number: int, node: Any, saved: Saved) -> Save:
        label = saved.name if saved.index is None else f"{saved.name}[{saved.index}]"
        value = saved.value
        if not isinstance(value, torch.Tensor):
            return Save(label, "input", (), f"what a pack hook made: {type(value).__name__}", 0, None)
        role, source = self._origin(node, saved)
        base = base_of(value)
        storage = None
        if base:
            storage = self._by_base.setdefault(base, len(self._by_base) + 1)
            self._tensors.setdefault(storage, value)
            self._savers.setdefault(storage, []).append((number, saved))
        dtype = str(value.dtype).removeprefix("torch.")
        size = value.numel() * value.element_size()
        return Save(label, role, tuple(value.shape), dtype, size, storage, source, self._hazards.broke(saved))

    def _origin(self, node: Any, saved: Saved) -> tuple[Role, int | None]:
        maker = None
        try:
            if saved.hooked or saved.held is not None:
                pass  # only a hook could unpack it
            elif saved.index is None:
                maker = getattr(node, f"_saved_{saved.name}").grad_fn
            else:
                maker = (node.saved_tensors[saved.index] if saved.name == "tensors" else saved.raw.unpack()).grad_fn
        except (RuntimeError, AttributeError):  # it is clobbered
            pass
        if maker is None:
            return role_by_name(node_name(node), saved.name), None
        return ("result", None) if maker == node else ("input", self._numbers.get(maker))

    def _storage(self, base: int, number: int, ages: list[int]) -> Storage:
        tensor, savers = self._tensors[number], self._savers[number]
        owner = self._owners.get(base)
        parameter = base in self._leaves or (owner is not None and owner.parameter)
        marks = self._hazards.marks(base, tensor, savers, lambda sequence: bisect_left(ages, sequence))
        return Storage(
            number,
            tensor.untyped_storage().nbytes(),
            parameter,
            owner.name if owner is not None else None,
            tuple(dict.fromkeys(saver for saver, _ in savers)),
            tuple(mark for mark in marks if mark.broke or not parameter),  # not how it was initialised
        )

    def _leaf_name(self, node: Any) -> str:
        owner = self._owners.get(base_of(node.variable))
        return owner.name if owner is not None else "leaf"


def predicted_order(roots: Sequence[Any], walked: Sequence[Any]) -> list[Any]:
    """The order in which the engine runs the nodes: each when all that hand it a gradient have run, of those that are
    ready the newest first, and AccumulateGrad before all."""
    waiting = Counter(below for node in walked for below, _ in node.next_functions if below is not None)
    ready = [(-_order(node), index, node) for index, node in enumerate(dict.fromkeys(roots)) if not waiting[node]]
    heapq.heapify(ready)
    met = len(ready)
    order = []
    while ready:
        node = heapq.heappop(ready)[2]
        order.append(node)
        for below, _ in node.next_functions:
            if below is None:
                continue
            waiting[below] -= 1
            if not waiting[below]:
                met += 1
                heapq.heappush(ready, (-_order(below), met, below))
    return order


def _order(node: Any) -> int:
    number = sequence_of(node)
    return number if number is not None else 0


def _age(node: Any) -> int:
    return min(_order(node), _ENDLESS)


def _is_leaf(node: Any) -> bool:
    return node_name(node).endswith(ACCUMULATE)


def _name(node: Any) -> str:
    """A custom Function made without a name is called `Backward` by PyTorch."""
    name = node_name(node)
    return name if name not in ("", "Backward") else "Backward (a custom Function without a name)"


def _shapes(node: Any) -> tuple[tuple[int, ...] | None, ...]:
    """Of the results, as the node remembers them; None where this torch does not tell."""
    try:
        return tuple(tuple(int(size) for size in data.shape) for data in getattr(node, _METADATA))
    except (AttributeError, RuntimeError, TypeError, ValueError):
        return ()


def _is_freed(node: Any) -> bool:
    """Whether a backward has taken what this node had saved."""
    for name in dir(type(node)):
        if name.startswith("_saved_") or name == "saved_tensors":
            try:
                getattr(node, name)
            except RuntimeError as error:
                if _FREED in str(error):
                    return True
            except AttributeError:
                pass
    return False
