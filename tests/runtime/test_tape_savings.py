"""Ops that could write in place: found by what is saved and read, kept only if a run in place is equal bit for bit."""

from __future__ import annotations

from functools import cache

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from inplace_guard.runtime.tape import TapeError
from inplace_guard.runtime.tape.proof import Seeds, run
from inplace_guard.runtime.tape.savings import Savings, find_savings
from inplace_guard.runtime.tape.storages import PeakMemory
from inplace_guard.runtime.tape.text import savings_text
from minigpt_fixture.tape import loss as minigpt_loss

SIZE = 4096
X = torch.linspace(-1, 1, SIZE)
W = torch.full((SIZE,), 0.5, requires_grad=True)


@cache
def savings_of_the_reference_case() -> Savings:
    return find_savings(minigpt_loss)


def found(function) -> dict[str, int]:  # type: ignore[no-untyped-def]
    """The text of each op that could be in place -> the operand that it would write."""
    return {candidate.text: candidate.position for candidate in find_savings(function).proved}


def test_relu_after_linear() -> None:
    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 1))
    inputs = torch.randn(32, 8)

    def loss() -> torch.Tensor:
        return model(inputs).sum()

    (candidate,) = find_savings(loss).proved
    assert (candidate.op, candidate.inplace, candidate.modules, candidate.nbytes) == (
        "relu", "relu(inplace=True)", ("1",), 32 * 64 * 4,
    )  # fmt: skip


def test_the_peak_that_it_saves() -> None:
    """The widest moment of this forward is the relu: 2 x 16 KiB out of place, 16 KiB in place."""

    def loss() -> torch.Tensor:
        with torch.no_grad():
            wide = F.relu(X * 2)
            small = wide.sum()
        return (W[:1] * small).sum()

    savings = find_savings(loss)
    (candidate,) = savings.proved
    assert candidate.text == "F.relu(X * 2)"
    assert candidate.peak == savings.before - savings.together == pytest.approx(SIZE * 4, abs=64)


def test_sums_of_fresh_results() -> None:
    def loss() -> torch.Tensor:
        h = (W * X).exp()
        g = (W * 2).neg()
        return (h + g).sum()

    # exp saved its result, so that must stay; neg made the other operand, and nothing else needs it
    assert found(loss) == {"(W * X).exp()": 0, "(W * 2).neg()": 0, "h + g": 1}


def test_not_what_is_saved_read_again_or_held() -> None:
    held = []

    def loss() -> torch.Tensor:
        a = W * 2
        b = a.sin()  # saves a
        c = W * 3
        d = c + 1  # c is read again
        e = W * 4
        held.append(e)
        f = e + 1  # the program holds e
        g = X.clone()
        print_later = g + 1  # g is looked at afterwards
        assert g[0].item() == -1
        return (b + c).sum() + d.sum() + f.sum() + print_later.sum()

    savings = find_savings(loss)
    assert [candidate.text for candidate in savings.proved] == ["b + c"]
    assert savings.refused["their input is saved for backward"] >= 1
    assert savings.refused["their input is read again"] >= 2
    assert savings.refused["their input is held by the program"] >= 1


def test_not_what_numpy_looks_at() -> None:
    seen = []

    def loss() -> torch.Tensor:
        h = W * 2
        array = h.detach().numpy()
        g = h + 1
        seen.append(float(array[0]))  # torch sees no read
        return g.sum()

    savings = find_savings(loss)
    assert savings.proved == ()
    assert savings.refused["their input was handed to another library"] == 1
    assert set(seen) == {1.0}


def test_not_parameters_inputs_or_broadcasts() -> None:
    small = torch.ones(1, requires_grad=True)

    def loss() -> torch.Tensor:
        return (W + 1).sum() + F.relu(X).sum() + (small * 2 + W).sum()

    assert found(loss) == {}


def test_a_line_is_only_named_if_all_its_calls_could() -> None:
    def loss() -> torch.Tensor:
        h = W * 2
        total = torch.zeros(())
        for turn in range(3):
            g = h + 1  # in the first two turns h is read again
            if turn < 2:
                total = total + h.sum()
            h = g
        return total + h.sum()

    savings = find_savings(loss)
    assert "h + 1" not in {candidate.text for candidate in savings.proved}


