"""Whether a write or a save of the op table happens for given arguments."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from inplace_guard.ops.model import Overload


class _Unknown(Enum):
    UNKNOWN = "an argument that is given, but whose value is not known"


UNKNOWN: Final = _Unknown.UNKNOWN

_LITERALS: dict[str, object] = {"True": True, "False": False, "None": None}


def split_write(write: str) -> tuple[str, str]:
    """The parameter and the condition of an item of `Overload.writes`: `input?inplace`."""
    name, _, condition = write.partition("?")
    return name, condition


def holds(condition: str, overload: Overload, given: Mapping[str, object]) -> bool | None:
    """Whether a condition (see `inplace_guard.ops.model`) is true of a call, or None if it cannot be told.

    `given` maps the parameters that the call passes to their values, or to UNKNOWN; a tensor may stand as True. For a
    module, they are `training` and the arguments of the constructor.
    """
    if condition in ("~", "?"):
        return None
    answers = [_holds(part, overload, given) for part in condition.split("&") if part]
    if any(answer is False for answer in answers):
        return False
    return None if None in answers else True


def _holds(test: str, overload: Overload, given: Mapping[str, object]) -> bool | None:
    negated = test.startswith("!")
    name, equals, options = test.lstrip("!").partition("=")
    if name.endswith("!"):
        negated, name = True, name[:-1]
    value = _value(name, overload, given)
    if value is UNKNOWN:
        return None
    answer = value in options.split("/") if equals else bool(value)
    return answer is not negated


def _value(name: str, overload: Overload, given: Mapping[str, object]) -> object:
    if name in given:
        return given[name]
    for param in overload.params:
        if param.name == name and param.default:
            return _LITERALS.get(param.default, param.default.strip("'"))
    return UNKNOWN
