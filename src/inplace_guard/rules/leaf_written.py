"""IPG103."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG103",
    name="leaf-written",
    message="A leaf tensor that requires grad is written in place with grad mode on; PyTorch raises at this line",
    why="""\
A leaf (a parameter, or a tensor made with `requires_grad=True`) is where gradients are accumulated. A recorded
write would make it the result of an operation, and there would be no place left for the gradient of the old value.
PyTorch therefore refuses the write ([in-place operations with
autograd](https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd)).
Initialisation and hand-written optimizer steps are not part of the function that is differentiated, so they belong
under `torch.no_grad()`.
""",
    bad="""\
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = w.square().sum()
loss.backward()
w -= 0.1 * w.grad  # <- IPG103
""",
    good="""\
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = w.square().sum()
loss.backward()
with torch.no_grad():
    w -= 0.1 * w.grad
print(w)  # tensor([0.8000, 1.6000], requires_grad=True)
""",
    safe_when="""\
- Under `torch.no_grad()`, as in initialisation, a manual update, an average of weights, clamping of weights between
  steps. The functions of `torch.nn.init` and the optimizers do that themselves.
- Before `requires_grad_()` is called.
- On a tensor that is the result of an operation (`w * 1`, `w.clone()`): it is no leaf.
""",
    pytorch_says="""\
At the write:

```text
RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.
```
""",
    fix_safety="""\
Which form is right depends on what is meant. `with torch.no_grad():` keeps the tensor a leaf and leaves the update
out of the graph: right for updates and initialisation. `w = w - 0.1 * w.grad` makes a new tensor that is no leaf:
an optimizer or a module that holds the old one goes on with the old one.
""",
    fixable=True,
    hints=(
        "Is this write a step of the computation that you differentiate, or does it happen between two of them?",
        "A leaf that requires grad cannot be the result of an operation. Who, then, should record the write?",
        "Put the write under `with torch.no_grad():`; do not use `.data`, which hides it from the version check as "
        "well.",
    ),
)
