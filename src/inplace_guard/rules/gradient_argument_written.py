"""IPG206."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG206",
    name="gradient-argument-written",
    message=(
        "A gradient handed to a hook or backward is written in place; other branches of the graph may share that memory"
    ),
    why="""\
Autograd copies gradients as seldom as it can: the backward of an addition hands one tensor to both of its inputs. A
hook or a custom backward that writes the gradient it is given changes the gradient of the other branch, too.
Whether it does depends on the order in which the branches run. "The hook should not modify its argument"
([Tensor.register_hook](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.register_hook.html)). The
results of one `torch.autograd.grad` call may share memory in the same way.
""",
    bad="""\
import torch


def halve(grad):
    return grad.mul_(0.5)  # <- IPG206


a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([3.0, 4.0], requires_grad=True)
left, right = a * 1, b * 1
right.register_hook(halve)
(left + right).square().sum().backward()
print(a.grad, b.grad)  # tensor([4., 6.]) tensor([4., 6.])
""",
    good="""\
import torch


def halve(grad):
    return grad * 0.5


a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([3.0, 4.0], requires_grad=True)
left, right = a * 1, b * 1
right.register_hook(halve)
(left + right).square().sum().backward()
print(a.grad, b.grad)  # tensor([8., 12.]) tensor([4., 6.])
""",
    safe_when="""\
- On a copy: `grad = grad.clone()` first.
- On `p.grad` after the backward, as gradient clipping does; but not if the result of `autograd.grad` is meant.
""",
    pytorch_says="""\
Nothing, as a rule. Only if the gradient is expanded memory, as it is right behind a `sum()`, does the write raise
(IPG106).
""",
    fix_safety="""\
A hook that returns a new tensor has the effect that was meant, on this branch alone. Numbers will change where the
write had reached other branches.
""",
    fixable=True,
    hints=(
        "Who else may hold the tensor that your hook is given?",
        "The hook changes its argument. An addition upstream gave the very same tensor to its other input.",
        "Return a new tensor: `return grad * 0.5`.",
    ),
)
