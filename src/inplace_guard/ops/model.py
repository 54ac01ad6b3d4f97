"""What a torch callable writes, views and saves: the shape of one entry of the op table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# How the memory of a result relates to an argument: fresh; always a view of it; the argument itself (in-place, out=);
# a view, the argument or a copy, which depends on layout, dtype or device (reshape, contiguous, to, flatten).
Relation = Literal["new", "view", "same", "maybe"]


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter. `kind` is the schema's type: "Tensor", "Tensor?", "Tensor[]", "Scalar", "int", "int[]", "bool",
    "float", "str", "dtype", "any" (Python-level parameters whose type is not in a schema)."""

    name: str
    kind: str
    required: bool = True
    kwarg_only: bool = False


@dataclass(frozen=True, slots=True)
class Save:
    """A tensor that the op's backward reads.

    `what` is a parameter name, or "result" / "result0", "result1" … . It is saved only if one of the parameters in
    `gates` requires grad; with no gates, whenever the call is recorded at all (any differentiable argument requires
    grad). A module's own parameters count as the gate "params", and saved parameters as what="params".
    """

    what: str
    gates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """One result. `of` names the argument when `relation` is not "new". `many`: a sequence of tensors that are views
    of one base (split, chunk, unbind: PyTorch forbids writes to them). `expanded`: several elements may share one
    memory location (expand, broadcast_to). `differentiable`: may require grad (False for argmax, eq, indices).
    `dtype`: "bool", "int", "float" if the op fixes the kind of element, else "" (that of the inputs)."""

    relation: Relation = "new"
    of: str = ""
    many: bool = False
    expanded: bool = False
    differentiable: bool = True
    dtype: str = ""
    tensor: bool = True  # False: a Python value (item, size, numel, dim)


@dataclass(frozen=True, slots=True)
class Overload:
    """One signature. `differentiable` names the parameters through which gradients flow."""

    params: tuple[Param, ...]
    results: tuple[Result, ...] = (Result(),)
    writes: tuple[str, ...] = ()
    saves: tuple[Save, ...] = ()
    differentiable: tuple[str, ...] = ()
    records: bool = True  # False: autograd never records it (factories, comparisons, item)
    unversioned: tuple[str, ...] = ()  # writes among `writes` that do not bump the version counter


@dataclass(frozen=True, slots=True)
class Op:
    """All signatures of one callable, most specific first. `name` is what a person calls it: `add_`, `linear`."""

    name: str
    overloads: tuple[Overload, ...]


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """One `torch.nn` module class.

    `saves` uses "input" (any positional tensor argument of forward; "input0", "input1" where they differ), "result",
    "params" and "buffers". `has_params`: its parameters make the result require grad. `inplace`: it takes a
    constructor argument of that name, and `inplace_index` is its position (0-based, without self). `returns` relates
    the result to the input ("maybe" for Identity, Dropout, Flatten). `writes_buffers`: forward in training mode
    writes its buffers (BatchNorm); `versioned` says whether those writes bump the version counter.
    """

    name: str
    saves: tuple[Save, ...] = ()
    has_params: bool = False
    inplace: bool = False
    inplace_index: int = -1
    returns: Relation = "new"
    results: int = 1  # how many tensors; 0: a structure (LSTM: output, (h, c))
    writes_buffers: bool = False
    versioned: bool = True
    expanded: bool = False
