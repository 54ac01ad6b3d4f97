"""A checksum of a stretch of CPU memory, for writes that torch is not told of."""

from __future__ import annotations

import ctypes
import zlib

__all__ = ["LIMIT", "checksum"]

LIMIT = 4 << 20
_BLOCK = 4096
_BLOCKS = 256


def checksum(start: int, end: int) -> int:
    """CRC-32 of the bytes from `start` to `end`, which the caller keeps alive.

    Beyond LIMIT bytes, blocks spread evenly over the range stand for all of it.
    """
    size = end - start
    if size <= 0:
        return 0
    if size <= LIMIT:
        return zlib.crc32((ctypes.c_char * size).from_address(start))
    value = 0
    step = size // _BLOCKS
    for offset in range(0, size - _BLOCK, step):
        value = zlib.crc32((ctypes.c_char * _BLOCK).from_address(start + offset), value)
    return value
