"""IPG202."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG202",
    name="shared-memory-write",
    message=(
        "A write through memory shared with NumPy, DLPack or a raw storage changes a tensor that backward needs, no "
        "error"
    ),
    why="""\
`x.numpy()`, `np.asarray(x)`, `torch.from_numpy(a)`, DLPack and `x.untyped_storage()` copy nothing on the CPU: array
and tensor are one memory ([Tensor.numpy](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.numpy.html)).
What NumPy writes there does not pass through PyTorch, so no version counter moves. Backward reads what was written
in place of what was saved, and gives gradients of no function at all.
""",
    bad="""\
import torch

x = torch.tensor([1.0, -1.0], requires_grad=True)
h = torch.sigmoid(x)
percent = h.detach().numpy()
percent *= 100  # <- IPG202
lowest = percent.min()
h.sum().backward()
print(x.grad)  # tensor([-5271.3604, -696.4008])
""",
    good="""\
import torch

x = torch.tensor([1.0, -1.0], requires_grad=True)
h = torch.sigmoid(x)
percent = h.detach().numpy().copy()
percent *= 100
lowest = percent.min()
h.sum().backward()
print(x.grad)  # tensor([0.1966, 0.1966])
""",
    safe_when="""\
- The array is only read, or is a copy: `.numpy().copy()`, `.detach().clone().numpy()`, `np.array(x.numpy())`.
- The write comes after the backward that needs the tensor.
- The tensor is part of no graph: data loading, metrics under `torch.no_grad()`.
""",
    pytorch_says="""\
Nothing: no error and no warning. On another device the same code works, because `.cpu()` makes a copy there.
""",
    fix_safety="""\
A copy keeps the array as it is and gives the tensor back its values. Code that used the array to change the tensor
on purpose needs a tensor operation instead.
""",
    fixable=True,
    hints=(
        "Are the array and the tensor two things or one?",
        "The array has the memory of a tensor that some operation saved. When is it written, before the backward or "
        "after?",
        "Copy before writing: `h.detach().numpy().copy()`; or do the arithmetic out of place: "
        "`percent = percent * 100`.",
    ),
)
