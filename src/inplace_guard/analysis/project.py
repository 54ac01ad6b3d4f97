"""Files that import each other: which file an imported name comes from. Reads source files, and never runs any."""

from __future__ import annotations

import ast
import gc
import hashlib
import io
import os
import sys
import tokenize
import warnings
from collections.abc import Iterable
from typing import NamedTuple

from inplace_guard.analysis.scope import Scope

# Known by name, or nothing to follow. A project may still be one of these itself, but for torch: what the op table
# says of it is more than its source does.
OUTSIDE = sys.stdlib_module_names | {"torch", "numpy", "cupy", "jaxtyping", "tqdm"}
INSTALLED = ("site-packages", "dist-packages")
MARKS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")  # of a project's own folder
MOST_BYTES = 1_500_000  # of a file that is followed
MOST_KEPT = 8_000_000  # characters of source whose trees are kept; a tree takes some 30 bytes for each

FULL_COLLECTION = 1000  # collections of younger garbage before one of all objects

ABSENT, PRESENT = "", "+"


class Unit(NamedTuple):
    """Where a file belongs. `package` is what its relative imports start from; `roots` are the folders in which its
    absolute imports are looked for, each with the only top-level name that counts there, or ""."""

    path: str
    package: tuple[str, ...]
    roots: tuple[tuple[str, str], ...]

    @property
    def top(self) -> str:
        return self.package[0] if self.package else ""

    def is_outside(self, top: str) -> bool:
        """Whether a top-level name is known, or nothing to follow, so that the project is not asked for it."""
        return top in OUTSIDE and (top != self.top or top == "torch")

    def absolute(self, dotted: str) -> str:
        """A relative name (`..utils.helper`) in full; as it is if it leads out of the package."""
        rest = dotted.lstrip(".")
        up = len(dotted) - len(rest) - 1
        if up < 0 or up > max(len(self.package) - 1, 0):
            return dotted
        return ".".join([*self.package[: len(self.package) - up], rest])


def state_of(path: str, like: str) -> str:
    """The state of a file now, as precise as `like`: whether it is there, or the hash of its bytes."""
    if len(like) <= 1 or not os.path.isfile(path):
        return PRESENT if os.path.exists(path) else ABSENT
    return hash_of(path)[0]


