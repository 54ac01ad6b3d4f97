"""Jupyter notebooks: the code cells as one source text, and where each line of it came from."""

from __future__ import annotations

import ast
import bisect
import json
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from inplace_guard.check.reading import Unreadable, parse_error
from inplace_guard.findings import Finding, Site

__all__ = ["Notebook", "read"]

# Cell magics whose body is Python that runs in the notebook's own namespace.
_PYTHON_CELL_MAGICS = {"capture", "prun", "time", "timeit", "python", "python3", "debug"}
_LINE_MAGIC = re.compile(r"^(\s*)(?:[%!].*|\?.*|[\w.]+\?{1,2}\s*)$")
# `%time loss.backward()` runs the statement.
_TIMED = re.compile(r"^(\s*)(%time(?:it)?(?:\s+-\w+(?:\s+\d+)?)*\s+)(?=[^\s\-])(.*)$")
_LINE = re.compile(r"(?<!, )\bline (\d+)\b(?! of )")
_ASSIGNED_MAGIC = re.compile(r"^(\s*[\w.,\s\[\]]+=\s*)[%!].*$")


@dataclass(slots=True)
class Notebook:
    """`source` is all code cells, each ending in a line end; `starts[i]` is the first line of cell `numbers[i]`."""

    source: str = ""
    starts: list[int] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    failures: list[tuple[int, Unreadable]] = field(default_factory=list)
    language: str = "python"
    cells: list[list[str]] = field(default_factory=list)  # their lines as they stand, magics and all

    def locate(self, finding: Finding, path: str) -> Finding:
        """The finding with its sites in cells instead of in `source`."""
        return replace(
            finding,
            message=self._in_cells(finding.message),
            details=tuple(self._in_cells(detail) for detail in finding.details),
            write=self._site(finding.write, path),
            saved=finding.saved and self._site(finding.saved, path),
            needed=finding.needed and self._site(finding.needed, path),
        )

    def _in_cells(self, text: str) -> str:
        """A message names lines of `source`, which nobody sees. (Those of other files are `line 3 of path`.)"""

        def place(match: re.Match[str]) -> str:
            line = int(match[1])
            index = bisect.bisect_right(self.starts, line) - 1
            return match[0] if index < 0 else f"line {line - self.starts[index] + 1} of cell {self.numbers[index]}"

        return _LINE.sub(place, text)

    def _site(self, site: Site, path: str) -> Site:
        index = bisect.bisect_right(self.starts, site.line) - 1
        if site.path != path or index < 0:
            return site
        line = site.line - self.starts[index]
        quoted = self.cells[index][line].strip() if line < len(self.cells[index]) else site.source
        return replace(site, line=line + 1, cell=self.numbers[index], source=quoted)


def read(data: bytes) -> Notebook:
    """Raises Unreadable if this is no notebook. A cell that does not parse is left empty, and named in `failures`."""
    try:
        document = json.loads(data.decode("utf-8-sig"))
        cells = list(_code_cells(document))
    except (LookupError, TypeError, AttributeError):
        raise _invalid("it has no list of cells with their source") from None
    except (ValueError, RecursionError) as error:
        raise _invalid(" ".join(str(error).split())) from None
    notebook = Notebook(language=_language(document))
    if notebook.language != "python":
        return notebook
    line, parts = 1, []
    for number, text in cells:
        code, failure = _python(text)
        if failure is not None:
            notebook.failures.append((number, failure))
        notebook.starts.append(line)
        notebook.numbers.append(number)
        notebook.cells.append(text.split("\n"))
        parts.append(code)
        line += code.count("\n")
    notebook.source = "".join(parts)
    return notebook


def _invalid(reason: str) -> Unreadable:
    return Unreadable(f"is not a valid notebook ({reason}); open it in Jupyter and save it again")


def _code_cells(document: Any) -> Iterator[tuple[int, str]]:
    cells = document["cells"] if "cells" in document else document["worksheets"][0]["cells"]
    for number, cell in enumerate(cells, 1):
        if cell["cell_type"] == "code":
            source = cell["source"] if "source" in cell else cell["input"]
            text = source if isinstance(source, str) else "".join(source)
            yield number, text.replace("\r\n", "\n").replace("\r", "\n")


def _language(document: Any) -> str:
    metadata = document.get("metadata") or {}
    for section, key in (("language_info", "name"), ("kernelspec", "language")):
        name = (metadata.get(section) or {}).get(key)
        if isinstance(name, str):
            return "python" if name.lower() in ("python", "ipython") else name
    return "python"


def _python(text: str) -> tuple[str, Unreadable | None]:
    """The cell as Python with as many lines as it had, and why it could not be parsed."""
    text = text.rstrip("\n") + "\n"
    if (error := _parse(text)) is None:
        return text, None
    lines = text.split("\n")[:-1]
    if lines[0].startswith("%%"):
        if lines[0][2:].split(maxsplit=1)[:1] not in ([name] for name in _PYTHON_CELL_MAGICS):
            return "\n" * len(lines), None
        lines[0] = ""
    code = "\n".join(_without_magics(lines)) + "\n"
    if _parse(code) is None:
        return code, None
    return "\n" * len(lines), parse_error(error)


def _without_magics(lines: list[str]) -> Iterator[str]:
    continued = False
    for line in lines:
        if continued:
            continued = line.endswith("\\")
            yield ""
        elif (match := _TIMED.match(line)) and _parse(match[3]) is None:
            yield f"{match[1]}{'if 1: ':<{len(match[2])}}{match[3]}"  # in the same column
        elif match := _LINE_MAGIC.match(line):
            continued = line.endswith("\\")
            yield f"{match[1]}pass"
        elif match := _ASSIGNED_MAGIC.match(line):
            continued = line.endswith("\\")
            yield f"{match[1]}None"
        else:
            yield line


def _parse(text: str) -> Exception | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return error
    return None
