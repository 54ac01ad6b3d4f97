"""How one test is watched: command line, marker and ini file, in that order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inplace_guard.runtime.codes import codes_of

__all__ = ["ANOMALY", "MODES", "ChoiceError", "Choices", "choose", "flag"]

MODES = ("off", "on", "fail-fast")
ANOMALY = ("auto", "on", "off")
_MARKER_KEYWORDS = ("mode", "anomaly", "content", "allow", "raise_on", "expect")


class ChoiceError(ValueError):
    """A value that no test can be watched with; the text names it and what is accepted."""


@dataclass(frozen=True, slots=True)
class Choices:
    """`expect` holds a set for each entry that was given; one code of each must be found."""

    mode: str = "off"
    anomaly: bool = False
    content: bool = False
    allow: frozenset[str] = frozenset()
    raise_on: frozenset[str] = frozenset()
    expect: tuple[tuple[str, frozenset[str]], ...] = ()


def choose(
    options: Mapping[str, Any],
    marker: Mapping[str, Any] | None,
    ini: Mapping[str, Any],
    *,
    named: bool,
    fixture: bool,
) -> Choices:
    """`options` and `ini` hold `mode`, `anomaly`, `content` and `raise_on`, each None if not given.

    `named`: the plugin was asked for with -p; `fixture`: the test asks for the fixture by name.
    """
    own = dict(marker or {})
    unknown = sorted(set(own) - set(_MARKER_KEYWORDS))
    if unknown:
        raise ChoiceError(
            f"unknown keyword {unknown[0]!r} of the marker inplace_guard; known: {', '.join(_MARKER_KEYWORDS)}"
        )
    asked = named or fixture or marker is not None
    mode = _first(options.get("mode"), own.get("mode"), ini.get("mode"), "on" if asked else "off")
    anomaly = _first(options.get("anomaly"), own.get("anomaly"), ini.get("anomaly"), "auto")
    content = _first(options.get("content"), own.get("content"), ini.get("content"), False)
    _check("mode", mode, MODES)
    anomaly = {True: "on", False: "off"}.get(anomaly, anomaly) if isinstance(anomaly, bool) else anomaly
    _check("anomaly", anomaly, ANOMALY)
    if not isinstance(content, bool):
        raise ChoiceError(f"inplace_guard content: {content!r} is neither true nor false")
    given = own.get("expect", ())
    given = (given,) if isinstance(given, str) else given
    return Choices(
        mode=mode,
        anomaly=mode != "off" and (anomaly == "on" or (anomaly == "auto" and fixture)),
        content=content,
        allow=_codes("allow", own.get("allow", ())),
        raise_on=_codes("raise_on", _first(options.get("raise_on"), own.get("raise_on"), ini.get("raise_on"), ())),
        expect=tuple(
            (str(entry), _codes("expect", entry)) for entry in ((given,) if isinstance(given, str) else given)
        ),
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
    if isinstance(given, str):
        given = given.replace(",", " ").split()
    try:
        return codes_of(given)
    except (TypeError, ValueError) as error:
        raise ChoiceError(f"inplace_guard {name}: {error}") from None
