"""Damaged and random programs for the fuzz tests."""

from __future__ import annotations

import ast
import random
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import torch

ROOT = Path(__file__).parents[2]
STDLIB = Path(sysconfig.get_path("stdlib"))
SITE = Path(sysconfig.get_path("purelib"))


def some_files() -> list[Path]:
    """Real files: labelled programs, our own code, and some of Python's and PyTorch's."""
    files = sorted((ROOT / "tests" / "corpus").glob("*/*/*.py"))
    files += sorted((ROOT / "src").rglob("*.py"))
    files += [STDLIB / name for name in ("ast.py", "dataclasses.py", "difflib.py", "inspect.py", "turtle.py")]
    for folder in ("nn/modules", "optim", "autograd", "distributions", "utils"):
        files += sorted((SITE / "torch" / folder).glob("*.py"))
    return files


def all_files() -> list[Path]:
    files = [path for path in STDLIB.rglob("*.py") if "site-packages" not in path.parts]
    files += [path for name in ("torch", "transformers") for path in (SITE / name).rglob("*.py")]
    return sorted(files)


def read(path: Path) -> str:
    """The text, with the word that makes a file worth analysing."""
    text = path.read_text(encoding="utf-8", errors="replace")
    return text if "torch" in text else text + "\nimport torch\n"


def damage_lines(text: str, rng: random.Random) -> str:
    """The text with lines deleted, repeated, swapped or cut off, and names exchanged: often no Python any more."""
    lines = text.splitlines(keepends=True) or [""]
    for _ in range(rng.randint(1, 6)):
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        kind = rng.randrange(7)
        if kind == 0 and len(lines) > 1:
            del lines[i]
        elif kind == 1:
            lines.insert(j, lines[i])
        elif kind == 2:
            lines[i], lines[j] = lines[j], lines[i]
        elif kind == 3:
            lines = ["".join(lines)[: rng.randrange(1 + sum(map(len, lines)))]]
        elif kind == 4:
            old, new = name_in(lines[i], rng), name_in(lines[j], rng)
            lines = [line.replace(old, new) if old else line for line in lines]
        elif kind == 5:
            lines[i] = lines[i][: rng.randrange(1 + len(lines[i]))] + rng.choice("()[]:,.=+_\t\f\r\u2028\xe4\0'\"#\\")
        else:
            lines[i] = " " * rng.randrange(9) + lines[i].lstrip()
    return "".join(lines)


def name_in(line: str, rng: random.Random) -> str:
    words = [word for word in "".join(c if c.isidentifier() else " " for c in line).split() if len(word) > 1]
    return rng.choice(words) if words else ""


class Shuffle(ast.NodeTransformer):
    """Other statements, names, operators and arguments at the same places: still a program."""

    def __init__(self, tree: ast.AST, rng: random.Random) -> None:
        self.rng = rng
        nodes = list(ast.walk(tree))
        self.names = [node.id for node in nodes if isinstance(node, ast.Name)] or ["x"]
        self.attributes = [node.attr for node in nodes if isinstance(node, ast.Attribute)] or ["add_"]
        self.expressions = [n for n in nodes if isinstance(n, ast.Call | ast.Name | ast.Constant | ast.Subscript)]

    def visit(self, node: ast.AST) -> ast.AST:
        node = super().generic_visit(node)
        if self.rng.random() > 0.03:
            return node
        if isinstance(node, ast.Name):
            return ast.Name(self.rng.choice(self.names), node.ctx)
        if isinstance(node, ast.Attribute):
            return ast.Attribute(node.value, self.rng.choice(self.attributes), node.ctx)
        if isinstance(node, ast.Call):
            node.args = [*node.args, self.rng.choice(self.expressions)] if self.rng.random() < 0.5 else node.args[1:]
        elif isinstance(node, ast.AugAssign):
            node.op = self.rng.choice([ast.Add(), ast.MatMult(), ast.Pow(), ast.BitOr(), ast.LShift()])
        elif isinstance(node, ast.BinOp):
            node.left, node.right = node.right, node.left
        elif isinstance(body := getattr(node, "body", None), list) and body:
            body.insert(self.rng.randrange(len(body) + 1), self.rng.choice(body))
            if not isinstance(node, ast.Module):
                self.rng.shuffle(body)
        return node


