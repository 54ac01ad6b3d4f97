"""Settings of `inplace-guard check`: `[tool.inplace_guard]` in pyproject.toml, overridden by the command line."""

from __future__ import annotations

import difflib
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pathspec import GitIgnoreSpec

from inplace_guard import rules
from inplace_guard.problems import printable

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = [
    "DEFAULT_EXCLUDE",
    "FORMATS",
    "ConfigError",
    "Settings",
    "check_patterns",
    "find_config",
    "load",
    "parse_selectors",
]

FORMATS = ("text", "concise", "json", "sarif", "github", "gitlab")

DEFAULT_EXCLUDE = (
    ".bzr",
    ".eggs",
    ".git",
    ".hg",
    ".inplace_guard_cache",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pytest_cache",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    "__pycache__",
    "__pypackages__",
    "*.egg",
    "*.egg-info",
    "build",
    "dist",
    "node_modules",
    "site-packages",
    "venv",
)


class ConfigError(Exception):
    """A setting that cannot be used; the text is one line for the user."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What `check` obeys. Patterns are those of .gitignore files, relative to `root`; `roots` are folders in which
    imports are looked for, beside those that a file's place tells: the arguments of the command line."""

    root: Path = field(default_factory=Path.cwd)
    config_file: Path | None = None
    select: tuple[str, ...] = ("IPG",)
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    respect_gitignore: bool = True
    force_exclude: bool = False
    format: str = "text"
    jobs: int = 0
    cache: bool = True
    cache_dir: Path | None = None
    cross_file: bool = True
    roots: tuple[str, ...] = ()

    @property
    def codes(self) -> frozenset[str]:
        """The rules to report that source code alone can show."""
        return frozenset(code for code in rules.resolve(self.select, self.ignore) if rules.CATALOGUE[code].static)

    def with_options(
        self,
        *,
        select: Iterable[str] | None = None,
        extend_select: Iterable[str] | None = None,
        ignore: Iterable[str] | None = None,
        exclude: Iterable[str] | None = None,
        extend_exclude: Iterable[str] | None = None,
        **simple: Any,
    ) -> Settings:
        """A copy with the options that are not None; `extend_…` adds to a list, the others replace."""
        changes = {key: value for key, value in simple.items() if value is not None}
        if select is not None:
            changes["select"] = parse_selectors(select)
        if extend_select is not None:
            changes["select"] = (*changes.get("select", self.select), *parse_selectors(extend_select))
        if ignore is not None:
            changes["ignore"] = parse_selectors(ignore)
        if exclude is not None:
            changes["exclude"] = check_patterns(exclude)
        if extend_exclude is not None:
            changes["exclude"] = (*changes.get("exclude", self.exclude), *check_patterns(extend_exclude))
        return replace(self, **changes)


def parse_selectors(values: Iterable[str]) -> tuple[str, ...]:
    """Codes, prefixes of codes and rule names, as prefixes of codes. Raises ConfigError on one that fits no rule."""
    selectors = []
    names = {rule.name: rule.code for rule in rules.CATALOGUE.values()}
    for text in values:
        value = text.strip()
        if value.lower() in names:
            selectors.append(names[value.lower()])
        elif value and any(code.startswith(value.upper()) for code in rules.CATALOGUE):
            selectors.append(value.upper())
        else:
            raise ConfigError(f"{value!r} is no rule or family of rules{_nearest(value, [*rules.CATALOGUE, *names])}")
    return tuple(selectors)


Tell = Callable[[str], object]


def find_config(start: Path, tell: Tell = str) -> Path | None:
    """The nearest pyproject.toml at or above `start` that has a [tool.inplace_guard] table. `tell` is given a line for
    each table on the way whose name looks like a slip of the pen."""
    for folder in (start, *start.parents):
        candidate = folder / "pyproject.toml"
        if os.path.isfile(candidate) and _table(candidate, tell) is not None:
            return candidate
    return None


