"""What can go wrong in a way that a person can act on: each is one clear line, never a traceback."""

from __future__ import annotations

from importlib.util import find_spec

INSTALL = "pip install 'inplace-guard[reference]'"


class UsageError(Exception):
    """Bad input: the message is complete in itself; the command line exits with 2."""


def require(*packages: str) -> None:
    """Raises UsageError naming the packages that are not installed and how to get them."""
    if missing := [name for name in packages if find_spec(name) is None]:
        verb = "is" if len(missing) == 1 else "are"
        raise UsageError(f"the reference case needs {' and '.join(missing)}, which {verb} not installed: {INSTALL}")
