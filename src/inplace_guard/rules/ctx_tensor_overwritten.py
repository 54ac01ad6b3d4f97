"""IPG204."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG204",
    name="ctx-tensor-overwritten",
    message=(
        "A tensor kept on ctx is not version-checked and is overwritten before backward reads it: wrong gradients, "
        "no error"
    ),
    why="""\
`ctx.save_for_backward(y)` saves a tensor as PyTorch's own operations do: with its version, which is compared when
backward asks for it. `ctx.y = y` is a plain attribute. Nobody compares anything, so a later write in place to `y`,
even outside of the function, changes what its backward computes
([FunctionCtx.save_for_backward](https://docs.pytorch.org/docs/stable/generated/torch.autograd.function.FunctionCtx.save_for_backward.html):
to "prevent incorrect gradients and memory leaks").
""",
    bad="""\
import torch


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.y = x.exp()
        return ctx.y

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.y


x = torch.tensor([0.0, 1.0], requires_grad=True)
y = Exp.apply(x)
y *= 10  # <- IPG204
y.sum().backward()
print(x.grad)  # tensor([100.0000, 271.8282])
""",
    good="""\
import torch


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * y


x = torch.tensor([0.0, 1.0], requires_grad=True)
y = Exp.apply(x)
y = y * 10
y.sum().backward()
print(x.grad)  # tensor([10.0000, 27.1828])
""",
    safe_when="""\
- What is kept on `ctx` is no tensor (a shape, a factor, a flag), or a copy that nobody else can write.
- Nothing writes the tensor between the forward and the backward.
""",
    pytorch_says="""\
Nothing: no error and no warning. With `save_for_backward` alone, the first program would raise, as IPG101 does.
""",
    fix_safety="""\
`save_for_backward` takes inputs and outputs of the function, may be called once, and frees what it keeps after
backward; code that reads `ctx.y` elsewhere has to read `ctx.saved_tensors`. It turns silence into an error; the
write itself has to become out of place, too.
""",
    fixable=True,
    hints=(
        "What does your function's backward read, and when was that value last written?",
        "An attribute on `ctx` is not a saved tensor: nobody checks its version.",
        "Use `ctx.save_for_backward(y)` and `ctx.saved_tensors`, and write out of place outside: `y = y * 10`.",
    ),
)
