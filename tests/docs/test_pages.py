"""The generated pages are up to date, and the site builds without a broken link."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from inplace_guard import cli
from inplace_guard.rules import CATALOGUE

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_docs", ROOT / "tools" / "build_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pages_are_up_to_date(builder: ModuleType) -> None:
    wrong = builder.out_of_date(ROOT / "docs", builder.pages())
    assert wrong == [], "run: python tools/build_docs.py"


def test_missing_changed_and_left_over_pages_are_noticed_and_mended(builder: ModuleType, tmp_path: Path) -> None:
    made = builder.pages()
    builder.write(tmp_path, made)
    assert builder.out_of_date(tmp_path, made) == []
    (tmp_path / "rules" / "index.md").write_text("old")
    (tmp_path / "rules" / "IPG000-gone.md").write_text("left over")
    (tmp_path / "cli.md").unlink()
    assert builder.out_of_date(tmp_path, made) == ["cli.md", "rules/IPG000-gone.md", "rules/index.md"]
    builder.write(tmp_path, made)
    assert builder.out_of_date(tmp_path, made) == []


@pytest.mark.parametrize("code", CATALOGUE)
def test_a_page_has_all_sections_and_the_tested_programs(builder: ModuleType, code: str) -> None:
    rule = CATALOGUE[code]
    page = builder.rule_page(rule)
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == [
        "What it does",
        "Why is this bad",
        "Example",
        "Use instead",
        "When it is safe",
        "What PyTorch says",
        "Fix safety",
    ]
    programs = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert programs == [rule.bad, rule.good]


def test_rules_that_prose_names_are_links(builder: ModuleType) -> None:
    text = "# IPG101 x\n\nsee IPG102, not `IPG103` or IPG999\n\n```python\ny  # <- IPG101\n```\n"
    linked = builder.link_codes(text, leave="IPG101")
    assert linked == text.replace("IPG102", "[IPG102](IPG102-saved-tensor-likely-overwritten.md)")


def test_the_index_lists_every_rule_once(builder: ModuleType) -> None:
    index = builder.rule_index()
    for rule in CATALOGUE.values():
        assert index.count(f"| {rule.code} | [{rule.name}]({builder.page_name(rule)}) |") == 1


def test_every_command_and_option_is_in_the_reference(builder: ModuleType) -> None:
    page = builder.command_line_page()
    for name, command in cli.command.commands.items():
        assert f"\n## inplace-guard {name}\n" in page
        for parameter in command.params:
            for option in parameter.opts:
                assert not option.startswith("-") or f"`{option}`" in page


def test_the_start_page_has_no_link_out_of_docs(builder: ModuleType) -> None:
    links = re.findall(r"\]\(([^)]+)\)", builder.start_page())
    assert links
    assert [link for link in links if not link.startswith("http") and not (ROOT / "docs" / link).exists()] == []


def test_pages_that_nobody_placed_are_in_the_navigation(builder: ModuleType, tmp_path: Path) -> None:
    for name in ("index.md", "guide.md", "cli.md"):
        (tmp_path / name).write_text("# Title\n")
    config = SimpleNamespace(nav=[{"Start": "index.md"}, {"Command line": "cli.md"}], docs_dir=str(tmp_path))
    start, guide, command_line, named = builder.on_config(config).nav
    assert (start, guide, command_line) == ({"Start": "index.md"}, "guide.md", {"Command line": "cli.md"})
    index, *families = named["Rules"]
    assert index == "rules/index.md"
    assert [title[:6] for family in families for pages in family.values() for page in pages for title in page] == [
        *CATALOGUE
    ]


def test_the_site_builds_strictly(tmp_path: Path) -> None:
    process = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert "PyTorch keeps the tensors that backward will read" in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert all((tmp_path / "rules" / f"{rule.code}-{rule.name}.html").is_file() for rule in CATALOGUE.values())
