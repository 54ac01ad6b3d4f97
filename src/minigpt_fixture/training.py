"""Trains the mini-GPT with one break and writes down what happened."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from minigpt_fixture import registry
from minigpt_fixture.case import LEARNING_RATE, batch_of, build_case
from minigpt_fixture.corpus import corpus
from minigpt_fixture.model import MiniGPT, loss_fn
from minigpt_fixture.runs import GRADIENTS, WEIGHTS, RunWriter

__all__ = ["BackwardRaised", "HeldOut", "TrainOptions", "evaluate", "train"]


@dataclass(frozen=True, slots=True)
class TrainOptions:
    out: Path
    break_name: str = registry.CONTROL
    steps: int = 300
    seed: int = 0
    detect_anomaly: bool = False
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Mean cross-entropy and share of tokens guessed right, over the held-out part of the corpus."""

    loss: float
    accuracy: float
    tokens: int


class BackwardRaised(Exception):
    """PyTorch found a saved tensor changed. `forward_stack` is what anomaly mode printed, if it was on."""

    def __init__(self, step: int, error: RuntimeError, forward_stack: str | None) -> None:
        super().__init__(str(error))
        self.step = step
        self.forward_stack = forward_stack


def evaluate(model: MiniGPT) -> HeldOut:
    tokens, targets = batch_of(*corpus().held_out_windows(model.config.block_size))
    with torch.no_grad():
        logits = model(tokens)
        loss = loss_fn(logits, targets).item()
        accuracy = (logits.argmax(dim=-1) == targets).float().mean().item()
    return HeldOut(loss, accuracy, targets.numel())


def train(options: TrainOptions, on_step: Callable[[int, float], None] = lambda step, loss: None) -> HeldOut:
    """Train, write the run into `options.out`, and return the held-out result.

    Raises BackwardRaised if backward finds a changed tensor, and UsageError if the folder cannot be used.
    """
    case = build_case(options.break_name, seed=options.seed, repaired=options.repaired)
    model = case.model
    writer = RunWriter(
        options.out,
        {
            "break": options.break_name,
            "repaired": options.repaired,
            "seed": options.seed,
            "steps": options.steps,
            "detect_anomaly": options.detect_anomaly,
            "learning_rate": LEARNING_RATE,
            "model": dataclasses.asdict(model.config),
            "corpus": corpus().digest,
            "torch": torch.__version__,
            "parameters": {name: list(p.shape) for name, p in model.named_parameters()},
        },
    )
    status, facts = "interrupted", dict[str, Any]()
    try:
        windows = corpus().training_windows(model.config.block_size, options.seed)
        for step in range(1, options.steps + 1):
            noted: list[str] = []
            try:
                with _anomaly_mode(options.detect_anomaly, noted):
                    loss = case.trainer.training_step(*batch_of(next(windows))).item()
            except RuntimeError as error:
                if "modified by an inplace operation" not in str(error):
                    raise
                status, facts = "raised", {"raised_at_step": step, "error": str(error)}
                raise BackwardRaised(step, error, noted[-1] if noted else None) from error
            if step == 1:
                writer.tensors(GRADIENTS, _gradients(model))
            writer.loss(step, loss)
            on_step(step, loss)
        held_out = evaluate(model)
        writer.tensors(WEIGHTS, dict(model.named_parameters()))
        status, facts = "finished", {"held_out": dataclasses.asdict(held_out)}
        return held_out
    finally:
        writer.close(status, **facts)


def _gradients(model: MiniGPT) -> dict[str, Tensor]:
    """Those that there are: a parameter without a gradient is left out, and grad-compare calls it missing."""
    return {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}


@contextmanager
def _anomaly_mode(on: bool, noted: list[str]) -> Iterator[None]:
    """Puts anomaly mode's reports (the forward stack of the op whose backward failed) into `noted`."""
    if not on:
        yield
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with torch.autograd.detect_anomaly():
                yield
        finally:
            noted += [str(w.message) for w in caught if "Error detected in" in str(w.message)]
