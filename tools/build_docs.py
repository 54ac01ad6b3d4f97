"""Writes the generated pages of docs/: the rules and the command line.

`python tools/build_docs.py` writes them, `--check` says which are out of date. mkdocs reads this file as a hook: for
the start page, which is README.md, and for the navigation over the rules.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from inplace_guard import cli
from inplace_guard.report.rulebook import rule_markdown
from inplace_guard.rules import CATALOGUE, FAMILIES, Rule

ROOT = Path(__file__).resolve().parents[1]
NOTE = "<!-- Written by tools/build_docs.py from {}; do not edit. -->\n\n"
NOT_PROSE = re.compile(r"(^```.*?^```$|`[^`\n]*`|^# [^\n]*$)", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"\bIPG\d{3}\b")
LINK = re.compile(r"\]\((?!https?:|#)([^)\s]+)\)")


def pages() -> dict[str, str]:
    """Every page that is written: its path below docs/, and its text."""
    made = {f"rules/{page_name(rule)}": rule_page(rule) for rule in CATALOGUE.values()}
    made["rules/index.md"] = rule_index()
    made["cli.md"] = command_line_page()
    return made


# Rules


def page_name(rule: Rule) -> str:
    return f"{rule.code}-{rule.name}.md"


def rule_page(rule: Rule) -> str:
    module = f"src/inplace_guard/rules/{rule.name.replace('-', '_')}.py"
    return NOTE.format(module) + link_codes(rule_markdown(rule), leave=rule.code)


def link_codes(text: str, leave: str) -> str:
    """Rules that prose names become links to their pages; code and the title stay as they are."""

    def link(match: re.Match[str]) -> str:
        rule = CATALOGUE.get(match[0])
        return match[0] if rule is None or rule.code == leave else f"[{rule.code}]({page_name(rule)})"

    parts = NOT_PROSE.split(text)
    parts[::2] = [CODE.sub(link, part) for part in parts[::2]]
    return "".join(parts)


def rule_index() -> str:
    lines = [
        NOTE.format("src/inplace_guard/rules"),
        "# Rules\n\n",
        "Each page shows a program that has the hazard, and the same program put right. Both are run by the tests: ",
        "under PyTorch, under the linter and under the guard.\n\n",
        '"Source": the linter reports it (`flake8`, `inplace-guard check`). "Run time": the guard does (`pytest`, ',
        "`inplace_guard.guard`). `inplace-guard explain CODE` shows the page in the terminal.\n",
    ]
    for prefix, title in FAMILIES.items():
        lines.append(f"\n## {prefix}xx: {title[0].lower()}{title[1:]}\n\n")
        lines.append("| Code | Name | Reports | Source | Run time | Fix |\n| --- | --- | --- | :-: | :-: | :-: |\n")
        for rule in CATALOGUE.values():
            if rule.code.startswith(prefix):
                flags = " | ".join("yes" if flag else "–" for flag in (rule.static, rule.runtime, rule.fixable))
                message = rule.message.replace("|", "\\|")
                lines.append(f"| {rule.code} | [{rule.name}]({page_name(rule)}) | {message} | {flags} |\n")
    return "".join(lines)


def on_config(config: Any) -> Any:
    """Hook of mkdocs: pages that mkdocs.yml does not place go behind the start page, the rules to the end."""
    start, *rest = config.nav
    placed = set(paths_of(config.nav))
    others = sorted(path.name for path in Path(config.docs_dir).glob("*.md") if path.name not in placed)
    families = [
        {
            title: [
                {f"{rule.code} {rule.name}": f"rules/{page_name(rule)}"}
                for rule in CATALOGUE.values()
                if rule.code.startswith(prefix)
            ]
        }
        for prefix, title in FAMILIES.items()
    ]
    config.nav = [start, *others, *rest, {"Rules": ["rules/index.md", *families]}]
    return config


def paths_of(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    else:
        for entry in nav.values() if isinstance(nav, Mapping) else nav:
            yield from paths_of(entry)


# The start page


def on_files(files: Any, config: Any) -> Any:
    """Hook of mkdocs: the start page is made anew for each build."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, "index.md", content=start_page()))
    return files


def start_page() -> str:
    """README.md with its links turned: those into docs/ from there, those to other files to plain text."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")

    def turn(match: re.Match[str]) -> str:
        return f"]({match[1].removeprefix('docs/')})" if match[1].startswith("docs/") else match[0]

    text = re.sub(r"\[([^\]]+)\]\((?!https?:|#|docs/)[^)\s]+\)", r"\1", text)
    return LINK.sub(turn, text)


# The command line


def command_line_page() -> str:
    top = click.Context(cli.command, info_name="inplace-guard", **cli.command.context_settings)
    parts = [NOTE.format("the parser of src/inplace_guard/cli").rstrip(), "# Command line"]
    parts += command_section(top)
    for name, command in sorted(cli.command.commands.items()):
        parts += command_section(click.Context(command, top, info_name=name, **command.context_settings))
    return "\n\n".join(parts) + "\n"


def command_section(context: click.Context) -> Iterator[str]:
    command, name = context.command, context.command_path
    yield f"## {name}"
    yield f"```text\n{name} {' '.join(command.collect_usage_pieces(context))}\n```"
    yield from blocks(command.help or "")
    rows = [
        f"| {option_names(parameter)} | {(parameter.help or '').replace('|', chr(92) + '|')} |"
        for parameter in command.get_params(context)
        if isinstance(parameter, click.Option) and not parameter.hidden
    ]
    yield "\n".join(["| Option | |", "| --- | --- |", *rows])
    yield from blocks(command.epilog or "")


def option_names(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    if option.is_flag or option.count:
        return names
    if isinstance(option.type, click.Choice):
        return f"{names} {' or '.join(f'`{choice}`' for choice in option.type.choices)}"
    if isinstance(option.type, click.IntRange) and option.type.max is not None:
        return f"{names} `{option.type.min}` to `{option.type.max}`"
    return f"{names} `{option.metavar or option.type.name.upper()}`"


def blocks(text: str) -> Iterator[str]:
    """Paragraphs of a help text; those behind a backspace keep their lines."""
    for paragraph in re.split(r"\n[^\S\n]*\n", inspect.cleandoc(text)):
        if "\b" in paragraph:
            yield "```text\n" + paragraph.replace("\b\n", "").replace("\b", "").strip("\n") + "\n```"
        elif paragraph.strip():
            yield " ".join(paragraph.split())


# Writing


def out_of_date(docs: Path, made: Mapping[str, str]) -> list[str]:
    """Pages that are missing, differ, or belong to no rule any more."""
    wrong = [
        name
        for name, text in made.items()
        if not (docs / name).is_file() or (docs / name).read_text(encoding="utf-8") != text
    ]
    left = {f"rules/{path.name}" for path in (docs / "rules").glob("*.md")} - set(made)
    return sorted([*wrong, *left])


def write(docs: Path, made: Mapping[str, str]) -> None:
    for name in out_of_date(docs, made):
        path = docs / name
        if name in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(made[name], encoding="utf-8")
        else:
            path.unlink()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a page is out of date")
    made, docs = pages(), ROOT / "docs"
    wrong = out_of_date(docs, made)
    if not parser.parse_args().check:
        write(docs, made)
        return 0
    for name in wrong:
        print(f"docs/{name} is out of date: run python tools/build_docs.py", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
