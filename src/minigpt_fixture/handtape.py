"""A tape by hand: reverse-mode differentiation over NumPy arrays in about a hundred lines, without torch.

It saves what backward will read by reference, as PyTorch does, so that a write in place breaks it in the same way. Only
the version counter tells: with `check_versions` off, the gradients are wrong and nothing is said.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]
Gradients = tuple[Array, ...]

check_versions = True


class Tensor:
    """An array, the node that made it (None for a leaf), and a count of the writes to it."""

    def __init__(self, data: Any, node: Node | None = None) -> None:
        self.data: Array = np.asarray(data, dtype=np.float64)
        self.node, self.version = node, 0
        self.grad: Array | float = 0.0

    def add_(self, other: Tensor) -> Tensor:
        """Writes the sum into this tensor's own memory: the sum needs no old value, but who saved the tensor may."""
        if self.node is None:
            raise RuntimeError("a leaf cannot be written in place: its gradient would have nowhere to go")
        self.node = Node("add_", (self, other), (), lambda grad: (grad, grad))
        self.data += other.data
        self.version += 1
        return self

    def backward(self) -> None:
        """Newest node first: each reads what it saved and hands its inputs their part of the gradient."""
        if self.node is None:
            raise RuntimeError("a leaf has no history")
        found, stack = {self.node}, [self.node]
        while stack:
            new = {source for source in stack.pop().sources if isinstance(source, Node)} - found
            found |= new
            stack += new
        waiting: dict[Node, Array] = {self.node: np.ones_like(self.data)}
        for node in sorted(found, key=lambda node: -node.number):
            for source, grad in zip(node.sources, node.run(waiting.pop(node)), strict=True):
                if isinstance(source, Node):
                    waiting[source] = waiting.get(source, 0.0) + grad
                else:
                    source.grad = source.grad + grad


class Node:
    """One operation on the tape: where its inputs come from, what it saved at which versions, and its derivative."""

    count = 0

    def __init__(
        self, name: str, inputs: tuple[Tensor, ...], saved: tuple[Tensor, ...], derivative: Callable[..., Gradients]
    ) -> None:
        Node.count += 1
        self.number, self.name, self.derivative = Node.count, name, derivative
        self.sources = [tensor.node or tensor for tensor in inputs]
        self.saved = [(tensor, tensor.version) for tensor in saved]  # by reference: no copy is made

    def run(self, grad: Array) -> Gradients:
        for tensor, version in self.saved:
            if check_versions and tensor.version != version:
                raise RuntimeError(
                    f"{self.name} saved a tensor of shape {list(tensor.data.shape)} that has been modified in place: "
                    f"it is at version {tensor.version}; expected version {version}"
                )
        return self.derivative(grad, *(tensor.data for tensor, _ in self.saved))


def _fit(grad: Array, shape: tuple[int, ...]) -> Array:
    """The gradient of what was broadcast: summed back to its shape."""
    grad = grad.sum(axis=tuple(range(grad.ndim - len(shape))))
    return grad.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1 and grad.shape[i] != 1), keepdims=True)


def add(a: Tensor, b: Tensor) -> Tensor:
    """Saves nothing."""
    shapes = a.data.shape, b.data.shape
    node = Node("add", (a, b), (), lambda grad: (_fit(grad, shapes[0]), _fit(grad, shapes[1])))
    return Tensor(a.data + b.data, node)


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """Saves both factors, each for the gradient of the other."""
    node = Node("matmul", (a, b), (a, b), lambda grad, a, b: (grad @ b.T, a.T @ grad))
    return Tensor(a.data @ b.data, node)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    """Saves its input, its weight, and the mean and scale of each row."""
    mean = Tensor(x.data.mean(-1, keepdims=True))
    rstd = Tensor((x.data.var(-1, keepdims=True) + eps) ** -0.5)

    def derivative(grad: Array, x: Array, weight: Array, mean: Array, rstd: Array) -> Gradients:
        x_hat, g = (x - mean) * rstd, grad * weight
        of_x = rstd * (g - g.mean(-1, keepdims=True) - x_hat * (g * x_hat).mean(-1, keepdims=True))
        return of_x, (grad * x_hat).sum(0), grad.sum(0)

    node = Node("layer_norm", (x, weight, bias), (x, weight, mean, rstd), derivative)
    return Tensor((x.data - mean.data) * rstd.data * weight.data + bias.data, node)


def gelu(x: Tensor) -> Tensor:
    """Saves its input."""

    def derivative(grad: Array, x: Array) -> Gradients:
        return (grad * (_normal_cdf(x) + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)),)

    return Tensor(x.data * _normal_cdf(x.data), Node("gelu", (x,), (x,), derivative))


def _normal_cdf(x: Array) -> Array:
    return 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def cross_entropy(logits: Tensor, targets: list[int]) -> Tensor:
    """Softmax and negative log-likelihood in one, averaged over the rows. Saves the probabilities."""
    rows = np.arange(len(targets))
    shifted = np.exp(logits.data - logits.data.max(-1, keepdims=True))
    p = Tensor(shifted / shifted.sum(-1, keepdims=True))
    one_hot = np.zeros_like(p.data)
    one_hot[rows, targets] = 1
    node = Node("cross_entropy", (logits,), (p,), lambda grad, p: (grad * (p - one_hot) / len(targets),))
    return Tensor(-np.log(p.data[rows, targets]).mean(), node)
