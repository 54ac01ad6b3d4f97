"""The bytes of a log -> its text. Of a very long one only what stands near errors, with its line numbers kept."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path

__all__ = ["decode", "read_file"]

_WHOLE = 24_000_000  # bytes that are read without a look
_BEFORE, _AFTER = 400_000, 60_000  # bytes around the words of an error
_MOST = 48_000_000
# Of each error that is known, words that no wrapping at a terminal's width is likely to break.
_WORDS = (b"nplace", b"in-place", b"through the graph", b"require grad", b"nference", b"memory location", b"with out=",
          b"dirty", b"saved tensor", b"captured Tensor")  # fmt: skip


def read_file(path: Path) -> str:
    with path.open("rb") as file:
        if path.is_file() and path.stat().st_size > _WHOLE:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return decode(data)
        return decode(file.read())


def decode(data: bytes | mmap.mmap) -> str:
    encoding = _encoding(data[:4096])
    if len(data) <= _WHOLE:
        return data[:].decode(encoding, "replace")
    if encoding.startswith("utf-16"):
        return data[(len(data) - _WHOLE) & ~1 :].decode(encoding, "replace")
    parts: list[str] = []
    at = 0
    for start, end in _near_errors(data):
        parts += ["\n" * _lines(data, at, start), data[start:end].decode(encoding, "replace")]
        at = end
    return "".join(parts)


def _encoding(head: bytes) -> str:
    """PowerShell's `>` writes UTF-16, with or without a mark."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) > len(head) // 5 and min(even, odd) < len(head) // 50 + 1:
        return "utf-16-le" if odd > even else "utf-16-be"
    return "utf-8-sig"


def _near_errors(data: bytes | mmap.mmap) -> list[tuple[int, int]]:
    """Whole lines around the words, in order and apart; the last ones, if there are too many; and the end."""
    spans = sorted((max(0, at - _BEFORE), min(len(data), at + _AFTER)) for word in _WORDS for at in _places(data, word))
    spans.append((len(data) - _AFTER, len(data)))
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        start, end = data.rfind(b"\n", 0, start) + 1, data.find(b"\n", end) + 1 or len(data)
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    size, kept = 0, len(merged)
    while kept and size < _MOST:
        kept -= 1
        size += merged[kept][1] - merged[kept][0]
    return [(max(start, end - _MOST), end) for start, end in merged[kept:]]


def _places(data: bytes | mmap.mmap, word: bytes) -> Iterator[int]:
    at = data.find(word)
    while at >= 0:
        yield at
        at = data.find(word, at + _AFTER // 2)


def _lines(data: bytes | mmap.mmap, start: int, end: int) -> int:
    step = 8_000_000
    return sum(data[at : min(at + step, end)].count(b"\n") for at in range(start, end, step))
