"""IPG901."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG901",
    name="inplace-on-requires-grad",
    message="In-place write to a tensor that requires grad",
    why="""\
This is an opinion, for code that wants no in-place writes in its graph at all. Most such writes are right: what is
wrong is found by the other rules. Yet each of them depends on what was saved before, so that an unrelated change
(another activation, a second user of the tensor) can break it; and PyTorch's own notes discourage them "in most
cases", since autograd's "aggressive buffer freeing and reuse" leaves little memory to be saved ([in-place
operations with
autograd](https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd)).
""",
    bad="""\
import torch

x = torch.tensor([1.0, -2.0], requires_grad=True)
h = x * 2
h.relu_()  # <- IPG901
h.sum().backward()
print(x.grad)  # tensor([2., 0.])
""",
    good="""\
import torch

x = torch.tensor([1.0, -2.0], requires_grad=True)
h = x * 2
h = h.relu()
h.sum().backward()
print(x.grad)  # tensor([2., 0.])
""",
    safe_when="""\
Whenever no other rule reports the line. Select this rule (`--extend-select IPG901`) only if you want all of them
gone.
""",
    pytorch_says="""\
Nothing: the write is allowed, and the gradient is right.
""",
    fix_safety="""\
The out-of-place form gives the same values and gradients, unless other names for the tensor rely on seeing the
write. It allocates one tensor more, which autograd may free at once.
""",
    hints=(
        "Do you need this write to be in place?",
        "It is right today because nothing saved the tensor. What would have to change to break it?",
        "Use the out-of-place form: `h = h.relu()`.",
    ),
    default=False,
    runtime=False,
)
