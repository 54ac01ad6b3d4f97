"""IPG302."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG302",
    name="training-step-without-graph",
    message="backward is called on a result computed under no_grad or inference_mode; PyTorch raises",
    why="""\
Under `torch.no_grad()` and `torch.inference_mode()`, as a `with` block or a decorator, operations are not recorded:
their results have no `grad_fn` and do not require grad ([locally disabling gradient
computation](https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disable-grad-doc)). There is no graph
to run backward. An evaluation step that was copied into the training loop, or a decorator on a helper that training
uses as well, are the usual causes.
""",
    bad="""\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(2, 1)
with torch.no_grad():
    loss = net(torch.randn(4, 2)).mean()
loss.backward()  # <- IPG302
""",
    good="""\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(2, 1)
loss = net(torch.randn(4, 2)).mean()
loss.backward()
print(net.bias.grad)  # tensor([1.])
""",
    safe_when="""\
- Only a part runs under `no_grad` (a teacher, a target network), and the loss still depends on something recorded.
- Grad mode was switched on again inside: `with torch.enable_grad():`.
""",
    pytorch_says="""\
At the backward:

```text
RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
```
""",
    fix_safety="""\
Computing the loss with grad mode on costs the memory of the saved tensors. `loss.requires_grad_()` is no fix: it
makes the call succeed and trains nothing (IPG303).
""",
    fixable=True,
    hints=(
        "Which operations recorded themselves between the parameters and the loss?",
        "`loss.grad_fn` is None. Is there a `no_grad` or `inference_mode` around the forward, perhaps as a decorator?",
        "Move the forward out of the `no_grad` block, or wrap it in `with torch.enable_grad():`.",
    ),
)
