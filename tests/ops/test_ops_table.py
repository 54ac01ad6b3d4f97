"""The table in the package: how it is read, and that the installed torch gives the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from inplace_guard import ops
from inplace_guard.ops import codec

_DATA = json.loads((Path(ops.__file__).parent / "table.json").read_text(encoding="utf-8"))

# Every way in which an entry comes about: schema and formula, composite, Python function, operator, bound by hand.
_SOME = tuple(
    """
    torch.add torch.mul torch.max torch.matmul torch.unbind torch.where torch.cat torch.zeros
    torch.einsum torch.split torch.Tensor.add_ torch.Tensor.exp_ torch.Tensor.copy_ torch.Tensor.to
    torch.Tensor.numpy torch.Tensor.apply_ torch.Tensor.__getitem__ torch.Tensor.__setitem__
    torch.Tensor.__matmul__ torch.Tensor.__iter__ torch.Tensor.expand torch.nn.functional.linear
    torch.nn.functional.relu torch.nn.functional.dropout torch.nn.functional.embedding
    torch.nn.functional.batch_norm torch.nn.functional.interpolate torch.nn.functional.max_pool2d
    torch.nn.functional.scaled_dot_product_attention torch.nn.init.normal_ torch._foreach_add_
    torch._fused_adam_ torch.linalg.norm torch.special.expm1 torch.fft.fft
    torch.nn.utils.vector_to_parameters torch.from_numpy
    """.split()  # noqa: SIM905
)


@pytest.fixture(scope="module")
def same_torch() -> None:
    import torch

    if torch.__version__.partition("+")[0] != ops.torch_version():
        pytest.skip(f"the table was made from torch {ops.torch_version()}, this is {torch.__version__}")


def test_looking_up_imports_no_torch(python_imports: Callable[[str], set[str]]) -> None:
    assert "torch" not in python_imports("inplace_guard.ops")


def test_every_entry_survives_a_round_trip() -> None:
    for dotted, text in _DATA["ops"].items():
        assert codec.encode_op(codec.decode_op(dotted.rpartition(".")[2], text)) == text
    for dotted, text in _DATA["modules"].items():
        assert codec.encode_module(codec.decode_module(dotted, text)) == text
    for text in _DATA["attributes"].values():
        assert codec.encode_result(codec.decode_result(text)) == text
    for dotted, text in _DATA["optimizers"].items():
        assert codec.encode_optimizer(codec.decode_optimizer(dotted, text)) == text


def test_every_name_in_an_entry_is_one_of_its_parameters_or_results() -> None:
    for dotted in _DATA["ops"]:
        op = ops.lookup(dotted)
        assert op is not None
        for overload in op.overloads:
            names = {p.name for p in overload.params}
            assert {ops.split_write(w)[0] for w in overload.writes} <= names, dotted
            assert set(overload.unversioned) <= {ops.split_write(w)[0] for w in overload.writes}, dotted
            assert set(overload.differentiable) <= names, dotted
            assert {r.of for r in overload.results if r.of} <= names, dotted
            assert {g for s in overload.saves for g in s.gates} <= names | {"others"}, dotted
            assert all(s.what in names or s.what.startswith("result") for s in overload.saves), dotted


def test_some_entries_are_what_this_torch_gives(same_torch: None) -> None:
    from inplace_guard.ops.generate.build import Builder

    builder = Builder()
    assert {dotted: codec.encode_op(builder.op(dotted)) for dotted in _SOME} == {d: _DATA["ops"][d] for d in _SOME}


def test_some_modules_are_what_this_torch_gives(same_torch: None) -> None:
    import torch

    from inplace_guard.ops.generate import modules

    for name in ("Linear", "LayerNorm", "BatchNorm2d", "ELU", "Dropout", "MaxPool2d", "Embedding", "LSTM"):
        dotted = f"torch.nn.{name}"
        assert codec.encode_module(modules.facts(dotted, getattr(torch.nn, name))) == _DATA["modules"][dotted]


@pytest.mark.slow
def test_the_whole_table_is_what_this_torch_gives(same_torch: None, capsys: pytest.CaptureFixture[str]) -> None:
    from inplace_guard.ops.generate.__main__ import main

    assert main(["--check"]) == 0, capsys.readouterr().out
