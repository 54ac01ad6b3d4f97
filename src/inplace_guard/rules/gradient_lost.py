"""IPG210."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG210",
    name="gradient-lost",
    message="Values with history are written past autograd: the gradient through them is lost, no error",
    why="""\
A write under `torch.no_grad()`, through `.detach()` or through `.data` is not recorded ([locally disabling gradient
computation](https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disable-grad-doc)). If the tensor is
then used further, its history is still that of the old values. Two things go wrong at once: what was overwritten
goes on getting a gradient, and what was written gets none. Since nothing saved the tensor before the write, the
version check has nothing to compare.
""",
    bad="""\
import torch
from torch import nn

torch.manual_seed(0)
proj = nn.Linear(2, 2)
h = proj(torch.randn(4, 2))
with torch.no_grad():
    h[:, 0] = 0.0  # <- IPG210
h.sum().backward()
print(proj.bias.grad)  # tensor([4., 4.])
""",
    good="""\
import torch
from torch import nn

torch.manual_seed(0)
proj = nn.Linear(2, 2)
h = proj(torch.randn(4, 2))
h = h * torch.tensor([0.0, 1.0])
h.sum().backward()
print(proj.bias.grad)  # tensor([0., 4.])
""",
    safe_when="""\
- The tensor has no history that anybody needs: it is a leaf between two steps, or the whole forward runs under
  `torch.no_grad()`.
- The gradient is meant to pass as if nothing had happened (a straight-through estimator). Then write it so:
  `h + (quantised - h).detach()`.
""",
    pytorch_says="""\
Nothing: no error and no warning. `.grad` of what lost its way is `None` or too small.
""",
    fix_safety="""\
Recording the write changes the gradients to those of the values that are used. With grad mode on, `h[:, 0] = 0` in
place is recorded as well, and is right if nothing saved `h` before.
""",
    fixable=True,
    hints=(
        "Do the values that you see here and the history that the tensor has still belong together?",
        "Something switched recording off for this write: no_grad, detach or .data. Which gradient goes missing?",
        "Compute the new value with grad mode on: `h = h * mask`, `torch.where(...)`, `torch.cat` of the pieces.",
    ),
)
