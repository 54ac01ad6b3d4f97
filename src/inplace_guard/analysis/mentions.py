"""Whether a file has to do with torch: it names it, or imports files of its project that do. By text alone: most files
that do not name it have nothing to do with it, and are not worth parsing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from inplace_guard.analysis.project import Project, Unit

__all__ = ["leads_to_torch"]

_MOST_FILES = 1000  # that are read to find out for one file
_COMMENT = re.compile(r"#.*|\\\n")
# Those in strings are found too; that does no harm.
_FROM = re.compile(r"\bfrom[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n;]*)")
_IMPORT = re.compile(r"(?:^|[;:])[ \t]*import[ \t]+([^\n;]+)", re.MULTILINE)
_WORD = re.compile(r"[\w*]+")


def leads_to_torch(source: str, path: str, project: Project) -> bool:
    """Whether what the file imports from the project mentions torch, itself or through further imports."""
    path = os.path.abspath(path)
    todo = list(_imported(source, path, project))
    seen = {path, *todo}
    while todo and len(seen) <= _MOST_FILES:
        mentions, imported = _known(todo.pop(), project)
        if mentions:
            return True
        new = [path for path in imported if path not in seen]
        todo += new
        seen.update(new)
    return False


def _known(path: str, project: Project) -> tuple[bool, tuple[str, ...]]:
    """Whether a file mentions torch; if it does not, the files that it imports."""
    if path not in project.leads:
        source = project.read(path) or ""
        mentions = "torch" in source
        project.leads[path] = mentions, () if mentions else tuple(_imported(source, path, project))
    return project.leads[path]


def _imported(source: str, path: str, project: Project) -> dict[str, None]:
    package, roots, asked = project.unit(os.path.dirname(path))
    unit = Unit(path, package, roots)
    files: dict[str, None] = {}
    for name in dict.fromkeys(_names(source)):
        dotted = unit.absolute(name)
        top = dotted.partition(".")[0]
        if not top or unit.is_outside(top):
            continue
        step, probes = project.locate(dotted, roots)
        asked += probes
        if step is not None:
            files.update(dict.fromkeys((step.path, step.parent) if step.parent else (step.path,)))
    project.ask(path, asked)
    return files


def _names(source: str) -> Iterator[str]:
    """The dotted names that import statements name, relative ones with their dots."""
    if "import" not in source:
        return
    text = _COMMENT.sub("", source)
    for match in _FROM.finditer(text):
        module = match[1]
        for part in match[2].strip("()").split(","):
            if word := _WORD.search(part):
                yield module if word[0] == "*" else f"{module}{'' if module.endswith('.') else '.'}{word[0]}"
    for match in _IMPORT.finditer(text):
        for part in match[1].split(","):
            if part.strip():
                yield part.split()[0]
