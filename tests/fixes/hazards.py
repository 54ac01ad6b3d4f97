"""Random modules with writes that the analysis itself finds, in several layouts."""

from __future__ import annotations

import types
from random import Random

import torch

HEAD = """\
import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.norm = nn.LayerNorm(4)
        self.act = nn.LeakyReLU(0.2, inplace=True)

    def forward(self, x):
        h = self.lin(x)
        k = torch.sigmoid(h)
        xs = [k]
"""
TAIL = """\
        return h + k + sum(xs)


def loss(x):
    torch.manual_seed(0)
    return Net()(x * 1).sum()


if __name__ == "__main__":
    loss(torch.ones(2, 4, requires_grad=True)).backward()
"""
PLAIN = (
    "{v} = torch.exp({w} * 0.3)",
    "{v} = torch.tanh({w}) * {u}",
    "{v} = self.norm({w})",
    "{v} = self.lin({w})",
    "{v} = {w}.clone()",
    "xs.append({v})",
    "xs = [{v}]",
)
WRITING = (
    "{v} += {w}",
    "{v} *= 0.5",
    "{v}.mul_({w})",
    "{v}.sub_({w}.mean()).div_(3.0)",
    "{v}[:, 0] = 0.25",
    "{v}[:, :1] += 1.0",
    "{v} = F.elu({w}, inplace=True)",
    "F.elu_({v})",
    "{v} = self.act({w})",
    "{v} = {w}.sigmoid_()",
    "{v} = {u} + {w}.tanh_()",
    "if {v}.sum() > 0:\n    {v} -= 1.0",
    "for i in range(2):\n    {v} = torch.sin({v})\n    {v} *= 1.5",
    "a, b = {v}.chunk(2, 1)\na *= 2\n{v} = torch.cat([a, b], 1)",
    "{v} = torch.tanh({w}); {v} += 1; {v} *= {u}",
    "{v} \\\n    += {w} \\\n    * 0.5",
    "{v}.add_(\n    {w},  # the other one\n    alpha=0.5,\n)",
    "try:\n    {v} /= 2\nfinally:\n    del x",
)
UNSEEN = ("{v}.data.add_(0.5)", "with torch.no_grad():\n    {v}.mul_(0.9)", "{v}.detach().neg_()")


def program(random: Random, *, unseen: bool = False) -> str:
    """`unseen`: also writes that autograd is not told of, so that no gradient is that of the values."""
    lines: list[str] = []
    writing = WRITING + UNSEEN if unseen else WRITING
    for _ in range(random.randint(2, 7)):
        text = random.choice(writing if random.random() < 0.6 else PLAIN)
        if "del x" in text and any("del x" in line for line in lines):
            continue
        names = {name: random.choice("hk") for name in "vwu"}
        lines += [f"        {line}" for line in text.format(**names).split("\n")]
    return HEAD + "".join(f"{line}\n" for line in lines) + TAIL


def forward(source: str, x: torch.Tensor) -> torch.Tensor:
    module = types.ModuleType("net")
    torch.set_default_dtype(torch.float64)
    try:
        exec(compile(source, "net.py", "exec"), vars(module))
        found: torch.Tensor = module.loss(x)
        return found
    finally:
        torch.set_default_dtype(torch.float32)


def gradient(source: str) -> list[float]:
    """By autograd. Raises what PyTorch raises."""
    x = point().requires_grad_()
    forward(source, x).backward()
    assert x.grad is not None
    return x.grad.flatten().tolist()


def differences(source: str, step: float = 1e-6) -> list[float]:
    """The same by differences."""
    found = []
    with torch.no_grad():
        for number in range(8):
            ends = []
            for sign in (1, -1):
                x = point()
                x.view(-1)[number] += sign * step
                ends.append(forward(source, x).item())
            found.append((ends[0] - ends[1]) / (2 * step))
    return found


def point() -> torch.Tensor:
    return torch.linspace(-1.3, 1.7, 8, dtype=torch.float64).view(2, 4)
