"""What native_functions.yaml and derivatives.yaml say of one ATen function."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torchgen  # type: ignore[import-untyped]
from torchgen.api import cpp  # type: ignore[import-untyped]
from torchgen.api.autograd import gen_differentiable_outputs, match_differentiability_info  # type: ignore[import-untyped]
from torchgen.context import native_function_manager  # type: ignore[import-untyped]
from torchgen.gen import parse_native_yaml  # type: ignore[import-untyped]
from torchgen.packaged.autograd.load_derivatives import load_derivatives  # type: ignore[import-untyped]

from inplace_guard.ops.model import Relation, Result, Save

_ROOT = Path(torchgen.__file__).parent / "packaged"
NATIVE_YAML = str(_ROOT / "ATen/native/native_functions.yaml")
TAGS_YAML = str(_ROOT / "ATen/native/tags.yaml")
DERIVATIVES_YAML = str(_ROOT / "autograd/derivatives.yaml")
DEPRECATED_YAML = str(_ROOT / "autograd/deprecated.yaml")

_TENSOR_TYPES = ("Tensor", "Tensor?", "Tensor[]", "Tensor?[]")


@dataclass(frozen=True)
class NativeFacts:
    """Facts of one schema; names are the schema's own. `composite`: its saves are those of the ops that it calls."""

    schema: str
    results: tuple[Result, ...]
    writes: tuple[str, ...]
    saves: tuple[Save, ...]
    differentiable: tuple[str, ...]
    composite: bool
    records: bool
    may_alias: bool


def kind_of(type_text: str) -> str:
    """The schema's type without sizes and symbolic ints: SymInt[2]? -> int[]?, Tensor(a!) -> Tensor."""
    text = re.sub(r"\[\d+\]", "[]", type_text.replace("SymInt", "int"))
    text = re.sub(r"\([a-z|]+!?(?: -> \*)?\)", "", text)
    return {"ScalarType": "dtype", "ScalarType?": "dtype?"}.get(text, text)


def is_tensor_kind(kind: str) -> bool:
    return kind in _TENSOR_TYPES


def load() -> tuple[list[Any], dict[str, NativeFacts]]:
    """All native functions of torchgen, and the facts of each by its full name (`mul_.Tensor`)."""
    native = parse_native_yaml(NATIVE_YAML, TAGS_YAML).native_functions
    infos, _ = load_derivatives(DERIVATIVES_YAML, NATIVE_YAML, TAGS_YAML)
    matched = match_differentiability_info(native, infos)
    return list(native), {str(entry.func.func.name): _facts(entry) for entry in matched}


def _facts(entry: Any) -> NativeFacts:
    function = entry.func
    schema = function.func
    info = (entry.info or {}).get("Default")
    has_tensors = any(a.type.is_tensor_like() for a in schema.arguments.flat_non_out)
    outs = bool(schema.arguments.out)
    composite = bool(function.has_composite_implicit_autograd_kernel) or (outs and info is None)
    differentiable: tuple[str, ...] = ()
    result_flags: list[bool] = [composite] * len(schema.returns)
    if info is not None and info.has_derivatives:
        mapping = _plain_names(schema, info)
        names = [mapping.get(name, name) for d in info.derivatives for name in d.var_names]
        differentiable = tuple(a.name for a in schema.arguments.flat_non_out if a.name in names)
        with native_function_manager(function):
            chosen = {output.name for output in gen_differentiable_outputs(entry)}
            result_flags = [name in chosen for name in cpp.return_names(function)]
    return NativeFacts(
        schema=str(schema),
        results=_results(schema, result_flags),
        writes=_writes(schema),
        saves=() if info is None else _saves(schema, info, cpp.return_names(function)),
        differentiable=differentiable,
        composite=composite,
        records=has_tensors and (composite or bool(differentiable)),
        may_alias=any(a.annotation is not None and not a.annotation.is_write for a in schema.arguments.flat_all),
    )


def _writes(schema: Any) -> tuple[str, ...]:
    written = [a.name for a in schema.arguments.flat_non_out if a.annotation is not None and a.annotation.is_write]
    return (*written, "out") if schema.arguments.out else tuple(written)


def _results(schema: Any, differentiable: list[bool]) -> tuple[Result, ...]:
    if schema.arguments.out:
        return tuple(Result("same", "out", differentiable=flag) for flag in differentiable[: len(schema.returns)])
    if not schema.returns:
        return (Result(differentiable=False, tensor=False),)
    return tuple(_result(schema, item, flag) for item, flag in zip(schema.returns, differentiable, strict=True))


