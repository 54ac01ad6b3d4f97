"""Every in-place method that has a twin is that twin's value and dtype, by PyTorch's own samples."""

from __future__ import annotations

import re
import warnings

import pytest
import torch
import torch.nn.functional as F

from inplace_guard.fixes.twins import function_twin, method_twin, writes_itself
from inplace_guard.ops.table import _table

WRITING = sorted(_table()["writing_methods"])
# What PyTorch's samples cannot call in place, or what is random.
NOT_COMPARED = re.compile(r"sparse|resize|set_|rename|share")


def test_what_has_no_twin() -> None:
    without = {name for name in WRITING if not name.startswith("__") and not method_twin(name)}
    assert {"copy_", "zero_", "fill_", "normal_", "bernoulli_", "lt_", "logical_and_", "apply_", "set_"} <= without
    assert not without & {"add_", "mul_", "clamp_", "masked_fill_", "index_add_", "squeeze_", "detach_", "sigmoid_"}
    assert method_twin("add") == method_twin("__iadd__") == method_twin("no_such_method_") == ""
    assert writes_itself("add_")
    assert not writes_itself("add")


def test_functions() -> None:
    assert function_twin("torch.nn.functional.relu_") == "torch.nn.functional.relu"
    assert function_twin("torch.sigmoid_") == "torch.sigmoid"
    assert function_twin("torch.nn.functional.elu_", 2) == "torch.nn.functional.elu"
    assert function_twin("torch.nn.functional.elu_", 3) == ""  # what follows is another argument
    assert function_twin("torch.nn.functional.elu_", 1, frozenset(("scale",))) == ""
    assert function_twin("torch.nn.init.zeros_") == function_twin("torch.relu") == ""
    x = torch.randn(5)
    for name in ("relu", "celu", "selu", "leaky_relu", "hardtanh", "elu"):
        assert function_twin(f"torch.nn.functional.{name}_") == f"torch.nn.functional.{name}"
        assert torch.equal(getattr(F, f"{name}_")(x.clone()), getattr(F, name)(x))


def samples() -> dict[str, list[tuple[torch.Tensor, tuple[object, ...], dict[str, object]]]]:
    """For each method the calls that PyTorch's tests make of it."""
    from torch.testing._internal.common_methods_invocations import op_db

    found: dict[str, list[tuple[torch.Tensor, tuple[object, ...], dict[str, object]]]] = {}
    for info in op_db:
        names = {info.name.rpartition(".")[2], *(alias.name for alias in info.aliases)}
        for name in names & {method_twin(writing) for writing in WRITING} - {""}:
            try:
                inputs = list(info.sample_inputs("cpu", torch.float32, requires_grad=False))[:12]
            except Exception:
                continue
            found.setdefault(name, []).extend((s.input, tuple(s.args), dict(s.kwargs)) for s in inputs)
    return found


@pytest.fixture(scope="module")
def calls() -> dict[str, list[tuple[torch.Tensor, tuple[object, ...], dict[str, object]]]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return samples()


def test_the_twins_agree(calls: dict[str, list[tuple[torch.Tensor, tuple[object, ...], dict[str, object]]]]) -> None:
    compared: set[str] = set()
    for writing in WRITING:
        twin = method_twin(writing)
        if not twin or NOT_COMPARED.search(writing):
            continue
        for given, args, kwargs in calls.get(twin, ()):
            if not isinstance(given, torch.Tensor):
                continue
            target = given.clone()
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    torch.manual_seed(0)
                    written = getattr(target, writing)(*args, **kwargs)
            except (RuntimeError, TypeError, NotImplementedError, ValueError, IndexError):
                continue  # a broadcast of the left side, say, which in place cannot do
            torch.manual_seed(0)
            expected = getattr(given.clone(), twin)(*args, **kwargs)
            assert written is target
            assert expected.dtype == written.dtype, (writing, args, kwargs)
            assert expected.shape == written.shape, (writing, args, kwargs)
            torch.testing.assert_close(expected, written, equal_nan=True, msg=f"{writing} {args} {kwargs}")
            compared.add(writing)
    assert len(compared) > 80, sorted(compared)
