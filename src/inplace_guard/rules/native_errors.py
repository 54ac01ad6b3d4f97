"""PyTorch's other in-place and graph errors: which rule, why, and what to do. Texts as of torch 2.1 to 2.13."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["AT_BACKWARD", "AT_WRITE", "Explanation", "match"]


@dataclass(frozen=True, slots=True)
class Explanation:
    """`message` may name the operation as `{op}`, the target as `{name}`, and groups of the pattern as `{0}`."""

    pattern: re.Pattern[str]
    code: str
    message: str
    fixes: tuple[str, ...]
    of_base: bool = False  # raised where a view is used; the write to its base came before


def _entry(pattern: str, code: str, message: str, *fixes: str, of_base: bool = False) -> Explanation:
    return Explanation(re.compile(pattern), code, message, fixes, of_base)


AT_WRITE = (
    _entry(
        r"a view of a leaf Variable that requires grad",
        "IPG104",
        "{op} writes into a view of a leaf that requires grad; the leaf's own history would change under the optimizer",
        "fix: do the write under torch.no_grad() if it is initialisation or a manual update",
        "fix: if it belongs to the computation, write to a copy: `x = leaf.clone()`, then write to x",
    ),
    _entry(
        r"a leaf Variable that requires grad",
        "IPG103",
        "{op} writes a leaf that requires grad; its gradient could not be told from that of the old value",
        "fix: do the write under torch.no_grad() if it is initialisation or a manual update",
        "fix: if it belongs to the computation, make a new tensor: `{name} = {name} + ...`",
    ),
    _entry(
        r"(?:Output \d+ of )?(\w+?)(?:Backward)?\d* is a view and is being modified inplace.*"
        r"output of a function that returns multiple views",
        "IPG105",
        "{op} writes one of several views that one call made (split, chunk, unbind, iterating over a tensor)",
        "fix: write out of place; where the base is read afterwards, build it anew from the new pieces (torch.stack "
        "after unbind or iteration, torch.cat after split or chunk): it does not see them by itself",
        "it is harmful only for such views: index the base instead (`x[:, 0]`) if the write must be in place",
    ),
    _entry(
        r"Output \d+ of BackwardHookFunction\w* is a view and is being modified inplace",
        "IPG105",
        "{op} writes the input or output of a module that has a full backward hook; the hook made it a view",
        "fix: use the out-of-place form there (`inplace=False`), or hook the tensor instead of the module",
        "without the hook the same write is fine, which is why it appears only when somebody watches gradients",
    ),
    _entry(
        r"Output \d+ of (\w+) is a view and is being modified inplace.*created inside a custom Function",
        "IPG109",
        "{op} writes a tensor that the custom Function {0} returned as it came in (or as a view)",
        "fix: write out of place, or clone the result of {0}",
        "fix: if {0} itself writes its input, say so with ctx.mark_dirty(input)",
    ),
    _entry(
        r"is a view and is being modified inplace.*(?:no_grad|grad mode)",
        "IPG105",
        "{op} writes a view that was made under no_grad, now with grad mode on",
        "fix: make the view where it is written, or do both under no_grad",
    ),
    _entry(
        r"is a view and its base or another view of its base has been modified inplace",
        "IPG105",
        "{op} writes a tensor of which one call made several views (chunk, split, unbind) that are used afterwards",
        "fix: write before the views are made, or out of place",
        of_base=True,
    ),
    _entry(
        r"(?:A view was|is a view of a view which was) created in no_grad mode",
        "IPG105",
        "{op} writes a view that was made under no_grad, now with grad mode on",
        "fix: make the view where it is written, or do both under no_grad",
    ),
    _entry(
        r"is a view and is being modified inplace|Can't detach views in-place",
        "IPG105",
        "{op} writes a view that autograd does not let be written",
        "fix: use the out-of-place form",
    ),
    _entry(
        r"would mutate a captured Tensor",
        "IPG101",
        "{op} writes a tensor from outside of the torch.func transform that runs; no gradient could pass through it",
        "fix: pass it to the function as an argument and return the new value, or write out of place",
    ),
    _entry(
        r"vmap: inplace arithmetic\(.*\) is not possible",
        "IPG101",
        "{op} writes batched values under vmap into a tensor that has no batch dimension",
        "fix: write out of place, or make the tensor inside of the mapped function",
    ),
    _entry(
        r"[Ii]nference tensor|inference mode",
        "IPG108",
        "{op} uses a tensor that was made under torch.inference_mode() where autograd needs a normal one",
        "fix: clone it outside of inference_mode, or make it under no_grad instead",
    ),
    _entry(
        r"more than one element of the written-to tensor refers to a single memory location",
        "IPG106",
        "{op} writes memory that several elements share (expand, broadcast_to, overlapping windows)",
        "fix: `.clone()` the expanded tensor before writing, so that each element has memory of its own",
    ),
    _entry(
        r"some elements of the input tensor and the written-to tensor refer to a single memory location",
        "IPG106",
        "{op} reads and writes overlapping parts of one tensor; what is read would change while it is written",
        "fix: `.clone()` what is read: `x[1:] = x[:-1].clone()`",
    ),
    _entry(
        r"functions with out=\.\.\. arguments don't support automatic differentiation",
        "IPG110",
        "{op} is given out= while an argument requires grad; no gradient could pass through it",
        "fix: use the result without out=, which is recorded",
        "fix: if no gradient is meant to pass, call it under torch.no_grad()",
    ),
    _entry(
        r"marked as dirty during the forward method were not returned",
        "IPG109",
        "the forward of {op} writes an input and marks it dirty, but does not return it",
        "fix: return the input that was written, or work on a copy and do not mark it",
    ),
    _entry(
        r"modifies inplace an input that is a view of another Tensor, your Function cannot return more than one",
        "IPG109",
        "the forward of {op} writes an input that is a view, and returns several tensors",
        "fix: give it a copy (`x.clone()`), or let forward work on one",
    ),
    _entry(
        r"saved tensor pack hook is modifying its input in place",
        "IPG213",
        "{op} writes the tensor that a pack hook of saved_tensors_hooks was given",
        "fix: let the hook make a new tensor and return that",
    ),
    _entry(
        r"mark_dirty",
        "IPG109",
        "{op} marks as dirty what is not one of its inputs",
        "fix: mark only inputs that forward writes in place, and return them",
    ),
)

AT_BACKWARD = (
    _entry(
        r"Trying to backward through the graph a second time",
        "IPG301",
        "this backward needs a graph that an earlier backward has freed",
        "fix: run the forward again for each backward, or add the losses and call backward once",
        "fix: if a state is carried from one step to the next, `.detach()` it between the steps",
        "not a fix as a rule: retain_graph=True keeps the old graph; after an optimizer step it then fails because "
        "the parameters have changed",
    ),
    _entry(
        r"element \d+ of tensors does not require grad and does not have a grad_fn",
        "IPG302",
        "backward is called on a result without history: it was computed under no_grad or inference_mode, detached, "
        "or from tensors that need no gradient",
        "fix: compute it with grad mode on, from tensors that require grad, and without detach(), .data or .item()",
        "not a fix: requires_grad_() on the result makes the call succeed and trains nothing",
    ),
)


def match(text: str, known: tuple[Explanation, ...]) -> tuple[Explanation, tuple[str, ...]] | None:
    for explanation in known:
        found = explanation.pattern.search(text)
        if found is not None:
            return explanation, tuple(group or "" for group in found.groups())
    return None
