"""IPG212."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG212",
    name="shared-input-overwritten",
    message="An in-place op overwrites a tensor that other code still uses: that code reads the new values",
    why="""\
`F.relu(z, inplace=True)`, `nn.ReLU(inplace=True)`, `F.dropout(z, inplace=True)` and a function that starts with
`img = img.float()` and goes on with `img /= 255` write the tensor that they were given; `float()`, `to()` and
`contiguous()` return their argument itself where there is nothing to do
([Tensor.to](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html)). If the caller reads that tensor
under its own name afterwards, it gets the new values. Autograd records such a write correctly, so gradients are
right, for a function that is not the one that was meant: a skip connection adds the activated value.
""",
    bad="""\
import torch
import torch.nn.functional as F
from torch import nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(2, 2)
        self.out = nn.Linear(2, 2)

    def forward(self, x):
        z = self.proj(x)
        active = F.relu(z, inplace=True)  # <- IPG212
        return z + self.out(active)


torch.manual_seed(0)
head = Head()
head(torch.randn(3, 2)).sum().backward()
print(head.proj.bias.grad)  # tensor([0.9232, 3.4955])
""",
    good="""\
import torch
import torch.nn.functional as F
from torch import nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(2, 2)
        self.out = nn.Linear(2, 2)

    def forward(self, x):
        z = self.proj(x)
        active = F.relu(z)
        return z + self.out(active)


torch.manual_seed(0)
head = Head()
head(torch.randn(3, 2)).sum().backward()
print(head.proj.bias.grad)  # tensor([2.9232, 4.4955])
""",
    safe_when="""\
- The old name is not read any more: `z = F.relu(z, inplace=True)`, layers in an `nn.Sequential`.
- The tensor is fresh and nobody else has it.
- The change of the argument is what the function is for, and its name says so.
""",
    pytorch_says="""\
Nothing: the program is valid, and computes something else.
""",
    fix_safety="""\
The out-of-place form changes results wherever somebody read the overwritten tensor, and a network that was trained
with the old behaviour may have got used to it: compare before you change a published model.
""",
    fixable=True,
    hints=(
        "The result has a name of its own. What do you think the argument still holds?",
        "The operation writes its argument. Which line after it reads that argument again?",
        "Drop the in-place form: `F.relu(z)`, `img = img / 255`, `nn.ReLU()`.",
    ),
)
