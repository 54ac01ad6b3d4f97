"""Results of earlier runs, by content. A cache that cannot be read or written is no error: files are checked again."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import inplace_guard
from inplace_guard.check.model import FileReport
from inplace_guard.findings import Finding, Site
from inplace_guard.problems import Problem

__all__ = ["FOLDER", "Cache"]

FOLDER = ".inplace_guard_cache"
_MOST_ENTRIES = 50_000
_OLDEST_DAYS = 30


class Cache:
    """The results for one version of the linter and one set of codes: one JSON file in `folder`."""

    def __init__(self, folder: Path, codes: Collection[str]) -> None:
        self.file = folder / f"{_fingerprint(codes)}.json"
        self._entries = _load(self.file)
        self._used: dict[str, Any] = {}
        self._changed = False

    @staticmethod
    def key(data: bytes, path: str) -> str:
        """Equal for files of equal content and kind, wherever they lie."""
        return hashlib.sha256(data + b"\0" + os.path.splitext(path)[1].encode("utf-8", "replace")).hexdigest()

    def get(self, key: str, path: str) -> FileReport | None:
        try:
            report = _from_json(self._entries[key], path)
        except (KeyError, TypeError, ValueError, AttributeError):
            return None
        self._used[key] = self._entries[key]
        return report

    def put(self, key: str, report: FileReport) -> None:
        self._entries[key] = self._used[key] = _to_json(report)
        self._changed = True

    def save(self) -> str | None:
        """Writes the file in one step. Returns a note for the user if that is not possible."""
        if not self._changed:
            return None
        entries = self._entries if len(self._entries) <= _MOST_ENTRIES else self._used
        folder = self.file.parent
        try:
            if not folder.exists():
                folder.mkdir(parents=True)
                (folder / ".gitignore").write_text("*\n")
                (folder / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n")
            handle, temporary = tempfile.mkstemp(dir=folder, prefix=".new-", suffix=".json")
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump({"files": entries}, file, separators=(",", ":"))
                os.replace(temporary, self.file)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)
                raise
            _remove_old(folder, keep=self.file)
        except OSError as error:
            return f"the cache {folder} cannot be written: {error.strerror or error}"
        return None


def _load(file: Path) -> dict[str, Any]:
    try:
        entries = json.loads(file.read_bytes())["files"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    return entries if isinstance(entries, dict) else {}


def _fingerprint(codes: Collection[str]) -> str:
    """Changes with the version, the linter's own files, the Python that parses, and the codes."""
    package = Path(inplace_guard.__file__).parent
    state: list[object] = [inplace_guard.__version__, sys.version_info[:3], sorted(codes)]
    for file in sorted(package.rglob("*")):
        if file.is_file() and file.suffix != ".pyc":
            stat = file.stat()
            state.append((file.relative_to(package).as_posix(), stat.st_size, stat.st_mtime_ns))
    return hashlib.sha256(repr(state).encode()).hexdigest()[:32]


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
        "notes": report.notes,
        "unfinished": report.unfinished,
        "suppressed": report.suppressed,
    }
    return {key: value for key, value in data.items() if value}


def _from_json(data: Mapping[str, Any], path: str) -> FileReport:
    return FileReport(
        path,
        [_move(Finding.from_json(item), "", path) for item in data.get("findings", ())],
        [Problem(path, *item) for item in data.get("problems", ())],
        [str(note) for note in data.get("notes", ())],
        [str(note) for note in data.get("unfinished", ())],
        int(data.get("suppressed", 0)),
        cached=True,
    )


def _move(finding: Finding, old: str, new: str) -> Finding:
    def site(one: Site | None) -> Site | None:
        return replace(one, path=new) if one is not None and one.path == old else one

    write = site(finding.write) or finding.write
    return replace(finding, write=write, saved=site(finding.saved), needed=site(finding.needed))
