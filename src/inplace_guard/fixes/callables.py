"""What is known of functions outside of the file and of torch: which keep or hand back what they are given."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from inplace_guard.fixes.tree import path_of

if TYPE_CHECKING:
    from inplace_guard.fixes.program import Program

__all__ = ["ALL_NAMES", "HOLDERS", "PASSING", "PLAIN_CALLS", "STORING", "TAKING_OUT", "TYPES", "is_unknown"]

# Not tensors and not holders of any.
PLAIN_CALLS = {"len", "range", "int", "float", "bool", "str", "isinstance", "hasattr", "print", "abs", "round", "type",
                "id", "hash", "repr", "format", "callable", "issubclass", "all", "any", "super", "slice"}  # fmt: skip
TYPES = {"dict", "list", "tuple", "set", "frozenset", "object", "type"}  # whose methods are called by their names
HOLDERS = {"list", "tuple", "dict", "set", "sorted", "reversed", "frozenset"}
PASSING = {
    "iter",
    "next",
    "zip",
    "enumerate",
    "map",
    "filter",
    "min",
    "max",
    "copy.copy",
    "operator.itemgetter",
    "weakref.ref",
    "weakref.proxy",
}
# Functions that keep nothing they are given, and return no memory of it.
_NEW_CALLS = {"copy.deepcopy", "torch.utils.checkpoint.checkpoint", "torch.autograd.grad", "torch.func.functional_call",
              "torch.save", "torch.sparse.mm", "torch.nn.utils.rnn.pad_sequence", "torch.nn.utils.rnn.pack_sequence",
              "torch.nn.utils.rnn.pack_padded_sequence", "torch.nn.utils.rnn.pad_packed_sequence", "pickle.dumps",
              "pickle.dump", "sys.getsizeof", "sys.getrefcount", "numpy.array"}  # fmt: skip
_NEW_MODULES = ("math.", "logging.", "warnings.", "numpy.testing.", "torch.testing.", "torch.distributed.",
                "torch.nn.init.", "torch.nn.utils.clip_grad")  # fmt: skip
ALL_NAMES = {"locals", "vars", "globals"}
TAKING_OUT = {"pop", "popleft", "popitem", "get", "setdefault", "values", "items", "copy", "keys", "_replace"}
STORING = {"append", "appendleft", "extend", "insert", "add", "update", "setdefault", "push", "put"}


def is_unknown(program: Program, called: ast.expr, plain: str, dotted: str) -> bool:
    """Whether a builtin (`plain`) or imported function (`dotted`) is called of which nothing is known, or what such a
    one has returned: `f = functools.partial(...)`. Modules, and relative imports, are taken to return new tensors."""
    if dotted:
        return dotted not in _NEW_CALLS and not dotted.startswith(_NEW_MODULES)
    if isinstance(called, ast.Call):
        return program.is_made_by_library(called)
    return bool(plain) or path_of(called) in program.made_by_library
