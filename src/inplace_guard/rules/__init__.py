"""The catalogue of rules: data and prose only. What finds them lives in `analysis` and `runtime`."""

from __future__ import annotations

from collections.abc import Iterable

from inplace_guard.rules import (
    argument_written,
    checkpointed_write,
    ctx_tensor_overwritten,
    data_write,
    dirty_input_misused,
    expanded_memory_written,
    gradient_argument_written,
    gradient_lost,
    hooked_save_overwritten,
    inference_tensor_used,
    inplace_on_requires_grad,
    input_not_marked_dirty,
    leaf_view_written,
    leaf_written,
    loss_detached,
    multi_output_view_written,
    out_with_grad,
    overlapping_write,
    parameters_stepped_before_backward,
    repeated_index_write,
    saved_tensor_likely_overwritten,
    saved_tensor_overwritten,
    second_backward,
    shared_input_overwritten,
    shared_memory_write,
    snapshot_alias,
    training_step_without_graph,
    unversioned_write,
)
from inplace_guard.rules.model import Rule

__all__ = ["CATALOGUE", "FAMILIES", "Rule", "get", "resolve"]

# The families, by the prefix of their codes.
FAMILIES: dict[str, str] = {
    "IPG1": "Backward raises",
    "IPG2": "Autograd is not told: wrong gradients or values, no error",
    "IPG3": "The life of the graph",
    "IPG9": "Opinions, reported only if selected by name",
}

CATALOGUE: dict[str, Rule] = {
    module.RULE.code: module.RULE
    for module in (
        saved_tensor_overwritten,
        saved_tensor_likely_overwritten,
        leaf_written,
        leaf_view_written,
        multi_output_view_written,
        expanded_memory_written,
        parameters_stepped_before_backward,
        inference_tensor_used,
        dirty_input_misused,
        out_with_grad,
        data_write,
        shared_memory_write,
        unversioned_write,
        ctx_tensor_overwritten,
        input_not_marked_dirty,
        gradient_argument_written,
        snapshot_alias,
        repeated_index_write,
        checkpointed_write,
        gradient_lost,
        overlapping_write,
        shared_input_overwritten,
        hooked_save_overwritten,
        second_backward,
        training_step_without_graph,
        loss_detached,
        inplace_on_requires_grad,
        argument_written,
    )
}


def get(code_or_name: str) -> Rule:
    """The rule with this code (`IPG101`) or name (`saved-tensor-overwritten`).

    Raises KeyError if there is none.
    """
    if rule := CATALOGUE.get(code_or_name.upper()):
        return rule
    for rule in CATALOGUE.values():
        if rule.name == code_or_name.lower():
            return rule
    raise KeyError(code_or_name)


def resolve(select: Iterable[str] = ("IPG",), ignore: Iterable[str] = ()) -> frozenset[str]:
    """The codes that a selection of prefixes turns on; the longer prefix wins, as in flake8.

    Rules that are off by default need a prefix that reaches into their family (`IPG9`, `IPG902`): plain `IPG` or `I`
    does not turn them on.
    """
    chosen, dropped = tuple(select), tuple(ignore)

    def reach(code: str, prefixes: tuple[str, ...]) -> int:
        return max((len(p) for p in prefixes if code.startswith(p)), default=0)

    codes = set()
    for code, rule in CATALOGUE.items():
        wanted = reach(code, chosen)
        if wanted > reach(code, dropped) and (rule.default or wanted > len("IPG")):
            codes.add(code)
    return frozenset(codes)
