"""`inplace-guard check`."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from inplace_guard import config, report
from inplace_guard.analysis.project import roots_of
from inplace_guard.check import Result, check_paths, check_stdin
from inplace_guard.check.fixing import FixedFile, fix_result, unified_diff, write_fixed
from inplace_guard.cli.lookup import complete_codes
from inplace_guard.cli.progress import progress_bar
from inplace_guard.cli.streams import console, read_stdin
from inplace_guard.problems import printable

__all__ = ["check"]

_STDIN = "-"
_Function = TypeVar("_Function", bound=Callable[..., Any])


def _words(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> list[str] | None:
    """Comma-separated values; the option may be repeated too."""
    if not value:
        return None
    words = [word for part in value for word in part.replace(",", " ").split()]
    if not words and param.metavar == "CODES":
        raise click.BadParameter("names no rule", ctx, param)
    return words


def _list_option(name: str, metavar: str, help: str) -> Callable[[_Function], _Function]:
    complete = complete_codes if metavar == "CODES" else None
    return click.option(name, multiple=True, callback=_words, metavar=metavar, help=help, shell_complete=complete)


@click.command(
    short_help="Find in-place writes that break autograd, in source code.",
    epilog="""\b
Examples:
  inplace-guard check                      this folder and all below it
  inplace-guard check --select IPG1,IPG9   backward raises, and the opinionated rules
  inplace-guard check --format sarif > inplace-guard.sarif
  inplace-guard check --diff               what --fix would change
  git show HEAD:net.py | inplace-guard check - --stdin-filename net.py

\b
Exit code: 0 no findings; 1 findings; 2 wrong usage, or a file could not be checked.
A comment `# noqa: IPG101` hides a finding; it stands on the line where the write begins. Settings
live in [tool.inplace_guard] of pyproject.toml, under the names of these options.
""",
)
@click.argument("paths", nargs=-1, type=click.Path(allow_dash=True), metavar="[PATH]...")
@_list_option("--select", "CODES", "Rules to report: codes, families or names, such as IPG101,IPG2.  [default: IPG]")
@_list_option("--extend-select", "CODES", "Rules to report besides those selected. IPG9 adds the opinionated ones.")
@_list_option("--ignore", "CODES", "Rules not to report. The longer of two prefixes wins.")
@_list_option("--exclude", "PATTERNS", "Leave out what matches these .gitignore patterns, instead of the defaults.")
@_list_option("--extend-exclude", "PATTERNS", "Leave these out besides.")
@click.option("--force-exclude", is_flag=True, default=None, help="Leave out excluded files even if named as PATH.")
@click.option(
    "--respect-gitignore/--no-respect-gitignore",
    default=None,
    help="Leave out what .gitignore files leave out.  [default: on]",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(config.FORMATS),
    help="text: code frames; concise: a line each; json; sarif: code scanning; github: annotations; "
    "gitlab: code quality.  [default: text]",
)
@click.option("--fix", is_flag=True, help="Write the fixes that are safe. What is left is reported.")
@click.option("--diff", is_flag=True, help="Write nothing: show what --fix would change, and exit with 1 if anything.")
@click.option("--unsafe-fixes", is_flag=True, help="Also make the fixes that a person has to look at.")
@click.option("--statistics", is_flag=True, help="Also count the findings of each rule.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
@click.option(
    "--cross-file/--no-cross-file", default=None, help="Follow imports into other files of the project.  [default: on]"
)
@click.option("--jobs", "-j", type=click.IntRange(min=1), metavar="N", help="Processes to use.  [default: one a core]")
@click.option("--cache/--no-cache", default=None, help="Remember results by content of the files.  [default: on]")
@click.option("--cache-dir", type=click.Path(path_type=Path), help="Where to.  [default: .inplace_guard_cache]")
@click.option("--stdin-filename", metavar="NAME", help="What to call the text that PATH `-` reads from standard input.")
@click.option("--config", "config_file", type=click.Path(path_type=Path), help="The pyproject.toml to obey.")
@click.option("--isolated", is_flag=True, help="Obey no pyproject.toml.")
@click.option("--verbose", "-v", is_flag=True, help="Tell which files were left out, and why.")
def check(
    paths: tuple[str, ...],
    fix: bool,
    diff: bool,
    unsafe_fixes: bool,
    statistics: bool,
    exit_zero: bool,
    stdin_filename: str | None,
    config_file: Path | None,
    isolated: bool,
    verbose: bool,
    format_: str | None,
    **options: Any,
) -> int:
    """Find in-place writes that break autograd in Python files, notebooks and folders.

    Reports the line that wrote, the line that saved, and why backward needs it. Neither imports nor runs the code.

    Imports of the project's own files are followed (not those of installed packages): what a helper or block in another
    file does is known. A write in another file is reported at the call that leads to it, unless that file's own check
    reports it.
    """
    started = time.perf_counter()
    from_stdin = _STDIN in paths
    if from_stdin and len(paths) > 1:
        raise click.UsageError("standard input (-) cannot be mixed with other paths")
    if stdin_filename is not None and not from_stdin:
        raise click.UsageError("--stdin-filename needs the path -")
    if unsafe_fixes and not (fix or diff):
        raise click.UsageError("--unsafe-fixes needs --fix or --diff")
    if "" in paths:
        raise click.UsageError("a PATH is empty; . is the current folder")
    paths = paths or (".",)
    name = stdin_filename or "<stdin>"
    try:
        settings = _settings([name] if from_stdin else paths, config_file, isolated)
        settings = settings.with_options(format=format_, roots=roots_of(paths), **options)
    except config.ConfigError as error:
        raise click.ClickException(str(error)) from None

    if not settings.codes:
        print("no rule is selected: nothing is looked for", file=sys.stderr)
    data: bytes | None = None
    describing = settings.format in ("text", "json", "sarif") and not (fix or diff)
    if from_stdin:
        data = read_stdin()
        result = check_stdin(data, name, settings, fixes=describing)
    else:
        with progress_bar(wanted=settings.format in ("text", "concise")) as progress:
            result = check_paths(paths, settings, progress, fixes=describing)

    if not (result.files or result.all_problems or from_stdin):
        print("no Python files or notebooks found", file=sys.stderr)
    fixed = fix_result(result, settings, unsafe=unsafe_fixes, stdin=data) if fix or diff else []
    if verbose:
        _tell_verbose(result, settings, time.perf_counter() - started)
    if diff:
        for file in fixed:
            _write_diff(file)
    else:
        if fix and data is not None:
            data = fixed[0].after if fixed else data
            sys.stdout.buffer.write(data)
        elif fix:
            fixed = write_fixed(fixed, result)
        # The fixed text of standard input is standard output: then the report stands beside it.
        with contextlib.redirect_stdout(sys.stderr if fix and data is not None else sys.stdout):
            _show(result, settings.format, {} if data is None else {name: _readable(data)}, describing)
            if statistics:
                _show_statistics(result, sys.stdout if settings.format in ("text", "concise") else sys.stderr)
    sys.stdout.flush()
    if fix or diff:
        _tell_fixed("Would fix" if diff else "Fixed", fixed, result, unsafe_fixes)
    _tell_problems(result, verbose)
    if result.all_problems:
        return 2
    return 1 if (fixed if diff else result.findings) and not exit_zero else 0


def _write_diff(file: FixedFile) -> None:
    """In the file's own encoding, which `patch` needs; on a terminal, in that of the terminal."""
    text, data = unified_diff(file)
    if sys.stdout.isatty():
        sys.stdout.write(text)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)


