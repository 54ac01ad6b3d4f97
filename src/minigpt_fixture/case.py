"""The reference case in memory: model, batch and loss function, with or without a break."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from minigpt_fixture import registry
from minigpt_fixture.config import GPTConfig
from minigpt_fixture.corpus import corpus
from minigpt_fixture.model import Block, MiniGPT, loss_fn

__all__ = ["LEARNING_RATE", "Batch", "MiniGPTCase", "Trainer", "TrainerLike", "batch_of", "build_case", "case_of"]

LEARNING_RATE = 1e-3


class Batch(NamedTuple):
    """`tokens` and `targets`, both of shape (batch, T); the targets are the tokens moved by one."""

    tokens: Tensor
    targets: Tensor


class TrainerLike(Protocol):
    """Does one step and leaves the gradients of that step in `.grad`."""

    def training_step(self, tokens: Tensor, targets: Tensor) -> Tensor: ...


class Trainer:
    """The control: forward, backward, then the step."""

    def __init__(self, model: MiniGPT, lr: float = LEARNING_RATE) -> None:
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr)

    def training_step(self, tokens: Tensor, targets: Tensor) -> Tensor:
        self.optimizer.zero_grad()
        loss = loss_fn(self.model(tokens), targets)
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        return loss.detach()


@dataclass(frozen=True)
class MiniGPTCase:
    """`loss = case.loss_fn(case.model(case.batch.tokens), case.batch.targets)`.

    `trainer` does a whole training step: `case.trainer.training_step(*case.batch)`.
    """

    model: MiniGPT
    batch: Batch
    loss_fn: Callable[[Tensor, Tensor], Tensor]
    trainer: TrainerLike


def batch_of(*windows: tuple[int, ...]) -> Batch:
    """Each window is one token longer than the model's input. Tokens and targets share no memory."""
    return Batch(torch.tensor([w[:-1] for w in windows]), torch.tensor([w[1:] for w in windows]))


def build_case(break_name: str = registry.CONTROL, *, seed: int = 0, repaired: bool = False) -> MiniGPTCase:
    """The same weights and the same batch for every break of one seed. Raises registry.UnknownBreak."""
    return case_of(registry.load(break_name, repaired=repaired), seed=seed)


def case_of(names: Mapping[str, Any], *, seed: int = 0) -> MiniGPTCase:
    """The case with a `Block` or a `Trainer` of one's own in it, where `names` has one."""
    config = GPTConfig()
    random_state = torch.get_rng_state()
    torch.manual_seed(seed)
    model = MiniGPT(config, block=names.get("Block", Block))
    torch.set_rng_state(random_state)
    window = next(corpus().training_windows(config.block_size, seed))
    trainer: TrainerLike = names.get("Trainer", Trainer)(model, lr=LEARNING_RATE)
    return MiniGPTCase(model, batch_of(window), loss_fn, trainer)
