"""IPG213."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG213",
    name="hooked-save-overwritten",
    message=(
        "Saved-tensor hooks switch the version check off, and a tensor saved under them is overwritten: wrong "
        "gradients, no error"
    ),
    why="""\
Under `saved_tensors_hooks` the graph stores what the pack hook returned, and takes what the unpack hook returns.
PyTorch compares no versions there. If the pack hook returns the tensor itself, or `save_on_cpu` is used with
tensors that are on the CPU already ("no tensor copy is performed"), a later write in place changes what backward
reads, and nothing raises ([hooks for saved
tensors](https://docs.pytorch.org/docs/stable/notes/autograd.html#hooks-for-saved-tensors)). The same write would
raise without the hooks. An unpack hook that writes what was packed does the same harm.
""",
    bad="""\
import torch
from torch.autograd.graph import save_on_cpu

x = torch.tensor([0.0, 1.0], requires_grad=True)
with save_on_cpu():
    y = torch.sigmoid(x)
y.sub_(0.5)  # <- IPG213
y.sum().backward()
print(x.grad)  # tensor([0.0000, 0.1777])
""",
    good="""\
import torch
from torch.autograd.graph import save_on_cpu

x = torch.tensor([0.0, 1.0], requires_grad=True)
with save_on_cpu():
    y = torch.sigmoid(x)
y = y - 0.5
y.sum().backward()
print(x.grad)  # tensor([0.2500, 0.1966])
""",
    safe_when="""\
- The pack hook returns a copy: a clone, a compressed form, a tensor on another device.
- Nothing that was saved under the hooks is written before the backward.
""",
    pytorch_says="""\
Nothing: no error and no warning.
""",
    fix_safety="""\
Out of place, the values are the same and the saved tensor stays as it was. A pack hook that clones keeps all writes
possible and costs the memory of every saved tensor.
""",
    fixable=True,
    hints=(
        "What did the graph store for this operation: the tensor, or a copy of it?",
        "Hooks on saved tensors are active, so no version is compared. What does the pack hook return?",
        "Write out of place (`y = y - 0.5`), or let the pack hook return a copy.",
    ),
)
