"""IPG104."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG104",
    name="leaf-view-written",
    message="A view of a leaf that requires grad is written in place with grad mode on; PyTorch raises at this line",
    why="""\
A view (`weight[0]`, `weight.view(-1)`, `weight.t()`) shares memory with its base, and a recorded write to it gives
the base a new history. If the base is a leaf that requires grad, that would make the leaf a result, so PyTorch
refuses, as it does for the leaf itself (IPG103, [in-place operations with
autograd](https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd)). The usual
place is initialisation: a padding row, the forget gate's part of a bias. `weight[0] = 0` raises the same error,
because an assignment to an index is a write to that view.
""",
    bad="""\
import torch
from torch import nn

table = nn.Parameter(torch.ones(3, 2))
table[0].zero_()  # <- IPG104
""",
    good="""\
import torch
from torch import nn

table = nn.Parameter(torch.ones(3, 2))
with torch.no_grad():
    table[0].zero_()
print(table[0].detach())  # tensor([0., 0.])
""",
    safe_when="""\
- Under `torch.no_grad()`, or through the functions of `torch.nn.init`: `nn.init.zeros_(table[0])`.
- If the base is the result of an operation: `rows = table * 1; rows[0] = 0` is recorded, and row 0 gets gradient
  zero.
- If the base does not require grad.
""",
    pytorch_says="""\
At the write:

```text
RuntimeError: a view of a leaf Variable that requires grad is being used in an in-place operation.
```
""",
    fix_safety="""\
Under `torch.no_grad()` the parameter stays a leaf and the write stays out of the graph, which is what
initialisation means. Make the view inside of the `with` block too, or outside of it, but not inside and then write
outside: PyTorch refuses to write a view that was made under no_grad once grad mode is on again.
""",
    fixable=True,
    hints=(
        "What is the base of the view that you write, and who owns its gradient?",
        "The write would go through the view into a parameter. Is it initialisation, or part of the forward?",
        "For initialisation: `with torch.no_grad(): table[0].zero_()`. In a forward: write to `table.clone()`, or "
        "use `torch.where`.",
    ),
)
