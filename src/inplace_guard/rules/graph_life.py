"""IPG3xx: the life of the graph."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULES = (
    Rule(
        code="IPG301",
        name="second-backward",
        message="A graph that backward has freed is needed again; PyTorch raises",
    ),
    Rule(
        code="IPG302",
        name="training-step-without-graph",
        message="backward is called on a result computed under no_grad or inference_mode; PyTorch raises",
    ),
    Rule(
        code="IPG303",
        name="loss-detached",
        message="The loss was cut from its graph (detach, item, torch.tensor) before backward; nothing trains",
    ),
)
