"""Results of earlier runs, by content. A cache that cannot be read or written is no error: files are checked again."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import inplace_guard
from inplace_guard.analysis.project import News
from inplace_guard.check.dependencies import Dependencies
from inplace_guard.check.model import FileReport
from inplace_guard.check.writing import undisturbed
from inplace_guard.findings import Finding, Site
from inplace_guard.problems import Problem

__all__ = ["FOLDER", "Cache"]

FOLDER = ".inplace_guard_cache"
_MOST_ENTRIES = 50_000
_OLDEST_DAYS = 30


class Cache:
    """The results for one version of the linter, one set of codes, and one way to look for imports (`roots`; None if
    they are not followed): one JSON file in `folder`.

    An entry counts as long as the files that were read for it are as they were (`dependencies`).
    """

    def __init__(
        self, folder: Path, codes: Collection[str], base: Path | None = None, roots: Sequence[str] | None = None
    ) -> None:
        self._base = os.path.abspath(base or folder.parent)
        self._crosses = roots is not None
        near = None if roots is None else [self._relative(root) for root in roots]
        self.file = folder / f"{_fingerprint(codes, near)}.json"
        entries, files = _load(self.file)
        self._files = Dependencies(self._base, files)
        self._entries = {key: entry for key, entry in entries.items() if _is_whole(entry, self._files)}
        self._used: dict[str, Any] = {}
        self._changed = False

    def key(self, data: bytes, path: str) -> str:
        """Equal for files of equal content and kind, wherever they lie; if imports are followed, in one folder (and
        called so in the same way, for findings name other files)."""
        folder, kind = os.path.dirname(path), os.path.splitext(path)[1]
        if self._crosses:
            kind += f"\0{folder}\0{self._relative(os.path.abspath(folder))}"
        return hashlib.sha256(data + b"\0" + kind.encode("utf-8", "replace")).hexdigest()

    def get(self, key: str, path: str) -> FileReport | None:
        try:
            entry = self._entries[key]
            if not self._files.hold(entry.get("needs", ())):
                return None
            report = _from_json(entry, path)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            return None
        self._used[key] = self._entries[key]
        return report

    def put(self, key: str, report: FileReport) -> None:
        entry = _to_json(report)
        if self._crosses:
            entry["needs"] = self._files.asked(os.path.abspath(report.path))
        self._entries[key] = self._used[key] = entry
        self._changed = True

    def _relative(self, path: str) -> str:
        try:
            return os.path.relpath(path, self._base)
        except ValueError:  # on another drive
            return path

    def learn(self, news: News) -> None:
        """What was found out on the way: the results that follow may depend on it."""
        self._files.learn(news)

    def save(self) -> str | None:
        """Writes the file in one step. Returns a note for the user if that is not possible."""
        if not self._changed:
            return None
        entries = self._entries if len(self._entries) <= _MOST_ENTRIES else self._used
        folder = self.file.parent
        try:
            if not folder.exists():
                folder.mkdir(parents=True, exist_ok=True)
                (folder / ".gitignore").write_text("*\n")
                (folder / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n")
            text = json.dumps(_compact(entries, self._files), separators=(",", ":"))
            with undisturbed():
                handle, temporary = tempfile.mkstemp(dir=folder, prefix=".new-", suffix=".json")
                try:
                    with os.fdopen(handle, "w", encoding="utf-8") as file:
                        file.write(text)
                    os.replace(temporary, self.file)
                except BaseException:
                    with contextlib.suppress(OSError):
                        os.unlink(temporary)
                    raise
            _remove_old(folder, keep=self.file)
        except OSError as error:
            return f"the cache {folder} cannot be written: {error.strerror or error}"
        return None


def _load(file: Path) -> tuple[dict[str, Any], Any]:
    try:
        data = json.loads(file.read_bytes())
        entries, files = data["files"], data["needs"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}, []
    return (entries, files) if isinstance(entries, dict) else ({}, [])


def _is_whole(entry: object, files: Dependencies) -> bool:
    return isinstance(entry, dict) and isinstance(needs := entry.get("needs", []), list) and files.knows(needs)


def _fingerprint(codes: Collection[str], roots: Sequence[str] | None) -> str:
    """Changes with the version, the linter's own files, the Python that parses, the codes, and where imports lead."""
    package = Path(inplace_guard.__file__).parent
    state: list[object] = [inplace_guard.__version__, sys.version_info[:3], sorted(codes), roots]
    for file in sorted(package.rglob("*")):
        if file.is_file() and file.suffix != ".pyc":
            stat = file.stat()
            state.append((file.relative_to(package).as_posix(), stat.st_size, stat.st_mtime_ns))
    return hashlib.sha256(repr(state).encode()).hexdigest()[:32]


def _compact(entries: Mapping[str, Any], files: Dependencies) -> dict[str, Any]:
    """What is written: of the files that were read, only those that some entry still needs."""
    listed, numbers = files.to_json(number for entry in entries.values() for number in entry.get("needs", ()))
    written = {
        key: {**entry, "needs": [numbers[number] for number in entry["needs"]]} if "needs" in entry else entry
        for key, entry in entries.items()
    }
    return {"needs": listed, "files": written}


def _remove_old(folder: Path, keep: Path) -> None:
    oldest = time.time() - _OLDEST_DAYS * 86400
    for file in folder.glob("*.json"):
        if file != keep and file.stat().st_mtime < oldest:
            file.unlink(missing_ok=True)


def _to_json(report: FileReport) -> dict[str, Any]:
    here = report.path
    data = {
        "findings": [_move(finding, here, "").to_json() for finding in report.findings],
        "problems": [(p.message, p.line, p.column, p.cell) for p in report.problems],
        "skipped": report.skipped,
        "unfinished": report.unfinished,
        "suppressed": report.suppressed,
    }
    return {key: value for key, value in data.items() if value}


def _from_json(data: Mapping[str, Any], path: str) -> FileReport:
    return FileReport(
        path,
        [_move(Finding.from_json(item), "", path) for item in data.get("findings", ())],
        [Problem(path, *item) for item in data.get("problems", ())],
        str(data.get("skipped", "")),
        [str(note) for note in data.get("unfinished", ())],
        int(data.get("suppressed", 0)),
        cached=True,
    )


def _move(finding: Finding, old: str, new: str) -> Finding:
    def site(one: Site | None) -> Site | None:
        return replace(one, path=new) if one is not None and one.path == old else one

    write = site(finding.write) or finding.write
    return replace(finding, write=write, saved=site(finding.saved), needed=site(finding.needed))
