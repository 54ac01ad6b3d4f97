"""IPG208."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG208",
    name="repeated-index-write",
    message="x[idx] += y keeps one of several updates where idx repeats; index_add_ adds them all",
    why="""\
`out[index] += y` is three steps: read `out[index]`, add, write the sums back. Where `index` names a place twice,
both sums start from the old value and one of them overwrites the other. Which one stays is undefined
([Tensor.index_put_](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html)), and both get a
gradient as if they had stayed. Message passing on graphs, histograms and scatter into a grid are the usual places.
""",
    bad="""\
import torch

index = torch.tensor([0, 0, 1])
messages = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
out = torch.zeros(2)
out[index] += messages  # <- IPG208
print(out.detach())  # tensor([2., 3.])
""",
    good="""\
import torch

index = torch.tensor([0, 0, 1])
messages = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
out = torch.zeros(2)
out.index_add_(0, index, messages)
print(out.detach())  # tensor([3., 3.])
""",
    safe_when="""\
- No place is named twice: a permutation, `arange`, the result of `unique` or `nonzero`, a boolean mask.
- All updates of one place are equal and are meant to count once.
""",
    pytorch_says="""\
Nothing: no error and no warning.
""",
    fix_safety="""\
`index_add_` and `index_put_(..., accumulate=True)` add all updates, in an order that is not fixed on a GPU. Where
one update was meant to win, say which: remove the repetitions first.
""",
    fixable=True,
    hints=(
        "What happens if one place is named twice in the index?",
        "`x[i] += y` reads once and writes once for each entry of `i`; it does not add up what falls on one place.",
        "`x.index_add_(0, index, y)`, or `x.index_put_((index,), y, accumulate=True)`.",
    ),
)
