"""Paths of another machine -> files here, and the files that those import."""

from __future__ import annotations

import ast
import difflib
import os
import re
import sys
import tokenize
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from inplace_guard.analysis.project import Project
from inplace_guard.analysis.scope import Scope
from inplace_guard.analysis.tape import Place
from inplace_guard.diagnose import notebooks
from inplace_guard.diagnose.frames import Frame

__all__ = ["Module", "Sources", "is_own", "is_plumbing"]

_SKIPPED = frozenset({"__pycache__", "node_modules", "site-packages", "venv", "build", "dist"})
_INSTALLED = re.compile(r"(?:^|/)(?:site-packages|dist-packages)/(.+)")
# PyTorch's own code, Python's library, and what is no file.
_PLUMBING = re.compile(
    r"/(?:site-packages|dist-packages)/torch/|(?:^|/)torch/(?:_?tensor\.py|nn/|autograd/|optim/|utils/|_\w+/|amp/)"
    r"|(?:^|/)[Ll]ib/python3\.\d+/(?!site-packages|dist-packages)|^<"
)
_MOST_BOOKS = 200
_MOST_FILES = 20_000  # that a search of the folder looks at
_MOST_MODULES = 120  # that are analysed
_MOST_CHARACTERS = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Module:
    """A file that could be read and parsed. `shown` is how reports call it."""

    shown: str
    path: Path
    scope: Scope
    book: notebooks.Book | None = None

    @property
    def lines(self) -> list[str]:
        return self.scope.lines

    @property
    def installed(self) -> bool:
        """A file of a library, not of the program."""
        return _INSTALLED.search(self.path.as_posix()) is not None

    def file_of(self, place: Place) -> str:
        """The path of a place that was met while this module was analysed."""
        return place.file.unit.path if place.file is not None and place.file.unit is not None else str(self.path)


class Sources:
    """The files below `root`, read once. `unknown`: paths of the log for which there is no file, or more than one."""

    def __init__(self, root: Path, frames: Iterable[Frame] = ()) -> None:
        self.root = root
        self._frames: dict[str, list[Frame]] = {}  # of the log, by path; those that show their code
        for frame in frames:
            if frame.source:
                self._frames.setdefault(frame.path.replace("\\", "/"), []).append(frame)
        self.unknown: dict[str, str] = {}
        self._project = Project([str(root), str(root / "src")])
        self._below: dict[str, list[Path]] | None = None
        self._found: dict[str, Path | None] = {}
        self._modules: dict[Path, Module | None] = {}

    def of_frame(self, frame: Frame) -> tuple[Module, int] | None:
        """The module of a frame, and the line there: moved, if the code of the log now stands elsewhere nearby."""
        path = self.local(frame.path)
        if path is None:
            return None
        module = self.load(path)
        if module is None:
            self.unknown[frame.path.replace("\\", "/")] = f"{self.shown(path)} cannot be read as Python"
            return None
        line = _line_now(module, frame) if module.book is None else module.book.line(frame)
        if line is None:
            self.unknown[frame.path.replace("\\", "/")] = (
                f"line {frame.line} of {module.shown} is not that of the log: it was changed since, or is another file"
            )
        return module, line or 0

    def local(self, path: str) -> Path | None:
        key = path.replace("\\", "/")
        if key not in self._found:
            self._found[key] = self._search_notebook(key) if notebooks.is_cell(key) else self._search(key)
        return self._found[key]

    def load(self, path: Path) -> Module | None:
        if path not in self._modules:
            self._modules[path] = self._parse(path)
        return self._modules[path]

    def all(self) -> list[Module]:
        """Everything below the root, if the log names no file of it."""
        paths = sorted({path for found in self._files().values() for path in found})
        return [module for path in paths[:_MOST_MODULES] if (module := self.load(path)) is not None]

    def with_imports(self, first: Sequence[Module]) -> list[Module]:
        """These modules and what they import from below the root, nearest first."""
        found = {module.path: module for module in first}
        todo = deque(first)
        size = 0
        while todo and len(found) < _MOST_MODULES and size < _MOST_CHARACTERS:
            module = todo.popleft()
            size += len(module.scope.source)
            if module.installed:  # a library is large; what of it matters is in the traceback
                continue
            for name in _imports(module):
                for path in self._of_import(name, module):
                    other = self.load(path) if path not in found else None
                    if other is not None:
                        found[path] = other
                        todo.append(other)
        return list(found.values())

    def shown(self, path: Path) -> str:
        try:
            return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)
        except (OSError, ValueError):
            return str(path)

    def _search(self, path: str) -> Path | None:
        for folder in (self.root, Path.cwd()):
            direct = folder / path
            if direct.is_file():
                return direct.resolve()
        frames = self._frames.get(path, [])
        if installed := _INSTALLED.search(path):
            found = next((found for entry in sys.path if (found := Path(entry) / installed[1]).is_file()), None)
            if found is not None and frames and not self._likeness(found, frames):
                self.unknown[path] = "another version of the package is installed here"
                return None
            return found
        parts = [part for part in path.split("/") if part not in ("", ".", "..")]
        candidates = self._files().get(parts[-1], []) if parts else []
        best: list[Path] = []
        longest = 0
        for candidate in candidates:
            length = _common_end(parts, candidate.parts)
            if length > longest:
                best, longest = [candidate], length
            elif length == longest:
                best.append(candidate)
        if frames and (len(best) > 1 or longest == 1):  # the name alone says little
            alike = [(self._likeness(one, frames), one) for one in best]
            most = max((likeness for likeness, _ in alike), default=0)
            best = [one for likeness, one in alike if likeness == most > 0]
        if len(best) == 1:
            return best[0]
        what = f"{len(best)} files could be it" if best else "no such file, or none with the code of the log,"
        if 1 < len(best) <= 3:
            what += f" ({', '.join(self.shown(one) for one in best)})"
        self.unknown[path] = f"{what} below {self.root} (--root names the folder of the program)"
        return None

    def _search_notebook(self, key: str) -> Path | None:
        """All cells of a log are of one notebook."""
        cells = [frame for path, frames in self._frames.items() if notebooks.is_cell(path) for frame in frames]
        paths = sorted(path for name, found in self._files().items() if name.endswith(".ipynb") for path in found)
        books = ((path, book) for path in paths[:_MOST_BOOKS] if (book := notebooks.load(path)) is not None)
        found = notebooks.which(books, cells)
        if found is None:
            self.unknown[key] = f"no notebook with this code below {self.root} (--root names its folder)"
        return found

    def _likeness(self, path: Path, frames: Sequence[Frame]) -> float:
        """How many of the lines that the log shows are in a file; 0.5 if it cannot be read."""
        module = self.load(path)
        if module is None:
            return 0.5
        lines = {_plain(line) for line in module.lines}
        same = sum(_plain(frame.source) in lines for frame in frames) + sum(
            _has_line(module, frame) for frame in frames
        )
        return same or 0.5 * sum(_close(module, frame) != [] for frame in frames)

    def _parse(self, path: Path) -> Module | None:
        book = notebooks.load(path) if path.suffix == ".ipynb" else None
        try:
            if book is not None:
                text = book.cells.source
            else:
                with tokenize.open(path) as file:
                    text = file.read()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(text)
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        return Module(self.shown(path), path, self._project.home(tree, text, str(path)), book)

    def _files(self) -> dict[str, list[Path]]:
        if self._below is None:
            self._below = {}
            count = 0
            for folder, folders, names in os.walk(self.root):
                folders[:] = sorted(one for one in folders if not one.startswith(".") and one not in _SKIPPED)
                for name in names:
                    if name.endswith((".py", ".ipynb")):
                        self._below.setdefault(name, []).append(Path(folder, name).resolve())
                count += len(names)
                if count > _MOST_FILES:
                    break
        return self._below

    def _of_import(self, name: str, module: Module) -> Iterator[Path]:
        """Files that this import may mean: relative to the module, or to a folder above it."""
        dots = len(name) - len(name.lstrip("."))
        parts = [part for part in name.split(".") if part]
        if dots:
            folders = [module.path.parents[min(dots, len(module.path.parents)) - 1]]
        else:
            root = self.root.resolve()
            folders = [folder for folder in module.path.parents if folder.is_relative_to(root)]
            folders += [root / "src"]
        for folder in folders:
            for length in (len(parts), len(parts) - 1):  # `from a.b import c`: c is a module or a name of a.b
                base = folder.joinpath(*parts[:length])
                for path in (base.with_suffix(".py"), base / "__init__.py"):
                    if length > 0 and path.is_file():
                        yield path.resolve()
                        break


