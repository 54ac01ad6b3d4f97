"""A tape as one page that needs nothing else: no network, no other file."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from inplace_guard.report.html.bounded import bounded

__all__ = ["page"]

_ASSETS = Path(__file__).parent / "assets"
_LIBRARIES = ("d3", "dagre")
_OWN = ("model", "memory", "graph", "details", "page")


def page(document: Mapping[str, Any]) -> str:
    """`document` is what `Tape.to_json` gives. Of a very large graph the page shows a part, and says so."""
    data = json.dumps(bounded(document), separators=(",", ":"))
    parts = {
        "TITLE": html.escape(f"{document['title'] or 'Backward graph'} - inplace-guard"),
        "STYLE": _asset("page.css"),
        "DATA": data.replace("<", "\\u003c"),
        "SCRIPTS": _scripts(),
    }
    return re.sub(r"@([A-Z]+)@", lambda slot: parts[slot[1]], _asset("page.html"))


@cache
def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


@cache
def _scripts() -> str:
    """The libraries unchanged, each with its licence; then our own."""
    parts = []
    for name in _LIBRARIES:
        code = _asset(f"{name}.min.js").partition("//# sourceMappingURL")[0]
        parts.append(f"<!-- {name}\n{_asset(f'{name}.LICENSE')}-->\n<script>{code}</script>")
    parts += [f"<script>\n{_asset(f'{name}.js')}</script>" for name in _OWN]
    return "\n".join(parts)
