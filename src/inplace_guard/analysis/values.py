"""The abstract values that the interpreter computes with.

Values are immutable. What changes while a program runs (attributes, list items, what memory was saved or written)
lives in the machine's heap, so that branches can be forked and joined.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from inplace_guard.ops.model import ModuleFacts

if TYPE_CHECKING:
    from inplace_guard.analysis.classes import ClassInfo
    from inplace_guard.analysis.frames import Frame
    from inplace_guard.analysis.scope import Scope
    from inplace_guard.analysis.tape import Node, Place, Save

NOTHING: frozenset[Save] = frozenset()
NO, MAYBE, YES = 0, 1, 2
PLAIN, VIEW, MULTI = 0, 1, 2


class Value:
    __slots__ = ()


class Unknown(Value):
    """Nothing is known: not even that it is a tensor."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "?"


UNKNOWN = Unknown()


class Const(Value):
    """A Python constant: None, bool, int, float, str, Ellipsis."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Const({self.value!r})"


NONE = Const(None)
TRUE, FALSE = Const(True), Const(False)
AS_FAR_AS_IT_GOES = Const(True)  # `x.requires_grad` of one that may require grad: so may what is made like it


class Number(Value):
    """A Python number, shape, dtype or string whose value is not known: certainly no tensor. `cut`: it was taken out of
    a tensor with history."""

    __slots__ = ("cut",)

    def __init__(self, cut: str = "") -> None:
        self.cut = cut

    def __repr__(self) -> str:
        return "Number"


NUMBER = Number()
PERHAPS = Number()  # `int | None`


class Index(Number):
    """What a loop over numbers counts with: at least `least`, and another number than the other ones of that loop."""

    __slots__ = ("least", "loop")

    def __init__(self, loop: object, least: int = 0) -> None:
        super().__init__()
        self.loop = loop
        self.least = least


class Piece(Number):
    """A slice whose bounds are not known: the same one as another of the same text in the same call."""

    __slots__ = ("text",)

    def __init__(self, text: object) -> None:
        super().__init__()
        self.text = text


class Tensor(Value):
    """A tensor, or something that may be one (`sure` tells; see also Mem.sure).

    mem: the storages it may live in.
    req: requires grad NO / MAYBE / YES.
    nodes: its history, beside what was written into its memory later (Mem.hist).
    view: PLAIN, VIEW, or MULTI (one that must not be written: of several made by one call, made without grad mode, …).
    leaf_view: a view of a leaf that requires grad.
    expanded: several elements may be one memory location.
    kind: "int", "bool", or "" for what may require grad.
    bypass: why writes through it are not told to autograd ("data", "numpy", …).
    detached: it shares memory but not history.
    cut: how its history was lost ("no_grad", "detach", "item", …).
    stamp: when this value was bound to a name, as Machine.stamp counts time (0: never).
    origin: where it comes from, as far as some rule asks ("param", "buffer", "forward", "grad", …).
    many: it stands for several tensors of a kind (all parameters of a module).
    shadow: the history of what `.data` or `detach()` was taken from.
    region: the index that cut it out of its base.
    picked: read from a container at an index that is not known; the next read may give another tensor.
    spared: saves that a write through this value cannot hit: made on branches where it is other memory.
    copy: the call that gave it as what may be a copy, but is not (`x.contiguous()`); 0 for all else.
    """

    __slots__ = (
        "bypass", "copy", "cut", "detached", "expanded", "kind", "leaf_view", "many", "mem", "nodes", "origin",
        "picked", "region", "req", "shadow", "spared", "stamp", "sure", "view",
    )  # fmt: skip

    def __init__(
        self,
        mem: frozenset[int],
        req: int = NO,
        nodes: tuple[Node, ...] = (),
        *,
        sure: bool = True,
        view: int = PLAIN,
        leaf_view: bool = False,
        expanded: bool = False,
        kind: str = "",
        bypass: str = "",
        detached: bool = False,
        cut: str = "",
        stamp: int = 0,
        origin: str = "",
        many: bool = False,
        shadow: tuple[Node, ...] = (),
        region: Value | None = None,
        spared: frozenset[Save] = NOTHING,
        picked: bool = False,
        copy: int = 0,
    ) -> None:
        self.mem = mem
        self.req = req
        self.nodes = nodes
        self.sure = sure
        self.view = view
        self.leaf_view = leaf_view
        self.expanded = expanded
        self.kind = kind
        self.bypass = bypass
        self.detached = detached
        self.cut = cut
        self.stamp = stamp
        self.origin = origin
        self.many = many
        self.shadow = shadow
        self.region = region
        self.spared = spared
        self.picked = picked
        self.copy = copy

    def but(self, **changes: Any) -> Tensor:
        new = Tensor.__new__(Tensor)
        for slot in Tensor.__slots__:
            setattr(new, slot, changes.get(slot, getattr(self, slot)))
        return new

    def __repr__(self) -> str:
        mems = ",".join(map(str, sorted(self.mem)))
        return f"Tensor(m{mems} req={self.req} nodes={[n.op for n in self.nodes]}{'' if self.sure else ' unsure'})"


class Array(Value):
    """A NumPy array (or raw storage) that shares the memory of a tensor, or none that is known."""

    __slots__ = ("how", "mem", "source")

    def __init__(self, mem: frozenset[int], how: str = "numpy", source: Tensor | None = None) -> None:
        self.mem = mem
        self.how = how
        self.source = source


class Obj(Value):
    """An instance of a class of this file; attributes are heap cells (oid, name)."""

    __slots__ = ("cls", "oid")

    def __init__(self, oid: int, cls: ClassInfo) -> None:
        self.oid = oid
        self.cls = cls

    def __repr__(self) -> str:
        return f"Obj({self.cls.name}#{self.oid})"


class Module(Value):
    """An instance of a `torch.nn` class, or (facts None) of a module class that cannot be seen."""

    __slots__ = ("facts", "inplace", "label", "made", "oid")

    def __init__(
        self, oid: int, label: str, facts: ModuleFacts | None, inplace: bool = False, made: Place | None = None
    ) -> None:
        self.oid = oid
        self.label = label
        self.facts = facts
        self.inplace = inplace
        self.made = made

    def __repr__(self) -> str:
        return f"Module({self.label}#{self.oid})"


class Seq(Value):
    """A list, tuple, set, or a chain of modules; items are the heap cell (oid, "[]"), a tuple of values.

    kind: "list", "tuple", "set", "sequential", "modulelist", "iter". Whether more items may exist than are known is
    the heap cell (oid, "open").
    """

    __slots__ = ("kind", "oid")

    def __init__(self, oid: int, kind: str) -> None:
        self.oid = oid
        self.kind = kind

    def __repr__(self) -> str:
        return f"{self.kind}#{self.oid}"


class Dict(Value):
    """A dict (or ModuleDict); the heap cell (oid, "{}") maps constant keys to values, "*" holds the rest."""

    __slots__ = ("kind", "oid")

    def __init__(self, oid: int, kind: str = "dict") -> None:
        self.oid = oid
        self.kind = kind


class Func(Value):
    """A function with the frame it closes over and, for a method, its receiver. `wrapped` is, if a decorator of another
    file made it, the function that was decorated."""

    __slots__ = ("cls", "frame", "name", "node", "receiver", "wrapped")

    def __init__(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
        frame: Frame | None,
        receiver: Value | None = None,
        cls: ClassInfo | None = None,
        wrapped: Value | None = None,
    ) -> None:
        self.node = node
        self.frame = frame
        self.receiver = receiver
        self.cls = cls
        self.wrapped = wrapped
        self.name = getattr(node, "name", "<lambda>")

    def bound_to(self, receiver: Value) -> Func:
        wrapped = self.wrapped.bound_to(receiver) if isinstance(self.wrapped, Func) else self.wrapped
        return Func(self.node, self.frame, receiver, self.cls, wrapped)


class Lazy(Value):
    """A generator that has not run: the function and its frame, arguments bound."""

    __slots__ = ("frame", "node")

    def __init__(self, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> None:
        self.node = node
        self.frame = frame


class Fields(Value):
    """What collections.namedtuple returns."""

    __slots__ = ("names",)

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names


class Partial(Value):
    """functools.partial."""

    __slots__ = ("args", "func", "kwargs")

    def __init__(self, func: Value, args: tuple[Value, ...], kwargs: dict[str, Value]) -> None:
        self.func = func
        self.args = args
        self.kwargs = kwargs


class Class(Value):
    """A class of this file."""

    __slots__ = ("info",)

    def __init__(self, info: ClassInfo) -> None:
        self.info = info


class Method(Value):
    """A method looked up on a value that is not an instance of a class of this file."""

    __slots__ = ("name", "receiver")

    def __init__(self, receiver: Value, name: str) -> None:
        self.receiver = receiver
        self.name = name


class Super(Value):
    __slots__ = ("after", "receiver")

    def __init__(self, receiver: Value, after: ClassInfo | None) -> None:
        self.receiver = receiver
        self.after = after


class Name(Value):
    """Something imported, by its dotted name: `torch.nn.functional.relu`, `numpy.asarray`, `mypkg.helper`."""

    __slots__ = ("dotted",)

    def __init__(self, dotted: str) -> None:
        self.dotted = dotted

    def __repr__(self) -> str:
        return f"Name({self.dotted})"


class File(Name):
    """A module of the project, and its file."""

    __slots__ = ("scope",)

    def __init__(self, dotted: str, scope: Scope) -> None:
        super().__init__(dotted)
        self.scope = scope


class Handle(Value):
    """What registering a hook returns: the heap cell that lists it, and the hook."""

    __slots__ = ("cell", "hook")

    def __init__(self, cell: tuple[int, str], hook: Value) -> None:
        self.cell = cell
        self.hook = hook


class Builtin(Value):
    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Optimizer(Value):
    """A torch optimizer; the heap cell (oid, "params") holds the parameters' tensors."""

    __slots__ = ("label", "oid", "unversioned")

    def __init__(self, oid: int, label: str, unversioned: bool) -> None:
        self.oid = oid
        self.label = label
        self.unversioned = unversioned


class Context(Value):
    """A context manager or decorator that sets a mode: "no_grad", "enable_grad", "hooks", "other"."""

    __slots__ = ("mode",)

    def __init__(self, mode: str) -> None:
        self.mode = mode


class Ctx(Value):
    """The ctx of a custom Function; what it keeps are heap cells (oid, name)."""

    __slots__ = ("oid",)

    def __init__(self, oid: int) -> None:
        self.oid = oid


class Either(Value):
    """One of a few values that cannot be merged: two modules, two functions."""

    __slots__ = ("options",)

    def __init__(self, options: tuple[Value, ...]) -> None:
        self.options = options
