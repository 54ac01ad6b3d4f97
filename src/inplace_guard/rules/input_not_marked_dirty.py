"""IPG205."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG205",
    name="input-not-marked-dirty",
    message="A custom Function writes its input without ctx.mark_dirty: autograd goes on with the old history",
    why="""\
Grad mode is off inside of the forward of a custom Function, so a write to an input there is not recorded. Only
`ctx.mark_dirty(x)` tells autograd that the function replaced the values of `x` and that `x` now has the function's
history
([FunctionCtx.mark_dirty](https://docs.pytorch.org/docs/stable/generated/torch.autograd.function.FunctionCtx.mark_dirty.html)).
Without it, who goes on with `x` has the new values and the old history: the gradient passes by the function as if
it had never run.
""",
    bad="""\
import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        x *= factor  # <- IPG205
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


w = torch.tensor([1.0, 2.0], requires_grad=True)
h = w.square()
Scale.apply(h, 3.0)
h.sum().backward()
print(w.grad)  # tensor([2., 4.])
""",
    good="""\
import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        ctx.mark_dirty(x)
        x *= factor
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


w = torch.tensor([1.0, 2.0], requires_grad=True)
h = w.square()
Scale.apply(h, 3.0)
h.sum().backward()
print(w.grad)  # tensor([6., 12.])
""",
    safe_when="""\
- The input is marked and returned, or it is a tensor without history that is not differentiated.
- Only what `apply` returns is read from then on. It still overwrites what others may have saved, so marking it is
  right there, too.
""",
    pytorch_says="""\
Nothing: no error and no warning.
""",
    fix_safety="""\
With the mark the input becomes an output of the function and gets its history. An input that is a leaf and requires
grad may then not be written any more (IPG103), and a view of one neither; in these cases work on a copy.
""",
    fixable=True,
    hints=(
        "After `apply`, the tensor that went in has new values. Whose history does it have?",
        "Inside of forward nothing is recorded. One call on `ctx` tells autograd which inputs were written.",
        "Call `ctx.mark_dirty(x)` and return `x`, or compute out of place and use only what `apply` returns.",
    ),
)
