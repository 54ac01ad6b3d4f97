"""Run a script or module under a guard: the same `sys.argv`, `__main__`, exit code and tracebacks as without."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import io
import os
import runpy
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from inplace_guard.findings import Finding
from inplace_guard.runtime.testing.choices import Choices
from inplace_guard.runtime.testing.collect import Collected
from inplace_guard.runtime.testing.watch import Watch

__all__ = ["run_script"]


def run_script(argv: Sequence[str], module: bool, report: Path | None) -> int:
    """`argv[0]` is the script, or with `module` the name that follows -m. The exit code is the program's own.

    The findings are printed to stderr when it ends, and written to `report` as JSON. A report that cannot be written
    raises OSError before the program starts.
    """
    if report is not None:
        report.touch()
    watch = Watch()
    watch.start(Choices(mode="on"))
    try:
        return _run(list(argv), module)
    finally:
        watch.stop()
        _tell(watch.findings, report)


def _run(argv: list[str], module: bool) -> int:
    saved = sys.argv, list(sys.path), sys.modules["__main__"]
    try:
        if module:
            _run_module(argv)
        else:
            _run_file(argv)
    except SystemExit as leaving:
        return _exit_code(leaving)
    except BaseException as error:
        _show(error)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    finally:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not stream.closed:
                stream.flush()
        sys.argv, sys.path[:] = saved[0], saved[1]
        sys.modules["__main__"] = saved[2]
    return 0


def _run_file(argv: list[str]) -> None:
    path = os.path.abspath(argv[0])
    main = ModuleType("__main__")
    main.__dict__.update(__builtins__=__builtins__, __cached__=None)
    spec = importlib.machinery.PathFinder.find_spec("__main__", [path]) if not os.path.isfile(path) else None
    if spec is not None and isinstance(spec.loader, importlib.abc.InspectLoader):  # a folder with a __main__.py
        code: Any = spec.loader.get_code("__main__")
        main.__dict__.update(__file__=spec.origin, __spec__=spec, __package__="", __loader__=spec.loader)
        home = path
    else:
        try:
            with io.open_code(path) as file:
                source = file.read()
        except OSError as error:
            print(f"inplace-guard: cannot open {argv[0]}: {error.strerror}", file=sys.stderr)
            raise SystemExit(2) from None
        code = compile(source, path, "exec", dont_inherit=True)
        main.__dict__.update(__file__=path)
        home = os.path.dirname(os.path.realpath(path))
    sys.argv, sys.path[0] = argv, home
    sys.modules["__main__"] = main
    exec(code, main.__dict__)


def _run_module(argv: list[str]) -> None:
    sys.argv, sys.path[0] = argv, str(Path.cwd())
    runpy.run_module(argv[0], run_name="__main__", alter_sys=True)


def _exit_code(leaving: SystemExit) -> int:
    code = leaving.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code
    print(code, file=sys.stderr)
    return 1


def _show(error: BaseException) -> None:
    """Through the program's own `sys.excepthook`, without our frames and runpy's above its own."""
    trace = error.__traceback__
    while trace is not None and _is_ours(trace):
        trace = trace.tb_next
    hook: Any = sys.excepthook
    error.__traceback__ = trace
    try:
        hook(type(error), error, trace)
    except Exception:
        traceback.print_exception(type(error), error, trace)


def _is_ours(trace: TracebackType) -> bool:
    name = trace.tb_frame.f_code.co_filename
    return name == __file__ or "runpy" in name


def _tell(findings: Sequence[Finding], report: Path | None) -> None:
    collected = Collected()
    collected.findings += findings
    if report is not None:
        collected.write(report)
    if not findings:
        return
    from inplace_guard.report.text import frame

    print(f"\ninplace-guard: {len(findings)} finding{'' if len(findings) == 1 else 's'}", file=sys.stderr)
    for finding in findings:
        print("\n".join(line.plain for line in frame(finding)), file=sys.stderr)
