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

__all__ = ["Claim", "error_summary", "measured_claims", "twin_verdict"]

Claim = tuple[str, str, str]


def measured_claims() -> list[Claim]:
    """(claimed, measured, why) for each claim."""
    return [claim() for claim in _CLAIMS]


def error_summary(error: str) -> str:
    """The part of PyTorch's message that names the tensor and its versions."""
    match = re.search(r"output \d+ of \w+, is at version \d+; expected version \d+", error)
    return match[0] if match else error


def twin_verdict(name: str) -> str:
    """A break against its own out-of-place twin."""
    step, twin = run_step(name), run_step(name, repaired=True)
    if step.error:
        return "raises"
    return "equal gradients" if not step.missing() and not step.differing(twin, 0, 0) else "different gradients"


def _kib(count: int) -> str:
    return f"{count / 1024:.1f} KiB"


def _loss(case: MiniGPTCase) -> Tensor:
    return case.loss_fn(case.model(case.batch.tokens), case.batch.targets)


def _backward(loss: Tensor) -> None:
    loss.backward()  # type: ignore[no-untyped-call]


def _error_of(step: Callable[[], object]) -> str:
    """`no error`, or PyTorch's first sentence."""
    try:
        step()
    except RuntimeError as error:
        return '"' + re.split(r"\. (?=[A-Z])", " ".join(str(error).split()))[0].rstrip(".") + '"'
    return "no error"


def _raises(step: StepResult) -> str:
    return "raises" if step.error else "does not raise"


def _nodes() -> Claim:
    kinds = node_kinds(_loss(build_case()))
    leaves, views = kinds[ACCUMULATE], kinds["ViewBackward0"]
    return (
        "about 41 backward nodes, some 20 a block and 5 outside",
        f"{sum(kinds.values()) - leaves} nodes, and {sum(kinds.values())} with the {leaves} AccumulateGrad nodes",
        f"a Linear on a 3-D input is four nodes (TBackward0, AddmmBackward0 and two of the {views} ViewBackward0), and "
        "every reshape and transpose of the heads is one",
    )


def _saves() -> Claim:
    names = saved_names(_loss(build_case()))
    kinds = ("AddBackward0", "SoftmaxBackward0", "GeluBackward0", "NativeLayerNormBackward0")
    return (
        "add saves nothing, softmax its output, GELU its input",
        "; ".join(f"{kind}: {', '.join(names[kind]) or 'nothing'}" for kind in kinds),
        "as claimed; `self` and `input` are what the op read, `result` what it made",
    )


def _mul() -> Claim:
    a, b = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    results = {"both require grad": a * b, "only a does": a * b.detach(), "b is a number": a * 2}
    return (
        "mul saves both factors",
        "; ".join(f"{when}: {_factors(result)}" for when, result in results.items()),
        "a factor is kept only for the gradient of the other one; a number is kept as a tensor without dimensions",
    )


def _factors(product: Tensor) -> str:
    saved = {name: value for node in graph_nodes(product) for name, value in saved_tensors(node).items()}
    letters = sorted(
        {"self": "a", "other": "b"}[name] + ("" if value.dim() else " (0-d)") for name, value in saved.items()
    )
    return " and ".join(letters) or "nothing"


def _addmm() -> Claim:
    names = saved_names(_loss(build_case()))["AddmmBackward0"]
    return (
        "addmm saves input, weight and bias",
        f"{', '.join(names)}: input and weight",
        "each is there for the gradient of the other; the gradient of the bias needs no saved value",
    )


def _bytes() -> Claim:
    case = build_case()
    held = saved_bytes(_loss(case), case.model.parameters())
    return (
        "saved tensors: about 130 KiB",
        f"{_kib(held.distinct)} in distinct activation storages ({_kib(held.each)} with shared memory counted each "
        f"time), and {_kib(held.parameters)} of parameters",
        "parameters are held by reference and cost nothing; the Q, K and V projections save one and the same input",
    )


