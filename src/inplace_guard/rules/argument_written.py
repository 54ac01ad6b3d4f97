"""IPG902."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULE = Rule(
    code="IPG902",
    name="argument-written",
    message="A function writes its tensor argument in place",
    why="""\
This is an opinion, for code whose functions are to leave their arguments alone. A caller cannot see from
`normalise(batch)` that `batch` is changed; and whether it may be changed depends on what the caller's graph has
saved, which the function cannot know. PyTorch's own convention is the trailing underscore: an operation that writes
its argument says so in its name ([torch.Tensor](https://docs.pytorch.org/docs/stable/tensors.html): "Methods which
mutate a tensor are marked with an underscore suffix").
""",
    bad="""\
import torch


def normalise(batch: torch.Tensor) -> torch.Tensor:
    batch /= batch.sum()  # <- IPG902
    return batch


pixels = torch.tensor([1.0, 3.0])
scaled = normalise(pixels)
print(pixels, scaled)  # tensor([0.2500, 0.7500]) tensor([0.2500, 0.7500])
""",
    good="""\
import torch


def normalise(batch: torch.Tensor) -> torch.Tensor:
    batch = batch / batch.sum()
    return batch


pixels = torch.tensor([1.0, 3.0])
scaled = normalise(pixels)
print(pixels, scaled)  # tensor([1., 3.]) tensor([0.2500, 0.7500])
""",
    safe_when="""\
If every caller hands over a tensor that it does not need any more, or the function exists to change its argument.
Name it accordingly (`normalise_`) and silence the line.
""",
    pytorch_says="""\
Nothing, unless the caller's graph saved the tensor; then its backward raises (IPG101).
""",
    fix_safety="""\
Callers that ignore the return value and rely on the change have to use what is returned.
""",
    hints=(
        "What does the caller's tensor hold after the call?",
        "The name of the function does not say that it changes its argument. Who else uses that tensor?",
        "Make a new tensor: `batch = batch / batch.sum()`.",
    ),
    default=False,
    runtime=False,
)
