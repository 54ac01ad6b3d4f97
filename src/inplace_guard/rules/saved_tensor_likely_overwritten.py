"""IPG102."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG102",
    name="saved-tensor-likely-overwritten",
    message="A tensor that a callable of unknown content has probably saved for backward is overwritten in place",
    why="""\
This is IPG101, except that the linter cannot look into what saved the tensor: a module that is handed in or chosen
at run time, a function of a library. Nearly every module saves its input: a `Linear` whose weight is trained, a
convolution, a norm, a product. So a write to that input after the call is most likely found by backward, which
raises ([in-place correctness
checks](https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-correctness-checks)).
""",
    bad="""\
import json

import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, branch):
        super().__init__()
        self.branch = branch

    def forward(self, h):
        h += self.branch(h)  # <- IPG102
        return h


if __name__ == "__main__":
    torch.manual_seed(0)
    config = json.loads('{"branch": "LayerNorm"}')
    embed, block = nn.Linear(3, 4), Residual(getattr(nn, config["branch"])(4))
    loss = block(embed(torch.randn(2, 3))).square().sum()
    loss.backward()
""",
    good="""\
import json

import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, branch):
        super().__init__()
        self.branch = branch

    def forward(self, h):
        h = h + self.branch(h)
        return h


if __name__ == "__main__":
    torch.manual_seed(0)
    config = json.loads('{"branch": "LayerNorm"}')
    embed, block = nn.Linear(3, 4), Residual(getattr(nn, config["branch"])(4))
    loss = block(embed(torch.randn(2, 3))).square().sum()
    loss.backward()
    print(embed.bias.grad)  # tensor([-8.4191, 2.4089, -4.6897, 4.9840])
""",
    safe_when="""\
- The callable does not save that argument: it only adds, reshapes or concatenates, or is `nn.Identity`. Then
  `# noqa: IPG102` with a word on why is the right answer.
- The callable runs under `torch.no_grad()`, or nothing in it and in its argument requires grad.
""",
    pytorch_says="""\
If the callable did save the tensor, the backward raises:

```text
RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation:
[torch.FloatTensor [2, 4]], which is output 0 of Add, is at version 1; expected version 0 instead. Hint: enable
anomaly detection to find the operation that failed to compute its gradient, with
torch.autograd.set_detect_anomaly(True, check_nan=False).
```

When the tests run, the guard knows what was saved and reports such a write as IPG101.
""",
    fix_safety="""\
As for IPG101: same values, one tensor more; other names for the tensor no longer see the write, and an out-of-place
form may broadcast or promote the dtype. The caller's tensor is no longer changed either, which is seldom missed.
""",
    fixable=True,
    hints=(
        "You hand a tensor to something whose inside is not known here. What would it have to keep for its backward?",
        "After the call the same tensor is written in place. If the callable kept it, its backward reads the new "
        "values.",
        "Write out of place: `h = h + self.branch(h)`. If you know that the callable saves nothing, say so with "
        "`# noqa: IPG102`.",
    ),
    runtime=False,  # the guard sees what was saved: it reports IPG101
)
