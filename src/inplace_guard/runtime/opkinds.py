"""What the recorder does with a call of each function: decided once a function, from its schema, signature and name.

In-place variants are known by PyTorch's own rule: the trailing underscore of the name, the i-dunders and `__setitem__`.
"""

from __future__ import annotations

import inspect
from typing import Any, Final

import torch

from inplace_guard.ops import table

__all__ = ["LIST_WRITER", "PASS", "PLAIN", "QUIET", "WRITER", "InplaceFlag", "Special", "classify"]

PASS: Final = 0  # makes no node, writes nothing
QUIET: Final = 1  # may make nodes, but they save no tensor; writes only through out=
PLAIN: Final = 2  # may make nodes; writes only through out=
WRITER: Final = 3  # writes its first argument
LIST_WRITER: Final = 4  # writes the tensors of its first argument


class InplaceFlag:
    """A function that writes its first argument if its parameter `inplace` is true."""

    __slots__ = ("position",)

    def __init__(self, position: int) -> None:
        self.position = position

    def on(self, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> bool:
        if kwargs and "inplace" in kwargs:
            return bool(kwargs["inplace"])
        return len(args) > self.position and bool(args[self.position])


class Special(str):
    """The name of a handler: calls that hand memory past autograd, or write in their own way."""

    __slots__ = ()


Kind = int | InplaceFlag | Special

_GETTERS = {
    "data": Special("data_get"),
    "grad": Special("grad_get"),
}
_VIEW_GETTERS = {"real", "imag", "T", "mT", "H", "mH"}
_SETTERS: dict[str, Kind] = {"data": Special("data_set"), "real": WRITER, "imag": WRITER}
_I_DUNDERS = {
    f"__i{name}__"
    for name in (
        "add",
        "sub",
        "mul",
        "matmul",
        "truediv",
        "floordiv",
        "mod",
        "pow",
        "and",
        "or",
        "xor",
        "lshift",
        "rshift",
    )
}
_NOT_WRITES = {"requires_grad_", "share_memory_", "rename_", "refine_names_", "pin_memory_"}
_PASS = {
    "dim", "size", "numel", "nelement", "stride", "storage_offset", "is_contiguous", "element_size", "get_device",
    "is_floating_point", "is_complex", "is_signed", "is_same_size", "ndimension", "has_names", "is_tensor",
    "_set_grad_enabled", "__len__", "__hash__", "__format__", "__repr__", "__bool__", "__int__", "__float__",
    "__index__", "item", "tolist", "is_shared", "is_pinned", "backward", "retain_grad", "__dlpack_device__",
    "requires_grad_", "is_inference", "is_nonzero", "__contains__", "result_type",
    "can_cast", "is_storage", "get_default_dtype", "register_post_accumulate_grad_hook", "manual_seed",
}  # fmt: skip
_SPECIAL = {
    "numpy": "alias_out", "__array__": "alias_out", "__dlpack__": "alias_out", "untyped_storage": "alias_out",
    "storage": "alias_out", "_typed_storage": "alias_out", "data_ptr": "alias_out",
    "batch_norm": "batch_norm", "instance_norm": "batch_norm", "native_batch_norm": "batch_norm",
    "cudnn_batch_norm": "batch_norm", "miopen_batch_norm": "batch_norm",
    "kron": "kron", "embedding": "max_norm", "embedding_bag": "max_norm",
    "detach": "detach", "detach_": "detach_",
    "tensor": "copy_construct", "as_tensor": "as_tensor", "asarray": "as_tensor",
    "sparse_coo_tensor": "sparse", "sparse_csr_tensor": "sparse", "sparse_csc_tensor": "sparse",
    "sparse_compressed_tensor": "sparse", "sparse_bsr_tensor": "sparse", "sparse_bsc_tensor": "sparse",
    "__setitem__": "setitem", "__getitem__": "getitem",
    "index_copy_": "placed", "scatter_": "placed", "index_put_": "placed", "put_": "placed",
    "sub": "difference", "subtract": "difference", "rsub": "difference", "dist": "difference",
    "eq": "difference", "ne": "difference", "equal": "difference", "allclose": "difference", "isclose": "difference",
    "unbind": "pieces", "select": "pieces", "narrow": "pieces",
    "mse_loss": "difference", "l1_loss": "difference", "smooth_l1_loss": "difference",
    "stack": "collect", "cat": "collect", "concat": "collect", "hstack": "collect", "vstack": "collect",
}  # fmt: skip


def classify(func: Any) -> Kind:
    name = getattr(func, "__name__", "") or ""
    if name in ("__get__", "__set__", "__delete__"):
        owner = getattr(getattr(func, "__self__", None), "__name__", "")
        if name == "__get__":
            if owner in _GETTERS:
                return _GETTERS[owner]
            return PLAIN if owner in _VIEW_GETTERS else PASS
        return _SETTERS[owner] if name == "__set__" and owner in _SETTERS else PASS
    schema = getattr(func, "_schema", None)
    if schema is not None:
        return _by_schema(schema)
    if name in _PASS or name in _NOT_WRITES:
        return PASS
    if name in _SPECIAL:
        return Special(_SPECIAL[name])
    if name in _I_DUNDERS:
        return WRITER
    if name.endswith("_") and not name.endswith("__"):
        return LIST_WRITER if name.startswith(("_foreach_", "_fused_", "_amp_foreach_")) else WRITER
    if inspect.isfunction(func):
        parameters = func.__code__.co_varnames[: func.__code__.co_argcount + func.__code__.co_kwonlyargcount]
        if "inplace" in parameters:
            return InplaceFlag(parameters.index("inplace"))
    return QUIET if _saves_nothing(name) else PLAIN


def _saves_nothing(name: str) -> bool:
    """By the op table; what it does not know may save."""
    known = [op for home in _HOMES if (op := table.lookup(f"{home}.{name}")) is not None]
    return bool(known) and not any(overload.saves for op in known for overload in op.overloads)


_HOMES = ("torch.Tensor", "torch", "torch.nn.functional")


def _by_schema(schema: Any) -> Kind:
    """Operators of `torch.ops`, custom ones among them, say in their schema what they write."""
    for index, argument in enumerate(schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            if index == 0:
                return LIST_WRITER if isinstance(argument.type, torch.ListType) else WRITER
            return Special("schema_write")
    return PLAIN
