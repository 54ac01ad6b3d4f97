"""The working part of the pytest plugin: a watch around each test, its findings in its report."""

from __future__ import annotations

import sys
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from inplace_guard.findings import Finding
from inplace_guard.runtime.testing.choices import ChoiceError, Choices, choose, flag
from inplace_guard.runtime.testing.collect import Collected
from inplace_guard.runtime.testing.pages import Pages
from inplace_guard.runtime.testing.watch import Watch

__all__ = ["Plugin"]

_SECTION = "inplace-guard"
_PAGE = "inplace_guard_page"
_CARRIER = "inplace_guard_findings"  # an attribute of test reports; it crosses process borders with them


class Plugin:
    def __init__(self, config: pytest.Config, *, named: bool) -> None:
        self._config = config
        self._named = named
        self._is_worker = hasattr(config, "workerinput")
        html = config.getoption("--inplace-guard-html") or config.getini("inplace_guard_html") or None
        self._watch = Watch(every_call=html is not None)
        self._collected = Collected()
        self._told = 0
        self._expected: list[Finding] = []
        try:
            self._options = {
                "mode": config.getoption("--inplace-guard"),
                "anomaly": config.getoption("--inplace-guard-anomaly"),
                "content": config.getoption("--inplace-guard-content"),
                "raise_on": config.getoption("--inplace-guard-raise-on"),
            }
            self._ini = {
                "mode": config.getini("inplace_guard") or None,
                "anomaly": config.getini("inplace_guard_anomaly") or None,
                "content": flag(config.getini("inplace_guard_content")),
                "raise_on": config.getini("inplace_guard_raise_on") or None,
            }
            choose(self._options, None, self._ini, named=named, fixture=False)
        except ChoiceError as error:
            raise pytest.UsageError(str(error)) from None
        report = config.getoption("--inplace-guard-report") or config.getini("inplace_guard_report") or None
        self._report = self._checked(report) if report is not None and not self._is_worker else None

        self._pages = self._made(html) if html is not None else None

    def _made(self, name: str) -> Pages:
        folder = Path(self._config.invocation_params.dir, name)
        try:
            return Pages(folder)
        except OSError as error:
            reason = error.strerror or str(error)
            raise pytest.UsageError(f"--inplace-guard-html: cannot write to {folder}: {reason}") from None

    def _checked(self, name: str) -> Path:
        """The file of the report; whether it can be written is found out before the tests run."""
        path = Path(self._config.invocation_params.dir, name)
        try:
            path.touch()
            with path.open("a"):
                pass
        except OSError as error:
            reason = error.strerror or str(error)
            raise pytest.UsageError(f"--inplace-guard-report: cannot write {path}: {reason}") from None
        return path

    def _choices(self, item: pytest.Item) -> Choices:
        marker: dict[str, Any] | None = None
        for mark in reversed(list(item.iter_markers("inplace_guard"))):
            marker = marker or {}
            if len(mark.args) > 1:
                raise ChoiceError("the marker inplace_guard takes one positional argument, the mode")
            if mark.args:
                marker["mode"] = mark.args[0]
            marker.update(mark.kwargs)
        fixture = "inplace_guard" in getattr(item, "fixturenames", ())
        return choose(self._options, marker, self._ini, named=self._named, fixture=fixture)

    def guard_of_test(self) -> Any:
        return self._watch.handle()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self._told, self._expected = 0, []
        try:
            choices = self._choices(item)
        except ChoiceError:  # told by pytest_runtest_setup
            choices = Choices()
        self._watch.clear()
        if choices.mode == "off":
            return (yield)
        if self._pages is not None:
            self._pages.begin()
        self._watch.start(choices)
        try:
            return (yield)
        finally:
            self._watch.stop()
            if self._pages is not None:
                self._pages.end()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, None, None]:
        try:
            return (yield)
        finally:
            left_open = self._watch.close_inner()
            if left_open:
                item.warn(pytest.PytestWarning(f"{item.nodeid} left {left_open} guard(s) of inplace_guard open"))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        try:
            self._choices(item)
        except ChoiceError as error:
            pytest.fail(str(error), pytrace=False)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        choices = self._choices(item)
        if not choices.expect or choices.mode == "off":
            yield
            return
        wanted = frozenset[str]().union(*(codes for _, codes in choices.expect))
        try:
            yield
        except RuntimeError as error:
            carried = getattr(error, "_inplace_guard_findings", ())
            if not any(found.code in wanted for found in carried):
                raise
        found = {finding.code for finding in self._watch.findings}
        self._expected = [finding for finding in self._watch.findings if finding.code in wanted]
        missing = [entry for entry, codes in choices.expect if not found & codes]
        if missing:
            pytest.fail(f"inplace-guard: expected {', '.join(missing)}, which was not found", pytrace=False)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        findings = [finding for finding in self._watch.findings if finding not in self._expected]
        new = findings[self._told :]
        if new:
            self._told = len(findings)
            report.sections.append((_SECTION, _frames(new)))
            setattr(report, _CARRIER, [finding.to_json() for finding in new])
            item.user_properties += [(_SECTION, _short(finding)) for finding in new]
            report.user_properties = list(item.user_properties)
            if self._pages is not None and report.failed:
                self._write_page(report, new, call)
        return report

    def _write_page(self, report: pytest.TestReport, new: Sequence[Finding], call: pytest.CallInfo[None]) -> None:
        assert self._pages is not None
        try:
            name = self._pages.write(report.nodeid, new, call.excinfo.value if call.excinfo is not None else None)
        except Exception as error:  # the test's own report comes first
            self._warn(f"no page for {report.nodeid} in {self._pages.folder}: {error!r}")
            return
        setattr(report, _PAGE, name)

    def _warn(self, text: str) -> None:
        self._config.issue_config_time_warning(pytest.PytestWarning(f"inplace-guard: {text}"), stacklevel=3)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Runs in the process that prints the results, so under xdist in the controller."""
        if not self._is_worker:
            findings = [Finding.from_json(entry) for entry in getattr(report, _CARRIER, ())]
            self._collected.add(report.nodeid, findings)
            if self._pages is not None and (page := getattr(report, _PAGE, None)) is not None:
                self._pages.add(report.nodeid, page, findings)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        if self._report is not None:
            try:
                self._collected.write(self._report)
            except OSError as error:
                self._warn(f"cannot write {self._report}: {error.strerror}")
        if self._pages is not None and not self._is_worker:
            try:
                self._pages.finish()
            except OSError as error:
                self._warn(f"cannot write to {self._pages.folder}: {error.strerror}")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        distributed = self._config.pluginmanager.has_plugin("dsession")  # the tests run in other processes
        if "torch" not in sys.modules and not distributed:
            terminalreporter.line("inplace-guard: torch was not imported, so nothing was guarded")
        groups = self._collected.by_site()
        if not groups:
            return
        terminalreporter.section(_SECTION)
        for finding, tests in groups:
            where = finding.write
            terminalreporter.line(f"{_short(finding)}  {where.source or where.op or ''}".rstrip())
            more = f" and {len(tests) - 1} more" if len(tests) > 1 else ""
            terminalreporter.line(f"    {tests[0]}{more}")
        if self._report is not None:
            terminalreporter.line(f"written to {self._report}")
        if self._pages is not None:
            terminalreporter.line(f"pages in {self._pages.folder}")


def _short(finding: Finding) -> str:
    return f"{finding.code} {finding.rule}  {finding.write.path}:{finding.write.line}"


def _frames(findings: Sequence[Finding]) -> str:
    from inplace_guard.report.text import frame

    return "\n\n".join("\n".join(line.plain for line in frame(finding)) for finding in findings)
