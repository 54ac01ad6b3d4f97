"""IPG203."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG203",
    name="unversioned-write",
    message=(
        "An operation that does not bump the version counter overwrites memory that backward needs: wrong "
        "gradients, no error"
    ),
    why="""\
A few operations of PyTorch itself write without moving the version counter: the step of a fused optimizer
(`fused=True`), a batch norm that updates its running statistics after an eval forward saved them, `Tensor.apply_`
and `Tensor.map_`. Backward cannot tell that the saved tensor has changed ([in-place correctness
checks](https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-correctness-checks)). Switching an
optimizer to `fused=True` therefore turns an error that everybody sees (IPG107) into wrong gradients that nobody
sees.
""",
    bad="""\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=1.0, fused=True)

score = net(torch.randn(8, 2))
actor_loss, critic_loss = score.mean(), score.square().mean()
actor_loss.backward(retain_graph=True)
optimizer.step()  # <- IPG203
critic_loss.backward()
print(net[0].bias.grad)  # tensor([-0.6491, -0.2281, -0.2186, -0.0262])
""",
    good="""\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=1.0, fused=True)

score = net(torch.randn(8, 2))
actor_loss, critic_loss = score.mean(), score.square().mean()
(actor_loss + critic_loss).backward()
print(net[0].bias.grad)  # tensor([-0.6042, -0.2369, -0.2431, 0.0224])
optimizer.step()
""",
    safe_when="""\
- All backwards through the parameters are done before the step, as in a plain training loop.
- A batch norm whose eval forward is not differentiated, or whose train forward comes first.
""",
    pytorch_says="""\
Nothing: no error and no warning. Without `fused=True` the same program raises; see IPG107.
""",
    fix_safety="""\
As for IPG107: moving the step changes what is computed, namely to the gradient of both losses at the same weights.
To see whether a training script has the problem, run it once with `fused=False`.
""",
    fixable=True,
    hints=(
        "Which lines between a forward and its backward change memory that the forward used?",
        "This write does not move the version counter, so the check in backward is blind to it. Who saved that memory?",
        "Run all backwards before the step, or the forward again after it; call the batch norm's train forward first.",
    ),
)
