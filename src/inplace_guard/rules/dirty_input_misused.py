"""IPG109."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG109",
    name="dirty-input-misused",
    message="A custom Function breaks the mark_dirty contract; PyTorch raises",
    why="""\
A custom `autograd.Function` may write an input in place if it says so with `ctx.mark_dirty(input)` and returns that
very tensor: the returned tensor is how the written input gets its new history. If it is not returned, PyTorch has
no node to attach to the new values, and raises when `apply` returns. What is marked has to be an input
([FunctionCtx.mark_dirty](https://docs.pytorch.org/docs/stable/generated/torch.autograd.function.FunctionCtx.mark_dirty.html)).
""",
    bad="""\
import torch


class ClampedSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x.abs() <= 1)
        ctx.mark_dirty(x)
        x.clamp_(-1, 1)  # <- IPG109
        return x.sum()

    @staticmethod
    def backward(ctx, grad):
        (inside,) = ctx.saved_tensors
        return grad * inside


w = torch.tensor([0.5, 2.0], requires_grad=True)
ClampedSum.apply(w * 1).backward()
""",
    good="""\
import torch


class ClampedSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x.abs() <= 1)
        return x.clamp(-1, 1).sum()

    @staticmethod
    def backward(ctx, grad):
        (inside,) = ctx.saved_tensors
        return grad * inside


w = torch.tensor([0.5, 2.0], requires_grad=True)
ClampedSum.apply(w * 1).backward()
print(w.grad)  # tensor([1., 0.])
""",
    safe_when="""\
- The input that was written is marked *and* returned, and the caller goes on with what `apply` returns.
- The function writes only tensors that it made itself; these need no mark.
""",
    pytorch_says="""\
When `apply` is called:

```text
RuntimeError: Some elements marked as dirty during the forward method were not returned as output. The inputs that
are modified inplace must all be outputs of the Function.
```

Without the mark nothing raises, and gradients are wrong: IPG205.
""",
    fix_safety="""\
Working on a copy leaves the caller's tensor alone, which code that relied on the write will notice. Returning the
input as well adds an output: `backward` then gets one more gradient, and callers one more result.
""",
    fixable=True,
    hints=(
        "Which tensor does your function write, and how does the rest of the graph learn of its new values?",
        "`mark_dirty` is a promise: the marked input is also an output.",
        "Return the marked input too, or do not write it: `x.clamp(-1, 1)` in place of `x.clamp_(-1, 1)` and no mark.",
    ),
)