def damage_tree(text: str, rng: random.Random) -> str:
    # What is put in comes from a tree of its own: nothing may end up inside itself.
    shuffle = Shuffle(ast.parse(text), rng)
    damaged = ast.fix_missing_locations(shuffle.visit(ast.parse(text)))
    try:
        return ast.unparse(damaged)
    except ValueError:  # a backslash ended up in an f-string, which Python before 3.12 cannot write down
        return text


# Random programs out of everything that the analysis knows by name.

NAMES = ("a", "b", "c", "w", "net", "opt", "xs", "d")
NUMBERS = ("0", "1", "(-1)", "0.5", "None", "True", "'s'", "...", "1:", "::2", "torch.long")
STARTS = """\
import torch, numpy as np, copy, functools, contextlib
from torch import nn
import torch.nn.functional as F
w = torch.randn(3, 3, requires_grad=True)
a, b, c = w * 1, w.exp(), torch.zeros(3, 3)
net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
xs, d = [a, b], {"k": a, 0: c}
"""


OTHERS = [
    "copy.copy",
    "copy.deepcopy",
    "functools.partial",
    "functools.reduce",
    "contextlib.nullcontext",
    "np.asarray",
    "np.zeros",
    "np.copyto",
    "torch.utils.checkpoint.checkpoint",
    "torch.autograd.grad",
    "torch.autograd.backward",
    "torch.autograd.graph.saved_tensors_hooks",
    "torch.utils.dlpack.to_dlpack",
    "torch.amp.GradScaler",
    "torch.nn.utils.clip_grad_norm_",
    "torch.func.grad",
    "torch.nn.utils.vector_to_parameters",
    "print",
    "len",
    "list",
    "dict",
    "tuple",
    "zip",
    "enumerate",
    "range",
    "map",
    "filter",
    "sum",
    "sorted",
    "reversed",
    "getattr",
    "setattr",
    "isinstance",
    "super",
    "iter",
    "next",
    "max",
    "min",
    "any",
    "all",
    "int",
    "float",
    "str",
    "type",
    "vars",
    "id",
    "hash",
    "open",
]


def callables() -> list[str]:
    """Every public callable of torch that the op table can know, and some that the analysis handles by name."""
    places = {
        "torch": torch, "torch.Tensor": torch.Tensor, "F": torch.nn.functional, "nn": torch.nn,
        "nn.init": torch.nn.init, "torch.optim": torch.optim, "torch.linalg": torch.linalg, "torch.fft": torch.fft,
        "torch.special": torch.special,
    }  # fmt: skip
    found = [f"{place}.{name}" for place, thing in places.items() for name in dir(thing) if not name.startswith("__")]
    # Methods that modules and containers have, as methods of whatever comes.
    methods = {name for kind in (torch.nn.Module, torch.optim.SGD, list, dict) for name in dir(kind) if name[0] != "_"}
    return found + [f"torch.Tensor.{name}" for name in sorted(methods)] * 4 + OTHERS * 10


