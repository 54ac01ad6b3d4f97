"""Which files a result depends on: a graph, for the files of a project lead to nearly all others."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from inplace_guard.analysis.project import PRESENT, News, state_of

__all__ = ["Dependencies"]

_CHANGED = "changed"  # the state of a file that was changed during the run: it never holds


class Dependencies:
    """Files, each with its state and the numbers of those that were asked for to understand it. A result depends on
    what was asked for its own file, and on all that can be reached from there. `listed` is what `to_json` gave earlier
    (this run adds files anew, as they may have changed); names are relative to `base`."""

    def __init__(self, base: str, listed: Any = ()) -> None:
        self._base = base
        self._paths: list[str] = []
        self._states: list[str] = []
        self._asked: list[dict[int, None]] = []
        self._now: dict[str, int] = {}  # the files of this run, by their absolute paths
        self._as_they_are: dict[int, bool] = {}
        self._hold: set[int] = set()
        try:
            for path, state, asked in listed:
                self._add(str(path), str(state), map(int, asked))
            whole = all(map(self.knows, self._asked))
        except (TypeError, ValueError):
            whole = False
        if not whole:
            self._paths, self._states, self._asked = [], [], []

    def knows(self, numbers: Any) -> bool:
        """Whether these are numbers of files."""
        return all(isinstance(number, int) and 0 <= number < len(self._paths) for number in numbers)

    def _add(self, path: str, state: str, asked: Iterable[int] = ()) -> int:
        self._paths.append(path)
        self._states.append(state)
        self._asked.append(dict.fromkeys(asked))
        return len(self._paths) - 1

    def asked(self, path: str) -> list[int]:
        """The numbers of what was asked for to understand a file of this run."""
        number = self._now.get(path)
        return [] if number is None else list(self._asked[number])

    def learn(self, news: News) -> None:
        for path, state in news.states.items():
            self._learn(path, state)
        for path, asked in news.asked.items():
            self._asked[self._now[path]].update(dict.fromkeys(self._now[other] for other in asked))

    def _learn(self, path: str, state: str) -> int:
        number = self._now.get(path)
        if number is None:
            try:
                near = os.path.relpath(path, self._base)
            except ValueError:  # on another drive
                near = path
            number = self._now[path] = self._add(near, state)
        elif self._states[number] == PRESENT:
            self._states[number] = state or _CHANGED  # it was read since
        elif state not in (PRESENT, self._states[number]):
            self._states[number] = _CHANGED
        return number

    def hold(self, numbers: Iterable[int]) -> bool:
        """Whether these files, and all that can be reached from them, are as they were."""
        found = set(numbers) - self._hold
        todo = list(found)
        while todo:
            here = todo.pop()
            if not self._is_as_it_was(here):
                return False
            fresh = self._asked[here].keys() - found - self._hold
            found |= fresh
            todo += fresh
        self._hold |= found
        return True

    def _is_as_it_was(self, number: int) -> bool:
        if number not in self._as_they_are:
            state = self._states[number]
            self._as_they_are[number] = state_of(os.path.join(self._base, self._paths[number]), state) == state
        return self._as_they_are[number]

    def to_json(self, needed: Iterable[int]) -> tuple[list[Any], dict[int, int]]:
        """What can be reached from these files, numbered anew, and the new numbers."""
        numbers: dict[int, int] = {}
        todo = list(needed)
        while todo:
            here = todo.pop()
            if here not in numbers:
                numbers[here] = len(numbers)
                todo += self._asked[here]
        listed = [
            [self._paths[here], self._states[here], [numbers[other] for other in self._asked[here]]] for here in numbers
        ]
        return listed, numbers
