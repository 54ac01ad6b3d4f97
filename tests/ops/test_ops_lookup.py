"""What the look-up says of the ops that people use most."""

from __future__ import annotations

import pytest

from inplace_guard import ops
from inplace_guard.ops import Op, Overload, Result


def plain(op: Op | None, *kinds: str) -> Overload:
    """The overload without out= whose first parameters after the tensor have these kinds."""
    assert op is not None
    for overload in op.overloads:
        rest = [p.kind for p in overload.params[1:] if not p.kwarg_only]
        if not any(p.name == "out" for p in overload.params) and rest[: len(kinds)] == list(kinds):
            return overload
    raise AssertionError(f"{op.name} has no overload {kinds}")


def saved(op: Op | None, *kinds: str) -> dict[str, tuple[str, ...]]:
    return {save.what: save.gates for save in plain(op, *kinds).saves}


@pytest.mark.parametrize(
    "name", ["add", "sub", "neg", "sum", "mean", "cat", "stack", "transpose", "unbind", "clone", "cumsum", "reshape"]
)
def test_saves_nothing(name: str) -> None:
    assert saved(ops.lookup(f"torch.{name}")) == {}


@pytest.mark.parametrize("name", ["relu", "sigmoid", "tanh", "exp", "sqrt", "rsqrt", "reciprocal", "softmax"])
def test_saves_its_result_only(name: str) -> None:
    assert saved(ops.lookup(f"torch.{name}")) == {"result": ()}


@pytest.mark.parametrize("name", ["log", "sin", "abs", "nn.functional.gelu", "nn.functional.softplus", "log1p"])
def test_saves_its_input_only(name: str) -> None:
    assert saved(ops.lookup(f"torch.{name}")) == {"input": ()}


@pytest.mark.parametrize("name", ["std", "prod", "logsumexp"])
def test_saves_input_and_result(name: str) -> None:
    assert set(saved(ops.lookup(f"torch.{name}"))) == {"input", "result"}


def test_multiplication_saves_the_other_operand() -> None:
    assert saved(ops.lookup("torch.mul")) == {"input": ("other",), "other": ("input",)}
    assert saved(ops.lookup("torch.mul"), "Scalar") == {}


def test_operators_are_their_methods() -> None:
    assert saved(ops.method("__mul__")) == {"self": ("other",), "other": ("self",)}
    assert saved(ops.method("__matmul__")) == {"self": ("other",), "other": ("self",)}
    assert plain(ops.method("__iadd__"), "Tensor").writes == ("self",)


def test_a_write_saves_a_copy_of_what_it_overwrites() -> None:
    assert saved(ops.method("mul_")) == {"other": ("self",)}
    assert saved(ops.method("pow_"), "Scalar") == {}
    assert saved(ops.method("exp_")) == {"result": ()}  # the new value


def test_linear_and_convolution() -> None:
    assert saved(ops.lookup("torch.nn.functional.linear")) == {"input": ("weight",), "weight": ("input",)}
    assert saved(ops.lookup("torch.nn.functional.conv2d")) == {"input": (), "weight": ()}
    assert saved(ops.lookup("torch.addmm"), "Tensor", "Tensor") == {"mat1": ("mat2",), "mat2": ("mat1",)}


def test_division_always_saves_its_divisor() -> None:
    assert saved(ops.lookup("torch.div")) == {"input": ("other",), "other": ()}


def test_reductions_with_indices_save_the_indices() -> None:
    for name in ("max", "min", "sort", "topk"):
        op = ops.lookup(f"torch.{name}")
        assert op is not None
        overload = next(o for o in op.overloads if len(o.results) == 2 and not o.writes)
        assert [save.what for save in overload.saves] == ["result1"]
        assert [(r.differentiable, r.dtype) for r in overload.results] == [(True, ""), (False, "int")]


def test_an_operand_of_einsum_is_saved_for_the_others() -> None:
    (save,) = plain(ops.lookup("torch.einsum")).saves
    assert (save.what, save.gates) == ("args", ("others",))