def _result(schema: Any, item: Any, differentiable: bool) -> Result:
    kind = kind_of(str(item.type))
    tensor = is_tensor_kind(kind)
    relation: Relation = "new"
    of = ""
    if item.annotation is not None:
        letters = set(item.annotation.alias_set)
        for argument in schema.arguments.flat_non_out:
            if argument.annotation is not None and letters & set(argument.annotation.alias_set):
                of = argument.name
                relation = "same" if item.annotation.is_write else "view"
                break
    sequence = kind == "Tensor[]"
    many = relation == "view" and sequence
    dtype = {"bool": "bool", "int": "int", "float": "float"}.get(kind, "")
    return Result(
        relation,
        of,
        many=many,
        differentiable=differentiable and tensor,
        dtype=dtype,
        tensor=tensor,
        sequence=sequence,
    )


def _saves(schema: Any, info: Any, returns: Sequence[str]) -> tuple[Save, ...]:
    """Saved tensors and their gates, by the rules of torchgen's gen_variable_type (`guard_for`)."""
    arguments = list(schema.arguments.flat_non_out)
    derived = [a for a in arguments if any(a.name in d.var_names for d in info.derivatives)]
    in_place = any(a.annotation is not None and a.annotation.is_write for a in arguments)
    has_list = any(kind_of(str(a.type)) in ("Tensor[]", "Tensor?[]") for a in derived)
    foreach = str(schema.name.name).startswith("_foreach")
    mapping = _plain_names(schema, info)
    tensors = {a.name for a in arguments if is_tensor_kind(kind_of(str(a.type)))}
    found: dict[str, tuple[str, ...]] = {}
    for saved in info.all_saved_inputs:
        name = getattr(saved.nctype.name, "name", saved.nctype.name)
        if not _is_tensor_type(saved.nctype.type) or (saved.expr != name and not foreach):
            continue
        if in_place and name == "self":
            continue  # an in-place op saves a copy of the value it overwrites
        gates: tuple[str, ...] = ()
        users = [d for d in info.derivatives if saved in d.saved_inputs]
        guarded = (
            not (has_list and not (foreach and in_place))
            and "backward" not in info.name
            and len(derived) > 1
            and "optional" not in str(saved.nctype.type).lower()
            and len(users) == 1
        )
        if guarded:
            gates = _gates(users[0], name, derived)
        name = mapping.get(name, name)
        if name in tensors:
            found[name] = rename(gates, mapping)
    for saved in info.all_saved_outputs:
        if _is_tensor_type(saved.nctype.type):
            name = getattr(saved.nctype.name, "name", saved.nctype.name)
            if foreach and in_place and not schema.returns:
                name = "self"  # nothing is returned: the result is in the list that was written
            found[f"result{returns.index(name)}" if len(returns) > 1 and name in returns else name] = ()
    order = [a.name for a in arguments]
    return tuple(
        Save(what, found[what])
        for what in sorted(found, key=lambda name: (order.index(name) if name in order else len(order), name))
    )


def _plain_names(schema: Any, info: Any) -> dict[str, str]:
    """The formulas of an in-place foreach op are those of the plain op, in that op's names: theirs by its."""
    if not str(schema.name.name).startswith("_foreach"):
        return {}
    plain, own = info.func.func.arguments.flat_non_out, schema.arguments.flat_non_out
    return {one.name: other.name for one, other in zip(plain, own, strict=False)}


def _gates(derivative: Any, name: str, derived: list[Any]) -> tuple[str, ...]:
    if len(derivative.var_names) == 1:
        return tuple(derivative.var_names)
    match = re.search(rf"wrap_opt_if\({name},(.*?)\)", derivative.formula)
    if match is None:
        return ()
    return tuple(derived[int(index)].name for index in re.findall(r"grad_input_mask\[(\d+)\]", match.group(1)))


def _is_tensor_type(kind: Any) -> bool:
    text = str(kind)
    return any(word in text for word in ("name='Tensor'", "name='TensorList'", "name='ITensorListRef'"))


def rename(names: Iterable[str], mapping: dict[str, str]) -> tuple[str, ...]:
    return tuple(mapping.get(name, name) for name in names)
