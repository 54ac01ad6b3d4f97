"""What docs/check.md says of comments and settings is so."""

from __future__ import annotations

import re
from pathlib import Path

from inplace_guard import config
from inplace_guard.check import check_stdin
from inplace_guard.config import Settings

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "check.md").read_text(encoding="utf-8")


def block(title: str) -> str:
    match = re.search(rf'^```\w+ title="{re.escape(title)}"\n(.*?)^```$', PAGE, re.DOTALL | re.MULTILINE)
    assert match is not None
    return match[1]


def test_where_a_noqa_comment_has_to_stand() -> None:
    source = "import torch\n" + block("noqa.py")
    result = check_stdin(source.encode(), "noqa.py", Settings())
    lines = source.splitlines()
    assert [lines[finding.write.line - 1].strip() for finding in result.findings] == ["b.mul_("]
    assert result.suppressed == source.count("(hidden") == 2


def test_every_key_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(block("pyproject.toml"))
    settings = config.load(path)
    assert set(re.findall(r"^([\w-]+) = ", block("pyproject.toml"), re.MULTILINE)) == config.KEYS - {"per-file-ignores"}
    assert settings.per_file_ignores == {"tests/": ("IPG1",), "scripts/*.py": ("IPG201",)}


def test_every_format_is_in_the_table() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == set(config.FORMATS)
