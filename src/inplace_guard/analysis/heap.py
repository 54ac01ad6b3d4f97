"""The heap: a dict that can be forked, and that knows what changed since two forks had one past."""

from __future__ import annotations

from typing import Any

# The keys of a dict stand for an ordered set: what is reported must not depend on where objects lie in memory.
Keys = dict[Any, None]


class Heap(dict[Any, Any]):
    """Cells by key. `path` is the line of forks that led here, each with the keys changed after it; the last
    grows with every write. Joining two heaps then costs what changed, not what there is."""

    __slots__ = ("changed", "path")

    def __init__(self, cells: dict[Any, Any], path: tuple[Keys, ...] = ()) -> None:
        super().__init__(cells)
        self.changed: Keys = {}
        self.path = (*path, self.changed)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.changed[key] = None
        dict.__setitem__(self, key, value)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: Any, default: Any = None) -> Any:
        self.changed[key] = None
        return dict.pop(self, key, default)

    def fork(self) -> Heap:
        """A copy with the same past; from now on each keeps account of its own changes."""
        past = self.path
        copy = Heap(self, past)
        self.changed = {}
        self.path = (*past, self.changed)
        return copy

    def differing(self, other: Heap) -> Keys:
        """The keys that may differ, changed since the last common fork; they count as changed here from now on."""
        shared = 0
        for mine, theirs in zip(self.path, other.path, strict=False):
            if mine is not theirs:
                break
            shared += 1
        keys: Keys = {}
        for changed in (*self.path[shared:], *other.path[shared:]):
            keys.update(changed)
        self.changed = keys
        self.path = (*self.path[:shared], keys)
        return keys
