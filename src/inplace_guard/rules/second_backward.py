"""IPG301."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG301",
    name="second-backward",
    message="A graph that backward has freed is needed again; PyTorch raises",
    why="""\
`backward()` frees the saved tensors of the graph that it passes, because a training loop needs them once. A second
backward through the same nodes finds them gone and raises
([torch.Tensor.backward](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html),
`retain_graph`). The usual cause is a tensor that carries its history from one step of a loop into the next: the
hidden state of a recurrent net, a running average of losses, something that was computed once in front of the loop.
""",
    bad="""\
import torch
from torch import nn

torch.manual_seed(0)
rnn = nn.RNNCell(2, 3)
h = torch.zeros(1, 3)
for _ in range(2):
    h = rnn(torch.randn(1, 2), h)
    h.sum().backward()  # <- IPG301
""",
    good="""\
import torch
from torch import nn

torch.manual_seed(0)
rnn = nn.RNNCell(2, 3)
h = torch.zeros(1, 3)
for _ in range(2):
    h = rnn(torch.randn(1, 2), h)
    h.sum().backward()
    h = h.detach()
print(rnn.bias_ih.grad)  # tensor([1.5325, 1.6765, 1.0352])
""",
    safe_when="""\
- The second backward passes nodes that save nothing: `loss = a + b` may be run backward twice.
- The first one was called with `retain_graph=True`, and nothing it saved has been written since (see IPG107).
- The graph is made anew between the two.
""",
    pytorch_says="""\
At the second backward:

```text
RuntimeError: Trying to backward through the graph a second time (or directly access saved tensors after they have
already been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad().
Specify retain_graph=True if you need to backward through the graph a second time or if you need to access saved
tensors after calling backward.
```
""",
    fix_safety="""\
`h.detach()` between the steps truncates backpropagation through time: the gradient of a step no longer reaches
earlier ones, which is all that a loop with a backward in each step can give. For the full gradient, add the losses
up and call backward once after the loop. `retain_graph=True`, which the message proposes, keeps every earlier graph
alive, and once an optimizer has stepped weights that an earlier graph saved, backward fails with a version error
(IPG107).
""",
    fixable=True,
    hints=(
        "Which tensor takes part in both backwards?",
        "Something carries its history from one round of the loop into the next. What should the gradient reach?",
        "`h = h.detach()` after each backward, or one backward for the sum of the losses after the loop.",
    ),
)
