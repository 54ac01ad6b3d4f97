"""How much worse each silent break really trains: held-out loss and accuracy, over several seeds."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass

from minigpt_fixture.case import batch_of, build_case
from minigpt_fixture.corpus import corpus
from minigpt_fixture.registry import BREAKS, CONTROL
from minigpt_fixture.training import HeldOut, evaluate

__all__ = ["Damage", "measure_damage", "train_in_memory"]


@dataclass(frozen=True, slots=True)
class Damage:
    """Held-out results of one variant, a seed each, in the order of the seeds."""

    name: str
    results: tuple[HeldOut, ...]

    def losses(self) -> list[float]:
        return [result.loss for result in self.results]

    def accuracies(self) -> list[float]:
        return [result.accuracy for result in self.results]


def train_in_memory(name: str, steps: int, seed: int, *, repaired: bool = False) -> HeldOut:
    """What `train` does, without a folder."""
    case = build_case(name, seed=seed, repaired=repaired)
    windows = corpus().training_windows(case.model.config.block_size, seed)
    for _ in range(steps):
        case.trainer.training_step(*batch_of(next(windows)))
    return evaluate(case.model)


def measure_damage(
    steps: int, seeds: int, on_run: Callable[[str, int, HeldOut], None] = lambda name, seed, result: None
) -> list[Damage]:
    """The control first, then every silent break: the same weights and the same data for one seed."""
    found = []
    for name in (CONTROL, *(entry.name for entry in BREAKS.values() if entry.outcome == "silent")):
        results = []
        for seed in range(seeds):
            results.append(train_in_memory(name, steps, seed))
            on_run(name, seed, results[-1])
        found.append(Damage(name, tuple(results)))
    return found


def spread(values: list[float]) -> tuple[float, float]:
    """Mean and standard deviation (0 for a single value)."""
    return statistics.mean(values), statistics.stdev(values) if len(values) > 1 else 0.0
