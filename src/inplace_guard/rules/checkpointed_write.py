"""IPG209."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG209",
    name="checkpointed-write",
    message=(
        "Memory that a checkpointed segment reads again in backward is written in between: the recomputation sees "
        "other values"
    ),
    why="""\
A checkpointed segment saves nothing; backward runs it again. It then reads the parameters, buffers and closed-over
tensors as they are at that time. If one of them was written in the meantime, the recomputed activations are not
those of the forward, and the gradient belongs to neither. "If the function invocation during the backward pass
differs from the forward pass [...] the checkpointed version may not be equivalent, potentially causing an error
being raised or leading to silently incorrect gradients"
([torch.utils.checkpoint](https://docs.pytorch.org/docs/stable/checkpoint.html)). A version error inside of the
segment does not show either: the versions are those of the recomputation.
""",
    bad="""\
import torch
from torch.utils.checkpoint import checkpoint

gain = torch.tensor([2.0])


def segment(x):
    return torch.tanh(x) * gain


x = torch.tensor([1.0], requires_grad=True)
y = checkpoint(segment, x, use_reentrant=False)
gain.mul_(0.5)  # <- IPG209
y.sum().backward()
print(x.grad)  # tensor([0.4200])
""",
    good="""\
import torch
from torch.utils.checkpoint import checkpoint

gain = torch.tensor([2.0])


def segment(x):
    return torch.tanh(x) * gain


x = torch.tensor([1.0], requires_grad=True)
y = checkpoint(segment, x, use_reentrant=False)
y.sum().backward()
gain.mul_(0.5)
print(x.grad)  # tensor([0.8399])
""",
    safe_when="""\
- The write comes after the backward of the segment.
- The segment does not read what is written.
- It is no silent hazard if the input itself is written: checkpoint keeps it as a saved tensor, and backward raises.
""",
    pytorch_says="""\
Nothing: no error and no warning, as long as shapes and dtypes of the recomputed tensors are what they were.
""",
    fix_safety="""\
Moving the write behind the backward, or replacing it by a new tensor (`gain = gain * 0.5` in the loop, with the old
one handed to the segment as an argument), leaves the forward as it was.
""",
    fixable=True,
    hints=(
        "When does the code in the checkpointed segment run, and how often?",
        "It runs a second time in backward. What it reads there has been written since the first time.",
        "Write after the backward, or hand the tensor to `checkpoint` as an argument and make a new one instead of "
        "writing it.",
    ),
)