def _classic() -> Claim:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        anomaly = run_step("residual-add", detect_anomaly=True)
    reports = [m[1] for w in caught if (m := re.search(r"Error detected in (\w+)", str(w.message)))]
    return (
        "`h.add_(attn(ln1(h)))` raises under anomaly mode; without it, the gradients may be wrong in silence",
        f"without: {_raises(run_step('residual-add'))}; with: {_raises(anomaly)}, and the forward stack of "
        f"{', '.join(reports) or 'nothing'} is shown",
        "every backward compares versions; anomaly mode adds where the tensor was saved, not where it was written",
    )


def _message() -> Claim:
    return (
        'the error names NativeLayerNormBackward, "version 2; expected version 0"',
        f'"{error_summary(run_step("residual-add").error or "no error")}"',
        "the message names the op that made the tensor; the last block fails first, after four writes to one storage",
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
        "`h = h.clone(); h.add_(x)` is a fix",
        f"copy before the norm: {_raises(run_step('clone-before-norm'))}; copy after the norm: "
        f"{'equal' if same else 'different'} gradients",
        "the norm saves what it reads, so that the copy has to come after it; `h = h + x` is shorter",
    )


def _silent() -> Claim:
    step, control = run_step("data-add"), run_step(CONTROL)
    parts = dict.fromkeys(name.split(".")[2] for name in step.missing())
    return (
        "a variant without an error trains to a worse minimum",
        f"`h.data.add_(...)`: {'an error' if step.error else 'no error'}; first loss "
        f"{'equal' if step.loss == control.loss else 'not equal'} to the control's; {len(step.missing())} of "
        f"{len(step.gradients)} parameters have no gradient ({', '.join(parts)}), "
        f"{len(step.differing(control))} a wrong one",
        "autograd does not see what goes through `.data`: the sum has no history, the version stays",
    )


def _relu() -> Claim:
    return (
        "`F.relu(x)` to `F.relu_(x)` is a break",
        f"after a Linear: {twin_verdict('relu-after-linear')}; on the input of a Linear: {twin_verdict('relu-saved')}",
        "relu saves its result: relu_ breaks only what another op has saved",
    )


def _exp() -> Claim:
    def result_written() -> None:
        x = torch.ones(3, requires_grad=True)
        _backward((x * 2).exp_().mul_(2).sum())

    return (
        "`x.exp()` to `x.exp_()` is a break",
        f"on a fresh tensor: {twin_verdict('exp-fresh')}; where logsumexp has saved x: {twin_verdict('exp-saved')}; "
        f"result written afterwards: {'no error' if _error_of(result_written) == 'no error' else 'raises'}",
        "exp saves its result",
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
        "writing the residuals in place saves as much as a KV cache takes",
        f"residual sums: {_kib(sum(t.nbytes for t in sums))}; keys and values: {_kib(sum(t.nbytes for t in cache))}; "
        f"backward needs {needed} of the {len(sums)} sums",
        "both are two tensors of T x d_model a layer, which is all they share; the norms keep the sums in any case",
    )


def _detach() -> Claim:
    case = build_case()
    case.model.tok_emb.register_forward_hook(lambda _, args, output: output.detach())
    error = _error_of(lambda: _backward(_loss(case)))
    missing = [f"`{name}`" for name, p in case.model.named_parameters() if p.grad is None]
    return (
        "detach cuts the tape",
        f"token embedding detached: {error}; no gradient for {', '.join(missing)}",
        "it never trains, and nothing says so",
    )


def _no_grad() -> Claim:
    case = build_case()
    with torch.no_grad():
        loss = _loss(case)
    return (
        "a training step under no_grad fails in backward",
        _error_of(lambda: _backward(loss)),
        "nothing was recorded",
    )


def _twice() -> Claim:
    plain, retained = _loss(build_case()), _loss(build_case())
    _backward(plain)
    retained.backward(retain_graph=True)  # type: ignore[no-untyped-call]
    return (
        "a second backward needs retain_graph",
        f"without: {_error_of(lambda: _backward(plain))}; with: {_error_of(lambda: _backward(retained))}",
        "backward frees each saved tensor once it has read it",
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
