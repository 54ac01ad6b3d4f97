"""The Python signatures of functions that PyTorch binds from native_functions.yaml."""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from torchgen.api.python import PythonSignatureNativeFunctionPair  # type: ignore[import-untyped]
from torchgen.packaged.autograd import gen_python_functions as bindings  # type: ignore[import-untyped]

from inplace_guard.ops.generate.native import DEPRECATED_YAML, kind_of
from inplace_guard.ops.model import Param

MODULES = {
    None: "torch",
    "nn": "torch._C._nn",
    "linalg": "torch.linalg",
    "fft": "torch.fft",
    "special": "torch.special",
    "sparse": "torch.sparse",
    "nested": "torch.nested",
}
# Public bindings that the generator leaves out because they are written by hand in C++.
_HAND_BOUND = {"copy_", "contiguous", "set_", "nonzero", "dim", "numel", "size", "stride", "item"}


@dataclass(frozen=True)
class Signature:
    """One Python signature and the native function (`mul.Tensor`) that it calls."""

    params: tuple[Param, ...]
    native: str
    out: bool
    defaults: dict[str, Any]


def load(native: list[Any]) -> dict[str, list[Signature]]:
    """Signatures by dotted name (`torch.add`, `torch.Tensor.add_`, `torch._C._nn.gelu`), most specific first."""
    found: dict[str, list[Signature]] = defaultdict(list)
    bound = [f for f in native if _bound(f)]
    for method in (False, True):
        groups: dict[str, list[PythonSignatureNativeFunctionPair]] = defaultdict(list)
        for pair in bindings.load_signatures(bound, DEPRECATED_YAML, method=method):
            if not (bindings.is_py_variable_method(pair.function) if method else _is_function(pair.function)):
                continue
            groups[_dotted(pair.function, pair.signature.name, method)].append(pair)
        for dotted, pairs in groups.items():
            found[dotted] += _ordered(pairs, method)
    return dict(found)


def _bound(function: Any) -> bool:
    name = str(function.func.name.name)
    if "generated" in function.tags and "view_copy" not in function.tags:
        return False
    return name in _HAND_BOUND or not any(regex.match(name) for regex in bindings.SKIP_PYTHON_BINDINGS)


def _is_function(function: Any) -> bool:
    return function.python_module in MODULES and (
        function.python_module is not None or bindings.is_py_torch_function(function)
    )


def _dotted(function: Any, name: str, method: bool) -> str:
    if method:
        return f"torch.Tensor.{name}"
    module = function.python_module
    if module not in (None, "nn"):
        name = name.removeprefix(f"{module}_")  # linalg_norm is torch.linalg.norm
    return f"{MODULES[module]}.{name}"


def _ordered(pairs: list[PythonSignatureNativeFunctionPair], method: bool) -> list[Signature]:
    """PyTorch's own order of overloads; a form with out= goes before the form without."""
    result = []
    for group in bindings.group_overloads(pairs):
        if group.outplace is not None:
            result.append(_signature(group.signature, group.outplace, method, out=True))
        result.append(_signature(group.signature, group.base, method, out=False))
    return result


def _signature(signature: Any, function: Any, method: bool, *, out: bool) -> Signature:
    params = [Param("self", "Tensor")] if method else []
    for argument in signature.input_args:
        # As PyTorch's own generator: a tensor `self` is called input outside methods, a list of tensors stays self.
        renamed = argument.name == "self" and not method and kind_of(str(argument.type)) in ("Tensor", "Scalar")
        params.append(_param("input" if renamed else argument.name, argument, kwarg_only=False))
    params += [_param(a.name, a, kwarg_only=True) for a in signature.input_kwargs]
    if out:
        params.append(Param("out", "Tensor" if len(signature.output_args.outputs) == 1 else "Tensor[]", True, True))
    params += [_param(a.name, a, kwarg_only=True) for a in signature.tensor_options_args]
    every = [*signature.input_args, *signature.input_kwargs, *signature.tensor_options_args]
    defaults = {a.name: _literal(a.default) for a in every if a.default is not None}
    return Signature(tuple(params), str(function.func.name), out, defaults)


def _param(name: str, argument: Any, *, kwarg_only: bool) -> Param:
    return Param(name, kind_of(str(argument.type)), argument.default is None, kwarg_only)


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
