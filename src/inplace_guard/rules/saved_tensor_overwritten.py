"""IPG101."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG101",
    name="saved-tensor-overwritten",
    message="A tensor that backward needs is overwritten in place; backward will raise",
    why="""\
Many operations keep tensors that their backward will read: layer norm its input, sigmoid its result, a product the
other factor. They keep the tensor itself, not a copy, so a write in place changes what they kept, and a gradient
computed from it would be wrong. PyTorch counts the writes to each storage, notes the count when a tensor is saved,
and raises when backward finds another one ([in-place correctness
checks](https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-correctness-checks)). The error names
neither the line that wrote nor the line that saved; anomaly mode adds the line that saved.
""",
    bad="""\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(4)
        self.proj = nn.Linear(4, 4)

    def forward(self, h):
        h += self.proj(self.norm(h))  # <- IPG101
        return h


torch.manual_seed(0)
embed, block = nn.Linear(3, 4), Block()
loss = block(embed(torch.randn(2, 3))).square().sum()
loss.backward()
""",
    good="""\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(4)
        self.proj = nn.Linear(4, 4)

    def forward(self, h):
        h = h + self.proj(self.norm(h))
        return h


torch.manual_seed(0)
embed, block = nn.Linear(3, 4), Block()
loss = block(embed(torch.randn(2, 3))).square().sum()
loss.backward()
print(embed.bias.grad)  # tensor([-6.0547, -4.2905, -3.7880, 2.2494])
""",
    safe_when="""\
- Nothing saved the old value. Addition, subtraction, `sum`, `cat` and multiplication by a number save nothing, and
  `Linear` and `Conv2d` do not save their result: `self.conv(x).relu_()` is right.
- The operation that saved it keeps its *result*, and the write makes that result: `h.sigmoid_()`, `h.exp_()`.
- The write comes after the backward that reads the tensor, or the forward ran under `torch.no_grad()`.
- The write goes to a copy made after the save: `out = h.clone(); out += y`. A clone that is made first and then
  read by the operation that saves is no help.
""",
    pytorch_says="""\
Nothing at the write. The backward raises:

```text
RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation:
[torch.FloatTensor [2, 4]], which is output 0 of Add, is at version 1; expected version 0 instead. Hint: enable
anomaly detection to find the operation that failed to compute its gradient, with
torch.autograd.set_detect_anomaly(True, check_nan=False).
```

The tensor is named by the operation that made its present value, here the write itself.
""",
    fix_safety="""\
The out-of-place form gives the same values and the right gradients, and costs one tensor more. Two things can
change: other names for the same tensor no longer see the write, and `h = h + x` may broadcast `h` or promote its
dtype where `h += x` keeps both.
""",
    fixable=True,
    hints=(
        "What does each operation on the way keep for its backward, and does that memory still hold the same values "
        "when backward starts?",
        "The line that is reported writes a tensor in place. Which operation read or made that tensor before?",
        "Make a new tensor instead of writing the old one: `h = h + x` in place of `h += x` or `h.add_(x)`, "
        "`F.relu(h)` in place of `F.relu_(h)`.",
    ),
)
