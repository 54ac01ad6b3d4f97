"""The claims of the course, each measured again: the table "claimed, measured, why" of docs/reference-case.md.

Every figure, and every "raises" or "equal", comes from a run; only the claim and the reason are prose.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from minigpt_fixture.case import MiniGPTCase, build_case
from minigpt_fixture.measure import (
    ACCUMULATE,
    StepResult,
    graph_nodes,
    node_kinds,
    run_step,
    saved_bytes,
    saved_names,
    saved_tensors,
)
from minigpt_fixture.registry import CONTROL
from minigpt_fixture.say import say

__all__ = ["Claim", "error_of", "error_summary", "kib", "measured_claims", "twin_verdict"]

Claim = tuple[str, str, str]


def measured_claims() -> list[Claim]:
    """(claimed, measured, why) for each claim."""
    return [claim() for claim in _CLAIMS]


def error_summary(error: str) -> str:
    """The part of PyTorch's message that names the tensor and its versions."""
    match = re.search(r"output \d+ of \w+, is at version \d+; expected version \d+", error)
    return match[0] if match else error


def kib(count: int) -> str:
    return f"{count / 1024:,.1f} KiB"


def twin_verdict(name: str) -> str:
    """A break against its own out-of-place twin."""
    step, twin = run_step(name), run_step(name, repaired=True)
    if step.error:
        return say("raises")
    equal = not step.missing() and not step.differing(twin, 0, 0)
    return say("equal gradients") if equal else say("different gradients")


def _loss(case: MiniGPTCase) -> Tensor:
    return case.loss_fn(case.model(case.batch.tokens), case.batch.targets)


def _backward(loss: Tensor) -> None:
    loss.backward()  # type: ignore[no-untyped-call]


def error_of(step: Callable[[], object]) -> str:
    """`no error`, or PyTorch's first sentence."""
    try:
        step()
    except RuntimeError as error:
        return '"' + re.split(r"\. (?=[A-Z])", " ".join(str(error).split()))[0].rstrip(".") + '"'
    return say("no error")


def _raises(step: StepResult) -> str:
    return say("raises") if step.error else say("does not raise")


def _nodes() -> Claim:
    kinds = node_kinds(_loss(build_case()))
    leaves, views = kinds[ACCUMULATE], kinds["ViewBackward0"]
    return (
        say("about 41 backward nodes, some 20 a block and 5 outside"),
        say(
            "{nodes} nodes, and {all} with the {leaves} AccumulateGrad nodes",
            nodes=sum(kinds.values()) - leaves,
            all=sum(kinds.values()),
            leaves=leaves,
        ),
        say(
            "a Linear on a 3-D input is four nodes (TBackward0, AddmmBackward0 and two of the {views} ViewBackward0), "
            "and every reshape and transpose of the heads is one",
            views=views,
        ),
    )


def _saves() -> Claim:
    names = saved_names(_loss(build_case()))
    kinds = ("AddBackward0", "SoftmaxBackward0", "GeluBackward0", "NativeLayerNormBackward0")
    return (
        say("add saves nothing, softmax its output, GELU its input"),
        "; ".join(f"{kind}: {', '.join(names[kind]) or say('nothing')}" for kind in kinds),
        say("as claimed; `self` and `input` are what the op read, `result` what it made"),
    )


def _mul() -> Claim:
    a, b = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    results = {
        say("both require grad"): a * b,
        say("only a does"): a * b.detach(),
        say("b is a number"): a * 2,
    }
    return (
        say("mul saves both factors"),
        "; ".join(f"{when}: {_factors(result)}" for when, result in results.items()),
        say("a factor is kept only for the gradient of the other one; a number is kept as a tensor without dimensions"),
    )


def _factors(product: Tensor) -> str:
    saved = {name: value for node in graph_nodes(product) for name, value in saved_tensors(node).items()}
    letters = sorted(
        {"self": "a", "other": "b"}[name] + ("" if value.dim() else " (0-d)") for name, value in saved.items()
    )
    return say(" and ").join(letters) or say("nothing")


def _addmm() -> Claim:
    names = saved_names(_loss(build_case()))["AddmmBackward0"]
    return (
        say("addmm saves input, weight and bias"),
        say("{names}: input and weight", names=", ".join(names)),
        say("each is there for the gradient of the other; the gradient of the bias needs no saved value"),
    )


def _bytes() -> Claim:
    case = build_case()
    held = saved_bytes(_loss(case), case.model.parameters())
    return (
        say("saved tensors: about 130 KiB"),
        say(
            "{distinct} in distinct activation storages ({each} with shared memory counted each time), and "
            "{parameters} of parameters",
            distinct=kib(held.distinct),
            each=kib(held.each),
            parameters=kib(held.parameters),
        ),
        say(
            "parameters are held by reference and cost nothing; the Q, K and V projections save one and the same input"
        ),
    )


def _classic() -> Claim:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        anomaly = run_step("residual-add", detect_anomaly=True)
    reports = [m[1] for w in caught if (m := re.search(r"Error detected in (\w+)", str(w.message)))]
    return (
        say("`h.add_(attn(ln1(h)))` raises under anomaly mode; without it, the gradients may be wrong in silence"),
        say(
            "without: {without}; with: {anomaly}, and the forward stack of {node} is shown",
            without=_raises(run_step("residual-add")),
            anomaly=_raises(anomaly),
            node=", ".join(reports) or say("nothing"),
        ),
        say("every backward compares versions; anomaly mode adds where the tensor was saved, not where it was written"),
    )


