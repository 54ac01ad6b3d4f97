"""IPG211."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG211",
    name="overlapping-write",
    message="A write to memory that several elements share (expand, overlapping unfold) changes them all",
    why="""\
After `expand` or `unfold` several elements stand for one piece of memory. Most in-place operations refuse such a
tensor (IPG106), but not all: a row (`mask[0] = 1`) is a tensor whose own elements do not overlap, and
`masked_fill_`, `index_fill_` and an assignment to index tensors or masks go through. They change every element that
shares the memory, and not just the one that was named
([Tensor.expand](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.expand.html): "in-place operations
(especially ones that are vectorized) may result in incorrect behavior").
""",
    bad="""\
import torch

mask = torch.zeros(2).expand(3, 2)
mask[0] = 1.0  # <- IPG211
print(mask[:, 0])  # tensor([1., 1., 1.])
""",
    good="""\
import torch

mask = torch.zeros(2).expand(3, 2).clone()
mask[0] = 1.0
print(mask[:, 0])  # tensor([1., 0., 0.])
""",
    safe_when="""\
- After `.clone()`, `.contiguous()` or `.repeat(...)`.
- All elements that share memory get the same value: `zero_()` of the whole tensor.
- Windows that do not overlap: `unfold` with a step as large as the window.
""",
    pytorch_says="""\
Nothing for a row. `masked_fill_`, `index_fill_` and `index_put_` (also as `x[mask] = y`) warn that their use on
expanded tensors is deprecated, and go on.
""",
    fix_safety="""\
`.clone()` allocates the full size. Only the named elements change then, which also means that the tensor that was
expanded no longer does.
""",
    fixable=True,
    hints=(
        "How many elements does the write name, and how many change?",
        "Look at `x.stride()`: a 0, or windows that overlap, mean that several elements are one.",
        "`.clone()` the expanded tensor before you write to it.",
    ),
)
