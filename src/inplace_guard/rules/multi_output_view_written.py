"""IPG105."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG105",
    name="multi-output-view-written",
    message="One of several views made by one call (split, chunk, unbind) is written in place; PyTorch raises",
    why="""\
`split`, `chunk`, `unbind` and iterating over a tensor make several views of one memory in one node of the graph.
When a view is written, autograd has to make the history of the view and of its base anew; it cannot do that for one
output of a node that has several, so it refuses the write ([in-place operations with
autograd](https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd)). The same
goes for the input of a module that has a full backward hook.
""",
    bad="""\
import torch
from torch import nn

torch.manual_seed(0)
proj = nn.Linear(3, 4)
value, gate = proj(torch.randn(2, 3)).chunk(2, dim=1)
value *= gate.sigmoid()  # <- IPG105
value.sum().backward()
""",
    good="""\
import torch
from torch import nn

torch.manual_seed(0)
proj = nn.Linear(3, 4)
value, gate = proj(torch.randn(2, 3)).chunk(2, dim=1)
value = value * gate.sigmoid()
value.sum().backward()
print(proj.bias.grad)  # tensor([0.7395, 1.0308, -0.3923, -0.0445])
""",
    safe_when="""\
- For a view that is the only output of its call: `x[:, :2] *= y` is allowed on a tensor that is no leaf (and is
  then judged as any other write).
- If the base does not require grad and what is written does not either.
- On a copy: `value = value.clone()` first.
""",
    pytorch_says="""\
At the write:

```text
RuntimeError: Output 0 of Split is a view and is being modified inplace. This view is the output of a function that
returns multiple views. Such functions do not allow the output views to be modified inplace. You should replace the
inplace operation by an out-of-place one.
```

Under `torch.no_grad()` the write itself passes, and the next use of the piece in the graph raises.
""",
    fix_safety="""\
The out-of-place form gives the same values and the right gradient. The base and the sibling views no longer see the
write; code that relies on the base having changed needs `torch.cat` of the new pieces.
""",
    fixable=True,
    hints=(
        "How many tensors came out of the call that made this one, and whose memory do they live in?",
        "The tensor is one of several views made by one call. Autograd cannot rebuild the history of just one of them.",
        "Write out of place: `value = value * gate`, or index the base (`x[:, :2]`) if the write has to be in place.",
    ),
)