def _message() -> Claim:
    return (
        say('the error names NativeLayerNormBackward, "version 2; expected version 0"'),
        f'"{error_summary(run_step("residual-add").error or "no error")}"',
        say(
            "the message names the op that made the tensor; the last block fails first, after four writes to one memory"
        ),
    )


def _clone() -> Claim:
    def forward(self: Any, h: Tensor) -> Tensor:
        x = self.ln1(h)
        h = h.clone()
        h.add_(self.attn(x))
        x = self.ln2(h)
        h = h.clone()
        return h.add_(self.ffn(x))

    case, control = build_case(), run_step(CONTROL)
    for block in case.model.blocks:
        block.forward = forward.__get__(block)
    _backward(_loss(case))
    after = StepResult(None, {name: p.grad for name, p in case.model.named_parameters()}, None)
    same = not after.missing() and not after.differing(control, 0, 0)
    return (
        say("`h = h.clone(); h.add_(x)` is a fix"),
        say(
            "copy before the norm: {before}; copy after the norm: {after}",
            before=_raises(run_step("clone-before-norm")),
            after=say("equal gradients") if same else say("different gradients"),
        ),
        say("the norm saves what it reads, so that the copy has to come after it; `h = h + x` is shorter"),
    )


def _silent() -> Claim:
    step, control = run_step("data-add"), run_step(CONTROL)
    parts = dict.fromkeys(name.split(".")[2] for name in step.missing())
    return (
        say("a variant without an error trains to a worse minimum"),
        say(
            "`h.data.add_(...)`: {error}; {loss}; {missing} of {all} parameters have no gradient ({parts}), {wrong} a "
            "wrong one",
            error=_raises(step) if step.error else say("no error"),
            loss=say("first loss equal to the control's") if step.loss == control.loss else say("another first loss"),
            missing=len(step.missing()),
            all=len(step.gradients),
            parts=", ".join(parts),
            wrong=len(step.differing(control)),
        ),
        say("autograd does not see what goes through `.data`: the sum has no history, the version stays"),
    )


def _relu() -> Claim:
    return (
        say("`F.relu(x)` to `F.relu_(x)` is a break"),
        say(
            "after a Linear: {after}; on the input of a Linear: {before}",
            after=twin_verdict("relu-after-linear"),
            before=twin_verdict("relu-saved"),
        ),
        say("relu saves its result: relu_ breaks only what another op has saved"),
    )


def _exp() -> Claim:
    def result_written() -> None:
        x = torch.ones(3, requires_grad=True)
        _backward((x * 2).exp_().mul_(2).sum())  # noqa: IPG101 (on purpose)

    return (
        say("`x.exp()` to `x.exp_()` is a break"),
        say(
            "on a fresh tensor: {fresh}; where logsumexp has saved x: {saved}; result written afterwards: {after}",
            fresh=twin_verdict("exp-fresh"),
            saved=twin_verdict("exp-saved"),
            after=say("no error") if error_of(result_written) == say("no error") else say("raises"),
        ),
        say("exp saves its result"),
    )


def _kv_cache() -> Claim:
    case = build_case()
    sums: list[Tensor] = []
    cache: list[Tensor] = []
    for module in case.model.blocks:
        block: Any = module
        block.ln2.register_forward_pre_hook(lambda _, args: sums.append(args[0]))
        block.register_forward_hook(lambda _, args, output: sums.append(output))
        for projection in (block.attn.k, block.attn.v):
            projection.register_forward_hook(lambda _, args, output: cache.append(output))
    nodes = graph_nodes(_loss(case))
    saved = {t.untyped_storage().data_ptr() for node in nodes for t in saved_tensors(node).values()}
    needed = sum(t.untyped_storage().data_ptr() in saved for t in sums)
    return (
        say("writing the residuals in place saves as much as a KV cache takes"),
        say(
            "residual sums: {sums}; keys and values: {cache}; backward needs {needed} of the {count} sums",
            sums=kib(sum(t.nbytes for t in sums)),
            cache=kib(sum(t.nbytes for t in cache)),
            needed=needed,
            count=len(sums),
        ),
        say(
            "both are two tensors of T x d_model a layer, which is all they share; the norms keep the sums in any case"
        ),
    )


def _detach() -> Claim:
    case = build_case()
    case.model.tok_emb.register_forward_hook(lambda _, args, output: output.detach())
    error = error_of(lambda: _backward(_loss(case)))
    missing = [f"`{name}`" for name, p in case.model.named_parameters() if p.grad is None]
    return (
        say("detach cuts the tape"),
        say("token embedding detached: {error}; no gradient for {names}", error=error, names=", ".join(missing)),
        say("it never trains, and nothing says so"),
    )


def _no_grad() -> Claim:
    case = build_case()
    with torch.no_grad():
        loss = _loss(case)
    return (
        say("a training step under no_grad fails in backward"),
        error_of(lambda: _backward(loss)),
        say("nothing was recorded"),
    )


def _twice() -> Claim:
    plain, retained = _loss(build_case()), _loss(build_case())
    _backward(plain)
    retained.backward(retain_graph=True)  # type: ignore[no-untyped-call]
    return (
        say("a second backward needs retain_graph"),
        say(
            "without: {without}; with: {retained}",
            without=error_of(lambda: _backward(plain)),
            retained=error_of(lambda: _backward(retained)),
        ),
        say("backward frees each saved tensor once it has read it"),
    )


_CLAIMS = (
    _nodes,
    _saves,
    _mul,
    _addmm,
    _bytes,
    _classic,
    _message,
    _clone,
    _silent,
    _relu,
    _exp,
    _kv_cache,
    _detach,
    _no_grad,
    _twice,
)
