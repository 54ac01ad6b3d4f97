"""IPG2xx: autograd is not told; wrong gradients or values in silence."""

from __future__ import annotations

from inplace_guard.rules.model import Rule

RULES = (
    Rule(
        code="IPG201",
        name="data-write",
        message="A write through .data changes memory of the graph and autograd is not told: wrong or missing gradients, no error",
    ),
    Rule(
        code="IPG202",
        name="shared-memory-write",
        message="A write through memory shared with NumPy, DLPack or a raw storage changes a tensor that backward needs, no error",
    ),
    Rule(
        code="IPG203",
        name="unversioned-write",
        message="An operation that does not bump the version counter overwrites memory that backward needs: wrong gradients, no error",
    ),
    Rule(
        code="IPG204",
        name="ctx-tensor-overwritten",
        message="A tensor kept on ctx is not version-checked and is overwritten before backward reads it: wrong gradients, no error",
    ),
    Rule(
        code="IPG205",
        name="input-not-marked-dirty",
        message="A custom Function writes its input without ctx.mark_dirty: autograd goes on with the old history",
    ),
    Rule(
        code="IPG206",
        name="gradient-argument-written",
        message="A gradient handed to a hook or backward is written in place; other branches of the graph may share that memory",
    ),
    Rule(
        code="IPG207",
        name="snapshot-alias",
        message="A kept tensor is an alias, not a copy, and a later in-place write changes it",
    ),
    Rule(
        code="IPG208",
        name="repeated-index-write",
        message="x[idx] += y keeps one of several updates where idx repeats; index_add_ adds them all",
    ),
    Rule(
        code="IPG209",
        name="checkpointed-write",
        message="Memory that a checkpointed segment reads again in backward is written in between: the recomputation sees other values",
    ),
    Rule(
        code="IPG210",
        name="gradient-lost",
        message="Values with history are written past autograd: the gradient through them is lost, no error",
    ),
    Rule(
        code="IPG211",
        name="overlapping-write",
        message="A write to memory that several elements share (expand, overlapping unfold) changes them all",
    ),
    Rule(
        code="IPG212",
        name="shared-input-overwritten",
        message="An in-place op overwrites a tensor that other code still uses: that code reads the new values",
    ),
    Rule(
        code="IPG213",
        name="hooked-save-overwritten",
        message="Saved-tensor hooks switch the version check off, and a tensor saved under them is overwritten: wrong gradients, no error",
    ),
)