class Writer:
    """Writes random statements that look like training code."""

    def __init__(self, rng: random.Random, names: Sequence[str]) -> None:
        self.rng = rng
        self.ops = names

    def name(self) -> str:
        return self.rng.choice(NAMES)

    def args(self, depth: int) -> str:
        found = [self.value(depth + 1) for _ in range(self.rng.randrange(4))]
        if self.rng.random() < 0.2:
            word = self.rng.choice(("inplace", "out", "dim", "retain_graph", "training", "requires_grad", "dtype"))
            found.append(f"{word}={self.value(depth + 1)}")
        return ", ".join(found)

    def value(self, depth: int = 0) -> str:
        kind = self.rng.randrange(14 if depth < 2 else 2)
        if kind in (0, 2):
            return self.name()
        if kind == 1:
            return f"({self.rng.choice([n for n in NUMBERS if ':' not in n])})"
        if kind in (3, 4, 5):
            op = self.rng.choice(self.ops)
            if op.startswith("torch.Tensor."):
                return f"{self.value(depth + 1)}.{op[13:]}({self.args(depth)})"
            return f"{op}({self.args(depth)})"
        if kind == 6:
            return f"{self.name()}[{self.rng.choice((*NUMBERS, self.name()))}]"
        if kind == 7:
            return f"({self.value(depth + 1)} {self.rng.choice('+-*/@%')} {self.value(depth + 1)})"
        if kind == 8:
            return (
                f"{self.name()}.{self.rng.choice(('data', 'grad', 'T', 'shape', 'values', 'weight', 'training', 'x'))}"
            )
        if kind == 9:
            return f"[{self.value(depth + 1)} for {self.name()} in {self.value(depth + 1)}]"
        if kind == 10:
            return f"({self.value(depth + 1)} if {self.value(depth + 1)} else {self.value(depth + 1)})"
        if kind == 11:
            return f"(lambda {self.name()}: {self.value(depth + 1)})({self.value(depth + 1)})"
        if kind == 12:
            return f"{{'k': {self.value(depth + 1)}, {self.value(depth + 1)}: {self.value(depth + 1)}}}"
        return f"{self.name()}({self.args(depth)})"

    def block(self, depth: int) -> list[str]:
        lines = [line for _ in range(self.rng.randint(1, 5)) for line in self.statement(depth)]
        return ["    " + line for line in lines]

    def statement(self, depth: int = 0) -> list[str]:
        kind = self.rng.randrange(19 if depth < 2 else 8)
        if kind < 2:
            return [f"{self.name()} = {self.value()}"]
        if kind == 2:
            return [f"{self.name()} {self.rng.choice('+-*/@')}= {self.value()}"]
        if kind == 3:
            index = self.rng.choice((*NUMBERS, self.name()))
            return [f"{self.name()}[{index}] {self.rng.choice(('', '+', '*'))}= {self.value()}"]
        if kind == 4:
            return [self.value()]
        if kind == 5:
            return [f"{self.value()}.backward({self.rng.choice(('', 'retain_graph=True'))})"]
        if kind == 6:
            return [f"{self.name()}.{self.rng.choice(('data', 'grad', 'x', 'weight'))} = {self.value()}"]
        if kind == 7:
            return [self.rng.choice(("opt.step()", "net.train()", "del a", "a, *b = xs", "xs.append(a)", "net.eval()"))]
        if kind < 10:
            return [f"for {self.name()} in {self.value()}:", *self.block(depth + 1), *self.leave("break", "continue")]
        if kind < 13:
            return [f"if {self.value()}:", *self.block(depth + 1), "else:", *self.block(depth + 1)]
        if kind == 13:
            return [f"while {self.value()}:", *self.block(depth + 1), *self.leave("break")]
        if kind == 14:
            return ["try:", *self.block(depth + 1), "except Exception as d:", *self.block(depth + 1), "finally:",
                    *self.block(depth + 1)]  # fmt: skip
        if kind == 15:
            mode = self.rng.choice(("torch.no_grad()", "torch.inference_mode()", "torch.enable_grad()", "a"))
            return [f"with {mode}:", *self.block(depth + 1)]
        if kind < 18:
            head = self.rng.choice(("def a(b, c=None, *xs, **d):", "def net(a):", "def b(*xs):"))
            return [head, *self.block(depth + 1), *self.leave(f"return {self.value()}", f"yield {self.value()}")]
        base = self.rng.choice(("nn.Module", "torch.autograd.Function", "nn.Linear", "object", "dict"))
        return [f"class net({base}):", "    def forward(self, a, b=None):",
                *["    " + line for line in self.block(depth + 1)],
                f"        return {self.value()}"]  # fmt: skip

    def leave(self, *ways: str) -> list[str]:
        return ["    " + self.rng.choice(ways)] if self.rng.random() < 0.7 else []


def random_program(rng: random.Random, names: Sequence[str]) -> str:
    writer = Writer(rng, names)
    lines = [line for _ in range(rng.randint(3, 12)) for line in writer.statement()]
    return STARTS + "\n".join(lines) + "\nw.sum().backward()\n"