def load(path: Path, tell: Tell = str) -> Settings:
    """The settings that a pyproject.toml gives. Raises ConfigError, with the file and the key in its text."""
    table = _table(path, tell)
    settings = Settings(root=path.resolve().parent, config_file=path)
    if table is None:
        raise ConfigError(f"{path}: has no [tool.inplace_guard] table")
    options: dict[str, Any] = {}
    for key, value in table.items():
        read = _KEYS.get(key.replace("_", "-"))
        if read is None:
            raise ConfigError(f"{path}: [tool.inplace_guard]: unknown key {key!r}{_nearest(key, _KEYS)}")
        if key.replace("-", "_") in options:
            raise ConfigError(f"{path}: [tool.inplace_guard]: {key}: is given twice, with dashes and with underscores")
        try:
            options[key.replace("-", "_")] = read(value)
        except ConfigError as error:
            raise ConfigError(f"{path}: [tool.inplace_guard]: {key}: {error}") from None
    if "cache_dir" in options:
        options["cache_dir"] = settings.root / options["cache_dir"]
    return settings.with_options(**options)


def _table(path: Path, tell: Tell) -> Mapping[str, Any] | None:
    try:
        data = tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from None
    tool = data.get("tool")
    for prefix, tables in (("tool.", tool if isinstance(tool, dict) else {}), ("", data)):
        for name in tables:
            letters = re.sub(r"[\W_]", "", name.lower())
            if prefix + name == "tool.inplace_guard" or not _is_slip(letters, "inplaceguard"):
                continue
            shown = f"{printable(str(path))}: [{prefix}{printable(name)}]"
            if prefix and letters == "inplaceguard":
                raise ConfigError(f"{shown}: the table is called [tool.inplace_guard], with an underscore")
            tell(f"{shown} is not read; is [tool.inplace_guard] meant?")
    table = tool.get("inplace_guard") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigError(f"{path}: tool.inplace_guard must be a table")
    return table


def _is_slip(word: str, right: str) -> bool:
    """Whether one word is the other, but for one letter more, less or other, or two neighbours that changed places.
    Any wider measure would take other words for slips."""
    for _ in range(2):  # what they share at the start, then at the end
        least = min(len(word), len(right))
        shared = next((at for at in range(least) if word[at] != right[at]), least)
        word, right = word[shared:][::-1], right[shared:][::-1]
    return max(len(word), len(right)) <= 1 or (len(word) == len(right) == 2 and word == right[::-1])


def _nearest(word: str, known: Iterable[str]) -> str:
    choices = {choice.lower(): choice for choice in known}
    close = difflib.get_close_matches(word.lower().replace("_", "-"), choices, n=1, cutoff=0.5)
    return f"; did you mean {choices[close[0]]!r}?" if close else ""


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigError("must be a list of strings")
    return tuple(value)


def check_patterns(patterns: Iterable[str]) -> tuple[str, ...]:
    """The patterns, if they are ones that .gitignore files may have. Raises ConfigError."""
    patterns = tuple(patterns)
    for pattern in patterns:
        if re.search(r"\\[\w.]", pattern):
            raise ConfigError(f"{pattern!r}: folders are divided by / in patterns, on Windows too")
        try:
            GitIgnoreSpec.from_lines([pattern])
        except ValueError:
            raise ConfigError(f"{pattern!r} is no pattern of .gitignore files") from None
    return patterns


def _patterns(value: object) -> tuple[str, ...]:
    return check_patterns(_strings(value))


def _selectors(value: object) -> tuple[str, ...]:
    return parse_selectors(_strings(value))


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise ConfigError("must be true or false")
    return value


def _jobs(value: object) -> int:
    if value == "auto":
        return 0
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ConfigError('must be a number from 1, or "auto"')
    return value


def _format(value: object) -> str:
    if value not in FORMATS:
        raise ConfigError(f"must be one of {', '.join(FORMATS)}{_nearest(str(value), FORMATS)}")
    return str(value)


def _folder(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ConfigError("must be the name of a folder")
    return os.path.expanduser(value)


def _per_file_ignores(value: object) -> Mapping[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise ConfigError("must be a table of file patterns and lists of codes")
    ignores = {}
    for pattern, codes in value.items():
        check_patterns([pattern])
        try:
            ignores[pattern] = _selectors(codes)
        except ConfigError as error:
            raise ConfigError(f"{pattern!r}: {error}") from None
    return ignores


_KEYS: Mapping[str, Callable[[object], Any]] = {
    "select": _selectors,
    "extend-select": _selectors,
    "ignore": _selectors,
    "exclude": _patterns,
    "extend-exclude": _patterns,
    "per-file-ignores": _per_file_ignores,
    "respect-gitignore": _boolean,
    "force-exclude": _boolean,
    "format": _format,
    "jobs": _jobs,
    "cache": _boolean,
    "cache-dir": _folder,
    "cross-file": _boolean,
}
KEYS = frozenset(_KEYS)