@pytest.mark.parametrize(
    ("name", "relation"),
    [
        ("view", "view"),
        ("expand", "view"),
        ("transpose", "view"),
        ("detach", "view"),
        ("reshape", "maybe"),
        ("contiguous", "maybe"),
        ("flatten", "maybe"),
        ("to", "maybe"),
        ("float", "maybe"),
        ("cpu", "maybe"),
        ("cuda", "maybe"),
        ("type", "maybe"),
        ("__getitem__", "maybe"),
        ("add_", "same"),
        ("requires_grad_", "same"),
        ("clone", "new"),
        ("repeat", "new"),
    ],
)
def test_relation_of_the_result(name: str, relation: str) -> None:
    op = ops.method(name)
    assert op is not None
    result = op.overloads[-1].results[0]
    assert (result.relation, result.of) == (relation, "" if relation == "new" else "self")


def test_expanded_and_multiple_views() -> None:
    assert plain(ops.method("expand")).results[0].expanded
    for name in ("unbind", "split", "chunk"):
        result = plain(ops.lookup(f"torch.{name}")).results[0]
        assert result.many
        assert result.sequence
    assert not plain(ops.lookup("torch.tensor_split")).results[0].many  # each its own view: PyTorch allows writes


def test_comparisons_and_factories_are_never_recorded() -> None:
    assert plain(ops.lookup("torch.eq")).results == (Result(differentiable=False, dtype="bool"),)
    assert plain(ops.lookup("torch.argmax")).results == (Result(differentiable=False, dtype="int"),)
    for name in ("eq", "argmax", "zeros", "arange"):
        assert not plain(ops.lookup(f"torch.{name}")).records


def test_python_values() -> None:
    for name in ("item", "size", "dim", "numel", "tolist"):
        op = ops.method(name)
        assert op is not None
        assert not op.overloads[0].results[0].tensor
    assert plain(ops.method("numpy")).results[0] == Result("view", "self", differentiable=False, tensor=False)


def test_out_is_written_and_returned() -> None:
    op = ops.lookup("torch.add")
    assert op is not None
    overload = next(o for o in op.overloads if any(p.name == "out" for p in o.params))
    assert overload.writes == ("out",)
    assert overload.results[0].relation == "same"
    assert overload.results[0].of == "out"


def test_a_functional_form_that_may_write() -> None:
    overload = plain(ops.lookup("torch.nn.functional.elu"))
    (write,) = overload.writes
    assert ops.split_write(write) == ("input", "inplace")
    assert {s.what: s.when for s in overload.saves} == {"input": "!inplace", "result": "inplace"}
    assert ops.holds("inplace", overload, {}) is False
    assert ops.holds("inplace", overload, {"inplace": True}) is True
    assert ops.holds("inplace", overload, {"inplace": ops.UNKNOWN}) is None


def test_conditions_on_strings_and_pairs() -> None:
    interpolate = plain(ops.lookup("torch.nn.functional.interpolate"))
    (save,) = interpolate.saves
    assert ops.holds(save.when, interpolate, {"mode": "area"}) is True
    assert ops.holds(save.when, interpolate, {}) is False
    norm = plain(ops.lookup("torch.norm"))
    assert {ops.holds(save.when, norm, {"p": "nuc"}) for save in norm.saves} == {False}
    assert {ops.holds(save.when, norm, {"p": 3}) for save in norm.saves} == {True}
    dropout = plain(ops.lookup("torch.nn.functional.dropout"))
    _, when = ops.split_write(dropout.writes[0])
    assert ops.holds(when, dropout, {"inplace": True}) is True
    assert ops.holds(when, dropout, {"inplace": True, "training": False}) is False
    assert ops.holds(when, dropout, {"inplace": ops.UNKNOWN, "training": False}) is False


def test_dropout_returns_its_argument_in_evaluation_only() -> None:
    result = plain(ops.lookup("torch.nn.functional.dropout")).results[0]
    assert (result.relation, result.of, result.when) == ("maybe", "input", "!training")


def test_initialisers_may_write_a_leaf() -> None:
    for name in ("normal_", "kaiming_uniform_", "zeros_", "constant_"):
        overload = plain(ops.lookup(f"torch.nn.init.{name}"))
        assert overload.writes == ("tensor",)
        assert overload.no_grad
        assert not overload.records
    assert not plain(ops.method("normal_")).no_grad


