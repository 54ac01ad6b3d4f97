"""PyTorch's warnings name the same lines, and meet the same filters, as without the guard."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from typing import Any

import pytest
import torch

from inplace_guard.runtime.guard import guard


def _warn() -> None:
    torch.zeros(3).expand(2, 3).masked_fill_(torch.zeros(2, 3, dtype=torch.bool), 1.0)


def _warn_elsewhere() -> None:
    torch.zeros(3).expand(2, 3).masked_fill_(torch.zeros(2, 3, dtype=torch.bool), 1.0)


def _places(caught: list[Any]) -> list[tuple[str, int, str]]:
    return [(entry.filename, entry.lineno, str(entry.message)[:60]) for entry in caught]


@pytest.mark.parametrize("action", ["always", "default"])
def test_the_line_is_that_of_the_call(action: Any) -> None:
    recorded = []
    for guarded in (False, True):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter(action)
            if guarded:
                with guard():
                    _warn()
                    _warn()
                    _warn_elsewhere()
            else:
                _warn()
                _warn()
                _warn_elsewhere()
        recorded.append(_places(caught))
    assert recorded[0] == recorded[1]
    assert {entry[1] for entry in recorded[0]} == {
        _warn.__code__.co_firstlineno + 1,
        _warn_elsewhere.__code__.co_firstlineno + 1,
    }


def test_a_filter_by_module_raises() -> None:
    for guarded in (False, True):
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.filterwarnings("error", module=__name__)
            with guard() if guarded else nullcontext(), pytest.raises(UserWarning, match="masked_fill_"):
                _warn()


def test_python_warnings_of_torch_name_the_caller_too() -> None:
    recorded = []
    x = torch.ones(2, requires_grad=True)
    for guarded in (False, True):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if guarded:
                with guard():
                    (x * 2).grad  # noqa: B018
            else:
                (x * 2).grad  # noqa: B018
        recorded.append([entry.filename for entry in caught])
    assert recorded[0] == recorded[1] == [__file__]
