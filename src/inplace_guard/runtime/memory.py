"""Which bytes a tensor covers, and whether two tensors share some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch.nn.parameter import UninitializedBuffer, UninitializedParameter

from inplace_guard.runtime.compat import quiet

__all__ = [
    "Region",
    "base_of",
    "has_own_memory",
    "is_foreign",
    "is_plain",
    "node_of",
    "overlap",
    "region_of",
    "state_of",
    "version_of",
]

_EXACT_UP_TO = 1 << 22
_NO_DISPATCH = getattr(torch._C, "_disabled_torch_dispatch_impl", None)
_PLAIN = frozenset({torch.Tensor, torch.nn.Parameter})
_OWN_MEMORY: dict[type, bool] = {torch.Tensor: True, torch.nn.Parameter: True}


@dataclass(frozen=True, slots=True)
class Region:
    """`base` and `start` are addresses in bytes: of the storage, and of the first element."""

    base: int
    start: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    itemsize: int
    on_cpu: bool = True

    @property
    def end(self) -> int:
        if 0 in self.shape:
            return self.start
        last = sum((size - 1) * step for size, step in zip(self.shape, self.stride, strict=True))
        return self.start + (last + 1) * self.itemsize

    @property
    def numel(self) -> int:
        count = 1
        for size in self.shape:
            count *= size
        return count

    @property
    def dense(self) -> bool:
        return self.end - self.start == self.numel * self.itemsize


def node_of(tensor: torch.Tensor) -> Any:
    """Its `grad_fn`; None too where PyTorch refuses to tell: a view made under no_grad whose base was written since."""
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None


def has_own_memory(kind: type) -> bool:
    """Whether tensors of this type have memory to look at (subclasses with a __torch_dispatch__ may have none)."""
    known = _OWN_MEMORY.get(kind)
    if known is None:
        known = _OWN_MEMORY[kind] = (
            issubclass(kind, torch.Tensor)
            and getattr(kind, "__torch_dispatch__", None) is _NO_DISPATCH
            and not issubclass(kind, (UninitializedBuffer, UninitializedParameter))
        )
    return known


def is_plain(value: Any) -> bool:
    """A tensor of torch's own classes: looking at it runs no code of a subclass."""
    return type(value) in _PLAIN


def region_of(tensor: Any) -> Region | None:
    """None for what has no memory to compare: sparse, meta, functorch wrappers, fake tensors, no elements."""
    if type(tensor) in _PLAIN:
        return _region(tensor)
    if not has_own_memory(type(tensor)):
        return None
    with quiet():
        return _region(tensor)


def base_of(tensor: Any) -> int:
    """The `base` of its region alone, which is cheaper; 0 where there is none."""
    if type(tensor) not in _PLAIN:
        region = region_of(tensor)
        return region.base if region is not None else 0
    try:
        if tensor.is_meta:
            return 0
        start: int = tensor.data_ptr()
        return start - tensor.storage_offset() * tensor.element_size() if start else 0
    except (RuntimeError, NotImplementedError):
        return 0


def _region(tensor: Any) -> Region | None:
    try:
        if tensor.is_meta:  # a fake tensor looks so inside its kernels, and warns when it is asked for its address
            return None
        start = tensor.data_ptr()
        if not start:
            return None
        itemsize = tensor.element_size()
        base = start - tensor.storage_offset() * itemsize
        return Region(base, start, tuple(tensor.shape), tensor.stride(), itemsize, tensor.is_cpu)
    except (RuntimeError, NotImplementedError):
        return None


def version_of(tensor: Any) -> int | None:
    """None for inference tensors, which count no versions."""
    try:
        if type(tensor) in _PLAIN:
            return tensor._version  # type: ignore[no-any-return]
        with quiet():
            return tensor._version  # type: ignore[no-any-return]
    except (RuntimeError, AttributeError, ValueError):
        return None


def state_of(tensor: Any) -> tuple[int | None, bool]:
    """Its version, and whether it requires grad."""
    if type(tensor) in _PLAIN:
        return version_of(tensor), tensor.requires_grad
    with quiet():
        return version_of(tensor), tensor.requires_grad


def is_foreign(tensor: torch.Tensor) -> bool:
    """Whether another library made this memory and torch only borrows it (NumPy, DLPack, buffers)."""
    if not is_plain(tensor):
        return False
    try:
        return not tensor.untyped_storage().resizable()
    except (RuntimeError, NotImplementedError, AttributeError):
        return False


def overlap(one: Region, other: Region) -> bool:
    """Whether they share a byte: exact for strided views up to a size, by the range of addresses beyond it."""
    if one.end <= other.start or other.end <= one.start:
        return False
    if one.dense and other.dense:
        return True
    low, high = min(one.start, other.start), max(one.end, other.end)
    if high - low > _EXACT_UP_TO:
        return True
    covered = torch.zeros(high - low, dtype=torch.bool, device="cpu")
    _bytes(covered, one, low).fill_(True)
    return bool(_bytes(covered, other, low).any())


def _bytes(covered: torch.Tensor, region: Region, low: int) -> torch.Tensor:
    steps = tuple(step * region.itemsize for step in region.stride)
    return covered.as_strided((*region.shape, region.itemsize), (*steps, 1), region.start - low)
