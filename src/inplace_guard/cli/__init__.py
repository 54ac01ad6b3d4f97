"""The command `inplace-guard`. One module a sub-command; each is a thin layer over what does the work."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence

import click

from inplace_guard import __version__
from inplace_guard.cli.check import check
from inplace_guard.cli.diagnose import diagnose
from inplace_guard.cli.explain import explain
from inplace_guard.cli.rules import rules
from inplace_guard.cli.run import run
from inplace_guard.cli.streams import drop_stdout, replace_closed
from inplace_guard.cli.tape import tape
from inplace_guard.problems import internal_error

__all__ = ["main"]

_CANNOT_WRITE = {errno.ENOSPC, errno.EIO, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}


_HELP = {"help_option_names": ["-h", "--help"]}


@click.group(context_settings={**_HELP, "max_content_width": 100})
@click.version_option(__version__, prog_name="inplace-guard", message="%(prog)s %(version)s")
@click.pass_context
def command(ctx: click.Context) -> None:
    """Find in-place writes that break PyTorch's autograd.

    PyTorch keeps the tensors that backward will read. A write in place to one of them makes backward raise, or,
    where PyTorch is not told of the write, gives wrong gradients in silence.

    \b
    Start here:
      inplace-guard check src          find them in source code (does not need torch)
      inplace-guard explain IPG101     what a finding means, and how to fix it
      pytest -p inplace_guard          find them while the tests run
      inplace-guard run train.py       find them while a script runs
      inplace-guard diagnose job.log   which line is behind the error in a log
      inplace-guard tape train:loss    what backward keeps in memory, and for how long
    """
    if ctx.invoked_subcommand not in ("explain", "rules"):
        try:
            os.getcwd()
        except OSError as error:
            raise click.ClickException(
                f"the current folder cannot be used: {error.strerror}; change to another"
            ) from None
    if ctx.invoked_subcommand != "run":  # that program's streams are its own
        replace_closed()
        for stream in (sys.stdout, sys.stderr):
            # names of files and lines of source may hold what the terminal's encoding cannot
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")


for sub_command in (check, diagnose, explain, rules, run, tape):
    sub_command.context_settings = {**sub_command.context_settings, **_HELP}  # also where one is used by itself
    command.add_command(sub_command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code: 0 clean, 1 findings, 2 usage or something unchecked."""
    try:
        code = command.main(args=arguments, prog_name="inplace-guard", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        print("inplace-guard: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # `inplace-guard … | head`
        drop_stdout()
        return 141
    except OSError as error:
        if error.errno not in _CANNOT_WRITE:
            return _internal(error)
        drop_stdout()
        print(f"inplace-guard: the output cannot be written: {error.strerror}", file=sys.stderr)
        return 2
    except Exception as error:
        return _internal(error)
    return code if isinstance(code, int) else 0


def _internal(error: Exception) -> int:
    """A fault of ours on one line; a traceback would end with 1, which stands for findings."""
    print(f"inplace-guard: {internal_error(error)}; please report it", file=sys.stderr)
    return 2
