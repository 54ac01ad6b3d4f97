"""Arguments of the command line -> the files to check, without those that .gitignore files and settings leave out."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pathspec import GitIgnoreSpec

from inplace_guard.config import Settings
from inplace_guard.problems import Problem

__all__ = ["Discovery", "discover", "is_excluded", "per_file_ignores"]

SUFFIXES = (".py", ".ipynb")


@dataclass(slots=True)
class Discovery:
    """`files` are as the user would write them: relative where the argument was relative. `links` are those of them
    that were met in a folder as links: what these point to was not named, and is not to be written."""

    files: list[Path] = field(default_factory=list)
    links: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Patterns:
    """One set of .gitignore patterns, the folder that they are relative to, and what they come from."""

    folder: str
    spec: GitIgnoreSpec
    origin: str

    def decide(self, path: str, is_folder: bool) -> bool | None:
        """True: ignored. False: a `!` pattern takes it back. None: no pattern matches, or `path` is elsewhere."""
        start = self.folder.rstrip(os.sep) + os.sep
        if not path.startswith(start):
            return None
        relative = path[len(start) :]
        return self.spec.check_file(relative + "/" if is_folder else relative).include


def discover(paths: Sequence[str], settings: Settings) -> Discovery:
    """Folders are walked in sorted order; a file that is named is taken whatever its suffix. Each file is taken once,
    and by its own name or the one that was given if there is a link to it besides."""
    found = Discovery()
    excluded = _excluded(settings)
    candidates: list[tuple[str, str, bool]] = []
    for argument in paths:
        try:
            os.stat(argument)
        except (OSError, ValueError) as error:
            found.problems.append(Problem(argument, _why_not(argument, error)))
            continue
        if not os.path.isdir(argument) and not os.path.isfile(argument):
            found.problems.append(Problem(argument, "is neither a file nor a folder; - reads standard input"))
            continue
        is_excluded = _is_excluded(os.path.realpath(argument), excluded)
        if is_excluded and settings.force_exclude:
            found.notes.append(f"{argument}: excluded by {excluded.origin}")
            continue
        if os.path.isdir(argument):
            real = os.path.realpath(argument)
            # what is named is checked; the excluded names hold below it all the same, and outside of the root too
            rebased = is_excluded or not real.startswith(excluded.folder)
            patterns = replace(excluded, folder=real) if rebased else excluded
            for name in _walk(argument, real, patterns, settings, found):
                candidates.append((name, os.path.realpath(name), os.path.islink(name)))
        else:
            candidates.append((argument, os.path.realpath(argument), False))
    seen = {real for _, real, is_link in candidates if not is_link}
    taken: set[str] = set()
    for name, real, is_link in candidates:
        if real not in taken and not (is_link and real in seen):
            taken.add(real)
            found.files.append(Path(name))
            if is_link:
                found.links.add(str(Path(name)))
    return found


def is_excluded(path: str, settings: Settings) -> bool:
    """Whether the exclude setting leaves out a path that is named."""
    return _is_excluded(os.path.realpath(path), _excluded(settings))


def per_file_ignores(path: Path, settings: Settings) -> tuple[str, ...]:
    """The prefixes of codes that the settings ignore in this file."""
    if not settings.per_file_ignores:
        return ()
    ignored: list[str] = []
    root = os.path.realpath(settings.root)
    for pattern, codes in settings.per_file_ignores.items():
        if _Patterns(root, GitIgnoreSpec.from_lines([pattern]), "").decide(os.path.realpath(path), False):
            ignored += codes
    return tuple(ignored)


def _excluded(settings: Settings) -> _Patterns:
    spec = GitIgnoreSpec.from_lines(settings.exclude)
    return _Patterns(os.path.realpath(settings.root), spec, "the exclude setting")


def _is_excluded(path: str, excluded: _Patterns) -> bool:
    """Whether the exclude setting matches the path or a folder that it is in."""
    while True:
        if excluded.decide(path, os.path.isdir(path)):
            return True
        parent = os.path.dirname(path)
        if parent in (path, excluded.folder):
            return False
        path = parent


def _walk(top: str, real: str, excluded: _Patterns, settings: Settings, found: Discovery) -> Iterator[str]:
    inherited = _inherited(real) if settings.respect_gitignore else []
    yield from _walk_folder(os.path.normpath(top), real, inherited, excluded, settings, found)


def _walk_folder(
    shown: str, real: str, ignores: list[_Patterns], excluded: _Patterns, settings: Settings, found: Discovery
) -> Iterator[str]:
    try:
        entries = sorted(os.scandir(real), key=lambda entry: entry.name)
    except OSError as error:
        found.problems.append(Problem(shown, f"folder cannot be read: {error.strerror or error}"))
        return
    if settings.respect_gitignore and any(entry.name == ".gitignore" for entry in entries):
        ignores = [*ignores, *_read_patterns(os.path.join(real, ".gitignore"), real)]
    for entry in entries:
        name = entry.name if shown == "." else os.path.join(shown, entry.name)
        is_folder = entry.is_dir(follow_symlinks=False)
        if not is_folder and not entry.name.endswith(SUFFIXES):
            continue
        if reason := _left_out(entry.path, is_folder, ignores, excluded):
            found.notes.append(f"{name}: {reason}")
        elif is_folder:
            yield from _walk_folder(name, entry.path, ignores, excluded, settings, found)
        elif os.path.isfile(entry.path):  # unlike entry.is_file(), it does not raise on links that go in a circle
            yield name
        elif entry.is_symlink() and not os.path.exists(entry.path):
            found.problems.append(Problem(name, "is a broken link; remove it or exclude it"))


def _left_out(path: str, is_folder: bool, ignores: list[_Patterns], excluded: _Patterns) -> str | None:
    if excluded.decide(path, is_folder):
        return f"excluded by {excluded.origin}"
    for patterns in reversed(ignores):  # the nearest .gitignore that says anything decides
        verdict = patterns.decide(path, is_folder)
        if verdict is not None:
            return f"ignored by {patterns.origin}" if verdict else None
    return None


def _inherited(real: str) -> list[_Patterns]:
    """The patterns of the repository's folders above; none if they ignore the folder itself: it was asked for."""
    above: list[str] = []
    folder = real
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return []
        above.append(parent)
        folder = parent
    patterns = _read_patterns(os.path.join(folder, ".git", "info", "exclude"), folder)
    for parent in reversed(above):
        patterns += _read_patterns(os.path.join(parent, ".gitignore"), parent)
    path = real
    while path != folder:
        if any(one.decide(path, True) for one in patterns):
            return []
        path = os.path.dirname(path)
    return patterns


def _read_patterns(path: str, folder: str) -> list[_Patterns]:
    """A line that is no pattern matches nothing, as for git."""
    try:
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return []
    try:
        spec = GitIgnoreSpec.from_lines(lines)
    except ValueError:
        spec = GitIgnoreSpec.from_lines(line for line in lines if _is_pattern(line))
    return [_Patterns(folder, spec, path)]


def _is_pattern(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _why_not(argument: str, error: Exception) -> str:
    if isinstance(error, FileNotFoundError | NotADirectoryError | ValueError) or not isinstance(error, OSError):
        hint = "it is a broken link" if os.path.islink(argument) else "check the spelling"
        return f"no such file or folder; {hint}"
    return f"cannot be read: {error.strerror or error}"
