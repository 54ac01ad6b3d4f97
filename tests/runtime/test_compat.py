"""A torch that lacks one of its private functions: the guard goes on, and says what is lost."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from inplace_guard import InplaceHazardError, guard
from inplace_guard.runtime import compat


def write_after_save() -> None:
    y = torch.zeros(3, requires_grad=True).exp()
    y.add_(1)
    y.sum().backward()


def test_this_torch_has_all() -> None:
    assert compat.probe().lost == []


def test_without_sequence_numbers_a_node_is_made_to_learn_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch._C._autograd, "_get_sequence_nr")
    with guard() as watch, pytest.raises(RuntimeError):
        write_after_save()
    assert "costs time" in watch.lost[0] or "cost" in watch.lost[0]
    (found,) = watch.findings
    assert found.write.source == "y.add_(1)"
    assert found.saved is not None
    assert found.saved.source == "y = torch.zeros(3, requires_grad=True).exp()"


def test_without_any_numbers_the_write_is_still_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch._C._autograd, "_get_sequence_nr")
    monkeypatch.setattr(compat, "_sequence_nr_of_new_node", lambda: None)
    with guard() as watch, pytest.raises(RuntimeError):
        write_after_save()
    assert "the line that saved" in watch.lost[0]
    (found,) = watch.findings
    assert found.write.source == "y.add_(1)"
    assert found.saved is None


def test_without_the_engine_door_backward_and_grad_are_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    original = torch.autograd.graph._engine_run_backward
    monkeypatch.delattr(torch.autograd.graph, "_engine_run_backward")
    try:
        with guard() as watch:
            with pytest.raises(RuntimeError, match="inplace-guard"):
                write_after_save()
            y = torch.zeros(3, requires_grad=True)
            h = y * 1
            loss = h.sin().sum()
            h.data.add_(1)
            with pytest.raises(InplaceHazardError):
                torch.autograd.grad(loss, y)
        assert "wrapped instead" in watch.lost[0]
        assert [finding.code for finding in watch.findings] == ["IPG101", "IPG201"]
    finally:
        torch.autograd._engine_run_backward = original


def test_without_raw_saved_tensors_the_versions_are_all_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from inplace_guard.runtime import graphwalk

    monkeypatch.setattr(compat, "_node", lambda: object())
    monkeypatch.setattr(graphwalk, "saved_by", lambda node: iter(()))
    for module in ("postmortem", "silent", "tape"):
        monkeypatch.setattr(f"inplace_guard.runtime.{module}.saved_by", lambda node: iter(()), raising=False)
    with guard() as watch, pytest.raises(RuntimeError):
        write_after_save()
    assert any("_raw_saved_" in line for line in watch.lost)
    (found,) = watch.findings
    assert found.write.source == "y.add_(1)"


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (torch._C, "_len_torch_function_stack"),
        (torch._C, "_storage_Use_Count"),
        (torch.Tensor, "_use_count"),
        (torch.autograd, "_unsafe_preserve_version_counter"),
    ],
)
def test_without_the_lesser_ones_nothing_breaks(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> None:
    if name not in vars(owner):
        pytest.skip(f"{name} is inherited here and cannot be taken away")
    monkeypatch.delattr(owner, name)
    with guard() as watch:
        with pytest.raises(RuntimeError):
            write_after_save()
        torch.ones(2, requires_grad=True).sum().backward()
    assert len(watch.findings) == 1


def test_what_is_lost_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch._C._autograd, "_get_sequence_nr")
    monkeypatch.setattr(compat, "_told", set())
    with pytest.warns(UserWarning, match="inplace-guard: torch"), guard():
        pass
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with guard():
            pass