def test_writes_that_the_version_counter_does_not_see() -> None:
    adam = ops.lookup("torch._fused_adam_")
    assert adam is not None
    assert "self" in adam.overloads[-1].unversioned
    assert plain(ops.method("apply_")).unversioned == ("self",)
    assert plain(ops.lookup("torch.nn.functional.batch_norm")).unversioned == ("running_mean", "running_var")
    assert plain(ops.lookup("torch._foreach_add_"), "Scalar").unversioned == ()


def test_collectives() -> None:
    reduce = plain(ops.lookup("torch.distributed.all_reduce"))
    assert (reduce.writes, reduce.unversioned) == (("tensor",), ("tensor",))
    gather = plain(ops.lookup("torch.distributed.all_gather"))
    assert (gather.writes, gather.unversioned) == (("tensor_list",), ())


def test_attributes() -> None:
    for name in ("T", "mT", "H", "mH", "real", "imag"):
        assert ops.attribute(name) == Result("view", "self")
    assert ops.attribute("data") == Result("view", "self", differentiable=False)
    for name in ("shape", "dtype", "device", "ndim", "requires_grad", "grad_fn"):
        found = ops.attribute(name)
        assert found is not None
        assert not found.tensor
    grad = ops.attribute("grad")
    assert grad is not None
    assert grad.tensor
    assert ops.attribute("add_") is None


def test_modules() -> None:
    layer_norm = ops.module("torch.nn.LayerNorm")
    assert layer_norm is not None
    assert {s.what: s.gates for s in layer_norm.saves} == {"input": (), "params": ()}
    linear = ops.module("torch.nn.Linear")
    assert linear is not None
    assert {s.what: s.gates for s in linear.saves} == {"input": ("params",), "params": ("input",)}
    leaky = ops.module("torch.nn.LeakyReLU")
    assert leaky is not None
    assert (leaky.inplace, leaky.inplace_index) == (True, 1)
    assert [s.what for s in leaky.saves] == ["input"]
    assert [s.what for s in leaky.inplace_saves] == ["result"]
    batch_norm = ops.module("torch.nn.BatchNorm2d")
    assert batch_norm is not None
    assert batch_norm.writes_buffers
    assert not batch_norm.versioned
    dropout = ops.module("torch.nn.Dropout")
    assert dropout is not None
    assert (dropout.returns, dropout.returns_when) == ("maybe", "!training")
    embedding = ops.module("torch.nn.Embedding")
    assert embedding is not None
    assert embedding.writes_params == "max_norm"


def test_number_of_results_of_a_module() -> None:
    numbers = {"MaxPool2d": 1, "MultiheadAttention": 2, "GRU": 2, "LSTM": 0, "LSTMCell": 2, "Linear": 1}
    for name, number in numbers.items():
        found = ops.module(f"torch.nn.{name}")
        assert found is not None
        assert found.results == number


def test_optimizers() -> None:
    adam = ops.optimizer("torch.optim.AdamW")
    assert adam is not None
    assert (adam.versioned, adam.fused, adam.fused_versioned) == (True, True, False)
    assert ops.optimizer("torch.optim.LBFGS") == ops.OptimizerFacts("LBFGS")


def test_names_where_pytorch_defines_things() -> None:
    assert ops.module("torch.nn.modules.linear.Linear") == ops.module("torch.nn.Linear")
    assert ops.optimizer("torch.optim.adam.Adam") == ops.optimizer("torch.optim.Adam")
    assert ops.lookup("torch._C._nn.gelu") == ops.lookup("torch.nn.functional.gelu")
    assert ops.lookup("torch.functional.einsum") == ops.lookup("torch.einsum")


def test_unknown_names() -> None:
    assert ops.lookup("torch.no_such_thing") is None
    assert ops.method("no_such_method_") is None
    assert ops.module("torch.nn.Sequential") is None  # containers do nothing of their own
    assert ops.optimizer("torch.optim.Optimizer") is None


def test_is_write() -> None:
    for name in ("add_", "copy_", "zero_", "index_put_", "__iadd__", "__setitem__", "detach_", "squeeze_"):
        assert ops.is_write(name)
    for name in ("add", "requires_grad_", "share_memory_", "record_stream", "__add__", "my_own_"):
        assert not ops.is_write(name)
