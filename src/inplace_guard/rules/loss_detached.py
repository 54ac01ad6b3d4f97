"""IPG303."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG303",
    name="loss-detached",
    message="The loss was cut from its graph (detach, item, torch.tensor) before backward; nothing trains",
    why="""\
`torch.tensor(loss)`, `loss.detach()`, `loss.data`, `loss.item()` and `float(loss)` give the value without the
history ([torch.tensor](https://docs.pytorch.org/docs/stable/generated/torch.tensor.html): "always copies data" and
makes a leaf). backward on such a value raises, and the usual answer to the error, `requires_grad=True` or
`requires_grad_()`, makes it a new leaf: backward succeeds, reaches that leaf and ends there. No parameter gets a
gradient, and the loss stays where it is.
""",
    bad="""\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(2, 1)
loss = net(torch.randn(4, 2)).mean()
loss = torch.tensor(loss, requires_grad=True)  # <- IPG303
loss.backward()
print(net.bias.grad)  # None
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
- The value is for a log or a schedule: `history.append(loss.item())`.
- Only one term of the loss is detached on purpose, as a target is.
- The input itself is to be differentiated: `x = torch.tensor(data, requires_grad=True)` where `data` has no
  history.
""",
    pytorch_says="""\
No error. `torch.tensor` of a tensor warns, for another reason:

```text
UserWarning: To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or
sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).
```

Following that advice changes nothing: it cuts the graph as well. Without `requires_grad=True` backward raises
"element 0 of tensors does not require grad and does not have a grad_fn".
""",
    fix_safety="""\
Keeping the loss in its graph makes training start. To put several losses together use `torch.stack(losses).mean()`
or `sum(losses)`, which keep their histories.
""",
    fixable=True,
    hints=(
        "After backward, which `.grad` is not None?",
        "Somewhere between the forward and the backward the loss lost its `grad_fn`. Print it after each line.",
        "Call backward on the loss itself; combine losses with `+` or `torch.stack`, not `torch.tensor`.",
    ),
)
