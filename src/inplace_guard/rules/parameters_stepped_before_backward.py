"""IPG107."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG107",
    name="parameters-stepped-before-backward",
    message="An optimizer steps parameters that a later backward still needs; that backward will raise",
    why="""\
`optimizer.step()` writes the parameters in place. A `Linear` or a convolution saves its weight to pass the gradient
on to its input, so a graph that was built before the step and is run backward after it finds another version of the
weight and raises. Actor and critic on one trunk, a generator's loss through a discriminator that has just been
stepped, and `retain_graph=True` in a loop with a step in it are the usual ways to get there. The message speaks of
"output 0 of AsStrided" or of no operation at all, because what was saved is the transposed weight ([in-place
correctness checks](https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-correctness-checks)).
""",
    bad="""\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

score = net(torch.randn(8, 2))
actor_loss, critic_loss = score.mean(), score.square().mean()
actor_loss.backward(retain_graph=True)
optimizer.step()  # <- IPG107
critic_loss.backward()
""",
    good="""\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

score = net(torch.randn(8, 2))
actor_loss, critic_loss = score.mean(), score.square().mean()
(actor_loss + critic_loss).backward()
print(net[0].bias.grad)  # tensor([-0.6042, -0.2369, -0.2431, 0.0224])
optimizer.step()
""",
    safe_when="""\
- All backwards through the parameters are done, or the later one belongs to a forward that ran after the step.
- The later backward does not pass the stepped weights: another network, or the part in front of a `detach()`.
- The weight was not saved: the first `Linear` of a network whose input requires no grad keeps its input only.
""",
    pytorch_says="""\
Nothing at the step. The later backward raises:

```text
RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation:
[torch.FloatTensor [4, 1]], which is output 0 of AsStrided, is at version 2; expected version 1 instead. Hint:
enable anomaly detection to find the operation that failed to compute its gradient, with
torch.autograd.set_detect_anomaly(True, check_nan=False).
```

A fused optimizer does not bump the version: then nothing raises and the gradient is wrong (IPG203).
""",
    fix_safety="""\
Moving the step changes what is computed: gradients of both losses then come from the same weights, and are summed
before the one step. That is nearly always what was meant; if the second loss is to see the stepped weights, run its
forward after the step. `retain_graph=True` does not help, and `detach()` on the way makes the error go and the
training with it.
""",
    fixable=True,
    hints=(
        "Between the forward and this backward, which line changes parameters?",
        "An optimizer step writes weights in place. Which graphs that are still to be run backward were built with "
        "the old weights?",
        "Run all backwards first and step then, or run the forward again after the step.",
    ),
)