def hash_of(path: str) -> tuple[str, bytes]:
    """Raises nothing: what cannot be read has the state of something that is there."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError:
        return (PRESENT if os.path.exists(path) else ABSENT), b""
    return hashlib.sha256(data).hexdigest(), data


class Found(NamedTuple):
    """A name at the top level of a file; without a name, the file."""

    scope: Scope
    name: str


class Step(NamedTuple):
    """A module: its file, how many parts of the dotted name are its name, and the file of the package around it."""

    path: str
    parts: int
    parent: str


class News(NamedTuple):
    """What a project has learned: of files, the paths that it asked for to understand them, and the state of each."""

    asked: dict[str, list[str]]
    states: dict[str, str]


def roots_of(paths: Iterable[str]) -> tuple[str, ...]:
    """The folders among the arguments of a command line in which imports are looked for, with the `src` in them."""
    roots: list[str] = []
    for path in paths:
        if os.path.isdir(path) and not os.path.exists(os.path.join(path, "__init__.py")):
            roots += [os.path.abspath(path), os.path.abspath(os.path.join(path, "src"))]
    return tuple(dict.fromkeys(root for root in roots if os.path.isdir(root)))


class Project:
    """The files that were read, for as long as one run of the linter goes on: a file that changes meanwhile is not read
    again. `roots` are folders in which absolute imports are looked for, beside those that a file's own place tells."""

    def __init__(self, roots: Iterable[str] = ()) -> None:
        young, middle, old = gc.get_threshold()
        if 0 < old < FULL_COLLECTION:  # trees are large and live long: to go through all of them is seldom worth it
            gc.set_threshold(young, middle, FULL_COLLECTION)
        self.roots: tuple[str, ...] = tuple(dict.fromkeys(os.path.abspath(root) for root in roots))
        self.scopes: dict[str, Scope | None] = {}  # those that were used last come last
        self.asked: dict[str, dict[str, None]] = {}  # the paths that were asked for to understand a file
        self.states: dict[str, str] = {}  # of each file that was asked for: ABSENT, PRESENT, or the hash of its bytes
        self.untold: dict[str, list[str]] = {}  # what of these two `news` has not told yet
        self.own: dict[str, frozenset[int]] = {}  # the lines that a file's own analysis reports
        self.leads: dict[str, tuple[bool, tuple[str, ...]]] = {}  # by `mentions`: torch, imported files
        self.kept = 0
        self.units: dict[str, tuple[tuple[str, ...], tuple[tuple[str, str], ...], tuple[str, ...]]] = {}
        self.steps: dict[tuple[tuple[tuple[str, str], ...], str], tuple[Step | None, tuple[str, ...]]] = {}

    # Files

    def home(self, tree: ast.Module, source: str, path: str) -> Scope:
        """The file to analyse. It is remembered for those who import it if its text is the one on disk."""
        path = os.path.abspath(path)
        while self.kept > MOST_KEPT:
            oldest = self.scopes.pop(next(iter(self.scopes)))
            if oldest is not None:
                self.kept -= len(oldest.source)
                for info in oldest.classes.values():
                    info.mro.clear()  # a circle, and each class holds its file
                oldest.classes.clear()
        known = self.scopes.get(path)
        if known is not None and known.source == source:
            return known
        scope = self.make(tree, source, path)
        if known is None and self.read(path) == source:
            self.keep(path, scope)
        return scope

    def tree(self, source: str, path: str) -> ast.Module | None:
        """The parsed form of a file, if it was read already and this is its text."""
        known = self.scopes.get(os.path.abspath(path))
        return known.tree if known is not None and known.source == source else None

    def load(self, path: str) -> Scope | None:
        """A file that is imported; None if there is nothing in it that can be followed."""
        if path in self.scopes:
            scope = self.scopes[path] = self.scopes.pop(path)
            return scope
        source = self.read(path) if self.kept <= 2 * MOST_KEPT else None
        tree = parse(source) if source is not None else None
        scope = self.make(tree, source, path) if tree is not None and source is not None else None
        self.keep(path, scope)
        return scope

    def make(self, tree: ast.Module, source: str, path: str) -> Scope:
        package, roots, probes = self.unit(os.path.dirname(path))
        self.ask(path, probes)
        if package and "__main__" in source:
            roots += ((os.path.dirname(path), ""),)  # where Python looks if it is run as a script
        return Scope(tree, source, self, Unit(path, package, roots))

    def keep(self, path: str, scope: Scope | None) -> None:
        self.scopes[path] = scope
        self.kept += len(scope.source) if scope is not None else 0

    def read(self, path: str) -> str | None:
        """The text of a file; None if it cannot be read, or is too large to follow."""
        self.states[path], data = hash_of(path)
        self.untold.setdefault(path, [])
        if len(self.states[path]) <= 1 or len(data) > MOST_BYTES:
            return None
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            return io.StringIO(data.decode(encoding), newline=None).read()
        except (SyntaxError, UnicodeError, LookupError):
            return None

    def exists(self, path: str) -> bool:
        state = self.states.get(path)
        if state is None:
            state = self.states[path] = PRESENT if os.path.exists(path) else ABSENT
        return state != ABSENT

    def ask(self, path: str, probes: Iterable[str]) -> None:
        """To understand the file `path`, these were asked for."""
        known = self.asked.setdefault(path, {})
        fresh = [probe for probe in probes if probe not in known]
        if fresh:
            known.update(dict.fromkeys(fresh))
            self.untold.setdefault(path, []).extend(fresh)

    def news(self) -> News:
        """What was asked for, and read, since the last time. The analysis of a file depends on all that can be reached
        from it."""
        told, self.untold = self.untold, {}
        states = dict.fromkeys(told, PRESENT)
        for path in (*told, *(path for probes in told.values() for path in probes)):
            states[path] = self.states.get(path) or states.get(path, ABSENT)
        return News(told, states)

    # Names

    def unit(self, folder: str) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...], tuple[str, ...]]:
        """The package that a folder is, the roots for the files in it, and what was asked to find that out."""
        known = self.units.get(folder)
        if known is not None:
            return known
        probes = []
        names: list[str] = []
        top = folder
        while True:
            probes.append(os.path.join(top, "__init__.py"))
            if not self.exists(probes[-1]) or os.path.dirname(top) == top:
                break
            names.insert(0, os.path.basename(top))
            top = os.path.dirname(top)
        roots = [(top, names[0] if names else "")]
        roots += [(root, "") for root in self.roots]
        own = top
        while os.path.basename(own) not in INSTALLED and os.path.dirname(own) != own:
            marks = [os.path.join(own, mark) for mark in MARKS]
            probes += marks
            if [mark for mark in marks if self.exists(mark)]:
                roots += [(os.path.join(own, "src"), ""), (own, "")]
                break
            own = os.path.dirname(own)
        known = self.units[folder] = (tuple(names), tuple(dict.fromkeys(roots)), tuple(probes))
        return known

    def lookup(self, scope: Scope, dotted: str) -> Found | None:
        """What a dotted name means in a file, as far as the project has it: one hop, re-exports are not followed."""
        if dotted not in scope.found:
            scope.found[dotted] = self.search(scope, dotted)
        found = scope.found[dotted]
        target = self.load(found[0]) if found is not None else None
        return Found(target, found[1]) if target is not None and found is not None else None

    def search(self, scope: Scope, dotted: str) -> tuple[str, str] | None:
        """The file and the name in it, if it is not the file itself that is meant."""
        unit = scope.unit
        parts = dotted.split(".")
        if unit is None or unit.is_outside(parts[0]) or not all(parts):
            return None
        step, probes = self.locate(dotted, unit.roots)
        self.ask(unit.path, probes)
        if step is None:
            return None
        if step.parts == len(parts) and step.parent:
            # `from package import name`: what __init__ calls so comes before a module of that name.
            around = self.load(step.parent)
            if around is not None and around is not scope and around.names(parts[-1], dotted):
                return step.parent, parts[-1]
        if len(parts) > step.parts + 1:
            return None
        return step.path, parts[step.parts] if len(parts) > step.parts else ""

    def locate(self, dotted: str, roots: tuple[tuple[str, str], ...]) -> tuple[Step | None, tuple[str, ...]]:
        """The module that a dotted name begins with, the longest one, and the paths that were asked for."""
        key = (roots, dotted)
        known = self.steps.get(key)
        if known is None:
            parts = dotted.split(".")
            probes: list[str] = []
            step = None
            for folder, only in roots:
                if not only or parts[0] == only:
                    step = self.walk(folder, parts, probes)
                    if step is not None:
                        break
            known = self.steps[key] = (step, tuple(probes))
        return known

    def walk(self, folder: str, parts: list[str], probes: list[str]) -> Step | None:
        step: Step | None = None
        parent = ""
        for number, part in enumerate(parts, 1):
            inner = os.path.join(folder, part)
            package, module = os.path.join(inner, "__init__.py"), f"{inner}.py"
            probes.append(package)
            if self.exists(package):
                step = Step(package, number, parent)
                parent = package
            else:
                probes.append(module)
                if self.exists(module):
                    return Step(module, number, parent)
                probes.append(inner)
                if not self.exists(inner):
                    return step
                parent = ""  # a folder without __init__
            folder = inner
        return step


def parse(source: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
