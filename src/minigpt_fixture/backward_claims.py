"""What the course claims of the way back, each claim measured on the control."""

from __future__ import annotations

import torch
from torch import Tensor

from minigpt_fixture.case import build_case
from minigpt_fixture.claims import Claim, kib
from minigpt_fixture.measure import saved_bytes
from minigpt_fixture.say import say
from minigpt_fixture.walk import PARTS, Walk, walk

__all__ = ["backward_claims", "budget_rows"]

CLAIMED_KIB = {"embedding": "2", "layer norms": "12", "attention": "50", "feed-forward": "30", "LM head and loss": "16"}


def backward_claims() -> list[Claim]:
    return [_start(), _cross_entropy(), _head(), _position(), _embedding(), _accumulates()]


def _start() -> Claim:
    case = build_case()
    loss = case.loss_fn(case.model(case.batch.tokens), case.batch.targets)
    arrived: list[Tensor] = []
    node = loss.grad_fn
    assert node is not None
    node.register_prehook(lambda grads: arrived.extend(g for g in grads if g is not None))
    loss.backward()  # type: ignore[no-untyped-call]
    same = torch.equal(arrived[0], torch.ones_like(loss))
    return (
        say("backward starts from `ones_like(loss)`"),
        say("NllLossBackward0 gets {value}, of shape {shape}", value=arrived[0].item(), shape=tuple(arrived[0].shape)),
        say("as claimed") if same else say("not as claimed"),
    )


def _cross_entropy() -> Claim:
    case = build_case()
    flat = case.model(case.batch.tokens).view(-1, case.model.config.vocab_size)
    flat.retain_grad()
    torch.nn.functional.cross_entropy(flat, case.batch.targets.view(-1)).backward()  # type: ignore[no-untyped-call]
    one_hot = torch.nn.functional.one_hot(case.batch.targets.view(-1), flat.size(-1))
    expected = (flat.detach().softmax(-1) - one_hot) / flat.size(0)
    assert flat.grad is not None
    within = bool((flat.grad - expected).abs().max() <= 1e-7)
    return (
        say("NLL and log-softmax give (softmax - one_hot)/N"),
        say(
            "shape {shape}; {verdict}",
            shape=tuple(flat.grad.shape),
            verdict=say("equal to 1e-7") if within else say("not equal"),
        ),
        say("N is the {n} positions: the mean divides by it", n=flat.size(0)),
    )


def _head() -> Claim:
    step = next(step for step in walk().of(-1) if step.number == 23)
    return (
        say("the LM head gives the gradients of its weight, its bias and its input"),
        ", ".join(f"`{name}` {shape}" for name, shape in step.parameters.items())
        + say("; input {shapes}", shapes=", ".join(map(str, step.sends))),
        say("inside, addmm works on 2-D: its weight's gradient is made transposed, and TBackward0 turns it"),
    )


def _position() -> Claim:
    case = build_case()
    grads: list[Tensor] = []
    for module in (case.model.tok_emb, case.model.pos_emb):
        module.register_forward_hook(lambda _, args, output: output.register_hook(grads.append) and None)
    case.loss_fn(case.model(case.batch.tokens), case.batch.targets).backward()  # type: ignore[no-untyped-call]
    token, position = sorted(grads, key=lambda grad: -grad.dim())
    same = torch.equal(token.sum(0), position)
    return (
        say("the position add sends its gradient both ways"),
        say(
            "{token} and {position}: {verdict}",
            token=tuple(token.shape),
            position=tuple(position.shape),
            verdict=say("the same values") if same else say("different values"),
        ),
        say("the positions were broadcast over the batch, and their gradient is summed over it (of one here)"),
    )


def _embedding() -> Claim:
    case = build_case()
    case.loss_fn(case.model(case.batch.tokens), case.batch.targets).backward()  # type: ignore[no-untyped-call]
    weight = case.model.tok_emb.weight
    assert weight.grad is not None
    rows = (weight.grad != 0).any(dim=1).nonzero().flatten().tolist()
    seen = sorted(set(case.batch.tokens.flatten().tolist()))
    return (
        say("the embedding updates the rows of the tokens seen"),
        say(
            "{rows} of {all} rows have a gradient; {verdict}",
            rows=len(rows),
            all=weight.size(0),
            verdict=say("they are the tokens of the batch") if rows == seen else say("not those of the batch"),
        ),
        say("`.grad` is dense: the other rows are zeros, and AdamW's weight decay still shrinks them"),
    )


def _accumulates() -> Claim:
    case = build_case()

    def backward() -> None:
        case.loss_fn(case.model(case.batch.tokens), case.batch.targets).backward()  # type: ignore[no-untyped-call]

    backward()
    once = {name: p.grad.clone() for name, p in case.model.named_parameters() if p.grad is not None}
    backward()
    twice = {name: p.grad for name, p in case.model.named_parameters() if p.grad is not None}
    doubled = all(torch.allclose(twice[name], 2 * grad) for name, grad in once.items())
    return (
        say("gradients accumulate in the leaves' `.grad`"),
        say(
            "after a second forward and backward, {count} gradients are {verdict}",
            count=len(twice),
            verdict=say("doubled") if doubled else say("not doubled"),
        ),
        say("AccumulateGrad adds; `zero_grad` is there for that"),
    )


def budget_rows(found: Walk | None = None) -> list[tuple[str, str, str, str]]:
    """(part, claimed, measured, what is in it), and the sum."""
    found = found or walk()
    why = {
        "embedding": say("the indices; the embedded rows are not saved"),
        "layer norms": say("five inputs of 2 KiB, not six, and for each row a mean and a 1/std"),
        "attention": say(
            "of each block: one input for Q, K and V, the heads, the softmax, the input of the output projection"
        ),
        "feed-forward": say("of each block: the input of either Linear, and GELU's input"),
        "LM head and loss": say("the head's input, the log-probabilities, the targets; the logits are not saved"),
    }
    rows = [
        (say(part), f"{CLAIMED_KIB[part]} KiB", kib(found.bytes_of(steps)), why[part]) for part, steps in PARTS.items()
    ]
    case = build_case()
    loss = case.loss_fn(case.model(case.batch.tokens), case.batch.targets)
    total = saved_bytes(loss, case.model.parameters()).distinct
    claimed = sum(map(int, CLAIMED_KIB.values()))
    text = say("the parts claimed add up to {sum} KiB", sum=claimed)
    return [*rows, (say("together"), "130 KiB", kib(total), text)]
