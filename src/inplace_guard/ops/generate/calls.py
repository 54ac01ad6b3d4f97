"""Run one call and see what it wrote, what it returned and what it saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

CloneMap = dict[int, torch.Tensor]


@dataclass
class Observed:
    """One call. Names are those of the bound parameters; results are numbered."""

    writes: set[str] = field(default_factory=set)
    unversioned: set[str] = field(default_factory=set)
    relations: list[tuple[str, str]] = field(default_factory=list)  # relation, argument
    many: list[bool] = field(default_factory=list)
    expanded: list[bool] = field(default_factory=list)
    grads: list[bool] = field(default_factory=list)
    dtypes: list[str] = field(default_factory=list)
    tensor_result: bool = True
    sequence: bool = False
    saves: dict[str, set[str]] = field(default_factory=dict)  # what -> single arguments that trigger it
    others: dict[str, bool] = field(default_factory=dict)  # list argument -> only elements that others gate
    differentiable: set[str] = field(default_factory=set)


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """Tensors of nested lists, tuples and dicts."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item)


def rebuild(value: Any, make: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """The same structure with each tensor replaced."""
    if isinstance(value, torch.Tensor):
        return make(value)
    if isinstance(value, (list, tuple)):
        items = [rebuild(item, make) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {key: rebuild(item, make) for key, item in value.items()}
    return value


def differentiable(tensor: torch.Tensor) -> bool:
    return tensor.is_floating_point() or tensor.is_complex()


def fresh(tensor: torch.Tensor, requires_grad: bool, strided: bool) -> torch.Tensor:
    """A copy that is not a leaf, so that it may be written; with `strided`, one that is not contiguous."""
    source = tensor.detach()
    if strided and tensor.dim() >= 2:
        leaf = source.mT.contiguous()
        return leaf.requires_grad_(requires_grad).clone().mT
    if strided and tensor.dim() == 1 and tensor.numel() > 1:
        leaf = source.repeat_interleave(2)
        return leaf.requires_grad_(requires_grad).clone()[::2]
    return source.clone().requires_grad_(requires_grad).clone()


def storage(tensor: torch.Tensor) -> int:
    """Address of the memory, or 0 where there is none to compare."""
    try:
        return tensor.untyped_storage().data_ptr() if tensor.numel() else 0
    except (RuntimeError, NotImplementedError):
        return 0


def saved_tensors(results: list[torch.Tensor], stop: set[Any]) -> Iterator[torch.Tensor]:
    """Every tensor that the nodes between results and inputs saved."""
    seen: set[Any] = set(stop)
    todo = [result.grad_fn for result in results if result.grad_fn is not None]
    while todo:
        node: Any = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        todo += [following for following, _ in node.next_functions]
        for name in dir(node):
            if name.startswith("_raw_saved_"):
                raw = getattr(node, name)
                for item in raw if isinstance(raw, (list, tuple)) else [raw]:
                    data = getattr(item, "data", None)
                    if isinstance(data, torch.Tensor):
                        yield data


def observe(
    function: Callable[..., Any], arguments: dict[str, Any], call: Callable[..., Any], strided: bool
) -> Observed:
    """Facts of `call(function, arguments)`; gates are found by letting one argument at a time require grad."""
    seen = Observed()
    able = [name for name, value in arguments.items() if any(map(differentiable, tensors_in(value)))]
    _run(function, arguments, call, strided, set(able), None, seen, describe=True)
    for name in able:
        _run(function, arguments, call, strided, {name}, None, seen, describe=False)
        count = sum(1 for _ in tensors_in(arguments[name]))
        if not isinstance(arguments[name], torch.Tensor) and count > 1:
            for index in range(count):
                _run(function, arguments, call, strided, {name}, index, seen, describe=False)
    return seen


def _run(
    function: Callable[..., Any],
    arguments: dict[str, Any],
    call: Callable[..., Any],
    strided: bool,
    grads: set[str],
    only: int | None,
    seen: Observed,
    *,
    describe: bool,
) -> None:
    given: dict[str, Any] = {}
    for name, value in arguments.items():
        counter = iter(range(10**6))

        def make(tensor: torch.Tensor, name: str = name, counter: Iterator[int] = counter) -> torch.Tensor:
            index = next(counter)
            wanted = name in grads and differentiable(tensor) and (only is None or only == index)
            return fresh(tensor, wanted, strided)

        given[name] = rebuild(value, make)
    stop = {t.grad_fn for value in given.values() for t in tensors_in(value) if t.grad_fn is not None}
    flat = [(name, index, t) for name, value in given.items() for index, t in enumerate(tensors_in(value))]
    before = [(t._version, t.detach().clone()) for _, _, t in flat]
    torch.manual_seed(0)
    value = call(function, given)
    results = list(tensors_in(value))
    homes: dict[int, tuple[str, int]] = {}
    for name, index, tensor in flat:
        homes.setdefault(storage(tensor), (name, index))
    homes.pop(0, None)
    written: set[str] = set()
    for (name, _, tensor), (version, old) in zip(flat, before, strict=True):
        changed = (
            not torch.equal(tensor.detach(), old) and not bool(torch.isnan(old).any()) if differentiable(old) else False
        )
        if tensor._version != version:
            written.add(name)
        elif changed:
            written.add(name)
            if describe:
                seen.unversioned.add(name)
    if describe:
        seen.writes |= written
        _describe(value, results, flat, homes, seen)
    requires = any(result.requires_grad for result in results) or any(
        t.requires_grad and t.grad_fn not in stop for name, _, t in flat if name in written
    )
    single = next(iter(grads)) if len(grads) == 1 else ""
    if requires and single:
        seen.differentiable.add(single)
    roots = results + [t for name, _, t in flat if name in written]
    places = {storage(result): index for index, result in reversed(list(enumerate(results)))}
    saved_elements: set[int] = set()
    for tensor in saved_tensors(roots, stop):
        where = storage(tensor)
        home = homes.get(where)
        if home is not None and home[0] not in written:
            what = home[0]
            saved_elements.add(home[1])
        elif where and (where in places or home is not None):
            what = _result_name(places.get(where, 0), len(results), value)
        else:
            continue
        gates = seen.saves.setdefault(what, set())
        if single and only is None:
            gates.add(single)
    if only is not None and saved_elements:
        name = single
        seen.others[name] = seen.others.get(name, True) and only not in saved_elements


def _result_name(index: int, count: int, value: Any) -> str:
    if isinstance(value, torch.Tensor) or isinstance(value, list) or count <= 1:
        return "result"
    return f"result{index}"


def _describe(
    value: Any, results: list[torch.Tensor], flat: list[Any], homes: dict[int, tuple[str, int]], seen: Observed
) -> None:
    seen.tensor_result = bool(results)
    seen.sequence = isinstance(value, list) or (isinstance(value, tuple) and _one_base(results))
    for result in results:
        relation, of = "new", ""
        for name, _, tensor in flat:
            if result is tensor:
                relation, of = "same", name
                break
        else:
            home = homes.get(storage(result))
            if home is not None:
                relation, of = "view", home[0]
        seen.relations.append((relation, of))
        meta = torch._C._autograd._get_creation_meta(result) if result._is_view() else None
        seen.many.append(meta == torch._C._autograd.CreationMeta.MULTI_OUTPUT_NODE)
        seen.expanded.append(
            any(s == 0 and n > 1 for s, n in zip(result.stride(), result.shape, strict=True))
            if result.layout == torch.strided
            else False
        )
        seen.grads.append(result.requires_grad)
        kind = "bool" if result.dtype == torch.bool else "" if differentiable(result) else "int"
        seen.dtypes.append(kind)


def _one_base(results: list[torch.Tensor]) -> bool:
    return len(results) > 1 and all(r._is_view() for r in results) and len({storage(r) for r in results}) == 1
