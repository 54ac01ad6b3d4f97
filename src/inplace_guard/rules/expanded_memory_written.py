"""IPG106."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG106",
    name="expanded-memory-written",
    message="Memory that several elements share (expand) is written in place; PyTorch raises at this line",
    why="""\
`expand`, `broadcast_to` and `expand_as` copy nothing: they give a dimension the stride 0, so that many elements
stand for one piece of memory. An in-place operation that computes element by element would write that memory
several times and have no one value to leave there, so PyTorch refuses
([Tensor.expand](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.expand.html): "If you need to write to
the tensors, please clone them first"). An assignment whose source overlaps its target (`x[1:] = x[:-1]`) is refused
for the same reason. Some writes are let through and change more elements than they name: IPG211.
""",
    bad="""\
import torch

offsets = torch.zeros(1, 3).expand(2, 3)
offsets += torch.tensor([[1.0], [2.0]])  # <- IPG106
print(offsets[:, 0])
""",
    good="""\
import torch

offsets = torch.zeros(1, 3).expand(2, 3).clone()
offsets += torch.tensor([[1.0], [2.0]])
print(offsets[:, 0])  # tensor([1., 2.])
""",
    safe_when="""\
- After `.clone()`, `.contiguous()` or `.repeat(...)`, which give each element memory of its own.
- `fill_` and `zero_` of the whole tensor: all elements are meant to be equal.
- If `expand` changed nothing, because every dimension had its size already.
""",
    pytorch_says="""\
At the write:

```text
RuntimeError: unsupported operation: more than one element of the written-to tensor refers to a single memory
location. Please clone() the tensor before performing the operation.
```
""",
    fix_safety="""\
`.clone()` allocates the full size, which is what the write needs. The tensor that was expanded is no longer written
through it.
""",
    fixable=True,
    hints=(
        "How much memory does the tensor really have, compared with its shape? Look at `x.stride()`.",
        "`expand` made it: a stride of 0 means that all elements along that dimension are one.",
        "Call `.clone()` on the expanded tensor before the write, or use the out-of-place form.",
    ),
)
