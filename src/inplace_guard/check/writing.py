"""Writing a file so that no moment, signal or full disk leaves a part of it."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import stat
import tempfile
from collections.abc import Iterator

__all__ = ["Unwritable", "replace_file", "undisturbed"]

_NO_NEW_FILE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY}  # EBUSY: a file that is mounted by itself
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)]


class Unwritable(Exception):
    """Why a file was left as it is: one clause for a person."""


def replace_file(path: str, expected: bytes, content: bytes) -> None:
    """Replaces the text that is `expected` to be there. A link stays, and what it points to is written.

    In one step: whoever reads it sees the old text or the new one, never a part. Where that would cut hard links, lose
    the owner or is not allowed, in place. Raises Unwritable.
    """
    real = os.path.realpath(path)
    try:
        state = os.stat(real)
        if not state.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(real, os.W_OK):
            raise Unwritable("it is read-only")
        with undisturbed():
            if _read(real) == content:  # under another name, or by another run
                return
            if state.st_nlink > 1 or not _in_one_step(real, expected, content, state):
                _in_place(real, expected, content)
    except OSError as error:
        raise Unwritable(f"it cannot be written: {error.strerror or error}") from None


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Signals that end the program wait until this is done."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _in_one_step(real: str, expected: bytes, content: bytes, state: os.stat_result) -> bool:
    """False if there can be no new file in the place of the old one."""
    try:
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(real), prefix=f".{os.path.basename(real)[:100]}.")
    except OSError as error:
        if error.errno in _NO_NEW_FILE:
            return False
        raise
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        made = os.stat(temporary)
        if hasattr(os, "chown") and (made.st_uid, made.st_gid) != (state.st_uid, state.st_gid):
            os.chown(temporary, state.st_uid, state.st_gid)
        os.chmod(temporary, stat.S_IMODE(state.st_mode))
        _compare(real, expected)
        os.replace(temporary, real)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.errno in _NO_NEW_FILE:
            return False
        raise
    return True


def _in_place(real: str, expected: bytes, content: bytes) -> None:
    """What is longer comes first: if there is no room for it, the old text is still whole."""
    with open(real, "r+b", buffering=0) as file:
        _compare(real, expected)
        try:
            _write(file.fileno(), content[len(expected) :], len(expected))
            os.fsync(file.fileno())
            _write(file.fileno(), content[: len(expected)], 0)
            file.truncate(len(content))
            os.fsync(file.fileno())
        except BaseException:
            _write(file.fileno(), expected, 0)
            file.truncate(len(expected))
            raise


def _write(handle: int, data: bytes, at: int) -> None:
    os.lseek(handle, at, os.SEEK_SET)
    while data:
        data = data[os.write(handle, data) :]


def _compare(real: str, expected: bytes) -> None:
    if _read(real) != expected:
        raise Unwritable("it was changed meanwhile; run again")


def _read(real: str) -> bytes:
    with open(real, "rb") as file:
        return file.read()
