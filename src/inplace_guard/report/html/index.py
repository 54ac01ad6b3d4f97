"""The list of the pages that a test run wrote."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path

from inplace_guard.findings import Finding

__all__ = ["index"]

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>In-place hazards - inplace-guard</title>
<link rel="icon" href="data:,">
<style>
{style}
body {{ display: block; padding: 12px 20px; }}
td, th {{ padding: 5px 14px 5px 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }}
a {{ color: var(--accent); }}
</style>
</head>
<body>
<h1>{count}</h1>
<table>
<tr><th>test</th><th>rule</th><th>what</th></tr>
{rows}
</table>
</body>
</html>
"""


def index(entries: Sequence[tuple[str, str, Sequence[Finding]]]) -> str:
    """`entries`: the test, the name of its page, what was found in it."""
    rows = []
    for test, page, findings in entries:
        link = f'<a href="{html.escape(page)}">{html.escape(test)}</a>'
        rows += [
            f"<tr><td>{link if first else ''}</td><td>{finding.code}</td><td>{html.escape(finding.message)}</td></tr>"
            for first, finding in zip([True] + [False] * len(findings), findings, strict=False)
        ]
    many = f"{len(entries)} failing test{'' if len(entries) == 1 else 's'} with an in-place hazard"
    style = (Path(__file__).parent / "assets" / "page.css").read_text(encoding="utf-8")
    return _PAGE.format(style=style, count=many, rows="\n".join(rows))
