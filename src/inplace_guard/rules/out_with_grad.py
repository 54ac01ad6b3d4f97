"""IPG110."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG110",
    name="out-with-grad",
    message="out= is given while an argument requires grad; PyTorch raises at this line",
    why="""\
`out=` has a result written into memory that is there already, and there is no formula that would pass a gradient on
through such a call. If grad mode is on and an argument or the target requires grad, PyTorch refuses the call rather
than lose the gradient ([torch.no_grad](https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html) is where
such calls belong). It does so at the call, whatever comes after it.
""",
    bad="""\
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
buffer = torch.empty(2)
torch.mul(w, 2.0, out=buffer)  # <- IPG110
buffer.sum().backward()
""",
    good="""\
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
buffer = torch.mul(w, 2.0)
buffer.sum().backward()
print(w.grad)  # tensor([2., 2.])
""",
    safe_when="""\
- Under `torch.no_grad()`, where nothing is recorded. The call is then a write as any other: if something saved the
  buffer before, its backward raises (IPG101).
- Where nothing that takes part requires grad.
""",
    pytorch_says="""\
At the call:

```text
RuntimeError: mul(): functions with out=... arguments don't support automatic differentiation, but one of the
arguments requires grad.
```
""",
    fix_safety="""\
Which form is right depends on what is meant. The plain call (`buffer = torch.mul(w, 2.0)`) is recorded and makes a
new tensor; views and other names of the buffer no longer see the result. Under `torch.no_grad()` the buffer is
filled and gets no gradient.
""",
    fixable=True,
    hints=(
        "Who would pass the gradient back through a write that nobody recorded?",
        "Is this call part of the computation that you differentiate?",
        "Use the result of the call without `out=`, or put the call under `torch.no_grad()`.",
    ),
)
