"""IPG1xx: backward raises."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULES = (
    Rule(
        code="IPG101",
        name="saved-tensor-overwritten",
        message="A tensor that backward needs is overwritten in place; backward will raise",
    ),
    Rule(
        code="IPG102",
        name="saved-tensor-likely-overwritten",
        message="A tensor that a callable of unknown content has probably saved for backward is overwritten in place",
    ),
    Rule(
        code="IPG103",
        name="leaf-written",
        message="A leaf tensor that requires grad is written in place with grad mode on; PyTorch raises at this line",
    ),
    Rule(
        code="IPG104",
        name="leaf-view-written",
        message="A view of a leaf that requires grad is written in place with grad mode on; PyTorch raises at this line",
    ),
    Rule(
        code="IPG105",
        name="multi-output-view-written",
        message="One of several views made by one call (split, chunk, unbind) is written in place; PyTorch raises",
    ),
    Rule(
        code="IPG106",
        name="expanded-memory-written",
        message="Memory that several elements share (expand) is written in place; PyTorch raises at this line",
    ),
    Rule(
        code="IPG107",
        name="parameters-stepped-before-backward",
        message="An optimizer steps parameters that a later backward still needs; that backward will raise",
    ),
    Rule(
        code="IPG108",
        name="inference-tensor-used",
        message="A tensor made under inference_mode is written or saved outside of it; PyTorch raises",
    ),
    Rule(
        code="IPG109",
        name="dirty-input-misused",
        message="A custom Function breaks the mark_dirty contract; PyTorch raises",
    ),
)
