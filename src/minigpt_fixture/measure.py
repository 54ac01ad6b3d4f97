"""Counts what PyTorch really recorded: the nodes of a backward graph and the tensors that they hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.autograd.graph import Node

__all__ = ["SavedBytes", "StepResult", "graph_nodes", "node_kinds", "run_step", "saved_bytes", "saved_names"]

ACCUMULATE = "AccumulateGrad"


def graph_nodes(root: Tensor) -> list[Node]:
    """Every node that backward would visit, each once. Iterative: depth is no limit."""
    if root.grad_fn is None:
        raise ValueError("the tensor has no history: nothing in its computation requires grad")
    seen: dict[Node, None] = {}
    stack = [root.grad_fn]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen[node] = None
            stack.extend(parent for parent, _ in node.next_functions if parent is not None)
    return list(seen)


def kind(node: Node) -> str:
    """`AddmmBackward0`, `AccumulateGrad`: the name without its namespace."""
    return node.name().rsplit("::", 1)[-1]


def node_kinds(root: Tensor) -> Counter[str]:
    return Counter(kind(node) for node in graph_nodes(root))


def saved_tensors(node: Node) -> dict[str, Tensor]:
    """By the name that PyTorch gives them: `self`, `weight`, `result` and so on."""
    prefix = "_saved_"
    found = {name.removeprefix(prefix): getattr(node, name) for name in dir(node) if name.startswith(prefix)}
    return {name: value for name, value in found.items() if isinstance(value, Tensor)}


def saved_names(root: Tensor) -> dict[str, tuple[str, ...]]:
    """For each kind of node, all names under which one of them holds a tensor."""
    names: dict[str, set[str]] = {}
    for node in graph_nodes(root):
        names.setdefault(kind(node), set()).update(saved_tensors(node))
    return {key: tuple(sorted(value)) for key, value in sorted(names.items())}


@dataclass(frozen=True, slots=True)
class SavedBytes:
    """`distinct`: each activation storage once. `each`: every saved activation by its own size, shared memory counted
    each time. `parameters`: the parameter storages that are held by reference."""

    distinct: int
    each: int
    parameters: int


def saved_bytes(root: Tensor, parameters: Iterable[Tensor]) -> SavedBytes:
    """What the graph behind `root` keeps alive, by walking it."""
    held = (tensor for node in graph_nodes(root) for tensor in saved_tensors(node).values())
    return count_bytes(held, parameters)


def count_bytes(held: Iterable[Tensor], parameters: Iterable[Tensor]) -> SavedBytes:
    own = {p.untyped_storage().data_ptr() for p in parameters}
    activations: dict[int, int] = {}
    weights: dict[int, int] = {}
    each = 0
    for tensor in list(held):  # an address is given out again as soon as its tensor is gone
        storage = tensor.untyped_storage()
        if storage.data_ptr() in own:
            weights[storage.data_ptr()] = storage.nbytes()
        else:
            activations[storage.data_ptr()] = storage.nbytes()
            each += tensor.nbytes
    return SavedBytes(sum(activations.values()), each, sum(weights.values()))


@dataclass(frozen=True)
class StepResult:
    """One training step: its loss and gradients, or the error that ended it."""

    loss: float | None
    gradients: dict[str, Tensor | None]
    error: str | None

    def missing(self) -> list[str]:
        return [name for name, gradient in self.gradients.items() if gradient is None]

    def differing(self, control: StepResult, rtol: float = 1e-4, atol: float = 1e-7) -> list[str]:
        """The parameters whose gradient is there and is not the control's."""
        names = []
        for name, gradient in self.gradients.items():
            expected = control.gradients[name]
            if gradient is None or expected is None:
                continue
            largest = max(gradient.abs().max().item(), expected.abs().max().item())
            if not (gradient - expected).abs().max().item() <= atol + rtol * largest:
                names.append(name)
        return names


def run_step(break_name: str, *, seed: int = 0, repaired: bool = False, detect_anomaly: bool = False) -> StepResult:
    """The first training step of a break. An error other than a changed saved tensor is not caught."""
    from minigpt_fixture.case import build_case

    case = build_case(break_name, seed=seed, repaired=repaired)
    loss, error = None, None
    try:
        with torch.autograd.set_detect_anomaly(detect_anomaly):
            loss = case.trainer.training_step(*case.batch).item()
    except RuntimeError as raised:
        if "modified by an inplace operation" not in str(raised):
            raise
        error = str(raised)
    return StepResult(loss, {name: p.grad for name, p in case.model.named_parameters()}, error)
