"""Writing a file in one step: whoever reads it sees the old text or the new one, never a part."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile

__all__ = ["Unwritable", "replace_file"]


class Unwritable(Exception):
    """Why a file was left as it is: one clause for a person."""


def replace_file(path: str, expected: bytes, content: bytes) -> None:
    """Replaces the text that is `expected` to be there. A link stays, and what it points to is written.

    Raises Unwritable.
    """
    real = os.path.realpath(path)
    try:
        state = os.stat(real)
        if not state.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(real, os.W_OK):
            raise Unwritable("it is read-only")
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(real), prefix=f".{os.path.basename(real)}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, stat.S_IMODE(state.st_mode))
            if hasattr(os, "chown"):
                with contextlib.suppress(OSError):
                    os.chown(temporary, state.st_uid, state.st_gid)
            with open(real, "rb") as file:
                if file.read() != expected:
                    raise Unwritable("it was changed meanwhile; run again")
            os.replace(temporary, real)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise Unwritable(f"it cannot be written: {error.strerror or error}") from None
