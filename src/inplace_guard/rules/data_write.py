"""IPG201."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG201",
    name="data-write",
    message=(
        "A write through .data changes memory of the graph and autograd is not told: wrong or missing gradients, no "
        "error"
    ),
    why="""\
`x.data` is a tensor with the same memory, no history and a version counter of its own. A write through it is not
recorded, and the counter that backward compares does not move: operations that saved `x` read the new values, and
the write itself has no gradient. `x.data = y` swaps the memory in the same silence. `x.detach()` shares memory too,
but keeps the counter of `x`, so that a write through it is at least noticed by backward
([Tensor.detach](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html)).
""",
    bad="""\
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
y.data.clamp_(max=5.0)  # <- IPG201
y.sum().backward()
print(x.grad)  # tensor([2.7183, 5.0000])
""",
    good="""\
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
y = y.clamp(max=5.0)
y.sum().backward()
print(x.grad)  # tensor([2.7183, 0.0000])
""",
    safe_when="""\
- Between steps, when no graph that saved the tensor is still to be run backward: initialisation, weight clipping
  after `step()`, an average of weights. `torch.no_grad()` does the same and keeps the version check, so prefer it.
- On a tensor that nothing saved and nothing is differentiated through.
""",
    pytorch_says="""\
Nothing: no error and no warning, with anomaly mode or without.
""",
    fix_safety="""\
There are two meanings. A write that belongs to the function becomes out of place (`y = y.clamp(max=5.0)`) and gets
its gradient. A write that does not belong to it (an update of weights) goes under `torch.no_grad()`; if backward
then raises, it has found the hazard that `.data` hid.
""",
    fixable=True,
    hints=(
        "Is the change that you make here part of the function whose gradient you want?",
        "Look for `.data`. Which operation kept the tensor behind it, and what will its backward read?",
        "Write out of place with grad mode on (`y = y.clamp(max=5.0)`), or, for weights, under `torch.no_grad()` "
        "after the backward.",
    ),
)
