"""`inplace-guard check` without its command line: files on disk -> findings and problems."""

from __future__ import annotations

from inplace_guard.check.model import FileReport, Result
from inplace_guard.check.run import check_paths, check_stdin
from inplace_guard.problems import Problem

__all__ = ["FileReport", "Problem", "Result", "check_paths", "check_stdin"]
