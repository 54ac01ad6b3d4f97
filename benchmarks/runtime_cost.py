"""What the guard costs, beside PyTorch's own tools: one process, one thread, the modes in turn, medians.

    python benchmarks/runtime_cost.py [--steps N] [--json FILE] [--only NAME ...]

A step is zero_grad, forward, loss and backward, with and without the optimizer's step. Ratios are against the plain
step measured in the same round, so a machine that slows down slows all of them. Memory is the peak that the allocator
of the process reached over one step, as told by the kernel (Linux) in a fresh process for each mode.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch

from inplace_guard import guard
from minigpt_fixture.config import GPTConfig
from minigpt_fixture.model import MiniGPT, loss_fn

Step = Callable[[], None]

SIZES = {
    # name: (model, batch, the most that the guard may cost without and with the optimizer's step)
    "mini-GPT, 1 x 8 tokens": (GPTConfig(), 1, 1.20, 1.25),
    "d = 256, 4 layers, 8 x 64 tokens": (
        GPTConfig(d_model=256, n_layers=4, d_ff=1024, block_size=64),
        8,
        1.03,
        1.03,
    ),
}


@contextlib.contextmanager
def plain() -> Iterator[None]:
    yield


@contextlib.contextmanager
def guarded(**options: Any) -> Iterator[None]:
    with guard(**options):
        yield


@contextlib.contextmanager
def anomaly(check_nan: bool) -> Iterator[None]:
    with torch.autograd.set_detect_anomaly(True, check_nan=check_nan):
        yield


MODES: dict[str, Callable[[], Any]] = {
    "plain": plain,
    "guard": guarded,
    "guard, content": lambda: guarded(content=True),
    "guard, fail-fast": lambda: guarded(mode="fail-fast"),
    "anomaly mode, no NaN check": lambda: anomaly(False),
    "anomaly mode": lambda: anomaly(True),
    "allow_mutation_on_saved_tensors": torch.autograd.graph.allow_mutation_on_saved_tensors,
}


def build(config: GPTConfig, batch: int) -> tuple[Step, Step]:
    """A step without the optimizer's, and one with it."""
    torch.manual_seed(0)
    model = MiniGPT(config)
    optimizer = torch.optim.AdamW(model.parameters())
    tokens = torch.randint(0, config.vocab_size, (batch, config.block_size))
    targets = torch.randint(0, config.vocab_size, (batch, config.block_size))

    def without() -> None:
        model.zero_grad()
        loss_fn(model(tokens), targets).backward()

    def with_step() -> None:
        without()
        optimizer.step()

    return without, with_step


def time_of(step: Step, repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def ratios(step: Step, rounds: int, repeats: int, modes: list[str]) -> tuple[float, dict[str, float]]:
    """The plain step in milliseconds, and each mode against it: the median over the rounds."""
    for _ in range(10):
        step()
    plain_times: list[float] = []
    found: dict[str, list[float]] = {name: [] for name in modes}
    for _ in range(rounds):
        times = {}
        for name in ["plain", *modes]:
            few = repeats if name in ("plain", "guard") else max(repeats // 4, 3)
            with MODES[name]():
                step()
                times[name] = time_of(step, few)
        plain_times.append(times["plain"])
        for name in modes:
            found[name].append(times[name] / times["plain"])
    return statistics.median(plain_times) * 1e3, {name: statistics.median(each) for name, each in found.items()}


def peak_memory(size: str, mode: str) -> float:
    """Peak resident memory of a process that does ten steps in this mode, in MiB."""
    code = f"import sys; sys.argv = ['x', '--memory-of', {size!r}, {mode!r}]; exec(open({__file__!r}).read())"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(out.stdout)


def run_for_memory(size: str, mode: str) -> None:
    torch.set_num_threads(1)
    _, with_step = build(SIZES[size][0], SIZES[size][1])
    with MODES[mode]():
        for _ in range(10):
            with_step()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--steps", type=int, default=40, help="steps a round and mode, for the small model")
    parser.add_argument("--only", nargs="*", choices=[name for name in MODES if name != "plain"], default=None)
    parser.add_argument("--no-memory", action="store_true")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--memory-of", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory_of:
        run_for_memory(*options.memory_of)
        return 0
    torch.set_num_threads(1)
    modes = options.only or [name for name in MODES if name != "plain"]
    print(f"torch {torch.__version__}, Python {platform.python_version()}, one thread, {options.rounds} rounds")
    results: dict[str, Any] = {}
    for size, (config, batch, limit, limit_with_step) in SIZES.items():
        small = batch == 1
        repeats = options.steps if small else max(options.steps // 8, 3)
        for label, step, most in zip(
            ("zero_grad, forward, backward", "and AdamW.step()"),
            build(config, batch),
            (limit, limit_with_step),
            strict=True,
        ):
            milliseconds, found = ratios(step, options.rounds if small else max(options.rounds // 2, 3), repeats, modes)
            print(f"\n{size}: {label}\n  {'plain':34}{milliseconds:9.2f} ms   1.00")
            for name, ratio in found.items():
                aim = f"   (at most {most:.2f})" if name == "guard" else ""
                print(f"  {name:34}{ratio * milliseconds:9.2f} ms  {ratio:5.2f}{aim}")
            results[f"{size}: {label}"] = {"plain_ms": milliseconds, **found}
        if not options.no_memory:
            base, own = peak_memory(size, "plain"), peak_memory(size, "guard")
            print(f"  peak memory: plain {base:.0f} MiB, guard {own:.0f} MiB, {own / base:.3f} (at most 1.05)")
            results[f"{size}: memory"] = {"plain_mib": base, "guard": own / base}
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=2)
    return 0


if __name__ == "__main__":
    sys.exit(main())
