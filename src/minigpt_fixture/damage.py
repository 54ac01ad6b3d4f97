"""How much worse each silent break really trains: held-out loss and accuracy, over several seeds."""

from __future__ import annotations

import json
import multiprocessing
import os
import statistics
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from minigpt_fixture.case import LEARNING_RATE, MiniGPTCase, TrainerLike, batch_of, build_case
from minigpt_fixture.corpus import corpus
from minigpt_fixture.errors import UsageError
from minigpt_fixture.model import MiniGPT
from minigpt_fixture.registry import BREAKS, CONTROL
from minigpt_fixture.training import HeldOut, evaluate

__all__ = [
    "TWO_STEPS",
    "Damage",
    "TwoStepTrainer",
    "control_case",
    "control_of",
    "measure_damage",
    "read_damage",
    "spread",
    "train_in_memory",
    "write_damage",
]

TWO_STEPS = "two-steps"


class TwoStepTrainer:
    """The control of `fused-step`: the same two optimizer steps a batch, with the gradients at the weights of the
    forward. Both backwards come before the first step; then each half of the sequence is stepped for as in the break.
    """

    def __init__(self, model: MiniGPT, lr: float) -> None:
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr, fused=True)

    def training_step(self, tokens: Tensor, targets: Tensor) -> Tensor:
        self.optimizer.zero_grad()
        early, late = self.model(tokens).chunk(2, dim=1)
        halves = zip((early, late), targets.chunk(2, dim=1), strict=True)
        early_loss, late_loss = (
            F.cross_entropy(logits.reshape(-1, logits.size(-1)), wanted.reshape(-1)) / 2 for logits, wanted in halves
        )
        parameters = list(self.model.parameters())
        early_loss.backward(retain_graph=True)  # type: ignore[no-untyped-call]
        of_early = [p.grad.clone() for p in parameters if p.grad is not None]
        late_loss.backward()  # type: ignore[no-untyped-call]
        of_both = [p.grad for p in parameters if p.grad is not None]
        for gradients in (of_early, of_both):
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter.grad = gradient
            self.optimizer.step()
        return (early_loss + late_loss).detach()


@dataclass(frozen=True, slots=True)
class Damage:
    """Held-out results of one variant: for each seed, in the order of the seeds, one after each of the `at` steps."""

    name: str
    at: tuple[int, ...]
    results: tuple[tuple[HeldOut, ...], ...]

    def losses(self) -> list[float]:
        """At the end, a seed each."""
        return [result[-1].loss for result in self.results]

    def accuracies(self) -> list[float]:
        return [result[-1].accuracy for result in self.results]


def control_of(name: str) -> str:
    """The variant that a break is compared with: the one that differs from it in the gradients alone."""
    return TWO_STEPS if name == "fused-step" else CONTROL


def variants() -> list[str]:
    silent = [entry.name for entry in BREAKS.values() if entry.outcome == "silent"]
    return [CONTROL, *(name for name in silent if name != "fused-step"), TWO_STEPS, "fused-step"]


def train_in_memory(name: str, at: Sequence[int], seed: int) -> tuple[HeldOut, ...]:
    """What `train` does, without a folder, looking at the held-out part after each number of steps in `at`."""
    case = _case(name, seed)
    windows = corpus().training_windows(case.model.config.block_size, seed)
    found = []
    for step in range(1, max(at) + 1):
        case.trainer.training_step(*batch_of(next(windows)))
        if step in at:
            found.append(evaluate(case.model))
    return tuple(found)


def control_case(break_name: str, *, seed: int = 0) -> MiniGPTCase:
    """What the break is compared with."""
    return _case(control_of(break_name), seed)


def _case(name: str, seed: int) -> MiniGPTCase:
    if name != TWO_STEPS:
        return build_case(name, seed=seed)
    case = build_case(CONTROL, seed=seed)
    trainer: TrainerLike = TwoStepTrainer(case.model, lr=LEARNING_RATE)
    return MiniGPTCase(case.model, case.batch, case.loss_fn, trainer)


def _one(task: tuple[str, tuple[int, ...], int]) -> tuple[HeldOut, ...]:
    torch.set_num_threads(1)
    return train_in_memory(*task)


def measure_damage(
    steps: int,
    seeds: int,
    on_run: Callable[[str, int, HeldOut], None] = lambda name, seed, result: None,
    *,
    processes: int | None = None,
) -> list[Damage]:
    """The controls and every silent break: the same weights and the same data for one seed. Order decides nothing."""
    at = tuple(sorted({max(1, steps * i // 10) for i in range(1, 11)}))
    tasks = [(name, at, seed) for seed in range(seeds) for name in variants()]
    found: dict[tuple[str, int], tuple[HeldOut, ...]] = {}
    workers = min(processes or os.cpu_count() or 1, len(tasks))
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        for (name, _, seed), result in zip(tasks, pool.map(_one, tasks), strict=True):
            found[name, seed] = result
            on_run(name, seed, result[-1])
    return [Damage(name, at, tuple(found[name, seed] for seed in range(seeds))) for name in variants()]


def write_damage(path: Path, found: Sequence[Damage]) -> None:
    """The raw results, from which the table and the plots are made. Raises UsageError."""
    rows = [
        {
            "name": damage.name,
            "at": damage.at,
            "seeds": [[asdict(result) for result in results] for results in damage.results],
        }
        for damage in found
    ]
    lines = ",\n".join(json.dumps(row) for row in rows)
    text = f'{{"torch": {json.dumps(torch.__version__)}, "variants": [\n{lines}\n]}}\n'
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error


def read_damage(path: Path) -> list[Damage]:
    return [
        Damage(
            row["name"],
            tuple(row["at"]),
            tuple(tuple(HeldOut(**result) for result in results) for results in row["seeds"]),
        )
        for row in json.loads(path.read_text(encoding="utf-8"))["variants"]
    ]


def spread(values: list[float]) -> tuple[float, float]:
    """Mean and standard deviation (0 for a single value)."""
    return statistics.mean(values), statistics.stdev(values) if len(values) > 1 else 0.0
