"""What a torch callable writes, views and saves: the shape of one entry of the op table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# How the memory of a result relates to an argument: fresh; always a view of it; the argument itself (in-place, out=);
# a view, the argument or a copy, which depends on layout, dtype or device (reshape, contiguous, to, flatten).
Relation = Literal["new", "view", "same", "maybe"]

# A condition says for which arguments a write or a save happens (`inplace_guard.ops.holds` evaluates it):
#   ""           always
#   "inplace"    the argument is true (not None, not zero, not empty)
#   "!training"  the argument is false or None
#   "mode=a/b"   the argument is one of these strings; "p!=nuc": it is none of them
#   "a&b"        both conditions hold
#   "~"          in most calls with contiguous arguments; the rest depends on sizes (matmul of some ranks copies first)
#   "?"          in some calls, depending on sizes or other values

# Names that torch functions also take, for NumPy's sake: torch.sum(x, axis=1).
OTHER_NAMES = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter. `kind` is the schema's type: "Tensor", "Tensor?", "Tensor[]", "Scalar", "int", "int[]", "bool",
    "float", "str", "dtype", "any" (Python-level parameters whose type is not in a schema), "*" (*args). A first "int[]"
    may also be given as separate ints: `x.view(2, 3)`. `default` is a Python literal, kept only where a condition
    needs it."""

    name: str
    kind: str
    required: bool = True
    kwarg_only: bool = False
    default: str = ""


@dataclass(frozen=True, slots=True)
class Save:
    """A tensor that the op's backward reads.

    `what` is a parameter name, or "result" / "result0", "result1" … . In an op that writes, a saved result or a saved
    argument that it wrote is that memory with its new value. It is saved only if one of the parameters in `gates`
    requires grad; with no gates, whenever the call is recorded at all (any differentiable argument requires grad).
    The gate "others", on an argument that is a list or *args: an element is saved if another element requires grad.
    A module's own parameters count as the gate "params", and saved parameters as what="params". `when` is a condition.
    """

    what: str
    gates: tuple[str, ...] = ()
    when: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """One result. `of` names the argument when `relation` is not "new". `many`: a sequence of tensors that are views
    of one base (split, chunk, unbind: PyTorch forbids writes to them). `sequence`: a list or tuple of any length of
    such tensors (`many` implies it). `expanded`: several elements may share one memory location (expand,
    broadcast_to). `differentiable`: may require grad (False for argmax, eq, indices). `dtype`: "bool", "int", "float"
    if the op fixes the kind of element, else "" (that of the inputs). Not a tensor, but with a relation: an object
    on the tensor's memory (numpy(), untyped_storage()). `when`: if "maybe" depends on an argument only, the condition
    under which the result is the argument or its view (dropout: "!training")."""

    relation: Relation = "new"
    of: str = ""
    many: bool = False
    expanded: bool = False
    differentiable: bool = True
    dtype: str = ""
    tensor: bool = True  # False: a Python value (item, size, numel, dim)
    sequence: bool = False
    when: str = ""


@dataclass(frozen=True, slots=True)
class Overload:
    """One signature. `differentiable` names the parameters through which gradients flow.

    An item of `writes` is a parameter name, with "?" and a condition behind it if the write depends on arguments:
    "input?inplace" (then, the result is that argument itself), "weight?max_norm", "running_mean?training".
    """

    params: tuple[Param, ...]
    results: tuple[Result, ...] = (Result(),)
    writes: tuple[str, ...] = ()
    saves: tuple[Save, ...] = ()
    differentiable: tuple[str, ...] = ()
    records: bool = True  # False: autograd never records it (factories, comparisons, item)
    unversioned: tuple[str, ...] = ()  # names of written parameters whose version counter is not bumped
    no_grad: bool = False  # its writes run under no_grad, so that it may write a leaf that requires grad (nn.init)


@dataclass(frozen=True, slots=True)
class Op:
    """All signatures of one callable, most specific first. `name` is what a person calls it: `add_`, `linear`."""

    name: str
    overloads: tuple[Overload, ...]


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """One `torch.nn` module class.

    `saves` uses "input" (the only tensor argument of forward; "input0", "input1" … by position where there may be
    several, and the keyword of those that are passed by name), "result", "params" and "buffers". `has_params`: its
    parameters make the result require grad. `inplace`: it takes a constructor argument of that name, and
    `inplace_index` is its position (0-based, without self); `inplace_saves` are its saves when that argument is true.
    `returns` relates the result to the input ("maybe" for Identity, Dropout, Flatten), `returns_when` as in `Result`.
    `writes_buffers`: forward in training mode writes its buffers (BatchNorm); `versioned` says whether those writes
    bump the version counter. `writes_params`: forward writes its parameters under this condition, never if empty
    (Embedding: max_norm). A save's condition names `training` or a constructor argument.
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
    inplace_saves: tuple[Save, ...] = ()
    returns_when: str = ""
    writes_params: str = ""


@dataclass(frozen=True, slots=True)
class OptimizerFacts:
    """One `torch.optim` class: `step()` writes the parameters that it was given.

    `fused`: it takes an argument of that name, and `fused_versioned` says whether such a step bumps the version
    counter of the parameters; `versioned` says the same of a plain step.
    """

    name: str
    versioned: bool = True
    fused: bool = False
    fused_versioned: bool = True