def _tell_problems(result: Result, verbose: bool) -> None:
    for problem in result.all_problems:
        print(problem, file=sys.stderr)
    if result.unfinished:
        what = "function" if result.unfinished == 1 else "functions"
        hint = "" if verbose else "; --verbose says which, and why"
        print(f"{result.unfinished} {what} could not be analysed to the end{hint}", file=sys.stderr)


def _tell_fixed(what: str, fixed: Sequence[FixedFile], result: Result, unsafe: bool) -> None:
    number = sum(len(file.fixed) for file in fixed)
    left = 0 if unsafe else sum(finding.fix["applicability"] == "unsafe" for finding in result.findings if finding.fix)
    if number or left:
        findings, files = "finding" if number == 1 else "findings", "file" if len(fixed) == 1 else "files"
        done = f"{number} {findings} in {len(fixed)} {files}" if number else "nothing"
        more = f"; --unsafe-fixes would fix {left}{' more' if number else ''}" if left else ""
        print(f"{what} {done}{more}.", file=sys.stderr)


def _readable(data: bytes) -> str:
    return io.StringIO(data.decode("utf-8-sig", "replace"), newline=None).read()


def _settings(paths: Sequence[str], config_file: Path | None, isolated: bool) -> config.Settings:
    if isolated:
        return config.Settings()
    if config_file is not None:
        return config.load(config_file, _tell)
    config_file = config.find_config(_common_folder(paths), _tell)
    return config.load(config_file) if config_file is not None else config.Settings()


def _tell(line: str) -> None:
    print(f"warning: {line}", file=sys.stderr)


def _common_folder(paths: Sequence[str]) -> Path:
    real = [os.path.realpath(path) for path in paths]
    folders = [path if os.path.isdir(path) else os.path.dirname(path) for path in real]
    try:
        return Path(os.path.commonpath(folders))
    except ValueError:  # several drives on Windows
        return Path.cwd()


def _show(result: Result, format: str, texts: dict[str, str], describing: bool) -> None:
    if format != "text":
        if format == "github" and isinstance(sys.stdout, io.TextIOWrapper):  # whose runner reads nothing else
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        sys.stdout.write(report.render(format, result.findings, result.all_problems))
        return
    from inplace_guard.report.source import SourceLines
    from inplace_guard.report.text import fixable, frame, summary

    terminal = console(soft_wrap=True)
    sources = SourceLines(texts)
    for finding in result.findings:
        for line in frame(finding, sources):
            terminal.print(line)
        terminal.print()
    unchecked = len({problem.path for problem in result.all_problems})
    skipped = sum(bool(file.skipped) for file in result.files)
    checked = sum(not file.problems and not file.skipped for file in result.files)
    terminal.print(summary(result.findings, checked, skipped, unchecked))
    if describing and (text := fixable(result.findings)):
        terminal.print(text)


def _show_statistics(result: Result, stream: Any) -> None:
    counts = Counter((finding.code, finding.rule) for finding in result.findings)
    for (code, rule), count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        print(f"{count:>6}  {code} {rule}", file=stream)


def _tell_verbose(result: Result, settings: config.Settings, seconds: float) -> None:
    lines = [f"settings: {settings.config_file or 'the defaults (no [tool.inplace_guard] found)'}"]
    lines += [note if note.startswith("the cache ") else f"skipped {note}" for note in result.notes]
    lines += [
        f"{printable(file.path)}: {note}" for file in result.files for note in (file.skipped, *file.unfinished) if note
    ]
    cached = sum(file.cached for file in result.files)
    files = "file" if len(result.files) == 1 else "files"
    lines.append(
        f"{len(result.files)} {files} in {seconds:.2f} s, {cached} of them from the cache; "
        f"{result.suppressed} {'finding' if result.suppressed == 1 else 'findings'} hidden by noqa comments"
    )
    for line in lines:
        print(line, file=sys.stderr)
