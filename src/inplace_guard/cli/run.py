"""`inplace-guard run`."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import click

__all__ = ["run"]


class _ProgramCommand(click.Command):
    """As on python's own command line, what follows `-m MODULE` belongs to the module, options too."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        takes_value = {name for param in self.params if not param.is_eager for name in param.opts if name[0] == "-"}
        index = 0
        while index < len(args) and args[index].startswith("-") and args[index] not in ("-", "--"):
            if args[index].startswith("-m"):
                cut = index + (2 if args[index] == "-m" else 1)
                args = [*args[:cut], "--", *args[cut:]]
                break
            index += 2 if args[index] in takes_value else 1
        return super().parse_args(ctx, args)


@click.command(
    cls=_ProgramCommand,
    short_help="Run a program under the guard.",
    context_settings={"allow_interspersed_args": False},
    epilog="""\b
Examples:
  inplace-guard run train.py --epochs 1
  inplace-guard run -m my_package.train --epochs 1

\b
The exit code is the program's own; 2 if it could not be started.
""",
)
@click.option("-m", "module", metavar="MODULE", help="Run a module, as python -m does.")
@click.option("--report", type=click.Path(path_type=Path), metavar="FILE", help="Write the findings here, as JSON.")
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="[SCRIPT] [ARGS]...")
def run(module: str | None, report: Path | None, program: tuple[str, ...]) -> int:
    """Run a Python program under the guard.

    The program behaves as without it. If backward meets a tensor that was overwritten, the report names the line that
    wrote, the line that saved, and the backward that needed the values. Needs torch.
    """
    if module is None and not program:
        raise click.UsageError("a SCRIPT or -m MODULE is needed")
    if importlib.util.find_spec("torch") is None:
        raise click.ClickException(
            f"`run` needs PyTorch, which is not installed for {sys.executable}; "
            "`pip install 'inplace-guard[runtime]'` installs it. `inplace-guard check` works without."
        )
    argv = program if module is None else (module, *program)
    _check_program(argv[0], is_module=module is not None)
    from inplace_guard.runtime import run_script

    try:
        return run_script(argv, module is not None, report)
    except OSError as error:
        raise click.ClickException(f"--report: cannot write {report}: {error.strerror or error}") from None


def _check_program(name: str, is_module: bool) -> None:
    if is_module:
        sys.path.insert(0, os.getcwd())  # where `python -m` looks first
        try:
            found = importlib.util.find_spec(name) is not None
        except (ImportError, ValueError):
            found = False
        finally:
            sys.path.pop(0)
        if not found:
            raise click.ClickException(f"there is no module {name!r} for {sys.executable}; check the spelling")
    elif not os.path.exists(name):
        raise click.ClickException(f"{name}: no such file; check the spelling, or use -m for a module")
