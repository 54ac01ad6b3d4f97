"""The language of the generated parts: each sentence is written once in English and looked up for another language."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from minigpt_fixture.spanish import SPANISH

__all__ = ["LANGUAGES", "language", "say", "spoken"]

LANGUAGES = ("en", "es")

_language = ContextVar("language", default="en")


@contextmanager
def language(code: str) -> Iterator[None]:
    """`en` or `es` for what `say` returns inside."""
    token = _language.set(code)
    try:
        yield
    finally:
        _language.reset(token)


def spoken() -> str:
    """`en` or `es`."""
    return _language.get()


def say(sentence: str, **values: object) -> str:
    """The sentence in the current language with `values` filled in. KeyError if it has no translation."""
    return (SPANISH[sentence] if _language.get() == "es" else sentence).format(**values)
