"""Bytes of a Python file -> its text, as Python itself would read it."""

from __future__ import annotations

import io
import sys
import tokenize

__all__ = ["UTF16_MARKS", "Unreadable", "decode", "parse_error"]

UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


class Unreadable(Exception):
    """The text is one line that says what is wrong and what to do; `line` is 0 if unknown."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


def decode(data: bytes) -> str:
    """The source text with "\\n" line ends and without byte-order mark. Raises Unreadable."""
    if data.startswith(UTF16_MARKS):
        raise Unreadable("is UTF-16, which Python cannot read as source; save it as UTF-8", 1)
    if (null := data.find(b"\0")) >= 0:
        raise Unreadable("contains a null byte; is this a Python file?", data.count(b"\n", 0, null) + 1)
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        raise Unreadable(f"{error.msg or error}; save it as UTF-8 or declare its encoding on line 1", 1) from None
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable(
            f"byte 0x{data[error.start]:02x} is not valid {encoding}; save the file as UTF-8 or declare its encoding",
            line,
        ) from None
    except (LookupError, UnicodeError) as error:
        raise Unreadable(f"cannot be decoded as {encoding}: {error}; save it as UTF-8", 1) from None
    return io.StringIO(text, newline=None).read()


def parse_error(error: Exception) -> Unreadable:
    """One clear line for what `ast.parse` raised."""
    if isinstance(error, SyntaxError):
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        message = f"cannot be parsed: {error.msg}; fix the syntax, if Python {version} is what it is written for"
        return Unreadable(message, error.lineno or 0, error.offset or 0)
    if isinstance(error, (RecursionError, MemoryError)):
        return Unreadable("cannot be parsed: nested too deeply for Python's parser; split the expression")
    return Unreadable(f"cannot be parsed: {error}")