def test_operands_change_places_only_where_that_changes_no_bit() -> None:
    def loss() -> torch.Tensor:
        h = (W * 2).exp()
        return (h - (W * 3).neg()).sum()

    assert "h - (W * 3).neg()" not in found(loss)


def test_what_the_proof_refutes_is_dropped_and_said() -> None:
    class Peeks(torch.autograd.Function):
        """Keeps an alias that no call of torch shows."""

        @staticmethod
        def forward(ctx, x):  # type: ignore[no-untyped-def]
            ctx.alias = x.detach()
            return x.sum()

        @staticmethod
        def backward(ctx, grad):  # type: ignore[no-untyped-def]
            return grad * ctx.alias

    def loss() -> torch.Tensor:
        h = W * 2
        first = Peeks.apply(h)
        return first + (h + 1).sum()

    savings = find_savings(loss)
    assert savings.proved == ()
    assert savings_text(savings)
    reasons = [*savings.refused, *(candidate.why or "" for candidate in savings.dropped)]
    assert any("held by the program" in reason or "differ" in reason for reason in reasons)


def test_a_step_that_raises_when_rewritten() -> None:
    def loss() -> torch.Tensor:
        pieces = (W * 2).split(SIZE // 2)
        return (pieces[0] + 1).sum()

    savings = find_savings(loss)
    assert savings.proved == ()
    (candidate,) = savings.dropped
    assert candidate.why is not None
    assert candidate.why.startswith("PyTorch raised: Output 0 of Split")
    assert "Dropped, because the proof failed:" in savings_text(savings)


def test_the_reference_case() -> None:
    savings = savings_of_the_reference_case()
    lines = {candidate.text: candidate.calls for candidate in savings.proved}
    assert lines["self.tok_emb(tokens) + self.pos_emb(positions)"] == 1
    assert lines["scores + self.mask[:T, :T]"] == 2
    assert not any("self.ln1" in text or "gelu" in text for text in lines)
    assert savings.together <= savings.before


def test_everything_in_place_is_still_right() -> None:
    savings = savings_of_the_reference_case()
    chosen = {index: entry for candidate in savings.proved for index, entry in candidate.chosen.items()}
    assert len(chosen) >= 5
    seeds = Seeds()
    plain, rewritten = run(minigpt_loss, {}, seeds), run(minigpt_loss, chosen, seeds)
    assert plain.differs(rewritten) is None
    assert rewritten.made < plain.made
    assert rewritten.peak == savings.together


def test_a_change_of_one_bit_is_a_difference() -> None:
    seeds = Seeds()

    def loss() -> torch.Tensor:
        return (W * X).sum()

    one, two = run(loss, {}, seeds), run(loss, {}, seeds)
    assert one.differs(two) is None
    gradient = two.gradients[0]
    assert gradient is not None
    gradient.view(torch.int32)[7] ^= 1
    assert one.differs(two) == "the gradients differ"


def test_dropout_is_the_same_in_every_run() -> None:
    def loss() -> torch.Tensor:
        return F.dropout(W * 2, 0.5).sum()

    assert isinstance(find_savings(loss), Savings)


def test_a_function_that_never_gives_the_same() -> None:
    runs = []

    def loss() -> torch.Tensor:
        runs.append(1)
        return (W * len(runs)).sum()

    with pytest.raises(TapeError, match="differs from one run to the next"):
        find_savings(loss)


def test_the_tracker_agrees_with_the_allocator() -> None:
    def step() -> None:
        model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 256))
        h = model(torch.ones(128, 256))
        torch.autograd.grad(h.square().mean(), list(model.parameters()))

    step()
    with PeakMemory() as memory:
        step()
    with torch.profiler.profile(profile_memory=True, activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        step()
    live = peak = 0
    for event in sorted(profile.profiler.kineto_results.events(), key=lambda event: event.start_ns()):
        if event.name() == "[memory]":
            live += event.nbytes()
            peak = max(peak, live)
    assert peak > 2**20
    assert memory.peak == pytest.approx(peak, rel=0.02)
