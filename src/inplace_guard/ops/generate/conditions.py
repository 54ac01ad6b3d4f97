"""Find the argument on which a write or a save depends."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

# Where several arguments separate the samples equally well, these explain it.
_TELLING = ("inplace", "training", "train", "max_norm", "mode", "reduction", "use_input_stats", "copy", "hard")

_Test = tuple[str, Callable[[Any], bool]]
_Labelled = Sequence[tuple[dict[str, Any], bool]]


def condition(labelled: _Labelled) -> str:
    """The condition (see `inplace_guard.ops.model`) that separates the calls where it happened from the others."""
    if all(happened for _, happened in labelled):
        return ""
    names = [name for name in labelled[0][0] if all(name in values for values, _ in labelled)]
    single = {name: text for name in names for text, test in _tests(name, labelled) if _separates(name, test, labelled)}
    for name in _TELLING:
        if name in single:
            return single[name]
    if len(single) == 1:
        return next(iter(single.values()))
    return _pair([n for n in names if n in _TELLING], labelled) or _most(labelled)


def _most(labelled: _Labelled) -> str:
    happened = sum(1 for _, label in labelled if label)
    return "~" if happened * 2 >= len(labelled) else "?"


def _pair(names: list[str], labelled: _Labelled) -> str:
    """Two arguments together: `inplace&training`."""
    for one, two in itertools.combinations(names, 2):
        for (text, test), (text2, test2) in itertools.product(_tests(one, labelled), _tests(two, labelled)):
            if all((test(v[one]) and test2(v[two])) == happened for v, happened in labelled):
                return f"{text}&{text2}"
    return ""


def _tests(name: str, labelled: _Labelled) -> Iterator[_Test]:
    """Simple questions about one argument."""
    values = [values[name] for values, _ in labelled]
    yes = {values[name] for values, happened in labelled if happened and isinstance(values[name], str)}
    no = {values[name] for values, happened in labelled if not happened and isinstance(values[name], str)}
    if all(isinstance(value, str) for value in values):
        yield f"{name}={'/'.join(sorted(yes))}", lambda value: value in yes
    elif no and not yes & no:
        yield f"{name}!={'/'.join(sorted(no))}", lambda value: value not in no
    elif any(isinstance(value, float) for value in values) and None not in values:
        return  # a number that happens to be zero in one sample explains nothing
    else:
        yield name, _true
        yield f"!{name}", lambda value: not _true(value)


def _separates(name: str, test: Callable[[Any], bool], labelled: _Labelled) -> bool:
    return all(test(values[name]) == happened for values, happened in labelled)


def _true(value: Any) -> bool:
    return bool(value) if isinstance(value, (bool, int, str, list, tuple, dict)) else value is not None
