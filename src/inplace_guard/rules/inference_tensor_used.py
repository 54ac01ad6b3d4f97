"""IPG108."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG108",
    name="inference-tensor-used",
    message="A tensor made under inference_mode is written or saved outside of it; PyTorch raises",
    why="""\
Tensors that are made under `torch.inference_mode()` have no version counter and no record of views; that is where
its speed comes from. Autograd could not check such a tensor, so it refuses to save it for a backward, and refuses
writes to it once the mode is left ([inference
mode](https://docs.pytorch.org/docs/stable/notes/autograd.html#inference-mode)). Features of a frozen backbone,
cached and then fed to a trained head, are the usual case.
""",
    bad="""\
import torch
from torch import nn

torch.manual_seed(0)
backbone, head = nn.Linear(3, 4), nn.Linear(4, 1)
with torch.inference_mode():
    features = backbone(torch.randn(2, 3))
loss = head(features).sum()  # <- IPG108
loss.backward()
""",
    good="""\
import torch
from torch import nn

torch.manual_seed(0)
backbone, head = nn.Linear(3, 4), nn.Linear(4, 1)
with torch.no_grad():
    features = backbone(torch.randn(2, 3))
loss = head(features).sum()
loss.backward()
print(head.bias.grad)  # tensor([2.])
""",
    safe_when="""\
- The use saves nothing: adding an inference tensor to one that requires grad is allowed.
- On a clone that is made after the mode was left: `features.clone()` is a normal tensor.
- As long as everything stays under `torch.inference_mode()`.
""",
    pytorch_says="""\
At the use:

```text
RuntimeError: Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in
computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in
autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`.
```
""",
    fix_safety="""\
`torch.no_grad()` computes the same values and costs a little more: it keeps version counters and views. `.clone()`
outside of the mode costs one copy and leaves the rest as it was.
""",
    fixable=True,
    hints=(
        "Where was this tensor made, and which bookkeeping did that place switch off?",
        "Autograd wants to save a tensor that has no version counter.",
        "Use `torch.no_grad()` where the tensor is made, or `.clone()` it outside of `inference_mode` before it is "
        "used.",
    ),
)
