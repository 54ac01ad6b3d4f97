"""A fault in the guard must not become a fault in the program that it watches."""

from __future__ import annotations

import functools
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from inplace_guard.runtime.errors import InplaceHazardError

__all__ = ["GuardFault", "careful"]

F = TypeVar("F", bound=Callable[..., Any])


class GuardFault(UserWarning):
    """The guard itself failed; what it was about to look at goes unreported."""


def careful(function: F) -> F:
    """None instead of an exception, and a warning that shows where it came from."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        try:
            return function(*args, **kwargs)
        except InplaceHazardError:
            raise
        except Exception as fault:
            tell(fault)
            return None

    return run  # type: ignore[return-value]


def tell(fault: Exception) -> None:
    last = traceback.extract_tb(fault.__traceback__)[-1]
    text = (
        f"inplace-guard: internal error, please report it: {type(fault).__name__}: {fault} "
        f"({last.filename}:{last.lineno}); the program is not affected, but a hazard may go unreported"
    )
    try:
        warnings.warn(text, GuardFault, stacklevel=2)
    except GuardFault:  # warnings are errors here; that must not hit the program
        print(text, file=sys.stderr)
