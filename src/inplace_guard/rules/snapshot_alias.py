"""IPG207."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG207",
    name="snapshot-alias",
    message="A kept tensor is an alias, not a copy, and a later in-place write changes it",
    why="""\
`best = model.state_dict()`, `before = w.detach()`, `previous = h` and `history.append(h)` keep a name for the same
memory: `detach()` shares it, and a state dict "contains references to the module's parameters and buffers"
([Module.state_dict](https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.state_dict)).
An optimizer step or any other write in place changes the snapshot along with the tensor. The best weights are then
the last ones, differences are zero, and a list of states holds the last state many times.
What a forward hook keeps of a convolution holds rectified values once `nn.ReLU(inplace=True)` has run behind it, and
`bias = self.bias[:n]` followed by `bias += offset` shifts the buffer itself, at every call.
""",
    bad="""\
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
before = w.detach()
w.square().sum().backward()
optimizer.step()  # <- IPG207
with torch.no_grad():
    print(w - before)  # tensor([0., 0.])
""",
    good="""\
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
before = w.detach().clone()
w.square().sum().backward()
optimizer.step()
with torch.no_grad():
    print(w - before)  # tensor([-0.2000, -0.4000])
""",
    safe_when="""\
- The alias is meant to follow the tensor, as a tied weight or a view into a buffer does.
- It is read before the next write, or a copy was made: `.clone()`, `copy.deepcopy(model.state_dict())`.
- The tensor is replaced and not written: `h = h * 0.5`.
""",
    pytorch_says="""\
Nothing: for PyTorch both names are one tensor, and no gradient is wrong.
""",
    fix_safety="""\
A copy costs its memory and keeps the values of the moment. Code that relied on the alias being up to date has to
read the tensor itself.
""",
    fixable=True,
    hints=(
        "Is what you kept a value, or another name for something that goes on changing?",
        "Compare `kept.data_ptr()` with that of the tensor: they are one memory, and this line writes it.",
        "Keep a copy: `w.detach().clone()`, `copy.deepcopy(model.state_dict())`, `history.append(h.clone())`.",
    ),
)
