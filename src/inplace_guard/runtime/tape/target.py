"""`package.module:name` or `script.py:name`: the function that a person names on the command line."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from inplace_guard.runtime.tape.model import TapeError

__all__ = ["load"]


def load(target: str) -> Callable[[], Any]:
    """Raises TapeError with what is wrong: no colon, no such module or file, no such name, arguments needed."""
    source, colon, name = target.rpartition(":")
    if not colon or not source or not name:
        raise TapeError(f"{target!r} is not of the form module:function or script.py:function")
    module = _script(source) if source.endswith(".py") else _module(source)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            near = difflib.get_close_matches(part, [n for n in vars(found) if n[0] != "_"], n=1)
            hint = f"; is {near[0]!r} meant?" if near else ""
            raise TapeError(f"{source} has no {name!r}{hint}")
        found = getattr(found, part)
    if not callable(found):
        raise TapeError(f"{target} is a {type(found).__name__}; a function that returns a loss is needed")
    if inspect.iscoroutinefunction(found):
        raise TapeError(f"{target} is an async function; give one that returns the loss when it is called")
    needed = _needed(found)
    if needed:
        raise TapeError(f"{target} needs arguments ({', '.join(needed)}); give a function that takes none")
    return found  # type: ignore[no-any-return]


def _needed(function: Any) -> list[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    optional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p.name for p in parameters if p.default is p.empty and p.kind not in optional]


def _module(name: str) -> ModuleType:
    folder = os.getcwd()
    if folder not in sys.path:
        sys.path.insert(0, folder)  # where `python -m` looks first
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise TapeError(f"there is no module {name!r} for {sys.executable}; check the spelling") from None
        raise _failed(name, error) from error
    except (Exception, SystemExit) as error:
        raise _failed(name, error) from error


def _script(source: str) -> ModuleType:
    path = Path(source)
    if not path.is_file():
        raise TapeError(f"{source}: no such file")
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(path.stem, path.resolve())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise _failed(source, error) from error
    return module


def _failed(source: str, error: BaseException) -> TapeError:
    return TapeError(f"{source} could not be imported: {last_words(error)}")


def last_words(error: BaseException) -> str:
    """`ValueError: text (model.py:12)`."""
    frames = traceback.extract_tb(error.__traceback__)
    at = f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""
    words = (str(error).strip() or "without a message").splitlines()[0]
    return f"{type(error).__name__}: {words}{at}"