def is_plumbing(frame: Frame) -> bool:
    """Whether a frame is not where a user looks: PyTorch itself, Python's library."""
    path = frame.path.replace("\\", "/")
    return _PLUMBING.search(path) is not None and not notebooks.is_cell(path)


def is_own(frame: Frame) -> bool:
    """Whether a frame is of the program, and not of a library."""
    return not is_plumbing(frame) and _INSTALLED.search(frame.path.replace("\\", "/")) is None


def _imports(module: Module) -> Iterator[str]:
    for node in ast.walk(module.scope.tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = "." * node.level + (node.module or "")
            yield from (f"{start}.{alias.name}" if node.module else f"{start}{alias.name}" for alias in node.names)


def _common_end(a: Sequence[str], b: Sequence[str]) -> int:
    length = 0
    for x, y in zip(reversed(a), reversed(b), strict=False):
        if x != y:
            break
        length += 1
    return length


def _plain(code: str) -> str:
    """A line without what a formatter or a comment changes."""
    return re.sub(r"\s#.*|[\s,]", "", code).replace("'", '"')


def _has_line(module: Module, frame: Frame) -> bool:
    return 0 < frame.line <= len(module.lines) and _plain(module.lines[frame.line - 1]) == _plain(frame.source)


def _close(module: Module, frame: Frame) -> list[int]:
    """Lines that may be that of the frame, changed since."""
    close = difflib.get_close_matches(frame.source, {line.strip() for line in module.lines}, cutoff=0.8)
    return [number for number, line in enumerate(module.lines, 1) if close and line.strip() == close[0]]


def _line_now(module: Module, frame: Frame) -> int | None:
    if not frame.source or _has_line(module, frame):
        return frame.line
    plain = _plain(frame.source)
    same = [number for number, line in enumerate(module.lines, 1) if _plain(line) == plain]
    return min(same or _close(module, frame), key=lambda number: abs(number - frame.line), default=None)
