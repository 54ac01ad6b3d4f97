"""The backward graph of the mini-GPT, cut into the steps of the course's walk: embedding to loss, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.graph import Node
from torch.overrides import TorchFunctionMode

from minigpt_fixture.case import MiniGPTCase, build_case
from minigpt_fixture.measure import ACCUMULATE, graph_nodes, kind, saved_tensors

__all__ = ["BLOCK", "PARTS", "Saved", "Step", "Walk", "walk"]

Shape = tuple[int, ...]

# The calls of one block in their order, each with the number that the course gives the step.
BLOCK = (
    ("layer_norm", 3),
    ("linear", 4),
    ("view", 7),
    ("transpose", 7),
    ("linear", 5),
    ("view", 7),
    ("transpose", 7),
    ("linear", 6),
    ("view", 7),
    ("transpose", 7),
    ("transpose", 9),
    ("matmul", 9),
    ("div", 10),
    ("add", 11),
    ("softmax", 12),
    ("matmul", 13),
    ("transpose", 14),
    ("reshape", 14),
    ("linear", 15),
    ("add", 16),
    ("layer_norm", 17),
    ("linear", 18),
    ("gelu", 19),
    ("linear", 20),
    ("add", 21),
)
BEFORE = (("embedding", 1), ("embedding", 2), ("add", 2))
AFTER = (("layer_norm", 22), ("linear", 23), ("view", 24), ("cross_entropy", 25))
LOG_SOFTMAX, NLL = 25, 26  # both nodes of cross_entropy

PARTS: Mapping[str, tuple[int, ...]] = {
    "embedding": (1, 2),
    "layer norms": (3, 17, 22),
    "attention": (4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16),
    "feed-forward": (18, 19, 20, 21),
    "LM head and loss": (23, 24, LOG_SOFTMAX, NLL),
}


@dataclass(frozen=True)
class Saved:
    """One saved tensor. `owner`: `parameter`, `new` memory, or `shared` with an earlier save. Bytes of its storage."""

    node: str
    name: str
    shape: Shape
    nbytes: int
    owner: str


@dataclass
class Step:
    """One step of the walk in one block (-1: outside). Nodes are in forward order."""

    number: int
    block: int
    nodes: list[Node] = field(default_factory=list)
    saved: list[Saved] = field(default_factory=list)
    arrives: Shape = ()
    sends: list[Shape] = field(default_factory=list)
    parameters: dict[str, Shape] = field(default_factory=dict)

    @property
    def output(self) -> Shape:
        return _output_shape(self.nodes[-1])


@dataclass(frozen=True)
class Walk:
    case: MiniGPTCase
    steps: list[Step]

    def of(self, block: int) -> list[Step]:
        return [step for step in self.steps if step.block == block]

    def bytes_of(self, numbers: Iterable[int]) -> int:
        """New activation memory that these steps save."""
        wanted = set(numbers)
        saved = (s for step in self.steps if step.number in wanted for s in step.saved)
        return sum(s.nbytes for s in saved if s.owner == "new")


class _Calls(TorchFunctionMode):
    """Notes each call that made nodes, with the sequence numbers of those nodes."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[tuple[str, range]] = []

    def __torch_function__(self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
        before = torch._C._autograd._get_sequence_nr()
        result = func(*args, **(kwargs or {}))
        after = torch._C._autograd._get_sequence_nr()
        if after > before:
            name = func.__name__.strip("_").removeprefix("r")
            self.made.append(({"truediv": "div", "eshape": "reshape"}.get(name, name), range(before, after)))
        return result


def walk(case: MiniGPTCase | None = None) -> Walk:
    """One forward and backward of the control. Raises ValueError if the calls are not those of the walk."""
    case = case or build_case()
    with _Calls() as calls:
        loss = case.loss_fn(case.model(case.batch.tokens), case.batch.targets)
    nodes = graph_nodes(loss)
    by_number = {node._sequence_nr(): node for node in nodes if kind(node) != ACCUMULATE}
    steps: dict[tuple[int, int], Step] = {}
    expected = [(op, n, -1) for op, n in BEFORE]
    expected += [(op, n, b) for b in range(case.model.config.n_layers) for op, n in BLOCK]
    expected += [(op, n, -1) for op, n in AFTER]
    if [op for op, _ in calls.made] != [op for op, _, _ in expected]:
        raise ValueError(f"the model makes other calls: {[op for op, _ in calls.made]}")
    for (_, numbers), (_, step, block) in zip(calls.made, expected, strict=True):
        for number in numbers:
            if number in by_number:
                at = NLL if kind(by_number[number]) == "NllLossBackward0" else step
                steps.setdefault((block, at), Step(at, block)).nodes.append(by_number[number])
    found = Walk(case, list(steps.values()))
    _note_saved(found)
    _note_backward(found, loss)
    return found


def _note_saved(found: Walk) -> None:
    parameters = {p.untyped_storage().data_ptr() for p in found.case.model.parameters()}
    seen: set[int] = set()
    for step in found.steps:
        for node in step.nodes:
            for name, tensor in saved_tensors(node).items():
                storage = tensor.untyped_storage()
                where = storage.data_ptr()
                owner = "parameter" if where in parameters else "shared" if where in seen else "new"
                seen.add(where)
                step.saved.append(Saved(kind(node), name, tuple(tensor.shape), storage.nbytes(), owner))


def _note_backward(found: Walk, loss: Tensor) -> None:
    """The gradient that arrives at each step, what it sends to other steps, and what it leaves in parameters."""
    names = {id(p): name for name, p in found.case.model.named_parameters()}
    homes = {node: step for step in found.steps for node in step.nodes}

    def at(step: Step, node: Node) -> Callable[[tuple[Tensor | None, ...], tuple[Tensor | None, ...]], None]:
        def hook(sent: tuple[Tensor | None, ...], arrived: tuple[Tensor | None, ...]) -> None:
            if node is step.nodes[-1] and arrived[0] is not None:
                step.arrives = tuple(arrived[0].shape)
            for (target, _), grad in zip(node.next_functions, sent, strict=False):
                if grad is None or target is None:
                    continue
                variable = getattr(target, "variable", None)
                if variable is not None:
                    step.parameters[names[id(variable)]] = tuple(grad.shape)
                elif homes[target] is not step:
                    step.sends.append(tuple(grad.shape))

        return hook

    handles = [node.register_hook(at(step, node)) for node, step in homes.items()]
    loss.backward()  # type: ignore[no-untyped-call]
    for handle in handles:
        handle.remove()


def _output_shape(node: Node) -> Shape:
    return tuple(node._input_metadata[0].shape)


def embedding_rows(model: nn.Module) -> int:
    """How many rows of the token embedding have a gradient that is not zero."""
    weight: Any = model.get_parameter("tok_emb.weight").grad
    return int((weight != 0).any(dim=1).sum())
