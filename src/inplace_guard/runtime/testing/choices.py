"""How one test is watched: command line, marker and ini file, in that order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inplace_guard.runtime.codes import codes_of

__all__ = ["ANOMALY", "MODES", "ChoiceError", "Choices", "choose", "flag"]

MODES = ("off", "on", "fail-fast")
ANOMALY = ("auto", "on", "off")
_MARKER_KEYWORDS = ("mode", "anomaly", "content", "allow", "expect")


class ChoiceError(ValueError):
    """A value that no test can be watched with; the text names it and what is accepted."""


@dataclass(frozen=True, slots=True)
class Choices:
    mode: str = "off"
    anomaly: bool = False
    content: bool = False
    allow: frozenset[str] = frozenset()
    expect: frozenset[str] = frozenset()


def choose(
    options: Mapping[str, Any],
    marker: Mapping[str, Any] | None,
    ini: Mapping[str, Any],
    *,
    named: bool,
    fixture: bool,
) -> Choices:
    """`options` and `ini` hold `mode`, `anomaly` and `content`, each None if not given.

    `named`: the plugin was asked for with -p; `fixture`: the test asks for the fixture by name.
    """
    own = dict(marker or {})
    unknown = sorted(set(own) - set(_MARKER_KEYWORDS))
    if unknown:
        raise ChoiceError(
            f"unknown keyword {unknown[0]!r} of the marker inplace_guard; known: {', '.join(_MARKER_KEYWORDS)}"
        )
    default_mode = "on" if named or fixture or marker is not None else "off"
    mode = _first(options.get("mode"), own.get("mode"), ini.get("mode"), default_mode)
    anomaly = _first(options.get("anomaly"), own.get("anomaly"), ini.get("anomaly"), "auto")
    content = _first(options.get("content"), own.get("content"), ini.get("content"), False)
    _check("mode", mode, MODES)
    anomaly = {True: "on", False: "off"}.get(anomaly, anomaly)
    _check("anomaly", anomaly, ANOMALY)
    if not isinstance(content, bool):
        raise ChoiceError(f"inplace_guard content: {content!r} is neither true nor false")
    return Choices(
        mode=mode,
        anomaly=anomaly == "on" or (anomaly == "auto" and fixture and mode != "off"),
        content=content,
        allow=_codes("allow", own.get("allow", ())),
        expect=_codes("expect", own.get("expect", ())),
    )


def flag(text: str | bool | None) -> bool | None:
    """A true or false of an ini file; None if it is not there."""
    if text is None or isinstance(text, bool):
        return text
    known = {"1": True, "yes": True, "true": True, "on": True, "0": False, "no": False, "false": False, "off": False}
    if text.strip() == "":
        return None
    try:
        return known[text.strip().lower()]
    except KeyError:
        raise ChoiceError(f"inplace_guard_content: {text!r} is neither true nor false") from None


def _first(*values: Any) -> Any:
    return next(value for value in values if value is not None)


def _check(name: str, value: Any, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ChoiceError(f"inplace_guard {name}: {value!r} is not one of {', '.join(known)}")


def _codes(name: str, given: Any) -> frozenset[str]:
    try:
        return codes_of(given)
    except (TypeError, ValueError) as error:
        raise ChoiceError(f"inplace_guard {name}: {error}") from None
